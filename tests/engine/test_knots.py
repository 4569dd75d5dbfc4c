"""Who waits for whom, and when a test that fails was last passed, on programs small enough to be worked out."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, event, given, settings

from engine.constants import GROWING, JOINING, QUEUED
from engine.knots import Knot, Link, knots
from engine.passing import NeverPassed, Passed, last_passed, last_served
from engine.replay import steps
from engine.simulation import Simulation
from engine.snapshot import Position, Who
from engine.targets import AtTime
from engine.timeline import Timeline
from engine.why import ask, why
from grammar import ir
from tests.engine.programs import (
    INF,
    JOIN,
    LIFO,
    Model,
    admit,
    branch,
    ctx,
    decode,
    fork,
    grow,
    hold,
    prefill,
    put,
    run,
    serve,
    when,
)
from tests.engine.strategies import programs


def at(program: ir.Program, time: float) -> Timeline:
    timeline = Timeline(Simulation(program))
    timeline.seek(AtTime(time))
    return timeline


def crossed(*, more: float = 0.0, lease: float | None = None) -> Model:
    """r0 takes 8 of a, then 4 of b; r1 takes 8 of b, then 4 of a; a second lies between."""
    m = Model()
    a, b = m.pool("a", 8 + more), m.pool("b", 8)
    work = m.delay("work")
    first = m.size("first")
    m.sessions([first], [1.0], [0.0])
    one = hold((a, 8), body=[run(work, 1), hold((b, 4), body=[run(work, 1)])])
    other = hold((b, 8), body=[run(work, 1), hold((a, 4), body=[run(work, 1)])])
    m.session(branch(first, [one], [other]))
    return m


def test_two_that_hold_what_the_other_waits_for_are_a_knot() -> None:
    state = at(crossed().build(), 5).simulation.state
    assert knots(state) == (
        Knot(
            (
                Link(Who(0), "room", 1, 4, 0, Who(1), 8),
                Link(Who(1), "room", 0, 4, 0, Who(0), 8),
            ),
            moving=False,
            behind=(),
        ),
    )


def test_there_is_no_knot_before_both_wait_nor_where_one_of_them_has_room() -> None:
    assert knots(at(crossed().build(), 0.5).simulation.state) == ()
    assert knots(at(crossed(more=4).build(), 5).simulation.state) == ()


def test_who_waits_behind_one_of_a_knot_is_told_beside_it() -> None:
    m = crossed()
    m.sessions([m.size("unread")], [0.0])
    first = ir.Attr(len(m.build().attrs) - 2)
    m.arrive(ir.Sessions(tuple(ir.Preset(((first.slot, x),)) for x in (1.0, 0.0, 0.0))))
    # r2 asks for 8 of b, which r1 holds, and r0 comes after it with its 4.
    (knot,) = knots(at(m.build(), 5).simulation.state)
    assert [link.who for link in knot.links] == [Who(0), Who(1)]
    assert knot.behind == (Who(2),)


def test_two_growths_that_wait_for_each_other_are_a_knot() -> None:
    # 4 units each of 8 taken, each asks for one more, and nobody is preempted.
    m = Model()
    a = m.pool("a", 8)
    work = m.delay("work")
    m.batch(2)
    m.session(hold((a, 4), body=[run(work, 1), grow(a, 1)]))
    (knot,) = knots(at(m.build(), 5).simulation.state)
    assert [(link.who, link.waits, link.held_by) for link in knot.links] == [
        (Who(0), "growth", Who(1)),
        (Who(1), "growth", Who(0)),
    ]
    assert knot.links[0].need == 1


def test_who_runs_or_may_be_preempted_ties_no_knot() -> None:
    # The same growths of an engine's requests: the newest gives way.
    m = Model()
    kv = m.pool("kv", 8, preempt=LIFO, admit_via=0)
    llm = m.engine(budget=100, memory=kv)
    m.batch(2)
    m.session(hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, 8, kv)]))
    for time in range(12):
        assert knots(at(m.build(), time).simulation.state) == ()


def test_growths_of_an_engine_that_preempts_nobody_tie_a_knot() -> None:
    # 8 units: 4 each at 0, all taken; the first decodes at 1 s want a fifth each.
    m = Model()
    kv = m.pool("kv", 8, admit_via=0)
    llm = m.engine(budget=100, memory=kv)
    m.batch(2)
    m.session(hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, 8, kv)]))
    (knot,) = knots(at(m.build(), 1).simulation.state)
    assert [(link.who, link.waits, link.pool, link.held_by, link.holds) for link in knot.links] == [
        (Who(0), "growth", 0, Who(1), 4),
        (Who(1), "growth", 0, Who(0), 4),
    ]


def test_a_lease_that_expires_unties_and_one_that_does_not_ties() -> None:
    for seconds, tied in ((3.0, False), (INF, True)):
        m = Model()
        a, b = m.pool("a", 8), m.pool("b", 8)
        work = m.delay("work")
        first = m.size("first")
        m.sessions([first], [1.0], [0.0])
        one = hold((a, 8), lease=(a, seconds), body=[run(work, 1)])
        other = hold((b, 8), body=[run(work, 1), hold((a, 4), body=[])])
        m.session(branch(first, [one, hold((b, 4), body=[])], [other]))
        assert bool(knots(at(m.build(), 2).simulation.state)) is tied


def test_a_session_that_waits_for_a_leg_it_starves_is_a_knot() -> None:
    m = Model()
    a = m.pool("a", 8)
    work = m.delay("work")
    m.batch(1)
    m.session(hold((a, 8), body=[fork([hold((a, 1), body=[run(work, 1)])]), JOIN]))
    (knot,) = knots(at(m.build(), 2).simulation.state)
    assert [(link.who, link.waits, link.held_by) for link in knot.links] == [
        (Who(0), "legs", Who(0, 0)),
        (Who(0, 0), "room", Who(0)),
    ]


few = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


@few
@given(programs())
def test_who_is_in_a_knot_without_moving_needs_never_goes_on(program: ir.Program) -> None:
    simulation = Simulation(program)
    tied: set[Who] = set()
    while not simulation.finished:
        simulation.advance()
        state = simulation.state
        tied |= {link.who for knot in knots(state) if not knot.moving for link in knot.links}
        assert all(state.sessions[who.serial].status in (QUEUED, GROWING, JOINING) for who in tied)
    event("a knot" if tied else "none")


# --------------------------------------------------------------------------- last passed


def latched() -> Model:
    """After the first admission a register shuts the gate; r0 decodes 4 tokens and r1 waits."""
    m = Model()
    open_ = m.register("open", 1)
    seats = m.pool("seats", 4, admit_via=0)
    body = [serve(), when(open_.equals(1), [admit()]), put(open_, 0 + 0 * ctx("Nres"))]
    llm = m.engine(budget=100, body=body)
    arrive, at_ = m.delay("arrive"), m.size("at")
    m.sessions([at_], [0.0], [2.5])
    m.session(run(arrive, at_), hold((seats, 1), body=[prefill(llm, 4), decode(llm, 3)]))
    return m


def asked(timeline: Timeline, who: Who) -> Passed | NeverPassed | None:
    question = ask(timeline.past, who)
    assert question is not None
    return last_passed(timeline.past, why(timeline.past, question))


def test_a_guard_that_shuts_was_last_passed_where_it_was_read_open() -> None:
    # The first attempt, at the start as a delay of 0 is over at once, read the register as it began; all later ones read 0.
    passed = asked(at(latched().build(), 10), Who(1))
    assert passed == Passed(Position(0, 1), 0.0, 1, None)


def test_a_pool_was_last_passed_where_somebody_got_room_in_it() -> None:
    # One seat, three requests of 4 iterations: at 5 s r1 has had it since 4 s, and r2 waits.
    m = Model()
    seats = m.pool("seats", 1, admit_via=0)
    llm = m.engine(budget=100)
    m.batch(3)
    m.session(hold((seats, 1), body=[prefill(llm, 4), decode(llm, 3)]))
    timeline = at(m.build(), 5)
    passed = asked(timeline, Who(2))
    assert isinstance(passed, Passed)
    assert (passed.who, passed.time, passed.iteration) == (Who(1), 4, 5)
    # It leads there: one small step before, r1 still waits.
    before = timeline.past.before(passed.position)
    assert before is not None
    assert before.state.sessions[1].pending is not None
    assert timeline.past.at(passed.position).state.sessions[1].pending is None


def test_a_guard_that_was_always_shut_was_never_passed() -> None:
    m = Model()
    seats = m.pool("seats", 4, admit_via=0)
    llm = m.engine(budget=100, body=[serve(), when(ctx("Nres") > 5, [admit()])])
    m.batch(1)
    m.session(hold((seats, 1), body=[prefill(llm, 4)]))
    assert asked(at(m.build(), 1), Who(0)) == NeverPassed(None)


def test_it_is_looked_back_no_further_than_told() -> None:
    m = Model()
    seats = m.pool("seats", 1, admit_via=0)
    llm = m.engine(budget=100)
    m.batch(2)
    m.session(hold((seats, 1), body=[prefill(llm, 4), decode(llm, 3000)]))
    timeline = at(m.build(horizon=2900), 2900)
    question = ask(timeline.past, Who(1))
    assert question is not None
    near = last_passed(timeline.past, why(timeline.past, question), far=100)
    assert isinstance(near, NeverPassed)
    assert near.since is not None
    far = last_passed(timeline.past, why(timeline.past, question))
    assert isinstance(far, Passed)
    assert (far.who, far.iteration) == (Who(0), 1)


def test_who_runs_without_tokens_was_last_served_where_it_had_some() -> None:
    # 4 units each of 8: both have their prompt at 0 and grow no more.
    m = Model()
    kv = m.pool("kv", 8, admit_via=0)
    llm = m.engine(budget=100, memory=kv)
    m.batch(2)
    m.session(hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, 8, kv)]))
    served = last_served(at(m.build(), 50).past, Who(1), 0)
    assert isinstance(served, Passed)
    assert (served.time, served.iteration) == (0, 1)


@pytest.mark.parametrize("time", [0.0, 3.0, 7.0])
def test_looking_changes_nothing(time: float) -> None:
    timeline = at(latched().build(), time)
    before = timeline.snapshot()
    knots(timeline.simulation.state)
    if any(queue.waiting for queue in before.queues):
        asked(timeline, Who(1))
    assert timeline.snapshot() == before
    for _ in steps(timeline.past.now.clone(), Position(100)):
        pass
    assert timeline.snapshot() == before
