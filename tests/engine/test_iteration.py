"""An attempt at an iteration: residents, tokens, chunk and granule, serving order, admission (R6.1 to R6.13)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.rng import MACHINE_SALT, Stream
from tests.engine.programs import (
    INF,
    LIFO,
    Model,
    Number,
    admit,
    branch,
    cached,
    call,
    ctx,
    decode,
    floor,
    hold,
    minimum,
    now,
    prefill,
    run,
    sample,
    serial,
    serve,
    where,
)
from tests.engine.requests import Row, Serving
from tests.engine.watching import finished, report, samples, starts, values


def batches(*rows: Row, **engine: Any) -> list[tuple[float, str]]:
    """(start, batch) of requests that hold nothing."""
    s = Serving(rows)
    return starts(s.build(s.engine(**engine)))


def held(*rows: Row, **engine: Any) -> list[tuple[float, str]]:
    """(start, batch) of requests that hold a seat, admitted by the engine."""
    s = Serving(rows)
    s.seats()
    return starts(s.build(s.engine(**engine)))


# --------------------------------------------------------------------------- residents and tokens


def test_a_request_prefills_its_prompt_then_decodes_token_by_token() -> None:
    """R6.5, R6.19."""
    assert batches((0, 5, 2)) == [(0, "s0:p 5"), (1, "s0:d 1"), (2, "s0:d 1")]


def test_residents_stand_in_the_order_of_their_admission() -> None:
    """R6.1: session 0, back for its decode, stands before session 1, admitted later."""
    assert held((0, 2, 1), (0, 6, 1), budget=4) == [(0, "s0:p 2, s1:p 2"), (1, "s0:d 1, s1:p 3"), (2, "s1:p 1"), (3, "s1:d 1")]


def test_residents_without_an_admission_stand_at_the_end_as_they_come() -> None:
    """R6.1: the same requests without a hold: the decode of session 0 comes behind session 1."""
    assert batches((0, 2, 1), (0, 6, 1), budget=4)[1] == (1, "s1:p 4")


def test_a_chunk_limits_a_prefill_and_not_a_decode() -> None:
    """R6.5."""
    assert batches((0, 5, 1), chunk=2) == [(0, "s0:p 2"), (1, "s0:p 2"), (2, "s0:p 1"), (3, "s0:d 1")]


@pytest.mark.parametrize("chunk", [0, -3, INF])
def test_a_chunk_that_is_not_above_zero_or_has_no_end_is_no_cap(chunk: float) -> None:
    """R6.5."""
    assert batches((0, 5, 0), chunk=chunk) == [(0, "s0:p 5")]


def test_the_budget_is_given_out_in_order_until_it_is_gone() -> None:
    """R6.6, R6.8."""
    assert batches((0, 3, 0), (0, 3, 0), (0, 3, 0), budget=4) == [(0, "s0:p 3, s1:p 1"), (1, "s1:p 2, s2:p 2"), (2, "s2:p 1")]


@pytest.mark.parametrize("budget", [0, -4])
def test_without_a_budget_nothing_is_scheduled(budget: float) -> None:
    """R10: no error; the engine idles with work (R2.7)."""
    s = Serving(((0, 3, 1),))
    program = s.build(s.engine(budget=budget))
    assert starts(program) == []
    assert report(program)["stages"][0]["idle_with_work"] is True


def test_budget_and_chunk_are_read_once_an_attempt_in_this_order() -> None:
    """R6.3.1, R8.5: both draw from the machine's stream: the budget takes its first draw, the chunk the second."""
    machine = Stream(1 ^ MACHINE_SALT)
    first, second = (1 + int(machine.unit() * 8) for _ in range(2))
    drawn = 1 + floor(sample("Uniform", 0, 1) * 8)
    (start, batch), *_ = batches((0, 99, 0), (0, 99, 0), budget=100 * drawn, chunk=drawn)
    # The budget is at least 100, so both have their chunk.
    assert (start, batch) == (0, f"s0:p {second}, s1:p {second}")
    (_, batch), *_ = batches((0, 99, 0), (0, 99, 0), budget=drawn, chunk=100 * drawn)
    assert batch == f"s0:p {first}"


