"""Queues that are looked at only at multiples of a period; knows no engine and no growth.

The rules are measured on the reference, IR 14. A queue with a period p is admitted from at
p, 2p, 3p, ... only, and only while somebody waits there does a tick happen (an event). At
the end of the instant of its tick, before any engine attempts an iteration, everybody who
waits then is tried once, in the order of the queue's keys, which are read again after every
admission; who does not fit is passed over and does not block the rest. Whoever is admitted
runs on, and everything that follows from it happens, before the next one is tried; who joins
meanwhile waits for the next tick.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine import admission, ticks

if TYPE_CHECKING:
    from engine.pool_state import PoolState
    from engine.state import State


def admit(k: State, pool: PoolState, settle: Callable[[State], None]) -> bool:
    """The present instant has come to rest: a queue whose tick is due is admitted from; False where none is.

    Args:
        settle: carries out everything that follows from an admission.
    """
    if not pool.tick_due:
        return False
    pool.tick_due = False
    waiting = pool.queue.copy()
    left = waiting.copy()
    while waiting:
        chosen = admission.select_among(k, pool, waiting)
        left.remove(chosen)
        waiting.remove(chosen)
        session = k.own(chosen)
        if admission.try_admit(k, pool, session, admission.evaluate(k, session)):
            settle(k)
            # Who lost a hold meanwhile and joined again is still tried, in the place it has now.
            waiting = [s for s in pool.queue if s in left]
    pool.ticking = False
    if pool.queue:
        ticks.joined(k, pool)
    return True
