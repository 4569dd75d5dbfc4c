"""What a generator of random programs makes, and what all of them share: arrivals, gauges, claims; knows no family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from grammar import ir
from tests.engine.programs import Model, PoolOf, StageOf, Value, more, sample, serial, turn_no
from tests.engine.programs import node as node_of
from tests.oracle.dice import Dice, Leaf, asking, attributes, contexts, queries


@dataclass(frozen=True)
class Generated:
    """A random program.

    Attributes:
        family: which generator made it.
        program: the program.
        files: the traces it names.
    """

    family: str
    program: ir.Program
    files: dict[str, str] = field(default_factory=dict)


def arrive(dice: Dice, model: Model, settings: dict[str, Any], mean: float) -> None:
    """Arrivals of any kind, sessions about ``mean`` seconds apart."""
    kind = dice.pick(["batch", "batch", "closed", "poisson", "poisson", "renewal", "renewal"])
    if kind == "batch":
        model.arrive(ir.Batch(dice.count(1, 10)))
    elif kind == "closed":
        model.arrive(ir.Closed(dice.count(1, 6)))
    elif kind == "poisson":
        model.arrive(ir.Poisson(1 / mean))
    else:
        gap = dice.pick(
            [
                Value(ir.Num(dice.seconds(mean / 2, mean * 2) or mean)),
                dice.drawn_seconds(mean) + 0.001,
                sample("Det", mean) * (1 + sample("Bernoulli", 0.5)),
            ]
        )
        model.arrive(ir.Renewal(gap.node))
    if kind in ("poisson", "renewal") and dice.chance(0.3):
        settings["arrivals"] = dice.count(1, 12)
        if dice.chance(0.85):
            settings["horizon"] = 400.0


def explicit(dice: Dice, model: Model, slots: Sequence[Value]) -> None:
    """Explicit sessions with presets and turns of whole sizes."""

    def values(p: float) -> tuple[tuple[int, float], ...]:
        return tuple((slot.slot, float(dice.count(1, 20))) for slot in slots if dice.chance(p))

    model.arrive(
        ir.Sessions(
            tuple(ir.Preset(values(0.5), tuple(values(0.8) for _ in range(dice.count(0, 3)))) for _ in range(dice.count(1, 6)))
        )
    )


def trace(dice: Dice, settings: dict[str, Any]) -> dict[str, str]:
    """A trace of whole tokens, read in order or sampled."""
    lines = ["session,turn,new,out,think,forced"] if dice.chance(0.5) else ["session,turn,new,out,think"]
    for session in range(dice.count(1, 5)):
        for turn in range(dice.count(1, 4)):
            row = f"{session},{turn},{dice.count(1, 24)},{dice.count(1, 9)},{dice.seconds(0, 3)}"
            lines.append(row + f",{dice.count(0, 1)}" if lines[0].endswith("forced") else row)
    settings["trace"], settings["trace_ordered"] = "trace.csv", dice.chance(0.5)
    return {"trace.csv": "\n".join(lines) + "\n"}


def settings_of(dice: Dice, horizon: float) -> dict[str, Any]:
    """A horizon, a seed, a warm-up."""
    settings: dict[str, Any] = {
        "horizon": dice.pick([horizon / 4, horizon, horizon]),
        "seed": dice.rng.getrandbits(dice.pick([3, 16, 64])),
    }
    if dice.chance(0.3):
        settings["warmup"] = float(settings["horizon"]) * dice.pick([0.1, 0.37, 0.5])
    return settings


def gauges(dice: Dice, model: Model, pools: Sequence[PoolOf], stages: Sequence[StageOf], registers: Sequence[Value] = ()) -> None:
    """Gauges of everything, of a few things, or none, which leaves a run free to leap."""
    how = dice.pick(["all", "some", "some", "none", "none"])
    leaves = [*queries(pools, stages, gauge=True), *attributes(registers)]
    if how == "none" or not leaves:
        return
    if how == "all":
        for i, leaf in enumerate(leaves):
            model.gauge(f"g{i}", leaf())
        return
    for i in range(dice.count(1, 3)):
        model.gauge(f"g{i}", dice.expression(leaves, dice.count(0, 2)))


AGGREGATES = ("Total", "Count", "Largest", "Smallest", "PrefixTotal")
ITERATION = "Now Ntok Ndec Npre Nres Kvb Kvp Attn Demand Served Arrived"


def claims(
    dice: Dice,
    model: Model,
    pools: Sequence[PoolOf],
    stages: Sequence[StageOf],
    engines: Sequence[tuple[StageOf, Sequence[Value]]],
    observations: int,
    sizes: Sequence[Value],
) -> None:
    """Claims of every kind, with and without ``given``."""
    counts = [*asking(("Used", "Free", "Holders", "Queued"), pools), *asking(("Queue", "Busy"), stages)]
    for i in range(dice.count(1, 4)):
        given = dice.truth(attributes([serial, turn_no, more, *sizes])) if dice.chance(0.25) else None
        if not engines or dice.chance(0.3):
            leaves: list[Leaf] = [*contexts("Now")]
            if observations:
                leaves += [lambda: Value(ir.Agg(dice.pick(AGGREGATES), dice.count(0, observations - 1)))] * 3
            model.claim(f"c{i}", "AtEnd", dice.truth(leaves, 2), None, given)
            continue
        engine, registers = dice.pick(engines)
        leaves = [*contexts(ITERATION), *contexts(ITERATION), *counts, *attributes(registers)]
        model.claim(f"c{i}", dice.pick(["EveryIteration", "SomeIteration"]), dice.truth(leaves, 2), engine, given)


__all__ = ["Generated", "arrive", "claims", "explicit", "gauges", "node_of", "settings_of", "trace"]
