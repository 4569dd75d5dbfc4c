"""One attempt of an engine to run an iteration: form the batch, then start it (R6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine import admission, growth, holdings, plan, sessions, stages
from engine.amounts import positive
from engine.client import token
from engine.decisions import Attempted, Guarded, RegisterSet
from engine.events import schedule
from engine.failure import ProgramFailure
from engine.names import name
from engine.program import AdmitCode, GuardCode, RegisterCode, ServeCode
from engine.queries import shown
from engine.state import EPS, GROWING, INF, ITERATION_END, Iteration
from engine.statistics import total_order

if TYPE_CHECKING:
    from engine.expressions import Function
    from engine.program import Path, ScheduleCode
    from engine.state import Job, Session, StageState, State

GIVEN, SKIPPED, REFUSED, STOPPED = range(4)
"""What giving a resident its tokens came to (R6.6)."""

SERVE_PATH: Path = (0,)
ADMIT_PATH: Path = (1,)
"""The statements of the default and the exclusive procedure, as schedules (R6.8, R6.9)."""


class Attempt:
    """The batch being formed; lives within one call of ``attempt``."""

    __slots__ = (
        "admitted",
        "batch",
        "budget",
        "chunk",
        "executed",
        "folded",
        "left",
        "members",
        "notes",
        "path",
        "preempted_before",
        "refused",
        "registers",
    )

    def __init__(self, k: State, budget: float, chunk: float) -> None:
        self.budget = budget
        self.chunk = chunk
        self.left = budget
        self.batch: list[tuple[Job, float]] = []
        self.notes: list[tuple[Job, float]] = []
        """Attention noted, by job, in order (R6.6 step 5)."""
        self.refused = False
        self.folded = False
        """Whether a cohort was folded in its midst, its members' tokens being in the batch by now."""
        self.members = 0
        """Members of a cohort that have their tokens and are not in the batch."""
        self.admitted = 0
        self.registers = k.registers.copy()
        self.path: Path | None = None
        """The schedule statement executed last."""
        self.executed: list[Path] = []
        """All executed so far, in order."""


def attempt(k: State, st: StageState) -> None:
    """R6.3: an attempt at an iteration of an engine that runs none.

    Raises:
        ProgramFailure: a guard, a register or the iteration's length is not one (R10.9 to R10.11).
    """
    step = st.code.step
    assert step is not None
    m = k.moment
    plan.set_totals(st, m, memory=step.totals_first)
    a = Attempt(k, step.budget(k, k.nobody, m), step.chunk(k, k.nobody, m))
    if step.body is not None:
        body = step.body
        conduct(k, st, a, lambda: run_body(k, st, a, body))
    elif step.exclusive:
        conduct(k, st, a, lambda: _exclusive(k, st, a))
    else:
        conduct(k, st, a, lambda: default(k, st, a))


def conduct(k: State, st: StageState, a: Attempt, procedure: Callable[[], None]) -> None:
    """R6.3 steps 2 to 8 around a procedure that forms the batch."""
    st.marks += 1
    k.attempt_preempted = 0
    k.attempt_stage = st.code.index
    k.forming = a
    try:
        procedure()
        start(k, st, a)
    finally:
        k.forming = None
        k.attempt_stage = -1
        k.path = None
        k.planning = None
        st.attempt = (k.events, k.attempts)
        st.attempted_at = k.now
        st.lit = a.path
        st.executed = tuple(a.executed)


def at(k: State, a: Attempt, path: Path) -> None:
    """The statement at ``path`` is being executed."""
    a.path = path
    k.path = path
    if not a.executed or a.executed[-1] != path:
        a.executed.append(path)


# --------------------------------------------------------------------------- giving tokens


def give(k: State, st: StageState, a: Attempt, job: Job, left: float) -> int:
    """R6.6: gives a resident its tokens, growing its hold first.

    Args:
        left: the budget that counts for it, which an exclusive prefill reads differently (R6.9).
    """
    step = st.code.step
    assert step is not None
    want = plan.wanted(job, a.chunk)
    tokens = want if want < left else left
    if step.granule and not job.decode and tokens < job.work:
        tokens = tokens / step.granule // 1.0 * step.granule if step.granule < INF else 0.0
        if tokens <= 0:
            return REFUSED
    if tokens <= 0:
        return SKIPPED
    session = job.session
    assert session is not None
    position = 0.0
    if job.growing >= 0:
        if session.status == GROWING:
            return SKIPPED
        found = holdings.innermost(session, job.growing)
        assert found is not None
        held = found[1]
        position = held.pos
        need = position + tokens - held.alloc
        if need > EPS:
            before = k.attempt_preempted
            outcome = growth.grow(k, session, job.growing, need)
            if k.attempt_preempted != before:
                _drop_gone(a)
            if outcome == growth.WAITS:
                return SKIPPED
            if outcome == growth.PREEMPTED_ITSELF:
                return STOPPED
    if step.attention and not job.decode:
        a.notes.append((job, tokens * (position + tokens / 2.0)))
    a.batch.append((job, tokens))
    a.left -= tokens
    return GIVEN


