"""Builds the frozen snapshot of a state; changes nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from engine import admission, holdings, plan, request_context
from engine.batch import mode
from engine.constants import GROWING, INF, NAN, QUEUED
from engine.failure import ProgramFailure
from engine.names import name, who
from engine.rounding import positive, up
from engine.session_state import Shown
from engine.snapshot import (
    AttemptView,
    BatchView,
    EngineView,
    EntryView,
    FailureView,
    HeldView,
    HolderView,
    JobView,
    NeedView,
    PoolView,
    Portion,
    Position,
    QueueView,
    RegisterView,
    RequestView,
    Snapshot,
    StageView,
    WaitingView,
)
from engine.stage_state import NEVER
from engine.statistics import total_order

if TYPE_CHECKING:
    from engine.pool_state import PoolState
    from engine.session_state import Job, Pending, Session
    from engine.stage_state import StageState
    from engine.state import State


def snapshot(k: State, attempted: int | None, *, finished: bool, failure: FailureView | None) -> Snapshot:
    """All there is to know of a moment.

    Args:
        k: the state.
        attempted: the engine whose attempt led here, None after a plain event.
        finished: whether nothing more happens.
        failure: why the run stopped by itself.
    """
    # What a waiting hold asks for may plan an iteration, whose budget may draw: looking must not.
    drawn = k.machine_stream
    k.machine_stream = drawn.clone()
    try:
        return _snapshot(k, attempted, finished=finished, failure=failure)
    finally:
        k.machine_stream = drawn


def _snapshot(k: State, attempted: int | None, *, finished: bool, failure: FailureView | None) -> Snapshot:
    held = _all_held(k)
    return Snapshot(
        position=Position(k.events, k.attempts),
        clock=k.now,
        seed=k.seed,
        horizon=k.horizon,
        stage=attempted,
        arrived=k.arrived,
        live=k.live,
        ended=k.next_serial - k.live,
        finished=finished,
        failure=failure,
        engines=tuple(_engine(k, k.stages[i], held) for i in k.code.engines),
        queues=tuple(_queue(k, pool) for pool in k.pools),
        pools=tuple(_pool(k, pool, held) for pool in k.pools),
        stages=tuple(_stage(k, st) for st in k.stages if st.code.step is None),
        attribute_names=k.code.program.attrs,
    )


_Held = dict[int, tuple[HeldView, ...]]
"""What is held, by the slot of whoever holds it, in the order of slots."""


def _all_held(k: State) -> _Held:
    """Looked at once, and not for every pool; not at everybody either: most of thousands wait and hold nothing."""
    holding = {session.slot: session for pool in k.pools for session in pool.holders}
    return {slot: _holds(holding[slot]) for slot in sorted(holding)}


def _engine(k: State, st: StageState, held: _Held) -> EngineView:
    step = st.code.step
    assert step is not None
    attempt = None
    if k.forming is not None and k.attempt_stage == st.code.index:
        attempt = AttemptView(Position(k.events, k.attempts), k.now, False, k.path)
    elif st.attempt != NEVER:
        attempt = AttemptView(Position(*st.attempt), st.attempted_at, st.started, st.lit)
    return EngineView(
        stage=st.code.index,
        name=name(st.code),
        iterations=st.iterations,
        running=tuple(_request(k, st, job, held) for job in st.residents),
        batch=_batch(k, st),
        idle_with_work=st.idle_with_work,
        registers=tuple(RegisterView(k.code.program.registers[i].name, k.registers[i]) for i in step.registers),
        memory=step.memory if step.memory >= 0 else None,
        queues=step.queues,
        attempt=attempt,
    )


def _batch(k: State, st: StageState) -> BatchView | None:
    """The running iteration, or the one being formed, which has no cost yet."""
    it = st.iteration
    if it is not None:
        return _batch_view(st, it.batch, (it.started, it.cost), (it.tokens, it.budget, it.chunk))
    a = k.forming
    if a is None or k.attempt_stage != st.code.index:
        return None
    tokens = 0.0
    for job in a.batch:
        tokens += job.given
    return _batch_view(st, a.batch, (k.now, 0.0), (tokens, a.budget, a.chunk if a.chunk > 0 else INF))


def _batch_view(st: StageState, batch: list[Job], times: tuple[float, float], limits: tuple[float, float, float]) -> BatchView:
    decode, prefill = plan.memory_totals(st, batch)
    portions = []
    for job in batch:
        assert job.session is not None
        portions.append(Portion(who(job.session), mode(job), job.given))
    return BatchView(*times, *limits, decode, prefill, tuple(portions))


def _turn(k: State, session: Session) -> int:
    return int(session.attrs[k.code.slots.turn])


def _holds(session: Session) -> tuple[HeldView, ...]:
    held = [
        HeldView(part.pool, part.alloc, part.pos, holdings.computed_of(hold, part), part.reserved)
        for hold in session.holds
        for part in hold.pools
    ]
    leased = [
        HeldView(lease.pool, lease.alloc, lease.computed, lease.computed, lease.alloc, leased=True) for lease in session.leases
    ]
    return tuple(held + leased)


def _request(k: State, st: StageState, job: Job, held: _Held) -> RequestView:
    session = job.session
    assert session is not None
    assert st.code.step is not None
    memory = st.code.step.memory
    pool = job.growing if job.growing >= 0 else memory
    found = holdings.innermost(session, pool) if pool >= 0 else None
    return RequestView(
        who=who(session),
        mode=mode(job),
        done=job.total - job.work,
        left=job.work,
        admission=int(session.adm) if session.adm < INF else -1,
        kv=plan.memory_of(session, memory) if memory >= 0 else 0.0,
        position=found[1].pos if found is not None else 0.0,
        # While the batch is formed nobody has tokens of a running iteration.
        tokens=job.given if st.iteration is not None else 0.0,
        growing=session.status == GROWING,
        turn=_turn(k, session),
        holds=held.get(session.slot, ()),
        attributes=tuple(session.attrs),
    )


_READ_ANEW = 64
"""Holds of a queue whose needs are read anew for a snapshot: reading all of thousands would keep a person waiting."""


def _queue(k: State, pool: PoolState) -> QueueView:
    stage = pool.code.admit_via
    return QueueView(
        pool=pool.code.index,
        name=name(pool.code),
        stage=stage if stage >= 0 else None,
        waiting=_line(k, pool),
    )


def _line(k: State, pool: PoolState) -> tuple[WaitingView, ...]:
    """The holds that wait. Of those far behind nothing changes for long: what was shown last is shown again."""
    order = in_order(k, pool)
    with _planned_once(k, pool):
        views = [_waiting(k, pool, session, fresh=True) for session in order[:_READ_ANEW]]
    keyed = pool.code.keys is not None
    for session in order[_READ_ANEW:]:
        pending = session.pending
        assert pending is not None
        shown = pending.view
        if shown is None or shown.needs is not pending.needs or not (shown.at_rest or _stands(k, pool, session, shown, keyed)):
            view = _waiting(k, pool, session, fresh=False)
            at_rest = not keyed and session.at_rest
            pending.view = shown = Shown(pending.units, pending.needs, session.attrs.copy(), view, at_rest=at_rest)
        views.append(shown.view)
    return tuple(views)


def _stands(k: State, pool: PoolState, session: Session, shown: Shown, keyed: bool) -> bool:
    """Whether a waiting hold is as it was shown."""
    pending = session.pending
    assert pending is not None
    return (
        shown.units is pending.units
        and shown.attributes == session.attrs
        and shown.view.requeued is pending.resumed
        and shown.view.preempted is pending.preempted
        and (not keyed or shown.view.keys == _keys(k, pool, session))
    )


@contextmanager
def _planned_once(k: State, pool: PoolState) -> Iterator[None]:
    """The next iteration of a queue's engine is planned once for all who ask what it leaves, as while it admits (R7.12)."""
    planning, stage = k.planning, pool.code.admit_via
    if planning is None and len(pool.queue) > 1 and stage >= 0 and k.stages[stage].code.step is not None:
        # Where no budget can be told, each of them says so.
        with suppress(ProgramFailure):
            k.planning = (stage, plan.planned_budget(k, k.stages[stage]))
    try:
        yield
    finally:
        k.planning = planning


