"""Sessions that only wait for each other at the end of a run (R10.16); changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import admission
from engine.constants import INF, JOINING, QUEUED
from engine.failure import ProgramFailure
from engine.names import name, who
from engine.rounding import up

if TYPE_CHECKING:
    from engine.pool_state import PoolState
    from engine.session_state import Session
    from engine.state import State


def check(k: State) -> None:
    """Fails the run where sessions wait for each other with one of them at a join.

    Raises:
        ProgramFailure: who waits where (R10.16).
    """
    waiting = {s.slot: s for s in k.slots if s is not None and s.status in (QUEUED, JOINING)}
    changed = True
    while changed:
        changed = False
        for slot, session in list(waiting.items()):
            if _join_opens(k, session, waiting) if session.status == JOINING else _queue_opens(k, session, waiting):
                del waiting[slot]
                changed = True
    knot = list(waiting.values())
    if any(s.status == JOINING for s in knot):
        parts = [
            f"{who(s)} waits for its legs" if s.status == JOINING else f"{who(s)} waits at {name(k.pools[s.where].code)}"
            for s in knot
        ]
        raise ProgramFailure("sessions wait for each other for ever: " + ", ".join(parts), serial=knot[0].serial, leg=knot[0].leg)


def _join_opens(k: State, session: Session, waiting: dict[int, Session]) -> bool:
    legs = [s for s in k.slots if s is not None and s.parent is session]
    return not legs or any(leg.slot not in waiting for leg in legs)


def _queue_opens(k: State, session: Session, waiting: dict[int, Session]) -> bool:
    """A queued hold may still get in: every pool has room, or one without room has somebody who may leave."""
    pending = session.pending
    assert pending is not None
    short = []
    for i, index in enumerate(pending.pools):
        pool = k.pools[index]
        # Measured: neither a reserve nor what a later trial read counts, only what the statement asked for.
        if not admission.fits(k, pool, up(pool.code, pending.units[i])):
            short.append(pool)
    return not short or any(_may_free(pool, waiting) for pool in short)


def _may_free(pool: PoolState, waiting: dict[int, Session]) -> bool:
    if not pool.holders:
        return True
    for holder in pool.holders:
        if holder.slot not in waiting:
            return True
        if any(lease.pool == pool.code.index and lease.expiry < INF for lease in holder.leases):
            return True
    return False
