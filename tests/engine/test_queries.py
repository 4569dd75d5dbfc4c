"""What expressions read of stages, pools and observations (R7.7 to R7.15)."""

from __future__ import annotations

import pytest

from grammar import ir
from tests.engine.programs import (
    LIFO,
    TURN,
    Model,
    Number,
    Value,
    aggregate,
    assign,
    branch,
    call,
    ctx,
    decode,
    grow,
    hold,
    prefill,
    run,
    serial,
)
from tests.engine.watching import failed, finished, samples, values

NAN = Value(ir.Num(0.0)) / 0.0

# --------------------------------------------------------------------------- what it reads of the state


def test_an_empty_sum_is_minus_zero() -> None:
    """R7.7: work of nobody, allocations of nothing, the total of no values."""
    m = Model()
    q = m.fifo("q")
    kv = m.pool("kv", 10)
    m.session(m.observe("work", call("Work", q)), m.observe("allocated", call("Allocated", kv)), run(q, 1))
    simulation = finished(m.build())
    assert str(samples(simulation, "work")[0][3]) == "-0.0"
    assert str(samples(simulation, "allocated")[0][3]) == "-0.0"


def test_a_fifo_has_jobs_present_jobs_in_service_and_the_work_of_both() -> None:
    """R7.9, R7.10: with jobs of 4, 4, 4 at one server, after 1 second: 3 present, 1 active, 3 + 4 + 4 left."""
    m = Model()
    q = m.fifo("q")
    dl = m.delay()
    w = m.size("w")
    look = [m.observe(name, call(name, q)) for name in ("Queue", "Busy", "Work")]
    m.sessions((w,), (0,), (0,), (0,), (1,))
    m.session(run(dl, w), *look, run(q, 4))
    simulation = finished(m.build())
    at_one = {name: samples(simulation, name)[-1] for name in ("Queue", "Busy", "Work")}
    assert at_one == {"Queue": (1, 3, 0, 3), "Busy": (1, 3, 0, 1), "Work": (1, 3, 0, 11)}


def test_a_delay_and_a_processor_have_everybody_in_service() -> None:
    """R7.9, R7.10: two jobs of 4 after 1 second: 3 + 3 left at a delay; at a processor of capacity 1, 3.5 + 3.5."""
    for declare, left in ((lambda m: m.delay("s"), 6.0), (lambda m: m.ps("s", 1), 7.0)):
        m = Model()
        s = declare(m)
        wait = m.fifo("wait")
        w = m.size("w")
        m.sessions((w,), (0,), (0,), (1,))
        m.session(run(wait, w), m.observe("busy", call("Busy", s)), m.observe("work", call("Work", s)), run(s, 4))
        simulation = finished(m.build())
        assert (samples(simulation, "busy")[-1][3], samples(simulation, "work")[-1][3]) == (2.0, left)


def test_an_engine_is_busy_with_the_batch_it_runs_and_has_the_tokens_left() -> None:
    """R7.9, R7.10: two prefills of 6 under a budget of 8, seen 0.5 s into the second iteration.

    The first gave 6 + 2, so 4 are left, of the second request only; the batch is that one.
    """
    m = Model()
    w = m.size("w")
    llm = m.engine(budget=8)
    dl = m.delay()
    look = [m.observe(name, call(name, llm)) for name in ("Queue", "Busy", "Work")]
    m.sessions((w,), (0,), (0,), (1.5,))
    m.session(run(dl, w), *look, prefill(llm, 6))
    simulation = finished(m.build())
    assert [samples(simulation, name)[-1][3] for name in ("Queue", "Busy", "Work")] == [1.0, 1.0, 4.0]
    assert [samples(simulation, name)[0][3] for name in ("Queue", "Busy")] == [0.0, 0.0]


def test_a_shared_stage_has_what_its_flows_have_left() -> None:
    """R7.10: two flows of 4 at 1 each over a stage of 2, after 1 second: 3 + 3."""
    m = Model()
    w = m.size("w")
    a, b = m.ps("a", 2), m.ps("b", 2)
    dl = m.delay()
    m.sessions((w,), (0,), (0,), (1,))
    m.session(run(dl, w), m.observe("work", call("Work", a)), run(a, 4, also=[b]))
    assert samples(finished(m.build()), "work")[-1][3] == 6.0


