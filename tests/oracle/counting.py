"""Counts what a run did that a comparison of results should have seen done; decides nothing about it.

The counted run goes step by step with a listener, so its result also says whether listening
and stepping change anything.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from engine.constants import LEASE_END
from engine.decisions import Decision, Preempted, RegisterSet
from engine.simulation import Simulation
from engine.state import State
from grammar import ir
from tests.running import result_of

WANTED = (
    "preemptions",
    "evictions",
    "spills",
    "rejections",
    "stuck sessions",
    "waiting growths",
    "leases expired",
    "requeues at tail",
    "register undos",
    "exclusive displacements",
    "flows shared",
)
"""What a long enough fuzzing has to have met many times of each."""


def counted(program: ir.Program, folder: Path | None = None) -> tuple[dict[str, Any], Counter[str]]:
    """Runs a program step by step; its result (or its failure) and what it did."""
    simulation = Simulation(program, trace_folder=folder)
    records: list[Decision] = []
    simulation.listen(records)
    counts: Counter[str] = Counter()
    state = simulation.state
    seen = _Seen(state)
    while not simulation.finished:
        _before(state, counts)
        simulation.advance()
        seen.after(counts)
        for record in records:
            if isinstance(record, Preempted):
                policy = program.pools[record.pool].preempt
                counts["requeues at tail"] += isinstance(policy, ir.Preempt) and policy.tail
            elif isinstance(record, RegisterSet):
                counts["register undos"] += record.undone
        records.clear()
    simulation.close()
    for pool in state.pools:
        counts["preemptions"] += pool.preemptions
        counts["evictions"] += pool.evicted_entries
        counts["spills"] += pool.spills
        counts["rejections"] += pool.rejected
        counts["stuck sessions"] += pool.stuck
    counts["iterations"] += sum(stage.iterations for stage in state.stages)
    counts["events"] += state.events
    if simulation.failure is not None:
        return {"error": {"kind": "runtime", "message": simulation.failure.message}}, counts
    return result_of(simulation), counts


def _before(state: State, counts: Counter[str]) -> None:
    """A lease that is about to run out, if it still stands."""
    events = state.queue.all()
    if events:
        _, _, what, _, _, number = min(events)
        if what == LEASE_END:
            counts["leases expired"] += any(lease.id == number for session in state.slots if session for lease in session.leases)


class _Seen:
    """What a state looked like before a step, for what is told by the change."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.look()

    def look(self) -> None:
        self.growing = [len(pool.growers) for pool in self.state.pools]
        self.flows = [len(stage.jobs) for stage in self.state.stages]
        self.epochs = [stage.epoch for stage in self.state.stages]
        self.residents = [
            {id(job): job.decode for job in stage.residents} if _is_exclusive(stage) else {} for stage in self.state.stages
        ]

    def after(self, counts: Counter[str]) -> None:
        """Counts the changes of one step."""
        for pool, before in zip(self.state.pools, self.growing, strict=True):
            counts["waiting growths"] += max(0, len(pool.growers) - before)
        for stage, jobs, epoch, residents in zip(self.state.stages, self.flows, self.epochs, self.residents, strict=True):
            if stage.code.kind == "shared" and len(stage.jobs) > max(1, jobs):
                counts["flows shared"] += len(stage.jobs) - max(1, jobs)
            if _is_exclusive(stage) and stage.epoch != epoch and stage.iteration is not None:
                newcomer = any(not job.decode and id(job) not in residents for job in stage.iteration.batch)
                counts["exclusive displacements"] += newcomer and bool(residents) and all(residents.values())
        self.look()


def _is_exclusive(stage: Any) -> bool:
    return stage.code.step is not None and stage.code.step.exclusive
