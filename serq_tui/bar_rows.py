"""Lines of the batch, register and pool panes; pure, knows no widget."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import groupby

from engine.snapshot import BatchView, PoolView, Portion
from serq_tui.bars import CACHED, FREE, RESERVED, USED, Part, bar
from serq_tui.format import UNKNOWN, amount, clock, duration, number, plural
from serq_tui.pieces import (
    Column,
    Content,
    Entry,
    Lazily,
    Line,
    Piece,
    Role,
    cut,
    fit,
    flowed,
    heading,
    joined,
    laid_out,
    piece,
    shown_columns,
    width_of,
)
from serq_tui.rows import BREAKPOINT, was
from serq_tui.view_state import BatchState, PoolsState, PoolState, RegistersState, RegisterState, WatchState

#: A bar wider than this says no more and draws the eye from the numbers.
WIDEST_BAR = 48

POOLS = (
    Column("", 1),
    Column("pool", 8),
    Column("", 10, stretch=True),
    Column("used/of", 13, "right"),
    Column("", 7, rank=2),
    Column("reserved", 8, "right", rank=3),
    Column("cached", 6, "right"),
    Column("free", 6, "right"),
    Column("", 7, rank=4),
    Column("preempted", 9, "right", rank=5),
)
_BAR = 2

_MODE: dict[str, tuple[str, str, Role]] = {"prefill": (USED, "P", "prefill"), "decode": (RESERVED, "d", "decode")}


# --------------------------------------------------------------------------- batch


def batch(state: BatchState, width: int) -> Content:
    """The running iteration: its budget, each request's tokens, what it costs."""
    if state.engine is None:
        return Content([Entry(piece("no engine: no iterations", "dim"))])
    view = state.now
    if view is None:
        why = "idle with work: it scheduled no token" if state.idle_with_work else "idle: it waits for a request"
        role: Role = "waiting" if state.idle_with_work else "dim"
        return Content([Entry(piece(f"{state.engine} is {why}", role))])
    lines: list[Line] = []
    if math.isfinite(view.budget):
        lines.append(_budget_bar(view, min(width, WIDEST_BAR)))
    said: list[Line]
    if state.forming:
        said = [piece("being formed", "waiting")]
    else:
        lasts = joined((piece("lasts", "dim"), piece(duration(view.cost)), _was_duration(view.cost, state.before)), " ")
        said = [lasts, (Piece("until ", "dim"), Piece(clock(view.started + view.cost)))]
    if view.kv_decode or view.kv_prefill:
        read = (Piece(f"d {amount(view.kv_decode)}", "decode"), Piece(f" P {amount(view.kv_prefill)}", "prefill"))
        said.append((Piece("kv ", "dim"), *read))
    if math.isfinite(view.chunk) and view.chunk < view.budget:
        said.append((Piece("each at most ", "dim"), Piece(amount(view.chunk))))
    # the figures before the portions, of which there may be more than there are lines
    lines.extend(flowed(said, width))
    figures = [Entry(cut(line, width)) for line in lines]
    count, portions = _portions(view.portions, width, state.stops)
    return Content(Lazily(len(figures) + count, lambda at: figures[at] if at < len(figures) else portions(at - len(figures))))


def batch_title(state: BatchState) -> str:
    """The batch pane's title: tokens of the budget."""
    view = state.now
    if view is None:
        return "batch"
    if math.isinf(view.budget):
        return f"batch {plural(view.tokens, 'token')}, no cap"
    return f"batch {amount(view.tokens)} of {plural(view.budget, 'token')}"


def _was_duration(cost: float, before: BatchView | None) -> Line:
    if before is None or before.cost == cost:
        return ()
    return piece(f"← {duration(before.cost)}", "changed")


def _budget_bar(view: BatchView, width: int) -> Line:
    parts = tuple(Part(portion.tokens, *_MODE[portion.mode][::2]) for portion in _by_mode(view.portions))
    return bar(parts, view.budget, width)


def _by_mode(portions: tuple[Portion, ...]) -> list[Portion]:
    """Neighbours of one mode as one part: fifty decodes of one token would each be less than a cell."""
    merged: list[Portion] = []
    for mode, run in groupby(portions, key=lambda portion: portion.mode):
        members = list(run)
        merged.append(Portion(members[0].who, mode, math.fsum(portion.tokens for portion in members)))
    return merged


