"""Queues of waiting holds: joining, rejection, selection and admission (R4.1 to R4.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import endings, holdings, prefix_cache, request_context, shared_prefixes, ticks
from engine.amounts import amount, member
from engine.constants import EPS, HOLD, QUEUED
from engine.decisions import Admitted, Blocked, Queued, Rejected
from engine.events import make_ready
from engine.failure import ProgramFailure
from engine.names import name, who
from engine.rounding import positive, up
from engine.session_state import HeldPool, Hold, Lease, Pending
from engine.statistics import total_order

if TYPE_CHECKING:
    from engine.pool_state import Entry, PoolState
    from engine.session_state import Session
    from engine.state import State
    from engine.statement_codes import HoldCode

Need = tuple[float, float]
"""What an attempt evaluates of a pool: its units, and the larger of units and reserve."""


def outstanding(k: State, pool: PoolState, without: HeldPool | Lease | None = None) -> float:
    """R4.4: what live holds reserved of the pool and have not allocated; 0 unless it counts."""
    if not pool.code.reserve_held:
        return 0.0
    total = 0.0
    for session in k.slots:
        if session is not None:
            for hold in session.holds:
                for held in hold.pools:
                    if held.pool == pool.code.index and held is not without:
                        total += positive(held.reserved - held.alloc)
    return total


def fits(k: State, pool: PoolState, need: float, without: HeldPool | Lease | None = None) -> bool:
    """R4.1: whether a need in whole blocks has room; cached units give way and never count."""
    return pool.used + outstanding(k, pool, without) + need <= pool.code.cap + EPS


def pend(k: State, session: Session, code: HoldCode) -> Pending:
    """R3.4: what a hold's statement evaluates, pool by pool in the order written.

    Raises:
        ProgramFailure: an index or an amount is not one, or a pool is named twice (R10.5).
    """
    pools: list[int] = []
    units: list[float] = []
    if code.native:
        request_context.set_context(k, session)
    for take in code.takes:
        pool = member(k, session, take.pool)
        if pool in pools:
            raise ProgramFailure(f"a hold names the pool {name(k.code.pools[pool])} twice")
        pools.append(pool)
        units.append(amount(k, session, take.units, "what a hold takes of {}", k.code.pools[pool]))
    lease = member(k, session, code.lease) if code.lease is not None else -1
    return Pending(code, pools, lease, units, k.now)


def enqueue(k: State, session: Session, pending: Pending, *, at_head: bool) -> None:
    """R4.5, R4.6: the hold joins the queue of its first pool, or its session is refused.

    Args:
        at_head: whether it is a preempted hold that resumes before all others.
    """
    for i, take in enumerate(pending.code.takes):
        pool = pending.pools[i]
        need = 0.0 if take.units_move else pending.units[i]
        if take.reserve is not None and not take.reserve_moves:
            need = max(need, amount(k, session, take.reserve, "the reserve of {}", k.code.pools[pool]))
        state = k.pools[pool]
        if up(state.code, need) > state.code.cap:
            state.rejected += 1
            if k.listen is not None:
                k.listen.append(Rejected(k.now, pool, who(session), need, state.code.cap))
            endings.refuse(k, session)
            return
    pending.resumed = at_head
    pending.needs = pending.units
    session.pending = pending
    session.status = QUEUED
    session.where = pending.pools[0]
    if k.listen is not None:
        asks = tuple(zip(pending.pools, pending.units, strict=True))
        k.listen.append(Queued(k.now, session.where, who(session), at_head, asks))
    queue = k.pools[session.where].queue
    if at_head:
        queue.insert(0, session)
    else:
        queue.append(session)
    if k.pools[session.where].code.every:
        ticks.joined(k, k.pools[session.where])


def queue_keys(k: State, pool: PoolState, session: Session) -> tuple[float, ...]:
    """The keys of a waiting hold now; empty for first in, first out (R4.7)."""
    keys = pool.code.keys
    assert session.pending is not None
    if keys is None:
        return ()
    k.moment.Waited = k.now - session.pending.since
    return tuple(f(k, session, k.moment) for f in keys)


def select(k: State, pool: PoolState) -> Session:
    """R4.7: the hold that is tried next, for its trial to change; the queue is not empty."""
    return k.own(select_among(k, pool, pool.queue))


def select_among(k: State, pool: PoolState, waiting: list[Session]) -> Session:
    """R4.7 over some of those who wait, in queue order."""
    head = waiting[0]
    assert head.pending is not None
    if pool.code.keys is None or head.pending.resumed:
        return head
    best, chosen = None, head
    for session in waiting:
        rank = [total_order(x) for x in queue_keys(k, pool, session)]
        if best is None or rank < best:
            best, chosen = rank, session
    return chosen


def evaluate(k: State, session: Session) -> list[Need]:
    """R4.8: the units and the need of each pool, as they are now; what it asked last is kept with the hold."""
    assert session.pending is not None
    needs = asked(k, session)
    session.pending.needs = [units for units, _ in needs]
    return needs


def asked(k: State, session: Session) -> list[Need]:
    """R4.8: the units and the need of each pool, units then reserve, as they are now; nothing is stored."""
    pending = session.pending
    assert pending is not None
    needs: list[Need] = []
    if pending.code.native:
        request_context.set_context(k, session)
    try:
        for i, take in enumerate(pending.code.takes):
            code = k.code.pools[pending.pools[i]]
            units = amount(k, session, take.units, "what a hold takes of {}", code)
            need = units
            if take.reserve is not None:
                need = max(amount(k, session, take.reserve, "the reserve of {}", code), units)
            needs.append((units, need))
    except ProgramFailure as failure:
        failure.serial, failure.leg = session.serial, session.leg
        failure.statement = pending.code.statement
        raise
    return needs


def try_admit(k: State, pool: PoolState, session: Session, needs: list[Need], stage: int = -1) -> bool:
    """R4.3: admits the hold if every pool has room, each tested alone."""
    pending = session.pending
    assert pending is not None
    for i, index in enumerate(pending.pools):
        units, need = needs[i]
        state = k.pools[index]
        rounded = up(state.code, need)
        if state.code.shared:
            rounded -= shared_prefixes.in_use(k, state, session, pending.code, up(state.code, units))
        if not fits(k, state, rounded):
            if k.listen is not None:
                room = state.code.cap - state.used - outstanding(k, state)
                where = stage if stage >= 0 else None
                k.listen.append(Blocked(k.now, where, k.path, pool.code.index, who(session), index, rounded, room))
            return False
    pool.queue.remove(session)
    k.planning = None
    _admit(k, session, needs, stage)
    return True


def _admit(k: State, session: Session, needs: list[Need], stage: int) -> None:
    """R4.9: the hold is in force."""
    pending = session.pending
    assert pending is not None
    code = pending.code
    session.part()
    if code.native:
        request_context.set_context(k, session)
        assert session.request is not None
        session.request.loaded = k.moment.Loaded
    reuse = positive(code.reuse(k, session, k.moment)) if code.reuse is not None else None
    best = 0.0
    held_pools: list[HeldPool] = []
    for i, index in enumerate(pending.pools):
        units, need = needs[i]
        pool = k.pools[index]
        rounded = up(pool.code, units)
        own, place = 0.0, -1
        consumed: Entry | None = None
        if pool.code.shared:
            own, place = shared_prefixes.take(k, pool, session, code, rounded)
        elif code.cache is not None:
            own, place, consumed = prefix_cache.consume(k, pool, session, reuse)
        best = max(best, own)
        prefix_cache.make_room(k, pool, rounded)
        holdings.hold_units(pool, session, rounded)
        pool.admissions += 1
        held_pools.append(HeldPool(index, rounded, own, up(pool.code, need), place, consumed))
    waited = k.now - pending.since
    if k.warm:
        k.pools[pending.pools[0]].wait.add(waited)
    session.adm = float(k.next_admission)
    k.next_admission += 1
    session.attrs[k.code.slots.cached] = best
    session.pending = None
    session.holds.append(Hold(code, held_pools, pending.lease_pool))
    session.frames.append([code.body, 0, HOLD])
    if k.listen is not None:
        k.listen.append(
            Admitted(
                k.now, stage if stage >= 0 else None, k.path, pending.pools[0], who(session), waited, best, tuple(pending.pools)
            )
        )
    make_ready(k, session)


def admit_waiting(k: State, pool: PoolState) -> None:
    """R4.8: admits from a queue that no engine serves and that has no period, until one does not fit."""
    if pool.code.admit_via >= 0 or pool.code.every:
        return
    while pool.queue:
        session = select(k, pool)
        if not try_admit(k, pool, session, evaluate(k, session)):
            return
