"""Lines of the grid: requests down, iterations across; pure, knows no widget."""

from __future__ import annotations

from collections.abc import Iterator

from engine.grid import Cell, Column, Mode
from engine.snapshot import Who
from grammar.declaring import dataclass
from serq_tui.answers import GridAnswer
from serq_tui.format import amount
from serq_tui.pieces import Content, Entry, Lazily, Line, Piece, Role, piece
from serq_tui.story_rows import HEIGHTS

CELLS: dict[Mode, tuple[str, Role]] = {
    "queued": ("q", "waiting"),
    "preempted": ("x", "preempted"),
    "prefill": ("P", "prefill"),
    "decode": ("d", "decode"),
    "unserved": ("·", "dim"),
    "growing": ("g", "preempted"),
    "elsewhere": ("-", "free"),
    "ended": ("✓", "removed"),
}

#: What a request does that is not in the engine: one that does nothing else in view has no line.
ABSENT: tuple[Mode, ...] = ("elsewhere", "ended")

#: Cells of a request's name, and of what it has of the present iteration.
NAME, NOW = 7, 10


@dataclass(frozen=True, slots=True)
class _View:
    """The columns a width has room for, and which of them is the present moment's, None where that is not in view."""

    answer: GridAnswer
    first: int
    last: int
    here: int | None

    @property
    def present(self) -> Column | None:
        """The present moment's column."""
        return self.answer.columns[self.here] if self.here is not None else None


def _view(answer: GridAnswer, width: int) -> _View:
    room = max(width - NAME - NOW, 1)
    middle = centre(answer)
    # A quarter of the room for what comes after, where anything was seen of it; one who looks elsewhere has it in the middle.
    ahead = min(len(answer.columns) - 1 - middle, room // 4 if answer.around is None else room // 2)
    last = middle + ahead
    first = max(last - room + 1, 0)
    if answer.around is None:
        return _View(answer, first, last, middle)
    iteration = next(engine.iterations for engine in answer.scene.now.engines if engine.stage == answer.stage)
    here = next((i for i in range(first, last + 1) if answer.columns[i].iteration == iteration), None)
    return _View(answer, first, last, here)


def centre(answer: GridAnswer) -> int:
    """Index of the column of the moment the grid is around."""
    around = answer.around or answer.scene.now.position
    return max((i for i, column in enumerate(answer.columns) if column.position <= around), default=0)


def grid(answer: GridAnswer, width: int) -> Content:
    """Requests down, iterations across; below them tokens, pools and preemptions."""
    view = _view(answer, width)
    shown = answer.columns[view.first : view.last + 1]
    present = view.present
    rows = sorted(_present(shown), key=lambda who: (who.serial, who.leg if who.leg is not None else -1))

    def make(index: int) -> Entry:
        if index < len(rows):
            who = rows[index]
            return Entry(_row(view, who, present.cells.get(who) if present is not None else None), who)
        return Entry(_foot(view, index - len(rows)))

    return Content(Lazily(len(rows) + _feet(answer), make), _ruler(view))


def _present(shown: tuple[Column, ...]) -> Iterator[Who]:
    """Whoever waits or runs in some of the columns; thousands may, in hundreds of columns, so most are asked about once."""
    latest: dict[Who, Cell] = {}
    for column in shown:
        latest.update(column.cells)
    for who, cell in latest.items():
        if cell.mode not in ABSENT or any(seen.mode not in ABSENT for one in shown if (seen := one.cells.get(who))):
            yield who


def grid_title(answer: GridAnswer) -> str:
    """The engine and the iterations in view."""
    return f"grid of {answer.engine}"


def _pieces(cells: list[tuple[str, Role]]) -> Line:
    made: list[Piece] = []
    for text, role_ in cells:
        if made and made[-1].role == role_:
            made[-1] = Piece(made[-1].text + text, role_)
        else:
            made.append(Piece(text, role_))
    return tuple(made)


def _row(view: _View, who: Who, present: Cell | None) -> Line:
    cells: list[tuple[str, Role]] = []
    for index in range(view.first, view.last + 1):
        cell = view.answer.columns[index].cells.get(who)
        text, role_ = CELLS[cell.mode] if cell is not None else (" ", "plain")
        cells.append((text, role_))
    now: Line = ()
    if present is not None:
        letter, role_ = CELLS[present.mode]
        tokens = f" {amount(present.tokens)}" if present.mode == "prefill" else ""
        now = piece(f" {letter}{tokens}", role_)
    return (Piece(f"{who!s:<{NAME}}", "strong"), *_pieces(cells), *now)


def _ruler(view: _View) -> Line:
    """Iteration numbers every ten columns, and where the present moment is."""
    columns = view.answer.columns
    text = [" "] * (view.last - view.first + 1)
    for index in range(view.first, view.last + 1):
        number = columns[index].iteration
        label = str(number)
        at = index - view.first
        if number % 10 == 0 and at + len(label) <= len(text):
            text[at : at + len(label)] = label
    line = "".join(text)
    if view.here is None:
        return (Piece(" " * NAME), Piece(line, "dim"))
    here = view.here - view.first
    return (
        Piece(" " * NAME),
        Piece(line[:here], "dim"),
        Piece("▼", "changed"),
        Piece(line[here + 1 :], "dim"),
        Piece(f" {columns[view.here].iteration}", "changed"),
    )


def _feet(answer: GridAnswer) -> int:
    return 2 + len(answer.columns[0].used)


def _foot(view: _View, index: int) -> Line:
    shown = view.answer.columns[view.first : view.last + 1]
    pools = len(shown[0].used)
    present = view.present
    if index == 0:
        most = max(column.tokens for column in shown) or 1.0
        bars = "".join(_height(column.tokens / most) for column in shown)
        return (
            Piece(f"{'tokens':<{NAME}}", "dim"),
            Piece(bars, "prefill"),
            Piece(f" {amount(present.tokens)}" if present is not None else "", "dim"),
        )
    if index <= pools:
        name = view.answer.scene.names.pool(index - 1)[: NAME - 1]
        bars = "".join(_height(column.used[index - 1]) for column in shown)
        share = f" {present.used[index - 1]:.0%}" if present is not None else ""
        return (Piece(f"{name:<{NAME}}", "dim"), Piece(bars, "used"), Piece(share, "dim"))
    marks = "".join("x" if column.preempted else " " for column in shown)
    return (Piece(f"{'x':<{NAME}}", "dim"), Piece(marks, "preempted"))


def _height(share: float) -> str:
    if share <= 0:
        return " "
    return HEIGHTS[min(int(share * len(HEIGHTS)), len(HEIGHTS) - 1)]
