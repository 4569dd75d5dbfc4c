"""The names of one program and what they stand for; knows no expressions and no statements.

``Model`` is what the passes hand to one another: the declarations pass fills it, the others
read it. Pools and stages are families: a single one is a family without index. A pool of a
queue is named ``Q.p``, as it is from outside (L8.8), so one flat table serves all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Literal

from grammar import syntax
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.findings import Findings
from grammar.source import Span


@dataclass(slots=True)
class Family:
    """Pools or stages of one name.

    Attributes:
        name: the name, dotted for what a queue owns.
        base: the number of the first member in the IR.
        count: how many members, 1 for a single one.
        indexed: whether it is a family, of one perhaps, and so named with an index (L3.14).
        span: its name where it is declared.
        order: the place of its declaration among the items, for what must be above what (L3.4).
        queue: the queue it belongs to.
    """

    name: str
    base: int
    count: int
    indexed: bool
    span: Span
    order: int
    queue: Queue | None = None


@dataclass(slots=True)
class Pool(Family):
    """A family of pools; ``owner`` is the capacity's device or engine (L4.3)."""

    decl: syntax.Pool | None = None
    cap: float = float("inf")
    block: float | None = None
    owner: Device | Engine | None = None
    admitted_by: Engine | None = None
    memory_of: Engine | None = None
    options: dict[str, syntax.PoolOption] = field(default_factory=dict)


@dataclass(slots=True)
class Stage(Family):
    """A family of stages: plain ones have a ``kind``, engines an ``engine``."""

    kind: syntax.StageKind | None = None
    servers: int = 1
    engine: Engine | None = None
    role: Literal["stage", "nic", "latency"] = "stage"


@dataclass(slots=True)
class Capacity:
    """``CAP cap e`` of a device or an engine; ``lanes`` is the N of ``CAP[N]``."""

    name: syntax.Name
    value: syntax.Expr
    lanes: int | None = None
    pool: Pool | None = None


@dataclass(slots=True)
class Device:
    """A device; ``size`` is None for a single one."""

    name: str
    decl: syntax.Device
    size: int | None
    order: int
    queue: Queue | None = None
    times: dict[str, syntax.TimeResource] = field(default_factory=dict)
    capacities: dict[str, Capacity] = field(default_factory=dict)
    engine: Engine | None = None
    pools: list[Pool] = field(default_factory=list)


@dataclass(slots=True)
class Engine:
    """An engine; ``size`` is None for a single one, ``admits`` are its queues in the order tried (L4.18)."""

    name: str
    decl: syntax.Engine
    stage: Stage
    device: Device
    size: int | None
    order: int
    queue: Queue | None = None
    capacities: dict[str, Capacity] = field(default_factory=dict)
    tokens: syntax.TokensCap | None = None
    execute: syntax.Execute | None = None
    schedule: syntax.Schedule | None = None
    granule: syntax.Granule | None = None
    request: syntax.RequestDecl | None = None
    states: dict[str, syntax.StateDecl] = field(default_factory=dict)
    admits: list[Pool] = field(default_factory=list)
    taking: syntax.Taking | None = None
    taking_wrong: bool = False
    marks: dict[str, Span] = field(default_factory=dict)
    privates: dict[str, Span] = field(default_factory=dict)

    @property
    def memory(self) -> Pool | None:
        """The pool on its device (L4.4)."""
        return self.device.pools[0] if self.device.pools else None


@dataclass(slots=True)
class Queue:
    """A queue; ``size`` is None for a single one."""

    name: str
    decl: syntax.Queue
    size: int | None
    order: int
    roles: tuple[str, ...]
    pools: dict[str, Pool] = field(default_factory=dict)
    devices: dict[str, Device] = field(default_factory=dict)
    stage: Stage | None = None
    engine: Engine | None = None
    latency: Stage | None = None
    latency_value: float = 0.0
    nic: Stage | None = None
    entries: dict[tuple[str, bool], syntax.Entry] = field(default_factory=dict)
    marks: dict[str, Span] = field(default_factory=dict)
    relation: Relation | None = None
    leased: Pool | None = None


@dataclass(slots=True)
class Relation:
    """``kvt.nixl_pull`` or ``kvt.nixl_push``; the wait is at ``latency``, for the queue that posts (L8.9)."""

    decl: syntax.Relation
    push: bool
    source: Queue
    reader: Queue
    latency: Stage | None
    seconds: float


@dataclass(slots=True)
class Register:
    """A register by its number in the IR."""

    name: str
    engine: Engine
    index: int
    span: Span


@dataclass(slots=True)
class Model:
    """Everything declared."""

    findings: Findings
    pools: dict[str, Pool] = field(default_factory=dict)
    stages: dict[str, Stage] = field(default_factory=dict)
    devices: dict[str, Device] = field(default_factory=dict)
    engines: dict[str, Engine] = field(default_factory=dict)
    queues: dict[str, Queue] = field(default_factory=dict)
    registers: dict[str, Register] = field(default_factory=dict)
    attributes: dict[str, int] = field(default_factory=dict)
    observes: dict[str, int] = field(default_factory=dict)
    hidden: dict[str, Span] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    declared: dict[str, tuple[str, Span]] = field(default_factory=dict)
    stage_count: int = 0
    pool_count: int = 0

    def outside_holds(self) -> Iterator[syntax.Node]:
        """The clauses of the pools that are read of sessions outside their holds: who waits, and whose prefix goes."""
        for pool in self.pools.values():
            yield from (option for kind, option in pool.options.items() if kind != "preempt")

    def note_of(self, name: str) -> tuple[Note, ...]:
        """A note saying where a name is declared, none where it is not in the text."""
        found = self.declared.get(name)
        return () if found is None else (Note(f"{found[0]} `{name}` is declared here", found[1]),)
