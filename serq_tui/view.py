"""Builds a view from a moment and what a person looks through; knows no screen.

``build`` is a pure function: the same moment through the same lens is the same view.
"""

from __future__ import annotations

from dataclasses import field
from operator import is_

from engine.breakpoints import OnStatement
from engine.decisions import Admitted, Blocked, Preempted, RegisterSet, Rejected
from engine.snapshot import EngineView, Position, RequestView, Snapshot, WaitingView, Who
from grammar.declaring import dataclass
from serq_tui.decision_words import Names, decision
from serq_tui.format import amount
from serq_tui.source_state import ProgramText, StatementAt, source_state, under_way
from serq_tui.stop_words import written
from serq_tui.view_state import (
    ANY_IDLE,
    ANY_PREEMPTION,
    BatchState,
    DebuggerState,
    DetailState,
    EngineResidents,
    Fate,
    HeaderState,
    Lens,
    Moment,
    PoolsState,
    PoolState,
    QueueState,
    RegistersState,
    RegisterState,
    Resident,
    RunningState,
    TimeState,
    WaitingState,
    WatchState,
)
from serq_tui.why_words import shut
from serq_tui.words import Headline, Kind, every, headline, pool_names


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
        source_state(text, now, moment.records, at_hand, lens.statements, _disabled(lens)),
        _running(shown),
        _waiting(shown),
        _batch(shown),
        _registers(shown, text),
        _pools(shown),
        _time(shown),
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
        step=engine.batch.cost if engine and engine.batch and not under_way(now, engine) else None,
        seed=now.seed,
        horizon=now.horizon,
        live=now.live,
        headline=_headline(shown.moment, text),
        hits=_hits(shown, text),
        preemption=lens.preemption,
        idle=lens.idle,
        breakpoints=sum(1 for stop in lens.stops if stop.enabled and stop.on not in (ANY_PREEMPTION, ANY_IDLE)),
        warnings=len(text.warnings),
    )


def _disabled(lens: Lens) -> frozenset[StatementAt]:
    return frozenset(
        (on.stage, on.path) for stop in lens.stops if not stop.enabled for on in stop.on if isinstance(on, OnStatement)
    )


def _headline(moment: Moment, text: ProgramText) -> Headline:
    """The sentence about a moment; within a step that is the decision just made."""
    if moment.now.position.decisions and moment.records:
        record = moment.records[-1]
        kind: Kind = "preemption" if isinstance(record, Preempted) else "rejected" if isinstance(record, Rejected) else "decision"
        return Headline(kind, decision(record, Names.of(moment.now, text.registers, text.claims)))
    return headline(moment.now, moment.records, shut(moment.shut, text) if moment.shut is not None else None)


def _hits(shown: _Shown, text: ProgramText) -> tuple[str, ...]:
    """The stops a moment meets, as a run would; a step that ends on one says so too."""
    names = Names.of(shown.moment.now, text.registers, text.claims)
    met = (stop for stop in shown.lens.stops if stop.enabled and not shown.moment.met.isdisjoint(stop.on))
    return tuple(written(stop.on, names, text.places) for stop in met)


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
    # Once, and not for each of hundreds of requests.
    stops = shown.lens.requests
    runs = engine.batch is not None and not under_way(shown.moment.now, engine)
    rows: list[Resident] = []
    for view in engine.running:
        old = ran_before.get(view.who) if ran_before is not None else None
        fate: Fate = "admitted" if ran_before is not None and old is None else ""
        tokens = gets.get(view.who, 0.0)
        note = _resident_note(view, tokens, runs, came.get(view.who), fate)
        rows.append(Resident(view.who, view, old, tokens, fate, note, view.who.serial in stops))
    for who, old in (ran_before or {}).items():
        if who in here:
            continue
        record = lost.get(who)
        if record is None:
            rows.append(Resident(who, None, old, 0.0, "left", "done", who.serial in stops))
        else:
            by = "its own" if record.grower == who else f"{record.grower}'s"
            note = f"preempted at {amount(record.position)} by {by} growth"
            rows.append(Resident(who, None, old, 0.0, "preempted", note, who.serial in stops))
    return EngineResidents(engine.name, tuple(rows), len(engine.running))


def _resident_note(view: RequestView, gets: float, runs: bool, came: Admitted | None, fate: Fate) -> str:
    if view.growing:
        return "waits to grow"
    if came is not None and fate == "admitted":
        return f"{amount(came.cached)} cached" if came.cached else "admitted"
    if runs and not gets:
        return "no tokens"
    return ""


