"""What is read of a run's states at a moment, just before it and in the steps that led to it; changes nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from engine.conditions import Value
from engine.replay import steps
from engine.simulation import Simulation
from engine.snapshot import Position
from engine.state import State
from engine.timeline import Timeline
from engine.walking import Interrupt, Interrupted

T = TypeVar("T")

_WINDOW = 3
"""Events looked back for each attempt wanted: an attempt that starts an iteration is followed by one event, its end,
and where sessions arrive and work elsewhere there are some more."""

_WIDER, _WIDEST = 4, 64
"""How much further is looked where too few attempts were found, and how far at most: a strip of recent values is not
worth a replay of the whole run."""


def around(timeline: Timeline, read: Callable[[State], T], engine: int | None = None) -> tuple[T, T | None]:
    """What is read now, and at the moment just before in the program's time; None for that at the start.

    Args:
        timeline: where one looks.
        read: reads a state and does not keep it.
        engine: the engine whose attempts are the steps; None for any engine's.
    """
    before = timeline.before(engine)
    return at(timeline, timeline.position, read), None if before is None else at(timeline, before.position, read)


def at(timeline: Timeline, position: Position, read: Callable[[State], T]) -> T:
    """What is read at a moment already seen."""
    base = replace(position, decisions=0)
    run = timeline.simulation if timeline.simulation.position == base else timeline.past.at(base)
    return run.look_inside(position.decisions, lambda inside: read(inside.state)) if position.decisions else read(run.state)


def recent(
    timeline: Timeline, values: tuple[Value, ...], most: int, engine: int | None = None, *, interrupt: Interrupt | None = None
) -> tuple[tuple[float, ...], ...]:
    """Each value's latest figures up to this moment, oldest first: one after each attempt (event without an engine).

    Args:
        timeline: where one looks.
        values: what is read.
        most: how many figures of each at most.
        engine: the engine whose attempts count; None for any engine's.
        interrupt: asked all along.

    Raises:
        Interrupted: it said so.
    """
    here = timeline.position
    base = replace(here, decisions=0)
    reach = _WINDOW * most
    stepwise = not timeline.simulation.code.engines
    while True:
        begin = Position(max(base.events - reach, 0))
        seen: deque[tuple[float, ...]] = deque(maxlen=most)

        def note(run: Simulation, seen: deque[tuple[float, ...]] = seen) -> None:
            seen.append(tuple(value.read(run.state) for value in values))

        for run in steps(timeline.past.at(begin), base, interrupt=interrupt):
            if stepwise or (run.attempted is not None and engine in (None, run.attempted)):
                note(run)
        if len(seen) >= most or begin.events == 0 or reach >= _WIDEST * most:
            break
        reach *= _WIDER
    if here.decisions:
        timeline.simulation.look_inside(here.decisions, note)
    return tuple(zip(*seen, strict=True)) if seen else tuple(() for _ in values)


__all__ = ["Interrupted", "around", "at", "recent"]
