"""Giving units back: the end of a hold's scope, of a lease, of a single pool; knows no queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import prefix_cache, request_context, shared_prefixes, ticks
from engine.constants import LEASE_END
from engine.decisions import Released
from engine.events import schedule
from engine.names import who
from engine.rounding import positive
from engine.session_state import Hold, Lease

if TYPE_CHECKING:
    from engine.pool_state import PoolState
    from engine.session_state import HeldPool, Job, Session
    from engine.state import State
    from engine.statement_codes import HoldCode


def hold_units(pool: PoolState, session: Session, units: float) -> None:
    """Units become the session's: one more entry among the holders (R4.9 2e)."""
    pool.used += units
    pool.holders.append(session)
    pool.holder_counts[session.slot] = pool.holder_counts.get(session.slot, 0) + 1


def leave(pool: PoolState, session: Session, units: float) -> None:
    """Units go back: one entry among the holders less (R4.26)."""
    pool.used -= units
    pool.holders.remove(session)
    left = pool.holder_counts[session.slot] - 1
    if left:
        pool.holder_counts[session.slot] = left
    else:
        del pool.holder_counts[session.slot]


def rename_holder(pool: PoolState, leg: Session, parent: Session) -> None:
    """A leg's entries among the holders become its session's (R3.17)."""
    for i, holder in enumerate(pool.holders):
        if holder is leg:
            pool.holders[i] = parent
    n = pool.holder_counts.pop(leg.slot, 0)
    if n:
        pool.holder_counts[parent.slot] = pool.holder_counts.get(parent.slot, 0) + n


def give_back(k: State, session: Session, pool: PoolState, units: float, computed: float, code: HoldCode, place: int) -> None:
    """Gives units back and leaves cached what the hold's clause says (R4.26).

    Args:
        computed: the most that can stay cached, in units (R4.27).
        place: the cache place that was kept for them, -1 for none.
    """
    leave(pool, session, units)
    before = pool.cached
    if code.cache is not None:
        if code.native:
            request_context.set_context(k, session)
        want = positive(code.cache(k, session, k.moment))
        prefix_cache.keep(k, pool, session, min(want, computed), place)
    elif pool.code.shared:
        prefix_cache.keep(k, pool, session, 0.0, place)
    if pool.code.leases is not None and pool.code.leases.every:
        # Measured: where leases come back, what is cached over the capacity gives way when units go back.
        prefix_cache.make_room(k, pool, 0.0)
    if k.listen is not None:
        k.listen.append(Released(k.now, pool.code.index, who(session), units, pool.cached - before))


def computed_of(hold: Hold, held: HeldPool) -> float:
    """What a scope's end, a release or a session's end may keep (R1.10)."""
    return held.pos if hold.grown else held.alloc


def end_scope(k: State, session: Session, hold: Hold) -> None:
    """R4.24: each pool of a hold is leased or given back."""
    for held in hold.pools:
        pool = k.pools[held.pool]
        if held.pool == hold.lease_pool:
            _lease(k, session, hold, held)
        else:
            give_back(k, session, pool, held.alloc, computed_of(hold, held), hold.code, held.place)


def _lease(k: State, session: Session, hold: Hold, held: HeldPool) -> None:
    seconds = hold.code.seconds
    assert seconds is not None
    t = positive(seconds(k, session, k.moment))
    number = k.next_lease
    k.next_lease += 1
    expiry = k.now + t
    session.add_lease(Lease(number, held.pool, held.alloc, computed_of(hold, held), hold.code, expiry, held.place, held.consumed))
    ticks.leased(k, k.pools[held.pool])
    if t < float("inf"):
        schedule(k, expiry, LEASE_END, session.slot, session.serial, number)


def end_lease(k: State, session: Session, lease: Lease) -> None:
    """R4.25: a lease's units go back under its clause, read with its frozen attributes if it has them."""
    if lease in session.suspended:
        # Set aside, it holds nothing and leaves nothing (measured, see ``engine.lease_preemption``).
        session.suspended = tuple(other for other in session.suspended if other is not lease)
        shared_prefixes.forget(k.pools[lease.pool], lease.place)
        return
    session.leases.remove(lease)
    own = session.attrs
    if lease.attrs is not None:
        session.attrs = lease.attrs
    pool = k.pools[lease.pool]
    give_back(k, session, pool, lease.alloc, lease.computed, lease.code, lease.place)
    session.attrs = own


def find_lease(k: State, slot: int, serial: int, number: int) -> tuple[Session, Lease] | None:
    """R2.10: the lease of an event, with the session that has it by now."""
    holder = k.slots[slot]
    candidates = [holder] if holder is not None and holder.serial == serial else []
    session = k.sessions.get(serial)
    if session is not None and session is not holder:
        candidates.append(session)
    for candidate in candidates:
        for lease in (*candidate.leases, *candidate.suspended):
            if lease.id == number:
                return candidate, lease
    return None


def release(k: State, session: Session, pool: int) -> None:
    """R3.8: gives back the innermost hold's units of a pool, else its first lease's."""
    for hold in reversed(session.holds):
        for held in hold.pools:
            if held.pool == pool:
                hold.pools.remove(held)
                give_back(k, session, k.pools[pool], held.alloc, computed_of(hold, held), hold.code, held.place)
                session.preempted_at.pop(pool, None)
                return
    for lease in (*session.leases, *session.suspended):
        if lease.pool == pool:
            end_lease(k, session, lease)
            return


def innermost(session: Session, pool: int) -> tuple[Hold, HeldPool] | None:
    """The innermost hold of a pool, with its part of it."""
    for hold in reversed(session.holds):
        for held in hold.pools:
            if held.pool == pool:
                return hold, held
    return None


def grown_by(job: Job) -> HeldPool:
    """What a job grows: the innermost hold of its pool, which stays the same one while it runs."""
    if job.held is None:
        assert job.session is not None
        found = innermost(job.session, job.growing)
        assert found is not None
        job.hold, job.held = found
    return job.held


def computed(job: Job, tokens: float) -> None:
    """So many tokens more of what a job grows are computed, or being computed (R6.20)."""
    grown_by(job).pos += tokens
    assert job.hold is not None
    job.hold.grown = True


def held_of(session: Session, pool: int) -> HeldPool | Lease | None:
    """What of a session grows or shrinks: its innermost hold of a pool, else its first lease (measured)."""
    found = innermost(session, pool)
    if found is not None:
        return found[1]
    return next((lease for lease in session.leases if lease.pool == pool), None)
