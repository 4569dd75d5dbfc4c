"""The event loop: take the next event, handle it, settle (R2).

A settling is resumable: between two attempts of engines the state stands still and can be
looked at, cloned or left, so a run can be walked attempt by attempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import (
    flows,
    gauges,
    growth,
    holdings,
    latencies,
    lease_preemption,
    plan,
    sessions,
    stages,
    steady,
    ticked_queues,
    ticks,
    workload,
)
from engine.constants import (
    ARRIVAL,
    ATTEMPTING,
    FINISH,
    ITERATION_END,
    LATENCY_END,
    LEASE_END,
    LEASE_TICK,
    SETTLED,
    TICK,
    WARMUP_END,
)
from engine.events import schedule

if TYPE_CHECKING:
    from engine.state import State


def begin(k: State) -> None:
    """R2.2: the start of a run, up to its first attempt."""
    if k.warmup > 0:
        schedule(k, k.warmup, WARMUP_END)
    workload.begin(k)
    _settle(k)


def over(k: State) -> bool:
    """R2.3 (a) and (b): whether the loop ends here, at the horizon or drained."""
    if k.arrivals_wanted is not None and k.arrived >= k.arrivals_wanted and k.live == 0:
        return True
    return not k.queue.due(k.horizon)


def take_event(k: State) -> None:
    """R2.3 (c) and (d): the next event is handled, and settling begins."""
    if k.gauges and k.queue.time() > k.now:
        gauges.read(k)
    k.now, _, what, a, b, c = k.queue.take()
    k.events += 1
    k.attempts = 0
    if what == ITERATION_END:
        st = k.stages[a]
        if st.iteration is not None and b == st.epoch:
            steady.end(k, st)
    elif what == FINISH:
        stages.finish(k, a, b, c)
    elif what == ARRIVAL:
        workload.arrive(k)
    elif what == LEASE_END:
        _lease_end(k, a, b, c)
    elif what == LATENCY_END:
        latencies.end(k, a, b)
    elif what == TICK:
        ticks.arrive(k, a)
    elif what == LEASE_TICK:
        lease_preemption.arrive(k, a)
    else:
        _warm(k)
    _settle(k)


def _warm(k: State) -> None:
    """R9.4: the end of the warm-up resets every time average."""
    k.warm = True
    now = k.now
    for average in k.averages():
        average.reset(now)
    for st in k.stages:
        for average in (st.prefill_only, st.decode_only, st.mixed, st.mean_decodes):
            average.reset(now)


def _lease_end(k: State, slot: int, serial: int, number: int) -> None:
    """R2.10: a lease that still stands ends."""
    found = holdings.find_lease(k, slot, serial, number)
    if found is not None:
        holdings.end_lease(k, *found)
        growth.retry_everything(k)


def _come_to_rest(k: State) -> None:
    """R2.6 step 1: everything that follows at this instant without an engine."""
    while True:
        sessions.run_ready(k, counted=True)
        growth.retry_everything(k)
        if not k.ready:
            return


def _settle(k: State) -> None:
    """R2.6 step 1, and whether engines may attempt iterations now (step 2)."""
    _come_to_rest(k)
    pending = k.queue.due(k.now)
    if k.ticks_due and not pending:
        pending = _ticks(k)
    k.cursor = len(k.stages) if pending else 0
    k.phase = ATTEMPTING
    _seek_attempt(k)


def _ticks(k: State) -> bool:
    """What waited for the end of its tick's instant, each pool in a settling of its own before any engine attempts (measured).

    Returns:
        Whether an event is due at this instant after all.
    """
    while True:
        _close(k)
        if k.queue.due(k.now):
            return True
        if not _next_due(k):
            k.ticks_due = False
            return False
        _come_to_rest(k)


def _next_due(k: State) -> bool:
    """Several ticks of one instant come in the order of the pools, a pool's queue before its leases (measured)."""
    for index in k.code.ticked:
        pool = k.pools[index]
        if ticked_queues.admit(k, pool, _come_to_rest) or lease_preemption.tick(k, pool):
            return True
    return False


def _seek_attempt(k: State) -> None:
    """Moves to the next engine that attempts in this settling; closes it if there is none."""
    stages_ = k.stages
    while k.cursor < len(stages_):
        st = stages_[k.cursor]
        step = st.code.step
        if step is not None and st.iteration is None and (st.residents or plan.awaited(k, step)):
            return
        k.cursor += 1
    _close(k)


def next_attempt(k: State) -> int | None:
    """The engine whose attempt is next in the present settling, None when it is settled."""
    return k.cursor if k.phase == ATTEMPTING else None


def attempt(k: State) -> int:
    """R2.6 step 2: the next engine's attempt. Returns its stage."""
    stage = k.cursor
    # Counted first: an attempt that fails the program is a moment of its own to stop at.
    k.attempts += 1
    steady.attempt(k, k.stages[stage])
    k.cursor += 1
    _seek_attempt(k)
    return stage


def _close(k: State) -> None:
    """R2.6 steps 3 to 5: ps stages, flows, the time averages."""
    for st in k.stages:
        if st.changed:
            stages.reschedule(k, st)
    if k.flows_touched:
        flows.recompute(k)
    _record(k)
    k.phase = SETTLED


def _record(k: State) -> None:
    """R9.3: what is averaged over time, at every event."""
    now = k.now
    k.mean_live.set(now, float(k.live))
    for st in k.stages:
        n = len(st.jobs)
        st.mean_number.set(now, float(n))
        if st.code.kind == "shared":
            rates = 0.0
            for number in sorted(st.jobs):
                rates += st.jobs[number].rate
            st.mean_busy.set(now, rates / st.code.fixed)
        else:
            # Measured: a fifo is in use while it serves, any other stage while a job is present.
            st.mean_busy.set(now, 1.0 if (st.active if st.code.kind == "fifo" else n - st.latent) else 0.0)
    for pool in k.pools:
        pool.mean_used.set(now, pool.used)
        pool.mean_cached.set(now, pool.cached)
        pool.mean_queue.set(now, float(len(pool.queue)))
        pool.mean_holders.set(now, float(len(pool.holder_counts)))
