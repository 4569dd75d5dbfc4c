"""What keeps an engine from going on at a moment: who is shut out by what, who waits for whom, what comes again; shows nothing."""

from __future__ import annotations

from engine import views
from engine.constants import INF
from engine.decisions import Decision, LeftOut
from engine.knots import Knot, knots
from engine.loops import Loop, NoLoop, find_loop
from engine.names import name, who
from engine.passing import FAR, NeverPassed, Passed, last_passed, last_served
from engine.replay import Past, steps
from engine.snapshot import Position
from engine.stage_state import NEVER
from engine.walking import Interrupt
from engine.why import Why, ask, why
from grammar.declaring import dataclass


@dataclass(frozen=True, slots=True)
class Shut:
    """The head of a queue, why it waits, and when the test that fails was last passed.

    Attributes:
        passed: None where no test of it fails.
    """

    why: Why
    passed: Passed | NeverPassed | None


@dataclass(frozen=True, slots=True)
class Unserved:
    """A running request without tokens, by the latest attempt's record, and when it had some."""

    record: LeftOut
    passed: Passed | NeverPassed


@dataclass(frozen=True, slots=True)
class Standstill:
    """What keeps things from going on.

    Attributes:
        engine: the engine's stage, None in a program without one.
        name: its name.
        idle: whether its latest attempt came to nothing although somebody runs or waits.
        next_event: when the next event comes, infinite where none does: then the engine idles for ever (R2.7).
        heads: of every queue that somebody waits in, of the engine's and of those that no engine admits.
        unserved: who runs without tokens while the engine is idle.
    """

    engine: int | None
    name: str
    idle: bool
    next_event: float
    heads: tuple[Shut, ...]
    unserved: tuple[Unserved, ...]
    knots: tuple[Knot, ...]
    loop: Loop | NoLoop


def standstill(past: Past, engine: int | None, interrupt: Interrupt | None = None) -> Standstill:
    """What keeps an engine from going on.

    Raises:
        Interrupted: told to stop.
    """
    run = past.now
    k = run.state
    st = k.stages[engine] if engine is not None else None
    idle = st is not None and st.idle_with_work and st.iteration is None
    follows = run.failure is None and k.queue.due(k.horizon)
    return Standstill(
        engine=engine,
        name=name(st.code) if st is not None else "",
        idle=idle,
        next_event=k.queue.time() if follows else INF,
        heads=heads(past, engine, interrupt),
        unserved=_unserved(past, engine, interrupt) if idle and engine is not None else (),
        knots=knots(k),
        loop=find_loop(past, engine, interrupt),
    )


def heads(past: Past, engine: int | None, interrupt: Interrupt | None = None, far: int = FAR) -> tuple[Shut, ...]:
    """The heads of the queues an engine admits, and of those that no engine does.

    Args:
        past: the moments seen.
        engine: the engine's stage, None without one.
        interrupt: asked all along.
        far: events looked back for when a test was passed.

    Raises:
        Interrupted: told to stop.
    """
    found: list[Shut] = []
    for pool in past.now.state.pools:
        if pool.queue and pool.code.admit_via in (-1, engine):
            question = ask(past, who(views.in_order(past.now.state, pool)[0]))
            if question is not None:
                made = why(past, question)
                found.append(Shut(made, last_passed(past, made, interrupt, far)))
    return tuple(found)


def _unserved(past: Past, engine: int, interrupt: Interrupt | None) -> tuple[Unserved, ...]:
    attempt = past.now.state.stages[engine].attempt
    run = past.before(Position(*attempt)) if attempt != NEVER else None
    if run is None:
        return ()
    records: list[Decision] = []
    for _ in steps(run, Position(*attempt), records):
        pass
    left = [record for record in records if isinstance(record, LeftOut) and record.stage == engine]
    return tuple(Unserved(record, last_served(past, record.who, engine, interrupt)) for record in left)
