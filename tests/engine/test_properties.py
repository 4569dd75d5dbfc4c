"""What holds at every moment of every run, on random programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.decisions import Admitted, Attempted, Decision, RegisterSet
from engine.simulation import Simulation
from engine.snapshot import PoolView, Snapshot
from grammar import ir
from tests.engine.programs import ctx, serial
from tests.engine.requests import Serving
from tests.engine.strategies import calm_programs, programs
from tests.engine.watching import moments, samples
from tests.oracle.generator import generate

EPS = 1e-9
"""The kernel's tolerance (R1.1)."""

MOST_STEPS = 400
"""Small steps looked at of one program: the long ones repeat themselves."""

few = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])

GENERATED = range(1000, 1040)
"""Seeds of programs over all features, by the generator that is also compared with the reference."""


@cache
def generated(seed: int) -> ir.Program | None:
    """A program of the generator that needs no file and can be executed."""
    made = generate(seed)
    return None if made.files else made.program


class Pools:
    """Checks of every pool along one run."""

    def __init__(self, program: ir.Program) -> None:
        # A spill's tier may exceed its cap (R4.32).
        self.may_exceed = {pool.spill.to for pool in program.pools if pool.spill is not None}
        # What several holds use of a chain is used once, and while one uses some of a piece all of it is:
        # test_native_prefixes has what then sums to what is used.
        self.shared = set(_sharing(program))
        # Of a prefix of its own a hold may reuse, and then leave, more than it takes.
        self.may_exceed |= self.shared

    def check(self, snapshot: Snapshot) -> None:
        for engine in snapshot.engines:
            for request in engine.running:
                for held in request.holds:
                    if held.position > held.allocated + EPS:
                        # A prefix longer than its hold: a preemption caches more than it frees (R4.27), see
                        # test_a_victim_may_leave_more_cached_than_there_is_room_for.
                        self.may_exceed.add(held.pool)
        for pool in snapshot.pools:
            _check_pool(pool, may_exceed=pool.pool in self.may_exceed, shared=pool.pool in self.shared)


def _sharing(program: ir.Program) -> Iterator[int]:
    """The pools whose cached prefixes are chains."""
    holds: list[ir.Hold | ir.RequestClause] = [
        statement for block in program.blocks for statement in block if isinstance(statement, ir.Hold)
    ]
    holds += [stage.kind.request for stage in program.stages if isinstance(stage.kind, ir.Step) and stage.kind.request]
    for hold in holds:
        if hold.prefix is not None:
            for take in hold.pools:
                yield from range(take.pool.base, take.pool.base + take.pool.count)


def _check_pool(pool: PoolView, *, may_exceed: bool, shared: bool) -> None:
    if not may_exceed:
        # R4.28: room is made before anything is taken.
        assert pool.used + pool.cached <= pool.cap + EPS * max(1.0, abs(pool.cap)) or pool.cap == float("inf")
    assert pool.used <= pool.cap + EPS or pool.cap == float("inf")
    # R1.12: what holders have is what is used; running sums may differ from it by roundings only.
    assert shared or sum(holder.allocated for holder in pool.holders) == pytest.approx(pool.used, abs=1e-6)
    assert sum(entry.size for entry in pool.entries) == pytest.approx(pool.cached, abs=1e-6)
    owners = Counter(entry.owner for entry in pool.entries if entry.owner is not None)
    # R4.20: at most one entry a session.
    assert set(owners.values()) <= {1}


def check_batches(snapshot: Snapshot) -> None:
    for engine in snapshot.engines:
        batch = engine.batch
        if batch is None:
            continue
        served = Counter(portion.who for portion in batch.portions)
        # R6.7: once an iteration.
        assert set(served.values()) <= {1}
        assert sum(portion.tokens for portion in batch.portions) == batch.tokens
        assert batch.tokens <= max(batch.budget, 0.0)
        assert all(portion.tokens > 0 for portion in batch.portions)
        assert all(portion.tokens <= 1 for portion in batch.portions if portion.mode == "decode")
        assert all(portion.tokens <= batch.chunk for portion in batch.portions if portion.mode == "prefill")
        running = {request.who for request in engine.running}
        assert set(served) <= running