def _drop_gone(a: Attempt) -> None:
    """R6.6 step 4: the tokens of those a growth preempted return to the budget, in batch order."""
    kept = []
    for entry in a.batch:
        if entry[0].gone:
            a.left += entry[1]
        else:
            kept.append(entry)
    a.batch = kept


def _ordered(k: State, st: StageState, keys: tuple[Function, ...]) -> list[Job]:
    """R6.10: the residents by their keys now, ties in resident order."""
    if not keys:
        return st.residents
    _serving_totals(k, st)
    ranks = {job.id: [total_order(x) for x in _serving_keys(k, job, keys)] for job in st.residents}
    return sorted(st.residents, key=lambda job: ranks[job.id])


def _serving_totals(k: State, st: StageState) -> None:
    step = st.code.step
    assert step is not None
    if step.serving_totals:
        plan.set_totals(st, k.moment, memory=step.serving_memory)


def _of_job(k: State, job: Job) -> Session:
    """Sets the context of a serving key or an ``only`` for a resident (R6.10)."""
    session = job.session
    assert session is not None
    m = k.moment
    m.Decoding = 1.0 if job.decode else 0.0
    m.Admission = float(session.adm)
    m.Remaining = job.work
    return session


def _serving_keys(k: State, job: Job, keys: tuple[Function, ...]) -> list[float]:
    session = _of_job(k, job)
    return [f(k, session, k.moment) for f in keys]


def _excluded(k: State, st: StageState, job: Job, only: Function | None) -> bool:
    """Whether ``only`` is 0 for a resident as it stands (R6.15)."""
    if only is None:
        return False
    _serving_totals(k, st)
    session = _of_job(k, job)
    return only(k, session, k.moment) == 0


def _serve(k: State, st: StageState, a: Attempt, keys: tuple[Function, ...], *, still: bool, only: Function | None) -> int:
    """Serves the residents not yet served, in order, while budget is left (R6.8, R6.15).

    The order is taken again whenever it may have changed: under keys that read the state
    after every resident, else when a resident came or went.

    Returns:
        ``STOPPED`` after a self-preemption, else ``GIVEN``.
    """
    marks = st.marks
    order = _ordered(k, st, keys)
    version = st.version
    set_aside: set[int] = set()
    i = 0
    while i < len(order) and a.left > 0:
        job = order[i]
        i += 1
        if job.served == marks or job.id in set_aside:
            continue
        if _excluded(k, st, job, only):
            set_aside.add(job.id)
            continue
        job.served = marks
        outcome = give(k, st, a, job, a.left)
        if outcome == STOPPED:
            return STOPPED
        if outcome == REFUSED:
            a.refused = True
        if st.version != version or (keys and not still):
            order = _ordered(k, st, keys)
            version = st.version
            i = 0
    return GIVEN


# --------------------------------------------------------------------------- procedures


def default(k: State, st: StageState, a: Attempt) -> None:
    """R6.8: serve the residents, then admit and serve while nothing was preempted."""
    step = st.code.step
    assert step is not None
    at(k, a, SERVE_PATH)
    while True:
        if _serve(k, st, a, step.by, still=step.still, only=None) == STOPPED:
            return
        if not (a.left > 0 and k.attempt_preempted == 0 and not a.refused):
            return
        at(k, a, ADMIT_PATH)
        if not admit_one(k, st, a.left):
            return
        a.admitted += 1


def _exclusive(k: State, st: StageState, a: Attempt) -> None:
    """R6.9: one prefill alone, or a batch of decodes."""
    marks = st.marks
    resident_prefill = any(not job.decode for job in st.residents)
    at(k, a, SERVE_PATH)
    while True:
        job = next((job for job in st.residents if job.served != marks), None)
        if job is None:
            if not (a.left > 0 and k.attempt_preempted == 0 and not a.refused):
                return
            at(k, a, ADMIT_PATH)
            if not admit_one(k, st, a.budget):
                return
            a.admitted += 1
            continue
        job.served = marks
        if job.decode:
            if resident_prefill:
                continue
            outcome = give(k, st, a, job, a.left)
            if outcome == GIVEN and a.left <= 0:
                return
        else:
            outcome = _give_alone(k, st, a, job)
            if outcome == GIVEN:
                return
        if outcome == STOPPED:
            return
        if outcome == REFUSED:
            a.refused = True


