"""Each example does what its opening comment promises.

The iterations at which something first happens were measured on the reference, by running the
program to shorter and shorter horizons; who is concerned follows from the texts of the examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.decisions import Admitted, Attempted, Decision, Evicted, Preempted, RegisterSet
from engine.simulation import Simulation
from engine.snapshot import Snapshot
from serq_tui.loading import load_program
from serq_tui.options import RunOptions

EXAMPLES = Path(__file__).parent.parent.parent / "serq_tui" / "examples"


@dataclass(frozen=True)
class Step:
    """One attempt of the engine: the moment after it, and what was decided since the one before."""

    now: Snapshot
    decided: tuple[Decision, ...]

    def of(self, kind: type) -> list[Decision]:
        """The decisions of one kind."""
        return [record for record in self.decided if isinstance(record, kind)]


def start(name: str, **inputs: float) -> Simulation:
    sets = tuple((name, str(value)) for name, value in inputs.items())
    return Simulation(load_program(EXAMPLES / f"{name}.sq", RunOptions(sets=sets)).program)


def walk(name: str, iterations: int) -> dict[int, Step]:
    """The first attempts of a program's only engine, by iteration; the last attempt of each counts."""
    simulation = start(name)
    records: list[Decision] = []
    simulation.listen(records)
    steps: dict[int, Step] = {}
    while simulation.step():
        step = Step(simulation.snapshot(), tuple(records))
        records.clear()
        if step.now.engines[0].iterations > iterations:
            break
        steps[step.now.engines[0].iterations] = step
        if step.now.engines[0].idle_with_work:
            break
    return steps


def first(steps: dict[int, Step], kind: type) -> int:
    """The iteration in which something of a kind is first decided."""
    return next(iteration for iteration, step in steps.items() if step.of(kind))


def batch(step: Step) -> dict[str, float]:
    """The tokens of each request in the batch."""
    running = step.now.engines[0].batch
    assert running is not None
    return {str(portion.who): portion.tokens for portion in running.portions}


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.sq")))
def test_an_example_links_without_an_error(name: str) -> None:
    assert load_program(EXAMPLES / f"{name}.sq", RunOptions()).source is not None


def test_first_light_gives_one_prompt_an_iteration_and_then_decodes_both() -> None:
    steps = walk("first_light", 10)
    assert [batch(steps[iteration]) for iteration in (1, 2, 3, 4)] == [{"r0": 8}, {"r1": 8}, {"r0": 1, "r1": 1}, {"r0": 1, "r1": 1}]
    assert list(steps) == [1, 2, 3, 4]


def test_preemption_is_first_that_of_r7_in_iteration_15() -> None:
    steps = walk("preemption", 20)
    assert first(steps, Preempted) == 15
    (record,) = steps[15].of(Preempted)
    assert isinstance(record, Preempted)
    assert (str(record.who), str(record.grower)) == ("r7", "r4")
    # half of the two blocks r7 left cached give way, then it comes back to the other half
    assert [(record.owner, record.units, record.left) for record in steps[16].decided if isinstance(record, Evicted)] == [
        (7, 16, 16)
    ]
    assert [(str(record.who), record.cached) for record in steps[18].decided if isinstance(record, Admitted)] == [("r7", 16)]
    (again,) = steps[20].of(Preempted)
    assert isinstance(again, Preempted)
    assert again.who == again.grower
    assert str(again.who) == "r7"


def test_preemption_with_twice_the_memory_preempts_nobody() -> None:
    # measured on the reference up to a horizon of 200
    simulation = start("preemption", kv_tokens=640).clone()
    for _ in range(2000):
        simulation.step()
    assert all(pool.preemptions == 0 for pool in simulation.snapshot().pools)


def test_tgi_leaves_an_admission_out_after_each_one_that_admitted() -> None:
    steps = walk("tgi", 3)
    assert [len(steps[iteration].of(Admitted)) for iteration in (1, 2, 3)] == [3, 0, 4]
    assert [step.now.engines[0].registers[0].value for step in steps.values()] == [1, 0, 1]
    assert len(steps[2].now.queues[0].waiting) == 5


def test_chat_finds_a_prefix_in_iteration_77_and_evicts_one_in_421() -> None:
    steps = walk("chat", 896)
    found = [
        iteration for iteration, step in steps.items() for record in step.decided if isinstance(record, Admitted) and record.cached
    ]
    assert found[0] == 77
    (record,) = steps[77].of(Admitted)
    assert isinstance(record, Admitted)
    assert (str(record.who), record.cached) == ("r3", 96)
    assert first(steps, Evicted) == 421
    evicted = [record for record in steps[421].decided if isinstance(record, Evicted)]
    assert {record.owner for record in evicted} == {4}
    assert len(evicted) == 8
    assert first(steps, Preempted) == 896


def test_latched_is_idle_with_work_after_iteration_137() -> None:
    steps = walk("latched", 1000)
    last = steps[137]
    assert list(steps)[-1] == 137
    assert last.now.engines[0].idle_with_work
    assert last.now.engines[0].running == ()
    assert len(last.now.queues[0].waiting) == 5
    # counted down to 2 in the attempt, and put back with it
    assert [(record.after, record.undone) for record in last.decided if isinstance(record, RegisterSet)] == [(2, False), (3, True)]
    assert [record.outcome for record in last.decided if isinstance(record, Attempted)] == ["idle"]
    assert max(iteration for iteration, step in steps.items() if step.of(Preempted)) == 132
