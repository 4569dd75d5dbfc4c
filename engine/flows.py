"""Flows: jobs that hold several shared stages at once (R5.8 to R5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.constants import FINISH, IN_STAGE, INF
from engine.events import make_ready, schedule
from engine.rounding import positive
from engine.session_state import Job

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.stage_state import StageState
    from engine.state import State


def start(k: State, stages: tuple[int, ...], session: Session, work: float) -> None:
    """R5.9: starts a flow; work of 0 completes at once."""
    number = k.next_job
    k.next_job += 1
    if work <= 0:
        make_ready(k, session)
        return
    advance(k)
    job = Job(number, session, work, k.now)
    job.stages = stages
    for stage in stages:
        k.stages[stage].jobs[number] = job
    k.flows[number] = job
    k.flows_touched.update(stages)
    session.status = IN_STAGE
    session.where = stages[0]
    session.job = job


def begin(k: State, job: Job) -> None:
    """A flow that waited for its latency starts, or is complete where it has no work."""
    job.started = k.now
    if job.work <= 0:
        _complete(k, job)
        return
    advance(k)
    k.flows_touched.update(job.stages)


def remove(k: State, job: Job) -> None:
    """R5.12: a flow leaves all its stages."""
    advance(k)
    job.gone = True
    del k.flows[job.id]
    for stage in job.stages:
        del k.stages[stage].jobs[job.id]
        k.stages[stage].latent -= job.latent
    k.flows_touched.update(job.stages)


def finish(k: State, number: int, epoch: int) -> None:
    """A flow's finish event; stale unless its epoch is the current one (R2.9)."""
    job = k.flows.get(number)
    if job is None or epoch != k.flows_epoch:
        return
    _complete(k, job)


def _complete(k: State, job: Job) -> None:
    """R5.11: each stage learns of the flow; its session goes on once."""
    # ``stages`` measures and readies; the import is here because a stage's finish leads to this one.
    from engine.stages import measure

    remove(k, job)
    for stage in job.stages:
        measure(k, k.stages[stage], job)
    assert job.session is not None
    job.session.job = None
    make_ready(k, job.session)


def advance(k: State) -> None:
    """R5.10 step 1: every flow has done its rate times the time since."""
    dt = k.now - k.flows_last
    if dt > 0:
        for job in k.flows.values():
            job.work = positive(job.work - job.rate * dt)
    k.flows_last = k.now


def recompute(k: State) -> None:
    """R5.10: new rates for the flows connected with what was touched, and the next finish."""
    advance(k)
    touched = _connected(k)
    k.flows_touched.clear()
    if touched:
        # One policy rules all connected stages (R5.8); flows of two fabrics never meet here.
        for maxmin in (True, False):
            jobs = [job for job in touched if k.code.policies[job.stages[0]] == maxmin]
            if maxmin:
                _max_min(k, jobs)
            else:
                for job in jobs:
                    job.rate = min(k.stages[s].code.fixed / _sharing(k.stages[s]) for s in job.stages)
    k.flows_epoch += 1
    best: tuple[float, int] | None = None
    for job in k.flows.values():
        if job.rate > 0:
            when = (k.now + job.work / job.rate, job.id)
            if best is None or when < best:
                best = when
    if best is not None:
        schedule(k, best[0], FINISH, k.flows[best[1]].stages[0], best[1], k.flows_epoch)


def _sharing(st: StageState) -> int:
    """The flows that share a stage; those that wait for their latency take nothing."""
    return len(st.jobs) - st.latent


def _connected(k: State) -> list[Job]:
    """The flows connected, through shared stages, with a touched stage, by number."""
    stages = set(k.flows_touched)
    reached: dict[int, Job] = {}
    frontier = list(stages)
    while frontier:
        for number, job in k.stages[frontier.pop()].jobs.items():
            if number not in reached and not job.latent:
                reached[number] = job
                for stage in job.stages:
                    if stage not in stages:
                        stages.add(stage)
                        frontier.append(stage)
    return [reached[number] for number in sorted(reached)]


def _max_min(k: State, jobs: list[Job]) -> None:
    """R5.10 step 4: fills the tightest stage first."""
    left: dict[int, float] = {}
    rising: dict[int, int] = {}
    for job in jobs:
        for stage in job.stages:
            left.setdefault(stage, k.stages[stage].code.fixed)
            rising[stage] = rising.get(stage, 0) + 1
    order = sorted(left)
    opened = {job.id: job for job in jobs}
    while opened:
        tightest, least = -1, INF
        for stage in order:
            if rising[stage] > 0:
                share = left[stage] / rising[stage]
                if tightest < 0 or share < least:
                    tightest, least = stage, share
        share = positive(least)
        for number in [n for n, job in opened.items() if tightest in job.stages]:
            job = opened.pop(number)
            job.rate = share
            for stage in job.stages:
                left[stage] -= share
                rising[stage] -= 1
