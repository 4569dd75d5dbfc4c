"""The frozen values the panes show, built from a moment and what the person looks through; knows no screen.

``build`` is a pure function: the same moment through the same lens is the same view.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.decisions import Admitted, Blocked, Decision, Preempted, RegisterSet
from engine.snapshot import BatchView, EngineView, Position, QueueView, RegisterView, RequestView, Snapshot, StageView, Who
from engine.snapshot import PoolView as PoolNow
from serq_tui.source_state import ProgramText, SourceState, StatementAt, source_state
from serq_tui.words import Headline, every, headline, pool_names

Fate = Literal["", "admitted", "preempted", "left"]


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment with the one it is compared to.

    Attributes:
        before: the moment just before in the program's time, None at the start.
        records: what was decided between the two, in the order decided.
    """

    now: Snapshot
    before: Snapshot | None
    records: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class Lens:
    """What a person looks through: it changes by their own hand alone, never by moving in time.

    Attributes:
        engine: stage of the engine chosen, None for all of them.
        preemption: whether a preemption stops a run.
        idle: whether an engine idle with work stops a run.
        statements: schedule statements that stop a run.
        requests: serials of requests that stop a run.
        pools: pools whose preemptions stop a run although others do not.
        opened: the request whose detail is open.
    """

    engine: int | None = None
    preemption: bool = True
    idle: bool = True
    statements: frozenset[StatementAt] = frozenset()
    requests: frozenset[int] = frozenset()
    pools: frozenset[int] = frozenset()
    opened: Who | None = None


@dataclass(frozen=True, slots=True)
class HeaderState:
    """Where we are and why we are here.

    Attributes:
        engines: name and iterations of every engine shown, the one at hand marked.
        step: how long the running iteration at hand lasts, None without one.
        live: sessions that have not ended.
    """

    file: str
    engines: tuple[tuple[str, int, bool], ...]
    every_engine: bool
    clock: float
    position: Position
    step: float | None
    seed: int
    horizon: float
    live: int
    headline: Headline
    preemption: bool
    idle: bool
    breakpoints: int


@dataclass(frozen=True, slots=True)
class Resident:
    """A running request, or one that ran just before.

    Attributes:
        now: None when it no longer runs.
        before: None when it did not run before, or there is no before.
        gets: tokens it has in the running iteration.
        note: what happened to it, in a few words.
        stops: whether a breakpoint stands on it.
    """

    who: Who
    now: RequestView | None
    before: RequestView | None
    gets: float
    fate: Fate
    note: str
    stops: bool


@dataclass(frozen=True, slots=True)
class EngineResidents:
    """The requests of one engine, in admission order, then those that left."""

    name: str
    residents: tuple[Resident, ...]
    running: int


@dataclass(frozen=True, slots=True)
class RunningState:
    """Who runs. ``stages`` are the stages that are no engine, each beside its state just before."""

    engines: tuple[EngineResidents, ...]
    stages: tuple[tuple[StageView, StageView | None], ...]


@dataclass(frozen=True, slots=True)
class QueueState:
    """One queue.

    Attributes:
        admitted_by: name of the engine that admits it, None where holds enter as soon as they fit.
        joined: who was not in it just before.
        left: how many of those in it before are gone.
        blocked: why the head was not admitted, None where nothing was said.
    """

    view: QueueView
    admitted_by: str | None
    joined: frozenset[Who]
    left: int
    blocked: Blocked | None


@dataclass(frozen=True, slots=True)
class WaitingState:
    """Who waits, queue by queue in the order the engine tries them."""

    queues: tuple[QueueState, ...]
    pool_names: Mapping[int, str]
    clock: float
    stops: frozenset[int]


@dataclass(frozen=True, slots=True)
class BatchState:
    """The running iteration of the engine at hand and the batch just before."""

    engine: str | None
    now: BatchView | None
    before: BatchView | None
    idle_with_work: bool
    stops: frozenset[int]


@dataclass(frozen=True, slots=True)
class RegisterState:
    """A register.

    Attributes:
        before: its value just before, None without one.
        undone: the value it was set to by an attempt that came to nothing, None without one.
    """

    engine: str
    now: RegisterView
    before: float | None
    undone: float | None


@dataclass(frozen=True, slots=True)
class RegistersState:
    """The registers of the engines shown."""

    registers: tuple[RegisterState, ...]
    several: bool


@dataclass(frozen=True, slots=True)
class PoolState:
    """A pool beside its state just before.

    Attributes:
        memory: whether it is an engine's memory or counts in blocks, so that who holds how much of it matters.
    """

    now: PoolNow
    before: PoolNow | None
    memory: bool
    stops: bool


