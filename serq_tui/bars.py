"""Bars of a fixed width whose parts differ by glyph as well as by role; knows no snapshot."""

from __future__ import annotations

import math

from grammar.declaring import dataclass
from serq_tui.pieces import Line, Piece, Role

USED = "█"
RESERVED = "▓"
CACHED = "▒"
FREE = "░"


@dataclass(frozen=True, slots=True)
class Part:
    """A share of a bar."""

    amount: float
    glyph: str
    role: Role


def cells_of(amounts: tuple[float, ...], whole: float, width: int) -> tuple[int, ...]:
    """How many of ``width`` cells each amount gets.

    Rounded by largest remainder, so that the cells never exceed their total; whatever is not
    nothing gets a cell as long as a neighbour has one to spare, since a sliver that vanishes
    reads as zero.
    """
    if width <= 0 or not math.isfinite(whole) or whole <= 0:
        return (0,) * len(amounts)
    exact = [max(amount, 0.0) / whole * width for amount in amounts]
    cells = [int(share) for share in exact]
    total = min(width, round(sum(exact)))
    by_remainder = sorted(range(len(exact)), key=lambda index: (cells[index] - exact[index], index))
    for index in by_remainder[: max(total - sum(cells), 0)]:
        cells[index] += 1
    for index, amount in enumerate(amounts):
        if amount > 0 and not cells[index]:
            if sum(cells) < width:
                cells[index] = 1
                continue
            largest = max(range(len(cells)), key=lambda other: cells[other])
            if cells[largest] > 1:
                cells[largest] -= 1
                cells[index] = 1
    return tuple(cells)


def bar(parts: tuple[Part, ...], whole: float, width: int, rest: Role = "free") -> Line:
    """A bar of ``whole``, filled by its parts in order, the rest shown as free."""
    cells = cells_of(tuple(part.amount for part in parts), whole, width)
    filled = [Piece(part.glyph * many, part.role) for part, many in zip(parts, cells, strict=True) if many]
    left = width - sum(cells)
    return (*filled, Piece(FREE * left, rest)) if left > 0 else tuple(filled)
