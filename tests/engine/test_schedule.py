"""Iteration bodies: serving, admitting, branches and registers (R6.3.5, R6.14 to R6.18)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.decisions import Attempted, Guarded, RegisterSet
from grammar import ir
from tests.engine.programs import (
    JOIN,
    LIFO,
    Model,
    admit,
    call,
    ctx,
    fork,
    hold,
    minimum,
    prefill,
    put,
    run,
    serial,
    serve,
    when,
    where,
)
from tests.engine.requests import Row, Serving
from tests.engine.watching import decisions, finished, gauge, moments, report, starts, trajectory, values


def scheduled(body: list[Any], *rows: Row, **engine: Any) -> list[tuple[float, str]]:
    """(start, batch) of requests with a seat under an iteration body."""
    s = Serving(rows)
    s.seats()
    return starts(s.build(s.engine(body=body, **engine)))


# --------------------------------------------------------------------------- serve


def test_the_statements_of_a_body_run_in_order_once_each() -> None:
    """R6.14: admitting first: the newcomer takes what the resident would have had."""
    rows: list[Row] = [(0, 4, 9), (0.5, 4, 0)]
    assert scheduled([serve(), admit()], *rows, budget=4)[1] == (1, "s0:d 1, s1:p 3")
    assert scheduled([admit(), serve()], *rows, budget=4)[1] == (1, "s1:p 4")


def test_a_body_that_only_serves_admits_nobody() -> None:
    """R6.14."""
    s = Serving(((0, 4, 1),))
    s.seats()
    program = s.build(s.engine(body=[serve()]))
    assert starts(program) == []
    assert report(program)["stages"][0]["idle_with_work"] is True


def test_a_serve_may_have_an_order_of_its_own() -> None:
    """R6.15: `by` in place of the stage's keys, for this statement."""
    rows: list[Row] = [(0, 2, 3), (0, 2, 3), (0, 2, 3)]
    body = [serve(by=[-ctx("Admission")]), admit()]
    assert scheduled(body, *rows, serve=[ctx("Admission")])[1] == (1, "s2:d 1, s1:d 1, s0:d 1")


def test_keys_of_a_serve_that_read_the_state_are_read_again_after_every_resident() -> None:
    """R6.15: while more than 6 are free the late come first; after session 3's growth the early."""
    s = Serving(((0, 2, 0), (0, 2, 0), (0, 2, 0), (0, 8, 0)))
    kv = s.kv(16, preempt=LIFO)
    late_first = where(call("Free", kv) > 6, 0 - serial, serial)
    assert starts(s.build(s.engine(body=[serve(by=[late_first])])))[0] == (0, "s3:p 8, s0:p 2, s1:p 2, s2:p 2")


def test_only_sets_residents_aside_for_its_statement_alone() -> None:
    """R6.15: first the decodes, then the others; a decode served is not served again (R6.7)."""
    rows: list[Row] = [(0, 9, 1), (0, 2, 3)]
    body = [serve(only=ctx("Decoding")), serve(), admit()]
    assert scheduled(body, *rows, budget=5, chunk=3)[1] == (1, "s1:d 1, s0:p 3")


def test_only_reads_the_resident_and_the_totals() -> None:
    """R6.15: those with at most 3 tokens left, and nobody while two reside."""
    rows: list[Row] = [(0, 9, 0), (0, 2, 3)]
    body = [serve(only=(ctx("Remaining") <= 3).both(ctx("Nres") < 3)), admit()]
    assert scheduled(body, *rows, budget=5, chunk=3)[1] == (1, "s1:d 1")
    assert scheduled([serve(only=ctx("Nres") < 2), admit()], *rows, budget=5, chunk=3) == [(0, "s0:p 3, s1:p 2")]


def test_a_resident_set_aside_is_tried_again_by_the_next_statement_only() -> None:
    """R6.15: what `only` reads may change meanwhile, but the statement does not look again.

    Session 0 is set aside while both hold 1 (Kvp 2); then session 1 grows to 5 (Kvp 6).
    """
    s = Serving(((0, 2, 0), (0, 5, 0)))
    s.kv(100)
    body = [serve(only=(ctx("Kvp") > 3).either(serial))]
    assert starts(s.build(s.engine(body=body)))[0] == (0, "s1:p 5")
    s = Serving(((0, 2, 0), (0, 5, 0)))
    s.kv(100)
    assert starts(s.build(s.engine(body=[*body, *body])))[0] == (0, "s1:p 5, s0:p 2")


