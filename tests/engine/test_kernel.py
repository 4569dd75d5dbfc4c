"""The event loop: order of events, settling, and walking a run step by step (R2)."""

from __future__ import annotations

import pytest

from engine.simulation import Simulation
from engine.snapshot import Position
from grammar import ir
from tests.engine.programs import INF, Model, branch, call, decode, grow, hold, now, prefill, run, serial
from tests.engine.requests import Serving
from tests.engine.watching import finished, report, samples, starts, values

# --------------------------------------------------------------------------- events


def test_events_of_one_time_happen_in_the_order_they_were_scheduled() -> None:
    """R2.1: session 1's end, scheduled at 1 for 3, comes after session 0's, scheduled at 0 for 3."""
    m = Model()
    dl = m.delay()
    m.batch(3)
    m.session(branch(serial.equals(0), [run(dl, 3)], [run(dl, serial), run(dl, 3 - serial)]), m.observe("done", serial))
    assert values(m.build(), "done") == [0, 1, 2]


def test_an_event_at_the_horizon_happens_and_one_after_it_does_not() -> None:
    """R2.3b."""
    m = Model()
    dl = m.delay()
    m.session(run(dl, 5), m.observe("x", now), run(dl, 1e-9), m.observe("x", now))
    assert values(m.build(5), "x") == [5]


def test_the_clock_of_a_run_ends_at_its_horizon() -> None:
    """R2.3: also when the last event was long before; without an end it stays at the last event."""
    m = Model()
    m.session(run(m.delay(), 5))
    assert report(m.build(80))["end"] == 80
    simulation = Simulation(m.build(80), horizon=INF)
    simulation.run()
    assert simulation.report()["end"] == 5


def test_a_session_admitted_by_a_release_runs_when_the_releasing_one_has_come_to_rest() -> None:
    """R2.6 1a, R4.9.4: at 2 session 0's release admits session 1; session 0 goes on to its next wait first."""
    m = Model()
    mem = m.pool("mem", 1)
    dl = m.delay()
    m.batch(2)
    m.session(
        hold((mem, 1), body=[m.observe("in", serial), run(dl, 2)]), m.observe("out", serial), m.observe("used", call("Used", mem))
    )
    simulation = finished(m.build())
    assert samples(simulation, "used")[0] == (2, 0, 0, 1)
    assert [s[:2] for s in samples(simulation, "in")] == [(0, 0), (2, 1)]


def test_an_engine_starts_with_the_last_event_of_an_instant() -> None:
    """R2.6 2, R2.7: two requests come at 1 by two events: one iteration serves both."""
    s = Serving(((1, 2, 0), (1, 3, 0)))
    assert starts(s.build(s.engine()))[0] == (1, "s0:p 2, s1:p 3")


def test_the_attempts_of_an_instant_are_made_in_stage_order_once_each() -> None:
    """R2.6 2: an attempt of engine 1 admits a session that works at engine 0, whose turn is over: it starts with the next event.

    At 0 the session holds a seat of engine 1 and prefills at engine 0: nothing starts at 0. The other
    session's event of 3 lets engine 0 attempt.
    """
    m = Model()
    seats = m.pool("seats", 9, admit_via=1)
    first, second = m.engine("first"), m.engine("second")
    dl = m.delay()
    m.batch(2)
    m.session(branch(serial.equals(0), [hold((seats, 1), body=[prefill(first, 1), prefill(second, 1)])], [run(dl, 3)]))
    assert starts(m.build()) == [(3, "s0:p 1"), (4, "s0:p 1")]


def test_a_later_engine_sees_what_an_earlier_attempt_of_the_instant_did() -> None:
    """R2.6 2: engine 0 admits a session that works at engine 1, which attempts after it in the same settling."""
    m = Model()
    seats = m.pool("seats", 9, admit_via=0)
    first, second = m.engine("first"), m.engine("second")
    m.session(hold((seats, 1), body=[prefill(second, 1), prefill(first, 1)]))
    assert starts(m.build()) == [(0, "s0:p 1"), (1, "s0:p 1")]


def test_everything_of_an_instant_is_recorded_once_it_has_settled() -> None:
    """R9.3: at 2 a unit is given back and taken again: the average never sees the gap, the queue's length neither."""
    m = Model()
    mem = m.pool("mem", 1)
    m.batch(2)
    m.session(hold((mem, 1), body=[run(m.delay(), 2)]))
    pool = report(m.build(4))["pools"][0]
    assert (pool["mean_used"], pool["mean_queue"], pool["mean_holders"]) == (1, 0.5, 1)


def test_a_growth_is_retried_when_any_pool_gets_units_back() -> None:
    """R3.1, R2.6 1b: the end of a hold of `other` retries the growers of all pools; that of `mem` at 2 lets the growth in."""
    m = Model()
    mem, other = m.pool("mem", 4), m.pool("other", 4)
    dl = m.delay()
    m.batch(3)
    growing = [hold((mem, 2), body=[grow(mem, 1), m.observe("grown", now)])]
    frees = [hold((mem, 2), body=[run(dl, 2)])]
    m.session(branch(serial.equals(0), growing, [branch(serial.equals(1), frees, [hold((other, 1), body=[run(dl, 1)])])]))
    assert values(m.build(), "grown") == [2]


