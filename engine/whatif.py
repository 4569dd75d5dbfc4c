"""Clones of a run with one thing changed; says nothing of what comes of it, and never touches the run it starts from.

The tables of a program are shared by all its clones, so a changed clone gets tables of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine import endings, growth, sessions
from engine.codes import AdmitCode, GuardCode, Path, ScheduleCode
from engine.constants import QUEUED
from engine.expressions import Function
from engine.simulation import Simulation

if TYPE_CHECKING:
    from engine.codes import PoolCode, StepCode
    from engine.session_state import Session
    from engine.snapshot import Who
    from engine.state import State


def session_of(k: State, who: Who) -> Session | None:
    """The live session or leg that records name so; to look at, as other runs may have it too."""
    if who.leg is None:
        return k.sessions.get(who.serial)
    wanted = (who.serial, who.leg)
    return next((s for s in k.slots if s is not None and (s.serial, s.leg) == wanted), None)


def with_capacity(run: Simulation, pool: int, more: float) -> Simulation:
    """A clone whose pool has so many units more."""
    other = run.clone()
    code = other.state.pools[pool].code
    _set_pool(other, replace(code, cap=code.cap + more))
    return other


def with_budget(run: Simulation, stage: int, more: float) -> Simulation:
    """A clone whose engine has so many tokens more in every iteration, whatever its ``tokens cap`` says."""
    other = run.clone()
    step = other.state.stages[stage].code.step
    assert step is not None
    budget = step.budget
    _set_step(other, stage, replace(step, budget=lambda k, s, m: budget(k, s, m) + more, limits=None))
    return other


def with_guard(run: Simulation, stage: int, path: Path, value: float) -> Simulation:
    """A clone in which one guard of a schedule, a ``branch`` or the ``while`` of an admission, is always so."""
    other = run.clone()
    step = other.state.stages[stage].code.step
    assert step is not None and step.body is not None
    _set_step(other, stage, replace(step, body=_forced(step.body, path, lambda _k, _s, _m: value)))
    return other


def without(run: Simulation, who: Who) -> Simulation | None:
    """A clone from which a request is gone with all it holds; None for one that has legs or is one."""
    other = run.clone()
    session = session_of(other.state, who)
    if session is None or session.leg >= 0 or session.legs:
        return None
    endings.withdraw(other.state, other.state.own(session))
    come_to_rest(other.state)
    return other


def with_turn(run: Simulation, who: Who) -> Simulation | None:
    """A clone in which a waiting request stands before all others of its queue; None where it does not wait."""
    other = run.clone()
    session = session_of(other.state, who)
    if session is None or session.status != QUEUED or session.pending is None:
        return None
    session = other.state.own(session)
    assert session.pending is not None
    queue = other.state.pools[session.where].queue
    queue.remove(session)
    queue.insert(0, session)
    # As after a preemption: whatever the queue's keys say, it is tried first (R4.7).
    session.pending.resumed = True
    session.pending.view = None
    return other


def come_to_rest(k: State) -> None:
    """R2.6 step 1: growers and queues that no engine admits are retried until nobody goes on."""
    while True:
        growth.retry_everything(k)
        if not k.ready:
            return
        sessions.run_ready(k, counted=True)


# --------------------------------------------------------------------------- tables of its own


def _set_pool(run: Simulation, code: PoolCode) -> None:
    pools = (*run.code.pools[: code.index], code, *run.code.pools[code.index + 1 :])
    run.state.pools[code.index].code = code
    # What was generated for the loops of the old tables must not serve the new ones.
    run.code = run.state.code = replace(run.code, pools=pools, loops={})


def _set_step(run: Simulation, stage: int, step: StepCode) -> None:
    # A changed budget or guard may do what counting steady decodes together takes for granted.
    code = replace(run.state.stages[stage].code, step=replace(step, steady=False), leaps=False)
    run.state.stages[stage].code = code
    stages = (*run.code.stages[:stage], code, *run.code.stages[stage + 1 :])
    run.code = run.state.code = replace(run.code, stages=stages, loops={})


def _forced(body: tuple[ScheduleCode, ...], path: Path, value: Function) -> tuple[ScheduleCode, ...]:
    made: list[ScheduleCode] = []
    for code in body:
        if isinstance(code, AdmitCode) and code.path == path:
            made.append(replace(code, gate=value))
        elif isinstance(code, GuardCode) and path[: len(code.path)] == code.path:
            guard = value if code.path == path else code.guard
            made.append(replace(code, guard=guard, then=_forced(code.then, path, value), orelse=_forced(code.orelse, path, value)))
        else:
            made.append(code)
    return tuple(made)