def test_the_totals_are_those_of_the_residents_before_the_attempt() -> None:
    """R6.2, R6.3.1: a budget of 1, and 2 more for each prefill: at 0 nobody resides yet, one being admitted then: 1, then 3."""
    prefills = ctx("Nres") - ctx("Ndec")
    assert held((0, 5, 2), budget=1 + 2 * prefills + 5 * ctx("Ndec")) == [
        (0, "s0:p 1"),
        (1, "s0:p 3"),
        (2, "s0:p 1"),
        (3, "s0:d 1"),
        (4, "s0:d 1"),
    ]


def test_the_memory_totals_are_allocations_of_decodes_and_of_prefills() -> None:
    """R6.2: a chunk of Kvp and a budget of Kvb + Kvp: session 0 holds 6, session 1 holds 2.

    At 0 both prefill (Kvp = 8): chunk 8. Prompt 6 and 9 under a budget of 8: 6 and 2. At 1 session 0 decodes
    (Kvb = 6), session 1 holds 2 of prefill: the budget is 8, the chunk 2.
    """
    s = Serving(((0, 6, 1), (0, 9, 0)))
    kv = s.m.pool("kv", 100)
    s.memory, s.grows = kv, False
    s.pools = [(kv, where(serial.equals(0), 6, 2))]
    rows = starts(s.build(s.engine(budget=ctx("Kvb") + ctx("Kvp"), chunk=ctx("Kvp"))))
    assert rows[:2] == [(0, "s0:p 6, s1:p 2"), (1, "s0:d 1, s1:p 2")]


def test_leases_are_no_memory_of_a_resident() -> None:
    """R6.2: the session leases 7 and holds 2 more: Kvp is 2."""
    m = Model()
    kv = m.pool("kv", 100)
    llm = m.engine(budget=ctx("Kvp"), memory=kv)
    m.session(hold((kv, 7), lease=(kv, 99)), hold((kv, 2), body=[prefill(llm, 5)]))
    assert starts(m.build())[0] == (0, "s0:p 2")


# --------------------------------------------------------------------------- granule


def test_a_granule_cuts_a_prefill_to_its_multiples_but_not_its_rest() -> None:
    """R6.6.2: prompt 10, budget 7, granule 3: 6, then the whole rest of 4."""
    assert batches((0, 10, 0), budget=7, granule=3) == [(0, "s0:p 6"), (1, "s0:p 4")]


def test_a_granule_applies_to_a_chunk_as_well() -> None:
    """R6.6.2: the chunk of 5 is below the rest of 11, 6: cut to 4; the last 3 go whole."""
    assert [b for _, b in batches((0, 11, 0), chunk=5, granule=4)] == ["s0:p 4", "s0:p 4", "s0:p 3"]


def test_an_infinite_granule_gives_a_prefill_whole_or_not_at_all() -> None:
    """R6.6.2: 6 of 8 fit, then 5 do not: refused, until session 0 is done."""
    assert batches((0, 6, 0), (0, 5, 0), budget=8, granule=INF) == [(0, "s0:p 6"), (1, "s1:p 5")]


def test_a_refused_prefill_lets_later_residents_in_and_keeps_the_queue_out() -> None:
    """R6.6.2, R6.8: budget 4, granule 4. While session 0 decodes, 3 are left and session 1's prefill of 12 gets none.

    Session 2 behind it gets its 2 whole at 1; the one token that is left admits nobody, also not session 3,
    which waits until session 1 has had its multiples of 4 from 3 on.
    """
    m = Model()
    p = m.size("p")
    seats = m.pool("seats", 9, admit_via=0)
    llm = m.engine(budget=4, granule=4, serve=[-ctx("Decoding")])
    dl = m.delay()
    m.sessions((p,), (1,), (12,), (2,), (1,))
    work = [prefill(llm, p), decode(llm, where(serial.equals(0), 2, 0))]
    m.session(run(dl, minimum(serial, 0.5)), branch(serial < 3, work, [hold((seats, 1), body=work)]))
    assert starts(m.build()) == [
        (0, "s0:p 1"),
        (1, "s0:d 1, s2:p 2"),
        (2, "s0:d 1"),
        *((3 + i, "s1:p 4") for i in range(3)),
        (6, "s3:p 1"),
    ]


