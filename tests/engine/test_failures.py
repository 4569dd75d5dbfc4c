"""Amounts, indices, guards and time: how a program's own failure stops its run (R10.1 to R10.9).

That the reference fails on each of these programs was checked on pyserq 0.1.6.
"""

from __future__ import annotations

from typing import Any

import pytest

from engine.simulation import Simulation
from engine.snapshot import Who
from grammar import ir
from tests.engine.programs import (
    INF,
    Model,
    Number,
    assign,
    branch,
    call,
    choose,
    grow,
    hold,
    load,
    now,
    prefill,
    repeat,
    run,
    sample,
    serial,
    shrink,
    where,
)
from tests.engine.watching import failed, finished


def minus(m: Model, value: Number = -1) -> tuple[Any, Any]:
    """An attribute that is negative when it runs, and the statement that makes it so."""
    x = m.value("x")
    return x, assign(x, value)


NAN = call("Ln", -1)

# --------------------------------------------------------------------------- amounts, indices, guards


@pytest.mark.parametrize(
    ("what", "value"),
    [
        *((what, value) for what in ("run", "hold", "reserve", "grow", "shrink") for value in (-1, -2e-9, NAN)),
        # Tokens are whole, so these two can only be -1, -2 …
        *(("load", -1), ("prefill", -1)),
    ],
)
def test_an_amount_is_a_number_that_is_not_negative(what: str, value: Number) -> None:
    """R10.3, R1.3: the session and the statement at fault are named."""
    m = Model()
    x, set_x = minus(m, value)
    kv = m.pool("kv", 10)
    q, llm = m.fifo("q"), m.engine()
    inside = {"grow": grow(kv, x), "load": load(kv, x), "shrink": shrink(kv, x)}
    at_fault = {
        "run": run(q, x),
        "hold": hold((kv, x), body=[run(q, 1)]),
        "reserve": hold((kv, 1, x), body=[run(q, 1)]),
        "prefill": prefill(llm, x),
    }
    body = [hold((kv, 4), body=[run(q, 0), inside[what]])] if what in inside else [at_fault[what]]
    m.batch(1)
    m.session(set_x, run(q, 2), *body, prefill(llm, 1))
    failure = failed(m.build()).failure
    assert failure is not None
    assert "an amount is a number that is not negative" in failure.message
    assert (failure.time, failure.who) == (2, Who(0))
    # The session's block is the third; its holds' bodies come behind it.
    assert failure.statement == ((3, 1) if what in inside else (2, 2))


def test_an_amount_read_again_at_an_admission_names_its_hold() -> None:
    """R10.3: units of 1 - now: 1 at the statement, -1 when the room is there at 2."""
    m = Model()
    kv = m.pool("kv", 1)
    dl = m.delay()
    m.batch(2)
    m.session(hold((kv, where(serial.equals(0), 1, 1 - now)), body=[run(dl, 2)]))
    failure = failed(m.build()).failure
    assert failure is not None
    assert "-1" in failure.message
    assert (failure.time, failure.who, failure.statement) == (2, Who(1), (2, 0))


@pytest.mark.parametrize("index", [-1, 2, 0.5, NAN])
def test_an_index_is_a_whole_number_of_a_member(index: Number) -> None:
    """R10.4."""
    m = Model()
    x, set_x = minus(m, index)
    q = m.fifo("q", members=2)
    m.session(set_x, run(q[x], 1))
    failure = failed(m.build()).failure
    assert failure is not None
    assert "it must be a whole number from 0 to 1" in failure.message
    assert failure.statement == (2, 1)


def test_a_hold_names_no_pool_twice() -> None:
    """R10.5: two members of an array that turn out to be one."""
    m = Model()
    kv = m.pool("kv", 10, members=3)
    x = m.value("x")
    m.session(assign(x, 2), hold((kv[x], 1), (kv[2], 1)))
    failure = failed(m.build()).failure
    assert failure is not None
    assert "kv[2] twice" in failure.message


