"""What an attempt does: the default procedure, exclusive prefill, a schedule written out (R6.8 to R6.18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from engine import admission, plan, sessions
from engine.batch import GIVEN, REFUSED, STOPPED, at, excluded, give, in_order, serve
from engine.codes import AdmitCode, GuardCode, RegisterCode, ServeCode
from engine.constants import INF
from engine.decisions import AdmissionClosed, Displaced, Guarded, RegisterSet
from engine.failure import ProgramFailure
from engine.names import name, who
from engine.queries import shown

if TYPE_CHECKING:
    from engine.batch import Attempt
    from engine.codes import Path, ScheduleCode
    from engine.expressions import Function
    from engine.session_state import Job
    from engine.stage_state import StageState
    from engine.state import State

SERVE_PATH: Final[Path] = (0,)
ADMIT_PATH: Final[Path] = (1,)
"""The statements of the default and the exclusive procedure, as schedules (R6.8, R6.9)."""


def default(k: State, st: StageState, a: Attempt) -> None:
    """R6.8: serve the residents, then admit and serve while nothing was preempted."""
    at(k, a, SERVE_PATH)
    serve_and_admit(k, st, a)


def serve_and_admit(k: State, st: StageState, a: Attempt) -> None:
    """R6.8 from wherever it has come to: who came by an admission is served under its statement."""
    step = st.code.step
    assert step is not None
    while True:
        if serve(k, st, a, step.by, still=step.still, only=None) == STOPPED:
            return
        if _closed(k, st, a):
            return
        at(k, a, ADMIT_PATH)
        if not admit_one(k, st, a.left):
            return
        a.admitted += 1


def _closed(k: State, st: StageState, a: Attempt) -> bool:
    """Whether the default and the exclusive procedure admit nobody further (R6.8)."""
    if a.left > 0 and k.attempt_preempted == 0 and not a.refused:
        return False
    if a.left <= 0:
        note_closed(k, st, a, "budget")
    else:
        note_closed(k, st, a, "preempted" if k.attempt_preempted else "granule")
    return True


def note_closed(k: State, st: StageState, a: Attempt, reason: Literal["budget", "preempted", "granule"]) -> None:
    """Records that no hold is tried, where somebody waits for it."""
    if k.listen is not None:
        step = st.code.step
        assert step is not None
        if plan.awaited(k, step):
            k.listen.append(AdmissionClosed(k.now, st.code.index, k.path, reason, a.left))


def exclusive(k: State, st: StageState, a: Attempt) -> None:
    """R6.9: one prefill alone, or a batch of decodes."""
    marks = st.marks
    resident_prefill = any(not job.decode for job in st.residents)
    at(k, a, SERVE_PATH)
    while True:
        job = next((job for job in st.residents if job.served != marks), None)
        if job is None:
            if _closed(k, st, a):
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
        if k.listen is not None:
            assert job.session is not None
            for other in a.batch[:-1]:
                assert other.session is not None
                k.listen.append(Displaced(k.now, st.code.index, k.path, who(other.session), who(job.session)))
        for other in a.batch[:-1]:
            other.given = 0.0
        a.batch = [chosen]
        a.left = a.budget - chosen.given
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
        # A match would ask the same, and costs compiled code far more.
        if isinstance(code, ServeCode):
            step = st.code.step
            assert step is not None
            if code.by is None:
                serve(k, st, a, step.by, still=step.still, only=code.only)
            else:
                serve(k, st, a, code.by, still=code.still, only=code.only)
        elif isinstance(code, AdmitCode):
            _admit(k, st, a, code)
        elif isinstance(code, GuardCode):
            holds = _guard(k, st, a, code.guard, code.path, "the condition of a branch")
            run_body(k, st, a, code.then if holds else code.orelse)
        else:
            _set_register(k, st, a, code)


def _admit(k: State, st: StageState, a: Attempt, code: AdmitCode) -> None:
    """R6.16: admits heads one at a time and serves the newcomers."""
    step = st.code.step
    assert step is not None
    while True:
        if a.left <= 0 or a.refused:
            note_closed(k, st, a, "budget" if a.left <= 0 else "granule")
            return
        if code.gate is not None and not _guard(k, st, a, code.gate, code.path, "the while of an admit waiting"):
            return
        before = {job.id for job in st.residents}
        if not admit_one(k, st, a.left):
            return
        a.admitted += 1
        while True:
            fresh = (job for job in in_order(k, st, step.by) if job.id not in before and job.served != st.marks)
            job = next(fresh, None)
            if job is None:
                break
            if a.left <= 0:
                return
            if excluded(k, st, job, code.only):
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
    # The reference folds these sums from minus zero (R7.7, measured).
    tokens, prefilled = float(a.members) if a.members else -0.0, -0.0
    for job in a.batch:
        tokens += job.given
        if not job.decode:
            prefilled += job.given
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
