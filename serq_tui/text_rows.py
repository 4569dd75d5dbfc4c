"""Lines of the header, the source and the request detail; pure, knows no widget."""

from __future__ import annotations

import math
from collections.abc import Hashable

from serq_tui.format import INFINITE, amount, clock, duration, grouped, number, plural
from serq_tui.pieces import Content, Entry, Lazily, Line, Piece, Role, cut, fit, flowed, joined, piece, width_of
from serq_tui.rows import BREAKPOINT, DISABLED, SHORT
from serq_tui.source_state import SourceState
from serq_tui.view_state import DetailState, HeaderState
from serq_tui.words import MARKS, Kind

_KIND_ROLES: dict[Kind, Role] = {
    "start": "dim",
    "plain": "plain",
    "decision": "plain",
    "iteration": "plain",
    "idle": "waiting",
    "preemption": "preempted",
    "rejected": "preempted",
    "end": "strong",
    "failure": "failure",
}

#: Attributes every session has; a program's own come first, since they are what its author named.
BUILT_IN = frozenset({"cached", "serial", "turn_no", "new", "out", "think", "more", "forced", "computed"})

#: A note beside a source line never takes more than this share of it: the statement itself comes first.
NOTE_SHARE = 0.55


def header(state: HeaderState, width: int, activity: str | None) -> tuple[Line, Line]:
    """Where we are, and why we are here; while a run is under way, what it does instead."""
    engines = joined(
        (
            Piece(name, "strong" if at_hand else "dim"),
            Piece(" iteration ", "dim"),
            Piece(grouped(count), "strong" if at_hand else "dim"),
        )
        for name, count, at_hand in state.engines
    )
    every = piece("all engines", "dim") if state.every_engine else ()
    step = (Piece("step ", "dim"), Piece(duration(state.step))) if state.step is not None else ()
    at = (Piece("t ", "dim"), Piece(clock(state.clock), "strong"))
    left = joined((piece(f" {state.file}", "strong"), every, engines, at, step), "   ")
    horizon = INFINITE if math.isinf(state.horizon) else f"{number(state.horizon)} s"
    right_parts: list[Line] = [
        piece(f"! {plural(state.warnings, 'warning')}", "waiting") if state.warnings else (),
        (Piece("live ", "dim"), Piece(amount(state.live))),
        (Piece("seed ", "dim"), Piece(str(state.seed))),
        (Piece("horizon ", "dim"), Piece(horizon)),
        (Piece(str(state.position), "dim"),),
    ]
    return _sides(left, right_parts, width), _reason(state, width, activity)


def _reason(state: HeaderState, width: int, activity: str | None) -> Line:
    role = _KIND_ROLES[state.headline.kind]
    left: Line = (Piece(f" {MARKS[state.headline.kind]} ", role), Piece(state.headline.text, role))
    if state.hits:
        met = (Piece(f" {BREAKPOINT} {', '.join(state.hits)}: ", "breakpoint"),)
        left = (*met, Piece(state.headline.text, role))
    if activity is not None:
        left = piece(f" … {activity}", "waiting")
    on = [name for name, is_on in (("preemption", state.preemption), ("idle", state.idle)) if is_on]
    kinds = ", ".join(on) or ("breakpoints" if state.breakpoints else "nothing")
    stops = (Piece("stops on ", "dim"), Piece(kinds, "plain" if on else "dim"))
    breakpoints = (Piece(BREAKPOINT, "breakpoint"), Piece(f" {state.breakpoints}", "dim")) if state.breakpoints else ()
    return _sides(left, [breakpoints, stops], width)


def _sides(left: Line, right_parts: list[Line], width: int) -> Line:
    """One line with a left side and as much of a right side as there is room for, its first parts going first."""
    parts = [part for part in right_parts if part]
    while parts:
        right = joined(parts, "   ")
        space = width - width_of(left) - width_of(right) - 1
        if space >= 2:
            return (*left, Piece(" " * space), *right, Piece(" "))
        parts.pop(0)
    return fit(left, width)


# --------------------------------------------------------------------------- source


def source(state: SourceState, width: int, shift: int) -> Content:
    """The program's lines with a gutter; ``shift`` columns of the text are scrolled away."""
    digits = len(str(len(state.text.lines)))

    def make(index: int) -> Entry:
        line = index + 1
        lit = state.lit is not None and state.lit[0] <= line <= state.lit[1]
        fault = state.failure is not None and state.failure[0] <= line <= state.failure[1]
        gutter = _gutter(state, line, digits, lit, fault)
        room = width - width_of(gutter)
        entry_line = (*gutter, *_with_note(_shifted(state.text.coloured[index], shift), state.notes.get(line, ()), room))
        return Entry(entry_line, line, "fault" if fault else "lit" if lit and state.lit_now else "lit-before" if lit else None)

    def find(key: Hashable) -> int | None:
        return key - 1 if isinstance(key, int) and 1 <= key <= len(state.text.lines) else None

    return Content(Lazily(len(state.text.lines), make), None, find)


