"""Claims over iterations and at the end, and heads over a pool's cap (R9.19, R9.29)."""

from __future__ import annotations

from typing import Any

import pytest

from grammar import ir
from tests.engine.programs import (
    INF,
    Model,
    StageOf,
    assign,
    branch,
    call,
    ctx,
    decode,
    hold,
    maximum,
    now,
    prefill,
    run,
    serial,
    where,
)
from tests.engine.requests import Row, Serving
from tests.engine.watching import report

# --------------------------------------------------------------------------- claims


def claims(declare: Any, *rows: Row, horizon: float = 100, **engine: Any) -> dict[str, tuple[Any, ...]]:
    """name -> (kind, result, checked, failures, first, note)."""
    s = Serving(rows)
    s.seats()
    llm = s.engine(**engine)
    declare(s.m, llm, s)
    found = report(s.build(llm, horizon))["claims"]
    return {c["name"]: (c["kind"], c["result"], c["checked"], c["failures"], c["first"], c["note"]) for c in found}


def test_claims_over_iterations_hold_fail_and_are_witnessed() -> None:
    """R9.19: batches of 2, 1 (decode), 1, at 0, 1, 2."""

    def declare(m: Model, llm: StageOf, s: Serving) -> None:
        m.claim("every holds", "EveryIteration", ctx("Ntok") >= 1, llm)
        m.claim("every fails", "EveryIteration", ctx("Ntok") > 1, llm)
        m.claim("some seen", "SomeIteration", ctx("Ntok").equals(1), llm)
        m.claim("some not", "SomeIteration", ctx("Ntok") > 5, llm)

    assert claims(declare, (0, 2, 2)) == {
        "every holds": ("every_iteration", "holds", 3, 0, None, None),
        "every fails": ("every_iteration", "fails", 3, 2, 1, None),
        "some seen": ("some_iteration", "witnessed", 3, 1, 1, None),
        "some not": ("some_iteration", "not_witnessed", 3, 3, None, None),
    }


def test_a_claim_is_read_during_the_warm_up_too() -> None:
    """R9.19: all three iterations, though the warm-up lasts until 2.5."""
    s = Serving(((0, 2, 2),))
    llm = s.engine()
    s.m.claim("c", "EveryIteration", 1, llm)
    assert report(s.build(llm, 10, warmup=2.5))["claims"][0]["checked"] == 3


def test_a_claim_of_another_engine_is_not_read() -> None:
    m = Model()
    a, b = m.engine("a"), m.engine("b")
    m.claim("c", "SomeIteration", 1, b)
    m.session(prefill(a, 2), decode(a, 2), prefill(b, 1))
    claim = report(m.build())["claims"][0]
    assert (claim["checked"], claim["first"]) == (1, 3)


@pytest.mark.parametrize(
    ("variable", "seen"),
    [
        # Requests of (6, 1) at 0 and (2, 1) at 0.5; budget 4, chunk 3. Iterations: p3 | p3 p1 | d p1 | d.
        ("Ntok", [3, 4, 2, 1]),
        ("Npre", [3, 4, 1, 0]),
        ("Ndec", [0, 0, 1, 1]),
        ("Nres", [1, 2, 2, 1]),
        ("Demand", [3, 3 + 2, 1 + 1, 1]),
        ("Served", [0, 3, 7, 9]),
        ("Arrived", [2, 2, 2, 2]),
        # No memory grows here; attention counts from 0 each time: 3*1.5, 4.5 + 0.5, 0.5, 0.
        ("Attn", [4.5, 5, 0.5, 0]),
        ("Kvb", [0, 0, 0, 0]),
    ],
)
def test_a_claim_reads_the_iteration(variable: str, seen: list[float]) -> None:
    """R6.23, R6.24."""

    def declare(m: Model, llm: StageOf, s: Serving) -> None:
        for i, value in enumerate(seen):
            m.claim(f"{i}", "EveryIteration", ctx(variable).equals(value).either(now.differs(i)), llm)

    assert {c[1] for c in claims(declare, (0, 6, 1), (0.5, 2, 1), budget=4, chunk=3).values()} == {"holds"}