def _waiting(shown: _Shown) -> WaitingState:
    now, before = shown.moment.now, shown.moment.before
    names = {engine.stage: engine.name for engine in now.engines}
    blocked = {record.pool: record for record in every(shown.moment.records, Blocked)}
    earlier = {queue.pool: queue.waiting for queue in before.queues} if before else {}
    order = [pool for engine in shown.engines for pool in engine.queues]
    queues = sorted(
        (queue for queue in now.queues if queue.pool in order or (queue.stage is None and queue.waiting)),
        key=lambda queue: (queue.pool not in order, order.index(queue.pool) if queue.pool in order else queue.pool),
    )
    states: list[QueueState] = []
    for queue in queues:
        joined, left = _moved(earlier.get(queue.pool, ()), queue.waiting) if before else (frozenset(), 0)
        by = names.get(queue.stage) if queue.stage is not None else None
        states.append(QueueState(queue, by, joined, left, blocked.get(queue.pool)))
    rooms = {pool.pool: pool.room for pool in now.pools}
    return WaitingState(tuple(states), pool_names(now), rooms, now.clock, shown.lens.requests)


def _moved(before: tuple[WaitingView, ...], now: tuple[WaitingView, ...]) -> tuple[frozenset[Who], int]:
    """Who joined a queue, and how many left it.

    Most of a long queue are the very same views in both, which are told apart at no cost.
    """
    alike = bytes(map(is_, reversed(before), reversed(now)))
    same = len(alike.partition(b"\0")[0])
    before, now = before[: len(before) - same], now[: len(now) - same]
    old, new = set(map(id, before)), set(map(id, now))
    gone = frozenset(view.who for view in before if id(view) not in new)
    came = frozenset(view.who for view in now if id(view) not in old)
    return came - gone, len(gone - came)


def _batch(shown: _Shown) -> BatchState:
    engine = shown.at_hand
    if engine is None:
        return BatchState(None, None, None, False, shown.lens.requests)
    before = shown.before.get(engine.stage)
    return BatchState(
        engine.name,
        engine.batch,
        before.batch if before else None,
        engine.idle_with_work,
        shown.lens.requests,
        under_way(shown.moment.now, engine),
    )


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
    read = {reading.value: reading for reading in shown.moment.readings}
    watches = tuple(WatchState(value.text, read.get(value)) for value in shown.lens.watches)
    return RegistersState(tuple(states), len(shown.engines) > 1, watches)


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


def _time(shown: _Shown) -> TimeState:
    now = shown.moment.now
    memory = shown.at_hand.memory if shown.at_hand is not None else None
    pool = now.pools[memory] if memory is not None else next((pool for pool in now.pools if pool.block is not None), None)
    bounded = pool is not None and 0 < pool.cap < float("inf")
    return TimeState(
        shown.moment.overview,
        now.clock,
        sum(len(engine.running) for engine in now.engines),
        sum(len(queue.waiting) for queue in now.queues),
        pool.pool if pool is not None and bounded else None,
        pool.name if pool is not None else "",
        pool.used / pool.cap if pool is not None and bounded else 0.0,
    )


@dataclass(frozen=True, slots=True)
class _Sight:
    """Where a request is seen in a snapshot."""

    where: str
    resident: RequestView | None = None
    waiting: WaitingView | None = None

    @property
    def attributes(self) -> tuple[float, ...]:
        view = self.resident or self.waiting
        return view.attributes if view else ()


def _sight(snapshot: Snapshot | None, who: Who) -> _Sight:
    if snapshot is None:
        return _Sight("")
    for engine in snapshot.engines:
        for view in engine.running:
            if view.who == who:
                return _Sight(f"runs on {engine.name}", resident=view)
    for queue in snapshot.queues:
        for place, waiting in enumerate(queue.waiting, 1):
            if waiting.who == who:
                return _Sight(f"waits in {queue.name}, {place} of {len(queue.waiting)}", waiting=waiting)
    for stage in snapshot.stages:
        if any(job.who == who for job in stage.jobs):
            return _Sight(f"is at {stage.name}")
    return _Sight("neither runs nor waits at this moment")


def _detail(shown: _Shown, who: Who) -> DetailState:
    now = shown.moment.now
    sight, earlier = _sight(now, who), _sight(shown.moment.before, who).attributes
    known = len(earlier) == len(sight.attributes)
    pairs = zip(now.attribute_names, sight.attributes, earlier if known else (None,) * len(sight.attributes), strict=False)
    holds = tuple(
        (pool.name, holder.allocated, holder.computed, holder.reserved, holder.leased)
        for pool in now.pools
        for holder in pool.holders
        if holder.who == who
    )
    names = pool_names(now)
    waiting = sight.waiting
    rooms = {pool.pool: pool.room for pool in now.pools}
    needs = tuple((names.get(need.pool, "a pool"), need.need, rooms[need.pool]) for need in waiting.needs) if waiting else ()
    return DetailState(
        who=who,
        where=sight.where,
        resident=sight.resident,
        waited=now.clock - waiting.since if waiting else None,
        needs=needs,
        attributes=tuple(pairs),
        holds=holds,
        entries=tuple((pool.name, entry.size) for pool in now.pools for entry in pool.entries if entry.owner == who.serial),
        stops=who.serial in shown.lens.requests,
    )