def _give_alone(k: State, st: StageState, a: Attempt, job: Job) -> int:
    """R6.9: a prefill under the whole budget; given, it displaces the decodes chosen so far."""
    outcome = give(k, st, a, job, a.budget)
    if outcome == GIVEN:
        chosen = a.batch[-1]
        a.batch = [chosen]
        a.notes = [note for note in a.notes if note[0] is job]
        a.left = a.budget - chosen[1]
    return outcome


def admit_one(k: State, st: StageState, left: float) -> bool:
    """R6.12, R6.13: admits one hold of the queues the engine admits, and lets its session run to its first block."""
    step = st.code.step
    assert step is not None
    for index in step.queues:
        pool = k.pools[index]
        if not pool.queue:
            continue
        k.planning = (st.code.index, left)
        session = admission.select(k, pool)
        admitted = admission.try_admit(k, pool, session, admission.evaluate(k, session), st.code.index)
        k.planning = None
        if admitted:
            sessions.run_ready(k, counted=False)
        return admitted
    return False


# --------------------------------------------------------------------------- iteration bodies


def run_body(k: State, st: StageState, a: Attempt, body: tuple[ScheduleCode, ...]) -> None:
    """R6.14: the statements in order, once each."""
    for code in body:
        at(k, a, code.path)
        match code:
            case ServeCode(_, only, by, still):
                step = st.code.step
                assert step is not None
                if by is None:
                    _serve(k, st, a, step.by, still=step.still, only=only)
                else:
                    _serve(k, st, a, by, still=still, only=only)
            case AdmitCode():
                _admit(k, st, a, code)
            case GuardCode(path, guard, then, orelse):
                holds = _guard(k, st, a, guard, path, "the condition of a branch")
                run_body(k, st, a, then if holds else orelse)
            case RegisterCode():
                _set_register(k, st, a, code)


def _admit(k: State, st: StageState, a: Attempt, code: AdmitCode) -> None:
    """R6.16: admits heads one at a time and serves the newcomers."""
    step = st.code.step
    assert step is not None
    while a.left > 0 and not a.refused:
        if code.gate is not None and not _guard(k, st, a, code.gate, code.path, "the while of an admit waiting"):
            return
        before = {job.id for job in st.residents}
        if not admit_one(k, st, a.left):
            return
        a.admitted += 1
        while True:
            fresh = (job for job in _ordered(k, st, step.by) if job.id not in before and job.served != st.marks)
            job = next(fresh, None)
            if job is None:
                break
            if a.left <= 0:
                return
            if _excluded(k, st, job, code.only):
                # Admitted and unserved: a later statement may still serve it.
                before.add(job.id)
                continue
            job.served = st.marks
            outcome = give(k, st, a, job, a.left)
            if outcome == REFUSED:
                a.refused = True
            if outcome in (STOPPED, REFUSED):
                return


def _body_context(k: State, st: StageState, a: Attempt) -> None:
    """R6.18: what guards, gates and sets read."""
    step = st.code.step
    assert step is not None
    m = k.moment
    plan.set_totals(st, m, memory=step.serving_memory)
    tokens, prefilled = float(a.members), 0.0
    for job, n in a.batch:
        tokens += n
        if not job.decode:
            prefilled += n
    m.Ntok = tokens
    m.Npre = prefilled
    m.Admitted = float(a.admitted)
    m.Preempted = float(k.attempt_preempted)


def _guard(k: State, st: StageState, a: Attempt, guard: Function, path: Path, what: str) -> bool:
    _body_context(k, st, a)
    value = guard(k, k.nobody, k.moment)
    if k.listen is not None:
        k.listen.append(Guarded(k.now, st.code.index, path, value))
    if value == 1.0:
        return True
    if value == 0.0:
        return False
    raise ProgramFailure(
        f"{what} of engine {name(st.code)} is {shown(value)}: it must be 0 or 1",
        schedule=(st.code.index, path),
        stage=st.code.index,
    )


def _set_register(k: State, st: StageState, a: Attempt, code: RegisterCode) -> None:
    """R6.17."""
    _body_context(k, st, a)
    value = code.value(k, k.nobody, k.moment)
    if not -INF < value < INF:
        register = k.code.program.registers[code.register].name
        raise ProgramFailure(
            f"register {register} of engine {name(st.code)} is set to {shown(value)}: it must be finite",
            schedule=(st.code.index, code.path),
            stage=st.code.index,
        )
    if k.listen is not None:
        k.listen.append(
            RegisterSet(k.now, st.code.index, code.path, code.register, k.registers[code.register], value, undone=False)
        )
    k.registers[code.register] = value


