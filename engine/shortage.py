"""Serving a cohort whose growths do not all fit: they are made one by one, and whoever gives way leaves the cohort alone.

A shortage concerns few: the members whose holds grow in this iteration, the other residents
and the victims. They are taken in the order of the plain path (R6.8, R4.16 to R4.18); the
decodes that neither grow nor give way stay counted together. What a growth evaluates must
not fold the cohort in its midst, which ``possible`` makes sure of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import admission, calendar, growth, plan, prefix_cache
from engine.batch import REFUSED, STOPPED, drop_gone, give
from engine.calendar import RESIDENT_ORDER

if TYPE_CHECKING:
    from engine.batch import Attempt
    from engine.calendar import Cohort
    from engine.session_state import Job, Session
    from engine.stage_state import StageState
    from engine.state import State


def possible(k: State, st: StageState, cohort: Cohort) -> bool:
    """Whether nothing that a growth or a preemption evaluates looks at the members one by one."""
    step = st.code.step
    assert step is not None
    pool = k.pools[cohort.pool]
    if not pool.code.apart or cohort.order != RESIDENT_ORDER or k.code.natives or k.code.works:
        return False
    # Totals of memory that are not whole would be summed in the order of the residents.
    return sum(plan.memory_totals(st)) % 1.0 == 0.0 and st.cohort is cohort


def serve(k: State, st: StageState, cohort: Cohort, a: Attempt) -> bool:
    """R6.8: serves members and others in resident order, the budget being enough for all of them.

    Args:
        a: the attempt, from whose budget the members' tokens are taken already.

    Returns:
        Whether the procedure ends here.
    """
    tick = cohort.tick + 1
    others = {job.id for job in cohort.outsiders}
    residents = list(st.residents)
    cohort.grown = set()
    stopped = False
    for i, job in enumerate(residents):
        if job.gone:
            continue
        before = len(cohort.members)
        if job.id in others:
            job.served = st.marks
            outcome = give(k, st, a, job, a.left)
            a.refused = a.refused or outcome == REFUSED
            stopped = outcome == STOPPED
        elif calendar.grows_at(cohort, job, tick):
            session = job.session
            assert session is not None
            stopped = not _grow(k, cohort, session, job)
            drop_gone(a)
        # The tokens of members that gave way return to the budget.
        a.left += before - len(cohort.members)
        if stopped:
            if any(not later.gone for later in residents[i + 1 :]):
                _fold_after(st, cohort, a, residents[:i])
                return True
            break
    assert st.cohort is cohort
    calendar.granted(st, cohort, tick)
    return stopped or a.left <= 0


def _grow(k: State, cohort: Cohort, session: Session, job: Job) -> bool:
    """R4.16: one member's hold grows by what it takes; False if the member gave way itself."""
    pool = k.pools[cohort.pool]
    while not admission.fits(k, pool, cohort.unit):
        victim = growth.victim(k, pool, session, cohort.unit)
        assert victim is not None  # the member itself runs
        growth.preempt(k, victim, pool)
        if victim is session:
            return False
    prefix_cache.make_room(k, pool, cohort.unit)
    pool.used += cohort.unit
    cohort.kv += cohort.unit
    assert cohort.grown is not None
    cohort.grown.add(job.id)
    return True


def _fold_after(st: StageState, cohort: Cohort, a: Attempt, served: list[Job]) -> None:
    """A member gave way to itself with others behind it: these go without tokens, so the cohort is in step no more."""
    steady = set(cohort.members)
    others = {job.id for job in a.batch}
    calendar.fold(st)
    a.batch = []
    a.left = a.budget
    for job in served:
        if job.gone:
            continue
        if job.id in steady:
            job.given = 1.0
        elif job.id not in others:
            continue
        job.served = st.marks
        a.batch.append(job)
        a.left -= job.given
