"""What single change would let a waiting request in now; each is tried on a clone before it is named. Knows no screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil, isfinite
from typing import Literal

from engine import whatif
from engine.codes import AdmitCode, GuardCode, Path, ScheduleCode
from engine.constants import INF
from engine.failure import ProgramFailure
from engine.names import who as named
from engine.simulation import Simulation
from engine.snapshot import Who
from engine.trial import rooms_of, trial
from engine.walking import Interrupt, Interrupted
from engine.why import Question
from grammar.declaring import dataclass

_MOST_TRIED = 32
"""Running requests tried for being one fewer: each costs a clone, and the answer names a few."""

_MOST_BUDGET = 1 << 20
"""Tokens a budget is raised by at most: beyond any prompt."""


@dataclass(frozen=True, slots=True)
class Change:
    """A single change.

    Attributes:
        kind: more ``capacity`` of a pool; more ``budget``; one running request ``fewer``; its own ``turn``
            before all others of its queue; a ``guard`` of the schedule read otherwise.
        units: by how many units or tokens more; the value a guard would have; else 0.
        step: the least it can be changed by: a block or a unit of a pool, a token; else 0.
        pool: the pool, for a capacity.
        who: the request that would be gone.
        path: the guard.
    """

    kind: Literal["capacity", "budget", "fewer", "turn", "guard"]
    units: float = 0.0
    step: float = 0.0
    pool: int | None = None
    who: Who | None = None
    path: Path | None = None


def changed(question: Question, change: Change) -> Simulation | None:
    """A clone of the trial's point with one thing changed; None where it cannot be."""
    point, stage = question.point, question.stage
    try:
        match change:
            case Change("capacity", units, pool=int(pool)):
                return whatif.with_capacity(point, pool, units)
            case Change("budget", units) if stage is not None:
                return whatif.with_budget(point, stage, units)
            case Change("fewer", who=Who() as other):
                return whatif.without(point, other)
            case Change("turn"):
                return whatif.with_turn(point, question.who)
            case Change("guard", value, path=tuple(path)) if stage is not None:
                return whatif.with_guard(point, stage, path, value)
    except ProgramFailure:
        return None
    return None


def admits(question: Question, change: Change | None) -> bool:
    """Whether the trial lets the request in with a change; without one if None."""
    run = question.point.clone() if change is None else changed(question, change)
    return run is not None and trial(run, question.stage).lets_in(question.who)


def would_admit(question: Question, interrupt: Interrupt | None = None) -> tuple[Change, ...]:
    """The smallest single changes that let the request in, each tried; none where it is let in as things are.

    Of an amount the smallest is meant so: with it the request is let in and with one step less
    it is not.

    Raises:
        Interrupted: told to stop.
    """
    if admits(question, None):
        return ()
    return tuple(_found(question, interrupt))


def _found(question: Question, interrupt: Interrupt | None) -> Iterator[Change]:
    def works(change: Change) -> bool:
        if interrupt is not None and interrupt():
            raise Interrupted
        return admits(question, change)

    if works(Change("turn")):
        yield Change("turn")
    for guard in _guards(question):
        if works(guard):
            yield guard
    yield from _capacities(question, works)
    yield from _budgets(question, works)
    for other in _running(question)[:_MOST_TRIED]:
        fewer = Change("fewer", who=other)
        if works(fewer):
            yield fewer


def _capacities(question: Question, works: Callable[[Change], bool]) -> Iterator[Change]:
    k = question.point.state
    session = whatif.session_of(k, question.who)
    if session is None:
        return
    # Preempted in the very attempt, it has no pending hold yet: what it holds is what it will ask for.
    rooms = rooms_of(k, session)
    asked = {room.pool: room.need - room.free for room in rooms}
    asked |= {held.pool: 0.0 for hold in session.holds for held in hold.pools}
    for pool, short in asked.items():
        state = k.pools[pool]
        if not isfinite(state.code.cap):
            continue
        step = state.code.block or 1.0
        waiting = sum(need for s in state.queue if s.pending is not None for need in s.pending.needs)
        # With all that is used, waits or is asked for on top, nobody is ever short of it.
        most = ceil((state.used + waiting + max(short, 0.0) + state.code.cap) / step) + 1

        def of(steps: int, pool: int = pool, step: float = step) -> Change:
            return Change("capacity", steps * step, step, pool)

        yield from _least(of, ceil(short / step) if 0 < short < INF else 1, most, works)


def _budgets(question: Question, works: Callable[[Change], bool]) -> Iterator[Change]:
    if question.stage is not None:
        yield from _least(lambda steps: Change("budget", float(steps), 1.0), 1, _MOST_BUDGET, works)


def _least(of: Callable[[int], Change], guess: int, most: int, works: Callable[[Change], bool]) -> Iterator[Change]:
    """The change of the fewest steps: it works and one step less does not; none where the most does not."""
    if not works(of(most)):
        return
    fails, lets = 0, most
    trying = min(max(guess, 1), most - 1)
    while lets - fails > 1:
        if works(of(trying)):
            lets = trying
            # Often the guess is exact: one step less settles it.
            trying = lets - 1 if trying == guess else (fails + lets) // 2
        else:
            fails = trying
            trying = min(2 * fails, (fails + lets) // 2) if fails > guess else min(fails * 2, lets - 1)
        trying = min(max(trying, fails + 1), max(lets - 1, fails + 1))
    yield of(lets)


def _guards(question: Question) -> Iterator[Change]:
    """Every branch of the schedule the other way round, every gate open."""
    if question.stage is None:
        return
    step = question.point.state.stages[question.stage].code.step
    assert step is not None
    for code in _all(step.body or ()):
        if isinstance(code, GuardCode):
            yield Change("guard", 1.0, path=code.path)
            yield Change("guard", 0.0, path=code.path)
        elif isinstance(code, AdmitCode) and code.gate is not None:
            yield Change("guard", 1.0, path=code.path)


def _all(body: tuple[ScheduleCode, ...]) -> Iterator[ScheduleCode]:
    for code in body:
        yield code
        if isinstance(code, GuardCode):
            yield from _all(code.then)
            yield from _all(code.orelse)


def _running(question: Question) -> list[Who]:
    """Who could be one fewer, the newest admission first: the engine's residents, else the holders of its pools."""
    k = question.point.state
    if question.stage is not None:
        found = [job.session for job in k.stages[question.stage].residents if job.session is not None]
    else:
        session = whatif.session_of(k, question.who)
        pools = session.pending.pools if session is not None and session.pending is not None else []
        found = list({id(s): s for pool in pools for s in k.pools[pool].holders}.values())
    found.sort(key=lambda s: -s.adm)
    return [named(s) for s in found if named(s) != question.who]
