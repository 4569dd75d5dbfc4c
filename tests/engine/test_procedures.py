"""The default procedure, engines that idle, exclusive prefill, and self-preemption (R2.7, R6.8, R6.9, R6.30)."""

from __future__ import annotations

from typing import Any

from engine.decisions import Attempted
from tests.engine.programs import (
    LIFO,
    Model,
    branch,
    call,
    computed,
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
from tests.engine.watching import decisions, report, starts, trajectory, values

# --------------------------------------------------------------------------- idle engines


def test_an_engine_that_scheduled_nothing_is_tried_again_by_the_next_event_only() -> None:
    """R2.7: the engine may serve from 3 on (its budget reads the clock); it is tried at the event of 5, not at 3."""
    m = Model()
    llm = m.engine(budget=where(now < 3, 0, 9))
    dl = m.delay()
    m.batch(2)
    m.session(branch(serial.equals(0), [prefill(llm, 1)], [run(dl, 5)]))
    program = m.build()
    assert starts(program) == [(5, "s0:p 1")]
    outcomes = [(d.time, d.outcome) for d in decisions(program, Attempted) if isinstance(d, Attempted)]
    assert outcomes == [(0, "idle"), (5, "iteration")]


def test_an_engine_with_nobody_is_not_tried() -> None:
    """R2.6 2."""
    m = Model()
    llm = m.engine()
    dl = m.delay()
    m.batch(2)
    m.session(branch(serial.equals(0), [run(dl, 1), prefill(llm, 1)], [run(dl, 5)]))
    attempts = [d.time for d in decisions(m.build(), Attempted) if isinstance(d, Attempted)]
    assert attempts == [1]


def test_an_attempt_whose_only_admission_left_again_was_for_nothing() -> None:
    """R6.3.5: the hold is admitted, does nothing and ends: nobody resides or waits."""
    m = Model()
    seats = m.pool("seats", 9, admit_via=0)
    llm = m.engine()
    m.session(hold((seats, 1), body=[]), branch(serial, [prefill(llm, 1)]))
    program = m.build()
    assert [d.outcome for d in decisions(program, Attempted) if isinstance(d, Attempted)] == ["nothing"]
    assert report(program)["stages"][0]["idle_with_work"] is False


# --------------------------------------------------------------------------- exclusive prefill


def exclusive(*rows: Row, kv: dict[str, Any] | None = None, **engine: Any) -> list[tuple[float, str]]:
    s = Serving(rows)
    s.seats()
    if kv is not None:
        s.kv(**kv)
    return starts(s.build(s.engine(serve=None, **engine)))


def test_a_resident_prefill_keeps_decodes_out_though_it_takes_less_than_the_budget() -> None:
    """R6.9: chunk 2 of 8: alone all the same."""
    assert exclusive((0, 2, 2), (0, 4, 1), budget=8, chunk=2) == [
        (0, "s0:p 2"),
        (1, "s1:p 2"),
        (2, "s1:p 2"),
        (3, "s0:d 1, s1:d 1"),
        (4, "s0:d 1"),
    ]


def test_a_waiting_prefill_displaces_the_decodes_and_has_the_whole_budget() -> None:
    """R6.9: at 1 the decode of session 0 is chosen, then session 1 (prompt 8) is admitted and takes 8, not 7."""
    assert exclusive((0, 2, 2), (0.5, 8, 0), budget=8)[1] == (1, "s1:p 8")


def test_decodes_that_use_up_the_budget_keep_the_queue_out() -> None:
    """R6.9: an admission needs a token left: two decodes under a budget of 2."""
    assert exclusive((0, 2, 2), (0, 2, 2), (1.5, 2, 0), budget=2)[2] == (2, "s0:d 1, s1:d 1")


def test_an_exclusive_admission_reads_the_whole_budget() -> None:
    """R6.9: at 1 one decode is chosen (7 of 8 left), and the hold of session 1 reads 8."""
    m = Model()
    kv, seats = m.pool("kv", 100), m.pool("seats", 9, admit_via=0)
    llm = m.engine(budget=8, serve=None, memory=kv)
    dl = m.delay()
    m.batch(2)
    look = m.observe("own", call("Allocated", kv))
    m.session(run(dl, serial / 2), hold((seats, 1), (kv, call("BudgetLeft", llm)), body=[look, prefill(llm, 2), decode(llm, 2)]))
    assert values(m.build(), "own") == [8, 8]


def test_an_exclusive_engine_counts_the_attention_of_its_one_prefill() -> None:
    """R6.9, R6.23: the note of the chosen chunk only: 4 * 2 = 8 at 1, with a decode displaced."""
    rows = exclusive((0, 2, 1), (0.5, 4, 0), budget=8, cost=1 + ctx("Attn"))
    # 2 * 1 = 2 at 0, until 3; 8 at 3, until 12.
    assert [start for start, _ in rows] == [0, 3, 12]


def test_a_self_preemption_ends_an_exclusive_attempt() -> None:
    """R6.9, R6.30: session 1's decode grows past the memory and is its own victim; session 0's token runs alone."""
    rows = exclusive((0, 2, 3), (0, 2, 3), kv={"cap": 5, "units": 2, "preempt": LIFO}, budget=8)
    assert rows[:3] == [(0, "s0:p 2"), (1, "s1:p 2"), (2, "s0:d 1")]


def test_an_exclusive_engine_stops_admitting_after_a_preemption() -> None:
    """R6.9, R6.8: the decode of session 0 preempts session 1 at 2; session 2 waits although tokens are left."""
    rows = exclusive((0, 2, 3), (0, 2, 3), (1.5, 0, 1), kv={"cap": 4, "units": where(serial < 2, 2, 0), "preempt": LIFO}, budget=8)
    assert rows[2] == (2, "s0:d 1")


def test_a_prefill_that_waits_for_memory_does_not_displace() -> None:
    """R6.9, R6.6.4: its growth waits: it is skipped, and the decodes chosen stay."""
    m = Model()
    kv = m.pool("kv", 8)
    llm = m.engine(budget=8, serve=None, memory=kv)
    dl = m.delay()
    m.batch(2)
    zero = [hold((kv, 6), body=[prefill(llm, 2), decode(llm, 4)])]
    one = [run(dl, 0.5), hold((kv, 2), body=[prefill(llm, 4, kv)])]
    m.session(branch(serial.equals(0), zero, one))
    # At 1 a prefill resides, so no decode runs; its growth waits, nothing is scheduled; nothing else ever happens.
    program = m.build()
    assert starts(program) == [(0, "s0:p 2")]
    assert report(program)["pools"][0]["growing_at_end"] == 1


def test_an_admission_of_no_prefill_lets_the_decodes_of_the_newcomer_join() -> None:
    """R6.9: `resident prefill` is judged when the attempt begins: a newcomer that decodes joins those chosen."""
    m = Model()
    seats = m.pool("seats", 9, admit_via=0)
    llm = m.engine(budget=8, serve=None)
    dl = m.delay()
    m.batch(2)
    body = [branch(serial.equals(0), [prefill(llm, 2)]), decode(llm, 2)]
    m.session(run(dl, serial / 2), hold((seats, 1), body=body))
    assert starts(m.build())[1] == (1, "s0:d 1, s1:d 1")


# --------------------------------------------------------------------------- self-preemption


def test_a_session_that_is_its_own_victim_ends_the_default_procedure() -> None:
    """R6.30, R6.8: session 1, served first by its key, preempts itself; session 0 gets nothing and nobody is admitted."""
    s = Serving(((0, 3, 2), (0, 3, 2), (0.5, 1, 0)))
    s.seats()
    s.kv(6, units=where(serial < 2, 3, 0), preempt=LIFO)
    program = s.build(s.engine(serve=[-serial]))
    first, second = trajectory(program)[:2]
    assert (second.start, second.batch, second.used) == (1, "", "1/3")
    outcomes = [d.outcome for d in decisions(program, Attempted) if isinstance(d, Attempted)]
    assert outcomes[:2] == ["iteration", "preempted"]
    assert first.batch == "s0:p 3, s1:p 3"


def test_the_batch_built_before_a_self_preemption_runs() -> None:
    """R6.30: session 0 has its token when session 1 preempts itself."""
    m = Model()
    kv = m.pool("kv", 9, preempt=LIFO)
    llm = m.engine(budget=16, memory=kv)
    m.batch(2)
    m.session(hold((kv, 4), body=[prefill(llm, maximum(4, computed), kv), decode(llm, 2, kv)]))
    assert starts(m.build())[1] == (1, "s0:d 1")