def test_a_pool_tells_what_is_used_free_held_and_waited_for() -> None:
    """R7.11: cap 10; sessions 0 and 1 hold 4 and 6, session 2 waits."""
    m = Model()
    u, w = m.size("u"), m.size("w")
    mem = m.pool("mem", 10)
    dl = m.delay()
    names = ("Used", "Free", "Holders", "Queued", "Allocated")
    m.sessions((u, w), (4, 9), (6, 9), (1, 9), (0, 1))
    look = [m.observe(name, call(name, mem)) for name in names]
    m.session(run(dl, 1 - (u > 0)), *look, hold((mem, u), body=[*look, run(dl, w)]))
    simulation = finished(m.build())
    # Session 3 looks at 1 s, from outside.
    outside = [next(s for s in samples(simulation, name) if s[1] == 3)[3] for name in names]
    assert outside == [10.0, 0.0, 2.0, 1.0, -0.0]
    inside = [s[3] for s in samples(simulation, "Allocated") if s[1] == 1]
    assert inside == [-0.0, 6.0]


def test_an_index_chooses_the_member_an_expression_reads() -> None:
    """R7.8: sessions 0 and 1 take 4 of member 1 at once, session 2 when session 0 is through."""
    m = Model()
    mem = m.pool("mem", 10, members=3)
    m.batch(3)
    m.session(hold((mem[1], 4), body=[m.observe("used", call("Used", mem[serial])), m.observe("mid", call("Used", mem[1]))]))
    simulation = finished(m.build())
    assert [s[3] for s in samples(simulation, "used")] == [0.0, 8.0, 0.0]
    assert [s[3] for s in samples(simulation, "mid")] == [8.0, 8.0, 4.0]


@pytest.mark.parametrize("index", [0.5, -1, 3, NAN])
def test_an_index_that_is_no_member_fails_the_run(index: Number) -> None:
    """R7.8, R10.4; also one that is read inside an expression."""
    m = Model()
    k = m.value("k")
    mem = m.pool("mem", 10, members=3)
    m.session(assign(k, index), m.observe("used", call("Used", mem[k])))
    assert "whole number from 0 to 2" in failed(m.build()).failure.message


def test_the_budget_left_is_planned_from_the_wishes_of_the_residents() -> None:
    """R7.12, R6.5: budget 10, chunk 3; a prefill of 8 wants 3 and a decode of 5 wants 1: 6 are left; never below 0."""
    m = Model()
    w = m.size("w")
    b = m.size("b")
    llm = m.engine(budget=10, chunk=3)
    dl = m.delay()
    m.sessions((w, b), (0, 8), (0, 0), (0.5, -1))
    busy = [prefill(llm, b), decode(llm, 5)]
    m.session(run(dl, w), branch(b < 0, [m.observe("left", call("BudgetLeft", llm))], busy))
    assert values(m.build(), "left") == [6.0]


def test_the_budget_left_is_not_below_nothing() -> None:
    """R7.12: a prefill of 25 wants more than the 10 of an iteration: 15 are left to it at 0.5, and nothing to others."""
    m = Model()
    w = m.size("w")
    llm = m.engine(budget=10)
    dl = m.delay()
    m.sessions((w,), (0,), (0.5,))
    m.session(run(dl, w), branch(w > 0, [m.observe("left", call("BudgetLeft", llm))], [prefill(llm, 25)]))
    assert values(m.build(), "left") == [0]


def test_the_budget_left_reads_the_totals_of_the_residents() -> None:
    """R7.12: a budget of 4 for each resident: one of the two wants 1, the other 2; 8 - 3 = 5 are left."""
    m = Model()
    w, b = m.size("w"), m.size("b")
    kv = m.pool("kv", 100)
    llm = m.engine(budget=4 * ctx("Nres") + 0 * ctx("Kvb"), memory=kv)
    dl = m.delay()
    m.sessions((w, b), (0, 2), (0, 0), (0.5, -1))
    engine = [hold((kv, 1), body=[prefill(llm, b, kv), decode(llm, 5, kv)])]
    m.session(run(dl, w), branch(b < 0, [m.observe("left", call("BudgetLeft", llm))], engine))
    assert values(m.build(), "left") == [5.0]


def test_an_aggregate_runs_over_all_values_warm_or_not() -> None:
    """R7.13: values 3, 1, 2 of which the first two lie in the warm-up; the prefix total of 1, 2, 3 is 1*3 + 2*2 + 3*1."""
    m = Model()
    x = m.size("x")
    dl = m.delay()
    m.sessions((x,), (3,), (1,), (2,))
    m.session(run(dl, serial + 1), m.observe("x", x))
    k, none = m.observation("x"), m.observation("none")
    wanted = {"Total": 6, "Count": 3, "Largest": 3, "Smallest": 1, "PrefixTotal": 10}
    for kind, value in wanted.items():
        m.claim(kind, "AtEnd", aggregate(kind, k).equals(value))
    for kind in wanted:
        m.claim(f"no {kind}", "AtEnd", aggregate(kind, none).equals(0))
    report = finished(m.build(warmup=2.5)).report()
    assert {claim["name"]: claim["result"] for claim in report["claims"]} == {
        name: "holds" for kind in wanted for name in (kind, f"no {kind}")
    }


