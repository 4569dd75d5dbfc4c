"""Where the panes stand on a screen of a size: a pure function of the size, the program and the person, never of the moment.

Panes that moved while one steps would hide what changes, so nothing here looks at a snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Literal

from grammar.declaring import dataclass

PaneName = Literal["source", "running", "waiting", "batch", "registers", "pools", "time"]

#: The panes in the order of their numbers.
PANES: tuple[PaneName, ...] = ("source", "running", "waiting", "batch", "registers", "pools", "time")

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
#: A pane's rule and a line below it: less is no pane.
LEAST = RULE + 1
#: A column narrower than this shows no table.
NARROWEST = 20
#: Lines of a pool that shows who holds it: its bar, its holders, what is cached, whose every block is.
POOL_LINES = 4
#: Lines of the time pane where there is room: running, waiting, memory, and what happened.
TIME_LINES = 4
#: From here on the time pane has them.
TALL = 32


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
class Layout:
    """What a person made of the arrangement.

    Attributes:
        closed: panes that are shut.
        grown: by pane the lines it has more than it would, or fewer.
        wider: cells the first column has more than it would, or fewer.
    """

    closed: frozenset[PaneName] = frozenset()
    grown: Mapping[PaneName, int] = field(default_factory=dict)
    wider: int = 0

    def with_grown(self, name: PaneName, lines: int) -> Layout:
        """The layout with a pane some lines taller, or shorter."""
        return replace(self, grown={**self.grown, name: self.grown.get(name, 0) + lines})

    def without(self, name: PaneName) -> Layout:
        """The layout with a pane shut."""
        return replace(self, closed=self.closed | {name})

    def opened(self, name: PaneName) -> Layout:
        """The layout with a pane open."""
        return replace(self, closed=self.closed - {name})


AS_IT_COMES = Layout()
"""Nothing was made of the arrangement."""


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


#: Panes one below the other with their lines; 0 shares what is left.
Stack = tuple[tuple[PaneName, int], ...]


def arrange(
    width: int, height: int, facts: Facts, only: PaneName | None, focused: PaneName, layout: Layout | None = None
) -> Arrangement:
    """Where the panes stand.

    Args:
        width: cells of the panes' area.
        height: lines of the panes' area, header and footer not counted.
        facts: what the program has.
        only: the pane that has the whole area, None for all of them.
        focused: the pane that has it where there is no room for more.
        layout: what the person made of it.
    """
    layout = layout or AS_IT_COMES
    if only is None and (width < LEAST_WIDTH or height < LEAST_HEIGHT):
        only = focused
    half = width // 2
    # the right half, so that a list of requests still shows its names beside it
    over = Box(width - half, 0, half, height)
    if only is not None:
        return Arrangement({only: Box(0, 0, width, height)}, over, True)
    area = Box(0, 0, width, height)
    if width >= WIDE_WIDTH and height >= COMFORTABLE_HEIGHT:
        boxes, roomy = _wide(area, facts, layout)
        beside = boxes.get("batch", over)
    elif width >= COMFORTABLE_WIDTH and height >= COMFORTABLE_HEIGHT:
        boxes, roomy = _comfortable(area, facts, layout)
        beside = boxes.get("source", over)
    else:
        boxes, roomy = _narrow(area, facts, layout)
        beside = boxes.get("batch", over)
    bottom = boxes.get("pools") or boxes.get("time")
    detail = replace(beside, height=(bottom.y if bottom is not None and width >= COMFORTABLE_WIDTH else height) - beside.y)
    return Arrangement(boxes, detail if detail.height > LEAST else over, roomy)


def _narrow(area: Box, facts: Facts, layout: Layout) -> tuple[dict[PaneName, Box], bool]:
    """The schedule folds to a few lines; running and waiting share a column; a pool has one line, and so has time."""
    height = area.height
    time = LEAST if height < COMFORTABLE_HEIGHT else RULE + TIME_LINES
    pools = max(min(RULE + TITLES + facts.pools, height // 4), LEAST)
    source = max(height // 5, RULE + 3)
    middle = height - source - pools - time
    right = max(area.width * 3 // 8 - GAP, 26)
    registers = min(_registers(facts, 4), middle // 2)
    columns: list[tuple[int, Stack]] = [
        (area.width - right - GAP, (("running", 0), ("waiting", max(middle * 9 // 20, min(RULE + TITLES + 3, middle // 2))))),
        (right, (("batch", 0), ("registers", registers))),
    ]
    return _lay(area, (("source", source),), columns, (("pools", pools), ("time", time)), layout), False


def _comfortable(area: Box, facts: Facts, layout: Layout) -> tuple[dict[PaneName, Box], bool]:
    """Text at the left, tables at the right, pools and time across."""
    time = RULE + (TIME_LINES if area.height >= TALL else 1)
    pools, roomy = _pools(facts, area.height * 2 // 5)
    left = area.width * 47 // 100
    batch = max((area.height - pools - time) // 4, RULE + 5)
    columns: list[tuple[int, Stack]] = [
        (left, (("source", 0), ("registers", _registers(facts, 6)))),
        (area.width - left - GAP, (("running", 0), ("waiting", 0), ("batch", batch))),
    ]
    return _lay(area, (), columns, (("pools", pools), ("time", time)), layout), roomy


def _wide(area: Box, facts: Facts, layout: Layout) -> tuple[dict[PaneName, Box], bool]:
    """Text, tables and amounts in a column each; pools and time below the last two."""
    first = area.width * 7 // 20
    pools, roomy = _pools(facts, area.height * 2 // 5)
    if "source" in layout.closed:
        rest = area
    else:
        first = _within(first + layout.wider, area.width, others=2)
        rest = Box(first + GAP, 0, area.width - first - GAP, area.height)
    second = (rest.width - GAP) // 2 + (rest.width - GAP) // 26
    columns: list[tuple[int, Stack]] = [
        (second, (("running", 0), ("waiting", 0))),
        (rest.width - GAP - second, (("batch", 0), ("registers", _registers(facts, 8)))),
    ]
    foot: Stack = (("pools", pools), ("time", RULE + TIME_LINES))
    boxes = _lay(rest, (), columns, foot, replace(layout, wider=0))
    if "source" not in layout.closed:
        boxes["source"] = Box(0, 0, first if boxes else area.width, area.height)
    return boxes, roomy


def _lay(area: Box, head: Stack, columns: list[tuple[int, Stack]], foot: Stack, layout: Layout) -> dict[PaneName, Box]:
    """Panes across the top, columns of panes, and panes across the bottom, the closed ones left out."""
    head, foot = _open(head, layout), _open(foot, layout)
    columns = [(width, stack) for width, panes in columns if (stack := _open(panes, layout))]
    across: Stack = (*head, *foot)
    if not columns:
        # What stands across shares all there is.
        return _stack(area, tuple((name, 0) for name, _ in across), layout)
    fixed = [max(lines + layout.grown.get(name, 0), LEAST) for name, lines in across]
    most = max(max(len(stack) for _, stack in columns) * LEAST, 2 * LEAST)
    while sum(fixed) > area.height - most and max(fixed) > LEAST:
        fixed[fixed.index(max(fixed))] -= 1
    lines = {name: many for (name, _), many in zip(across, fixed, strict=True)}
    boxes: dict[PaneName, Box] = {}
    y = area.y
    for name, _ in head:
        boxes[name] = Box(area.x, y, area.width, lines[name])
        y += lines[name]
    below = sum(lines[name] for name, _ in foot)
    middle = Box(area.x, y, area.width, area.y + area.height - below - y)
    boxes |= _side_by_side(middle, columns, layout)
    y = middle.y + middle.height
    for name, _ in foot:
        boxes[name] = Box(area.x, y, area.width, lines[name])
        y += lines[name]
    return boxes


def _side_by_side(area: Box, columns: list[tuple[int, Stack]], layout: Layout) -> dict[PaneName, Box]:
    if len(columns) == 1:
        return _stack(area, columns[0][1], layout)
    first = _within(columns[0][0] + layout.wider, area.width)
    left = _stack(replace(area, width=first), columns[0][1], layout)
    rest = replace(area, x=area.x + first + GAP, width=area.width - first - GAP)
    return left | _stack(rest, columns[1][1], layout)


def _within(width: int, whole: int, others: int = 1) -> int:
    """A first column's width that leaves the others room."""
    return max(min(width, whole - others * (GAP + NARROWEST)), NARROWEST)