def in_order(k: State, pool: PoolState) -> list[Session]:
    """The waiting holds in the order they would be tried if nothing changed (R4.7)."""
    if pool.code.keys is None or not pool.queue:
        return list(pool.queue)
    resumed = []
    rest = list(pool.queue)
    while rest and rest[0].pending is not None and rest[0].pending.resumed:
        resumed.append(rest.pop(0))
    return resumed + sorted(rest, key=lambda s: [total_order(x) for x in _keys(k, pool, s)])


def _keys(k: State, pool: PoolState, session: Session) -> tuple[float, ...]:
    """The queue keys, NaN where one cannot be read now: looking must not fail a run."""
    try:
        return admission.queue_keys(k, pool, session)
    except ProgramFailure:
        return tuple(NAN for _ in pool.code.keys or ())


def _waiting(k: State, pool: PoolState, session: Session, *, fresh: bool) -> WaitingView:
    pending = session.pending
    assert pending is not None
    return WaitingView(
        who=who(session),
        since=pending.since,
        requeued=pending.resumed,
        preempted=pending.preempted,
        keys=_keys(k, pool, session) if pool.code.keys is not None else (),
        needs=_needs(k, session, pending) if fresh else _needs_before(k, pending),
        turn=_turn(k, session),
        attributes=tuple(session.attrs),
    )