def _gutter(state: SourceState, line: int, digits: int, lit: bool, fault: bool) -> Line:
    if line in state.stops:
        mark = Piece(BREAKPOINT, "breakpoint")
    elif line in state.disabled:
        mark = Piece(DISABLED, "breakpoint")
    else:
        mark = Piece("·" if line in state.stoppable else " ", "dim")
    # a statement of several lines is pointed at once
    if fault and state.failure is not None and line == state.failure[0]:
        pointer = Piece(" ✗ ", "failure")
    elif lit and state.lit is not None and line == state.lit[0]:
        pointer = Piece(" ▶ " if state.lit_now else " ▷ ", "strong" if state.lit_now else "dim")
    elif line in state.executed:
        pointer = Piece(" ╎ ", "strong")
    else:
        pointer = Piece("   ")
    return (mark, Piece(f"{line:>{digits}}", "strong" if lit else "dim"), pointer)


def _shifted(line: Line, shift: int) -> Line:
    if not shift:
        return line
    kept: list[Piece] = []
    for part in line:
        kept.append(Piece(part.text[shift:], part.role))
        shift = max(shift - len(part.text), 0)
    return tuple(part for part in kept if part.text)


def _with_note(text: Line, note: Line, room: int) -> Line:
    if not note:
        return cut(text, room)
    note = cut(note, int(room * NOTE_SHARE))
    space = room - width_of(note) - 3
    return (*fit(text, min(space, width_of(text))), Piece("   "), *note)


# --------------------------------------------------------------------------- detail


def detail(state: DetailState, width: int) -> Content:
    """One request, whole: what it does, what it holds, its attributes by name."""
    mark = piece(BREAKPOINT, "breakpoint") if state.stops else ()
    lines: list[Line] = [joined((mark, piece(f"{state.who} {state.where}", "strong")), " ")]
    view = state.resident
    if view is not None:
        role: Role = "prefill" if view.mode == "prefill" else "decode"
        done = (Piece(view.mode, role), Piece(f"  {amount(view.done)} of {plural(view.done + view.left, 'token')}"))
        rest = (piece(f"turn {view.turn}", "dim"), piece(f"admission {view.admission}", "dim"))
        lines.extend(flowed((done, *rest), width))
    if state.waited is not None:
        needs = [
            (Piece(f"{name} {amount(need)}"), Piece(f" {SHORT} {amount(room)} free", "preempted"))
            if need > room
            else piece(f"{name} {amount(need)}")
            for name, need, room in state.needs
        ]
        lines.extend(flowed([(Piece("waited ", "dim"), Piece(duration(state.waited))), piece("needs", "dim"), *needs], width))
    lines.extend(((), piece("holds", "strong")))
    for name, allocated, computed, reserved, leased in state.holds:
        parts = [piece(f"  {name:<10}{amount(allocated):>6}"), piece(f"computed {amount(computed)}", "dim")]
        parts += [piece(f"reserved {amount(reserved)}", "reserved")] if reserved else []
        parts += [piece("leased", "waiting")] if leased else []
        lines.extend(flowed(parts, width, 4))
    lines.extend(piece(f"  {name:<10}{amount(units):>6}  cached", "cached") for name, units in state.entries)
    if not state.holds and not state.entries:
        lines.append(piece("  nothing", "dim"))
    for title, chosen in (
        ("attributes", [attribute for attribute in state.attributes if attribute[0] not in BUILT_IN]),
        ("built in", [attribute for attribute in state.attributes if attribute[0] in BUILT_IN]),
    ):
        lines.extend(((), piece(title, "strong")))
        longest = max((len(name) for name, _, _ in chosen), default=0)
        for name, value, before in chosen:
            mark = piece(f"← {number(before)}", "changed") if before is not None and before != value else ()
            lines.append(joined((piece(f"  {name:<{longest}}", "dim"), piece(f"{number(value):>10}"), mark)))
        if not chosen:
            lines.append(piece("  none" if state.attributes else "  seen only while it runs or waits", "dim"))
    return Content([Entry(cut(line, width)) for line in lines])
