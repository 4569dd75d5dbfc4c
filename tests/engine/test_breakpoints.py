"""Breakpoints: what the state shows of them and what was decided agree; and how a walk stops."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings

from engine.breakpoints import (
    Breakpoint,
    OnAdmission,
    OnClaim,
    OnEnd,
    OnEviction,
    OnFirstToken,
    OnIdle,
    OnPreemption,
    OnRegister,
    OnRejection,
    OnRequest,
    OnStatement,
)
from engine.conditions import OnChange, OnCondition, Value
from engine.decisions import Decision, RegisterSet
from engine.simulation import Simulation
from engine.snapshot import Position, Who
from engine.targets import AtIteration, AtPosition, AtTime, Stop
from engine.timeline import Timeline
from engine.walking import Progress
from grammar import ir
from tests.engine.programs import (
    INF,
    JOIN,
    LIFO,
    Model,
    admit,
    assign,
    branch,
    call,
    ctx,
    decode,
    fork,
    hold,
    node,
    now,
    prefill,
    put,
    run,
    serial,
    serve,
)
from tests.engine.requests import Serving
from tests.engine.strategies import programs
from tests.oracle.generator import generate

# --------------------------------------------------------------------------- trace and find

DECIDED: tuple[Breakpoint, ...] = (
    OnPreemption(),
    OnPreemption(0),
    OnIdle(),
    OnIdle(0),
    OnAdmission(),
    OnEviction(),
    OnEviction(0),
    OnRejection(),
    OnEnd(),
)
"""Breakpoints that are decisions: each happens exactly when one is recorded."""


def check_agreement(program: ir.Program, most: int = 300) -> None:
    simulation = Simulation(program)
    records: list[Decision] = []
    simulation.listen(records)
    engines = [st.code.index for st in simulation.state.stages if st.code.step is not None]
    watched = [b for b in DECIDED if not (isinstance(b, OnIdle) and b.engine is not None and b.engine not in engines)]
    if not program.pools:
        watched = [b for b in watched if getattr(b, "pool", None) is None]
    for _ in range(most):
        if simulation.finished:
            return
        traces = [b.trace(simulation.state) for b in watched]
        registers = list(simulation.state.registers)
        request = OnRequest(0).trace(simulation.state)
        records.clear()
        simulation.advance()
        for b, before in zip(watched, traces, strict=True):
            assert (b.trace(simulation.state) != before) == (b.find(records) is not None), b
        for i, value in enumerate(registers):
            if simulation.state.registers[i] != value:
                found = OnRegister(i).find(records)
                assert isinstance(found, RegisterSet)
                assert found.after == simulation.state.registers[i]
        found = OnRequest(0).find(records)
        if found is not None and getattr(found, "who", Who(0)).leg is None:
            assert OnRequest(0).trace(simulation.state) != request


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(programs())
def test_a_breakpoint_shows_in_the_state_exactly_when_it_was_decided(program: ir.Program) -> None:
    check_agreement(program)


@pytest.mark.parametrize("seed", range(2000, 2030))
def test_so_it_does_in_the_generators_programs(seed: int) -> None:
    made = generate(seed)
    if made.files:
        pytest.skip("the program reads a trace")
    check_agreement(made.program)


def test_an_admission_at_the_second_pool_of_a_hold_is_found_there() -> None:
    """R4.9: both pools of a hold count it, so both breakpoints stop the walk; both should say what was decided."""
    s = Serving(((0, 4, 0),))
    s.seats()
    kv = s.kv(100)
    timeline = Timeline(Simulation(s.build(s.engine(), 30)))
    stop = timeline.run_until([OnAdmission(kv.base)])
    assert stop.reason == "breakpoint"
    assert stop.decision is not None


def test_what_happens_to_a_leg_happens_to_its_request() -> None:
    """The leg is admitted at 1, while its session joins."""
    m = Model()
    mem = m.pool("mem", 1)
    dl = m.delay()
    m.session(fork([run(dl, 1), hold((mem, 1), body=[run(dl, 3)])]), JOIN)
    timeline = Timeline(Simulation(m.build(30)))
    assert timeline.run_until([OnRequest(0)]).reason == "breakpoint"
    assert timeline.snapshot().clock == 1


# --------------------------------------------------------------------------- one by one


def _counting() -> Timeline:
    """Requests of (4, 3) and (2, 2) tokens; a register counts iterations up to 3, a claim fails from 2 s on."""
    s = Serving(((0, 4, 3), (1.5, 2, 2)))
    n = s.m.register("n")
    s.seats()
    llm = s.engine(body=[serve(), admit(), put(n, call("Min", n + 1, 3))])
    s.m.claim("early", "EveryIteration", now < 2, llm)
    return Timeline(Simulation(s.build(llm, 30)))


def test_a_walk_stops_where_a_register_changes() -> None:
    """It is set at 0, 1 and 2 to 1, 2 and 3, and at 3 to 3 again, which is no change."""
    timeline = _counting()
    on = OnRegister(0)
    times = []
    while timeline.run_until([on]).reason == "breakpoint":
        times.append(timeline.snapshot().clock)
    assert times == [0, 1, 2]
    stop = timeline.reverse_until([on])
    assert (stop.reason, timeline.snapshot().clock) == ("breakpoint", 2)
    assert isinstance(stop.decision, RegisterSet)
    assert (stop.decision.before, stop.decision.after) == (2, 3)


def test_a_walk_stops_where_a_claim_fails() -> None:
    """Every iteration from 2 on."""
    timeline = _counting()
    times = []
    while timeline.run_until([OnClaim(0)]).reason == "breakpoint":
        times.append(timeline.snapshot().clock)
    assert times == [2, 3, 4]
    assert timeline.reverse_until([OnClaim(0)]) == Stop("breakpoint", OnClaim(0), None, (OnClaim(0),))
    assert timeline.snapshot().clock == 4


def test_a_claim_that_fails_within_a_leap_is_not_passed_by() -> None:
    """A hundred decodes leap where nothing looks at them; a claim on the clock is read at every one."""
    s = Serving(((0, 2, 100),))
    s.kv(500)
    llm = s.engine()
    s.m.claim("early", "EveryIteration", now < 70, llm)
    timeline = Timeline(Simulation(s.build(llm, 300)))
    assert timeline.run_until([OnClaim(0)]).reason == "breakpoint"
    assert timeline.snapshot().clock == 70


def test_a_first_token_is_the_end_of_its_prefill_and_the_end_of_a_session_its_last_event() -> None:
    s = Serving(((0, 4, 3), (1.5, 2, 2)))
    timeline = Timeline(Simulation(s.build(s.engine(), 30)))
    assert timeline.run_until([OnFirstToken()]).reason == "breakpoint"
    assert timeline.snapshot().clock == 1
    assert timeline.run_until([OnFirstToken()]).reason == "breakpoint"
    assert timeline.snapshot().clock == 3
    assert timeline.run_until([OnEnd()]).reason == "breakpoint"
    assert timeline.snapshot().clock == 4


def test_everything_about_one_request_stops_a_walk() -> None:
    """Request 1: it arrives with the start, which is no step; asks for its seat at 1.5; admitted at 2, and so on."""
    s = Serving(((0, 4, 3), (1.5, 2, 2)))
    s.seats()
    timeline = Timeline(Simulation(s.build(s.engine(), 30)))
    times = []
    while timeline.run_until([OnRequest(1)]).reason == "breakpoint":
        times.append(timeline.snapshot().clock)
    # Queued at 1.5; admitted and prefilling at 2; decoding at 3; ended at 5.
    assert times == [1.5, 2, 3, 5]


def test_a_schedule_statement_stops_a_walk_each_time_it_is_executed() -> None:
    s = Serving(((0, 4, 2), (0.5, 4, 0)))
    s.seats()
    timeline = Timeline(Simulation(s.build(s.engine(budget=4), 30)))
    on = OnStatement(0, (1,))
    times = []
    while timeline.run_until([on]).reason == "breakpoint":
        times.append(timeline.snapshot().clock)
    # `admit waiting` is reached while tokens are left: at 0, and at 1 and 2 behind the decode, at 2 for nobody.
    assert times == [0, 1, 2]
    assert timeline.reverse_until([on]).breakpoint == on


def test_of_several_breakpoints_the_first_in_order_is_named() -> None:
    s = Serving(((0, 3, 1), (0, 3, 1)))
    s.kv(6, units=3, preempt=LIFO)
    timeline = Timeline(Simulation(s.build(s.engine(), 30)))
    stop = timeline.run_until([OnIdle(), OnPreemption(0), OnPreemption()])
    assert stop.breakpoint == OnPreemption(0)
    assert stop.decision is not None
    assert timeline.snapshot().clock == 1
    assert stop.met == (OnPreemption(0), OnPreemption())


def test_every_breakpoint_met_at_a_moment_is_named_forward_back_and_where_it_was_noted() -> None:
    # r1 is preempted at 1 s, and so waits; a condition is looked for by replay, a preemption is looked up.
    s = Serving(((0, 3, 1), (0, 3, 1)))
    kv = s.kv(6, units=3, preempt=LIFO)
    program = s.build(s.engine(), 30)
    condition = OnCondition(Value("queued(kv) == 1", node(call("Queued", kv).equals(1))))
    noted = (OnPreemption(0), OnPreemption())
    for on in (noted, (*noted, condition), (condition, *noted)):
        timeline = Timeline(Simulation(program))
        assert timeline.run_until(on).met == on
        timeline.step(3)
        assert timeline.reverse_until(on).met == on
        timeline.home()
        assert timeline.run_until(on).met == on


def test_a_condition_stops_a_walk_when_it_comes_to_hold() -> None:
    """used(kv) > 5: the request holds 1, prefills 4, and decodes its fifth to seventh unit at 1, 2 and 3."""
    s = Serving(((0, 4, 5),))
    kv = s.kv(100)
    value = Value("used(kv) > 5", node(call("Used", kv) > 5))
    timeline = Timeline(Simulation(s.build(s.engine(), 30)))
    assert timeline.run_until([OnCondition(value)]).reason == "breakpoint"
    assert timeline.snapshot().clock == 2
    assert timeline.run_until([OnCondition(value)]).reason == "end"


def test_a_value_that_cannot_be_read_holds_no_condition() -> None:
    m = Model()
    kv = m.pool("kv", 10, members=2)
    dl = m.delay()
    m.session(hold((kv[0], 3), body=[run(dl, 1)]))
    value = Value("used(kv[5])", ir.Call("Used", (ir.PoolArg(ir.Ref(kv.base, 2, ir.Num(5.0))),)))
    assert Timeline(Simulation(m.build(9))).run_until([OnCondition(value)]).reason == "end"
    assert Timeline(Simulation(m.build(9))).run_until([OnChange(value)]).reason == "end"


def test_an_engines_values_are_those_of_its_residents_and_its_batch() -> None:
    """At 0: a batch of 4 of one prefill; at 1: decode and prefill of 2: npre 2, served 4, two residents, kv 5 and 3."""
    s = Serving(((0, 4, 3), (0.5, 2, 1)))
    s.kv(100)
    timeline = Timeline(Simulation(s.build(s.engine(), 30)))
    timeline.seek(AtIteration(0, 2))
    expected = {"Ntok": 3, "Npre": 2, "Nres": 2, "Ndec": 1, "Kvb": 5, "Kvp": 2, "Served": 7, "Arrived": 2}
    read = {name: Value(name, ir.Ctx(name), 0).read(timeline.simulation.state) for name in expected}
    assert read == expected


# --------------------------------------------------------------------------- stops


def _long() -> Timeline:
    """Two engines whose requests decode 200 tokens, and one that preempts now and then."""
    s = Serving(((0, 3, 200), (0, 3, 200), (0, 3, 200)))
    s.kv(300, units=3, preempt=LIFO)
    n = s.m.register("n")
    llm = s.engine(body=[serve(), put(n, n + 1)])
    return Timeline(Simulation(s.build(llm, 2000)))


NEVER = OnRejection()


def test_an_attempt_is_noted_by_a_leap_that_passes_an_event_seen_before_its_attempt() -> None:
    """A request decodes 200 tokens, an event each; a position that is none leads to the next event, before its attempt."""
    s = Serving(((0, 3, 200),))
    s.kv(300, units=3)
    timeline = Timeline(Simulation(s.build(s.engine(), 2000)))
    timeline.seek(AtPosition(Position(30, 2)))
    assert timeline.seen == Position(31)
    timeline.home()
    timeline.run_until([NEVER])
    timeline.seek(AtPosition(Position(33, 1)))
    walked = []
    for _ in range(3):
        timeline.rewind()
        walked.append(timeline.position)
    assert walked == [Position(32, 1), Position(31, 1), Position(30, 1)]


def test_an_interrupt_ends_a_walk_where_it_is() -> None:
    timeline = _long()
    asked = iter([False, False, True])
    stop = timeline.run_until([NEVER, OnStatement(0, (7,))], interrupt=lambda: next(asked))
    assert stop == Stop("interrupted")
    # 3 * 64 small steps in.
    assert timeline.position.events == 96
    at = timeline.position
    assert timeline.seek(AtTime(1500), interrupt=lambda: True).reason == "interrupted"
    assert timeline.position > at
    assert timeline.seek(AtPosition(Position(100_000)), interrupt=lambda: True).reason == "interrupted"
    assert timeline.seek(AtIteration(0, 100_000), interrupt=lambda: True).reason == "interrupted"


def test_an_interrupt_of_a_search_backwards_leaves_one_where_one_was() -> None:
    timeline = _long()
    timeline.seek(AtTime(300))
    at = timeline.position
    assert timeline.reverse_until([OnStatement(0, (7,))], interrupt=lambda: True) == Stop("interrupted")
    assert timeline.position == at
    never = Value("never", node(ctx("Nres") > 99), 0)
    assert timeline.last_change(never, interrupt=lambda: True) is None
    assert timeline.position == at


def test_progress_is_told_all_along() -> None:
    timeline = _long()
    told: list[Progress] = []
    timeline.run_until([OnStatement(0, (7,))], progress=told.append)
    positions = [p.position for p in told]
    assert len(told) > 3
    assert positions == sorted(positions)
    assert told[-1].clock <= timeline.snapshot().clock
    told.clear()
    assert timeline.reverse_until([OnStatement(0, (7,))], progress=told.append).reason == "start"
    assert told
    timeline = _long()
    told.clear()
    timeline.seek(AtTime(900), progress=told.append)
    assert told


def test_a_failure_stops_every_walk_and_can_be_rewound_from() -> None:
    m = Model()
    x = m.value("x")
    llm = m.engine()
    m.session(prefill(llm, 2), decode(llm, 2), assign(x, -1), decode(llm, x))
    program = m.build()
    assert Timeline(Simulation(program)).run_until([NEVER]).reason == "failure"
    assert Timeline(Simulation(program)).seek(AtTime(50)).reason == "failure"
    timeline = Timeline(Simulation(program))
    stops = [timeline.step().reason for _ in range(4)]
    assert stops == ["step", "step", "step", "failure"]
    assert timeline.snapshot().failure is not None
    assert timeline.snapshot().clock == 3
    assert timeline.end().reason == "failure"
    assert timeline.step().reason == "failure"
    assert timeline.rewind().reason == "step"
    assert (timeline.snapshot().failure, timeline.snapshot().clock) == (None, 2)
    assert timeline.report()["end"] == 2
    decisions = Timeline(Simulation(program))
    reasons = [decisions.step_decision().reason for _ in range(12)]
    assert "failure" in reasons


def test_a_knot_at_the_end_of_a_run_is_found_when_one_arrives_there() -> None:
    m = Model()
    mem = m.pool("mem", 1)
    dl = m.delay()
    m.session(hold((mem, 1), body=[run(dl, 1)], lease=(mem, INF)), fork([hold((mem, 1), body=[run(dl, 1)])]), JOIN)
    timeline = Timeline(Simulation(m.build()))
    assert timeline.run_until([NEVER]).reason == "failure"
    assert timeline.snapshot().failure is not None
    timeline.home()
    assert timeline.snapshot().failure is None


def test_without_an_engine_the_steps_are_the_events() -> None:
    m = Model()
    dl = m.delay()
    m.batch(2)
    m.session(run(dl, 1 + serial), branch(serial, [run(dl, 2)]))
    timeline = Timeline(Simulation(m.build()))
    clocks = []
    while timeline.step().reason == "step":
        clocks.append(timeline.snapshot().clock)
    assert clocks == [1, 2, 4]
    timeline.rewind()
    assert timeline.snapshot().clock == 2
    assert timeline.rewind(5) == Stop("start")


def test_steps_before_and_records_may_be_those_of_one_engine() -> None:
    m = Model()
    a, b = m.engine("a"), m.engine("b", cost=2)
    m.batch(2)
    m.session(branch(serial.equals(0), [prefill(a, 1), decode(a, 3)], [prefill(b, 1), decode(b, 2)]))
    timeline = Timeline(Simulation(m.build()))
    timeline.step(2, engine=b.base)
    assert timeline.snapshot().clock == 2
    before = timeline.before(engine=b.base)
    assert before is not None
    assert (before.clock, before.stage) == (0, 1)
    stages = {d.stage for d in timeline.records(engine=b.base) if hasattr(d, "stage")}
    assert stages == {0, 1}
    any_before = timeline.before()
    assert any_before is not None
    assert any_before.stage == 0
    timeline.rewind(engine=b.base)
    assert (timeline.snapshot().clock, timeline.snapshot().stage) == (0, 1)


def test_the_checkpoints_are_bounded_and_dense_at_the_beginning_of_a_run() -> None:
    """Past the most every second one is given up, so their distance doubles; any moment is still reached."""
    with mock.patch.multiple("engine.checkpoints", _FIRST_SPACING=4, _MOST=10):
        timeline = _long()
        times = []
        while timeline.step().reason == "step":
            times.append(timeline.snapshot().clock)
        assert timeline.checkpoints <= 10
        for number in (1, 50, 77, 200):
            timeline.seek(AtIteration(0, number))
            assert timeline.snapshot().engines[0].iterations == number
