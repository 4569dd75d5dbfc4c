"""Queues that are admitted from at the multiples of a period. All numbers are measured on the reference, IR 14."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.simulation import Simulation
from engine.ticks import next_tick
from grammar import ir
from tests.engine.programs import Model, Number, PoolOf, branch, call, grow, hold, minimum, now, run, serial, where
from tests.engine.watching import check_clones, finished, samples


def every(program: ir.Program, *periods: float | None) -> ir.Program:
    """A program whose pools' queues have these periods."""
    return replace(
        program, pools=tuple(replace(pool, queue_every=period) for pool, period in zip(program.pools, periods, strict=False))
    )


def admissions(program: ir.Program) -> list[tuple[float, int]]:
    """(time, session) of the observation ``adm``."""
    return [(t, s) for t, s, *_ in samples(finished(program), "adm")]


def asking(*units: float) -> Any:
    """What session 0, 1, … asks for."""
    chosen: Any = units[-1]
    for k in reversed(range(len(units) - 1)):
        chosen = where(serial.equals(k), units[k], chosen)
    return chosen


def _model(cap: float, units: Number, seconds: Number, sessions: int, queue: list[Number] | None = None) -> Model:
    m = Model()
    pool, s = m.pool("m", cap, queue=queue), m.delay("s")
    m.batch(sessions)
    m.session(hold((pool, units), body=[m.observe("adm", now), run(s, seconds)]), m.observe("at", now))
    return m


def test_a_queue_is_looked_at_only_at_its_ticks() -> None:
    program = every(_model(2, 1, 1, 3).build(20), 2.5)
    assert admissions(program) == [(2.5, 0), (2.5, 1), (5, 2)]
    # Ticks happen while somebody waits: 2.5, 5, and the three finishes.
    assert finished(program).report()["events"] == 5


def test_who_joins_at_a_multiple_without_a_tick_waits_for_the_next() -> None:
    m = Model()
    pool, s, d = m.pool("m", 2), m.delay("s"), m.delay("d")
    m.batch(3)
    m.session(run(d, 2), hold((pool, 1), body=[m.observe("adm", now), run(s, 2)]))
    assert admissions(every(m.build(20), 2.0)) == [(4, 0), (4, 1), (6, 2)]


@pytest.mark.parametrize(
    ("now_", "period", "tick"),
    [
        (0.0, 2.5, 2.5),
        (2.0, 2.0, 4.0),
        (10.5, 2.0, 12.0),
        (4.3, 0.1, 4.4),
        (20.299999999999997, 0.7, 21.0),
        (0.3, 0.1, 0.30000000000000004),
    ],
)
def test_the_next_tick_is_a_multiple_of_the_period(now_: float, period: float, tick: float) -> None:
    """Multiples are products, and one that a rounded quotient reaches already is passed by: 4.3 is 43 times 0.1."""
    assert next_tick(now_, period) == tick


def test_who_does_not_fit_at_a_tick_is_passed_over() -> None:
    program = every(_model(5, asking(3, 3, 3, 1, 1, 1), 1.5 + serial, 6).build(20), 1.0)
    assert admissions(program) == [(1, 0), (1, 3), (1, 4), (3, 1), (6, 2), (6, 5)]
    assert finished(program).report()["events"] == 12


def test_keys_are_read_again_after_every_admission() -> None:
    """The greatest first while nothing is used, then the least: 3, then 0.5 and 1; 2 does not fit in 5."""
    m = Model()
    asks = asking(0.5, 1, 2, 3)
    pool, s = m.pool("m", 5, queue=[where(call("Used", PoolOf(0, 1)) > 0, asks, 0 - asks)]), m.delay("s")
    m.batch(4)
    m.session(hold((pool, asks), body=[m.observe("adm", now), run(s, 1.5)]))
    assert admissions(every(m.build(20), 1.0)) == [(1, 3), (1, 0), (1, 1), (3, 2)]


def test_who_was_passed_over_is_not_tried_again_at_the_same_tick() -> None:
    """Session 0 asks 6 of 5 while nothing is used, and would fit after the first admission."""
    m = Model()
    pool, s = m.pool("m", 5, queue=[serial]), m.delay("s")
    m.batch(4)
    asks = where(serial.equals(0), where(call("Used", pool).equals(0), 6, 1), 1)
    m.session(hold((pool, asks), body=[m.observe("adm", now), run(s, 1.5)]))
    assert admissions(every(m.build(20), 1.0)) == [(1, 1), (1, 2), (1, 3), (2, 0)]


def test_a_tick_sees_everything_of_its_instant() -> None:
    """At 2 session 0 gives 1 unit back and session 1 its 4, in events of their own: who asks 5 fits, not who asks 1."""
    program = every(_model(5, asking(1, 4, 5, 1), 1, 4).build(20), 1.0)
    assert admissions(program) == [(1, 0), (1, 1), (2, 2), (3, 3)]


def test_what_follows_from_an_admission_happens_before_the_next() -> None:
    """A hold of no time gives back what it took, and the next is admitted at the same tick; who joins again waits."""
    m = Model()
    pool, s = m.pool("m", 2), m.delay("s")
    m.batch(4)
    m.session(hold((pool, 1), body=[m.observe("adm", now)]), hold((pool, 1), body=[m.observe("again", now), run(s, 1)]))
    program = every(m.build(20), 1.0)
    assert admissions(program) == [(1, 0), (1, 1), (1, 2), (1, 3)]
    assert [(t, s) for t, s, *_ in samples(finished(program), "again")] == [(2, 0), (2, 1), (3, 2), (3, 3)]


@pytest.mark.parametrize("first", [0, 1])
def test_who_joins_another_ticked_queue_at_a_tick_waits_for_its_next(first: int) -> None:
    m = Model()
    pools = [m.pool("m1", 9), m.pool("m2", 9)]
    s = m.delay("s")
    m.batch(2)
    m.session(hold((pools[first], 1), body=[hold((pools[1 - first], 1), body=[m.observe("adm", now), run(s, 1)])]))
    assert [t for t, _ in admissions(every(m.build(20), 1.0, 1.0))] == [2, 2]


def test_who_loses_a_hold_during_a_tick_and_joins_again_is_still_tried() -> None:
    """Session 0, admitted to p1 at 3, grows p0 and preempts session 1, which enters p0 again and p1 at the same tick."""
    m = Model()
    p0 = m.pool("p0", 2, preempt=[0])
    p1 = m.pool("p1")
    home = m.ps("home", 1)
    m.batch(2)
    m.session(run(home, 1), hold((p0, 1), body=[hold((p1, 1), body=[grow(p0, 1)])]))
    assert finished(every(m.build(3), None, 1.0)).report()["ended"] == 2


def test_a_clone_made_between_ticks_goes_on_alike() -> None:
    check_clones(every(_model(5, minimum(3, 1 + serial), 1.5 + serial, 6, [-serial]).build(20), 0.75))


def test_a_stage_sharing_its_capacity_is_planned_before_a_tick_and_after_it() -> None:
    """The finish planned for the newcomer alone at 4 comes to nothing at 5: an event, as on the reference."""
    m = Model()
    pool, home = m.pool("p0", 8), m.ps("home", 1)
    m.arrive(ir.Closed(2))
    m.session(run(home, 1), branch(serial < 0, []), hold((pool, 8), body=[run(home, 1)]))
    simulation = Simulation(every(m.build(6.1), 1.0))
    times = []
    while not simulation.finished:
        simulation.step_event()
        times.append(simulation.clock)
    assert times == [0, 2, 2, 3, 4, 4, 5, 6, 6]