def check_waiting(snapshot: Snapshot) -> None:
    """R1.8: nobody is at two places."""
    waiting = [w.who for queue in snapshot.queues for w in queue.waiting]
    running = [request.who for engine in snapshot.engines for request in engine.running]
    working = [job.who for stage in snapshot.stages if stage.kind != "shared" for job in stage.jobs if job.who is not None]
    assert max(Counter([*waiting, *running, *working]).values(), default=0) <= 1


@few
@given(programs())
def test_pools_and_batches_are_consistent_at_every_moment(program: ir.Program) -> None:
    """R1.12, R4.28, R6.7, R6.6."""
    pools = Pools(program)
    for _, snapshot in moments(program):
        pools.check(snapshot)
        check_batches(snapshot)
        check_waiting(snapshot)


@pytest.mark.parametrize("seed", GENERATED)
def test_pools_and_batches_of_the_generators_programs_are_consistent(seed: int) -> None:
    """R1.12, R4.28, R6.7: engines, pairs of them with flows and leases, and plain resources."""
    program = generated(seed)
    if program is None:
        pytest.skip("the program reads a trace")
    simulation = Simulation(program)
    pools = Pools(program)
    for _ in range(MOST_STEPS):
        if simulation.finished:
            break
        simulation.advance()
        snapshot = simulation.snapshot()
        pools.check(snapshot)
        check_batches(snapshot)
    assert simulation.position.events > 0 or simulation.finished


# --------------------------------------------------------------------------- one program, one run


@few
@given(st.one_of(programs(most_decodes=60), calm_programs()))
def test_two_runs_of_a_seed_are_equal(program: ir.Program) -> None:
    first, second = Simulation(program), Simulation(program)
    first.run()
    second.run()
    assert first.result() == second.result()
    assert first.snapshot() == second.snapshot()


@few
@given(st.one_of(programs(most_decodes=60), calm_programs()))
def test_looking_and_listening_at_every_step_changes_nothing(program: ir.Program) -> None:
    """A run in one go counts steady decodes together and leaps; step by step, with every decision recorded, it does not."""
    at_once = Simulation(program)
    at_once.run()
    looked = Simulation(program)
    records: list[Decision] = []
    looked.listen(records)
    while not looked.finished:
        looked.advance()
        looked.snapshot()
    assert looked.result() == at_once.result()
    assert replace(looked.snapshot(), stage=None) == replace(at_once.snapshot(), stage=None)


@few
@given(st.one_of(programs(most_decodes=60), calm_programs()), st.integers(0, 60), st.data())
def test_a_run_may_be_left_and_taken_up_anywhere(program: ir.Program, steps: int, data: st.DataObject) -> None:
    """Steps, leaps of any length and listening for a while, in any order, lead where the run leads."""
    run = Simulation(program)
    for _ in range(steps):
        if run.finished:
            break
        run.advance()
        choice = data.draw(st.sampled_from(["go on", "leap", "listen", "deaf", "look"]))
        if choice == "leap":
            run.leap(data.draw(st.integers(1, 20)))
        elif choice in ("listen", "deaf"):
            run.listen([] if choice == "listen" else None)
        elif choice == "look":
            run.snapshot()
    run.listen(None)
    run.run()
    straight = Simulation(program)
    straight.run()
    assert run.result() == straight.result()


def test_what_steady_decodes_leave_of_the_budget_goes_to_a_newcomer() -> None:
    """R6.8 where nothing looks on: three requests decode under a budget of 4; the prompt of 6 that comes at 10.5 gets 1 a time.

    Its prefill takes the iterations from 11 to 17, its decode the one after.
    """
    s = Serving(((0, 1, 40), (0, 1, 40), (0, 1, 40), (10.5, 6, 1)))
    s.seats()
    s.kv(500)
    s.after = [s.m.observe("done", serial)]
    simulation = Simulation(s.build(s.engine(budget=4)))
    simulation.run()
    assert samples(simulation, "done")[0][:2] == (18, 3)


