"""Attempts and ends of iterations that serve a cohort of steady decodes (``engine.calendar``).

Every short cut here first makes sure that the plain path of ``engine.iteration`` would come
to the same; otherwise the cohort is folded and the plain path taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import calendar, holdings, iteration, plan, prefix_cache, procedures, shortage
from engine.batch import REFUSED, STOPPED, Attempt, at, give
from engine.calendar import DECODES_FIRST, RESIDENT_ORDER
from engine.constants import EPS, GROWING, INF
from engine.procedures import ADMIT_PATH, SERVE_PATH
from engine.rounding import up

if TYPE_CHECKING:
    from engine.calendar import Cohort
    from engine.codes import ScheduleCode
    from engine.session_state import Job
    from engine.stage_state import Iteration, StageState
    from engine.state import State


def attempt(k: State, st: StageState) -> None:
    """R6.3: an attempt at an iteration, its steady decodes counted together where they are."""
    cohort = st.cohort
    if cohort is not None:
        if k.listen is None and _attempt(k, st, cohort):
            return
        calendar.fold(st)
    iteration.attempt(k, st)


def _attempt(k: State, st: StageState, cohort: Cohort) -> bool:
    """The attempt, unless it is none for a cohort; then nothing has been done."""
    step = st.code.step
    assert step is not None
    m = k.moment
    plan.set_totals(st, m, memory=step.totals_first)
    if st.cohort is not cohort:
        return False
    budget, chunk = plan.limits(k, step, m)
    steady = float(len(cohort.members))
    if budget != INF and budget % 1.0:
        return False
    tick = cohort.tick + 1
    growing = cohort.growth.get(tick, 0)
    need = growing * cohort.unit
    if cohort.outsiders:
        wanted = _outsiders(k, cohort, chunk)
        if wanted is None or steady + wanted[0] > budget:
            return False
        more = wanted[1]
    else:
        more = 0.0
        if steady > budget:
            return False
    short = False
    if cohort.pool >= 0:
        pool = k.pools[cohort.pool]
        if pool.growers:
            return False
        short = need + more > 0 and pool.used + need + more > pool.code.cap
        if short and not shortage.possible(k, st, cohort):
            return False
        if growing and not short:
            prefix_cache.make_room(k, pool, need)
            pool.used += need
            cohort.kv += need
    if not short:
        calendar.granted(st, cohort, tick)
    a = Attempt(k, step, budget, chunk)
    a.left = budget - steady
    body = step.body
    iteration.begin(k, st, a)
    try:
        if body is None:
            _procedure(k, st, cohort, a, short)
        else:
            _run_body(k, st, cohort, a, body, short)
        iteration.start(k, st, a)
    finally:
        iteration.leave(k, st, a)
        cohort.attempt = None
    return True


def _outsiders(k: State, cohort: Cohort, chunk: float) -> tuple[float, float] | None:
    """What the other residents want in tokens, and in units of the pool; None where that is not plain."""
    tokens = units = 0.0
    for job in cohort.outsiders:
        session = job.session
        assert session is not None
        want = plan.wanted(job, chunk)
        if session.status == GROWING or want % 1.0:
            return None
        tokens += want
        if job.growing >= 0:
            found = holdings.innermost(session, job.growing)
            if found is None or job.growing != cohort.pool:
                return None
            held = found[1]
            more = held.pos + want - held.alloc
            if more > EPS:
                units += up(k.pools[cohort.pool].code, held.alloc + more) - held.alloc
    return tokens, units


def _procedure(k: State, st: StageState, cohort: Cohort, a: Attempt, short: bool) -> None:
    """R6.8 with the members served already; whatever folds the cohort hands over to the plain procedure."""
    at(k, a, SERVE_PATH)
    if _serve_first(k, st, cohort, a, short):
        return
    while a.left > 0 and k.attempt_preempted == 0 and not a.refused:
        at(k, a, ADMIT_PATH)
        if not procedures.admit_one(k, st, a.left):
            return
        a.admitted += 1
        if not a.folded and _serve(k, st, cohort, a):
            return
        if st.cohort is not cohort:
            procedures.serve_and_admit(k, st, a)
            return


def _run_body(k: State, st: StageState, cohort: Cohort, a: Attempt, body: tuple[ScheduleCode, ...], short: bool) -> None:
    """R6.14 with the members served already by the first statement; the rest goes its plain way."""
    at(k, a, body[0].path)
    _serve_first(k, st, cohort, a, short)
    if st.cohort is cohort:
        a.members = len(cohort.members)
        # Later statements pass by whom this one served.
        for member in cohort.members.values():
            member.job.served = st.marks
    procedures.run_body(k, st, a, body[1:])


def _serve_first(k: State, st: StageState, cohort: Cohort, a: Attempt, short: bool) -> bool:
    """Serves the members and the other residents together; whether the default procedure ends."""
    if short:
        ended = shortage.serve(k, st, cohort, a)
        # Only now: whatever folds the cohort from here on finds every member served.
        cohort.attempt = a
    else:
        cohort.attempt = a
        ended = _serve(k, st, cohort, a)
    a.early = {job.id for job in a.batch}
    return ended


def _serve(k: State, st: StageState, cohort: Cohort, a: Attempt) -> bool:
    """Serves the outsiders not yet served, in order; whether the procedure ends."""
    job: Job | None
    while a.left > 0 and st.cohort is cohort:
        waiting = [job for job in cohort.outsiders if job.served != st.marks]
        if cohort.order != RESIDENT_ORDER:
            waiting.sort(key=lambda job: job.decode != (cohort.order == DECODES_FIRST))
        job = waiting[0] if waiting else None
        if job is None:
            return False
        job.served = st.marks
        outcome = give(k, st, a, job, a.left)
        if outcome == STOPPED:
            return True
        if outcome == REFUSED:
            a.refused = True
    return a.left <= 0


def end(k: State, st: StageState) -> None:
    """R6.19: the running iteration is over."""
    cohort = st.cohort
    if cohort is not None:
        if _end(k, st, cohort):
            return
        calendar.fold(st)
    iteration.end(k, st)
    step = st.code.step
    assert step is not None
    if step.steady and k.listen is None and not k.plain:
        calendar.establish(k, st)


def _end(k: State, st: StageState, cohort: Cohort) -> bool:
    """The end, unless a token comes out of step; then nothing has been done."""
    it = st.iteration
    assert it is not None
    gap = k.now - cohort.last_end
    if it.batch and not _in_step(k, st, cohort, it, gap):
        return False
    iteration.over(k, st)
    cohort.tick += 1
    cohort.last_end = k.now
    if k.warm:
        st.gaps.add_many(gap, len(cohort.members))
    done = cohort.finish.pop(cohort.tick, [])
    if it.batch:
        done = done + iteration.take_tokens(k, st, it.batch)
    if done:
        if len(done) > 1:
            # They complete in batch order (R6.19).
            ended = {job.id for job in done}
            order = calendar.in_order(st, cohort.order, ended & cohort.members.keys(), it.batch, it.early)
            done = [job for job in order if job.id in ended]
        for job in done:
            if job.id in cohort.members:
                calendar.restore(cohort, job)
            else:
                cohort.outsiders.remove(job)
    for job in it.batch:
        if job.decode and job.work > EPS and calendar.join(st, cohort, job, k.now):
            cohort.outsiders.remove(job)
    if not cohort.members:
        st.cohort = None
    iteration.finish_runs(k, st, done)
    return True


def _in_step(k: State, st: StageState, cohort: Cohort, it: Iteration, gap: float) -> bool:
    """Whether the gaps may be summed with the members' first (R9.8: they are summed in batch order).

    Equal gaps may be summed in any order; an outsider's other gap must come after all members'.
    """
    out_of_step = set()
    for job in it.batch:
        if job.decode or job.work - job.given <= EPS:
            last = iteration.gap_before(k, st, job)
            if last == last and k.now - last != gap:
                out_of_step.add(job.id)
    if not out_of_step:
        return True
    order = [job.id for job in calendar.in_order(st, cohort.order, set(cohort.members), it.batch, it.early)]
    first = min(i for i, number in enumerate(order) if number in out_of_step)
    return all(number not in cohort.members for number in order[first:])