# --------------------------------------------------------------------------- starting and ending


def start(k: State, st: StageState, a: Attempt) -> None:
    """R6.3 steps 4 to 8: the batch becomes the running iteration, or nothing comes of the attempt."""
    step = st.code.step
    assert step is not None
    preempted = k.attempt_preempted
    batch = [entry for entry in a.batch if not entry[0].gone]
    members = len(st.cohort.members) if st.cohort is not None else 0
    if not batch and not preempted and not members:
        _idle(k, st, a)
        return
    for job, tokens in batch:
        if job.growing >= 0:
            assert job.session is not None
            found = holdings.innermost(job.session, job.growing)
            assert found is not None
            found[1].pos += tokens
            found[0].grown = True
    if st.cohort is not None:
        st.cohort.served += 1
    st.idle_with_work = False
    it = Iteration(batch, k.now, 0.0, a.budget, a.chunk if a.chunk > 0 else INF)
    it.members = members
    _batch_context(k, st, a, it)
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
    decodes = 0
    for job, tokens in batch:
        job.given = tokens
        decodes += job.decode
    _measure(k, st, members + decodes, len(batch) - decodes, it.cost)
    schedule(k, k.now + it.cost, ITERATION_END, st.code.index, st.epoch)
    if k.listen is not None:
        outcome = "iteration" if batch else "preempted"
        k.listen.append(Attempted(k.now, st.code.index, outcome, a.path, tuple(a.executed), st.iterations, preempted))  # type: ignore[arg-type]  # one of the two words


def _idle(k: State, st: StageState, a: Attempt) -> None:
    """R6.3 step 5: nothing was scheduled and nobody preempted."""
    step = st.code.step
    assert step is not None
    st.started = False
    st.idle_with_work = bool(st.residents) or any(k.pools[i].queue for i in step.queues)
    st.idle_attempts += st.idle_with_work
    if step.body is not None and not a.admitted:
        for i in step.registers:
            if k.registers[i] != a.registers[i] and k.listen is not None:
                k.listen.append(RegisterSet(k.now, st.code.index, None, i, k.registers[i], a.registers[i], undone=True))
        k.registers = a.registers
    if k.listen is not None:
        outcome = "idle" if st.idle_with_work else "nothing"
        k.listen.append(Attempted(k.now, st.code.index, outcome, a.path, tuple(a.executed), st.iterations, 0))  # type: ignore[arg-type]  # one of the two words


def _batch_context(k: State, st: StageState, a: Attempt, it: Iteration) -> None:
    """R6.23: what the cost and the iteration claims read."""
    step = st.code.step
    assert step is not None
    m = k.moment
    decodes = it.members
    tokens, prefilled = float(decodes), 0.0
    for job, n in it.batch:
        tokens += n
        if job.decode:
            decodes += 1
        else:
            prefilled += n
    it.tokens = tokens
    m.Ntok = tokens
    m.Ndec = float(decodes)
    m.Npre = prefilled
    m.Nres = float(len(st.residents))
    if step.totals_batch:
        m.Kvb, m.Kvp = plan.memory_totals(st, it.batch)
    if step.attention:
        attention = 0.0
        batched = {id(job) for job, _ in it.batch}
        for job, note in a.notes:
            if id(job) in batched:
                attention += note
        m.Attn = attention


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


def take_tokens(k: State, st: StageState, batch: list[tuple[Job, float]]) -> list[Job]:
    """R6.19: work is done and tokens come out, in batch order. Returns the finished runs."""
    done: list[Job] = []
    for job, tokens in batch:
        job.given = 0.0
        job.work -= tokens
        if job.work <= EPS:
            done.append(job)
    for job, _ in batch:
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


def gap_before(k: State, st: StageState, job: Job) -> float | None:
    """R6.31: when the token came out that a token of this job now would follow, None for none."""
    session = job.session
    assert session is not None
    turn, time, stage, decoded, preempted = session.meter
    if turn != session.attrs[k.code.program.slots.turn]:
        return None
    return time if job.decode or decoded or (preempted and stage == st.code.index) else None


def _token(k: State, st: StageState, job: Job) -> None:
    """R6.31: the gap meter and the client see a token."""
    session = job.session
    assert session is not None
    last = gap_before(k, st, job)
    if last is not None and k.warm:
        st.gaps.add(k.now - last)
    turn_number = session.attrs[k.code.program.slots.turn]
    turn, _, _, decoded, _ = session.meter
    session.meter = (turn_number, k.now, st.code.index, (turn == turn_number and decoded) or job.decode, False)
    token(k, session, decode=job.decode)
