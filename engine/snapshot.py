"""Frozen views of one moment of a run: all a screen may know of it; knows no screen.

Every view is a tuple of tuples and plain numbers. Amounts of a pool are units (tokens for
a KV pool), times are seconds of the program's clock, work of an engine is tokens.
"""

from __future__ import annotations

from typing import Literal

from grammar.declaring import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """Where a run stands: events handled, attempts made while settling the last one, decisions since.

    Written ``@12345``, ``@12345.2`` or ``@12345.2.7``: after seven decisions of what follows
    ``@12345.2``. Positions are totally ordered.
    """

    events: int
    attempts: int = 0
    decisions: int = 0

    def __str__(self) -> str:
        if self.decisions:
            return f"@{self.events}.{self.attempts}.{self.decisions}"
        return f"@{self.events}.{self.attempts}" if self.attempts else f"@{self.events}"


@dataclass(frozen=True, slots=True)
class Who:
    """A session, or one of its legs (counted from 0 within the session)."""

    serial: int
    leg: int | None = None

    def __str__(self) -> str:
        return f"r{self.serial}" if self.leg is None else f"r{self.serial}/{self.leg}"


@dataclass(frozen=True, slots=True)
class HeldView:
    """One pool of one hold of a session.

    Attributes:
        pool: index of the pool.
        allocated: units allocated.
        position: how far the sequence is computed there, in units.
        computed: what a cache clause could keep, in units (R1.10).
        reserved: what the admission tested, in units (R4.9).
        leased: whether it outlived its hold as a lease.
    """

    pool: int
    allocated: float
    position: float
    computed: float
    reserved: float
    leased: bool = False


@dataclass(frozen=True, slots=True)
class RequestView:
    """A running request: a resident of an engine, in admission order.

    Attributes:
        done: tokens of its present run that are computed.
        left: tokens of its present run still to compute.
        admission: the number of its admission; earlier admissions have smaller ones.
        kv: units it holds of the engine's memory, 0 without one.
        position: units of it that are computed.
        tokens: tokens it has in the running iteration, 0 if none.
        growing: whether it waits for a growth that did not fit.
        turn: its turn, from 1.
    """

    who: Who
    mode: Literal["prefill", "decode"]
    done: float
    left: float
    admission: int
    kv: float
    position: float
    tokens: float
    growing: bool
    turn: int
    holds: tuple[HeldView, ...]
    attributes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class NeedView:
    """What a waiting hold asks of one pool: read anew for the first of a queue, as last read for those far behind.

    Attributes:
        units: the units it would take; NaN where they cannot be evaluated now.
        reserve: the reserve its admission tests, None without one.
        need: the larger of the two, in whole blocks.
    """

    pool: int
    units: float
    reserve: float | None
    need: float


@dataclass(frozen=True, slots=True)
class WaitingView:
    """A hold in a queue.

    Attributes:
        since: when it joined the queue.
        requeued: whether a preemption put it back at the head.
        preempted: whether this hold has been preempted before.
        keys: its queue keys now, empty for first in, first out.
    """

    who: Who
    since: float
    requeued: bool
    preempted: bool
    keys: tuple[float, ...]
    needs: tuple[NeedView, ...]
    turn: int
    attributes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class QueueView:
    """The holds that wait at one pool, in the order they will be tried.

    Attributes:
        pool: index of the pool.
        stage: the engine that admits them, None where they enter as soon as they fit.
    """

    pool: int
    name: str
    stage: int | None
    waiting: tuple[WaitingView, ...]


@dataclass(frozen=True, slots=True)
class Portion:
    """What one request computes in an iteration, in tokens."""

    who: Who
    mode: Literal["prefill", "decode"]
    tokens: float


@dataclass(frozen=True, slots=True)
class BatchView:
    """A running iteration: its batch in the order formed.

    Attributes:
        started: when the iteration started.
        cost: how long it lasts.
        tokens: tokens scheduled.
        budget: the tokens cap it was formed under.
        chunk: the most tokens one request could get, infinite without a cap.
        kv_decode: memory of the batch's decodes, in units.
        kv_prefill: memory of the batch's prefills, in units.
    """

    started: float
    cost: float
    tokens: float
    budget: float
    chunk: float
    kv_decode: float
    kv_prefill: float
    portions: tuple[Portion, ...]


