"""Lines of the waste ledger: what of an engine's work was of use, in all and by iteration; pure, knows no widget."""

from __future__ import annotations

from engine.targets import AtPosition
from engine.waste import EngineWaste, Waste, WasteLine
from serq_tui.answers import WasteAnswer
from serq_tui.format import amount, clock, grouped
from serq_tui.pieces import Column, Content, Entry, Lazily, Line, Piece, Role, flowed, heading, laid_out, piece, shown_columns

COLUMNS = (
    Column("iteration", 9, "right"),
    Column("at", 12, "right", 2),
    Column("tokens", 8, "right"),
    Column("useful", 8, "right"),
    Column("recomputed", 10, "right"),
    Column("after evictions", 15, "right", 1),
    Column("lost", 8, "right"),
    Column("never allocated", 15, "right", 1),
    Column("never computed", 14, "right"),
)
"""``recomputed`` are tokens that a preemption lost, ``after evictions`` those whose prefix was evicted."""


def waste(answer: WasteAnswer, width: int) -> Content:
    """The totals, then the iterations, the latest first; an iteration's line leads there."""
    found = answer.waste
    columns = shown_columns(COLUMNS, width)
    lines = found.lines[::-1]
    above = [
        *(Entry(line) for parts in _totals(found) for line in flowed([(part,) for part in parts], width, 2)),
        Entry(()),
        Entry(heading(COLUMNS, columns)),
    ]

    def make(index: int) -> Entry:
        if index < len(above):
            return above[index]
        line = lines[index - len(above)]
        return Entry(laid_out(_cells(line), COLUMNS, columns), AtPosition(line.position))

    return Content(Lazily(len(above) + len(lines), make))


def waste_title(answer: WasteAnswer) -> str:
    """How much of the engine's work was of use."""
    total = answer.waste.total
    return f"waste of {answer.waste.name}: {share(total.recomputed, total.tokens)} of its tokens recomputed"


def share(part: float, whole: float) -> str:
    """A share in per cent, one place where it is small: ``3.4 %``."""
    if not whole:
        return "0 %"
    percent = 100 * part / whole
    return f"{percent:.0f} %" if percent in (0, 100) or percent >= 9.95 else f"{percent:.1f} %"


def _totals(found: EngineWaste) -> list[Line]:
    total = found.total
    tokens = (
        Piece(f"{amount(total.tokens)} tokens computed:", "strong"),
        Piece(f"{amount(total.useful)} useful ({share(total.useful, total.tokens)})", "added"),
        Piece(f"{amount(total.preempted)} recomputed after a preemption", "preempted" if total.preempted else "dim"),
        Piece(f"{amount(total.evicted)} recomputed as their prefix was evicted", "waiting" if total.evicted else "dim"),
    )
    units = (
        Piece(f"{amount(total.lost)} units lost to preemptions", "preempted" if total.lost else "dim"),
        Piece(f"{amount(total.unallocated)} units reserved and never allocated", "reserved" if total.unallocated else "dim"),
        Piece(f"{amount(total.uncomputed)} units allocated and never computed", "used" if total.uncomputed else "dim"),
    )
    return [tokens, units]


def _cells(line: WasteLine) -> tuple[Line, ...]:
    waste_: Waste = line.waste
    return (
        piece(grouped(line.iteration)),
        piece(clock(line.time), "dim"),
        piece(amount(waste_.tokens)),
        piece(amount(waste_.useful)),
        _figure(waste_.preempted, "preempted"),
        _figure(waste_.evicted, "waiting"),
        _figure(waste_.lost, "preempted"),
        _figure(waste_.unallocated, "reserved"),
        _figure(waste_.uncomputed, "used"),
    )


def _figure(value: float, role: Role) -> Line:
    return piece(amount(value), role) if value else piece("·", "dim")
