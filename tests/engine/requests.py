"""The usual request (arrive, hold, prefill, decode) on the usual engine, for tests of iterations; knows no rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from grammar import ir
from tests.engine.programs import TURN, Model, Number, PoolOf, StageOf, Value, decode, hold, prefill, run

Row = tuple[float, float, float]
"""When a request comes, the tokens of its prompt, and the tokens it decodes."""


@dataclass
class Serving:
    """A program whose sessions are requests: ``at``, ``prompt`` and ``out`` are preset by rows.

    Attributes:
        pools: what a request holds, (pool, units) in order; the last is the memory that it grows.
        before: statements of a request ahead of its hold.
        after: statements behind its decode, inside the hold.
    """

    rows: tuple[Row, ...]
    m: Model = field(default_factory=Model)
    pools: list[tuple[PoolOf, Number]] = field(default_factory=list)
    memory: PoolOf | None = None
    grows: bool = True
    before: list[Any] = field(default_factory=list)
    after: list[Any] = field(default_factory=list)
    cache: Number | None = None
    reuse: Number | None = None

    def __post_init__(self) -> None:
        self.at, self.prompt, self.out = (self.m.size(name) for name in ("at", "prompt", "out"))

    def kv(self, cap: float = 1000, units: Number = 1, **options: Any) -> PoolOf:
        """Adds the engine's memory to what a request holds."""
        self.memory = self.m.pool("kv", cap, **options)
        self.pools.append((self.memory, units))
        return self.memory

    def seats(self, cap: float = 100, *, admit_via: int | None = 0, **options: Any) -> PoolOf:
        """Adds a pool of seats, which the engine admits unless told otherwise."""
        seats = self.m.pool("seats", cap, admit_via=admit_via, **options)
        self.pools.append((seats, 1))
        return seats

    def engine(self, **options: Any) -> StageOf:
        return self.m.engine(memory=self.memory, **options)

    def build(self, llm: StageOf, horizon: float = 100, **settings: Any) -> ir.Program:
        growing = self.memory if self.grows else None
        work: list[Any] = [prefill(llm, self.prompt, growing), decode(llm, self.out, growing), *self.after]
        if self.pools:
            work = [hold(*self.pools, body=work, cache=self.cache, reuse=self.reuse)]
        self.m.sessions((self.at, self.prompt, self.out), *self.rows)
        arrive = self.m.delay("arrive")
        self.m.session(TURN, run(arrive, self.at), *self.before, *work)
        return self.m.build(horizon, **settings)

    def attribute(self, name: str) -> Value:
        return self.m.size(name)
