"""Failures of schedules, holds, legs and whole runs, and what is left of a failed run (R10.10 to R10.16)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.simulation import Simulation
from engine.snapshot import Who
from grammar import ir
from tests.engine.programs import (
    INF,
    JOIN,
    Model,
    admit,
    assign,
    branch,
    call,
    ctx,
    decode,
    fork,
    grow,
    hold,
    load,
    prefill,
    put,
    run,
    serial,
    serve,
    shrink,
    when,
)
from tests.engine.watching import failed, finished

# --------------------------------------------------------------------------- schedules


def _body_fails(body: list[Any], registers: int = 0) -> Any:
    m = Model()
    r = [m.register(f"r{i}") for i in range(registers)]
    seats = m.pool("seats", 1, admit_via=0)
    llm = m.engine(body=[item(*r) if callable(item) else item for item in body])
    m.session(hold((seats, 1), body=[prefill(llm, 1)]))
    failure = failed(m.build()).failure
    assert failure is not None
    return failure


def test_a_branch_of_a_schedule_takes_zero_or_one() -> None:
    """R10.10: the schedule statement is named by its path."""
    failure = _body_fails([serve(), when(ctx("Nres") - 1, [admit()], [admit()])])
    assert "the condition of a branch of engine llm is -1: it must be 0 or 1" in failure.message
    assert (failure.schedule, failure.stage) == ((0, (1,)), 0)


def test_a_gate_takes_zero_or_one() -> None:
    """R10.10."""
    failure = _body_fails([serve(), when(1, [serve(), admit(gate=ctx("Nres") + 2)])])
    assert "of an admit waiting of engine llm is 2" in failure.message
    assert failure.schedule == (0, (1, 0, 1))


def test_a_register_is_finite() -> None:
    """R10.11."""
    failure = _body_fails([lambda r: put(r, 1 / r), admit()], registers=1)
    assert "register r0 of engine llm is set to inf: it must be finite" in failure.message
    assert failure.schedule == (0, (0,))


# --------------------------------------------------------------------------- holds and legs


def test_a_load_stays_within_the_allocation() -> None:
    """R10.12: 3 + 2 of 4; 3 + 1 fits."""
    m = Model()
    kv = m.pool("kv", 10)
    m.session(hold((kv, 4), body=[load(kv, 3), load(kv, 1)]), hold((kv, 4), body=[load(kv, 3), load(kv, 2)]))
    failure = failed(m.build()).failure
    assert failure is not None
    assert "a load of 2 into kv goes past what is allocated: 4 allocated, 3 computed" in failure.message
    assert failure.statement == (4, 1)


def test_a_prefix_longer_than_its_hold_is_past_the_allocation() -> None:
    """R10.12, measured: 8 found by a hold of 4: position 8, and a load of nothing fails."""
    m = Model()
    kv = m.pool("kv", 10)
    m.session(hold((kv, 8), cache=8), hold((kv, 4), cache=8, body=[load(kv, 0)]))
    assert "4 allocated, 8 computed" in failed(m.build()).failure.message  # type: ignore[union-attr]


def test_a_session_does_not_end_before_its_legs() -> None:
    """R10.13."""
    m = Model()
    dl = m.delay()
    m.session(fork([run(dl, 5)]), fork([run(dl, 1)]), run(dl, 2), branch(serial, [JOIN]))
    failure = failed(m.build()).failure
    assert failure is not None
    assert "session 0 ends at 2 while 1 of its legs still run" in failure.message


@pytest.mark.parametrize("what", ["grow", "load", "shrink", "decode"])
def test_what_is_not_held_cannot_grow(what: str) -> None:
    """R10.14: validation refuses such programs; the kernel says so too rather than go wrong."""
    m = Model()
    kv = m.pool("kv", 10)
    llm = m.engine(memory=kv)
    m.session({"grow": grow(kv, 1), "load": load(kv, 0), "shrink": shrink(kv, 1), "decode": decode(llm, 1, kv)}[what])
    assert "kv outside a hold of it" in failed(m.build()).failure.message  # type: ignore[union-attr]


# --------------------------------------------------------------------------- finite runs


@pytest.mark.parametrize(
    ("horizon", "warmup", "part"),
    [
        (3, 0, "2 of 3 sessions arrived by the horizon 3"),
        (4.2, 0, "1 of 3 sessions have not ended by the horizon 4.2"),
        (100, 5, "the run drained at 5, within its warm-up of 5"),
    ],
)
def test_a_finite_run_has_all_arrivals_drains_and_outlasts_its_warm_up(horizon: float, warmup: float, part: str) -> None:
    """R2.5, R10.15: three arrivals at 1.5, 3 and 4.5 … by gaps of 1.5: the last of half a second."""
    m = Model()
    m.arrive(ir.Renewal(ir.Num(1.5)))
    m.session(run(m.delay(), 0.5))
    program = m.build(horizon, warmup=float(warmup), arrivals=3)
    if horizon == 4.2:
        m.arrive(ir.Renewal(ir.Num(1.4)))
        program = m.build(horizon, arrivals=3)
    failure = failed(program).failure
    assert failure is not None
    assert failure.message == part


# --------------------------------------------------------------------------- waiting for each other


def test_sessions_that_only_wait_for_each_other_fail_the_run_when_one_joins() -> None:
    """R10.16: the session holds all of mem and joins a leg that waits for mem."""
    m = Model()
    mem = m.pool("mem", 1)
    dl = m.delay()
    m.session(hold((mem, 1), body=[run(dl, 1)], lease=(mem, INF)), fork([hold((mem, 1), body=[run(dl, 1)])]), JOIN)
    failure = failed(m.build()).failure
    assert failure is not None
    assert "r0 waits for its legs" in failure.message
    assert "r0/0 waits at mem" in failure.message


def _knot(lease: float, *, other: bool = False, room: float = 1) -> Simulation:
    m = Model()
    mem = m.pool("mem", room)
    dl = m.delay()
    m.batch(2 if other else 1)
    leg = fork([hold((mem, 1), body=[run(dl, 1)])])
    waits = [hold((mem, 1), lease=(mem, lease)), leg, JOIN]
    m.session(branch(serial.equals(0), waits, [hold((mem, 1), body=[run(dl, 500)])]))
    simulation = Simulation(m.build(100))
    simulation.run()
    simulation.close()
    return simulation


def test_a_finite_lease_opens_the_knot_after_the_horizon() -> None:
    """R10.16: it expires at 200; the run ends at 100."""
    assert _knot(200).failure is None
    assert _knot(INF).failure is not None


def test_a_holder_at_work_opens_the_knot() -> None:
    """R10.16: session 1 holds one of two until 500."""
    assert _knot(INF, other=True, room=2).failure is None


def test_a_leg_at_work_opens_the_join() -> None:
    """R10.16: the session joins a leg that works until 500."""
    m = Model()
    dl = m.delay()
    m.session(fork([run(dl, 500)]), JOIN)
    assert finished(m.build(100)).failure is None


def test_a_cycle_of_queues_alone_is_no_failure() -> None:
    """R10.16: two sessions hold one pool each and wait for the other's."""
    m = Model()
    a, b = m.pool("a", 1), m.pool("b", 1)
    dl = m.delay()
    m.batch(2)
    crossed = [hold((x, 1), body=[run(dl, 1), hold((y, 1), body=[run(dl, 1)])]) for x, y in ((a, b), (b, a))]
    m.session(branch(serial.equals(0), [crossed[0]], [crossed[1]]))
    assert finished(m.build(100)).report()["ended"] == 0


