"""Random choices and random expressions for the program generators; knows no family of programs.

Everything a generator draws comes from one seeded source, so a seed is a program.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from grammar import ir
from tests.engine.programs import (
    INF,
    Number,
    PoolOf,
    Resource,
    StageOf,
    Value,
    call,
    ctx,
    floor,
    maximum,
    minimum,
    negated,
    sample,
    where,
)

T = TypeVar("T")
Leaf = Callable[[], Number]


class Dice:
    """A seeded source of choices."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def chance(self, p: float) -> bool:
        """True with a probability."""
        return self.rng.random() < p

    def pick(self, items: Sequence[T]) -> T:
        """One of several, all alike."""
        return self.rng.choice(items)

    def number(self, items: Sequence[Number]) -> Number:
        """One of several numbers, plain ones and values."""
        return self.rng.choice(items)

    def count(self, low: int, high: int) -> int:
        """A whole number from low to high."""
        return self.rng.randint(low, high)

    def seconds(self, low: float, high: float) -> float:
        """A number of seconds: often one with few binary digits, so that instants meet, often one with many."""
        if self.chance(0.5):
            return self.rng.randint(int(low * 8), max(int(low * 8), int(high * 8))) / 8
        return round(self.rng.uniform(low, high), self.rng.randint(1, 6))

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All of them in another order."""
        return self.rng.sample(list(items), len(items))

    # ------------------------------------------------------------------------- draws

    def drawn_seconds(self, mean: float) -> Value:
        """A draw of a positive time."""
        m = self.seconds(mean / 2, mean * 2) or mean
        return self.pick(
            [
                sample("Exp", m),
                sample("Exp", m),
                sample("Uniform", m / 4, 2 * m),
                sample("Erlang", self.count(1, 4), m),
                sample("H2", m, self.pick([1.0, 2.5, 4.0])),
                sample("Det", m) + m * sample("Bernoulli", 0.3),
            ]
        )

    def drawn_count(self, low: int, mean: float) -> Value:
        """A draw of a whole number of at least ``low``."""
        if self.chance(0.3):
            return low + floor(sample("Uniform", 0, 2 * mean))
        return low + floor(self.drawn_seconds(mean))

    # ------------------------------------------------------------------- expressions

    def expression(self, leaves: Sequence[Leaf], depth: int = 2) -> Number:
        """A random expression over what may be read at its place; it may be anything, also no number."""
        if depth == 0 or self.chance(0.3):
            return self.pick(leaves)() if self.chance(0.8) else self.seconds(0, 4)

        def inner() -> Number:
            return self.expression(leaves, depth - 1)

        def value() -> Value:
            x = inner()
            return x if isinstance(x, Value) else Value(ir.Num(float(x)))

        operations: list[Callable[[], Number]] = [
            lambda: value() + inner(),
            lambda: value() - inner(),
            lambda: value() * inner(),
            lambda: value() / inner(),
            lambda: value() / (1 + self.seconds(0, 3)),
            lambda: minimum(inner(), inner()),
            lambda: maximum(inner(), inner()),
            lambda: where(self.truth(leaves, depth - 1), inner(), inner()),
            lambda: self.truth(leaves, depth - 1),
            lambda: -value(),
            lambda: call(self.pick(["Abs", "Floor", "Ceil", "Sqrt", "Exp", "Ln", "Abs", "Floor"]), inner()),
            lambda: value() ** self.pick([2.0, 0.5, -1.0]),
        ]
        return self.pick(operations)()

    def truth(self, leaves: Sequence[Leaf], depth: int = 1) -> Value:
        """A random expression that is 0 or 1."""
        left, right = self.expression(leaves, depth), self.expression(leaves, depth)
        op = self.pick(["Lt", "Le", "Gt", "Ge", "Eq", "Ne"])
        as_node = [x.node if isinstance(x, Value) else ir.Num(float(x)) for x in (left, right)]
        test = Value(ir.Binary(op, as_node[0], as_node[1]))
        if depth > 0 and self.chance(0.3):
            other = self.truth(leaves, depth - 1)
            test = self.pick([test.both(other), test.either(other), negated(test)])
        return test

    def keys(self, leaves: Sequence[Leaf], most: int = 2) -> tuple[Number, ...]:
        """One key or more."""
        return tuple(self.expression(leaves, self.pick([0, 1, 1, 2])) for _ in range(self.count(1, most)))


def _asking(name: str, *args: Number | Resource) -> Leaf:
    return lambda: call(name, *args)


def asking(names: Sequence[str], resources: Sequence[Resource]) -> list[Leaf]:
    """Leaves that call each function of each pool or stage."""
    return [_asking(name, resource) for resource in resources for name in names]


def contexts(names: str) -> list[Leaf]:
    """Leaves that read context variables."""
    return attributes([ctx(name) for name in names.split()])


def attributes(values: Sequence[Value]) -> list[Leaf]:
    """Leaves that read attributes, or any other values."""

    def reading(value: Value) -> Leaf:
        return lambda: value

    return [reading(value) for value in values]


def queries(pools: Sequence[PoolOf], stages: Sequence[StageOf], *, gauge: bool = False) -> list[Leaf]:
    """Leaves that ask pools and stages; ``Work`` is asked of none, for its last bits are not reproducible (R7.10)."""
    leaves: list[Leaf] = []
    for pool in pools:
        own = () if gauge else ("CachedIn", "Allocated")
        leaves += [_asking(name, pool) for name in ("Used", "Free", "Holders", "Queued", *own)]
    for stage in stages:
        leaves += [_asking(name, stage) for name in ("Queue", "Busy", "EstLambda", "EstRho", "EstWait")]
        leaves.append(_asking("Price", stage, 1.5, 2))
    return leaves


__all__ = ["INF", "Dice", "Leaf", "asking", "attributes", "contexts", "queries"]
