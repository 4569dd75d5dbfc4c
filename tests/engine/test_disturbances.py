"""What keeps an engine's decodes from being counted together or leapt over: each beside the plain path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engine import shortage
from engine.batch import Attempt
from engine.calendar import Cohort
from engine.simulation import Simulation
from engine.stage_state import StageState
from engine.state import State
from grammar import ir
from tests.engine.programs import (
    JOIN,
    Model,
    admit,
    branch,
    call,
    ctx,
    decode,
    fork,
    grow,
    hold,
    maximum,
    now,
    prefill,
    run,
    serial,
    serve,
    where,
)
from tests.engine.requests import Serving
from tests.engine.strategies import Choices, build


def decoding(m: Model, *others: list[Any], kv: float = 500, **engine: Any) -> ir.Program:
    """Session 0 decodes 60 tokens, growing; the others do what they do."""
    memory = m.pool("kv", kv)
    llm = m.engine(memory=memory, **engine)
    body: list[Any] = [hold((memory, 4), body=[prefill(llm, 4, memory), decode(llm, 60, memory), m.observe("done", now)])]
    for i, other in reversed(list(enumerate(others, start=1))):
        body = [branch(serial.equals(i), other, body)]
    m.batch(1 + len(others))
    m.session(*body)
    return m.build(100)


def another_engine_that_idles_with_a_resident() -> ir.Program:
    """The other engine may serve from 30 on; the first event from then on tries it: an end of an iteration of ours."""
    m = Model()
    llm = m.engine(name="late", budget=where(now < 30, 0, 9))
    return decoding(m, [prefill(llm, 2), m.observe("late", now)])


def a_growth_that_waits() -> ir.Program:
    """It is granted when its pool has room, at 20."""
    m = Model()
    mem = m.pool("mem", 10)
    dl = m.delay()
    waits = [run(dl, 1), hold((mem, 5), body=[grow(mem, 5), m.observe("grown", now)])]
    return decoding(m, waits, [hold((mem, 5), body=[run(dl, 20)])])


def a_long_queue_under_keys() -> ir.Program:
    """Ten holds wait with keys that age; the pool is free at 40."""
    m = Model()
    mem = m.pool("mem", 1, queue=[ctx("Waited") * (serial - 5)])
    dl = m.delay()
    waits = [[run(dl, 1), hold((mem, 1), body=[m.observe("in", serial)])] for _ in range(10)]
    return decoding(m, [hold((mem, 1), body=[run(dl, 40)])], *waits)


def a_join() -> ir.Program:
    m = Model()
    mem = m.pool("mem", 1)
    dl = m.delay()
    return decoding(m, [hold((mem, 1), body=[run(dl, 30)])], [run(dl, 1), fork([hold((mem, 1), body=[run(dl, 50)])]), JOIN])


def units_that_grow_out_of_range() -> ir.Program:
    """A hold whose units fall with what is used: it fits when session 0 has grown enough."""
    m = Model()
    mem = m.pool("mem", 5)
    need = maximum(1, 12 - call("Used", m.pool("unused", 5)))
    dl = m.delay()
    return decoding(m, [hold((mem, where(now < 25, need, 1)), body=[m.observe("in", now), run(dl, 1)])])


def units_that_fall_as_the_memory_fills() -> ir.Program:
    m = Model()
    kv, mem = m.pool("kv", 80), m.pool("mem", 10)
    llm = m.engine(memory=kv)
    dl = m.delay()
    m.batch(2)
    zero = [hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, 60, kv), m.observe("done", now)])]
    one = [hold((mem, maximum(1, 40 - call("Used", kv))), body=[m.observe("in", now), run(dl, 1)])]
    m.session(branch(serial.equals(0), zero, one))
    return m.build(100)


def a_prompt_that_is_not_whole() -> ir.Program:
    """Before tokens had to be whole: a prefill of 3 in chunks of 0.75 beside a decode."""
    s = Serving(((0, 1, 40), (5, 3, 10)))
    s.seats()
    s.kv(500)
    return s.build(s.engine(chunk=0.75, cost=1 + 0.001 * ctx("Kvp") + 0.002 * ctx("Kvb")), 100)


def memory_that_is_not_whole() -> ir.Program:
    """Holds of 1.5 units that nothing grows, read by the cost."""
    s = Serving(((0, 1, 40), (0, 1, 40), (6, 9, 10)))
    s.grows = False
    s.kv(500, units=where(serial < 2, 2, 1.5))
    return s.build(s.engine(budget=3, cost=1 + 0.001 * ctx("Kvp") + 0.002 * ctx("Kvb")), 100)


def a_decode_that_is_not_whole() -> ir.Program:
    """R6.5: its last token is half a token, which a calendar of whole ticks has no place for."""
    s = Serving(((0, 1, 20.5), (0, 1, 40)))
    return s.build(s.engine(cost=1 + 0.01 * ctx("Ntok")), 100)


def a_budget_that_is_not_whole() -> ir.Program:
    s = Serving(((0, 1, 40), (0, 1, 40)))
    return s.build(s.engine(budget=where(now < 20, 4.5, 1)), 100)


def a_planned_budget_read_beside_a_prompt_that_is_not_whole() -> ir.Program:
    m = Model()
    llm = m.engine(budget=50, chunk=0.75)
    dl = m.delay()
    m.batch(3)
    looks = [run(dl, 5.5), m.observe("left", call("BudgetLeft", llm)), run(dl, 1), m.observe("left", call("BudgetLeft", llm))]
    m.session(branch(serial < 2, [run(dl, 5 * serial), prefill(llm, 3), decode(llm, 30), m.observe("done", now)], looks))
    return m.build(100)


def a_memory_grown_by_one_and_held_by_another() -> ir.Program:
    """Session 1 decodes without growing, with two holds of the memory."""
    m = Model()
    kv = m.pool("kv", 300)
    llm = m.engine(memory=kv, cost=1 + 0.01 * ctx("Kvb"))
    m.batch(2)
    grows = [hold((kv, 2), body=[prefill(llm, 2, kv), decode(llm, 30, kv)])]
    holds = [hold((kv, 3), body=[hold((kv, 4), body=[prefill(llm, 2), decode(llm, 20)])])]
    m.session(branch(serial.equals(0), grows, holds), m.observe("done", now))
    return m.build(100)


def a_second_pool_grown() -> ir.Program:
    """Session 1 grows a pool that is not the engine's memory."""
    m = Model()
    kv, other = m.pool("kv", 300), m.pool("other", 300)
    llm = m.engine(memory=kv)
    m.batch(2)
    grows = [hold((kv, 2), body=[prefill(llm, 2, kv), decode(llm, 30, kv)])]
    aside = [hold((other, 2), body=[prefill(llm, 2, other), decode(llm, 40, other)])]
    m.session(branch(serial.equals(0), grows, aside), m.observe("done", now))
    return m.build(100)