@dataclass(frozen=True, slots=True)
class PoolsState:
    """All pools."""

    pools: tuple[PoolState, ...]


@dataclass(frozen=True, slots=True)
class DetailState:
    """One request, whole.

    Attributes:
        where: what it does, in words.
        attributes: name, value, value just before (None when it was not seen).
        holds: its holds in the pools: name, allocated, computed, reserved, leased.
        entries: cached prefixes it owns: pool name and units.
    """

    who: Who
    where: str
    resident: RequestView | None
    attributes: tuple[tuple[str, float, float | None], ...]
    holds: tuple[tuple[str, float, float, float, bool], ...]
    entries: tuple[tuple[str, float], ...]
    stops: bool


@dataclass(frozen=True, slots=True)
class DebuggerState:
    """Everything on the debugger's screen."""

    header: HeaderState
    source: SourceState
    running: RunningState
    waiting: WaitingState
    batch: BatchState
    registers: RegistersState
    pools: PoolsState
    detail: DetailState | None


@dataclass(frozen=True, slots=True)
class _Shown:
    """What several parts need of a moment: looked up once."""

    moment: Moment
    lens: Lens
    engines: tuple[EngineView, ...]
    at_hand: EngineView | None
    before: dict[int, EngineView] = field(default_factory=dict)


def build(moment: Moment, lens: Lens, text: ProgramText) -> DebuggerState:
    """The view of a moment through a lens."""
    now = moment.now
    at_hand = engine_at_hand(now, lens.engine)
    several = lens.engine is None
    shown = _Shown(
        moment,
        lens,
        now.engines if several or at_hand is None else (at_hand,),
        at_hand,
        {engine.stage: engine for engine in moment.before.engines} if moment.before else {},
    )
    return DebuggerState(
        _header(shown, text),
        source_state(text, now, moment.records, at_hand, lens.statements),
        _running(shown),
        _waiting(shown),
        _batch(shown),
        _registers(shown, text),
        _pools(shown),
        _detail(shown, lens.opened) if lens.opened is not None else None,
    )


def engine_at_hand(now: Snapshot, chosen: int | None) -> EngineView | None:
    """The engine the panes are about: the chosen one, else whose attempt this is, else the last to attempt."""
    wanted = chosen if chosen is not None else now.stage
    for engine in now.engines:
        if engine.stage == wanted:
            return engine
    attempted = [engine for engine in now.engines if engine.attempt is not None]
    if attempted:
        return max(attempted, key=lambda engine: engine.attempt.position if engine.attempt else Position(0))
    return now.engines[0] if now.engines else None


def _header(shown: _Shown, text: ProgramText) -> HeaderState:
    now, lens = shown.moment.now, shown.lens
    engine = shown.at_hand
    return HeaderState(
        file=text.name,
        engines=tuple((view.name, view.iterations, view is engine) for view in shown.engines),
        every_engine=lens.engine is None and len(now.engines) > 1,
        clock=now.clock,
        position=now.position,
        step=engine.batch.cost if engine and engine.batch else None,
        seed=now.seed,
        horizon=now.horizon,
        live=now.live,
        headline=headline(now, shown.moment.records),
        preemption=lens.preemption,
        idle=lens.idle,
        breakpoints=len(lens.statements) + len(lens.requests) + len(lens.pools),
    )


def _running(shown: _Shown) -> RunningState:
    before = {stage.stage: stage for stage in shown.moment.before.stages} if shown.moment.before else {}
    stages = tuple((stage, before.get(stage.stage)) for stage in shown.moment.now.stages)
    return RunningState(tuple(_residents(shown, engine) for engine in shown.engines), stages)


def _residents(shown: _Shown, engine: EngineView) -> EngineResidents:
    records = shown.moment.records
    lost = {record.who: record for record in every(records, Preempted)}
    came = {record.who: record for record in every(records, Admitted)}
    ran_before = {view.who: view for view in shown.before[engine.stage].running} if engine.stage in shown.before else None
    here = {view.who for view in engine.running}
    gets = {portion.who: portion.tokens for portion in engine.batch.portions} if engine.batch else {}
    rows: list[Resident] = []
    for view in engine.running:
        old = ran_before.get(view.who) if ran_before is not None else None
        fate: Fate = "admitted" if ran_before is not None and old is None else ""
        tokens = gets.get(view.who, 0.0)
        note = _resident_note(view, tokens, engine.batch is not None, came.get(view.who), fate)
        rows.append(Resident(view.who, view, old, tokens, fate, note, view.who.serial in shown.lens.requests))
    for who, old in (ran_before or {}).items():
        if who in here:
            continue
        record = lost.get(who)
        if record is None:
            rows.append(Resident(who, None, old, 0.0, "left", "done", who.serial in shown.lens.requests))
        else:
            by = "its own" if record.grower == who else f"{record.grower}'s"
            note = f"preempted at {record.position:g} by {by} growth"
            rows.append(Resident(who, None, old, 0.0, "preempted", note, who.serial in shown.lens.requests))
    return EngineResidents(engine.name, tuple(rows), len(engine.running))


