"""When queues with a period are looked at, and when leases come back; knows no admission."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.constants import LEASE_TICK, TICK
from engine.events import schedule

if TYPE_CHECKING:
    from engine.pool_state import PoolState
    from engine.state import State


def next_tick(now: float, period: float) -> float:
    """The first multiple of the period after ``now``, in seconds.

    The quotient is rounded before its whole part is taken, as the reference does it: where it
    rounds up to a whole number whose multiple is still to come, that multiple is passed by.
    """
    n = now / period // 1.0 + 1.0
    while n * period <= now:
        n += 1.0
    return n * period


def arrive(k: State, index: int) -> None:
    """A tick event: the queue is looked at when this instant comes to rest."""
    k.pools[index].tick_due = True
    k.ticks_due = True


def joined(k: State, pool: PoolState) -> None:
    """Somebody waits in a queue with a period: its next tick is to come, unless one is, or is due now."""
    if not pool.ticking:
        pool.ticking = True
        schedule(k, next_tick(k.now, pool.code.every), TICK, pool.code.index)


def leased(k: State, pool: PoolState) -> None:
    """A lease of the pool begins: the ticks at which leases come back go on from now."""
    policy = pool.code.leases
    if policy is not None and policy.every and not pool.lease_ticking:
        pool.lease_ticking = True
        schedule(k, next_tick(k.now, policy.every), LEASE_TICK, pool.code.index)
