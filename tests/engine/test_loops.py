"""States that come back but for the clock, on programs small enough to be worked out and on random ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from engine.decisions import Decision
from engine.loops import Loop, NoLoop, find_loop
from engine.replay import steps
from engine.sameness import likeness
from engine.simulation import Simulation
from engine.snapshot import Who
from engine.targets import AtIteration
from engine.timeless import readable
from engine.timeline import Timeline
from grammar import ir
from tests.engine.programs import (
    END,
    LIFO,
    TURN,
    Model,
    StageOf,
    Value,
    aggregate,
    assign,
    branch,
    cached,
    call,
    ctx,
    decode,
    grow,
    hold,
    loop,
    maximum,
    now,
    prefill,
    put,
    run,
    sample,
    serial,
    serve,
    when,
)
from tests.engine.programs import computed as known
from tests.engine.strategies import programs

LLM = 0


def standing(program: ir.Program, iteration: int = 1) -> Timeline:
    timeline = Timeline(Simulation(program))
    timeline.seek(AtIteration(LLM, iteration))
    return timeline


def found(program: ir.Program, iteration: int = 1) -> Loop:
    loop = find_loop(standing(program, iteration).past, LLM)
    assert isinstance(loop, Loop)
    return loop


def never_fits() -> Model:
    """A request of 4 and 9 more tokens in a memory of 8: alone, it preempts itself as it comes to its ninth."""
    m = Model()
    kv = m.pool("kv", 8, preempt=LIFO, admit_via=0)
    llm = m.engine(budget=100, memory=kv)
    m.batch(1)
    m.session(hold((kv, maximum(4, known)), body=[prefill(llm, maximum(4, known), kv), decode(llm, 9, kv)]))
    return m


def closed(think: float = 2.0) -> Model:
    """One client after the other, each computed in two iterations of a second and then away for a while."""
    m = Model()
    llm = m.engine(budget=4)
    away = m.delay("away")
    m.arrive(ir.Closed(1))
    m.session(TURN, prefill(llm, 4), decode(llm, 1), run(away, think))
    return m


def test_a_request_that_preempts_itself_for_ever_is_a_loop() -> None:
    # 4 tokens of the prompt, then one each at 5, 6, 7 and 8; the ninth is its own preemption: iterations 1 to 6. From then on
    # its prompt is all 8: one iteration of 8 tokens, one that only preempts. The state after the first
    # preemption, at 5 s, knows 8 computed units, and the next preemption leaves the same.
    loop = found(never_fits().build(horizon=1000))
    assert (loop.began.iteration, loop.began.time) == (6, 5)
    assert (loop.iterations, loop.seconds) == (2, 2)
    assert (loop.tokens, loop.preempted, loop.admitted, loop.ended) == (8, ((Who(0), 1),), 1, 0)


def test_where_a_loop_began_is_the_same_from_every_moment() -> None:
    program = never_fits().build(horizon=100_000)
    began = found(program).began
    # 9,000 iterations on, the beginning lies far before the stretch that is looked at.
    assert found(program, 9_000).began == began
    assert found(program, 9_001).seconds == 2


def test_sessions_that_replace_each_other_are_the_same_but_for_their_names() -> None:
    # 4 and 1 tokens in 2 seconds, then 2 seconds away: the next one does the same.
    loop = found(closed().build(horizon=1000), 3)
    assert (loop.iterations, loop.seconds, loop.tokens, loop.ended) == (2, 4, 5, 1)


def test_a_clock_that_rounds_differently_is_the_same_clock() -> None:
    # A third of a second is rounded differently at every time.
    loop = found(closed(1 / 3).build(horizon=1000), 3)
    assert loop.seconds == pytest.approx(2 + 1 / 3)


def test_events_whose_order_is_a_matter_of_rounding_are_a_tie() -> None:
    # Ten iterations of 0.3 s of one client beside 3 s away of another: the sum and the product are rounded differently.
    m = Model()
    llm, away, first = m.engine(budget=1, cost=0.3), m.delay("away"), m.size("first")
    m.sessions([first], [1.0], [0.0])
    m.session(TURN, branch(first, [loop([prefill(llm, 1)])], [loop([run(away, 3)])]))
    assert found(m.build(horizon=1000), 3).tied
    # 2 s of iterations and 2 s away, one after the other, are never due together.
    assert not found(closed().build(horizon=1000), 3).tied


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        pytest.param(now, "it reads the clock", id="clock"),
        pytest.param(aggregate("Count", 0), "it reads what it has observed so far", id="observed"),
        pytest.param(call("EstWait", StageOf(0, 1)), "it reads an estimate of a stage's past", id="estimate"),
    ],
)
def test_a_program_that_reads_its_past_is_never_told_to_be_in_a_loop(value: Value, reason: str) -> None:
    m = Model()
    llm = m.engine(budget=4)
    m.arrive(ir.Closed(1))
    away = m.delay("away")
    m.session(TURN, m.observe("seen", 1), branch(value > 50, [run(away, 1)]), prefill(llm, 4))
    assert find_loop(standing(m.build(horizon=200)).past, LLM) == NoLoop(0, reason)


def test_a_time_that_is_only_measured_is_no_part_of_a_state() -> None:
    m = Model()
    llm, away, begun = m.engine(budget=4), m.delay("away"), m.value("begun")
    m.arrive(ir.Closed(1))
    m.session(TURN, assign(begun, now), prefill(llm, 4), run(away, 2), m.observe("took", now - begun))
    assert found(m.build(horizon=1000), 3).seconds == 3


def test_who_draws_or_reads_their_number_is_somebody_else() -> None:
    drawing = Model()
    llm = drawing.engine(budget=4)
    away = drawing.delay("away")
    drawing.arrive(ir.Closed(1))
    drawing.session(TURN, prefill(llm, 4), run(away, 1 + 0 * sample("Exp", 1)))
    numbered = Model()
    llm = numbered.engine(budget=4)
    away = numbered.delay("away")
    numbered.arrive(ir.Closed(1))
    numbered.session(TURN, prefill(llm, 4), run(away, maximum(1, serial - 1000)))
    for m in (drawing, numbered):
        assert isinstance(find_loop(standing(m.build(horizon=200), 3).past, LLM), NoLoop)


def counting(what: str) -> ir.Program:
    """Iterations of one token a second that look alike but for one thing, which goes on counting and may be read some day."""
    m = Model()
    step = m.register("step") if what == "register" else None
    body = [serve(), put(step, step + 1), when(step > 1e6, [serve()])] if step is not None else None
    cost = 1 + 0 * sample("Exp", 1) if what == "machine stream" else 1
    llm = m.engine(budget=1, cost=cost, body=body)
    kv, done = m.pool("kv", 1e9), m.value("done")
    m.batch(1)
    round_ = [prefill(llm, 1)]
    if what == "attribute":
        round_ += [assign(done, done + 1), branch(done > 1e6, [END])]
    if what == "units":
        round_ += [grow(kv, 1)]
    m.session(hold((kv, 1), body=[loop(round_)]))
    return m.build(horizon=1e9)


def test_what_looks_alike_and_is_alike_is_a_loop() -> None:
    assert found(counting("nothing")).iterations == 1


@pytest.mark.parametrize("what", ["attribute", "register", "units", "machine stream"])
def test_what_looks_alike_but_counts_on_is_no_loop(what: str) -> None:
    timeline = standing(counting(what))
    assert find_loop(timeline.past, LLM, ahead=100) == NoLoop(102)


def test_who_stands_in_another_order_is_in_another_state() -> None:
    # The same two wait and the same one runs, but whose turn it is changes: it takes three rounds, not one, to come back.
    m = Model()
    seats = m.pool("seats", 1, admit_via=0)
    llm = m.engine(budget=1)
    m.batch(3)
    m.session(loop([hold((seats, 1), body=[prefill(llm, 1)])]))
    assert found(m.build(horizon=1e9), 5).iterations == 3


def test_a_run_that_only_goes_on_is_no_loop() -> None:
    m = Model()
    kv = m.pool("kv", 10_000, admit_via=0)
    llm = m.engine(budget=10, memory=kv)
    m.batch(1)
    m.session(hold((kv, 1), body=[prefill(llm, 1, kv), decode(llm, 500, kv)]))
    loop = find_loop(standing(m.build(horizon=1000)).past, LLM)
    # 501 tokens, one after the other
    assert loop == NoLoop(501)


few = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


def in_words(record: Decision) -> tuple[Any, ...]:
    """A decision without its times and numbers that count: what has to be the same in every round of a loop."""
    counting = {"time", "iteration", "who", "grower", "by", "candidates", "turn", "opened", "first_token", "waited", "owner"}
    return (type(record), *(getattr(record, field.name) for field in fields(record) if field.name not in counting))


def rounds(timeline: Timeline, loop: Loop, count: int) -> Iterator[list[tuple[Any, ...]]]:
    run = timeline.past.at(loop.began.position)
    period = loop.again.position.events - loop.began.position.events
    records: list[Decision] = []
    position = loop.began.position
    for _ in range(count):
        position = replace(position, events=position.events + period)
        for _ in steps(run, position, records):
            pass
        yield [in_words(record) for record in records]
        records.clear()


@st.composite
def clients(draw: st.DrawFn) -> ir.Program:
    """Clients that come back for ever, with nothing drawn: sooner or later what they do repeats."""
    m = Model()
    prompt, output, cap = draw(st.integers(1, 8)), draw(st.integers(1, 10)), draw(st.integers(8, 30))
    preempt = LIFO if draw(st.booleans()) else None
    kv = m.pool("kv", cap, block=draw(st.sampled_from([None, 2, 4])), preempt=preempt, admit_via=0)
    llm = m.engine(budget=draw(st.integers(2, 12)), cost=draw(st.sampled_from([1, 0.3, ctx("Ntok") / 7])), memory=kv)
    away = m.delay("away")
    m.arrive(ir.Closed(draw(st.integers(1, 4))))
    again = maximum(1, maximum(prompt, known) - cached)
    work = [prefill(llm, again, kv), decode(llm, output, kv)]
    kept = cached + 1 if draw(st.booleans()) else None
    m.session(TURN, assign(known, 0), hold((kv, prompt), cache=kept, body=work), run(away, draw(st.sampled_from([0.5, 3, 1 / 3]))))
    return m.build(horizon=100_000.0)


@few
@given(clients())
def test_every_round_of_a_loop_of_a_random_program_decides_the_same(program: ir.Program) -> None:
    timeline = Timeline(Simulation(program))
    engine = timeline.simulation.code.engines[0]
    timeline.seek(AtIteration(engine, 5))
    loop = find_loop(timeline.past, engine, back=200, ahead=200)
    event(("a tied loop" if loop.tied else "a loop") if isinstance(loop, Loop) else loop.never or "none")
    if isinstance(loop, Loop) and not loop.tied:
        first, *others = rounds(timeline, loop, 4)
        assert first
        assert all(other == first for other in others)


@few
@given(programs())
def test_a_state_is_like_its_clone_and_like_none_a_step_later(program: ir.Program) -> None:
    read = readable(program)
    if read.never is not None:
        return
    simulation = Simulation(program)
    simulation.advance()
    for _ in islice(iter(simulation.step, False), 30):
        here = likeness(simulation.state, read)
        clone = simulation.clone()
        assert likeness(clone.state, read) == here
        assert here.like(likeness(clone.state, read))
        assert hash(here.shape) == hash(likeness(clone.state, read).shape)
