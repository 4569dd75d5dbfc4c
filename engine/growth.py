"""Growing holds, and the preemptions that make room for it (R4.15 to R4.19)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine import admission, calendar, endings, holdings, lease_preemption, prefix_cache, request_context
from engine.constants import EPS, GROWING, HOLD, IN_STAGE
from engine.decisions import Preempted, Stalled
from engine.events import make_ready
from engine.failure import ProgramFailure
from engine.frequent import Grew, note
from engine.names import name, who
from engine.queries import shown
from engine.rounding import up
from engine.session_state import Lease
from engine.statistics import total_order

if TYPE_CHECKING:
    from engine.pool_state import PoolState
    from engine.session_state import HeldPool, Session
    from engine.state import State
    from engine.statement_codes import HoldCode

GREW: Final = 0
WAITS: Final = 1
PREEMPTED_ITSELF: Final = 2
"""What a growth came to."""

Ranked = list[tuple["Session", tuple[float, ...]]]


def grow(k: State, session: Session, index: int, units: float) -> int:
    """R4.16: the innermost hold of a pool grows, preempting if it must.

    Returns:
        ``GREW``, ``WAITS`` (the session is growing) or ``PREEMPTED_ITSELF``.

    Raises:
        ProgramFailure: neither a hold nor a lease of the session has the pool (R10.14), or a lease
            would come to more than the pool has (measured).
    """
    pool = k.pools[index]
    held = holdings.held_of(session, index)
    if held is None:
        raise ProgramFailure(f"session {session.serial} grows {name(pool.code)} outside a hold of it")
    target = up(pool.code, held.alloc + units)
    need = target - held.alloc
    if need <= 0:
        return GREW
    if isinstance(held, Lease) and target > pool.code.cap:
        raise ProgramFailure(f"a lease of {name(pool.code)} grows to {shown(target)}: the pool has {shown(pool.code.cap)}")
    while not admission.fits(k, pool, need, held):
        loser = victim(k, pool, session, need)
        if loser is None:
            leases = pool.code.leases
            if leases is not None and leases.every and isinstance(held, Lease):
                # Measured: a lease grows past the capacity, until the next tick.
                break
            if leases is not None and lease_preemption.take(k, pool, session, need):
                if isinstance(held, Lease) and held not in session.leases:
                    return GREW
                continue
            session.status = GROWING
            session.where = index
            session.growth = units
            pool.growers.append(session)
            if k.listen is not None:
                free = pool.code.cap - pool.used - admission.outstanding(k, pool, held)
                k.listen.append(Stalled(k.now, index, who(session), need, free))
            return WAITS
        preempt(k, loser, pool)
        if loser is session:
            return PREEMPTED_ITSELF
    _enlarge(k, session, pool, held, need)
    return GREW


def _enlarge(k: State, session: Session, pool: PoolState, held: HeldPool | Lease, need: float) -> None:
    prefix_cache.make_room(k, pool, need)
    pool.used += need
    held.alloc += need
    if k.listen is not None:
        note(k.listen, Grew(k.now, pool.code.index, who(session), need, held.alloc))


def _record(k: State, pool: PoolState, victim: Session, grower: Session, need: float, ranked: Ranked) -> None:
    assert k.listen is not None
    found = holdings.innermost(victim, pool.code.index)
    k.listen.append(
        Preempted(
            k.now,
            k.attempt_stage if k.attempt_stage >= 0 else None,
            k.path,
            pool.code.index,
            who(victim),
            who(grower),
            need,
            pool.code.cap - pool.used - admission.outstanding(k, pool),
            found[1].pos if found is not None else 0.0,
            tuple((who(session), keys) for session, keys in ranked),
        )
    )


def victim(k: State, pool: PoolState, grower: Session, need: float) -> Session | None:
    """R4.17: who gives way to a growth, None where nobody can."""
    if pool.code.preempt is None:
        return None
    if pool.code.latest and k.listen is None and not k.plain:
        return _latest(pool)
    ranked = _ranked(k, pool)
    if not ranked:
        return None
    if k.listen is not None:
        _record(k, pool, ranked[0][0], grower, need, ranked)
    return ranked[0][0]


def _latest(pool: PoolState) -> Session | None:
    """The candidate admitted last, where an engine's pool preempts by that alone; of equals the last among the holders."""
    chosen = None
    engines = pool.code.engines
    for session in pool.holders:
        if session.status == IN_STAGE and session.where in engines and (chosen is None or session.adm >= chosen.adm):
            chosen = session
    return chosen


