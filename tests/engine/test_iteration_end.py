"""What an iteration costs, and what its end brings (R6.3.6, R6.19 to R6.23)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from tests.engine.programs import (
    LIFO,
    TURN,
    Model,
    Number,
    branch,
    call,
    computed,
    ctx,
    decode,
    hold,
    maximum,
    prefill,
    run,
    serial,
)
from tests.engine.requests import Row, Serving
from tests.engine.watching import finished, samples, starts, trajectory, values

# --------------------------------------------------------------------------- cost


def _lasts(cost: Number, *rows: Row, kv: float | None = None, **engine: Any) -> list[float]:
    """How long each iteration lasts."""
    s = Serving(rows)
    if kv is not None:
        s.kv(kv)
    times = [start for start, _ in starts(s.build(s.engine(cost=cost, **engine)))]
    return [b - a for a, b in pairwise(times)]


@pytest.mark.parametrize(
    ("variable", "seen"),
    [
        ("Ntok", [5, 2, 2]),
        ("Npre", [5, 1, 0]),
        ("Ndec", [0, 1, 2]),
        ("Nres", [2, 2, 2]),
    ],
)
def test_the_cost_reads_the_batch(variable: str, seen: list[float]) -> None:
    """R6.23: requests of (4, 3) and (2, 2) tokens under a budget of 5: p4 p1, d p1, d d; a third one prefills nothing."""
    assert _lasts(1 + ctx(variable), (0, 4, 3), (0, 2, 2), (0, 0, 0), budget=5)[:3] == [1 + x for x in seen]


def test_the_cost_reads_the_memory_of_the_batch_after_its_growths() -> None:
    """R6.23: each holds 1 and grows to 4 and 2 in the prefill (Kvp 6), then to 5 and 3 (Kvb 8)."""
    rows: list[Row] = [(0, 4, 2), (0, 2, 2)]
    assert _lasts(1 + ctx("Kvp"), *rows, kv=99)[:2] == [7, 1]
    assert _lasts(1 + ctx("Kvb"), *rows, kv=99)[:2] == [1, 9]


def test_units_of_other_pools_are_no_memory_of_a_batch() -> None:
    """R6.2: beside the 4 and 2 of the engine's memory each holds a seat."""
    s = Serving(((0, 4, 2), (0, 2, 2)))
    s.seats()
    s.kv(99)
    times = [start for start, _ in starts(s.build(s.engine(cost=1 + ctx("Kvp"))))]
    assert [b - a for a, b in pairwise(times)][:2] == [7, 1]


def test_the_last_part_of_a_token_is_less_than_a_token() -> None:
    """R6.5: prompts of 2 and 2 are 4 tokens, then two decodes give 1 each, then the first has 0.5 left."""
    assert _lasts(1 + ctx("Ntok"), (0, 2, 1.5), (0, 2, 4))[:3] == [5, 3, 2.5]


def test_the_attention_of_a_chunk_counts_what_was_computed_before() -> None:
    """R6.6.5, R6.23: prompt 6 in chunks of 4: 4 * (0 + 2) = 8, then 2 * (4 + 1) = 10; decodes count nothing."""
    assert _lasts(1 + ctx("Attn"), (0, 6, 2), kv=99, chunk=4)[:3] == [9, 11, 1]


def test_the_attention_of_a_prefill_that_grows_nothing_starts_at_zero() -> None:
    """R6.6.5: both chunks of 4 count 8."""
    assert _lasts(1 + ctx("Attn"), (0, 8, 2), chunk=4)[:2] == [9, 9]


def test_the_attention_of_a_victim_is_not_counted() -> None:
    """R6.23: session 1's chunk is noted, then session 0 (served after it) grows and preempts it."""
    s = Serving(((0, 4, 0), (0, 4, 0)))
    s.kv(6, preempt=LIFO)
    times = [start for start, _ in starts(s.build(s.engine(cost=1 + ctx("Attn"), serve=[-serial])))]
    # Only session 0's 4 * 2 = 8.
    assert times[1] == 9


def test_a_cost_below_zero_counts_as_zero_and_an_iteration_of_nothing_may_last_nothing() -> None:
    """R6.3.6, R6.4: an attempt that only preempted has a cost of max(tokens - 0.5, 0) = 0 and ends at once."""
    m = Model()
    kv = m.pool("kv", 4, preempt=LIFO)
    llm = m.engine(cost=ctx("Ntok") - 0.5, memory=kv)
    dl = m.delay()
    m.batch(2)
    elsewhere = hold((kv, 1), body=[run(dl, 3)])
    m.session(
        branch(serial.equals(0), [elsewhere], [hold((kv, 3), body=[prefill(llm, maximum(3, computed), kv), decode(llm, 1, kv)])])
    )
    rows = starts(m.build())
    # At 2.5 session 1 grows past 4 and is its own victim; it is admitted again at once, in the settling of the end.
    assert rows[:3] == [(0, "s1:p 3"), (2.5, ""), (2.5, "s1:p 3")]


# --------------------------------------------------------------------------- the end of an iteration


def test_work_counts_at_the_end_of_an_iteration_and_positions_at_its_start() -> None:
    """R6.20: seen in the middle of an iteration: 4 tokens left of 4, and all 4 allocated already, of 1 at first."""
    m = Model()
    kv = m.pool("kv", 100)
    llm = m.engine(memory=kv)
    dl = m.delay()
    m.batch(2)
    look = [run(dl, 0.5), m.observe("work", call("Work", llm)), m.observe("used", call("Used", kv))]
    m.session(branch(serial.equals(0), [hold((kv, 1), body=[prefill(llm, 4, kv)])], look))
    simulation = finished(m.build())
    assert (samples(simulation, "work")[0][3], samples(simulation, "used")[0][3]) == (4, 4)


def test_runs_complete_in_the_order_of_the_batch() -> None:
    """R6.19: served by keys as 2, 1, 0 and ended so."""
    s = Serving(((0, 1, 0), (0, 1, 0), (0, 1, 0)))
    s.after = [s.m.observe("done", serial)]
    assert values(s.build(s.engine(serve=[-serial])), "done") == [2, 1, 0]


def test_a_growth_need_is_by_the_position_before_the_tokens_and_by_whole_blocks() -> None:
    """R6.21: blocks of 4, prompt 3: 4 allocated, the first decode goes to 4, the second needs the next block."""
    s = Serving(((0, 3, 3),))
    s.kv(100, block=4)
    assert [row.used for row in trajectory(s.build(s.engine()))] == ["4", "4", "8", "8"]


def test_an_engine_serves_more_than_one_turn() -> None:
    """R6.1, R6.7: the marks of one attempt do not count in the next."""
    m = Model()
    llm = m.engine()
    m.session(TURN, prefill(llm, 1), decode(llm, 1), TURN, prefill(llm, 2), decode(llm, 1))
    assert [b for _, b in starts(m.build())] == ["s0:p 1", "s0:d 1", "s0:p 2", "s0:d 1"]