@pytest.mark.parametrize("value", [2, 0.5, -1, NAN])
@pytest.mark.parametrize("what", ["branch", "while"])
def test_a_guard_is_zero_or_one(what: str, value: Number) -> None:
    """R10.6."""
    m = Model()
    x, set_x = minus(m, value)
    dl = m.delay()
    m.session(set_x, branch(x, [run(dl, 1)]) if what == "branch" else repeat(x, [run(dl, 1)]))
    failure = failed(m.build()).failure
    assert failure is not None
    assert f"the condition of a {what}" in failure.message
    assert "it must be 0 or 1" in failure.message
    assert failure.statement == (2, 1)


@pytest.mark.parametrize("count", [-1, 1.5, NAN, INF])
def test_a_choose_counts_whole_numbers(count: Number) -> None:
    """R10.7; infinitely many are none either."""
    m = Model()
    j = m.value("j")
    x, set_x = minus(m, 1 / (serial * 0) if count == INF else count)
    m.session(set_x, choose(j, x, j))
    failure = failed(m.build()).failure
    assert failure is not None
    assert "count of a choose" in failure.message


# --------------------------------------------------------------------------- time that does not pass


def test_a_gap_between_arrivals_is_finite_and_above_zero() -> None:
    """R10.8: drawn as 0."""
    for gap in (sample("Det", 1) - 1, sample("Det", 1) / 0):
        m = Model()
        m.arrive(ir.Renewal(gap.node))
        m.session(m.observe("x", 1))
        failure = failed(m.build()).failure
        assert failure is not None
        assert "a gap between arrivals is" in failure.message


def test_an_execution_may_last_a_million_rounds_and_no_more() -> None:
    """R10.1, R3.1, measured with straight blocks of 999 998 and 999 999 assignments, which is slow; here with a while.

    A pass is 3 rounds (the guard, the assignment, the end of the block); besides them the last guard, the end of
    the session's block, the end of the session, and what stands before: 3 * 333 332 + 3 + 1 rounds pass.
    """
    for before, passes in ((1, True), (2, False)):
        m = Model()
        k = m.value("k")
        m.session(*([assign(k, 0)] * before), repeat(k < 333_332, [assign(k, k + 1)]))
        simulation = Simulation(m.build())
        simulation.run()
        assert (simulation.failure is None) == passes
        if simulation.failure is not None:
            assert "does not come to rest" in simulation.failure.message
            assert "1000000" in simulation.failure.message


def test_a_session_may_be_ready_a_thousand_times_at_one_instant() -> None:
    """R10.2, R2.8, measured: with its first readiness and one admission 998 runs of no work pass, 999 do not."""
    for count, passes in ((998, True), (999, False)):
        m = Model()
        mem = m.pool("mem", 1)
        q = m.fifo("q")
        m.session(hold((mem, 1), body=[run(q, 0)] * count))
        simulation = Simulation(m.build())
        simulation.run()
        assert (simulation.failure is None) == passes
        if not passes:
            assert "never passes" in simulation.failure.message
            assert simulation.failure.who == Who(0)


def test_a_new_instant_counts_readiness_anew() -> None:
    """R2.8."""
    m = Model()
    q = m.fifo("q")
    m.session(*([run(q, 0)] * 900), run(q, 1), *([run(q, 0)] * 900))
    assert finished(m.build()).report()["ended"] == 1


def test_inside_an_attempt_readiness_is_not_counted() -> None:
    """R2.8, measured: 3000 runs of no work after an admission by an engine."""
    m = Model()
    seats = m.pool("seats", 1, admit_via=0)
    llm = m.engine()
    q = m.fifo("q")
    m.session(hold((seats, 1), body=[*([run(q, 0)] * 3000), prefill(llm, 1)]))
    assert finished(m.build()).report()["ended"] == 1


@pytest.mark.parametrize("cost", [0, -1, NAN])
def test_an_iteration_with_tokens_takes_time(cost: Number) -> None:
    """R10.9, R6.3.6: a NaN counts as 0; the engine is named."""
    m = Model()
    llm = m.engine(cost=cost)
    dl = m.delay()
    m.session(run(dl, 1), prefill(llm, 3))
    failure = failed(m.build()).failure
    assert failure is not None
    assert "an iteration of engine llm with 3 tokens lasts 0" in failure.message
    assert (failure.time, failure.stage) == (1, 0)