@dataclass(frozen=True, slots=True)
class RegisterView:
    """A register's value."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class AttemptView:
    """The latest attempt of an engine to run an iteration.

    Attributes:
        position: where the run stood just after it.
        time: when it was made.
        started: whether an iteration came of it (False: it scheduled and preempted nothing).
        lit: path of the schedule statement it executed last, None for no schedule statement.
    """

    position: Position
    time: float
    started: bool
    lit: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class EngineView:
    """One engine.

    Attributes:
        stage: index of its stage.
        iterations: iterations started so far; the running one is the last of them.
        running: its requests in admission order.
        batch: the running iteration, None while the engine is idle.
        idle_with_work: whether its last attempt scheduled nothing although somebody runs or waits.
        queues: indices of the pools whose queues it admits, in the order tried.
    """

    stage: int
    name: str
    iterations: int
    running: tuple[RequestView, ...]
    batch: BatchView | None
    idle_with_work: bool
    registers: tuple[RegisterView, ...]
    memory: int | None
    queues: tuple[int, ...]
    attempt: AttemptView | None


@dataclass(frozen=True, slots=True)
class HolderView:
    """A session's units in a pool."""

    who: Who
    allocated: float
    computed: float
    reserved: float
    leased: bool


@dataclass(frozen=True, slots=True)
class EntryView:
    """A cached prefix.

    Attributes:
        owner: serial of the session it belongs to; None for a dead remainder.
        size: units.
        released: when it was last released.
        order: its release number; the least goes first under ``evict lru``.
        waiting: whether its session waits in some queue now.
    """

    owner: int | None
    size: float
    released: float
    order: int
    waiting: bool


@dataclass(frozen=True, slots=True)
class PoolView:
    """One pool.

    Attributes:
        used: units allocated by holds and leases.
        reserved: units live holds reserved and have not allocated (counted only under ``reserve held``).
        cached: units of cached prefixes.
        free: capacity less used and reserved; cached units count as free, they give way.
        room: what an admission may take: capacity less what is allocated and what others reserved.
        holders: in order of admission.
        entries: cached prefixes, the first to be evicted first where the order is known.
        growing: sessions that wait to grow, first first.
    """

    pool: int
    name: str
    cap: float
    block: float | None
    used: float
    reserved: float
    cached: float
    free: float
    room: float
    holders: tuple[HolderView, ...]
    entries: tuple[EntryView, ...]
    growing: tuple[Who, ...]
    queued: int
    admissions: int
    preemptions: int
    evicted_units: float
    rejected: int


@dataclass(frozen=True, slots=True)
class JobView:
    """A job at a stage that is no engine; ``left`` is what it still has to do, in seconds at rate 1."""

    who: Who | None
    left: float
    active: bool


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage that is no engine."""

    stage: int
    name: str
    kind: Literal["fifo", "ps", "delay", "shared"]
    jobs: tuple[JobView, ...]
    completed: int


@dataclass(frozen=True, slots=True)
class FailureView:
    """Why a run stopped by itself.

    Attributes:
        message: what happened, for the author of the program.
        who: the session at hand, None where there is none.
        statement: (block, index) of the statement at fault.
        schedule: (stage, path) of the schedule statement at fault.
        stage: the engine whose ``execute`` or cap is at fault.
        arrival: whether the law of arrivals is at fault.
    """

    message: str
    time: float
    who: Who | None = None
    statement: tuple[int, int] | None = None
    schedule: tuple[int, tuple[int, ...]] | None = None
    stage: int | None = None
    arrival: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment of a run.

    Attributes:
        clock: seconds of the program's clock.
        stage: the engine whose attempt led here, None after a plain event.
        arrived: sessions created so far.
        live: sessions that have not ended.
        finished: whether nothing more can happen before the horizon.
        failure: why the run stopped by itself, None while it has not.
    """

    position: Position
    clock: float
    seed: int
    horizon: float
    stage: int | None
    arrived: int
    live: int
    ended: int
    finished: bool
    failure: FailureView | None
    engines: tuple[EngineView, ...]
    queues: tuple[QueueView, ...]
    pools: tuple[PoolView, ...]
    stages: tuple[StageView, ...]
    attribute_names: tuple[str, ...]
