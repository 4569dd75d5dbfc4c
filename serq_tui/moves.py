"""The ways to move in time, as data, and where a move arrived; moves nothing itself."""

from __future__ import annotations

from engine.breakpoints import Armed
from engine.conditions import Value
from engine.snapshot import Position, Snapshot
from engine.targets import AtPosition, Stop, Target
from grammar.declaring import dataclass
from serq_tui.format import amount, clock, duration, grouped
from serq_tui.view_state import Moment


@dataclass(frozen=True, slots=True)
class Step:
    """To the next attempt, or the one before it when ``back``."""

    back: bool = False


@dataclass(frozen=True, slots=True)
class Stay:
    """Nowhere: the moment is looked at again, with what is watched by now."""


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
    """On to the next stop, or back to the one before.

    Attributes:
        only: the one stop that ends it, whatever else is set; None for all that are set.
    """

    back: bool = False
    only: Armed | None = None


@dataclass(frozen=True, slots=True)
class Seek:
    """To a moment that was named."""

    target: Target

    @classmethod
    def to(cls, position: Position) -> Seek:
        """To a position."""
        return cls(AtPosition(position))


@dataclass(frozen=True, slots=True)
class ToEdge:
    """To the first moment, or to the last one seen so far."""

    last: bool


Move = Stay | Step | StepDecision | StepStatement | Run | Seek | ToEdge


@dataclass(frozen=True, slots=True)
class Plan:
    """A move with what decides where it ends, fixed when it was asked for.

    Attributes:
        engine: the engine whose attempts count as steps, None for all of them.
        stops: what ends a run.
        watches: values to read where it ends.
    """

    move: Move
    engine: int | None
    stops: tuple[Armed, ...]
    watches: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where a move ended and why.

    Attributes:
        hits: how often it met each stop on its way.
    """

    moment: Moment
    stop: Stop
    hits: tuple[tuple[Armed, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Headway:
    """How far a move has come.

    Attributes:
        iterations: started so far by all engines; None where the move makes none.
        way: how far it is by now and how far it goes, in whatever it goes by; None where nobody knows.
        at_most: whether it may end earlier.
    """

    position: Position
    clock: float
    iterations: int | None
    way: tuple[float, float] | None = None
    at_most: bool = False


def doing(move: Move) -> str:
    """What a move does, while it does it."""
    match move:
        case Stay():
            return "looking again"
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


def progress(first: Headway, made: Headway, seconds: float) -> str:
    """How far a move has come since its first headway, and how fast it goes."""
    left = _left(first, made, seconds)
    if made.iterations is None or first.iterations is None:
        return f"{made.position}, t {clock(made.clock)}{left}"
    rate = (made.iterations - first.iterations) / seconds if seconds > 0 else 0.0
    said = f"iteration {grouped(made.iterations)}, t {clock(made.clock)}"
    return (f"{said}, {amount(round(rate))} iterations/s" if rate else said) + left


def _left(first: Headway, made: Headway, seconds: float) -> str:
    """How long it still takes at the pace so far."""
    if first.way is None or made.way is None or made.way[0] <= first.way[0] or seconds <= 0:
        return ""
    come, goes = made.way
    rest = (goes - come) * seconds / (come - first.way[0])
    return f", {'at most ' if made.at_most else ''}{duration(max(round(rest), 1))} left" if goes > come else ""


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
