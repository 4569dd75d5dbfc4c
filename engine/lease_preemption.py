"""Growths that take leases, and leases set aside that come back; knows no queue and no engine.

The rules are measured on the reference, IR 14. A growth without room takes leases of its
pool, one at a time, until it fits or nobody has one to give; what was taken stays taken
even where it was not enough. Who may lose one: the holders of the pool that have it in a
lease and in no hold, once each, in holder order. ``Admission`` is the place in that list,
``Position`` what the session's latest lease of the pool has computed, be it one set aside,
the attributes are the session's own; the least keys lose, of equals the last. The session's first lease of
the pool is taken and counts as a preemption of the pool. Only the growth itself takes
leases: one that waits already does not take a lease made later, and an admission takes none.
A lease that grows may lose itself, which is the end of its growth. With a period a lease grows
past the capacity instead, and at the next tick leases are taken until all fits again.

Without ``suspend`` a taken lease ends there and then and leaves cached what its clause says.
With it the lease is set aside: its units go back, and what its hold took over from the cache
is cached again as it was, unless the session has a prefix there by now. The lease still
expires, is released or ends with its session, and then leaves nothing. What comes back is
less by what was taken over, also where that is negative, and has the place among its session's
leases that it had. With a period the pool has ticks
from its first lease until a tick finds no lease of it, one set aside included. At the end of
the instant of a tick, after the pool's own queue and before those of later pools, leases come
back: the sessions with one set aside that hold nothing of the pool, in order of admission,
ranked once by the ``suspend`` keys as above; each gets its first one back if it fits now, and
who does not fit is passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import admission, holdings, prefix_cache, shared_prefixes, ticks
from engine.decisions import LeaseReturned, LeaseTaken
from engine.names import who
from engine.statistics import total_order

if TYPE_CHECKING:
    from engine.expressions import Function
    from engine.pool_state import PoolState
    from engine.session_state import Lease, Session
    from engine.state import State


def take(k: State, pool: PoolState, grower: Session | None, need: float) -> bool:
    """Takes one lease for a growth of ``need`` units, or at a tick for nobody's; False where nobody has one to give."""
    policy = pool.code.leases
    assert policy is not None
    candidates = []
    seen: set[int] = set()
    for session in pool.holders:
        if session.slot not in seen:
            seen.add(session.slot)
            if holdings.innermost(session, pool.code.index) is None:
                candidates.append(session)
    if not candidates:
        return False
    ranked = _ranked(k, pool, candidates, policy.keys)
    victim = ranked[0][0]
    lease = _of_pool(victim.leases, pool)[0]
    if k.listen is not None:
        k.listen.append(
            LeaseTaken(
                k.now,
                pool.code.index,
                who(victim),
                who(grower) if grower is not None else None,
                need,
                pool.code.cap - pool.used - admission.outstanding(k, pool),
                lease.alloc,
                policy.suspend is not None,
                tuple((who(session), keys) for session, keys in ranked),
            )
        )
    pool.preemptions += 1
    if policy.suspend is None:
        holdings.end_lease(k, victim, lease)
    else:
        _set_aside(k, pool, victim, lease)
    return True


def _set_aside(k: State, pool: PoolState, victim: Session, lease: Lease) -> None:
    victim.leases.remove(lease)
    victim.suspended = tuple(sorted((*victim.suspended, lease), key=_order))
    holdings.leave(pool, victim, lease.alloc)
    if pool.code.shared:
        lease.alloc -= shared_prefixes.put_aside(k, pool, lease.place)
    elif lease.consumed is not None:
        prefix_cache.restore(pool, victim, lease.consumed, lease.place)
        lease.alloc -= lease.consumed.size
        lease.consumed = None
        lease.place = -1


def _order(lease: Lease) -> int:
    return lease.order


def _of_pool(leases: list[Lease] | tuple[Lease, ...], pool: PoolState) -> list[Lease]:
    return [lease for lease in leases if lease.pool == pool.code.index]


def _ranked(
    k: State, pool: PoolState, candidates: list[Session], keys: tuple[Function, ...]
) -> list[tuple[Session, tuple[float, ...]]]:
    """The candidates with their keys, the least first and of equals the last."""
    m = k.moment
    ranked = []
    for place, session in enumerate(candidates):
        job = session.job
        m.Admission = float(place)
        m.Decoding = 1.0 if job is not None and job.decode else 0.0
        m.Position = max(_of_pool((*session.leases, *session.suspended), pool), key=_order).computed
        values = tuple(f(k, session, m) for f in keys)
        ranked.append(([total_order(x) for x in values], -place, session, values))
    ranked.sort(key=lambda item: (item[0], item[1]))
    return [(session, values) for _, _, session, values in ranked]


def arrive(k: State, index: int) -> None:
    """A tick event: leases may come back when this instant comes to rest."""
    k.pools[index].lease_tick_due = True
    k.ticks_due = True


def tick(k: State, pool: PoolState) -> bool:
    """The present instant has come to rest: leases come back to a pool whose tick is due; False where none is."""
    if not pool.lease_tick_due:
        return False
    pool.lease_tick_due = False
    pool.lease_ticking = False
    policy = pool.code.leases
    assert policy is not None
    if policy.suspend is not None:
        _return(k, pool, policy.suspend)
    # Measured: what is taken at a tick does not come back at it, nor what room that makes.
    while not admission.fits(k, pool, 0.0) and take(k, pool, None, 0.0):
        pass
    # Measured: what is cached over the capacity, by a spill say, gives way at every tick.
    prefix_cache.make_room(k, pool, 0.0)
    if any(s is not None and (_of_pool(s.leases, pool) or _of_pool(s.suspended, pool)) for s in k.slots):
        ticks.leased(k, pool)
    return True


def _return(k: State, pool: PoolState, keys: tuple[Function, ...]) -> None:
    candidates = [
        session
        for session in k.slots
        if session is not None and session.slot not in pool.holder_counts and _of_pool(session.suspended, pool)
    ]
    candidates.sort(key=lambda session: session.adm)
    while candidates:
        session = _ranked(k, pool, candidates, keys)[0][0]
        candidates.remove(session)
        lease = _of_pool(session.suspended, pool)[0]
        if not admission.fits(k, pool, lease.alloc):
            continue
        session.suspended = tuple(other for other in session.suspended if other is not lease)
        prefix_cache.make_room(k, pool, lease.alloc)
        holdings.hold_units(pool, session, lease.alloc)
        session.leases.append(lease)
        session.leases.sort(key=_order)
        if k.listen is not None:
            k.listen.append(LeaseReturned(k.now, pool.code.index, who(session), lease.alloc))