def test_an_end_claim_is_read_when_nobody_is_left() -> None:
    """R9.19: first is the end of the run."""

    def declare(m: Model, llm: StageOf, s: Serving) -> None:
        m.claim("holds", "AtEnd", now > 0)
        m.claim("fails", "AtEnd", now < 0)

    assert claims(declare, (0, 2, 2), horizon=50) == {
        "holds": ("at_end", "holds", 1, 0, None, None),
        "fails": ("at_end", "fails", 1, 1, 50, None),
    }
    found = claims(declare, (0, 2, 200), horizon=50)["holds"]
    assert found[:5] == ("at_end", "not_evaluated", 0, 0, None)
    assert found[5] is not None


def test_a_session_outside_the_claims_scope_ends_it_for_good() -> None:
    """R9.19: session 1 has a prompt of 9 when it is created at 2; what was read before, at 0 and 1, stays."""
    m = Model()
    p = m.size("p")
    llm = m.engine()
    m.arrive(ir.Renewal(ir.Num(2.0)))
    m.init(assign(p, 1 + 8 * serial))
    m.session(prefill(llm, p), decode(llm, 2))
    m.claim("c", "EveryIteration", ctx("Ntok") < 1, llm, given=p < 5)
    m.claim("e", "AtEnd", 1, given=p < 5)
    iteration, end = report(m.build(20))["claims"]
    assert (iteration["result"], iteration["checked"], iteration["failures"], iteration["first"]) == ("out_of_scope", 2, 2, 2)
    assert "1" in iteration["note"]
    assert (end["result"], end["checked"]) == ("out_of_scope", 0)


def test_presets_are_seen_by_a_claims_scope() -> None:
    """R2.11, R9.19: given is read after the presets."""
    m = Model()
    p = m.size("p")
    m.init(assign(p, 9))
    m.sessions((p,), (1,))
    m.session(m.observe("p", p))
    m.claim("c", "AtEnd", 1, given=p < 5)
    assert report(m.build())["claims"][0]["result"] == "holds"


# --------------------------------------------------------------------------- the end


def test_a_head_that_asks_too_much_is_found_in_every_pool_it_is_too_large_for() -> None:
    """R9.29: at the end the head asks 12 of two pools of 10; the first queue's finding stands, errors count as nothing."""
    m = Model()
    a, b = m.pool("a", 10), m.pool("b", 10)
    dl = m.delay()
    never = where(now < INF, 12, 1)
    m.batch(2)
    at_a, at_b = hold((a, 1), (b, never), body=[run(dl, 1)]), hold((b, never), body=[run(dl, 1)])
    m.session(branch(serial.equals(0), [at_a], [run(dl, 1), at_b]))
    pools = report(m.build(20))["pools"]
    assert [pool["over_cap"] for pool in pools] == [None, {"queue": "a", "need": 12}]


def test_a_head_that_merely_waits_is_not_over_the_cap() -> None:
    """R9.29."""
    m = Model()
    a = m.pool("a", 10)
    m.batch(2)
    m.session(hold((a, maximum(8, call("Used", a) * 0)), body=[run(m.delay(), 100)]))
    assert report(m.build(20))["pools"][0]["over_cap"] is None


def test_a_head_whose_need_cannot_be_read_is_left_out() -> None:
    """R9.29: at the end its units are negative, which would fail the run at an attempt; here it is ignored."""
    m = Model()
    a = m.pool("a", 10)
    dl = m.delay()
    m.batch(2)
    units = where(now < 20, 8, 0 - now)
    m.session(hold((a, units), body=[run(dl, 100)]))
    assert report(m.build(20))["pools"][0]["over_cap"] is None
