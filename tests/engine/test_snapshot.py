"""Snapshots: what a moment shows of requests, queues, pools and stages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings

from engine import plan, views
from engine.simulation import Simulation
from engine.snapshot import Position, Snapshot, Who
from engine.stage_state import StageState
from engine.state import State
from grammar import ir
from grammar.link import link
from grammar.settings import Settings
from grammar.source import Source
from tests.engine.programs import (
    JOIN,
    LIFO,
    TURN,
    Model,
    branch,
    call,
    ctx,
    fork,
    grow,
    hold,
    load,
    now,
    run,
    serial,
    where,
)
from tests.engine.requests import Serving
from tests.engine.strategies import programs


def at(program: ir.Program, time: float) -> Snapshot:
    """The moment after everything that happens up to a time."""
    simulation = Simulation(program)
    simulation.advance()
    while not simulation.finished and simulation.next_time() <= time:
        simulation.advance()
    return simulation.snapshot()


def read_anew(simulation: Simulation) -> Snapshot:
    """A moment with nothing of it shown again."""
    kept = [(s.pending, s.pending.view) for s in simulation.state.slots if s is not None and s.pending is not None]
    for pending, _ in kept:
        pending.view = None
    made = simulation.snapshot()
    for pending, view in kept:
        pending.view = view
    return made


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(programs())
def test_what_is_shown_again_of_a_queue_is_what_would_be_read_of_it(program: ir.Program) -> None:
    simulation = Simulation(program)
    with patch.object(views, "_READ_ANEW", 0):  # every hold is far behind
        for _ in range(120):
            simulation.advance()
            # As text: what cannot be read is equal to nothing.
            assert repr(simulation.snapshot()) == repr(read_anew(simulation))
            k = simulation.state
            assert views._all_held(k) == {s.slot: views._holds(s) for s in k.slots if s is not None and views._holds(s)}
            if simulation.finished:
                break


def test_a_running_request_shows_its_run_its_memory_and_its_share_of_the_batch() -> None:
    """At 1: request 0 has 4 of 4 prefilled and decodes its first of 3; request 1, from 0.5 on, gets 3 of its 6."""
    s = Serving(((0, 4, 3), (0.5, 6, 1)))
    s.kv(100, units=2, block=4)
    program = s.build(s.engine(budget=4, chunk=5), 30)
    snapshot = at(program, 1.2)
    (engine,) = snapshot.engines
    first, second = engine.running
    assert (first.who, first.mode, first.done, first.left, first.tokens) == (Who(0), "decode", 0, 3, 1)
    assert (first.kv, first.position, first.admission, first.turn, first.growing) == (8, 5, 0, 1, False)
    assert (second.mode, second.done, second.left, second.tokens, second.kv, second.position) == ("prefill", 0, 6, 3, 4, 3)
    assert engine.batch is not None
    assert (engine.batch.tokens, engine.batch.budget, engine.batch.chunk, engine.batch.cost) == (4, 4, 5, 1)
    assert (engine.batch.kv_decode, engine.batch.kv_prefill, engine.batch.started) == (8, 4, 1)
    assert (engine.iterations, engine.memory, engine.queues, engine.name) == (2, 0, (), "llm")
    held = first.holds[0]
    assert (held.pool, held.allocated, held.position, held.computed, held.reserved, held.leased) == (0, 8, 5, 5, 4, False)


def test_tokens_shared_out_are_in_the_batch_being_formed_and_are_a_requests_once_it_runs() -> None:
    """Two prompts of 4 at 0 under a budget of 8: the attempt serves one after the other, and then runs them."""
    s = Serving(((0, 4, 0), (0, 4, 0)))
    simulation = Simulation(s.build(s.engine(budget=8), 30))
    simulation.advance()
    for served in (1, 2):
        (engine,) = simulation.inside(served).engines
        assert engine.batch is not None
        assert [portion.tokens for portion in engine.batch.portions] == [4] * served
        assert [request.tokens for request in engine.running] == [0, 0]
    simulation.advance()
    assert [request.tokens for request in simulation.snapshot().engines[0].running] == [4, 4]


def test_nobody_has_tokens_of_an_attempt_that_failed_the_program() -> None:
    """R6.3: four tokens that take no time are an error, and no iteration runs."""
    s = Serving(((0, 4, 0),))
    simulation = Simulation(s.build(s.engine(cost=0), 30))
    simulation.run()
    assert simulation.failure is not None
    (job,) = simulation.state.stages[simulation.code.engines[0]].residents
    assert (simulation.snapshot().engines[0].batch, job.given) == (None, 0)


def test_a_batch_without_a_chunk_shows_none_and_an_idle_engine_no_batch() -> None:
    s = Serving(((1, 4, 0),))
    program = s.build(s.engine(), 30)
    assert at(program, 0.5).engines[0].batch is None
    assert at(program, 0.5).engines[0].attempt is None
    engine = at(program, 1).engines[0]
    assert engine.batch is not None
    assert engine.batch.chunk == float("inf")
    assert engine.attempt is not None
    assert (engine.attempt.started, engine.attempt.time, engine.attempt.position) == (True, 1, Position(1, 1))


def test_a_queue_is_shown_in_the_order_it_would_be_tried() -> None:
    """Keys 5, 1, 3 wait behind the first; the order is 1, 3, 5, each with its key and when it came."""
    m = Model()
    key, t = m.size("key"), m.size("t")
    place = m.pool("place", 1, queue=[key - ctx("Waited")])
    dl = m.delay()
    m.sessions((key, t), (0, 0), (5, 1), (1, 2), (3, 3))
    m.session(TURN, run(dl, t), hold((place, 1), body=[run(dl, 20)]))
    (queue,) = at(m.build(), 3.5).queues
    assert [(w.who.serial, w.since, w.keys) for w in queue.waiting] == [(2, 2, (0.0,)), (1, 1, (3.0,)), (3, 3, (3.0,))]
    assert (queue.name, queue.stage) == ("place", None)


def test_a_preempted_request_shows_that_it_comes_back_first() -> None:
    """By their keys request 1 is admitted before request 0, which is preempted at 1; it stands before request 2 all the same."""
    s = Serving(((0, 3, 3), (0, 3, 3), (0.5, 3, 0)))
    s.kv(6, units=3, preempt=LIFO, queue=[0 - serial])
    (queue,) = at(s.build(s.engine(), 30), 1).queues
    assert [(w.who.serial, w.requeued, w.preempted) for w in queue.waiting] == [(0, True, True), (2, False, False)]


def test_a_waiting_hold_shows_what_it_would_ask_now() -> None:
    """Units of 2 + now and a reserve of 9, in blocks of 4, with 8 of 20 used: at 3 it asks 5, needs 12, of 12 free."""
    m = Model()
    a, b = m.pool("a", 1), m.pool("b", 20, block=4)
    dl = m.delay()
    m.batch(2)
    m.session(hold((a, 1), (b, where(serial.equals(0), 7, 2 + call("Floor", now)), 9), body=[run(dl, 3), run(dl, 3)]))
    (waiting,) = at(m.build(), 3).queues[0].waiting
    seat, kv = waiting.needs
    assert (seat.pool, seat.units, seat.reserve, seat.need) == (0, 1, None, 1)
    assert (kv.pool, kv.units, kv.reserve, kv.need) == (1, 5, 9, 12)


def test_looking_at_units_that_cannot_be_read_fails_nothing() -> None:
    """An index out of range by then: NaN is shown, and the run goes on until it is tried itself."""
    m = Model()
    a, b = m.pool("a", 1), m.pool("b", 9, members=2)
    dl = m.delay()
    m.batch(2)
    units = call("Used", b[where(now < 1, 0, 5)])
    m.session(hold((a, 1 + 0 * units), body=[run(dl, 1)], cache=None), branch(serial, [hold((b[0], 1))]))
    simulation = Simulation(m.build())
    simulation.advance()
    assert simulation.snapshot().queues[0].waiting[0].needs[0].units == 1
    simulation.state.now = 1.0
    assert simulation.snapshot().queues[0].waiting[0].needs[0].units != simulation.snapshot().queues[0].waiting[0].needs[0].units
    assert simulation.failure is None


def test_a_pool_shows_who_holds_what_in_order_of_admission_leases_too() -> None:
    m = Model()
    kv = m.pool("kv", 40, block=4, reserve_held=True)
    dl = m.delay()
    m.batch(2)
    zero = [hold((kv, 3), lease=(kv, 50)), hold((kv, 5, 12), cache=9, body=[load(kv, 2), run(dl, 50)])]
    one = [run(dl, 1), hold((kv, 4), cache=4), run(dl, 50)]
    m.session(branch(serial.equals(0), zero, one))
    (pool,) = at(m.build(), 2).pools
    rows = [(h.who.serial, h.allocated, h.computed, h.reserved, h.leased) for h in pool.holders]
    assert rows == [(0, 8, 2, 12, False), (0, 4, 4, 4, True)]
    assert (pool.used, pool.reserved, pool.cached, pool.free) == (12, 4, 4, 40 - 12 - 4)
    (entry,) = pool.entries
    assert (entry.owner, entry.size, entry.released, entry.waiting) == (1, 4, 1, False)


def test_a_pool_shows_dead_remainders_and_who_waits_to_grow() -> None:
    m = Model()
    kv = m.pool("kv", 12, block=4)
    dl = m.delay()
    m.batch(2)
    zero = [hold((kv, 8), cache=8), hold((kv, 4), reuse=4, cache=4, body=[run(dl, 50)])]
    m.session(branch(serial.equals(0), zero, [run(dl, 1), hold((kv, 4), body=[grow(kv, 8)])]))
    (pool,) = at(m.build(), 2).pools
    assert [(entry.owner, entry.size) for entry in pool.entries] == [(None, 4)]
    assert (pool.growing, pool.queued, pool.used, pool.free) == ((Who(1),), 0, 8, 4)


def test_stages_show_what_their_jobs_have_left() -> None:
    """After 1 second: one served and one waiting at a fifo; halves at a processor; a flow at rate 1; a leg by its number."""
    m = Model()
    q, ps, dl = m.fifo("q"), m.ps("ps", 1), m.delay("dl")
    a, b = m.ps("a", 1), m.ps("b", 1)
    m.batch(6)
    bodies = [[run(q, 3)], [run(q, 2)], [run(ps, 3)], [run(ps, 4)], [run(a, 5, also=[b])], [fork([run(dl, 9)]), JOIN]]
    body = bodies[5]
    for i in reversed(range(5)):
        body = [branch(serial.equals(i), bodies[i], body)]
    m.session(*body, run(dl, 0))
    simulation = Simulation(m.build())
    simulation.advance()
    # Between two events nothing changes but the clock.
    simulation.state.now = 1.0
    stages = {stage.name: stage for stage in simulation.snapshot().stages}
    assert [(j.who, j.left, j.active) for j in stages["q"].jobs] == [(Who(0), 2, True), (Who(1), 2, False)]
    assert [(j.who, j.left) for j in stages["ps"].jobs] == [(Who(2), 2.5), (Who(3), 3.5)]
    assert [(j.who, j.left) for j in stages["a"].jobs] == [(Who(4), 4)]
    assert [(j.who, j.left) for j in stages["dl"].jobs] == [(Who(5, 0), 8)]
    kinds = {name: stage.kind for name, stage in stages.items()}
    assert kinds == {"q": "fifo", "ps": "ps", "dl": "delay", "a": "shared", "b": "shared"}


def test_a_spill_is_a_job_of_nobody() -> None:
    m = Model()
    kv = m.pool("kv", 8, spill=(1, 0, 5, 1))
    m.pool("tier", 100)
    m.fifo("disk")
    dl = m.delay()
    m.batch(2)
    m.session(branch(serial.equals(0), [hold((kv, 8), cache=8), run(dl, 9)], [run(dl, 1), hold((kv, 5), body=[run(dl, 9)])]))
    disk = at(m.build(), 1).stages[0]
    assert [(j.who, j.left) for j in disk.jobs] == [(None, 5)]


def test_a_snapshot_counts_and_names() -> None:
    s = Serving(((0, 2, 1), (1, 2, 1)))
    snapshot = at(s.build(s.engine(), 30, seed=7), 2.5)
    assert (snapshot.arrived, snapshot.live, snapshot.ended, snapshot.seed, snapshot.horizon) == (2, 1, 1, 7, 30)
    assert snapshot.attribute_names[9:] == ("at", "prompt", "out")
    assert str(Position(12)) == "@12"
    assert str(Position(12, 3)) == "@12.3"
    assert (str(Who(4)), str(Who(4, 1))) == ("r4", "r4/1")


def test_waiting_native_requests_show_each_its_own_needs() -> None:
    """Prompts of 3, 5 and 9 at one seat: the two that wait ask for 5 and 9 units, what they know."""
    m = Model()
    p = m.size("p")
    admitted, first, reused, prefilled = (m.value(name) for name in ("admitted", "first", "reused", "prefilled"))
    kv, seats = m.pool("kv", 100), m.pool("seats", 1, admit_via=0)
    records = ir.RequestRecords(m.observation("r"), m.observation("p"), admitted.slot, first.slot, reused.slot, prefilled.slot)
    takes = (ir.Take(seats.ref, ir.Num(1.0)), ir.Take(kv.ref, ctx("Known").node))
    llm = m.engine(budget=4, memory=kv)
    m.sessions((p,), (3,), (5,), (9,))
    m.session(TURN, ir.Request(llm.ref, p.node, ir.Num(3.0)))
    program = m.build(50)
    stage = program.stages[0]
    assert isinstance(stage.kind, ir.Step)
    step = replace(stage.kind, request=ir.RequestClause(takes, records))
    snapshot = at(replace(program, stages=(replace(stage, kind=step),)), 0.5)
    waiting = snapshot.queues[seats.base].waiting
    assert [[need.units for need in w.needs] for w in waiting] == [[1, 5], [1, 9]]


def test_the_next_iteration_is_planned_once_for_all_who_ask_what_it_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five wait for ``min(known, budget_left)`` of the memory while the engine runs: a snapshot plans one iteration, not five."""
    planned: list[int] = []
    plan_budget = plan.planned_budget

    def counted(k: State, st: StageState) -> float:
        planned.append(st.code.index)
        return plan_budget(k, st)

    monkeypatch.setattr(plan, "planned_budget", counted)
    text = (Path(__file__).parents[2] / "serq_tui" / "examples" / "preemption.sq").read_text(encoding="utf-8")
    simulation = Simulation(link(Source("preemption.sq", text), Settings(horizon=None)).program)
    while sum(len(queue.waiting) for queue in simulation.snapshot().queues) < 2:
        simulation.advance()
    planned.clear()
    waiting = [view for queue in simulation.snapshot().queues for view in queue.waiting]
    assert len(waiting) > 1
    assert planned == [simulation.code.engines[0]]
