"""Pools, stages and engines of the IR; knows no session."""

from __future__ import annotations

from grammar.declaring import dataclass
from grammar.ir.expressions import Expr
from grammar.ir.statements import Segment, Take


@dataclass(frozen=True, slots=True)
class By:
    """Keys, least first; none means the standing order."""

    keys: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Preempt:
    """Preemption by keys; ``tail`` requeues the victim at the back."""

    keys: tuple[Expr, ...]
    tail: bool = False


@dataclass(frozen=True, slots=True)
class Leases:
    """Growths take leases instead of victims."""

    keys: tuple[Expr, ...]
    every: float | None = None
    suspend: tuple[Expr, ...] | None = None


@dataclass(frozen=True, slots=True)
class Spill:
    """Where evicted prefixes are written."""

    to: int
    via: int
    work: Expr
    when: Expr


@dataclass(frozen=True, slots=True)
class Pool:
    """A counted resource with a queue and a prefix cache.

    ``evict`` is None for the least recently released first. ``queue`` is None for first
    in, first out. ``preempt`` is None where a growth without room waits.
    """

    name: str
    cap: float
    index: int | None = None
    block: float | None = None
    evict: By | None = None
    preempt: Preempt | Leases | None = None
    queue: tuple[Expr, ...] | None = None
    spill: Spill | None = None
    admit_via: int | None = None
    reserve_held: bool = False
    queue_every: float | None = None


@dataclass(frozen=True, slots=True)
class Fifo:
    """``servers`` jobs at a time, in order."""

    servers: int


@dataclass(frozen=True, slots=True)
class Ps:
    """Processor sharing of a capacity; exactly ``Ctx("N")`` is the delay."""

    capacity: Expr


@dataclass(frozen=True, slots=True)
class Serve:
    """``advance running``: the residents not yet served; ``by`` None is the stage's own order."""

    only: Expr | None = None
    by: tuple[Expr, ...] | None = None


@dataclass(frozen=True, slots=True)
class Admit:
    """``admit waiting``."""

    only: Expr | None = None
    gate: Expr | None = None


@dataclass(frozen=True, slots=True)
class SBranch:
    """A branch of a schedule."""

    guard: Expr
    then: tuple[ScheduleStatement, ...]
    orelse: tuple[ScheduleStatement, ...]


@dataclass(frozen=True, slots=True)
class SSet:
    """Sets a register."""

    register: int
    expr: Expr


ScheduleStatement = Serve | Admit | SBranch | SSet


@dataclass(frozen=True, slots=True)
class RequestRecords:
    """Where a native request leaves its figures."""

    reused: int
    prefill: int
    admitted: int
    first: int
    last_reused: int
    last_prefill: int


@dataclass(frozen=True, slots=True)
class RequestClause:
    """What the admission of a native request takes."""

    pools: tuple[Take, ...]
    records: RequestRecords
    reuse: Expr | None = None
    cache: Expr | None = None
    prefix: tuple[Segment, ...] | None = None


@dataclass(frozen=True, slots=True)
class Connector:
    """An engine's second tier."""

    loaded: int
    saved: int
    load_done: int
    record: int
    load: tuple[Expr, int] | None = None
    save: tuple[Expr, int] | None = None
    source: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """An engine. ``serve`` is None for exclusive prefill; ``iteration`` None for the default procedure."""

    budget: Expr
    cost: Expr
    chunk: Expr
    serve: By | None
    memory: int | None = None
    granule: float | None = None
    iteration: tuple[ScheduleStatement, ...] | None = None
    request: RequestClause | None = None
    connector: Connector | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage and its kind."""

    name: str
    kind: Fifo | Ps | Step
    index: int | None = None
