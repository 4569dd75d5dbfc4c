"""The loop of a leap as it reads best: what compiled code runs, and what the generated loops are tested against.

``engine.leap_code`` writes this very loop out for the interpreter, with everything in local
variables and stretches of one cost taken at once. Compiled, the loop below is faster than
what is generated, and it needs no generating.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import prefix_cache
from engine.constants import EPS
from engine.statistics import add_repeatedly

if TYPE_CHECKING:
    from engine.calendar import Cohort
    from engine.pool_state import PoolState
    from engine.stage_state import StageState
    from engine.state import State
    from engine.statistics import TimeAverage


def run(
    k: State,
    st: StageState,
    cohort: Cohort,
    pool: PoolState | None,
    end: float,
    until: float,
    most: int,
    averages: list[TimeAverage],
) -> tuple[int, float, float, float]:
    """Runs iterations of a cohort alone, from the one that runs now on.

    Args:
        pool: the pool the members grow, None where they grow none.
        end: when the running iteration ends, in seconds.
        until: a time in seconds that none that ends may reach.
        most: the most iterations to end.
        averages: what is averaged over time, stays as it is and is not 0.

    Returns:
        How many ended; when the one that runs then began and ends, in seconds; what it costs.
    """
    step = st.code.step
    assert step is not None
    m = k.moment
    began = k.now
    start = began
    members = len(cohort.members)
    unit = int(cohort.unit)
    growth = cohort.growth
    tick = cohort.tick + 1
    gaps = st.gaps
    low, high = gaps.span()
    total = gaps.total
    counted = 0
    gone = 0.0
    cached = pool.cached if pool is not None else 0.0
    cost = 0.0
    known = False
    done = 0
    while done < most and end < until:
        growing = 0
        more = lost = 0.0
        if pool is not None:
            growing = growth.get(tick + 1, 0)
            if growing:
                more = float(growing * unit)
                if pool.used + more > pool.code.cap:
                    break
                over = pool.used + more + cached - pool.code.cap - EPS
                if over > 0 and cached > 0:
                    block = pool.code.block
                    if not block:
                        break
                    lost = min(-(-over // block) * block, cached)
                known = False
        if not known or step.clocked:
            # R6.23: the next iteration begins where this one ends, its growths made.
            m.Kvb = cohort.kv + more
            k.now = end
            cost = step.cost(k, k.nobody, m)
            k.now = began
            known = True
        if not cost > 0:
            break
        spent = end - start
        for average in averages:
            average.integral += average.value * spent
        if pool is not None:
            pool.mean_used.integral += pool.used * spent
            pool.mean_cached.integral += cached * spent
            tick += 1
            if growing:
                del growth[tick]
                growth[tick + unit] = growth.get(tick + unit, 0) + growing
                cohort.kv += more
                pool.used += more
                cached -= lost
                gone += lost
        if k.warm:
            if low <= spent <= high:
                # One in the bucket taken last needs no logarithm.
                counted += members
                total = add_repeatedly(total, spent, members)
            else:
                gaps.take(total, counted)
                gaps.add_many(spent, members)
                total = gaps.total
                counted = 0
                low, high = gaps.span()
            st.decode_batch.add(float(members))
            st.decode_step.add(cost)
        start = end
        end = start + cost
        done += 1
    if done and pool is not None:
        pool.mean_used.last = pool.mean_cached.last = start
        pool.mean_used.value = pool.used
        pool.mean_cached.value = cached
        if gone:
            prefix_cache.evict_units(k, pool, gone)
    gaps.take(total, counted)
    return done, start, end, cost
