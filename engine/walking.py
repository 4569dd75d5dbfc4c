"""Going through a run step by step for long: who may interrupt it, who is told, how leaps are bounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.breakpoints import Breakpoint, Watch
from engine.checkpoints import Checkpoints
from engine.simulation import Simulation
from engine.snapshot import Position

_BREATH = 64
"""Small steps between two looks at the interrupt: well under a tenth of a second."""

_NEAR = (64, 1024)
"""Events before a moment that are searched before all of them back to the checkpoint."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long walk has come."""

    position: Position
    clock: float


Interrupt = Callable[[], bool]
Report = Callable[[Progress], None]


class Interrupted(Exception):
    """A walk was told to stop."""


class Pace:
    """Looks up from a walk now and then."""

    def __init__(self, interrupt: Interrupt | None, progress: Report | None = None) -> None:
        self._interrupt = interrupt
        self._progress = progress
        self._count = 0

    def step(self, run: Simulation) -> None:
        """The walk has made a small step.

        Raises:
            Interrupted: it shall stop.
        """
        self._count += 1
        if self._count % _BREATH:
            return
        if self._interrupt is not None and self._interrupt():
            raise Interrupted
        if self._progress is not None:
            self._progress(Progress(run.position, run.clock))


def advance(run: Simulation, limit: Position | None) -> None:
    """A small step, and the iterations after it that nothing disturbs, short of a position; None leaps nowhere."""
    run.advance()
    if limit is not None:
        run.leap(limit.events - 1 - run.position.events)


def go_on(run: Simulation, position: Position, pace: Pace | None = None) -> None:
    """Goes on until a run stands at a position, or at the first after it.

    Raises:
        Interrupted: ``pace`` was told to stop.
    """
    while run.position < position and not run.finished:
        advance(run, position)
        if pace is not None:
            pace.step(run)


def approach(run: Simulation, position: Position, checkpoints: Checkpoints) -> None:
    """Goes on until a run stands where somebody will look around, leaving checkpoints close by."""
    checkpoints.approaches(run.position)
    while run.position < position and not run.finished:
        advance(run, position)
        if run.position < position:
            checkpoints.approached(run)


def search_back(
    checkpoints: Checkpoints, breakpoints: Sequence[Breakpoint], last: Position, pace: Pace
) -> tuple[Position, tuple[Breakpoint, ...]] | None:
    """The latest moment not after ``last`` that matches, and all it matches; None for none.

    The stretches between checkpoints are replayed one by one backwards, and the last match
    of the first stretch that has one is it. Where no leap can be made while watching, the
    first of them is watched from shortly before its end first: what is looked for is often near.

    Raises:
        Interrupted: it was told to stop.
    """
    limit = last
    near = () if all(b.leaps for b in breakpoints) else _NEAR
    while True:
        begin = checkpoints.earlier(limit)
        if begin is None:
            return None
        for events in near:
            start = Position(limit.events - events)
            if begin < start:
                found = _last_match(checkpoints.before(begin), start, limit, breakpoints, pace)
                if found is not None:
                    return found
        near = ()
        found = _last_match(checkpoints.before(begin), begin, limit, breakpoints, pace)
        if found is not None:
            return found
        limit = begin


def _last_match(
    run: Simulation, start: Position, limit: Position, breakpoints: Sequence[Breakpoint], pace: Pace
) -> tuple[Position, tuple[Breakpoint, ...]] | None:
    """The last match after ``start`` and not after ``limit``: a stretch ends with the checkpoint it leads to."""
    go_on(run, start, pace)
    watch = Watch(breakpoints, run.state)
    found: tuple[Position, tuple[Breakpoint, ...]] | None = None
    while run.position < limit and not run.finished:
        advance(run, limit if watch.leaps else None)
        hits = watch.hits(run.state)
        if hits and run.position <= limit:
            found = (run.position, hits)
        pace.step(run)
    return found