# --------------------------------------------------------------------------- what is left of a failed run


def test_a_failed_run_is_finished_and_stays_to_be_looked_at() -> None:
    """R2.3: the state is that of the moment; the report is that of a run that ended there."""
    m = Model()
    x = m.value("x")
    kv = m.pool("kv", 10)
    q = m.fifo("q")
    m.session(hold((kv, 4), body=[run(q, 3), assign(x, -1), run(q, x)]))
    simulation = failed(m.build())
    snapshot = simulation.snapshot()
    assert (snapshot.finished, snapshot.clock, snapshot.failure) == (True, 3, simulation.failure)
    assert snapshot.pools[0].used == 4
    assert simulation.report()["end"] == 3
    at = simulation.position
    assert not simulation.step()
    simulation.run()
    assert simulation.position == at


def test_the_failure_of_a_leg_names_the_leg() -> None:
    m = Model()
    x = m.value("x")
    q = m.fifo("q")
    m.session(fork([run(q, 1)]), fork([assign(x, -1), run(q, x)]), JOIN)
    assert failed(m.build()).failure.who == Who(0, 1)  # type: ignore[union-attr]


def test_the_failure_of_an_init_block_names_its_statement() -> None:
    m = Model()
    x = m.size("x")
    mem = m.pool("mem", 1, members=2)
    m.init(assign(x, 3), assign(x, call("Used", mem[x])))
    m.session(hold((mem[0], 1)))
    failure = failed(m.build()).failure
    assert failure is not None
    assert (failure.statement, failure.who) == ((0, 1), Who(0))