def test_a_decode_knows_no_granule() -> None:
    """R6.6.2."""
    assert batches((0, 4, 2), granule=4)[1:] == [(1, "s0:d 1"), (2, "s0:d 1")]


# --------------------------------------------------------------------------- serving order


def test_the_least_serving_keys_are_served_first_and_ties_in_resident_order() -> None:
    """R6.10: by prompt: 2, 2, 5: sessions 1, 2, 0."""
    s = Serving(((0, 5, 0), (0, 2, 0), (0, 2, 0)))
    assert starts(s.build(s.engine(serve=[s.prompt])))[0] == (0, "s1:p 2, s2:p 2, s0:p 5")


DECODE_FIRST, PREFILL_FIRST = "s1:d 1, s0:p 3", "s0:p 3, s1:d 1"


@pytest.mark.parametrize(
    ("keys", "second"),
    [
        ([-ctx("Decoding")], DECODE_FIRST),
        ([ctx("Decoding")], PREFILL_FIRST),
        ([ctx("Admission")], PREFILL_FIRST),
        ([-ctx("Admission")], DECODE_FIRST),
        ([ctx("Remaining")], DECODE_FIRST),  # 1 token against 6
        ([-ctx("Remaining")], PREFILL_FIRST),
        ([ctx("Nres") * ctx("Decoding")], PREFILL_FIRST),
        ([-ctx("Ndec") * ctx("Decoding")], DECODE_FIRST),
        ([0, -ctx("Decoding")], DECODE_FIRST),  # the second key decides
    ],
)
def test_a_serving_key_reads_the_resident_and_the_totals(keys: list[Number], second: str) -> None:
    """R6.10: after the first iteration (3 and 2 tokens) session 0 has 6 of its prefill left and session 1 a token to decode."""
    assert held((0, 9, 0), (0, 2, 1), budget=5, chunk=3, serve=keys)[1] == (1, second)


def test_keys_that_read_the_state_are_read_again_after_every_resident() -> None:
    """R6.10, R6.11: while more than 6 are free the late come first; after session 3 only 5 are: now the early."""
    s = Serving(((0, 2, 0), (0, 2, 0), (0, 2, 0), (0, 8, 0)))
    kv = s.kv(16, preempt=LIFO)
    late_first = where(call("Free", kv) > 6, 0 - serial, serial)
    assert starts(s.build(s.engine(serve=[late_first])))[0] == (0, "s3:p 8, s0:p 2, s1:p 2, s2:p 2")


def test_under_keys_a_newcomer_may_stand_before_those_already_served() -> None:
    """R6.11, R6.7: keys 9, 8 and 0: sessions 1 and 0 are served, then session 2 is admitted and served; nobody twice."""
    s = Serving(((0, 2, 3), (0, 2, 3), (0.5, 2, 3)))
    s.seats()
    rows = starts(s.build(s.engine(serve=[where(serial.equals(2), 0, 9 - serial)])))
    assert rows[1] == (1, "s1:d 1, s0:d 1, s2:p 2")
    assert rows[2] == (2, "s2:d 1, s1:d 1, s0:d 1")


def test_a_key_that_is_no_number_comes_first() -> None:
    """R1.2: 0/0 sorts below everything."""
    s = Serving(((0, 3, 0), (0, 2, 0)))
    zero_over_zero = (s.prompt - 2) / (s.prompt - 2)
    assert starts(s.build(s.engine(serve=[zero_over_zero])))[0] == (0, "s1:p 2, s0:p 3")


# --------------------------------------------------------------------------- admission


def test_holds_are_admitted_one_at_a_time_while_budget_is_left() -> None:
    """R6.8, R6.12: 6 for prompts of 4, 4, 4: the third is admitted in the second iteration, with 4 left."""
    assert held((0, 4, 0), (0, 4, 0), (0, 4, 0), budget=6) == [(0, "s0:p 4, s1:p 2"), (1, "s1:p 2, s2:p 4")]