def _portions(portions: tuple[Portion, ...], width: int, stops: frozenset[int]) -> tuple[int, Callable[[int], Entry]]:
    """The portions in the order formed, in columns of one width so that nothing jumps: how many lines, and each of them."""
    if not portions:
        return 1, lambda at: Entry(piece("no tokens", "dim"))
    chips = [(str(portion.who), amount(portion.tokens)) for portion in portions]
    widest = max(9, max(len(name) + len(tokens) for name, tokens in chips) + 3)
    across = max(width // widest, 1)

    def made(line: int) -> Entry:
        parts: list[Piece] = []
        for at in range(line * across, min((line + 1) * across, len(chips))):
            (name, tokens), portion = chips[at], portions[at]
            _, letter, role = _MODE[portion.mode]
            parts.append(Piece(f"{name} ", "breakpoint" if portion.who.serial in stops else "dim"))
            parts.append(Piece(f"{tokens + letter:<{widest - len(name) - 1}}", role))
        return Entry(cut(tuple(parts), width))

    return math.ceil(len(chips) / across), made


# --------------------------------------------------------------------------- registers


def registers(state: RegistersState, width: int) -> Content:
    """Each register with what it was, and then each watched value."""
    if not state.registers and not state.watches:
        return Content([Entry(piece("state n = 0; declares one", "dim"))])
    names = [_register_name(register, state.several) for register in state.registers]
    names += [watch.text for watch in state.watches]
    name_width = min(max(len(name) for name in names), max(width - 14, 6))
    entries = [
        Entry(_register(register, state.several, name_width), _register_text(register, state.several))
        for register in state.registers
    ]
    return Content([*entries, *(Entry(_watch(watch, name_width), watch.text) for watch in state.watches)])


def registers_title(state: RegistersState) -> str:
    """The registers pane's title."""
    if not state.watches:
        return "registers"
    return "registers and watches" if state.registers else "watches"


def _watch(watch: WatchState, name_width: int) -> Line:
    name = fit(piece(watch.text, "name"), name_width)
    if watch.reading is None:
        return (*name, Piece(f" {UNKNOWN:>10} ", "dim"))
    now, before = watch.reading.now, watch.reading.before
    return (*name, Piece(f" {number(now):>10} ", "strong"), *changed(now, before))


def changed(now: float, before: float | None) -> Line:
    """The mark of a value of any kind that changed; one that could be read neither time has not."""
    if before is None or now == before or (math.isnan(now) and math.isnan(before)):
        return ()
    return piece(f"← {number(before)}", "changed")


def _register_name(register: RegisterState, several: bool) -> str:
    return f"{register.engine}.{register.now.name}" if several else register.now.name


def _register_text(register: RegisterState, several: bool) -> str:
    """The text that names a register's value, wherever one looks."""
    return f"{register.engine}: {register.now.name}" if several else register.now.name


def _register(register: RegisterState, several: bool, name_width: int) -> Line:
    name = cut(piece(_register_name(register, several)), name_width)
    pad = Piece(" " * (name_width - width_of(name)))
    value = Piece(f" {number(register.now.value):>10} ", "strong")
    changed = register.before is not None and register.before != register.now.value
    mark = piece(f"← {number(register.before)}", "changed") if changed and register.before is not None else ()
    undone = piece(f"set to {number(register.undone)}, undone", "waiting") if register.undone is not None else ()
    return (*name, pad, value, *joined((mark, undone)))


# --------------------------------------------------------------------------- pools


def pools(state: PoolsState, width: int, roomy: bool) -> Content:
    """Each pool as a bar with its numbers; with room, who holds it and what is cached below."""
    if not state.pools:
        return Content([Entry(piece("no pools: nothing to hold", "dim"))])
    shown = shown_columns(POOLS, width)
    entries: list[Entry] = []
    for pool in state.pools:
        entries.append(_pool_entry(pool, shown))
        if roomy and pool.memory:
            entries.extend(Entry(line) for line in _inside(pool, width))
    return Content(entries, heading(POOLS, shown))


def pools_title() -> str:
    """The pools pane's title, with what the glyphs of the bars mean."""
    return f"pools {USED} used {RESERVED} reserved {CACHED} cached {FREE} free"


def _pool_entry(pool: PoolState, shown: tuple[tuple[int, int], ...]) -> Entry:
    view, before = pool.now, pool.before
    bar_width = next(width for index, width in shown if index == _BAR)
    lost = view.preemptions - before.preemptions if before else 0
    cells: tuple[Line, ...] = (
        piece(BREAKPOINT if pool.stops else " ", "breakpoint"),
        piece(view.name, "strong"),
        _pool_bar(view, bar_width),
        (Piece(amount(view.used)), Piece("/", "dim"), Piece(f"{amount(view.cap):<6}", "dim")),
        was(view.used, before.used if before else None),
        piece(amount(view.reserved), "reserved") if view.reserved else piece("·", "dim"),
        piece(amount(view.cached), "cached") if view.cached else piece("·", "dim"),
        piece(amount(view.free)),
        was(view.free, before.free if before else None),
        (
            Piece(f"+{lost} ", "preempted") if lost else Piece(""),
            Piece(amount(view.preemptions), "plain" if view.preemptions else "dim"),
        ),
    )
    return Entry(laid_out(cells, POOLS, shown), view.pool)


def _pool_bar(view: PoolView, width: int) -> Line:
    parts = (Part(view.used, USED, "used"), Part(view.reserved, RESERVED, "reserved"), Part(view.cached, CACHED, "cached"))
    # Cached units count as free and can be promised to a reservation: the bar never runs over.
    whole = max(view.cap, view.used + view.reserved + view.cached)
    if math.isinf(whole):
        return piece("no bound", "dim")
    return bar(parts, whole, width)


def _inside(pool: PoolState, width: int) -> list[Line]:
    """Who holds the pool and what is cached in it: always the same lines, so that nothing below moves."""
    view = pool.now
    before = {holder.who: holder for holder in pool.before.holders} if pool.before else {}

    def held(index: int) -> Line:
        holder = view.holders[index]
        old = before.get(holder.who)
        mark: Line = piece("+", "added") if pool.before and old is None else ()
        changed = pool.before is not None and (old is None or old.allocated != holder.allocated)
        return (*mark, Piece(f"{holder.who} ", "dim"), Piece(amount(holder.allocated), "changed" if changed else "plain"))

    def kept(index: int) -> Line:
        entry = view.entries[index]
        return (Piece(f"r{entry.owner} " if entry.owner is not None else "dead ", "dim"), Piece(amount(entry.size), "cached"))

    lines = [
        _listed("held by", len(view.holders), held, "nobody", width),
        _listed("cached", len(view.entries), kept, "nothing", width),
        _blocks(view, width),
    ]
    if view.growing:
        growing = view.growing
        lines.append(_listed("growing", len(growing), lambda index: piece(str(growing[index]), "preempted"), "", width))
    return lines


def _blocks(view: PoolView, width: int) -> Line:
    """A sign a block, or a share of the pool where it has more of them than there is room: its holder's last digit."""
    if not math.isfinite(view.cap) or view.cap <= 0:
        return ()
    size = view.block or 1.0
    count = max(int(view.cap / size), 1)
    cells = min(count, width - _LABEL)
    each = "blocks" if cells == count else "shares"
    label = Piece(f"{'':11}{each:<8}", "dim")
    parts: list[Piece] = [label]
    held, shown = 0.0, 0
    for holder in view.holders:
        # By where it ends, so that hundreds of holders are one walk and no two of them share a cell.
        held += holder.allocated
        end = min(round(held / view.cap * cells), cells)
        if end > shown:
            parts.append(Piece(str(holder.who.serial)[-1] * (end - shown), _STRIPES[len(parts) % 2]))
            shown = end
    kept = min(round((held + view.cached) / view.cap * cells), cells)
    parts.append(Piece(CACHED * (kept - shown), "cached"))
    parts.append(Piece("·" * (cells - max(kept, shown)), "dim"))
    return tuple(part for part in parts if part.text)


#: Cells before what is listed of a pool.
_LABEL = 19

#: Neighbours are told apart by their colour too where their last digits are the same.
_STRIPES: tuple[Role, Role] = ("used", "strong")


def _listed(label: str, count: int, item_at: Callable[[int], Line], none: str, width: int) -> Line:
    """A labelled list in one line; what does not fit is counted, and not made."""
    line: list[Piece] = [Piece(f"           {label:<8}", "dim")]
    if not count:
        return (*line, Piece(none, "dim"))
    for index in range(count):
        item, rest = item_at(index), count - index
        more = (Piece(f" +{rest} more", "dim"),)
        gap: Line = (Piece(" · ", "dim"),) if index else ()
        reserve = width_of(more) if rest > 1 else 0
        if width_of(line) + width_of(gap) + width_of(item) + reserve > width:
            return (*line, *more)
        line.extend((*gap, *item))
    return tuple(line)