def test_the_estimators_follow_the_jobs_that_completed() -> None:
    """R7.15, two jobs at one server: the first starts at 0 and lasts 2, the second waits 2, starts at 2 and lasts 4.

    Service: 0.99 * 2 + 0.01 * 4 = 2.02; wait: 0.99 * 0 + 0.01 * 2 = 0.02; the gap between starts
    is 2, so lambda is 0.5, and rho is min(0.5 * 2.02, 0.99) = 0.99. The price of 3 after 1 with
    m = 4: 3 + 0.5 * (16 - 1) / (2 * 0.01) + 0.5 * 0.02 * 3 / 0.01, rounded as it goes.
    """
    m = Model()
    x = m.size("x")
    q = m.fifo("q")
    names = ("EstLambda", "EstRho", "EstWait")
    m.sessions((x,), (2,), (4,))
    after = [*(m.observe(name, call(name, q)) for name in names), m.observe("Price", call("Price", q, 1, 3))]
    m.session(run(q, x), *after)
    simulation = finished(m.build())
    first, second = ([samples(simulation, name)[i][3] for name in (*names, "Price")] for i in (0, 1))
    # After one job there is no gap: no rate, no load, and the price is the work itself.
    assert first == [0.0, 0.0, 0.0, 3.0]
    service = (1 - 0.01) * 2.0 + 0.01 * 4.0
    wait = (1 - 0.01) * 0.0 + 0.01 * 2.0
    rho = min(0.5 * service, 0.99)
    assert rho == 0.99
    assert second == [0.5, rho, wait, 3 + 0.5 * (16 - 1) / (2 * (1 - rho)) + 0.5 * wait * 3 / (1 - rho)]


def test_a_load_below_the_limit_is_the_rate_times_the_service() -> None:
    """R7.15: jobs of 1 that start at 0 and 4: lambda 0.25, rho 0.25 * 1; a third start at 6: gap 0.99 * 4 + 0.01 * 2."""
    m = Model()
    t = m.size("t")
    q = m.fifo("q")
    dl = m.delay()
    m.sessions((t,), (0,), (4,), (6,))
    m.session(run(dl, t), run(q, 1), m.observe("l", call("EstLambda", q)), m.observe("r", call("EstRho", q)))
    simulation = finished(m.build())
    smoothed = (1 - 0.01) * 4.0 + 0.01 * 2.0
    assert [s[3] for s in samples(simulation, "l")] == [0.0, 0.25, 1 / smoothed]
    assert [s[3] for s in samples(simulation, "r")][:2] == [0.0, 0.25]


def test_starts_out_of_order_give_no_rate() -> None:
    """R7.15: a delay of 4 that starts at 0 completes after one of 1 that starts at 2: the gap is -2."""
    m = Model()
    t, x = m.size("t"), m.size("x")
    dl = m.delay()
    wait = m.fifo("wait", 2)
    m.sessions((t, x), (0, 4), (2, 1))
    m.session(run(wait, t), run(dl, x), m.observe("l", call("EstLambda", dl)), m.observe("r", call("EstRho", dl)))
    simulation = finished(m.build())
    assert [s[3] for s in samples(simulation, "l")] == [0.0, 0.0]
    assert [s[3] for s in samples(simulation, "r")] == [0.0, 0.0]


def test_a_hold_knows_its_own_cached_prefix() -> None:
    """R4.34: the session's own entry; another's is not seen."""
    m = Model()
    kv = m.pool("kv", 20, preempt=LIFO)
    dl = m.delay()
    look = m.observe("own", call("CachedIn", kv))
    m.batch(2)
    m.session(TURN, hold((kv, 4 + serial), cache=4 + serial, body=[grow(kv, 1), run(dl, 1)]), look)
    assert sorted(values(m.build(), "own")) == [4.0, 5.0]


def test_an_index_of_a_plain_number_needs_no_reading() -> None:
    m = Model()
    mem = m.pool("mem", 10, members=2)
    m.session(hold((mem[1], 4), body=[m.observe("used", call("Used", mem[1]) - call("Used", mem[0]))]))
    assert values(m.build(), "used") == [4.0]
