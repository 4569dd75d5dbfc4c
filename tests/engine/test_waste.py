"""The ledger of tokens and units, on programs small enough to be worked out and on random ones."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from engine.decisions import Admitted, Attempted, Decision, Displaced, Preempted, Released, Served
from engine.simulation import Simulation
from engine.snapshot import Who
from engine.timeline import Timeline
from engine.waste import Accounts, EngineWaste, Ledger, Waste, wasted
from grammar import ir
from tests.engine.programs import INF, LIFO, Model, branch, cached, computed, decode, hold, maximum, prefill, run
from tests.engine.strategies import programs
from tests.oracle.generator import generate


class Kept(Ledger):
    """A ledger that keeps the records too."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__(simulation)
        self.records: list[Decision] = []

    def append(self, record: Decision) -> None:
        self.records.append(record)
        super().append(record)


def kept(program: ir.Program) -> tuple[Simulation, Kept]:
    simulation = Simulation(program)
    ledger = Kept(simulation)
    simulation.listen(ledger)
    simulation.run()
    return simulation, ledger


def account(program: ir.Program) -> EngineWaste:
    (found,) = kept(program)[1].accounts()
    return found


def memory(cap: float, *, cache: float | None = None, block: float | None = None, count: int = 2) -> Model:
    """Requests of 4 prompt and 4 output tokens; a preempted one computes again what it does not find."""
    m = Model()
    kv = m.pool("kv", cap, block=block, preempt=LIFO, admit_via=0)
    llm = m.engine(budget=100, memory=kv)
    m.batch(count)
    known = maximum(4, computed)
    work = [prefill(llm, maximum(1, known - cached), kv), decode(llm, 3 - maximum(0, computed - 4), kv)]
    m.session(hold((kv, known), cache=cache, body=work))
    return m


def test_what_a_preemption_lost_is_recomputed_and_no_more() -> None:
    # 9 units: r0 and r1 compute 4 each; at 1 s r0 takes the ninth and r1 is preempted at 4. r0 decodes to the end at 4 s;
    # then r1 computes its 4 again and decodes 3.
    found = account(memory(9).build())
    assert found.total == Waste(useful=14, preempted=4, lost=4)
    assert [(line.iteration, line.waste.preempted, line.waste.lost) for line in found.lines if line.waste.recomputed] == [(5, 4, 0)]
    assert [line.iteration for line in found.lines if line.waste.lost] == [2]


def test_what_stays_cached_is_not_computed_again() -> None:
    # Blocks of 2, 12 units: both have 6 when r0 wants a seventh at 3 s. r1's 6 stay cached but for the block r0 takes; it finds
    # 4 at 4 s, and computes 2 again.
    found = account(memory(12, cache=INF, block=2).build())
    assert (found.total.useful, found.total.preempted, found.total.evicted, found.total.lost) == (14, 2, 0, 6)


def test_of_a_run_that_grows_nothing_the_tokens_since_its_admission_are_lost() -> None:
    # r0 alone grows its hold. At 1 s it takes the ninth unit of 8, and r1 has computed 4 tokens, none of them in a position.
    m = Model()
    kv = m.pool("kv", 8, preempt=LIFO, admit_via=0)
    llm = m.engine(budget=100, memory=kv)
    first = m.size("first")
    m.sessions([first], [1.0], [0.0])
    grows = [prefill(llm, 4, kv), decode(llm, 3, kv)]
    m.session(hold((kv, 4), body=[branch(first, grows, [prefill(llm, 4), decode(llm, 3)])]))
    found = account(m.build())
    assert (found.total.useful, found.total.preempted, found.total.lost) == (14, 4, 0)


def test_a_prefix_that_was_evicted_is_recomputed_for_it() -> None:
    # r0 leaves 4 units cached at 1 s and comes back at 4 s; at 2 s r1 takes 6 of the 8 units, so 2 of r0's are evicted.
    m = Model()
    kv = m.pool("kv", 8, admit_via=0, block=2)
    llm = m.engine(budget=100, memory=kv)
    arrive = m.delay("arrive")
    at, size = m.size("at"), m.size("size")
    m.sessions([at, size], [0.0, 4.0], [2.0, 6.0])
    once = hold((kv, size), cache=INF, body=[prefill(llm, maximum(1, size - cached), kv)])
    m.session(run(arrive, at), once, run(arrive, 3), once)
    found = account(m.build())
    # At 6 s r1 comes back for its 6, of which r0's return left 4.
    assert [(line.time, line.waste.useful, line.waste.evicted) for line in found.lines] == [
        (0, 4, 0),
        (2, 6, 0),
        (4, 0, 2),
        (6, 0, 2),
    ]


def test_units_reserved_for_an_output_that_never_came_are_never_allocated() -> None:
    # 4 units of the prompt, room reserved for 10, and 3 tokens decoded: 7 allocated at most, 3 never.
    m = Model()
    kv = m.pool("kv", 20, admit_via=0, reserve_held=True)
    llm = m.engine(budget=100, memory=kv)
    m.batch(1)
    m.session(hold((kv, 4, 10), body=[prefill(llm, 4, kv), decode(llm, 3, kv)]))
    assert account(m.build()).total == Waste(useful=7, unallocated=3)


