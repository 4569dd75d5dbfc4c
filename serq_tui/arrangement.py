"""Where the panes stand on a screen of a size: a pure function of the size and the program, never of the moment.

Panes that moved while one steps would hide what changes, so nothing here looks at a snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

PaneName = Literal["source", "running", "waiting", "batch", "registers", "pools"]

#: The panes in the order of their numbers.
PANES: tuple[PaneName, ...] = ("source", "running", "waiting", "batch", "registers", "pools")

#: Below this the panes would be slivers: the focused one has the screen to itself.
LEAST_WIDTH, LEAST_HEIGHT = 60, 15
#: From here two columns have room for a table and a line of text side by side.
COMFORTABLE_WIDTH, COMFORTABLE_HEIGHT = 108, 28
#: From here a third column does not squeeze the first two.
WIDE_WIDTH = 168

#: Cells between columns, so that a rule ends before the next begins.
GAP = 2
#: A pane's rule, and a table's titles.
RULE, TITLES = 1, 1
#: Lines of a pool that shows who holds it: its bar, its holders, what is cached.
POOL_LINES = 3


@dataclass(frozen=True, slots=True)
class Facts:
    """What of a program decides how much room its panes need.

    Attributes:
        pools: how many pools it has.
        memories: how many of them show who holds what.
        registers: how many registers it has, watched values counted with them.
    """

    pools: int
    memories: int
    registers: int


@dataclass(frozen=True, slots=True)
class Box:
    """A pane's place in cells, from the top left of the panes' area."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where everything stands.

    Attributes:
        boxes: boxes of the panes shown; the others are hidden.
        detail: where a request's detail opens: over what is not a list of requests.
        roomy: whether every pool has its lines.
    """

    boxes: Mapping[PaneName, Box]
    detail: Box
    roomy: bool


def arrange(width: int, height: int, facts: Facts, only: PaneName | None, focused: PaneName) -> Arrangement:
    """Where the panes stand.

    Args:
        width: cells of the panes' area.
        height: lines of the panes' area, header and footer not counted.
        facts: what the program has.
        only: the pane that has the whole area, None for all of them.
        focused: the pane that has it where there is no room for more.
    """
    if only is None and (width < LEAST_WIDTH or height < LEAST_HEIGHT):
        only = focused
    if only is not None:
        # the right half, so that a list of requests still shows its names beside it
        half = width // 2
        return Arrangement({only: Box(0, 0, width, height)}, Box(width - half, 0, half, height), True)
    if width >= WIDE_WIDTH and height >= COMFORTABLE_HEIGHT:
        return _wide(width, height, facts)
    if width >= COMFORTABLE_WIDTH and height >= COMFORTABLE_HEIGHT:
        return _comfortable(width, height, facts)
    return _narrow(width, height, facts)


def _stack(x: int, y: int, width: int, height: int, panes: tuple[tuple[PaneName, int], ...]) -> dict[PaneName, Box]:
    """Panes one below the other: heights as given, 0 shares what is left evenly, the first taking the odd lines."""
    free = [name for name, lines in panes if not lines]
    left = height - sum(lines for _, lines in panes)
    boxes: dict[PaneName, Box] = {}
    for name, fixed in panes:
        lines = fixed or left // len(free) + (free.index(name) < left % len(free))
        boxes[name] = Box(x, y, width, lines)
        y += lines
    return boxes


def _registers(facts: Facts, most: int) -> int:
    return RULE + max(1, min(facts.registers, most))


def _pools(facts: Facts, most: int) -> tuple[int, bool]:
    """Lines of the pools pane and whether every pool shows who holds it."""
    full = RULE + TITLES + facts.pools + facts.memories * (POOL_LINES - 1)
    if full <= most:
        return max(full, RULE + TITLES), True
    return min(RULE + TITLES + facts.pools, most), False


def _narrow(width: int, height: int, facts: Facts) -> Arrangement:
    """The schedule folds to a few lines; running and waiting share a column; a pool has one line."""
    pools = max(min(RULE + TITLES + facts.pools, height // 4), RULE + 2)
    source = max(height // 5, RULE + 3)
    middle = height - source - pools
    right = max(width * 3 // 8 - GAP, 26)
    left = width - right - GAP
    waiting = middle * 9 // 20
    registers = min(_registers(facts, 4), middle // 2)
    boxes: dict[PaneName, Box] = {"source": Box(0, 0, width, source)}
    boxes |= _stack(0, source, left, middle, (("running", 0), ("waiting", waiting)))
    boxes |= _stack(left + GAP, source, right, middle, (("batch", 0), ("registers", registers)))
    boxes["pools"] = Box(0, source + middle, width, pools)
    return Arrangement(boxes, Box(left + GAP, source, right, height - source), False)


def _comfortable(width: int, height: int, facts: Facts) -> Arrangement:
    """Text at the left, tables at the right, pools across."""
    pools, roomy = _pools(facts, height * 2 // 5)
    above = height - pools
    left = width * 47 // 100
    right = width - left - GAP
    batch = max(above * 3 // 10, RULE + 5)
    boxes = _stack(0, 0, left, above, (("source", 0), ("registers", _registers(facts, 6))))
    boxes |= _stack(left + GAP, 0, right, above, (("running", 0), ("waiting", 0), ("batch", batch)))
    boxes["pools"] = Box(0, above, width, pools)
    return Arrangement(boxes, Box(0, 0, left, above), roomy)


def _wide(width: int, height: int, facts: Facts) -> Arrangement:
    """Text, tables and amounts in a column each, the pools below the last two."""
    first = width * 7 // 20
    second = width * 7 // 20
    third = width - first - second - 2 * GAP
    right, x = first + GAP, first + second + 2 * GAP
    pools, roomy = _pools(facts, height * 2 // 5)
    above = height - pools
    boxes: dict[PaneName, Box] = {"source": Box(0, 0, first, height)}
    boxes |= _stack(right, 0, second, above, (("running", 0), ("waiting", 0)))
    boxes |= _stack(x, 0, third, above, (("batch", 0), ("registers", _registers(facts, 8))))
    boxes["pools"] = Box(right, above, width - right, pools)
    return Arrangement(boxes, Box(x, 0, third, above), roomy)