def test_the_gaps_of_steady_decodes_are_counted_one_by_one() -> None:
    """R9.8 where nothing looks on: three decodes for four iterations of 1.75, then one for four of 1.25: 26 over 16."""
    s = Serving(((0, 1, 4), (0, 1, 4), (0, 1, 8)))
    simulation = Simulation(s.build(s.engine(cost=1 + 0.25 * ctx("Ndec"))))
    simulation.run()
    stage = simulation.report()["stages"][0]
    assert (stage["mean_itl"], stage["itl_p50"], stage["itl_p99"]) == (26 / 16, 1.75, 1.75)


# --------------------------------------------------------------------------- clones


@few
@given(st.one_of(programs(most_decodes=30), calm_programs()), st.integers(0, 60))
def test_a_clone_advanced_leaves_its_original_untouched(program: ir.Program, steps: int) -> None:
    original = Simulation(program)
    for _ in range(steps):
        if not original.finished:
            original.advance()
    before = original.snapshot()
    copy = original.clone()
    assert copy.snapshot() == before
    copy.run()
    assert original.snapshot() == before
    original.run()
    assert original.result() == copy.result()


def lasting(snapshot: Snapshot) -> Snapshot:
    """What a snapshot says of the state itself: without what it evaluates for who waits."""
    queues = tuple(replace(queue, waiting=tuple(replace(w, needs=(), keys=()) for w in queue.waiting)) for queue in snapshot.queues)
    return replace(snapshot, queues=queues)


@pytest.mark.parametrize("seed", GENERATED)
def test_a_clone_of_a_generated_program_goes_on_as_its_original(seed: int) -> None:
    program = generated(seed)
    if program is None:
        pytest.skip("the program reads a trace")
    original = Simulation(program)
    for _ in range(40):
        if not original.finished:
            original.advance()
    before = lasting(original.snapshot())
    copy = original.clone()
    for _ in range(100):
        if not copy.finished:
            copy.advance()
    reached = lasting(copy.snapshot())
    assert lasting(original.snapshot()) == before
    for _ in range(100):
        if not original.finished:
            original.advance()
    assert lasting(original.snapshot()) == reached


# --------------------------------------------------------------------------- attempts that come to nothing


@few
@given(programs())
def test_an_attempt_that_comes_to_nothing_leaves_the_registers_as_they_were(program: ir.Program) -> None:
    """R6.3.5: nothing scheduled, preempted or admitted."""
    simulation = Simulation(program)
    records: list[Decision] = []
    simulation.listen(records)
    while not simulation.finished:
        before = simulation.snapshot()
        records.clear()
        simulation.advance()
        outcomes = [record.outcome for record in records if isinstance(record, Attempted)]
        if outcomes and outcomes[0] in ("idle", "nothing") and not any(isinstance(r, Admitted) for r in records):
            after = simulation.snapshot()
            assert [e.registers for e in after.engines] == [e.registers for e in before.engines]
            assert [p.used for p in after.pools] == [p.used for p in before.pools]
            sets = [r for r in records if isinstance(r, RegisterSet)]
            # What was set has been undone, or was set to what it was.
            changed = {r.register for r in sets if r.before != r.after and not r.undone}
            assert {r.register for r in sets if r.undone} <= changed


@few
@given(programs())
def test_who_is_served_has_what_it_computes_allocated(program: ir.Program) -> None:
    """R6.21: the position after the iteration's tokens is covered; nobody has less than nothing left."""
    for _, snapshot in moments(program):
        for engine in snapshot.engines:
            for request in engine.running:
                assert request.left > -EPS
                if request.tokens:
                    assert request.position <= request.kv + EPS