def _ranked(k: State, pool: PoolState) -> Ranked:
    """R4.17: the candidates with their keys, the victim first."""
    index = pool.code.index
    keys = pool.code.preempt
    assert keys is not None
    if not pool.code.apart:
        for stage in pool.code.engines:
            calendar.fold(k.stages[stage])
    candidates: list[Session] = []
    seen: set[int] = set()
    for session in pool.holders:
        if session.slot in seen:
            continue
        if pool.code.engines:
            if not (session.status == IN_STAGE and session.where in pool.code.engines):
                continue
        elif holdings.innermost(session, index) is None:
            continue
        seen.add(session.slot)
        candidates.append(session)
    if pool.code.engines:
        candidates.sort(key=lambda session: session.adm)
    m = k.moment
    ranked = []
    for place, session in enumerate(candidates):
        found = holdings.innermost(session, index)
        m.Admission = float(place)
        m.Decoding = 1.0 if session.status == IN_STAGE and session.job is not None and session.job.decode else 0.0
        m.Position = calendar.position(k, session, found[1]) if found is not None else 0.0
        values = tuple(f(k, session, m) for f in keys)
        ranked.append(([total_order(x) for x in values], -place, session, values))
    ranked.sort(key=lambda item: (item[0], item[1]))
    return [(session, values) for _, _, session, values in ranked]


def preempt(k: State, victim: Session, pool: PoolState) -> None:
    """R4.18: a session loses its holds down to that of the pool, and waits for it again."""
    index = pool.code.index
    calendar.set_apart(k, victim)
    victim.part()
    found = holdings.innermost(victim, index)
    assert found is not None
    hold, held = found
    computed = held.pos
    if index in victim.preempted_at and computed <= victim.preempted_at[index] + EPS and not victim.stuck:
        victim.stuck = True
        pool.stuck += 1
    victim.preempted_at[index] = computed
    turn, time, stage, decoded, _ = victim.meter
    victim.meter = (turn, time, stage, decoded, True)
    victim.attrs[k.code.slots.computed] = computed
    request_context.preempted(k, victim, computed)
    endings.detach(k, victim)
    code = _pop_holds(k, victim, hold)
    pending = admission.pend(k, victim, code)
    pending.preempted = True
    pool.preemptions += 1
    k.preempted += 1
    k.attempt_preempted += 1
    admission.enqueue(k, victim, pending, at_head=not pool.code.tail)


def _pop_holds(k: State, victim: Session, last: object) -> HoldCode:
    """R4.18 step 4: the holds from the innermost down to ``last``, and their frames."""
    while True:
        hold = victim.holds.pop()
        for held in hold.pools:
            # At a preemption only what is computed can be kept, whatever was allocated (R4.27).
            holdings.give_back(k, victim, k.pools[held.pool], held.alloc, held.pos, hold.code, held.place)
        while victim.frames.pop()[2] != HOLD:
            pass
        if hold is last:
            return hold.code


def retry_growers(k: State, pool: PoolState) -> None:
    """R4.19: grants waiting growths in order; the first that does not fit blocks the rest."""
    while pool.growers:
        session = pool.growers[0]
        if session.status != GROWING:
            pool.growers.pop(0)
            continue
        held = holdings.held_of(session, pool.code.index)
        if held is None:
            # What it grows is a lease that was set aside, or ended, while it waited: it waits on (the reference stops there).
            return
        need = up(pool.code, held.alloc + session.growth) - held.alloc
        if not admission.fits(k, pool, need, held):
            return
        pool.growers.pop(0)
        _enlarge(k, session, pool, held, need)
        if session.job is not None:
            session.status = IN_STAGE
            session.where = next(st.code.index for st in k.stages if st.jobs.get(session.job.id) is session.job)
        else:
            make_ready(k, session)


def retry_everything(k: State) -> None:
    """Growers, then the queue, of each pool in order: after any units came back (R2.6, R3.1, R3.8)."""
    for pool in k.pools:
        if pool.growers:
            retry_growers(k, pool)
        if pool.queue:
            admission.admit_waiting(k, pool)
