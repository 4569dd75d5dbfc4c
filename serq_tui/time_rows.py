"""Lines of the time pane: what was seen of the run, and where in it one stands; pure, knows no widget."""

from __future__ import annotations

from itertools import groupby, pairwise

from engine.series import Stretch
from serq_tui.format import amount, clock
from serq_tui.pieces import Content, Entry, Line, Piece, Role, piece
from serq_tui.sparks import GLYPHS
from serq_tui.view_state import TimeState

#: Cells of a line's name, and of the present figure behind it.
NAME, FIGURE = 8, 7

HERE = "▲"


def time(state: TimeState, width: int, tall: bool) -> Content:
    """Running, waiting, memory and what happened, or the memory alone with what happened in it."""
    cells = cells_of(width)
    groups = grouped(state, cells)
    if not groups:
        return Content([Entry(piece("nothing was seen yet: s steps, c runs to the first stop", "dim"))])
    here = cell_at(state, cells)
    running = [max([one.running for one in group]) for group in groups]
    waiting = [max([one.waiting for one in group]) for group in groups]
    used = [max([_share(one, state.memory) for one in group]) for group in groups]
    memory: tuple[str, list[float], float, str] = (state.memory_name, used, 1.0, f"{state.used:.0%}")
    if not tall:
        name, figures, most, figure = memory if state.memory is not None else ("running", list(map(float, running)), 0.0, "")
        return Content([Entry(_line(name, _bars(figures, most), "used", here, figure, _signs(groups)))])
    lines = [
        _line("running", _bars(running, 0.0), "decode", here, amount(state.running)),
        _line("waiting", _bars(waiting, 0.0), "waiting", here, amount(state.waiting)),
    ]
    if state.memory is not None:
        lines.append(_line(memory[0], _bars(used, 1.0), "used", here, memory[3]))
    lines.append(_marks(groups, here))
    return Content([Entry(line) for line in lines])


def time_title(state: TimeState) -> str:
    """How far the run was seen."""
    return f"time 0 – {clock(state.overview.end)}"


def cells_of(width: int) -> int:
    """Cells of a width that stand for time."""
    return max(width - NAME - FIGURE, 1)


def grouped(state: TimeState, cells: int) -> list[tuple[Stretch, ...]]:
    """The stretches each cell stands for."""
    made, count = state.overview.stretches, len(state.overview.stretches)
    if not made:
        return []
    starts = [cell * count // cells for cell in range(cells + 1)]
    return [made[start : max(end, start + 1)] for start, end in pairwise(starts)]


def cell_at(state: TimeState, cells: int) -> int:
    """The cell of the present moment."""
    end = state.overview.end
    return min(int(state.clock / end * cells), cells - 1) if end > 0 else 0


def clock_at(state: TimeState, cells: int, cell: int) -> float:
    """The time a cell ends at, in seconds."""
    return state.overview.end * (min(max(cell, 0), cells - 1) + 1) / cells


def neighbour(state: TimeState, cells: int, onward: int) -> int:
    """The next cell from the present one in which something was seen, or the one before."""
    groups, here = grouped(state, cells), cell_at(state, cells)
    cell = here + onward
    while 0 <= cell < len(groups) and not any(one.points for one in groups[cell]):
        cell += onward
    return cell


def _share(one: Stretch, memory: int | None) -> float:
    return one.used[memory] if memory is not None else 0.0


def _bars(figures: list[int] | list[float], most: float) -> str:
    top = most or max(figures) or 1.0
    return "".join([" " if value <= 0 else GLYPHS[min(int(value / top * len(GLYPHS)), len(GLYPHS) - 1)] for value in figures])


def _signs(groups: list[tuple[Stretch, ...]]) -> str:
    return "".join("x" if any(one.preempted for one in group) else " " for group in groups)


def _line(name: str, bars: str, role: Role, here: int, figure: str, over: str = "") -> Line:
    """A strip: its bars, what happened over them, and where one stands."""
    present = over[here : here + 1].strip() or bars[here : here + 1].strip() or "▏"
    strip = zip(over, bars, strict=True) if over.strip() else ((" ", bars[:here]), (" ", bars[here]), (" ", bars[here + 1 :]))
    cells: list[tuple[str, Role]] = [(sign, "preempted") if sign.strip() else (bar, role) for sign, bar in strip]
    cells[here if over.strip() else 1] = (present, "changed")
    return _strip(name, cells, Piece(f"{figure:>{FIGURE}}", "strong"))


def _marks(groups: list[tuple[Stretch, ...]], here: int) -> Line:
    cells: list[tuple[str, Role]] = []
    for group in groups:
        if any(one.preempted for one in group):
            cells.append(("x", "preempted"))
        else:
            cells.append(("·", "waiting") if all(one.idle for one in group) else (" ", "plain"))
    cells[here] = (HERE, "changed")
    return _strip("events", cells, Piece(" " * FIGURE))


def _strip(name: str, cells: list[tuple[str, Role]], figure: Piece) -> Line:
    """A named strip, neighbours in one role as one piece."""
    runs = (Piece("".join(text for text, _ in run), role) for role, run in groupby(cells, key=lambda cell: cell[1]))
    return (Piece(f"{name[: NAME - 1]:<{NAME}}", "dim"), *runs, figure)
