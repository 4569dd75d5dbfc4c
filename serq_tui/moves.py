"""The ways to move in time, as data, and where a move arrived; moves nothing itself."""

from __future__ import annotations

from dataclasses import dataclass

from engine.breakpoints import Breakpoint
from engine.snapshot import Snapshot
from engine.timeline import Stop, Target
from serq_tui.view_state import Moment


@dataclass(frozen=True, slots=True)
class Step:
    """To the next attempt, or the one before it when ``back``."""

    back: bool = False


@dataclass(frozen=True, slots=True)
class StepDecision:
    """To the next decision, or the one before it when ``back``."""

    back: bool = False


@dataclass(frozen=True, slots=True)
class StepStatement:
    """To the next schedule statement, or the one before it when ``back``."""

    back: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """On to the next stop, or back to the one before."""

    back: bool = False


@dataclass(frozen=True, slots=True)
class Seek:
    """To a moment that was named."""

    target: Target


@dataclass(frozen=True, slots=True)
class ToEdge:
    """To the first moment, or to the last one seen so far."""

    last: bool


Move = Step | StepDecision | StepStatement | Run | Seek | ToEdge


@dataclass(frozen=True, slots=True)
class Plan:
    """A move with what decides where it ends, fixed when it was asked for.

    Attributes:
        engine: the engine whose attempts count as steps, None for all of them.
        breakpoints: what ends a run.
    """

    move: Move
    engine: int | None
    breakpoints: tuple[Breakpoint, ...]


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where a move ended and why."""

    moment: Moment
    stop: Stop


def doing(move: Move) -> str:
    """What a move does, while it does it."""
    match move:
        case Step(back=back):
            return "stepping back" if back else "stepping"
        case StepDecision(back=back):
            return "stepping back by a decision" if back else "stepping by a decision"
        case StepStatement(back=back):
            return "stepping back by a statement" if back else "stepping by a statement"
        case Run(back=back):
            return "running back to the stop before" if back else "running on to the next stop"
        case Seek():
            return "going there"
        case ToEdge(last=last):
            return "going to the last moment seen" if last else "going to the first moment"


def ending(stop: Stop, move: Move, now: Snapshot) -> str | None:
    """What to say of a move that ended otherwise than it was meant to; None where the headline says it all."""
    match stop.reason:
        case "interrupted":
            return f"interrupted at {now.position}"
        case "start" if isinstance(move, Run):
            return "no stop before this one: this is the start"
        case "start" if isinstance(move, Step | StepDecision | StepStatement):
            return "this is the start: nothing comes before it"
        case "end":
            return "this is the end of the run"
        case _:
            return None
