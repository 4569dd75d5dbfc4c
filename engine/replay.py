"""Going through a part of a run again with somebody listening; knows no question that is asked of it."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nextafter

from engine.checkpoints import Checkpoints
from engine.decisions import Listener
from engine.simulation import Simulation
from engine.snapshot import Position
from engine.walking import Interrupt, Pace, go_on


class Past:
    """Runs of one's own at moments already seen.

    Args:
        checkpoints: those of the run.
        now: the run at the moment one looks at.
    """

    def __init__(self, checkpoints: Checkpoints, now: Simulation) -> None:
        self._checkpoints = checkpoints
        self.now = now
        """To look at, not to advance."""

    def at(self, position: Position) -> Simulation:
        """A run that stands at a position, or at the first after it."""
        run = self._checkpoints.before(position)
        go_on(run, position)
        return run

    def before(self, position: Position) -> Simulation | None:
        """A run one small step before a position; None at the first."""
        if position == Position(0):
            return None
        start = self._checkpoints.earlier(position)
        run = self._checkpoints.before(start) if start is not None else self.now.anew()
        go_on(run, Position(max(position.events - 1, 0)))
        # Only the last copy counts, and it is known only once the step after it is made.
        latest: Simulation | None = None
        while run.position < position and not run.finished:
            latest = run.clone()
            run.advance()
        return latest

    def before_session(self, serial: int) -> Simulation:
        """A run in which a session has not been created yet."""
        return self._checkpoints.before_session(serial) or self.now.anew()

    def before_time(self, time: float) -> Simulation:
        """A run whose clock is before a time, so that all that happens at it is still to come."""
        run = self._checkpoints.before_time(nextafter(time, -inf))
        return run if run.clock < time else self.now.anew()


def steps(
    run: Simulation, until: Position, records: Listener | None = None, interrupt: Interrupt | None = None
) -> Iterator[Simulation]:
    """Goes on by small steps up to a position, coming back after each.

    Args:
        run: a run of one's own.
        until: where it ends; the step that leads there is the last.
        records: who listens meanwhile.
        interrupt: asked all along.

    Raises:
        Interrupted: it said so.
    """
    run.listen(records)
    pace = Pace(interrupt)
    while not run.finished and (run.position < until or not run.begun):
        run.advance()
        pace.step(run)
        yield run
    run.listen(None)