def test_an_admission_that_brings_no_work_goes_on_to_the_next() -> None:
    """R6.8, R6.13: session 0 is admitted, works elsewhere for 5 seconds, and session 1 is admitted in the same attempt."""
    m = Model()
    seats = m.pool("seats", 9, admit_via=0)
    llm = m.engine()
    dl = m.delay()
    m.batch(2)
    m.session(hold((seats, 1), body=[run(dl, 5 - 5 * serial), prefill(llm, 3), m.observe("adm", call("Queued", seats))]))
    assert starts(m.build()) == [(0, "s1:p 3"), (5, "s0:p 3")]


def test_the_queues_an_engine_serves_are_tried_in_pool_order_and_an_empty_one_is_passed() -> None:
    """R6.12."""
    m = Model()
    kind = m.size("kind")
    first, second = m.pool("first", 9, admit_via=0), m.pool("second", 9, admit_via=0)
    llm = m.engine(budget=4)
    m.sessions((kind,), (1,), (0,), (1,))
    into = [hold((pool, 1), body=[prefill(llm, 4), m.observe("done", now)]) for pool in (first, second)]
    m.session(branch(kind < 1, [into[0]], [into[1]]))
    assert [b for _, b in starts(m.build())] == ["s1:p 4", "s0:p 4", "s2:p 4"]


def test_a_head_that_does_not_fit_keeps_the_later_queues_waiting() -> None:
    """R6.12: no admission from the second pool while the head of the first has no room."""
    m = Model()
    kind = m.size("kind")
    first, second = m.pool("first", 1, admit_via=0), m.pool("second", 9, admit_via=0)
    llm = m.engine(budget=4)
    m.sessions((kind,), (0,), (0,), (1,))
    into = [hold((pool, 1), body=[prefill(llm, 3)]) for pool in (first, second)]
    m.session(branch(kind < 1, [into[0]], [into[1]]))
    # 1 token is left in each iteration; session 2 would fit at 0.
    assert [b for _, b in starts(m.build())] == ["s0:p 3", "s1:p 3, s2:p 1", "s2:p 2"]


def test_what_a_hold_takes_may_be_what_is_left_of_the_budget() -> None:
    """R6.12: session 0 takes 6 of 10 and holds min(6, 10); session 1 holds min(9, 4) = 4."""
    m = Model()
    p = m.size("p")
    kv, seats = m.pool("kv", 100), m.pool("seats", 9, admit_via=0)
    llm = m.engine(budget=10, memory=kv)
    m.sessions((p,), (6,), (9,))
    units = minimum(p, call("BudgetLeft", llm))
    m.session(hold((seats, 1), (kv, units), body=[m.observe("own", call("Allocated", kv)), prefill(llm, p, kv)]))
    assert values(m.build(), "own") == [6, 4]


def test_reuse_is_not_read_under_the_budget_left_of_the_admission() -> None:
    """R6.12: the attempt of 3 admits before it serves: it has all 10 left, and plans 6 besides the chunk of 4 of session 1.

    The bound of session 0's second hold reads the plan: 6 of its 8 cached are reused.
    """
    m = Model()
    kv, seats = m.pool("kv", 100), m.pool("seats", 9, admit_via=0)
    llm = m.engine(budget=10, chunk=4, memory=kv, body=[admit(), serve()])
    dl = m.delay()
    m.batch(2)
    first = hold((seats, 1), (kv, 8), cache=8, body=[prefill(llm, 1)])
    again = hold((seats, 1), (kv, 8), cache=0, reuse=call("BudgetLeft", llm), body=[m.observe("found", cached)])
    other = hold((seats, 1), (kv, 9), body=[prefill(llm, 20)])
    m.session(branch(serial.equals(0), [first, run(dl, 1.5), again], [run(dl, 2), other]))
    assert samples(finished(m.build()), "found") == [(3, 0, 0, 6)]


def test_nobody_is_admitted_in_an_attempt_that_preempted() -> None:
    """R6.8: at 1 session 0's growth preempts session 1, to the back of the queue; session 2 waits though it fits."""
    s = Serving(((0, 3, 1), (0, 3, 1), (0.5, 1, 0)))
    s.kv(6, units=where(serial < 2, 3, 0), preempt=LIFO, tail=True, admit_via=0)
    rows = starts(s.build(s.engine()))
    assert rows[:2] == [(0, "s0:p 3, s1:p 3"), (1, "s0:d 1")]
    assert "s2:p 1" in rows[2][1]