def _needs(k: State, session: Session, pending: Pending) -> tuple[NeedView, ...]:
    """What a hold would ask now, by the budget its engine would have; nothing is stored."""
    views = []
    for index, take in zip(pending.pools, pending.code.takes, strict=True):
        try:
            with request_context.aside(k, session, native=pending.code.native):
                units = take.units(k, session, k.moment)
                reserve = take.reserve(k, session, k.moment) if take.reserve is not None else None
        except ProgramFailure:
            units, reserve = NAN, None
        need = max(units, reserve) if reserve is not None else units
        views.append(NeedView(index, units, reserve, up(k.pools[index].code, need) if need == need else NAN))
    return tuple(views)


def _needs_before(k: State, pending: Pending) -> tuple[NeedView, ...]:
    """What a hold asked when it was last read: the units of its statement, the needs of its latest trial."""
    return tuple(
        NeedView(index, units, None, up(k.pools[index].code, need))
        for index, units, need in zip(pending.pools, pending.units, pending.needs, strict=True)
    )


def _pool(k: State, pool: PoolState, held: _Held) -> PoolView:
    code = pool.code
    reserved = 0.0
    for parts in held.values():
        for part in parts:
            if part.pool == code.index and not part.leased:
                reserved += positive(part.reserved - part.allocated)
    free = code.cap - pool.used - (reserved if code.reserve_held else 0.0)
    # By release, or by place, as eviction keys are read (R4.33): the order they happen to be kept in means nothing.
    entries = sorted(pool.entries.items(), key=lambda item: item[1].number if code.evict is None else item[1].place)
    return PoolView(
        pool=code.index,
        name=name(code),
        cap=code.cap,
        block=code.block or None,
        used=pool.used,
        reserved=reserved,
        cached=pool.cached,
        free=free,
        room=free,
        holders=_holders(pool, held),
        entries=tuple(
            EntryView(key[1] if key[0] == 0 else None, entry.size, entry.released, entry.number, _waits(k, key))
            for key, entry in entries
        )
        + _pieces(pool),
        growing=tuple(who(s) for s in pool.growers if s.status == GROWING),
        queued=len(pool.queue),
        admissions=pool.admissions,
        preemptions=pool.preemptions,
        evicted_units=pool.evicted_units,
        rejected=pool.rejected,
    )


def _pieces(pool: PoolState) -> tuple[EntryView, ...]:
    """What is cached of the chains that sessions share and nobody uses; it has no owner."""
    if pool.tree is None:
        return ()
    unused = [piece for piece in pool.tree.nodes.values() if not piece.users]
    return tuple(
        EntryView(None, p.size, p.stamp.released, p.stamp.number, False)
        for p in sorted(unused, key=lambda p: (p.stamp.number, p.place))
    )


def _waits(k: State, key: tuple[int, int]) -> bool:
    session = k.sessions.get(key[1]) if key[0] == 0 else None
    return session is not None and session.status == QUEUED


def _holders(pool: PoolState, held: _Held) -> tuple[HolderView, ...]:
    """Each holder's units, one line a hold or lease, in order of admission."""
    views: list[HolderView] = []
    seen: set[int] = set()
    for session in pool.holders:
        if session.slot in seen:
            continue
        seen.add(session.slot)
        for part in held.get(session.slot, ()):
            if part.pool == pool.code.index:
                views.append(HolderView(who(session), part.allocated, part.computed, part.reserved, part.leased))
    return tuple(views)


def _stage(k: State, st: StageState) -> StageView:
    kind = st.code.kind
    assert kind != "step"
    jobs = []
    for number in sorted(st.jobs):
        job = st.jobs[number]
        jobs.append(
            JobView(
                who(job.session) if job.session is not None else None,
                _left(k, st, job),
                not job.latent and (job.started >= 0 or kind != "fifo"),
            )
        )
    return StageView(st.code.index, name(st.code), kind, tuple(jobs), st.completed)


def _left(k: State, st: StageState, job: Job) -> float:
    """What a job still has to do (R7.10)."""
    if job.latent:
        return job.work
    if st.code.kind == "ps":
        return positive(job.work - (st.virtual + st.rate * (k.now - st.last)))
    if st.code.kind == "shared":
        return positive(job.work - job.rate * (k.now - k.flows_last))
    return positive(job.work - (k.now - job.started)) if job.started >= 0 else job.work
