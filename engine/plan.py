"""What an engine knows of its residents before an iteration: totals, wishes, the planned budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import calendar
from engine.moment import Moment
from engine.rounding import positive

if TYPE_CHECKING:
    from engine.codes import StepCode
    from engine.session_state import Job, Session
    from engine.stage_state import StageState
    from engine.state import State


def memory_of(session: Session, pool: int) -> float:
    """Units all holds of a session have of an engine's memory, leases excluded (R6.2)."""
    total = 0.0
    for hold in session.holds:
        for held in hold.pools:
            if held.pool == pool:
                total += held.alloc
    return total


def set_totals(st: StageState, m: Moment, *, memory: bool) -> None:
    """R6.2: the residents' totals as they stand; the memory only where something reads it."""
    residents = st.residents
    m.Nres = float(len(residents))
    decodes, single = apart(st)
    for job in single:
        if job.decode:
            decodes += 1
    m.Ndec = float(decodes)
    if memory:
        m.Kvb, m.Kvp = memory_totals(st)


def apart(st: StageState) -> tuple[int, list[Job]]:
    """How many residents are counted together, and those that are looked at one by one."""
    cohort = st.cohort
    return (0, st.residents) if cohort is None else (len(cohort.members), cohort.outsiders)


def memory_totals(st: StageState, batch: list[Job] | None = None) -> tuple[float, float]:
    """R6.2, R6.23: the memory of the decodes and of the prefills, of all residents or of a batch.

    Units the cohort holds are whole numbers; where others' are not, the order of the sum
    matters (R1.1) and the cohort is folded.
    """
    step = st.code.step
    assert step is not None
    if step.memory < 0:
        return 0.0, 0.0
    cohort = st.cohort
    if cohort is not None:
        decode, prefill = _sum_memory(batch if batch is not None else cohort.outsiders, step.memory, cohort.kv)
        if decode % 1.0 == 0.0 and prefill % 1.0 == 0.0:
            return decode, prefill
        calendar.fold(st)
        batch = None if batch is None else batch_of(st)
    return _sum_memory(batch if batch is not None else st.residents, step.memory, 0.0)


def batch_of(st: StageState) -> list[Job]:
    """The running iteration's batch, or none."""
    return st.iteration.batch if st.iteration is not None else []


def _sum_memory(jobs: list[Job], pool: int, decode: float) -> tuple[float, float]:
    prefill = 0.0
    for job in jobs:
        assert job.session is not None
        if job.decode:
            decode += memory_of(job.session, pool)
        else:
            prefill += memory_of(job.session, pool)
    return decode, prefill


def limits(k: State, step: StepCode, m: Moment) -> tuple[float, float]:
    """An engine's budget and its chunk as they are now, in tokens (R6.3)."""
    if step.limits is not None:
        return step.limits
    return step.budget(k, k.nobody, m), step.chunk(k, k.nobody, m)


def awaited(k: State, step: StepCode) -> bool:
    """Whether somebody waits in a queue that an engine admits from."""
    for i in step.queues:  # noqa: SIM110 - a generator costs more than the look itself, which every event takes
        if k.pools[i].queue:
            return True
    return False


def wanted(job: Job, chunk: float) -> float:
    """R6.5: the tokens a resident could take of one iteration."""
    if job.decode:
        return job.work if job.work < 1.0 else 1.0
    return chunk if 0.0 < chunk < job.work else job.work


def planned_budget(k: State, st: StageState) -> float:
    """R7.12: what the next iteration would leave of its budget, as planned outside one."""
    step = st.code.step
    assert step is not None
    # A moment of its own: the expression around may go on reading the present one.
    m = Moment()
    set_totals(st, m, memory=step.totals_first)
    budget, chunk = limits(k, step, m)
    steady, single = apart(st)
    want = float(steady)
    for job in single:
        want += wanted(job, chunk)
    if steady and want % 1.0:
        # Not all whole: the order of the sum matters, so everybody is looked at in turn.
        calendar.fold(st)
        want = 0.0
        for job in st.residents:
            want += wanted(job, chunk)
    return positive(budget - want)
