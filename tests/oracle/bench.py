"""What the generators of random programs share: a program in the making, its pools, workload and plain stages; knows no engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.engine.programs import (
    LIFO,
    Model,
    Number,
    PoolOf,
    StageOf,
    Value,
    assign,
    cached,
    call,
    ctx,
    minimum,
    more,
    new,
    now,
    out,
    sample,
    serial,
    think,
    turn_no,
    where,
)
from tests.oracle.dice import Dice, Leaf, attributes, contexts, queries
from tests.oracle.generated import arrive, explicit, trace


@dataclass
class Bench:
    """A program in the making: its parts, as far as they are declared."""

    dice: Dice
    model: Model
    sizes: list[Value]
    hidden: list[Value]
    value: Value
    pools: list[PoolOf] = field(default_factory=list)
    stages: list[StageOf] = field(default_factory=list)
    registers: list[Value] = field(default_factory=list)
    draws_evict: bool = False

    def session_leaves(self) -> list[Leaf]:
        """What a statement, or a key read for a session, may read of it."""
        seen = [size for size in self.sizes if size not in self.hidden]
        return [*attributes([serial, turn_no, cached, *seen, self.value])]

    def state_leaves(self) -> list[Leaf]:
        """What may be asked of pools and stages."""
        return queries(self.pools, self.stages)


def workload(bench: Bench, prompt: Value, output: Value, kept: Value, settings: dict[str, Any]) -> dict[str, str]:
    """What sessions ask for: random sizes over several turns, explicit sessions, or a trace."""
    dice, model = bench.dice, bench.model
    tokens, generated = dice.pick([6, 12, 24]), dice.pick([3, 8, 20])
    model.init(assign(kept, 0), *([model.observe("begins", serial)] if dice.chance(0.2) else []))
    if dice.chance(0.12):
        arrive(dice, model, settings, dice.pick([0.5, 2.0, 6.0]))
        files = trace(dice, settings)
        model.turn(assign(prompt, kept + new), assign(output, 1 + out))
        return files
    if dice.chance(0.12):
        model.turn()
        explicit(dice, model, [prompt, output, kept])
        return {}
    arrive(dice, model, settings, dice.pick([0.5, 2.0, 6.0]))
    model.turn(
        assign(prompt, kept + dice.drawn_count(dice.pick([0, 1, 1]), tokens)),
        assign(output, dice.drawn_count(dice.pick([0, 1, 1]), generated)),
        assign(more, sample("Bernoulli", dice.pick([0.0, 0.4, 0.7]))),
        *([assign(think, dice.drawn_seconds(1.0))] if dice.chance(0.5) else []),
    )
    return {}


def plain_stage(bench: Bench, shape: str, name: str) -> StageOf:
    """A stage that is no engine."""
    dice, model = bench.dice, bench.model
    if shape == "fifo":
        return model.fifo(name, dice.count(1, 3))
    if shape == "delay":
        return model.delay(name)
    n = ctx("N")
    capacity = dice.number(
        [
            dice.seconds(0.5, 3),
            minimum(n, dice.count(1, 3)),
            n / (1 + n / 4),
            dice.seconds(0.5, 2) + sample("Uniform", 0, 1),
            where(n > 2, 2.5, 0.75),
            1 + now / 64,
            minimum(8, call("Abs", dice.expression([*contexts("Now N"), *queries(bench.pools, bench.stages)], 1))) + 0.25,
        ]
    )
    return model.ps(name, capacity)


def evict_keys(bench: Bench, *, allow_draws: bool = False) -> tuple[Number, ...]:
    """Keys of an eviction."""
    dice = bench.dice
    leaves = [*contexts("Now Size Age Last Queued"), *contexts("Size Age Last Queued"), *bench.session_leaves()]
    if allow_draws and dice.chance(0.2):
        bench.draws_evict = True
        leaves += [lambda: sample("Uniform", 0, 4)] * 3
    return dice.keys(leaves, 3)


def queue_keys(bench: Bench) -> tuple[Number, ...]:
    """Keys of a waiting queue."""
    dice = bench.dice
    waited = ctx("Waited")
    if dice.chance(0.4):
        return (bench.sizes[0] - dice.seconds(0, 4) * waited,)
    return dice.keys([*contexts("Now Waited Waited"), *bench.session_leaves(), *bench.session_leaves(), *bench.state_leaves()])


def spill_work(bench: Bench) -> Number:
    """The work of writing what was evicted."""
    dice, size = bench.dice, ctx("Size")
    return dice.number([dice.seconds(0, 2), size * 0.05, size / 8 - 0.25, dice.drawn_seconds(0.5)])


def spill_when(bench: Bench) -> Number:
    """Whether what was evicted is written."""
    dice, size = bench.dice, ctx("Size")
    return dice.number([1, size > 2, ctx("Queued"), sample("Bernoulli", 0.5), ctx("Age") > 1])


def preemption(bench: Bench) -> dict[str, Any]:
    """A policy of preemption."""
    dice = bench.dice
    kind = dice.pick(["none", "lifo", "lifo", "lifo", "keys", "keys", "position"])
    if kind == "none":
        return {}
    tail = dice.chance(0.3)
    if kind == "lifo":
        return {"preempt": LIFO, "tail": tail}
    if kind == "position":
        return {"preempt": (1 - ctx("Decoding"), ctx("Position"), -ctx("Admission")), "tail": tail}
    sizes = [size for size in bench.sizes if size not in bench.hidden]
    leaves = [*contexts("Decoding Admission Position Position Now"), *attributes([serial, turn_no, *sizes])]
    return {"preempt": dice.keys(leaves, 3), "tail": tail}