def test_units_of_a_block_that_were_never_filled_are_never_computed() -> None:
    # 7 tokens in blocks of 4 are 8 units.
    m = Model()
    kv = m.pool("kv", 20, admit_via=0, block=4)
    llm = m.engine(budget=100, memory=kv)
    m.batch(1)
    m.session(hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, 3, kv)]))
    found = account(m.build())
    assert found.total == Waste(useful=7, uncomputed=1)
    assert found.lines[-1].waste.uncomputed == 1


def test_the_accounts_of_a_moment_are_the_same_however_one_came_there() -> None:
    timeline = Timeline(Simulation(memory(9, count=4).build()))
    accounts = Accounts()
    seen = []
    for _ in range(12):
        seen.append((timeline.position, accounts.at(timeline.past)))
        timeline.step()
    for position, told in reversed(seen):
        while timeline.position > position:
            timeline.rewind()
        assert accounts.at(timeline.past) == told
        assert Accounts().at(timeline.past) == told


few = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


def check(simulation: Simulation, ledger: Kept) -> None:
    """What any ledger is to say: its totals are the run's."""
    records = ledger.records
    for told in ledger.accounts():
        st_ = simulation.state.stages[told.stage]
        assert abs(told.total.tokens - st_.served) <= 1e-6 * max(st_.served, 1.0)
        assert min(told.total.useful, told.total.preempted, told.total.evicted) >= 0
        assert min(told.total.lost, told.total.unallocated, told.total.uncomputed) >= 0
        for before, after in pairwise(told.lines):
            assert before.iteration + 1 == after.iteration
        begun = [
            r for r in records if isinstance(r, Attempted) and r.stage == told.stage and r.outcome in ("iteration", "preempted")
        ]
        assert [line.iteration for line in told.lines] == [r.iteration for r in begun][-len(told.lines) :]
    counted = [r for r in records if isinstance(r, Preempted)]
    assert len(counted) == simulation.state.preempted
    engines = {stage for stage in simulation.code.engines}
    mine = [r for r in counted if r.stage in engines or simulation.code.pools[r.pool].engines]
    if simulation.failure is None:
        assert abs(wasted(ledger.accounts()).lost - sum(r.position for r in mine)) <= 1e-6


def computed_twice(ledger: Kept) -> float:
    """Positions computed again since a preemption, counted one by one: each token of each request is looked up in a set.

    Only of programs whose runs all grow the one memory in whole tokens.
    """
    preempted = {record.who for record in ledger.records if isinstance(record, Preempted)}
    computed_: dict[Who, set[int]] = defaultdict(set)
    at: dict[Who, int] = {}
    attempt: list[tuple[Who, range]] = []
    lost_now: set[Who] = set()
    again = 0
    for record in ledger.records:
        match record:
            case Admitted(who=who, cached=found):
                at[who] = int(found)
                computed_[who] |= set(range(int(found)))
                lost_now.discard(who)
            case Served(who=who, tokens=tokens):
                start = at[who] + sum(len(r) for w, r in attempt if w == who)
                attempt.append((who, range(start, start + int(tokens))))
            case Displaced(who=who):
                attempt = [entry for entry in attempt if entry[0] != who]
            case Preempted(who=who):
                attempt = [entry for entry in attempt if entry[0] != who]
                lost_now.add(who)
            case Released(who=who):
                if who not in lost_now:
                    computed_[who].clear()
            case Attempted():
                for who, tokens_ in attempt:
                    again += len(computed_[who] & set(tokens_)) if who in preempted else 0
                    computed_[who] |= set(tokens_)
                    at[who] += len(tokens_)
                attempt.clear()
    return float(again)


@few
@given(programs())
def test_the_totals_of_a_random_program_are_those_of_its_run(program: ir.Program) -> None:
    simulation, ledger = kept(program)
    check(simulation, ledger)
    total = wasted(ledger.accounts())
    event(f"recomputed {total.preempted > 0}, evicted {total.evicted > 0}, unallocated {total.unallocated > 0}")


@few
@given(st.integers(0, 10_000), st.sampled_from(["engines", "pairs", "requests"]))
def test_the_totals_of_a_program_of_any_family_are_those_of_its_run(seed: int, family: str) -> None:
    program = generate(seed, family).program
    simulation, ledger = kept(program)
    check(simulation, ledger)


@few
@given(programs())
def test_what_was_recomputed_is_what_is_found_by_looking_up_every_token(program: ir.Program) -> None:
    # A lease that ends while a later hold is in force looks to the count below like the end of that hold.
    assume(not any(isinstance(s, ir.Hold) and s.lease is not None for block in program.blocks for s in block))
    _, ledger = kept(program)
    total = wasted(ledger.accounts())
    event("recomputed" if total.preempted else "none")
    assert total.preempted == computed_twice(ledger)
