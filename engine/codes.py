"""A program as tables: compiled expressions and what follows from the text alone; builds nothing.

Nothing here changes during a run; all clones of a run share one ``ProgramCode``.
"""

from __future__ import annotations

from dataclasses import dataclass  # not ours: this is compiled, and the compiler knows the standard one
from typing import Any, Literal

from engine.expressions import Function
from engine.rng import EVICTION_SALT, MACHINE_SALT, TRACE_SALT, Stream
from engine.statement_codes import NativeCode, StatementCode, StraightCode
from grammar import ir

Path = tuple[int, ...]
StageKind = Literal["fifo", "ps", "delay", "shared", "step"]


@dataclass(frozen=True, slots=True)
class SpillCode:
    """Where a pool's evicted prefixes are written."""

    to: int
    via: int
    work: Function
    when: Function


@dataclass(frozen=True, slots=True)
class LeasesCode:
    """How a pool's growths take leases; ``every`` is the period of their return, 0 for none."""

    keys: tuple[Function, ...]
    every: float
    suspend: tuple[Function, ...] | None


@dataclass(frozen=True, slots=True)
class PoolCode:
    """A pool's options. ``engines`` are the stages whose memory it is; ``every`` is the period of its queue, 0 for none."""

    index: int
    name: str
    label: int | None
    cap: float
    block: float
    evict: tuple[Function, ...] | None
    preempt: tuple[Function, ...] | None
    tail: bool
    leases: LeasesCode | None
    keys: tuple[Function, ...] | None
    spill: SpillCode | None
    admit_via: int
    reserve_held: bool
    every: float
    shared: bool
    """Whether its cached prefixes are chains that sessions share (``engine.shared_prefixes``)."""
    engines: tuple[int, ...]
    bulk: bool
    """Whether evictions are of whole blocks of a whole size, least recently released first, without a spill."""
    apart: bool
    """Whether the preemption keys can be read without giving every member of a cohort its own figures."""
    latest: bool
    """Whether it is an engine's and whoever was admitted last gives way."""


@dataclass(frozen=True, slots=True)
class ServeCode:
    """``advance running``. ``by`` None is the stage's own order; ``still`` says that its keys cannot move within an attempt."""

    path: Path
    only: Function | None
    by: tuple[Function, ...] | None
    still: bool


@dataclass(frozen=True, slots=True)
class AdmitCode:
    """``admit waiting``."""

    path: Path
    only: Function | None
    gate: Function | None


@dataclass(frozen=True, slots=True)
class GuardCode:
    """A schedule's ``branch``."""

    path: Path
    guard: Function
    then: tuple[ScheduleCode, ...]
    orelse: tuple[ScheduleCode, ...]


@dataclass(frozen=True, slots=True)
class RegisterCode:
    """A schedule's ``set``."""

    path: Path
    register: int
    value: Function


ScheduleCode = ServeCode | AdmitCode | GuardCode | RegisterCode


@dataclass(frozen=True, slots=True)
class ClaimCode:
    """An iteration claim."""

    index: int
    every: bool
    value: Function


@dataclass(frozen=True, slots=True)
class StepCode:
    """An engine.

    Attributes:
        by: the serving keys, empty for admission order.
        still: whether these keys cannot move within an attempt.
        body: the explicit iteration, None for the default or the exclusive procedure.
        queues: the pools whose queues it admits, in index order.
        registers: its registers.
        totals_first: whether budget or chunk read the memory totals.
        totals_batch: whether the cost or a claim reads the batch's memory.
        attention: whether the cost or a claim reads the batch's attention.
        serving_totals: whether serving keys, ``only`` or the body read any total.
        serving_memory: whether they read the memory totals.
        demand: whether a claim reads the demand.
        limits: budget and chunk where both are numbers, None where they are to be evaluated.
        steady: whether its decodes may be counted together (``engine.calendar``): its first
            statement serves everybody in an order that depends on the mode alone, and no
            claim and no draw of budget or chunk depends on who they are.
        first_keys: the keys of that statement.
    """

    budget: Function
    cost: Function
    chunk: Function
    limits: tuple[float, float] | None
    granule: float
    by: tuple[Function, ...]
    still: bool
    exclusive: bool
    memory: int
    body: tuple[ScheduleCode, ...] | None
    queues: tuple[int, ...]
    registers: tuple[int, ...]
    claims: tuple[ClaimCode, ...]
    steady: bool
    first_keys: tuple[Function, ...]
    totals_first: bool
    totals_batch: bool
    attention: bool
    serving_totals: bool
    serving_memory: bool
    demand: bool
    clocked: bool
    """Whether the cost reads the clock."""


@dataclass(frozen=True, slots=True)
class StageCode:
    """A stage. ``capacity`` is a ps stage's; a shared stage's is the number ``fixed``."""

    index: int
    name: str
    label: int | None
    kind: StageKind
    servers: int
    capacity: Function | None
    fixed: float
    step: StepCode | None
    leaps: bool = False
    """Whether stretches of its iterations may be run at once (``engine.leap``)."""


# --------------------------------------------------------------------------- session statements


@dataclass(frozen=True, slots=True)
class SlotsCode:
    """Where the attributes stand that the kernel itself reads or sets at every turn (R1.7)."""

    turn: int
    cached: int
    computed: int


@dataclass(frozen=True, slots=True)
class ProgramCode:
    """A whole program."""

    program: ir.Program
    pools: tuple[PoolCode, ...]
    stages: tuple[StageCode, ...]
    blocks: tuple[tuple[StatementCode, ...], ...]
    closing: tuple[tuple[bool, ...], ...]
    """Per statement whether it is the client's, so that the server's response is over (R9.21)."""
    straights: tuple[tuple[StraightCode | None, ...], ...]
    """Per statement that begins some in a row those, else None."""
    opening: dict[int, tuple[StraightCode, ...]]
    """The init and the turn block, none of whose statements ends a response."""
    gauges: tuple[Function, ...]
    end_claims: tuple[tuple[int, Function], ...]
    givens: tuple[tuple[int, Function], ...]
    gap: Function | None
    engines: tuple[int, ...]
    """The stages that are engines."""
    slots: SlotsCode
    natives: dict[int, NativeCode]
    """By engine: what it does with native requests."""
    works: bool
    """Whether something reads the unfinished work of a stage, which looks at every job."""
    joins: bool
    """Whether some session joins legs."""
    loops: dict[Any, Any]
    """The generated loops of ``engine.leap``: a cache, of what follows from the text alone."""
    policies: tuple[bool, ...]
    """Per stage whether its flows share by max-min; meaningful for shared stages."""
    ticked: tuple[int, ...]
    """The pools whose queues or leases have ticks."""
    chained: bool
    """Whether some pool's cached prefixes are chains that sessions share."""

    def machine_stream(self, seed: int) -> Stream:
        """The stream of what the machine reads without a session (R8.5)."""
        return Stream(seed ^ MACHINE_SALT)

    def eviction_stream(self, seed: int) -> Stream:
        """The stream of eviction keys and spills (R8.5)."""
        return Stream(seed ^ EVICTION_SALT)

    def trace_stream(self, seed: int) -> Stream:
        """The stream that samples trace sessions (R8.5)."""
        return Stream(seed ^ TRACE_SALT)
