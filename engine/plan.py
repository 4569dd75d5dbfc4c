"""What an engine knows of its residents before an iteration: totals, wishes, the planned budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.amounts import positive
from engine.state import Moment

if TYPE_CHECKING:
    from engine.state import Job, Session, StageState, State


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
    decodes = 0
    for job in residents:
        if job.decode:
            decodes += 1
    m.Ndec = float(decodes)
    if memory:
        m.Kvb, m.Kvp = _memory_totals(st, residents)


def _memory_totals(st: StageState, jobs: list[Job]) -> tuple[float, float]:
    assert st.code.step is not None
    pool = st.code.step.memory
    decode = prefill = 0.0
    if pool >= 0:
        for job in jobs:
            assert job.session is not None
            if job.decode:
                decode += memory_of(job.session, pool)
            else:
                prefill += memory_of(job.session, pool)
    return decode, prefill


def batch_memory(st: StageState, batch: list[tuple[Job, float]]) -> tuple[float, float]:
    """R6.23: the memory of the batch's decodes and of its prefills."""
    return _memory_totals(st, [job for job, _ in batch])


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
    budget = step.budget(k, k.nobody, m)
    chunk = step.chunk(k, k.nobody, m)
    want = 0.0
    for job in st.residents:
        want += wanted(job, chunk)
    return positive(budget - want)
