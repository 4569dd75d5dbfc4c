"""Lines of the breakpoints and watches panes; pure, knows no widget."""

from __future__ import annotations

from serq_tui.bar_rows import changed
from serq_tui.format import UNKNOWN, clock, grouped, number
from serq_tui.looks import RECENT
from serq_tui.pieces import Column, Content, Entry, Line, Piece, faded, heading, laid_out, piece, shown_columns
from serq_tui.rows import BREAKPOINT, DISABLED
from serq_tui.sparks import spark
from serq_tui.stops_state import StopRow, StopsState, WatchesState, WatchRow

STOPS = (
    Column("", 1),
    Column("stops on", 11),
    Column("", 20, stretch=True),
    Column("", 4, rank=2),
    Column("hits", 6, "right"),
    Column("", 22),
)

WATCHES = (
    Column("value", 18, stretch=True),
    Column("now", 10, "right"),
    Column("", 11),
    Column("recent attempts", RECENT, "right", rank=1),
    Column("last changed", 22),
)

_RECENT = 3


def stops(state: StopsState, width: int) -> Content:
    """A line a stop."""
    if not state.rows:
        return Content([Entry(piece("nothing stops a run: a adds a breakpoint", "dim"))])
    shown = shown_columns(STOPS, width)
    return Content([Entry(_stop(row, shown), row.stop.on) for row in state.rows], heading(STOPS, shown))


def _stop(row: StopRow, shown: tuple[tuple[int, int], ...]) -> Line:
    stop = row.stop
    what: Line = (Piece(row.what), Piece(f"  {row.about}", "dim")) if row.about else piece(row.what)
    cells: tuple[Line, ...] = (
        piece(BREAKPOINT if stop.enabled else DISABLED, "breakpoint"),
        piece(row.kind, "strong"),
        what,
        piece("here", "changed") if row.met else (),
        piece(grouped(stop.hits)) if stop.hits else piece("·", "dim"),
        piece(_when(row), "waiting" if stop.enabled else "dim"),
    )
    if not stop.enabled:
        cells = (cells[0], *(faded(cell) for cell in cells[1:]))
    return laid_out(cells, STOPS, shown)


def _when(row: StopRow) -> str:
    """Which of its hits end a run, where not simply each does."""
    stop = row.stop
    if not stop.enabled:
        return "disabled"
    parts = ["once"] if stop.once else []
    if stop.after > stop.hits:
        parts.append(f"lets {grouped(stop.after - stop.hits)} more pass")
    elif stop.after:
        parts.append(f"let {grouped(stop.after)} pass")
    return ", ".join(parts)


def watches(state: WatchesState, width: int) -> Content:
    """A line a watched value."""
    if not state.rows:
        return Content([Entry(piece("no value is watched: a adds an expression, such as used(kv) or running.count", "dim"))])
    shown = shown_columns(WATCHES, width)
    return Content([Entry(_watch(row, shown), row.value) for row in state.rows], heading(WATCHES, shown))


def _watch(row: WatchRow, shown: tuple[tuple[int, int], ...]) -> Line:
    reading, past = row.reading, row.past
    strip = next((width for index, width in shown if index == _RECENT), 0)
    cells: tuple[Line, ...] = (
        piece(row.value.text, "name"),
        piece(number(reading.now), "strong") if reading is not None else piece(UNKNOWN, "dim"),
        changed(reading.now, reading.before) if reading is not None else (),
        piece(spark(past.recent, strip), "used") if past is not None else (),
        _changed(row),
    )
    return laid_out(cells, WATCHES, shown)


def _changed(row: WatchRow) -> Line:
    past = row.past
    if past is None:
        return piece("…", "dim")
    if past.changed is None:
        return piece("never so far", "dim")
    return (Piece(str(past.changed)), Piece(f"  {clock(past.clock)}", "dim"))
