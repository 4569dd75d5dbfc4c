"""Work at stages: fifo, delay, processor sharing, and the residents of engines.

Knows nothing of pools; flows over several stages are in ``engine.flows``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine import calendar, flows
from engine.constants import FINISH, IN_STAGE
from engine.events import make_ready, schedule
from engine.rounding import greater, positive
from engine.session_state import Job
from engine.statistics import total_order

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.stage_state import StageState
    from engine.state import State

_SMOOTHING: Final = 0.01
"""What a new sample weighs in an estimator (R7.15)."""


def start(k: State, stage: int, session: Session | None, work: float, *, decode: bool = False, growing: int = -1) -> None:
    """Starts a job; work of 0 completes at once and is counted nowhere (R5.1, R3.10)."""
    number = k.next_job
    k.next_job += 1
    if work <= 0:
        if session is not None:
            make_ready(k, session)
        return
    st = k.stages[stage]
    job = Job(number, session, work, k.now)
    st.jobs[number] = job
    if session is not None:
        session.status = IN_STAGE
        session.where = stage
        session.job = job
    if st.code.kind == "step":
        job.started = k.now
        job.decode = decode
        job.growing = growing
        _join(st, job)
    else:
        _serve(k, st, job)


def _serve(k: State, st: StageState, job: Job) -> None:
    """A job that is present is served from now on, or queues for it (R5.2 to R5.4)."""
    kind = st.code.kind
    if kind == "fifo":
        st.queue.append(job)
        _fill(k, st)
    elif kind == "delay":
        job.started = k.now
        schedule(k, k.now + job.work, FINISH, st.code.index, job.id)
    else:
        _advance(k, st)
        job.work = st.virtual + job.work
        st.changed = True


def begin(k: State, st: StageState, job: Job) -> None:
    """A job that waited for its latency starts; without work it is complete at once, passing a queue by (measured)."""
    if st.code.kind != "fifo" or job.work <= 0:
        job.started = k.now
    if job.work > 0:
        _serve(k, st, job)
        return
    del st.jobs[job.id]
    job.gone = True
    complete(k, st, job)


def _join(st: StageState, job: Job) -> None:
    """R6.1: before the first resident admitted later, as the admissions compare now."""
    residents = st.residents
    session = job.session
    assert session is not None
    at = len(residents)
    for i, other in enumerate(residents):
        assert other.session is not None
        if other.session.adm > session.adm:
            at = i
            break
    residents.insert(at, job)
    st.version += 1
    if st.cohort is not None:
        calendar.resident_joined(st.cohort, st, job)


def _fill(k: State, st: StageState) -> None:
    """R5.2: as many jobs are active as there are servers."""
    while st.active < st.code.servers and st.queue:
        job = st.queue.pop(0)
        job.started = k.now
        st.active += 1
        schedule(k, k.now + job.work, FINISH, st.code.index, job.id)


def _advance(k: State, st: StageState) -> None:
    """R5.4: brings a ps stage's virtual time up to now."""
    st.virtual += st.rate * (k.now - st.last)
    st.last = k.now


def reschedule(k: State, st: StageState) -> None:
    """R5.6: a ps stage whose jobs changed gets a new rate and a new finish."""
    n = len(st.jobs) - st.latent
    k.moment.N = float(n)
    capacity = st.code.capacity
    assert capacity is not None
    phi = capacity(k, k.nobody, k.moment) if n > 0 else 0.0
    _advance(k, st)
    st.rate = phi / n if n else 0.0
    st.epoch += 1
    st.changed = False
    if n and st.rate > 0:
        first = min((job for job in st.jobs.values() if not job.latent), key=lambda job: (total_order(job.work), job.id))
        schedule(k, k.now + positive((first.work - st.virtual) / st.rate), FINISH, st.code.index, first.id, st.epoch)


def finish(k: State, stage: int, number: int, epoch: int) -> None:
    """A finish event; a stale one does nothing (R2.9)."""
    st = k.stages[stage]
    kind = st.code.kind
    if kind == "shared":
        flows.finish(k, number, epoch)
        return
    job = st.jobs.get(number)
    if job is None or (kind == "ps" and epoch != st.epoch):
        return
    del st.jobs[number]
    job.gone = True
    if kind == "ps":
        _advance(k, st)
        st.virtual = greater(st.virtual, job.work)
        st.changed = True
    elif kind == "fifo":
        st.active -= 1
    complete(k, st, job)
    if kind == "fifo":
        _fill(k, st)


def complete(k: State, st: StageState, job: Job) -> None:
    """R5.11: what a stage learns of a finished job; its session goes on."""
    measure(k, st, job)
    if job.session is not None:
        job.session.job = None
        make_ready(k, job.session)


def measure(k: State, st: StageState, job: Job) -> None:
    """Feeds the estimators and, while warm, the stage's figures (R5.11, R7.15)."""
    started = job.started if job.started >= 0 else job.enqueued
    wait, service = started - job.enqueued, k.now - started
    est = st.estimates
    if est.jobs == 0:
        est.service, est.wait = service, wait
    else:
        keep = 1 - _SMOOTHING
        est.service = keep * est.service + _SMOOTHING * service
        est.wait = keep * est.wait + _SMOOTHING * wait
        gap = started - est.last_start
        est.gap = keep * est.gap + _SMOOTHING * gap if est.gaps else gap
        est.gaps += 1
    est.jobs += 1
    est.last_start = started
    if k.warm:
        st.completed += 1
        st.wait.add(wait)
        st.service.add(service)


def remove(k: State, job: Job, stage: int) -> None:
    """R5.12: takes an unfinished job away; nothing is recorded of it."""
    st = k.stages[stage]
    if job.gone:
        return
    calendar.leave(st, job)
    if st.code.kind == "shared":
        flows.remove(k, job)
        return
    job.gone = True
    del st.jobs[job.id]
    st.latent -= job.latent
    kind = st.code.kind
    if kind == "step":
        st.residents.remove(job)
        st.version += 1
        if st.iteration is not None and job.given:
            st.iteration.batch = [other for other in st.iteration.batch if other is not job]
    elif kind == "ps":
        st.changed = True
    elif kind == "fifo":
        if job.started >= 0:
            st.active -= 1
            _fill(k, st)
        elif not job.latent:
            st.queue.remove(job)