def _open(panes: Stack, layout: Layout) -> Stack:
    return tuple(pane for pane in panes if pane[0] not in layout.closed)


def _stack(area: Box, panes: Stack, layout: Layout) -> dict[PaneName, Box]:
    """Panes one below the other: heights as given, 0 shares what is left evenly; then as the person wants them."""
    names = [name for name, _ in panes]
    if not names:
        return {}
    free = [name for name, lines in panes if not lines] or names[-1:]
    left = area.height - sum(lines for name, lines in panes if name not in free)
    share = {name: max(left // len(free) + (free.index(name) < left % len(free)), LEAST) for name in free}
    heights = {name: max((share.get(name) or lines) + layout.grown.get(name, 0), LEAST) for name, lines in panes}
    # Whoever was not asked to be another size gives or takes first.
    giving = [name for name in names if not layout.grown.get(name)] or names
    over = sum(heights.values()) - area.height
    for name in sorted(giving, key=lambda name: name not in free):
        heights[name], over = _given(heights[name], over)
    for name in names:
        heights[name], over = _given(heights[name], over)
    boxes: dict[PaneName, Box] = {}
    y = area.y
    for name in names:
        boxes[name] = Box(area.x, y, area.width, heights[name])
        y += heights[name]
    return boxes


def _given(height: int, over: int) -> tuple[int, int]:
    """A height that gives lines that are too many, or takes those that are too few; and what is over after it."""
    given = min(over, height - LEAST) if over > 0 else over
    return height - given, over - given


def _registers(facts: Facts, most: int) -> int:
    return RULE + max(1, min(facts.registers, most))


def _pools(facts: Facts, most: int) -> tuple[int, bool]:
    """Lines of the pools pane and whether every pool shows who holds it."""
    full = RULE + TITLES + facts.pools + facts.memories * (POOL_LINES - 1)
    if full <= most:
        return max(full, RULE + TITLES), True
    return min(RULE + TITLES + facts.pools, most), False
