"""Styled text as plain data: what it says and the role its colour plays; knows no screen."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Literal, get_args, overload

from grammar.declaring import dataclass

Role = Literal[
    "plain",
    "dim",
    "strong",
    "prefill",
    "decode",
    "waiting",
    "preempted",
    "used",
    "reserved",
    "cached",
    "free",
    "changed",
    "added",
    "removed",
    "failure",
    "breakpoint",
    "keyword",
    "number",
    "string",
    "comment",
    "name",
]

#: Grounds a whole line can stand on.
Tone = Literal["lit", "lit-before", "fault"]

#: Every ground: each tone with and without the cursor on it, which never hides what a line says.
GROUNDS: tuple[str, ...] = ("cursor", *get_args(Tone), *(f"{tone}-cursor" for tone in get_args(Tone)))

#: Every role; each theme gives each of them a colour.
ROLES: tuple[Role, ...] = get_args(Role)

Align = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text in one role."""

    text: str
    role: Role = "plain"


Line = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        width: cells it takes; the least for the one column that stretches.
        rank: 0 for a column that always shows; narrow panes drop the highest rank first.
        stretch: whether it takes what width is left over.
    """

    title: str
    width: int
    align: Align = "left"
    rank: int = 0
    stretch: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a pane.

    Attributes:
        key: what a cursor on it stands on; None where nothing can be selected.
        tone: a role for the whole line's ground, None for the pane's own.
    """

    line: Line
    key: Hashable | None = None
    tone: Tone | None = None


class Lazily(Sequence[Entry]):
    """Entries made when they are looked at: a queue of ten thousand costs what is in view."""

    def __init__(self, count: int, make: Callable[[int], Entry]) -> None:
        self._count = count
        self._make = make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...

    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        if isinstance(index, slice):
            return [self._make(at) for at in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        return self._make(index % self._count)


@dataclass(frozen=True, slots=True)
class Content:
    """What a pane of a certain width shows.

    Attributes:
        entries: its lines, of which a pane draws those in view.
        head: column titles that stay while the rest scrolls, None without.
        find: where a key stands among the entries, None where it does not.
    """

    entries: Sequence[Entry]
    head: Line | None = None
    find: Callable[[Hashable], int | None] | None = None

    def place_of(self, key: Hashable) -> int | None:
        """Index of the entry with a key, None without one."""
        if self.find is not None:
            return self.find(key)
        return next((index for index, entry in enumerate(self.entries) if entry.key == key), None)


def piece(text: str, role: Role = "plain") -> Line:
    """A line of one piece."""
    return (Piece(text, role),)


def said(line: Iterable[Piece]) -> str:
    """A line's text without its roles."""
    return "".join(part.text for part in line)


def width_of(line: Iterable[Piece]) -> int:
    """Cells a line takes; all our glyphs are one cell wide."""
    # A loop, as every cell of every table is measured: a generator takes twice as long.
    width = 0
    for part in line:
        width += len(part.text)
    return width


def cut(line: Line, width: int) -> Line:
    """A line cut to a width, the cut shown by an ellipsis."""
    if width_of(line) <= width:
        return line
    if width <= 0:
        return ()
    kept: list[Piece] = []
    left = width - 1
    for part in line:
        if len(part.text) >= left:
            return (*kept, Piece(part.text[:left] + "…", part.role))
        kept.append(part)
        left -= len(part.text)
    return tuple(kept)


def fit(line: Line, width: int, align: Align = "left") -> Line:
    """A line brought to exactly a width, by padding or by a cut."""
    space = width - width_of(line)
    if space <= 0:
        return cut(line, width)
    pad = Piece(" " * space)
    return (pad, *line) if align == "right" else (*line, pad)


def shown_columns(columns: tuple[Column, ...], width: int) -> tuple[tuple[int, int], ...]:
    """Which columns a width has room for: pairs of a column's index and its width.

    One cell stands between columns. The highest rank goes first; the stretching column takes
    what is left.
    """
    kept = list(range(len(columns)))

    def needed() -> int:
        return sum(columns[index].width for index in kept) + max(len(kept) - 1, 0)

    for rank in sorted({column.rank for column in columns if column.rank}, reverse=True):
        if needed() <= width:
            break
        kept = [index for index in kept if columns[index].rank != rank]
    spare = max(width - needed(), 0)
    return tuple((index, columns[index].width + (spare if columns[index].stretch else 0)) for index in kept)


def laid_out(cells: Sequence[Line], columns: tuple[Column, ...], shown: tuple[tuple[int, int], ...]) -> Line:
    """Cells of a row as one line."""
    parts: list[Piece] = []
    for place, (index, width) in enumerate(shown):
        if place:
            parts.append(Piece(" "))
        parts.extend(fit(cells[index], width, columns[index].align))
    return tuple(parts)


def heading(columns: tuple[Column, ...], shown: tuple[tuple[int, int], ...]) -> Line:
    """The line of column titles."""
    return laid_out(tuple(piece(column.title, "dim") for column in columns), columns, shown)


def faded(line: Line) -> Line:
    """The line without its colours, for what is gone."""
    return (Piece("".join(part.text for part in line), "dim"),)


def joined(lines: Iterable[Line], gap: str = "  ") -> Line:
    """Several short lines one after the other."""
    parts: list[Piece] = []
    for line in lines:
        if not line:
            continue
        if parts:
            parts.append(Piece(gap))
        parts.extend(line)
    return tuple(parts)


def flowed(parts: Iterable[Line], width: int, indent: int = 0) -> list[Line]:
    """Short lines one after the other, in as many lines of a width as they need; the later ones indented."""
    lines: list[Line] = []
    for part in parts:
        if not part:
            continue
        if lines and width_of(lines[-1]) + 2 + width_of(part) <= width:
            lines[-1] = (*lines[-1], Piece("  "), *part)
        else:
            lines.append((Piece(" " * indent), *part) if lines else part)
    return lines