def test_a_self_preemption_ends_its_serve_and_not_the_body() -> None:
    """R6.15, R6.30: session 1, served first, is its own victim; the serve ends; a second one serves session 0."""
    rows: list[Row] = [(0, 3, 2), (0, 3, 2)]

    def run_with(body: list[Any]) -> list[tuple[float, str]]:
        s = Serving(tuple(rows))
        s.kv(6, units=3, preempt=LIFO)
        return starts(s.build(s.engine(serve=[-serial], body=body)))

    assert run_with([serve()])[1] == (1, "")
    assert run_with([serve(), serve()])[1] == (1, "s0:d 1")


# --------------------------------------------------------------------------- admit


def test_an_admit_goes_on_while_its_gate_is_one() -> None:
    """R6.16, R6.18: at most two in an attempt."""
    rows: list[Row] = [(0, 2, 0)] * 5
    body = [serve(), admit(gate=ctx("Admitted") < 2)]
    assert [b for _, b in scheduled(body, *rows)] == ["s0:p 2, s1:p 2", "s2:p 2, s3:p 2", "s4:p 2"]


def test_a_newcomer_that_only_excludes_stays_unserved_until_a_later_statement() -> None:
    """R6.16: prompts of 5 are admitted and wait for the serve behind."""
    rows: list[Row] = [(0, 5, 0), (0, 2, 0)]
    assert scheduled([admit(only=ctx("Remaining") < 4), serve()], *rows)[0] == (0, "s1:p 2, s0:p 5")
    assert scheduled([serve(), admit(only=ctx("Remaining") < 4)], *rows) == [(0, "s1:p 2"), (1, "s0:p 5")]


def test_an_admit_serves_newcomers_only() -> None:
    """R6.16: the resident decode gets nothing from it."""
    rows: list[Row] = [(0, 2, 1), (0.5, 3, 0)]
    assert scheduled([admit(), when(ctx("Admitted").equals(0), [serve()])], *rows) == [
        (0, "s0:p 2"),
        (1, "s1:p 3"),
        (2, "s0:d 1"),
    ]


def test_newcomers_are_served_in_the_order_of_the_stage() -> None:
    """R6.16: one admission makes two residents (a session and its leg): the stage's keys order them, not a serve's `by`."""
    m = Model()
    seats = m.pool("seats", 9, admit_via=0)
    llm = m.engine(serve=[-ctx("Remaining")], body=[serve(by=[ctx("Remaining")]), admit()])
    m.session(hold((seats, 1), body=[fork([prefill(llm, 3)]), prefill(llm, 2), JOIN]))
    assert starts(m.build())[0] == (0, "s0:p 3, s0:p 2")


def test_a_refused_newcomer_ends_the_admit_and_those_after_it() -> None:
    """R6.16: granule 4: of 6, session 0 takes 4 of 9; 2 left: session 1's prefill of 5 is refused; session 2 is not admitted."""
    rows: list[Row] = [(0, 4, 0), (0, 5, 0), (0, 1, 0)]
    assert scheduled([serve(), admit(), admit()], *rows, budget=6, granule=4)[0] == (0, "s0:p 4")
    # The refused one is resident: it goes first in the next attempt.
    assert scheduled([serve(), admit(), admit()], *rows, budget=6, granule=4)[1] == (1, "s1:p 5, s2:p 1")


def test_an_admit_without_a_gate_goes_on_in_an_attempt_that_preempted() -> None:
    """R6.16: the default procedure would not; with the gate `preempted == 0` it is the default.

    The victim of 1 goes to the back of the queue (`tail`), behind session 2.
    """
    rows: tuple[Row, ...] = ((0, 3, 1), (0, 3, 1), (0.5, 1, 0))

    def run_with(body: list[Any] | None) -> list[tuple[float, str]]:
        s = Serving(rows)
        s.kv(6, units=where(serial < 2, 3, 0), preempt=LIFO, tail=True, admit_via=0)
        return starts(s.build(s.engine(body=body)))

    assert run_with([serve(), admit()])[1] == (1, "s0:d 1, s2:p 1")
    gated = [serve(), admit(gate=ctx("Preempted").equals(0))]
    assert run_with(gated)[1] == (1, "s0:d 1")
    assert run_with(gated) == run_with(None)


