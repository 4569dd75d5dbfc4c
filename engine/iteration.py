"""One attempt of an engine to run an iteration: form the batch, then start it; and its end (R6.3, R6.19)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import holdings, plan, procedures, stages
from engine.batch import Attempt, note_unserved, still_there
from engine.client import token
from engine.constants import EPS, INF, ITERATION_END, NAN
from engine.decisions import ClaimRead, RegisterSet
from engine.events import schedule
from engine.failure import ProgramFailure
from engine.frequent import Attempted, note
from engine.names import name
from engine.queries import shown
from engine.rounding import positive
from engine.stage_state import Iteration

if TYPE_CHECKING:
    from engine.codes import Path
    from engine.session_state import Job
    from engine.stage_state import StageState
    from engine.state import State


def attempt(k: State, st: StageState) -> None:
    """R6.3: an attempt at an iteration of an engine that runs none.

    Raises:
        ProgramFailure: a guard, a register or the iteration's length is not one (R10.9 to R10.11).
    """
    step = st.code.step
    assert step is not None
    m = k.moment
    plan.set_totals(st, m, memory=step.totals_first)
    budget, chunk = plan.limits(k, step, m)
    a = Attempt(k, step, budget, chunk)
    begin(k, st, a)
    try:
        if step.body is not None:
            procedures.run_body(k, st, a, step.body)
        elif step.exclusive:
            procedures.exclusive(k, st, a)
        else:
            procedures.default(k, st, a)
        start(k, st, a)
    finally:
        leave(k, st, a)


def begin(k: State, st: StageState, a: Attempt) -> None:
    """R6.3 step 2: a batch is being formed, by a procedure that ``start`` and ``leave`` follow."""
    st.marks += 1
    k.attempt_preempted = 0
    k.attempt_stage = st.code.index
    k.forming = a


def leave(k: State, st: StageState, a: Attempt) -> None:
    """The attempt is over, whatever came of it: what it was is noted, and the kernel forms no batch."""
    if st.iteration is None:
        for job in a.batch:
            job.given = 0.0
    k.forming = None
    k.attempt_stage = -1
    k.path = None
    k.planning = None
    st.attempt = (k.events, k.attempts)
    st.attempted_at = k.now
    st.lit = a.path
    st.executed = a.executed


def start(k: State, st: StageState, a: Attempt) -> None:
    """R6.3 steps 4 to 8: the batch becomes the running iteration, or nothing comes of the attempt."""
    step = st.code.step
    assert step is not None
    note_unserved(k, st, a)
    preempted = k.attempt_preempted
    if st.cohort is not None and a.batch and step.totals_batch:
        # Where the memory of others is not whole, this gives every member its own place in the batch.
        plan.memory_totals(st, a.batch)
    batch = still_there(a)
    members = len(st.cohort.members) if st.cohort is not None else 0
    if not batch and not preempted and not members:
        _idle(k, st, a)
        return
    decodes = 0
    for job in batch:
        decodes += job.decode
        if job.growing >= 0:
            holdings.computed(job, job.given)
    if st.cohort is not None:
        st.cohort.served += 1
    st.idle_with_work = False
    it = Iteration(batch, k.now, 0.0, a.budget, a.chunk if a.chunk > 0 else INF)
    it.members = members
    it.early = a.early
    _batch_context(k, st, it)
    it.cost = positive(step.cost(k, k.nobody, k.moment))
    if it.tokens > 0 and it.cost <= 0:
        raise ProgramFailure(
            f"an iteration of engine {name(st.code)} with {shown(it.tokens)} tokens lasts {shown(it.cost)}: it must take time",
            stage=st.code.index,
        )
    if step.claims:
        _check_claims(k, st, a)
    st.served += it.tokens
    st.epoch += 1
    st.iteration = it
    st.iterations += 1
    st.started = True
    _measure(k, st, members + decodes, len(batch) - decodes, it.cost)
    schedule(k, k.now + it.cost, ITERATION_END, st.code.index, st.epoch)
    if k.listen is not None:
        outcome = "iteration" if batch else "preempted"
        note(k.listen, Attempted(k.now, st.code.index, outcome, a.path, _executed(k, a), st.iterations, preempted))  # type: ignore[arg-type]  # one of the two words


def _idle(k: State, st: StageState, a: Attempt) -> None:
    """R6.3 step 5: nothing was scheduled and nobody preempted."""
    step = st.code.step
    assert step is not None
    st.started = False
    st.idle_with_work = bool(st.residents) or plan.awaited(k, step)
    st.idle_attempts += st.idle_with_work
    if step.body is not None and not a.admitted:
        for i in step.registers:
            if k.registers[i] != a.registers[i] and k.listen is not None:
                k.listen.append(RegisterSet(k.now, st.code.index, None, i, k.registers[i], a.registers[i], undone=True))
        k.registers = a.registers
    if k.listen is not None:
        outcome = "idle" if st.idle_with_work else "nothing"
        note(k.listen, Attempted(k.now, st.code.index, outcome, a.path, _executed(k, a), st.iterations, 0))  # type: ignore[arg-type]  # one of the two words


def _executed(k: State, a: Attempt) -> tuple[Path, ...]:
    """What an attempt executed, as its record keeps it: one tuple of all attempts in a row that executed the same.

    A tuple an attempt would be all that the collector of cycles has to look at in most of what is recorded.
    """
    executed = tuple(a.executed)
    if executed != k.executed:
        k.executed = executed
    return k.executed


def _batch_context(k: State, st: StageState, it: Iteration) -> None:
    """R6.23: what the cost and the iteration claims read."""
    step = st.code.step
    assert step is not None
    m = k.moment
    decodes = it.members
    # The reference folds tokens and attention from minus zero, the prefill tokens from zero (R7.7, measured).
    tokens, prefilled, attention = float(decodes) if decodes else -0.0, 0.0, -0.0
    for job in it.batch:
        tokens += job.given
        if job.decode:
            decodes += 1
        else:
            prefilled += job.given
            # R6.23 sums it in the order noted, which is the batch's.
            attention += job.attention
    it.tokens = tokens
    m.Ntok = tokens
    m.Ndec = float(decodes)
    m.Npre = prefilled
    m.Attn = attention
    m.Nres = float(len(st.residents))
    if step.totals_batch:
        m.Kvb, m.Kvp = plan.memory_totals(st, it.batch)


def _check_claims(k: State, st: StageState, a: Attempt) -> None:
    """R9.19: the iteration claims, after the batch is formed, warm or not."""
    step = st.code.step
    assert step is not None
    m = k.moment
    if step.demand:
        demand = 0.0
        for job in st.residents:
            demand += plan.wanted(job, a.chunk)
        m.Demand = demand
    m.Served = st.served
    m.Arrived = float(k.arrived)
    for code in step.claims:
        claim = k.claims[code.index]
        if claim.out_of_scope is not None:
            continue
        claim.checked += 1
        held = code.value(k, k.nobody, m) != 0
        if not held:
            claim.failures += 1
        if k.listen is not None:
            k.listen.append(ClaimRead(k.now, st.code.index, code.index, held))
        if claim.first is None and held != code.every:
            claim.first = k.now


def _measure(k: State, st: StageState, decodes: int, prefills: int, cost: float) -> None:
    """R9.7: the shares of iteration kinds."""
    now = k.now
    st.prefill_only.set(now, 1.0 if prefills and not decodes else 0.0)
    st.decode_only.set(now, 1.0 if decodes and not prefills else 0.0)
    st.mixed.set(now, 1.0 if decodes and prefills else 0.0)
    st.mean_decodes.set(now, float(decodes))
    if decodes and k.warm:
        st.decode_batch.add(float(decodes))
        st.decode_step.add(cost)


def over(k: State, st: StageState) -> None:
    """The iteration no longer runs, and no share of time is an iteration's (R9.7)."""
    st.iteration = None
    now = k.now
    st.prefill_only.set(now, 0.0)
    st.decode_only.set(now, 0.0)
    st.mixed.set(now, 0.0)
    st.mean_decodes.set(now, 0.0)


