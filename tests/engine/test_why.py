"""Why a request waits and what would let it in, on programs small enough to be worked out and on random ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import HealthCheck, given, settings

from engine.replay import Past
from engine.simulation import Simulation
from engine.snapshot import Who
from engine.timeline import Timeline
from engine.why import AdmissionTest, Question, Why, ask, overtaken, why
from engine.would_admit import Change, admits, would_admit
from grammar import ir
from tests.engine.programs import LIFO, Model, admit, ctx, decode, hold, prefill, run, serve, when
from tests.engine.strategies import Choices, build, programs

few = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])

MOST_STEPS = 40
"""Moments looked at of one random program."""


def standing(program: ir.Program, steps: int) -> Timeline:
    timeline = Timeline(Simulation(program))
    timeline.step(steps)
    return timeline


def asked(timeline: Timeline, serial: int) -> tuple[Question, Why]:
    question = ask(timeline.past, Who(serial))
    assert question is not None
    return question, why(timeline.past, question)


def outcomes(answer: Why) -> list[tuple[str, str]]:
    return [(test.kind, test.outcome) for test in answer.tests]


def reason(answer: Why) -> AdmissionTest:
    assert answer.reason is not None
    return answer.reason


def memory(cap: float, *, budget: float = 100, block: float | None = None, preempt: bool = False, count: int = 3) -> Model:
    """Requests of 4 prompt and 8 output tokens take 4 units each of a memory and grow it token by token."""
    m = Model()
    kv = m.pool("kv", cap, block=block, preempt=LIFO if preempt else None, admit_via=0)
    llm = m.engine(budget=budget, memory=kv)
    m.batch(count)
    m.session(hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, 8, kv)]))
    return m


def waiting(timeline: Timeline) -> Iterator[Who]:
    for queue in timeline.snapshot().queues:
        for view in queue.waiting:
            yield view.who


def test_without_room_every_test_before_the_room_passed_and_the_missing_units_would_let_it_in() -> None:
    # 10 units: r0 and r1 take 4 each in the first iteration, 2 are free, r2 needs 4
    timeline = standing(memory(10).build(), 1)
    question, answer = asked(timeline, 2)
    assert outcomes(answer) == [
        ("iteration", "passed"),
        ("budget", "passed"),
        ("preempted", "passed"),
        ("granule", "passed"),
        ("turn", "passed"),
        ("room", "failed"),
    ]
    room = reason(answer).room
    assert room is not None
    assert (room.need, room.free, room.used, room.cap) == (4, 2, 8, 10)
    assert Change("capacity", 2.0, 1.0, pool=0) in would_admit(question)


def test_a_capacity_grows_by_whole_blocks() -> None:
    # 2 blocks of 4: both taken, one more lets r2 in
    timeline = standing(memory(8, block=4).build(), 1)
    question, _ = asked(timeline, 2)
    capacities = [change for change in would_admit(question) if change.kind == "capacity"]
    assert capacities == [Change("capacity", 4.0, 4.0, pool=0)]


def test_who_stands_behind_the_head_is_told_who_is_before_it_and_what_the_head_lacks() -> None:
    # in the second iteration r0 and r1 decode and have grown to 5 each: nothing is free
    timeline = standing(memory(10, count=4).build(), 2)
    question, answer = asked(timeline, 3)
    assert (answer.place, answer.waiting) == (2, 2)
    turn = next(test for test in answer.tests if test.kind == "turn")
    assert (turn.outcome, turn.ahead) == ("failed", (Who(2),))
    assert answer.head == Who(2)
    assert [(room.need, room.free) for room in answer.head_rooms] == [(4, 0)]
    # its turn alone is not enough, as it needs as much; both together need 8
    changes = would_admit(question)
    assert Change("turn") not in changes
    assert Change("capacity", 8.0, 1.0, pool=0) in changes


def test_a_spent_budget_is_the_reason_and_one_token_more_lets_the_next_one_in() -> None:
    # 4 tokens an iteration: r0's prefill takes them all
    timeline = standing(memory(100, budget=4).build(), 1)
    question, answer = asked(timeline, 1)
    failed = reason(answer)
    assert (failed.kind, failed.value) == ("budget", 0)
    assert Change("budget", 1.0, 1.0) in would_admit(question)
    # r2 comes after r1, whose prefill needs 4
    question, _ = asked(timeline, 2)
    assert Change("budget", 5.0, 1.0) in would_admit(question)


def test_a_preemption_closes_the_default_procedure_and_room_for_the_growth_would_have_opened_it() -> None:
    # Each holds 4 after its prefill; r0's first decode needs a ninth unit and takes r1's.
    timeline = standing(memory(8, preempt=True, count=2).build(), 2)
    question, answer = asked(timeline, 1)
    assert answer.requeued
    assert (reason(answer).kind, reason(answer).value) == ("preempted", 1)
    # r0 and r1 want one unit each: with ten nobody is preempted
    assert [change for change in would_admit(question) if change.kind == "capacity"] == [Change("capacity", 2.0, 1.0, pool=0)]


def test_a_shut_gate_is_named_with_its_value_and_opening_it_lets_the_head_in() -> None:
    m = Model()
    kv = m.pool("kv", 100, admit_via=0)
    llm = m.engine(budget=100, memory=kv, body=[serve(), admit(gate=ctx("Admitted") < 1)])
    m.batch(2)
    m.session(hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, 8, kv)]))
    question, answer = asked(standing(m.build(), 1), 1)
    failed = reason(answer)
    assert (failed.kind, failed.value, failed.path) == ("gate", 0.0, (1,))
    assert [test.outcome for test in answer.tests if test.kind in ("turn", "room")] == ["open", "open"]
    assert Change("guard", 1.0, path=(1,)) in would_admit(question)


def test_a_guard_says_what_each_of_its_parts_was() -> None:
    # one running, none preempted, one admitted: the second term is what shuts the gate
    m = Model()
    kv = m.pool("kv", 100, admit_via=0)
    n = m.register("n", 5.0)
    gate = (ctx("Preempted").equals(0)).both(n + ctx("Admitted") < 6)
    llm = m.engine(budget=100, memory=kv, body=[serve(), admit(gate=gate)])
    m.batch(2)
    m.session(hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, 8, kv)]))
    _, answer = asked(standing(m.build(), 1), 1)
    read = {part.expr: part.value for part in reason(answer).reads}
    assert [read[expr] for expr in (ir.Ctx("Preempted"), ir.Reg(0), ir.Ctx("Admitted"))] == [0, 5, 1]
    terms = {expr.op: value for expr, value in read.items() if isinstance(expr, ir.Binary)}
    assert (terms["Eq"], terms["Lt"]) == (1, 0)


def test_a_branch_not_taken_is_the_reason_for_an_admission_inside_it() -> None:
    m = Model()
    kv = m.pool("kv", 100, admit_via=0)
    shut = m.register("shut", 1.0)
    llm = m.engine(budget=100, memory=kv, body=[serve(), when(shut.equals(0), [admit()])])
    m.batch(1)
    m.session(hold((kv, 4), body=[prefill(llm, 4, kv)]))
    question, answer = asked(standing(m.build(), 1), 0)
    assert (reason(answer).kind, reason(answer).path) == ("branch", (1,))
    assert would_admit(question) == (Change("guard", 1.0, path=(1,)),)


def test_who_joined_after_the_last_attempt_waits_for_the_iteration_to_end() -> None:
    m = Model()
    kv = m.pool("kv", 100, admit_via=0)
    llm = m.engine(budget=100, cost=10, memory=kv)
    at = m.size("at")
    arrive = m.delay("arrive")
    m.sessions([at], [0.0], [3.0])
    m.session(run(arrive, at), hold((kv, 4), body=[prefill(llm, 4, kv)]))
    timeline = Timeline(Simulation(m.build()))
    while not list(waiting(timeline)) or timeline.snapshot().clock < 3:
        timeline.step_decision()
    question, answer = asked(timeline, 1)
    assert question.tried == "next"
    # the iteration of r0 began at 0 and lasts 10 s
    assert (answer.tests[0].kind, answer.tests[0].outcome, question.time) == ("iteration", "failed", 10.0)
    assert answer.admitted


def test_without_an_engine_the_head_is_tried_whenever_units_come_back() -> None:
    m = Model()
    slots = m.pool("slots", 1)
    work = m.fifo("work", 4)
    m.batch(3)
    m.session(hold((slots, 1), body=[run(work, 5)]))
    timeline = Timeline(Simulation(m.build()))
    question, answer = asked(timeline, 1)
    assert question.tried == "rest"
    assert outcomes(answer) == [("turn", "passed"), ("room", "failed")]
    assert would_admit(question) == (Change("capacity", 1.0, 1.0, pool=0), Change("fewer", who=Who(0)))


def test_who_came_back_by_a_preemption_overtakes_who_joined_before() -> None:
    # 12 units: three take 4 each and r3 waits. At the first decode r0 takes what r2 has, r2's hold goes before r3's.
    timeline = Timeline(Simulation(memory(12, preempt=True, count=4).build()))
    for _ in range(20):
        timeline.step()
        question = ask(timeline.past, Who(3))
        assert question is not None
        found = overtaken(timeline.past, question)
        if found:
            assert (found[0].who, found[0].requeued) in ((Who(1), True), (Who(2), True))
            return
    raise AssertionError("nobody overtook")


GROWS_PAST_ITS_POOL = Choices(
    rows=((0.0, 1, 8),),
    cap=8,
    preempt="lifo",
    budget=3,
    serve="body",
)


@few
@given(programs())
def test_every_change_named_lets_the_request_in_and_one_step_less_does_not(program: ir.Program) -> None:
    timeline = Timeline(Simulation(program))
    for _ in range(MOST_STEPS):
        if timeline.step().reason != "step":
            break
        for who in list(waiting(timeline))[:2]:
            question = ask(timeline.past, who)
            if question is None:
                continue
            for change in would_admit(question):
                # asked anew, so that nothing the search did can have helped
                again = ask(timeline.past, who)
                assert again is not None
                assert admits(again, change)
                if change.step:
                    less = change.units - change.step
                    assert not admits(again, replace(change, units=less) if less else None)
                else:
                    assert not admits(again, None)


@few
@given(programs())
def test_a_request_that_is_not_let_in_has_a_first_test_that_failed_and_asking_leaves_the_run_as_it_was(program: ir.Program) -> None:
    timeline = Timeline(Simulation(program))
    for _ in range(MOST_STEPS):
        if timeline.step().reason != "step":
            break
        before = timeline.snapshot()
        for who in waiting(timeline):
            question = ask(timeline.past, who)
            if question is None:
                continue
            answer = why(timeline.past, question)
            assert answer.admitted or answer.reason is not None
            if question.tried == "last":
                assert not answer.admitted
        assert timeline.snapshot() == before


def test_a_request_preempted_after_the_admissions_of_an_attempt_is_asked_of_the_next_one() -> None:
    # One request of 8 tokens decodes into a pool of 8: its growth to 9 preempts itself, with the whole
    # pool then free, so no test of that attempt can have failed. Found by the random programs.
    program = build(GROWS_PAST_ITS_POOL)
    timeline = Timeline(Simulation(program))
    tried = set()
    for _ in range(MOST_STEPS):
        if timeline.step().reason != "step":
            break
        for who in waiting(timeline):
            question = ask(timeline.past, who)
            assert question is not None
            answer = why(timeline.past, question)
            assert answer.admitted or answer.reason is not None
            tried.add(question.tried)
    assert "next" in tried


def test_a_past_without_seen_moments_begins_anew() -> None:
    timeline = Timeline(Simulation(memory(10).build()))
    past = timeline.past
    assert isinstance(past, Past)
    assert not past.before_time(0.0).begun
    assert not past.before_session(0).begun
