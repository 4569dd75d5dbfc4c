"""What a request's story says, on programs worked out by hand; and that it leaves out no moment of any request."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from engine.decisions import Decision, Responded
from engine.replay import steps
from engine.simulation import Simulation
from engine.snapshot import Position, Who
from engine.story import Story, shares
from engine.storytelling import Stories, Storyteller
from engine.timeline import Timeline
from grammar import ir
from tests.cases import Case, cases
from tests.engine.programs import INF, LIFO, Model, cached, ctx, decode, hold, maximum, prefill, run
from tests.engine.stories import END, Checker, check
from tests.engine.strategies import programs
from tests.running import load_case


def told(program: ir.Program, until: Position = END) -> dict[int, Story]:
    """The stories of everybody."""
    simulation = Simulation(program)
    teller = Storyteller(simulation)
    for _ in steps(simulation, until, teller):
        teller.after()
    assert simulation.failure is None
    return teller.stories()


def lane(one: Story) -> list[tuple[float, float, str, str | None]]:
    return [(s.start, s.end, s.phase, s.blame) for s in one.stretches]


def memory(cap: float, *, budget: float = 100, preempt: bool = False, seats: int | None = None, count: int = 2) -> ir.Program:
    """Iterations of 1 s; requests of 4 prompt and 3 output tokens take 4 units and grow them token by token."""
    m = Model()
    reqs = m.pool("reqs", seats, admit_via=0) if seats is not None else None
    kv = m.pool("kv", cap, preempt=LIFO if preempt else None, admit_via=0 if reqs is None else None)
    llm = m.engine(budget=budget, memory=kv)
    m.batch(count)
    takes = [(reqs, 1)] if reqs is not None else []
    m.session(hold(*takes, (kv, 4), body=[prefill(llm, 4, kv), decode(llm, 3, kv)]))
    return m.build()


def test_a_request_alone_is_prefilled_and_decodes() -> None:
    one = told(memory(100, count=1))[0]
    assert lane(one) == [(0, 1, "prefill", None), (1, 4, "decode", None)]
    assert [(s.tokens, s.iterations) for s in one.stretches] == [(4, 1), (3, 3)]


def test_a_wait_for_a_seat_is_blamed_on_seats_and_one_for_units_on_memory() -> None:
    # One seat: r1 waits the four iterations of r0.
    assert lane(told(memory(100, seats=1))[1])[0] == (0, 4, "queued", "seats")
    # Seven units hold r0 to its end, r1's four find no room until it has left.
    assert lane(told(memory(7))[1])[0] == (0, 4, "queued", "memory")


def test_who_stands_behind_a_head_without_room_waits_for_its_turn() -> None:
    one = told(memory(7, count=3))[2]
    first = one.stretches[0]
    assert (first.start, first.end, first.blame, first.behind) == (0, 4, "order", Who(1))


def test_a_spent_budget_is_blamed() -> None:
    # Four tokens an iteration are r0's prompt; from then on r0 decodes and r1 gets the three that are left.
    one = told(memory(100, budget=4))[1]
    assert lane(one)[:2] == [(0, 1, "queued", "budget"), (1, 3, "prefill", None)]


def test_a_preemption_is_told_with_what_it_cost() -> None:
    # 8 units: at 1 s r0 takes a ninth from r1, which had computed 4; r0 ends at 4 s and r1 begins anew.
    one = told(memory(8, preempt=True))[1]
    assert lane(one) == [
        (0, 1, "prefill", None),
        (1, 4, "preempted", "preemption"),
        (4, 5, "recompute", None),
        (5, 8, "decode", None),
    ]
    assert [(loss.time, loss.computed, loss.grower, loss.resumed) for loss in one.losses] == [(1, 4, Who(0), 4)]


def test_who_comes_while_an_iteration_runs_waits_for_its_end() -> None:
    m = Model()
    kv = m.pool("kv", 100, admit_via=0)
    llm = m.engine(budget=100, cost=10, memory=kv)
    arrive = m.delay("arrive")
    at = m.size("at")
    m.sessions([at], [0.0], [3.0])
    m.session(run(arrive, at), hold((kv, 4), body=[prefill(llm, 4, kv)]))
    one = told(m.build())[1]
    assert lane(one) == [(0, 3, "stage", None), (3, 10, "queued", "iteration"), (10, 20, "prefill", None)]


def test_a_missed_prefix_says_who_took_its_room() -> None:
    # r0 leaves 4 units cached at 1 s and comes back at 3 s; at 2 s r1 takes all 8 units.
    m = Model()
    kv = m.pool("kv", 8, admit_via=0)
    llm = m.engine(budget=100, memory=kv)
    arrive = m.delay("arrive")
    at, size = m.size("at"), m.size("size")
    m.sessions([at, size], [0.0, 4.0], [2.0, 8.0])
    once = hold((kv, size), cache=INF, body=[prefill(llm, maximum(1, size - cached), kv)])
    m.session(run(arrive, at), once, run(arrive, 3), once)
    one = told(m.build())[0]
    lookup = one.lookups[1]
    assert (lookup.kept, lookup.found) == (4, 0)
    assert [(e.time, e.units, e.benefit) for e in lookup.evictions] == [(2, 4, Who(1))]


def test_the_longest_gap_says_what_ran_beside_its_token() -> None:
    # An iteration lasts as long as it has tokens: r1's prompt of 50 arrives while r0 decodes.
    m = Model()
    kv = m.pool("kv", 1000, admit_via=0)
    llm = m.engine(budget=100, cost=ctx("Ntok"), memory=kv)
    arrive = m.delay("arrive")
    at, size = m.size("at"), m.size("size")
    m.sessions([at, size], [0.0, 4.0], [5.5, 50.0])
    m.session(run(arrive, at), hold((kv, size), body=[prefill(llm, size, kv), decode(llm, 5, kv)]))
    longest = told(m.build())[0].longest[0]
    assert longest.seconds == 51
    assert [(portion.who, portion.mode, portion.tokens) for portion in longest.batch] == [(Who(1), "prefill", 50)]


def test_a_story_replayed_from_a_timeline_is_that_of_a_run_listened_to_from_the_start() -> None:
    program = memory(9, preempt=True, count=4)
    timeline = Timeline(Simulation(program))
    kept = {serial: Stories() for serial in range(4)}
    for _ in range(12):
        timeline.step()
        everybody = told(program, timeline.simulation.position)
        for serial, one in everybody.items():
            assert Stories().at(timeline.past, serial) == one
            assert kept[serial].at(timeline.past, serial) == one
    assert Stories().at(timeline.past, 99) is None


def test_a_story_is_that_of_the_moment_whichever_was_told_before() -> None:
    program = memory(9, preempt=True, count=4)
    timeline = Timeline(Simulation(program))
    stories = Stories()
    for forward, serial in ((6, 1), (4, 1), (-5, 1), (2, 0), (7, 1)):
        for _ in range(forward):
            timeline.step()
        if forward < 0:
            timeline.rewind(-forward)
        assert stories.at(timeline.past, serial) == told(program, timeline.simulation.position)[serial]


HORIZONS = {"light": 90.0, "heavy": 15.0, "heavy2": 4.5}
"""Seconds in which dozens of requests of each benchmark come, and some wait."""


@pytest.mark.parametrize("case", cases("bench"), ids=str)
def test_the_stretches_of_every_request_of_a_benchmark_span_its_time_without_gap(case: Case, tmp_path: Path) -> None:
    # Whole horizons are checked the same way by tests/bench/stories.py.
    told, _ = check(replace(load_case(case, tmp_path).program, horizon=HORIZONS[case.name], warmup=0.0, arrivals=None))
    assert told.requests > 24
    assert told.blamed


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(programs())
def test_the_stretches_of_every_request_of_a_random_program_span_its_time_without_gap(program: ir.Program) -> None:
    checker = Checker(Simulation(program))
    answered = len(checker.go().answered)
    listened = Simulation(program)
    records: list[Decision] = []
    listened.listen(records)
    listened.run()
    assert answered == sum(isinstance(record, Responded) for record in records)


def test_stories_handed_over_as_requests_end_are_those_kept_to_the_end() -> None:
    program = memory(9, preempt=True, count=4)
    simulation = Simulation(program)
    handed: dict[int, Story] = {}
    teller = Storyteller(simulation, ended=lambda one: handed.update({one.who.serial: one}))
    for _ in steps(simulation, END, teller):
        teller.after()
    assert sorted(handed) == [0, 1, 2, 3]
    assert not teller.stories()
    assert handed == told(program)


def test_shares_add_up_to_the_time_they_are_of() -> None:
    one = told(memory(8, preempt=True))[1]
    assert shares(one.stretches) == {
        ("prefill", None): 1,
        ("preempted", "preemption"): 3,
        ("recompute", None): 1,
        ("decode", None): 3,
    }
