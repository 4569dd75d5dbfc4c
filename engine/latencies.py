"""Runs that wait before their job starts; knows no pool and no engine.

The rules are measured on the reference, IR 14, as none of the documents has them. A job
that waits for its latency is present at its stages: ``queue`` and ``work`` count it and
its stay, ``busy``, the present jobs a capacity reads and the shares of flows do not. It
has its number from the run, so it wins ties against jobs that ran later and started
earlier. When the latency ends the job starts; its wait in the report includes the latency.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import flows, stages
from engine.constants import IN_STAGE, INF, LATENCY_END
from engine.events import schedule
from engine.session_state import Job

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.state import State


def wait(k: State, where: tuple[int, ...], session: Session, work: float, seconds: float) -> None:
    """The session's job appears at its stages and waits.

    Args:
        where: the stages of the run, one unless it is a flow.
        work: also 0, which completes when the latency ends and is counted (measured).
        seconds: more than 0; an infinite latency never ends.
    """
    number = k.next_job
    k.next_job += 1
    job = Job(number, session, work, k.now)
    job.latent = True
    if k.stages[where[0]].code.kind == "shared":
        # All flows are brought to now although none changes its rate: sums round as the reference's.
        flows.advance(k)
        job.stages = where
        k.flows[number] = job
    for stage in where:
        k.stages[stage].jobs[number] = job
        k.stages[stage].latent += 1
    session.status = IN_STAGE
    session.where = where[0]
    session.job = job
    if seconds < INF:
        schedule(k, k.now + seconds, LATENCY_END, where[0], number)


def end(k: State, stage: int, number: int) -> None:
    """A latency is over: its job starts, or is complete where it has no work. A job taken away meanwhile does nothing."""
    st = k.stages[stage]
    job = st.jobs.get(number)
    if job is None:
        return
    job.latent = False
    for index in job.stages or (stage,):
        k.stages[index].latent -= 1
    if st.code.kind == "shared":
        flows.begin(k, job)
    else:
        stages.begin(k, st, job)