def test_a_stopped_newcomer_ends_the_admit() -> None:
    """R6.16, R6.30: session 1, admitted, must grow and is its own victim; session 2 waits."""
    s = Serving(((0, 3, 0), (0, 5, 0), (0, 1, 0)))
    s.seats()
    s.kv(6, units=1, preempt=LIFO)
    first = trajectory(s.build(s.engine(body=[serve(), admit()])))[0]
    assert (first.batch, first.used) == ("s0:p 3", "1/3")


def test_what_is_left_of_the_budget_is_read_by_the_hold_an_admit_admits() -> None:
    """R6.12, R6.16: 10 less 4 of session 0: session 1 holds 6."""
    m = Model()
    kv, seats = m.pool("kv", 100), m.pool("seats", 9, admit_via=0)
    llm = m.engine(budget=10, memory=kv, body=[serve(), admit()])
    m.batch(2)
    look = m.observe("own", call("Allocated", kv))
    m.session(hold((seats, 1), (kv, minimum(9, call("BudgetLeft", llm))), body=[look, prefill(llm, 4 + serial)]))
    assert values(m.build(), "own") == [9, 6]


# --------------------------------------------------------------------------- guards and registers


@pytest.mark.parametrize(
    ("variable", "values_seen"),
    [
        # Two requests of 4 + decode under a budget of 6: batches p4 p2 | d p2 | d d, read behind the serve.
        ("Ntok", [0, 1 + 2, 2]),
        ("Npre", [0, 2, 0]),
        ("Nres", [0, 2, 2]),
        ("Ndec", [0, 1, 2]),
        ("Kvb", [0, 5, 6 + 5]),
        ("Kvp", [0, 4, 0]),
    ],
)
def test_a_body_reads_the_batch_so_far_and_the_residents_as_they_stand(variable: str, values_seen: list[float]) -> None:
    """R6.18; each holds 4 and grows by its decodes; session 0 decodes 2, session 1 decodes 1."""
    s = Serving(((0, 4, 2), (0, 4, 1)))
    seen = s.m.register("seen", -1)
    s.seats()
    s.kv(100, units=4)
    s.m.gauge("seen", seen)
    program = s.build(s.engine(budget=6, body=[serve(), put(seen, ctx(variable)), admit()]))
    assert _at_iterations(program, 3) == values_seen


def _at_iterations(program: ir.Program, count: int) -> list[float]:
    """The first register's value while each of the first iterations runs."""
    found = []
    for simulation, snapshot in moments(program):
        if simulation.attempted is not None and snapshot.engines[0].batch is not None:
            found.append(snapshot.engines[0].registers[0].value)
    return found[:count]


def test_a_body_reads_what_was_admitted_and_preempted_in_this_attempt() -> None:
    """R6.18: 10 * admitted + preempted: three admitted; then one preempted by a growth; then the victim comes back."""
    s = Serving(((0, 2, 2), (0, 2, 2), (0, 2, 2)))
    seen = s.m.register("seen")
    s.seats()
    s.kv(8, units=2, preempt=LIFO)
    body = [serve(), admit(gate=ctx("Preempted").equals(0)), put(seen, 10 * ctx("Admitted") + ctx("Preempted"))]
    assert _at_iterations(s.build(s.engine(body=body)), 3)[:2] == [30, 1]


def test_a_branch_takes_its_first_arm_for_one_and_its_second_for_zero() -> None:
    """R6.17: admit two or one, by whether somebody resides."""
    rows: list[Row] = [(0, 2, 2), (0, 2, 0), (0, 2, 0), (0, 2, 0)]
    arms = when(ctx("Nres") > 0, [admit(gate=ctx("Admitted") < 1)], [admit(gate=ctx("Admitted") < 2)])
    assert [b for _, b in scheduled([serve(), arms], *rows)] == ["s0:p 2, s1:p 2", "s0:d 1, s2:p 2", "s0:d 1, s3:p 2"]


