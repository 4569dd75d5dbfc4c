"""Leaps: stretches of iterations in which nothing can change but decoding positions.

While an engine's residents are all members of its cohort (``engine.calendar``), nobody can
be admitted and no other event is due, an iteration is: some members' holds grow by a block,
the cost is read, the clock moves. Such stretches run in one generated loop over local
variables. Every float goes through the very operations of the plain path in the very order,
so results are the same bit for bit; a stretch ends before the first iteration in which
anything else could happen, and may end after any iteration, so every moment in it can be
reached.
"""

from __future__ import annotations

from math import nextafter
from typing import TYPE_CHECKING, Final

from engine import admission, gauges, leap_code, leap_loop, plan
from engine.chacha import COMPILED
from engine.constants import INF, ITERATION_END, SETTLED
from engine.failure import ProgramFailure
from engine.rounding import up
from engine.stage_state import Iteration
from engine.statistics import TimeAverage

if TYPE_CHECKING:
    from engine.calendar import Cohort
    from engine.pool_state import PoolState
    from engine.session_state import Session
    from engine.stage_state import StageState
    from engine.state import State

_MOST_KEYED: Final = 8
"""Holds of a queue by keys that are looked at before a leap; a longer queue makes none."""


def leap(k: State, stage: int, most: int, not_past: float = INF) -> int:
    """Runs the coming iterations of an engine that nothing disturbs.

    Args:
        k: the state, settled, right after an attempt of the engine.
        stage: the engine's stage.
        most: the most iterations to run.
        not_past: a time in seconds that no iteration of the leap begins after.

    Returns:
        How many iterations began; 0 where the plain path has to go on.
    """
    st = k.stages[stage]
    cohort, it = st.cohort, st.iteration
    if cohort is None or it is None or cohort.outsiders or it.batch or k.phase != SETTLED or k.listen is not None:
        return 0
    if not st.code.leaps or it.started != k.now or cohort.last_end != k.now or it.members != len(cohort.members):
        return 0
    if k.attempt_preempted:
        # The iterations to come are formed by other statements than this one was: they may admit.
        return 0
    until = k.queue.time_after_end(stage, st.epoch)
    if until is None:
        return 0
    last = k.horizon if k.horizon < not_past else not_past
    if last < until:
        # An event at the horizon still runs (R2.3 b).
        until = nextafter(last, INF)
    room = min(cohort.finish) - 1 - cohort.tick
    if room < most:
        most = room
    if most <= 0 or k.queue.time() >= until or not _undisturbed(k, st, it):
        return 0
    return _run(k, st, cohort, it, until, most)


def _undisturbed(k: State, st: StageState, it: Iteration) -> bool:
    """Whether settling (R2.6) comes to nothing but the engine's own attempts for as long as nothing else happens."""
    own = st.code.step
    assert own is not None
    for other in k.stages:
        step = other.code.step
        if other is st or step is None or other.iteration is not None:
            continue
        if other.residents or plan.awaited(k, step):
            return False
    left = it.budget - it.members
    for pool in k.pools:
        if pool.growers:
            return False
        if pool.queue:
            via = pool.code.admit_via
            if via == st.code.index:
                if left > 0 and not _stays_blocked(k, pool, (via, left)):
                    return False
            elif via < 0 and not _stays_blocked(k, pool, None):
                return False
    return True


def _stays_blocked(k: State, pool: PoolState, planning: tuple[int, float] | None) -> bool:
    """Whether the hold that would be tried next cannot get in while pools only fill up.

    Under keys any of the queue's holds may come to be the next.
    """
    head = pool.queue[0]
    assert head.pending is not None
    if k.code.joins:
        # A knot at the end of the run is judged by the needs last evaluated (R10.16).
        return False
    candidates = [head] if pool.code.keys is None or head.pending.resumed else pool.queue
    if len(candidates) > _MOST_KEYED:
        return False
    k.planning = planning
    try:
        return all(_blocked(k, session) for session in candidates)
    except ProgramFailure:
        return False
    finally:
        k.planning = None


def _blocked(k: State, session: Session) -> bool:
    """Whether some pool has no room for the least a hold could come to ask.

    What it asks may only fall, and no lower than with its own cached prefixes gone: these
    are all that may change (``TakeCode.falls``).
    """
    pending = session.pending
    assert pending is not None
    if not all(take.falls for take in pending.code.takes):
        return False
    key = (0, session.serial)
    hidden = [(pool, pool.entries.pop(key)) for pool in k.pools if key in pool.entries]
    try:
        needs = [need for _, need in admission.asked(k, session)]
    finally:
        for pool, entry in hidden:
            pool.entries[key] = entry
    for index, need in zip(pending.pools, needs, strict=True):
        state = k.pools[index]
        if not admission.fits(k, state, up(state.code, need)):
            return True
    return False


def _run(k: State, st: StageState, cohort: Cohort, it: Iteration, until: float, most: int) -> int:
    members = len(cohort.members)
    pool = k.pools[cohort.pool] if cohort.pool >= 0 else None
    averages = [average for average in _averages(k, st, pool) if average.value != 0.0]
    if k.code.gauges:
        gauges.read(k)
    m = k.moment
    m.Ntok = m.Ndec = float(members)
    m.Nres = m.Ndec
    m.Npre = m.Kvp = 0.0
    m.Attn = -0.0
    loop = leap_loop.run if COMPILED else leap_code.run
    done, now, end, cost = loop(k, st, cohort, pool, k.queue.time(), until, most, averages)
    if not done:
        return 0
    for average in averages:
        average.last = now
    k.now = now
    k.events += done
    k.attempts = 1
    k.next_event += done
    st.epoch += done
    st.iterations += done
    st.marks += done
    st.served += float(members) * done
    st.attempt = (k.events, 1)
    st.attempted_at = now
    k.queue.take()
    k.queue.put((end, k.next_event - 1, ITERATION_END, st.code.index, st.epoch, 0))
    running = Iteration([], now, cost, it.budget, it.chunk)
    running.tokens = float(members)
    running.members = members
    st.iteration = running
    cohort.tick += done
    cohort.served += done
    cohort.granted += done
    cohort.last_end = now
    return done


def _averages(k: State, st: StageState, growing: PoolState | None) -> list[TimeAverage]:
    """What is averaged over time and stays as it is in a leap."""
    averages = [k.mean_live, st.prefill_only, st.decode_only, st.mixed, st.mean_decodes]
    for stage in k.stages:
        averages += (stage.mean_number, stage.mean_busy)
    for pool in k.pools:
        averages += (pool.mean_queue, pool.mean_holders)
        if pool is not growing:
            averages += (pool.mean_used, pool.mean_cached)
    return averages
