"""Clones of a run kept along its way, bounded in number; knows no breakpoint and no screen."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from engine.simulation import Simulation
from engine.snapshot import Position

_FIRST_SPACING = 512
"""Small steps between checkpoints at first: replaying them takes some milliseconds."""

_WORTH = 14
"""Small steps for each session that a clone copies, so that copies and the memory they take stay a small part of the run."""

_MOST = 512
"""Checkpoints kept; past it every second one goes and the spacing doubles."""

_NEAR_SPACING = 24
"""Small steps between checkpoints laid down close to where one looks: from one to the next takes about a millisecond."""

_MOST_NEAR = 16
"""Of these are kept: together they reach about as far back as the checkpoint that one came from."""

_NEARER = 16
"""A checkpoint close by may cost this many times as much of the steps between: it saves a person's wait."""

_TAKEN_OVER = 16
"""Waiting sessions that cost a clone one small step: it takes them over as they are, in lists that are copied."""


class Checkpoints:
    """Where a run may be taken up again."""

    def __init__(self, start: Simulation) -> None:
        self._at: list[Position] = [start.position]
        self._kept: list[Simulation] = [start.clone()]
        self._spacing = _FIRST_SPACING
        self._since = 0
        self._near_at: list[Position] = []
        self._near: list[Simulation] = []
        self._near_since = 0

    def passed(self, simulation: Simulation) -> None:
        """The run has made a small step; lays down a checkpoint when it is due.

        The distance is counted in steps and never in wall time, so that the same walk
        leaves the same checkpoints. A clone takes as long as the sessions it copies are many,
        so the steps must be some times as many at least: the clones stay a small part of the run.
        """
        self._since += 1
        if self._since < self._spacing or self._since < _worth(simulation):
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
        i = max(bisect_right(self._at, position) - 1, 0)
        near = bisect_right(self._near_at, position) - 1
        if near >= 0 and self._at[i] < self._near_at[near]:
            return self._near[near].clone()
        return self._kept[i].clone()

    def approaches(self, start: Position) -> None:
        """A run goes on from ``start`` to where somebody will look around: what ``approached`` is told of begins there."""
        self._near_since = 0
        # Those of another stretch between checkpoints would keep new ones from being laid down.
        if self._near_at and (start < self._near_at[0] or self.between(self._near_at[-1], start)):
            self._near_at.clear()
            self._near.clear()

    def approached(self, simulation: Simulation) -> None:
        """The run has made a small step on its way there; one goes back from there by single steps, which then is near."""
        self._near_since += 1
        if self._near_since < _NEAR_SPACING or self._near_since < _worth(simulation) // _NEARER:
            return
        position = simulation.position
        if self._near_at and position <= self._near_at[-1]:
            return
        self._near_since = 0
        self._near_at.append(position)
        self._near.append(simulation.clone())
        if len(self._near) > _MOST_NEAR:
            del self._near_at[0]
            del self._near[0]

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


def _worth(simulation: Simulation) -> int:
    """The small steps that a clone of a run is worth."""
    state = simulation.state
    waiting = 0
    for pool in state.pools:
        waiting += len(pool.queue)
    return _WORTH * (state.live - waiting) + waiting // _TAKEN_OVER