def test_a_register_keeps_its_value_between_iterations_and_is_read_elsewhere() -> None:
    """R6.17: counts iterations; a gauge and the cost read it."""
    s = Serving(((0, 1, 2),))
    n = s.m.register("n", 1)
    s.seats()
    s.m.gauge("n", n)
    program = s.build(s.engine(cost=n, body=[serve(), admit(), put(n, n + 1)]))
    assert [start for start, _ in starts(program)] == [0, 2, 5]
    assert gauge(finished(program), "n") == [(0, 2), (2, 3), (5, 4)]


def test_an_attempt_that_comes_to_nothing_puts_the_registers_back() -> None:
    """R6.3.5: the body counts attempts, but those that schedule, preempt and admit nothing do not count.

    The request arrives at 3 and is gated out until the register is 1: never.
    """
    m = Model()
    n, k = m.register("n"), m.register("k", 5)
    seats = m.pool("seats", 9, admit_via=0)
    llm = m.engine(body=[serve(), put(n, n + 1), put(k, k * 2), admit(gate=n > 1)])
    dl = m.delay()
    m.batch(3)
    m.gauge("n", n)
    m.gauge("k", k)
    m.session(run(dl, 1 + serial), hold((seats, 1), body=[prefill(llm, 1)]))
    simulation = finished(m.build())
    assert gauge(simulation, "n") == [(0, 0)]
    assert gauge(simulation, "k") == [(0, 5)]
    undone = [d for d in decisions(m.build(), RegisterSet) if isinstance(d, RegisterSet) and d.undone]
    assert [(d.time, d.register, d.before, d.after) for d in undone[:2]] == [(1, 0, 1, 0), (1, 1, 10, 5)]


def test_an_attempt_that_admitted_keeps_its_registers_though_it_scheduled_nothing() -> None:
    """R6.3.5, R6.4: session 0 is admitted and works elsewhere: nothing is scheduled, the register stays."""
    m = Model()
    n = m.register("n")
    seats = m.pool("seats", 9, admit_via=0)
    llm = m.engine(body=[serve(), put(n, n + 1), admit()])
    dl = m.delay()
    m.gauge("n", n)
    m.session(hold((seats, 1), body=[run(dl, 2), prefill(llm, 1)]))
    simulation = finished(m.build())
    assert gauge(simulation, "n") == [(0, 1), (2, 2)]


def test_an_attempt_that_only_preempted_keeps_its_registers() -> None:
    """R6.3.5, R6.4."""
    s = Serving(((0, 3, 2), (0, 3, 2)))
    n = s.m.register("n")
    s.kv(6, units=3, preempt=LIFO)
    s.m.gauge("n", n)
    program = s.build(s.engine(serve=[-serial], body=[put(n, n + 1), serve()]))
    assert starts(program)[1] == (1, "")
    assert gauge(finished(program), "n")[:2] == [(0, 1), (1, 2)]


def test_what_was_read_and_executed_is_recorded_in_order() -> None:
    """R6.14: paths: the statement's index, and inside a branch the arm and the index there."""
    rows: list[Row] = [(0, 2, 0)]
    s = Serving(tuple(rows))
    n = s.m.register("n")
    s.seats()
    program = s.build(s.engine(body=[serve(), when(n < 1, [put(n, 1), admit()], [put(n, 0)])]))
    recorded = decisions(program, Guarded, RegisterSet, Attempted)
    assert recorded[0] == Guarded(0, 0, (1,), 1)
    assert recorded[1] == RegisterSet(0, 0, (1, 0, 0), 0, 0, 1, undone=False)
    assert recorded[2] == Attempted(0, 0, "iteration", (1, 0, 1), ((0,), (1,), (1, 0, 0), (1, 0, 1)), 1, 0)


def test_the_default_procedure_is_recorded_as_serve_then_admit() -> None:
    """R6.8 as a schedule: path 0 is the serve, path 1 the admit, each time one follows the other."""
    s = Serving(((0, 2, 0),))
    s.seats()
    (attempted,) = decisions(s.build(s.engine()), Attempted)
    assert isinstance(attempted, Attempted)
    assert (attempted.lit, attempted.executed) == ((1,), ((0,), (1,)))
