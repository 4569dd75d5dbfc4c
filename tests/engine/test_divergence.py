"""The first decision in which two runs differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.decisions import Grew, Preempted
from engine.divergence import first_difference
from engine.simulation import Simulation
from engine.snapshot import Position, Who
from engine.targets import AtPosition
from engine.timeline import Timeline
from engine.walking import Interrupted
from serq_tui.loading import load_program
from serq_tui.options import RunOptions

PREEMPTION = Path(__file__).parents[2] / "serq_tui" / "examples" / "preemption.sq"


def timeline(**options: object) -> Timeline:
    return Timeline(Simulation(load_program(PREEMPTION, RunOptions(**options)).program))  # type: ignore[arg-type]


def test_a_run_beside_itself_never_parts_up_to_its_end() -> None:
    assert first_difference(timeline(horizon=3.0).past, timeline(horizon=3.0).past) is None


def test_twice_the_memory_parts_where_the_small_one_first_preempts() -> None:
    """The comment of the program: r4 wants a third block in iteration 15, none is free, and r7 gives its own up.

    Up to there both decide the same, with other numbers of free units, which are grounds and no deeds.
    """
    small, large = timeline(), timeline(sets=(("kv_tokens", "640"),))
    found = first_difference(small.past, large.past)
    assert found is not None
    assert isinstance(found.record, Preempted)
    assert (found.record.who, found.record.grower) == (Who(7), Who(4))
    assert isinstance(found.other_record, Grew)
    assert found.other_record.who == Who(4)
    # and the moments named are those right after the two decisions
    for line, position, record in ((small, found.one, found.record), (large, found.other, found.other_record)):
        line.seek(AtPosition(position))
        assert line.position == position
        assert line.records() == (record,)


def test_two_seeds_part_with_the_first_draw() -> None:
    """Every request's prompt is drawn before anything else happens."""
    found = first_difference(timeline(seed=1).past, timeline(seed=2).past)
    assert found is not None
    assert (found.one, found.other) == (Position(0), Position(0))


def test_a_run_that_ends_earlier_parts_where_it_ends() -> None:
    found = first_difference(timeline(horizon=0.3).past, timeline(horizon=3.0).past)
    assert found is not None
    assert found.record is None
    assert found.other_record is not None
    assert found.other_record.time > 0.3


def test_the_search_can_be_interrupted() -> None:
    with pytest.raises(Interrupted):
        first_difference(timeline().past, timeline().past, lambda: True)