def a_leg_that_decodes() -> ir.Program:
    m = Model()
    llm = m.engine()
    m.batch(2)
    m.session(fork([prefill(llm, 1), decode(llm, 25)]), prefill(llm, 2), decode(llm, 40), JOIN, m.observe("done", now))
    return m.build(100)


def a_newcomer_that_finishes_with_a_member() -> ir.Program:
    """Prefills are served first, but whoever is let in during an attempt is served last, and so completes last (R6.19)."""
    m = Model()
    seats = m.pool("seats", 9, admit_via=0)
    llm = m.engine(serve=[ctx("Decoding")], budget=8)
    dl = m.delay()
    m.batch(3)
    # Prefilled in 0 to 1, the first decodes its twentieth token in 20 to 21, with the prompt of who came at 19.5.
    decodes = hold((seats, 1), body=[prefill(llm, 1), decode(llm, 20 * (serial + 1)), m.observe("done", serial)])
    prefills = hold((seats, 1), body=[prefill(llm, 1), m.observe("done", serial)])
    m.session(branch(serial.equals(2), [run(dl, 19.5), prefills], [decodes]))
    return m.build(100)


def a_prompt_served_before_the_members() -> ir.Program:
    """R6.10, R6.19: prefills go first: the later resident, whose last chunk comes with the first's last token, completes first."""
    m = Model()
    llm = m.engine(serve=[ctx("Decoding")], budget=8, chunk=4)
    dl = m.delay()
    m.batch(2)
    # Prefilled in 0 to 1, the first decodes its twentieth token in 20 to 21; chunks of 4 of 12 tokens go in 18 to 21.
    m.session(
        branch(serial.equals(1), [run(dl, 17.5), prefill(llm, 12)], [prefill(llm, 1), decode(llm, 20)]), m.observe("done", serial)
    )
    return m.build(100)


def members_served_before_a_prompt() -> ir.Program:
    """The other way round: decodes go first, and the prefill, resident before them, completes last."""
    m = Model()
    llm = m.engine(serve=[-ctx("Decoding")], budget=8, chunk=1)
    m.batch(2)
    m.session(branch(serial.equals(0), [prefill(llm, 21)], [prefill(llm, 1), decode(llm, 20)]), m.observe("done", serial))
    return m.build(100)


