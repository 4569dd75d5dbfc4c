"""Rows of the running and waiting tables; pure, knows no widget."""

from __future__ import annotations

from collections.abc import Hashable

from engine.snapshot import JobView, NeedView, RequestView, StageView, WaitingView
from serq_tui.bars import USED, Part, bar
from serq_tui.format import amount, change, duration, number, plural, requests
from serq_tui.pieces import (
    Column,
    Content,
    Entry,
    Lazily,
    Line,
    Piece,
    Role,
    faded,
    heading,
    joined,
    laid_out,
    piece,
    shown_columns,
)
from serq_tui.view_state import QueueState, Resident, RunningState, WaitingState
from serq_tui.words import NAMED

BREAKPOINT = "●"
DISABLED = "○"
#: A need that finds no room.
SHORT = "✗"
#: Cells of the progress bar of a running request.
PROGRESS = 10

RUNNING = (
    Column("", 2),
    Column("req", 5),
    Column("", 3),
    Column("doing", 7, rank=3),
    Column("done/of", 11, "right"),
    Column("Δ", 6, "right", rank=2),
    Column("", PROGRESS, rank=4),
    Column("kv", 6, "right"),
    Column("", 7, rank=1),
    Column("gets", 5, "right"),
    Column("", 9, stretch=True),
)

WAITING = (
    Column("", 2),
    Column("", 4, "right", rank=1),
    Column("req", 5),
    Column("", 1),
    Column("waited", 8, "right"),
    Column("needs", 14, stretch=True),
    Column("keys", 14, rank=2),
)

_MODE: dict[str, tuple[str, Role]] = {"prefill": ("P", "prefill"), "decode": ("d", "decode")}
_STAGES = {"fifo": "fifo", "ps": "processor sharing", "delay": "delay", "shared": "shared"}


def was(now: float, before: float | None) -> Line:
    """The mark of a number that changed: an arrow back to what it was."""
    if before is None or before == now:
        return ()
    return piece(f"← {amount(before)}", "changed")


def sign_of(stops: bool, sign: str, role: Role) -> Line:
    """The two cells in front of a row: its breakpoint and what became of it."""
    return (Piece(BREAKPOINT if stops else " ", "breakpoint"), Piece(sign, role))


# --------------------------------------------------------------------------- running


def running(state: RunningState, width: int) -> Content:
    """Who runs, engine by engine, and the jobs of the stages that are no engine."""
    shown = shown_columns(RUNNING, width)
    parts: list[Entry | Resident] = []
    for engine in state.engines:
        if len(state.engines) > 1:
            parts.append(Entry((Piece(engine.name, "strong"), Piece(f"  {engine.running} running", "dim"))))
        if not engine.residents:
            parts.append(Entry(piece(f"{engine.name} runs nobody: an admission fills it", "dim")))
        parts.extend(engine.residents)
    if not state.engines:
        parts.append(Entry(piece("no engine in this program: stages and their jobs", "dim")))
    for stage, before in state.stages:
        parts.extend(_stage_entries(stage, before))

    def make(index: int) -> Entry:
        part = parts[index]
        return part if isinstance(part, Entry) else _resident_entry(part, shown)

    def find(key: Hashable) -> int | None:
        keys = (part.key if isinstance(part, Entry) else part.who for part in parts)
        return next((index for index, own in enumerate(keys) if own == key), None)

    head = heading(RUNNING, shown) if any(engine.residents for engine in state.engines) else None
    return Content(Lazily(len(parts), make), head, find)


def running_title(state: RunningState) -> str:
    """The running pane's title with the counts by mode."""
    rows = [resident for engine in state.engines for resident in engine.residents]
    views = [resident.now for resident in rows if resident.now]
    prefills = sum(1 for view in views if view.mode == "prefill")
    parts = [f"running {len(views)}"]
    if views:
        parts += [f"P {prefills}", f"d {len(views) - prefills}"]
    # whose rows come last may be out of view, and they are what one looks for
    for sign, fate in (("x", "preempted"), ("−", "left")):
        gone = tuple(resident.who for resident in rows if resident.fate == fate)
        if gone:
            parts.append(f"{sign} {requests(gone, NAMED)}")
    return " · ".join(parts)


def _resident_entry(resident: Resident, shown: tuple[tuple[int, int], ...]) -> Entry:
    view = resident.now or resident.before
    if view is None:
        return Entry(piece(str(resident.who), "dim"), resident.who)
    if resident.now is None:
        return Entry(_gone(resident, view, shown), resident.who)
    before = resident.before
    sign: Line = sign_of(resident.stops, "+" if resident.fate == "admitted" else " ", "added")
    letter, role = _MODE[view.mode]
    mode: Line
    if before is not None and before.mode != view.mode:
        mode = (Piece(_MODE[before.mode][0] + "→", "changed"), Piece(letter, role))
    else:
        mode = piece(letter, role)
    of = view.done + view.left
    gained = view.done - before.done if before is not None and before.mode == view.mode else 0.0
    cells: tuple[Line, ...] = (
        sign,
        piece(str(view.who), "strong"),
        mode,
        piece(view.mode, role),
        (Piece(amount(view.done)), Piece("/", "dim"), Piece(f"{amount(of):<5}", "dim")),
        piece(change(gained), "changed"),
        bar((Part(view.done, USED, role),), of, PROGRESS),
        piece(amount(view.kv)),
        was(view.kv, before.kv if before else None),
        piece(amount(resident.gets), role) if resident.gets else piece("·", "dim"),
        piece(resident.note, "added" if resident.fate == "admitted" else "waiting"),
    )
    return Entry(laid_out(cells, RUNNING, shown), view.who)