# --------------------------------------------------------------------------- walking


def _walked() -> ir.Program:
    s = Serving(((0, 4, 2), (1.5, 2, 1)))
    s.seats()
    return s.build(s.engine(budget=4), 20)


def test_small_steps_lead_where_the_run_leads() -> None:
    """Events and attempts one by one leave what a run in one go leaves."""
    walked = Simulation(_walked())
    while not walked.finished:
        walked.advance()
    assert walked.result() == finished(_walked()).result()


def test_a_position_counts_the_events_and_within_one_the_attempts() -> None:
    """By hand: no attempt at the start, as requests come by events of their own; then one attempt an event.

    Events: 0 (the run of no work is no event): the seat of request 0 is asked for at 0, so the start settles
    with an attempt; iterations end at 1, 2 and 3, the other request comes at 1.5, its own end at 3 and 4.
    """
    simulation = Simulation(_walked())
    positions = []
    while not simulation.finished:
        simulation.advance()
        positions.append((str(simulation.position), simulation.clock, simulation.attempted))
    assert positions == [
        ("@0", 0, None),
        ("@0.1", 0, 0),
        ("@1", 1, None),
        ("@1.1", 1, 0),
        ("@2", 1.5, None),
        ("@3", 2, None),
        ("@3.1", 2, 0),
        ("@4", 3, None),
        ("@4.1", 3, 0),
        ("@5", 4, None),
    ]
    assert Position(3) < Position(3, 1) < Position(4)


def test_a_step_leads_to_the_next_attempt_of_any_or_of_one_engine() -> None:
    m = Model()
    a, b = m.engine("a"), m.engine("b")
    m.batch(2)
    m.session(branch(serial.equals(0), [prefill(a, 1), decode(a, 3)], [prefill(b, 1), decode(b, 2)]))
    simulation = Simulation(m.build())
    assert simulation.step()
    assert (simulation.attempted, str(simulation.position)) == (0, "@0.1")
    assert simulation.step(engine=1)
    assert (simulation.attempted, str(simulation.position)) == (1, "@0.2")
    assert simulation.step(engine=1)
    assert simulation.clock == 1
    assert simulation.step(engine=1)
    # Engine 1 has had its three iterations.
    assert not simulation.step(engine=1)
    assert simulation.finished


def test_a_step_by_events_makes_all_attempts_of_the_event() -> None:
    m = Model()
    a, b = m.engine("a"), m.engine("b")
    m.batch(2)
    m.session(branch(serial.equals(0), [prefill(a, 1)], [prefill(b, 1)]))
    simulation = Simulation(m.build())
    simulation.step_event()
    assert (str(simulation.position), simulation.next_time()) == ("@0.2", 1)
    for _ in range(5):
        simulation.step_event()
    assert str(simulation.position) == "@2"
    assert simulation.next_time() == INF


def test_between_two_attempts_the_next_step_is_now() -> None:
    m = Model()
    a, b = m.engine("a"), m.engine("b")
    m.batch(2)
    m.session(branch(serial.equals(0), [prefill(a, 1)], [prefill(b, 1)]))
    simulation = Simulation(m.build())
    simulation.advance()
    simulation.advance()
    assert (str(simulation.position), simulation.next_time()) == ("@0.1", 0)


def test_a_report_of_a_moment_is_that_of_a_run_that_ends_there() -> None:
    """R2.3: at 2 one request has 4 tokens of prefill and a decode behind it; nothing of the run is touched by asking."""
    simulation = Simulation(_walked())
    while simulation.clock < 2:
        simulation.step_event()
    before = simulation.snapshot()
    partial = simulation.report()
    assert (partial["end"], partial["horizon"], partial["events"]) == (2, 2, 3)
    cut = Simulation(_walked(), horizon=2.0)
    cut.run()
    assert partial == cut.report()
    assert simulation.snapshot() == before


def test_a_run_that_is_finished_stays_where_it_is() -> None:
    simulation = finished(_walked())
    at = simulation.position
    simulation.run()
    simulation.step_event()
    assert not simulation.step()
    assert simulation.position == at


@pytest.mark.parametrize(
    ("setting", "value", "field"), [("seed", 9, "seed"), ("horizon", 3.0, "horizon"), ("warmup", 1.0, "warmup")]
)
def test_a_setting_replaces_the_one_of_the_program(setting: str, value: float, field: str) -> None:
    simulation = Simulation(_walked(), **{setting: value})  # type: ignore[arg-type]
    simulation.run()
    assert simulation.report()[setting] == value


def test_a_number_of_arrivals_may_be_given_to_a_run() -> None:
    """R2.5."""
    m = Model()
    m.arrive(ir.Poisson(1.0))
    m.session(m.observe("at", now), run(m.delay(), 1))
    simulation = Simulation(m.build(1000), arrivals=4)
    simulation.run()
    simulation.close()
    assert simulation.failure is None
    assert len(samples(simulation, "at")) == 4