def end(k: State, st: StageState) -> None:
    """R6.19: the running iteration is over."""
    it = st.iteration
    assert it is not None
    over(k, st)
    finish_runs(k, st, take_tokens(k, st, it.batch))


def take_tokens(k: State, st: StageState, batch: list[Job]) -> list[Job]:
    """R6.19: work is done and tokens come out, in batch order. Returns the finished runs."""
    done: list[Job] = []
    for job in batch:
        job.work -= job.given
        job.given = 0.0
        if job.work <= EPS:
            done.append(job)
    for job in batch:
        if job.decode or job.work <= EPS:
            _token(k, st, job)
    return done


def finish_runs(k: State, st: StageState, done: list[Job]) -> None:
    """R6.19: finished runs leave the residents and complete, in batch order."""
    for job in done:
        del st.jobs[job.id]
        job.gone = True
        st.residents.remove(job)
        st.version += 1
        stages.complete(k, st, job)


def gap_before(k: State, st: StageState, job: Job) -> float:
    """R6.31: when the token came out that a token of this job now would follow, NaN for none."""
    session = job.session
    assert session is not None
    turn, time, stage, decoded, preempted = session.meter
    if turn != session.attrs[k.code.slots.turn]:
        return NAN
    return time if job.decode or decoded or (preempted and stage == st.code.index) else NAN


def _token(k: State, st: StageState, job: Job) -> None:
    """R6.31: the gap meter and the client see a token."""
    session = job.session
    assert session is not None
    if k.warm:
        last = gap_before(k, st, job)
        if last == last:
            st.gaps.add(k.now - last)
    turn_number = session.attrs[k.code.slots.turn]
    turn, _, _, decoded, _ = session.meter
    session.meter = (turn_number, k.now, st.code.index, (turn == turn_number and decoded) or job.decode, False)
    token(k, session, decode=job.decode)