def _gone(resident: Resident, view: RequestView, shown: tuple[tuple[int, int], ...]) -> Line:
    lost = resident.fate == "preempted"
    role: Role = "preempted" if lost else "removed"
    kept = sum(width for index, width in shown if index <= 1) + 1
    sign = sign_of(resident.stops, "x" if lost else "−", role)
    text = resident.note if lost else f"{view.mode} done"
    return (*sign, Piece(f" {resident.who!s:<{kept - 3}} ", role), Piece(text, role))


def _stage_entries(stage: StageView, before: StageView | None) -> list[Entry]:
    title = (
        Piece(stage.name, "strong"),
        Piece(f"  {_STAGES[stage.kind]}  {plural(len(stage.jobs), 'job')}  ", "dim"),
        *was(len(stage.jobs), len(before.jobs) if before else None),
    )
    return [Entry(title), *(Entry(_job(job), job.who) for job in stage.jobs)]


def _job(job: JobView) -> Line:
    who = str(job.who) if job.who else "a job"
    return (Piece(f"   {who:<6}", "strong" if job.active else "dim"), Piece(f"{duration(job.left)} left", "dim"))


# --------------------------------------------------------------------------- waiting


def waiting(state: WaitingState, width: int) -> Content:
    """Who waits, queue by queue, in the order they will be tried."""
    # Nobody has keys under `queue fifo`, and their column would stand empty.
    keyed = any(queue.view.waiting and queue.view.waiting[0].keys for queue in state.queues)
    shown = shown_columns(WAITING if keyed else WAITING[:-1], width)
    several = len(state.queues) > 1
    starts: list[int] = []
    count = 0
    for queue in state.queues:
        starts.append(count)
        # A queue has a heading of its own among several, and one line where it is empty.
        count += several + max(len(queue.view.waiting), 0 if several else 1)

    def make(index: int) -> Entry:
        at = max(place for place, start in enumerate(starts) if start <= index)
        queue, offset = state.queues[at], index - starts[at]
        if several:
            if not offset:
                return Entry(_queue_heading(queue))
            offset -= 1
        if not queue.view.waiting:
            return Entry(piece(f"nobody waits in {queue.view.name}", "dim"))
        return _waiting_entry(queue, offset, state, shown)

    def find(key: Hashable) -> int | None:
        for queue, start in zip(state.queues, starts, strict=True):
            for place, view in enumerate(queue.view.waiting):
                if view.who == key:
                    return start + several + place
        return None

    if not state.queues:
        return Content([Entry(piece("no pool has a queue: nobody can wait", "dim"))])
    anybody = any(queue.view.waiting for queue in state.queues)
    return Content(Lazily(count, make), heading(WAITING, shown) if anybody else None, find)


def waiting_title(state: WaitingState) -> str:
    """The waiting pane's title."""
    count = sum(len(queue.view.waiting) for queue in state.queues)
    if len(state.queues) == 1:
        queue = state.queues[0]
        return f"waiting {amount(count)} in {queue.view.name}"
    return f"waiting {amount(count)}"


def _queue_heading(queue: QueueState) -> Line:
    by = f"admitted by {queue.admitted_by}" if queue.admitted_by else "enter as soon as they fit"
    left = piece(f"−{queue.left}", "removed") if queue.left else ()
    counted = f"{amount(len(queue.view.waiting))} waiting, {by}" if queue.view.waiting else f"empty, {by}"
    return joined((piece(queue.view.name, "strong"), piece(counted, "dim"), left))


def _waiting_entry(queue: QueueState, place: int, state: WaitingState, shown: tuple[tuple[int, int], ...]) -> Entry:
    view = queue.view.waiting[place]
    stops = view.who.serial in state.stops
    joined_now = view.who in queue.joined
    head = place == 0
    cells: tuple[Line, ...] = (
        sign_of(stops, "+" if joined_now else "▸" if head else " ", "added" if joined_now else "waiting"),
        piece(amount(place + 1), "dim"),
        piece(str(view.who), "strong" if head else "plain"),
        piece("x", "preempted") if view.preempted else (),
        piece(duration(state.clock - view.since), "waiting" if head else "plain"),
        _needs(view, state, head),
        piece(", ".join(number(key) for key in view.keys), "dim"),
    )
    return Entry(laid_out(cells, WAITING, shown), view.who)


def _needs(view: WaitingView, state: WaitingState, head: bool) -> Line:
    lines = [_need(need, state.pool_names.get(need.pool, "a pool"), state.rooms[need.pool], head) for need in view.needs]
    return joined(lines, " ") if head else faded(joined(lines, " "))


def _need(need: NeedView, name: str, room: float, head: bool) -> Line:
    text = f"{name} {amount(need.need)}"
    if need.need > room:
        return (Piece(text), Piece(f" {SHORT} {amount(room)} free", "preempted") if head else Piece(SHORT))
    return piece(text, "plain")
