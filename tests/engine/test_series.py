"""What a run did over time, in a bounded number of points."""

from __future__ import annotations

from unittest import mock

from engine.breakpoints import OnPreemption
from engine.decisions import Preempted
from engine.simulation import Simulation
from engine.targets import AtPosition, AtTime
from engine.timeline import Timeline
from tests.engine.test_divergence import timeline


def listened(line: Timeline, end: float) -> list[float]:
    """When somebody was preempted up to a time, as a run of one's own tells it."""
    records: list[Preempted] = []
    run: Simulation = line.past.now.anew()
    run.listen(records)  # type: ignore[arg-type]
    while not run.finished and run.clock <= end:
        run.advance()
    return [record.time for record in records if isinstance(record, Preempted) and record.time <= end]


def test_preemptions_lie_where_they_were_however_the_run_was_walked() -> None:
    line = timeline()
    line.seek(AtTime(5.0))
    overview = line.series.overview(50)
    told = listened(line, 5.0)
    assert len(told) > 3
    width = overview.end / 50
    assert [one.preempted for one in overview.stretches] == [
        sum(i * width <= time < (i + 1) * width or (i == 49 and time >= 49 * width) for time in told) for i in range(50)
    ]


def test_going_back_and_looking_again_adds_nothing() -> None:
    line = timeline()
    line.run_until([OnPreemption()])
    seen = line.series.overview(20)
    line.rewind(5)
    line.step(5)
    assert line.series.overview(20) == seen


def test_points_are_thinned_and_the_ends_stay() -> None:
    with mock.patch("engine.series.MOST", 16):
        line = timeline()
        line.seek(AtPosition(line.position.__class__(500)))
        points = line.series.points()
    assert len(points) <= 17
    assert points[0][0] == 0.0
    clocks = [point[0] for point in points]
    assert clocks == sorted(clocks)
    assert line.series.overview(10).end == line.snapshot().clock


def test_a_point_has_what_the_moment_has() -> None:
    line = timeline()
    line.step(3)
    now = line.snapshot()
    clock, running, waiting, tokens, used = line.series.points()[-1]
    assert clock == now.clock
    assert running == len(now.engines[0].running)
    assert waiting == sum(len(queue.waiting) for queue in now.queues)
    assert now.engines[0].batch is not None
    assert tokens == now.engines[0].batch.tokens
    assert used == tuple(pool.used / pool.cap for pool in now.pools)


def test_steps_back_and_on_again_over_what_was_looked_at_move_no_run_until_it_is_asked_for() -> None:
    line, other = timeline(), timeline()
    looked = []
    for _ in range(12):
        line.step()
        looked.append((line.position, line.snapshot(), line.before(), line.records()))
    run = line.simulation
    for position, snapshot, before, records in reversed(looked[:-1]):
        line.rewind()
        assert (line.position, line.snapshot(), line.before(), line.records()) == (position, snapshot, before, records)
    for position, snapshot, *_ in looked[1:6]:
        line.step()
        assert (line.position, line.snapshot()) == (position, snapshot)
    assert line._run is run
    # asked for the run itself, it is where one looks
    other.step(6)
    assert line.simulation.position == other.position
    assert line.simulation.snapshot() == other.snapshot()
    assert line.report() == other.report()
