"""Clones of a run kept along its way, bounded in number; knows no breakpoint and no screen."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from engine.simulation import Simulation
from engine.snapshot import Position

_FIRST_SPACING = 256
"""Small steps between checkpoints at first: replaying them takes some milliseconds."""

_MOST = 512
"""Checkpoints kept; past it every second one goes and the spacing doubles."""


class Checkpoints:
    """Where a run may be taken up again."""

    def __init__(self, start: Simulation) -> None:
        self._at: list[Position] = [start.position]
        self._kept: list[Simulation] = [start.clone()]
        self._spacing = _FIRST_SPACING
        self._since = 0

    def passed(self, simulation: Simulation) -> None:
        """The run has made a small step; lays down a checkpoint when it is due.

        The distance is counted in steps and never in wall time, so that the same walk
        leaves the same checkpoints. A clone takes as long as those that live are many, so
        the steps must be twice as many at least: the clones stay a small part of the run.
        """
        self._since += 1
        if self._since < self._spacing or self._since < 2 * simulation.state.live:
            return
        self._since = 0
        self._at.append(simulation.position)
        self._kept.append(simulation.clone())
        if len(self._at) > _MOST:
            del self._at[1::2]
            del self._kept[1::2]
            self._spacing *= 2

    def before(self, position: Position) -> Simulation:
        """A run to go on from at the latest checkpoint not after a position."""
        return self._kept[max(bisect_right(self._at, position) - 1, 0)].clone()

    def between(self, start: Position, end: Position) -> bool:
        """Whether a checkpoint stands after ``start`` and not after ``end``."""
        return bisect_right(self._at, end) > bisect_right(self._at, start)

    def earlier(self, position: Position) -> Position | None:
        """The latest checkpoint strictly before a position, None at the start."""
        i = bisect_left(self._at, position) - 1
        return self._at[i] if i >= 0 else None

    def before_time(self, time: float) -> Simulation:
        """A run to go on from at the latest checkpoint whose clock is not past a time."""
        return self._kept[max(bisect_right(self._kept, time, key=lambda run: run.clock) - 1, 0)].clone()

    def before_session(self, serial: int) -> Simulation | None:
        """A run to go on from at the latest checkpoint where a session had not been created; None without one."""
        i = bisect_left(self._kept, serial + 1, key=lambda run: run.state.next_serial) - 1
        return self._kept[i].clone() if i >= 0 else None

    def __len__(self) -> int:
        return len(self._at)
