"""Strips of figures, and how far a move says it has come."""

from __future__ import annotations

import math

from engine.snapshot import Position
from serq_tui.moves import Headway, progress
from serq_tui.sparks import spark


def test_the_least_figure_is_the_lowest_bar_and_the_greatest_the_highest() -> None:
    # eight heights from 0 to 7: each figure is its own bar
    assert spark(range(8), 8) == "▁▂▃▄▅▆▇█"


def test_the_latest_figures_stand_at_the_right_end() -> None:
    assert spark((0, 7), 5) == "   ▁█"
    assert spark((7, 7, 0, 7), 2) == "▁█"


def test_figures_that_are_all_the_same_stand_low() -> None:
    assert spark((3, 3, 3), 3) == "▁▁▁"


def test_what_could_not_be_read_leaves_a_gap_and_infinity_is_the_highest() -> None:
    assert spark((0, math.nan, 7, math.inf), 4) == "▁ ██"


def test_without_figures_or_room_there_is_no_bar() -> None:
    assert spark((), 3) == "   "
    assert spark((1, 2), 0) == ""


def test_a_run_says_its_iteration_its_time_and_its_rate() -> None:
    first, made = Headway(Position(10), 1.0, 1_000), Headway(Position(90), 3.5, 9_000)
    # 8000 iterations in 2 seconds
    assert progress(first, made, 2.0) == "iteration 9,000, t 3.500 s, 4000 iterations/s"


def test_a_run_back_says_where_it_looks() -> None:
    first, made = Headway(Position(90), 3.5, None), Headway(Position(10), 1.0, None)
    assert progress(first, made, 2.0) == "@10, t 1.000 s"


def test_progress_towards_a_known_end_tells_how_long_it_still_takes() -> None:
    """From 1000 to 4000 in two seconds is 1500 a second; the 6000 that are left of 10000 take four more."""
    first = Headway(Position(1), 0.0, 1000, (1000, 10000))
    made = Headway(Position(9), 3.5, 4000, (4000, 10000))
    assert progress(first, made, 2.0) == "iteration 4,000, t 3.500 s, 1500 iterations/s, 4.00 s left"


def test_a_run_that_may_stop_before_its_horizon_takes_at_most_so_long() -> None:
    """A second of the clock in two; nine are left."""
    first, made = Headway(Position(1), 0.0, None, (0.0, 10.0), True), Headway(Position(9), 1.0, None, (1.0, 10.0), True)
    assert progress(first, made, 2.0) == "@9, t 1.000 s, at most 18.0 s left"