def _resident_note(view: RequestView, gets: float, runs: bool, came: Admitted | None, fate: Fate) -> str:
    if view.growing:
        return "waits to grow"
    if came is not None and fate == "admitted":
        return f"admitted, {came.cached:g} cached" if came.cached else "admitted"
    if runs and not gets:
        return "no tokens"
    return ""


def _waiting(shown: _Shown) -> WaitingState:
    now, before = shown.moment.now, shown.moment.before
    names = {engine.stage: engine.name for engine in now.engines}
    blocked = {record.pool: record for record in every(shown.moment.records, Blocked)}
    earlier = {queue.pool: frozenset(view.who for view in queue.waiting) for queue in before.queues} if before else {}
    order = [pool for engine in shown.engines for pool in engine.queues]
    queues = sorted(
        (queue for queue in now.queues if queue.pool in order or (queue.stage is None and queue.waiting)),
        key=lambda queue: (queue.pool not in order, order.index(queue.pool) if queue.pool in order else queue.pool),
    )
    states: list[QueueState] = []
    for queue in queues:
        here = frozenset(view.who for view in queue.waiting)
        old = earlier.get(queue.pool, frozenset())
        joined = here - old if before else frozenset()
        by = names.get(queue.stage) if queue.stage is not None else None
        states.append(QueueState(queue, by, joined, len(old - here), blocked.get(queue.pool)))
    return WaitingState(tuple(states), pool_names(now), now.clock, shown.lens.requests)


def _batch(shown: _Shown) -> BatchState:
    engine = shown.at_hand
    if engine is None:
        return BatchState(None, None, None, False, shown.lens.requests)
    before = shown.before.get(engine.stage)
    return BatchState(engine.name, engine.batch, before.batch if before else None, engine.idle_with_work, shown.lens.requests)


def _registers(shown: _Shown, text: ProgramText) -> RegistersState:
    undone = {
        text.registers[record.register]: record.before for record in every(shown.moment.records, RegisterSet) if record.undone
    }
    states: list[RegisterState] = []
    for engine in shown.engines:
        old = shown.before.get(engine.stage)
        values = {register.name: register.value for register in old.registers} if old else {}
        states.extend(
            RegisterState(engine.name, register, values.get(register.name), undone.get(register.name))
            for register in engine.registers
        )
    return RegistersState(tuple(states), len(shown.engines) > 1)


def _pools(shown: _Shown) -> PoolsState:
    now, lens = shown.moment.now, shown.lens
    before = {pool.pool: pool for pool in shown.moment.before.pools} if shown.moment.before else {}
    memories = {engine.memory for engine in now.engines}
    return PoolsState(
        tuple(
            PoolState(pool, before.get(pool.pool), pool.pool in memories or pool.block is not None, pool.pool in lens.pools)
            for pool in now.pools
        )
    )


def _seen(snapshot: Snapshot | None, who: Who) -> tuple[str, RequestView | None, tuple[float, ...]]:
    """Where a request is in a snapshot, its running view and its attributes."""
    if snapshot is None:
        return "", None, ()
    for engine in snapshot.engines:
        for view in engine.running:
            if view.who == who:
                return f"runs on {engine.name}", view, view.attributes
    for queue in snapshot.queues:
        for place, waiting in enumerate(queue.waiting, 1):
            if waiting.who == who:
                return f"waits in {queue.name}, {place} of {len(queue.waiting)}", None, waiting.attributes
    for stage in snapshot.stages:
        if any(job.who == who for job in stage.jobs):
            return f"is at {stage.name}", None, ()
    return "neither runs nor waits at this moment", None, ()


def _detail(shown: _Shown, who: Who) -> DetailState:
    now = shown.moment.now
    where, resident, attributes = _seen(now, who)
    _, _, old = _seen(shown.moment.before, who)
    known = len(old) == len(attributes)
    pairs = zip(now.attribute_names, attributes, old if known else (None,) * len(attributes), strict=False)
    holds = tuple(
        (pool.name, holder.allocated, holder.computed, holder.reserved, holder.leased)
        for pool in now.pools
        for holder in pool.holders
        if holder.who == who
    )
    entries = tuple((pool.name, entry.size) for pool in now.pools for entry in pool.entries if entry.owner == who.serial)
    return DetailState(who, where, resident, tuple(pairs), holds, entries, who.serial in shown.lens.requests)
