"""What is said of a preemption, on programs worked out by hand."""

from __future__ import annotations

from engine.autopsy import autopsy
from engine.simulation import Simulation
from engine.snapshot import Position, Who
from engine.timeline import Timeline
from grammar import ir
from tests.engine.programs import LIFO, Model, computed, decode, hold, maximum, prefill


def two(cap: float = 8) -> ir.Program:
    """r0 and r1 take 4 units each and grow by one a second; with 8 units r0's first decode preempts r1."""
    m = Model()
    kv = m.pool("kv", cap, preempt=LIFO, admit_via=0)
    llm = m.engine(budget=100, memory=kv)
    m.batch(2)
    m.session(hold((kv, maximum(4, computed)), body=[prefill(llm, maximum(4, computed), kv), decode(llm, 3, kv)]))
    return m.build()


def at_first_preemption(program: ir.Program) -> Timeline:
    timeline = Timeline(Simulation(program))
    while not sum(pool.preemptions for pool in timeline.snapshot().pools):
        timeline.step()
    return timeline


def test_it_says_who_grew_by_how_much_what_was_free_and_how_the_candidates_ranked() -> None:
    timeline = at_first_preemption(two())
    found = autopsy(timeline.past, timeline.position)
    assert found is not None
    record = found.record
    assert (record.who, record.grower, record.need, record.free) == (Who(1), Who(0), 1, 0)
    # lifo: the latest admission first; its key is minus its place in the order of admissions
    assert record.candidates == ((Who(1), (-1.0,)), (Who(0), (-0.0,)))
    assert (record.position, found.kept, found.lost, found.own) == (4, 0, 4, False)


def test_it_says_what_the_way_back_cost() -> None:
    timeline = at_first_preemption(two())
    found = autopsy(timeline.past, timeline.position)
    assert found is not None
    assert found.cost is not None
    # r0 decodes at 1, 2 and 3 s and ends at 4; the four tokens are computed again in one iteration of 1 s.
    assert (found.cost.resumed, found.cost.recomputed, found.cost.seconds, found.cost.done) == (4, 4, 1, True)
    timeline.step(20)
    run = timeline.past.at(found.cost.resumed_at)
    assert Who(1) in [request.who for request in run.snapshot().engines[0].running]


def test_a_cost_beyond_what_is_looked_at_is_not_made_up() -> None:
    timeline = at_first_preemption(two())
    found = autopsy(timeline.past, timeline.position, ahead=1)
    assert found is not None
    assert found.cost is None


def test_no_preemption_no_autopsy_and_the_run_stays_where_it_is() -> None:
    timeline = at_first_preemption(two())
    before = timeline.snapshot()
    assert autopsy(timeline.past, timeline.position, Who(0)) is None
    assert autopsy(timeline.past, Position(0)) is None
    assert timeline.snapshot() == before