def a_token_out_of_step_ahead_of_the_members() -> ir.Program:
    """R9.8: two requests decode, pause and prefill once more: a token each after a long gap, before those of who decodes on.

    The gaps are no whole numbers, so their sum tells in which order they were added.
    """
    m = Model()
    seats, dl = m.pool("seats"), m.delay()
    llm = m.engine(cost=0.1 + 0.0137 * ctx("Ntok"))
    pausing = [prefill(llm, 2), decode(llm, 3), run(dl, 5.3 + 0.7 * serial), prefill(llm, 4), decode(llm, 20)]
    m.batch(5)
    m.session(hold((seats, 1), body=[branch(serial < 2, pausing, [prefill(llm, 1), decode(llm, 200)])]))
    return m.build(100)


def a_schedule_that_serves_twice() -> ir.Program:
    """R6.15: whoever is admitted after the first statement is served by the last, and nobody a second time."""
    s = Serving(((0, 1, 40), (0, 2, 40), (6.5, 3, 10)))
    s.seats()
    s.kv(500)
    return s.build(s.engine(body=[serve(), admit(), serve()], cost=1 + 0.01 * ctx("Ntok"), budget=50), 100)


def a_prefill_that_a_granule_refuses() -> ir.Program:
    """R6.8: chunks of 2 are no granule of 4, so the request of 5.2 gets nothing, and the one of 6.5 is not let in."""
    s = Serving(((0, 1, 40), (0, 2, 40), (5.2, 9, 10), (6.5, 2, 10)))
    s.seats()
    s.kv(500)
    return s.build(s.engine(chunk=2, granule=4, cost=1 + 0.01 * ctx("Ntok"), budget=50), 100)


LATEST = -ctx("Admission")


def short(
    *rows: tuple[float, float, float],
    cap: float,
    by: Any = LATEST,
    block: float | None = None,
    tail: bool = False,
    body: list[Any] | None = None,
) -> ir.Program:
    """Requests whose decodes come to more than their memory, which preempts by a key; none is cached."""
    s = Serving(rows)
    s.seats()
    s.kv(cap, units=s.prompt, preempt=[by], block=block, tail=tail)
    return s.build(s.engine(body=body, cost=1 + 0.01 * ctx("Kvb"), budget=50), 200)


def a_member_that_gives_way_to_another() -> ir.Program:
    """Four decodes in 40 units: 4 + 9 n > 40 at the tenth tick, and the last admitted gives way to the first."""
    return short((0, 1, 30), (0, 1, 30), (0, 1, 30), (0, 1, 30), cap=40)


def the_last_member_that_gives_way_to_itself() -> ir.Program:
    """In blocks of 4 only the last admitted, which came two ticks later, grows where room is out."""
    return short((0, 1, 30), (0, 1, 30), (2.5, 1, 30), cap=24, block=4)


def a_member_that_gives_way_to_itself_before_others() -> ir.Program:
    """The first admitted has the least key: at its own growth it loses its hold, and those behind it go without tokens."""
    return short((0, 3, 30), (0, 1, 30), (2.5, 1, 30), cap=32, by=ctx("Admission"), block=4)


def the_longest_gives_way() -> ir.Program:
    return short((0, 2, 30), (0, 5, 30), (0, 1, 30), (7.5, 3, 9), cap=44, by=-ctx("Position"))


def a_prefill_that_gives_way() -> ir.Program:
    """The newcomer's prompt is half prefilled when the decodes need its blocks."""
    return short((0, 1, 30), (0, 1, 30), (4.2, 30, 5), cap=44)


def a_prefill_that_grows_where_room_is_out() -> ir.Program:
    """A request holds one unit and prefills twenty in chunks: its growths and the decodes' compete."""
    s = Serving(((0, 1, 30), (0, 1, 30), (3.2, 20, 9)))
    s.seats()
    s.kv(36, preempt=[-ctx("Admission")])
    return s.build(s.engine(chunk=4, cost=1 + 0.01 * ctx("Kvb"), budget=50), 200)


def a_victim_at_the_tail() -> ir.Program:
    return short((0, 1, 30), (0, 1, 30), (0, 1, 30), (1, 2, 4), cap=30, tail=True)


def a_shortage_under_a_schedule() -> ir.Program:
    """Guarded admission: nobody is let in where somebody gave way."""
    body = [serve(), admit(gate=ctx("Preempted").equals(0))]
    return short((0, 1, 30), (0, 1, 30), (2.5, 1, 30), (6.1, 2, 8), cap=30, body=body)


def a_cached_prefix_that_goes_before_anybody() -> ir.Program:
    """Turns leave prefixes cached, so growths evict before they preempt."""
    s = Serving(((0, 2, 20), (0, 3, 25), (4.5, 1, 30)))
    s.seats()
    s.kv(48, units=s.prompt, preempt=[-ctx("Admission")], block=2)
    s.cache = s.prompt + s.out
    return s.build(s.engine(cost=1 + 0.01 * ctx("Kvb")), 200)


