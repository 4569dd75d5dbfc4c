"""Runs programs and tells what came of them in a form tests can write down; changes no engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.decisions import Decision, Evicted
from engine.simulation import Simulation
from engine.snapshot import Snapshot
from grammar import ir

Sample = tuple[float, int, int, float]
"""(time, session, turn, value)."""


class Row(NamedTuple):
    """An iteration as the worked examples print it."""

    stage: int
    start: float
    batch: str
    used: str
    cached: str


def finished(program: ir.Program) -> Simulation:
    """A run up to its end, which no failure of the program cut short."""
    simulation = Simulation(program)
    simulation.run()
    simulation.close()
    assert simulation.failure is None, simulation.failure
    return simulation


def failed(program: ir.Program) -> Simulation:
    """A run up to the failure of its program."""
    simulation = Simulation(program)
    simulation.run()
    simulation.close()
    assert simulation.failure is not None
    return simulation


def report(program: ir.Program) -> dict[str, Any]:
    """The report of a program's run."""
    return finished(program).report()


def samples(simulation: Simulation, name: str) -> list[Sample]:
    """What was observed under a name, or by the client as ``client.ttft`` and so on."""
    result = simulation.result()
    section, _, field = name.rpartition(".")
    columns = result["client"][field] if section == "client" else result["observes"][name]
    return list(zip(columns["times"], columns["sessions"], columns["turns"], columns["samples"], strict=True))


def values(program: ir.Program, name: str) -> list[float]:
    """The values alone of an observation, in order."""
    return [value for _, _, _, value in samples(finished(program), name)]


def gauge(simulation: Simulation, name: str) -> list[tuple[float, float]]:
    """A gauge's change points."""
    points = simulation.result()["gauges"][name]
    return list(zip(points["times"], points["values"], strict=True))


def moments(program: ir.Program) -> Iterator[tuple[Simulation, Snapshot]]:
    """Every small step of a run, with its snapshot; the run must not be touched."""
    simulation = Simulation(program)
    while not simulation.finished:
        simulation.advance()
        yield simulation, simulation.snapshot()
    assert simulation.failure is None, simulation.failure


def check_clones(program: ir.Program) -> None:
    """Holds clones made before each event of a run to the run's own result."""
    simulation = Simulation(program)
    clones = []
    while not simulation.finished:
        clones.append(simulation.clone())
        simulation.step_event()
    for clone in clones:
        clone.run()
        assert clone.result() == simulation.result()


def trajectory(program: ir.Program, stage: int | None = None) -> list[Row]:
    """The iterations in the order started; those of one engine, or of all."""
    rows = []
    for simulation, snapshot in moments(program):
        attempted = simulation.attempted
        if attempted is None or stage not in (None, attempted):
            continue
        engine = next(engine for engine in snapshot.engines if engine.stage == attempted)
        if engine.batch is None or engine.attempt is None or not engine.attempt.started:
            continue
        batch = ", ".join(f"s{p.who.serial}:{p.mode[0]} {p.tokens:g}" for p in engine.batch.portions)
        used = "/".join(f"{pool.used:g}" for pool in snapshot.pools)
        cached = "/".join(f"{pool.cached:g}" for pool in snapshot.pools)
        rows.append(Row(attempted, engine.batch.started, batch, used, cached))
    return rows


def starts(program: ir.Program) -> list[tuple[float, str]]:
    """When each iteration starts and what its batch is."""
    return [(row.start, row.batch) for row in trajectory(program)]


def decisions(program: ir.Program, *kinds: type[Decision]) -> list[Decision]:
    """Everything decided in a run, in order; of some kinds only, if given."""
    simulation = Simulation(program)
    records: list[Decision] = []
    simulation.listen(records)
    simulation.run()
    return [record for record in records if not kinds or isinstance(record, kinds)]


def evictions(program: ir.Program) -> list[tuple[float, int | None, float, float]]:
    """(time, owner, units, left) of each eviction in order; owner None is a dead entry."""
    return [(d.time, d.owner, d.units, d.left) for d in decisions(program, Evicted) if isinstance(d, Evicted)]
