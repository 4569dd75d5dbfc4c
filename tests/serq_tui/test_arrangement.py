"""Where the panes stand."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_tui.arrangement import LEAST_HEIGHT, LEAST_WIDTH, PANES, Box, Facts, Layout, arrange

FACTS = Facts(pools=2, memories=1, registers=1)


def apart(one: Box, other: Box) -> bool:
    return (
        one.x + one.width <= other.x
        or other.x + other.width <= one.x
        or one.y + one.height <= other.y
        or other.y + other.height <= one.y
    )


LAYOUTS = st.builds(
    Layout,
    st.frozensets(st.sampled_from(PANES), max_size=len(PANES) - 1),
    st.dictionaries(st.sampled_from(PANES), st.integers(-40, 40)),
    st.integers(-200, 200),
)


@given(
    st.integers(LEAST_WIDTH, 300),
    st.integers(LEAST_HEIGHT, 100),
    st.builds(Facts, st.integers(0, 40), st.integers(0, 8), st.integers(0, 30)),
    LAYOUTS,
)
def test_whatever_a_person_makes_of_it_every_open_pane_has_a_place_of_its_own(
    width: int, height: int, facts: Facts, layout: Layout
) -> None:
    boxes = arrange(width, height, facts, None, "source", layout).boxes
    assert set(boxes) == set(PANES) - layout.closed
    for one, other in combinations(boxes.values(), 2):
        assert apart(one, other)
    for box in boxes.values():
        assert min(box.x, box.y) >= 0
        assert box.x + box.width <= width
        assert box.y + box.height <= height
        assert box.height >= 2
        assert box.width >= 20
    # nothing is left over: what is shut, its room goes to the others
    assert max(box.y + box.height for box in boxes.values()) == height


@given(
    st.integers(LEAST_WIDTH, 300),
    st.integers(LEAST_HEIGHT, 100),
    st.builds(Facts, st.integers(0, 40), st.integers(0, 8), st.integers(0, 30)),
)
def test_no_two_panes_overlap_and_none_leaves_the_screen(width: int, height: int, facts: Facts) -> None:
    boxes = arrange(width, height, facts, None, "source").boxes
    assert set(boxes) == set(PANES)
    for one, other in combinations(boxes.values(), 2):
        assert apart(one, other)
    for box in boxes.values():
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= width
        assert box.y + box.height <= height
        # a rule and a line below it
        assert box.height >= 2
        assert box.width >= 20


@pytest.mark.parametrize(("width", "height"), [(80, 21), (120, 37), (180, 47)])
def test_every_pane_has_lines_of_its_own_at_the_usual_sizes(width: int, height: int) -> None:
    boxes = arrange(width, height, FACTS, None, "source").boxes
    # a rule, titles and three requests
    assert boxes["running"].height >= 5
    assert boxes["waiting"].height >= 5
    assert boxes["source"].height >= 4


def test_at_80_columns_running_and_waiting_share_a_column_and_a_pool_has_one_line() -> None:
    arrangement = arrange(80, 21, FACTS, None, "source")
    running, waiting = arrangement.boxes["running"], arrangement.boxes["waiting"]
    assert (running.x, running.width) == (waiting.x, waiting.width)
    assert not arrangement.roomy
    # a rule, the titles and a line a pool
    assert arrangement.boxes["pools"].height == 4


def test_a_wide_screen_has_three_columns() -> None:
    boxes = arrange(180, 47, FACTS, None, "source").boxes
    assert boxes["source"].x < boxes["running"].x < boxes["batch"].x


def test_a_maximised_pane_has_the_whole_desk() -> None:
    assert arrange(80, 21, FACTS, "pools", "source").boxes == {"pools": Box(0, 0, 80, 21)}


def test_where_there_is_room_for_one_pane_it_is_the_focused_one() -> None:
    assert list(arrange(50, 20, FACTS, None, "waiting").boxes) == ["waiting"]