SHORT: tuple[Callable[[], ir.Program], ...] = (
    a_member_that_gives_way_to_another,
    the_last_member_that_gives_way_to_itself,
    a_member_that_gives_way_to_itself_before_others,
    the_longest_gives_way,
    a_prefill_that_gives_way,
    a_prefill_that_grows_where_room_is_out,
    a_victim_at_the_tail,
    a_shortage_under_a_schedule,
    a_cached_prefix_that_goes_before_anybody,
)

DISTURBED: tuple[Callable[[], ir.Program], ...] = (
    another_engine_that_idles_with_a_resident,
    a_growth_that_waits,
    a_long_queue_under_keys,
    a_join,
    units_that_grow_out_of_range,
    units_that_fall_as_the_memory_fills,
    a_prompt_that_is_not_whole,
    memory_that_is_not_whole,
    a_budget_that_is_not_whole,
    a_decode_that_is_not_whole,
    a_planned_budget_read_beside_a_prompt_that_is_not_whole,
    a_memory_grown_by_one_and_held_by_another,
    a_second_pool_grown,
    a_leg_that_decodes,
    a_newcomer_that_finishes_with_a_member,
    a_prompt_served_before_the_members,
    members_served_before_a_prompt,
    a_token_out_of_step_ahead_of_the_members,
    a_schedule_that_serves_twice,
    a_prefill_that_a_granule_refuses,
)


def at(program: ir.Program, time: float, *, plain: bool) -> Simulation:
    simulation = Simulation(program, horizon=time, plain=plain)
    simulation.run()
    assert simulation.failure is None, simulation.failure
    return simulation


@pytest.mark.parametrize("program", DISTURBED, ids=lambda program: program.__name__)
def test_a_disturbance_is_met_as_on_the_plain_path(program: Callable[[], ir.Program]) -> None:
    """At the end and at moments between."""
    made = program()
    for time in (made.horizon, 7.3, 22.0, 33.5, 41.0):
        fast, plain = at(made, time, plain=False), at(made, time, plain=True)
        assert fast.result() == plain.result()
        assert replace(fast.snapshot(), stage=None) == replace(plain.snapshot(), stage=None)


@pytest.mark.parametrize("program", SHORT, ids=lambda program: program.__name__)
def test_a_shortage_of_memory_is_met_as_on_the_plain_path(
    program: Callable[[], ir.Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R4.16 to R4.18: at the end and at moments between; the short cut is taken, else this would compare nothing."""
    taken: list[float] = []
    served = shortage.serve

    def noted(k: State, st: StageState, cohort: Cohort, a: Attempt) -> bool:
        taken.append(k.now)
        return served(k, st, cohort, a)

    monkeypatch.setattr(shortage, "serve", noted)
    made = program()
    for time in (made.horizon, 7.3, 9.9, 11.4, 14.2, 22.0, 33.5):
        fast, plain = at(made, time, plain=False), at(made, time, plain=True)
        assert fast.result() == plain.result()
        assert replace(fast.snapshot(), stage=None) == replace(plain.snapshot(), stage=None)
    assert taken
    assert at(made, made.horizon, plain=True).report()["pools"][-1]["preemptions"] > 0


def executed(program: ir.Program, *, plain: bool) -> list[tuple[tuple[int, ...], ...]]:
    """The statements of each attempt."""
    simulation = Simulation(program, plain=plain)
    statements = []
    while simulation.step():
        statements.append(simulation.state.stages[0].executed)
    return statements


def test_a_newcomer_that_ends_the_counting_together_is_served_under_the_admission_all_the_same() -> None:
    """R6.8: found by walking random programs. Residents are served first and once; what follows an admission is its statement's."""
    program = build(
        Choices(
            rows=((0.0, 1, 0), (0.5, 1, 9), (2.5, 1, 6)),
            cap=14,
            block=1.0,
            preempt="decoding",
            seats=2,
            budget=3,
        )
    )
    statements = executed(program, plain=False)
    assert [(0,), (1,)] in statements
    assert [(0,), (1,), (0,)] not in statements
    assert statements == executed(program, plain=True)


def test_prefixes_evicted_by_keys_are_shown_in_one_order_whether_or_not_a_leap_looked_past_one() -> None:
    """R4.33: found by walking random programs. Request 2 waits for the one seat with its prefix cached while request 0 decodes."""
    program = build(
        Choices(
            rows=((0.0, 1, 10), (0.0, 1, 10), (0.0, 1, 16)),
            cap=400,
            evict="size",
            seats=1,
            turns=2,
        )
    )
    shown = []
    for plain in (False, True):
        simulation = Simulation(program, plain=plain)
        simulation.run()
        shown.append([pool.entries for pool in simulation.snapshot().pools])
    assert len(shown[0][0]) > 1
    assert shown[0] == shown[1]
