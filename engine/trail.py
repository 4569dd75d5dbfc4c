"""The moments looked at lately, so that going to one of them again needs no replay; knows no run."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

from engine.decisions import Decision
from engine.snapshot import Position, Snapshot

KEPT = 64
"""Moments kept: three seconds of a step key held down, back again without a wait."""

Lead = tuple[Snapshot | None, tuple[Decision, ...]]
"""The moment before, and what was decided since."""

K = TypeVar("K")
V = TypeVar("V")


class Trail:
    """Snapshots by position, what led there, and where a step from there ended."""

    def __init__(self) -> None:
        self._snapshots: OrderedDict[Position, Snapshot] = OrderedDict()
        self._leads: OrderedDict[tuple[Position, int | None], Lead] = OrderedDict()
        self._steps: OrderedDict[tuple[Position, int | None], Position] = OrderedDict()

    def looked(self, position: Position, snapshot: Snapshot) -> None:
        """A moment was looked at."""
        _keep(self._snapshots, position, snapshot)

    def led(self, position: Position, engine: int | None, lead: Lead) -> None:
        """What led to a moment was found."""
        _keep(self._leads, (position, engine), lead)

    def stepped(self, begun: Position, engine: int | None, ended: Position) -> None:
        """A step from one moment ended at another."""
        _keep(self._steps, (begun, engine), ended)

    def snapshot(self, position: Position) -> Snapshot | None:
        """A moment, None where it is not kept."""
        return self._snapshots.get(position)

    def lead(self, position: Position, engine: int | None) -> Lead | None:
        """What led to a moment, None where it is not kept."""
        return self._leads.get((position, engine))

    def next(self, position: Position, engine: int | None) -> Position | None:
        """Where a step from a moment ended, None where it is not kept."""
        return self._steps.get((position, engine))

    def knows(self, position: Position, engine: int | None) -> bool:
        """Whether all there is to see of a moment is kept."""
        return position in self._snapshots and (position, engine) in self._leads

    def forget(self) -> None:
        """A failure changes what a moment is: nothing kept before it holds of it."""
        self._snapshots.clear()
        self._leads.clear()
        self._steps.clear()


def _keep(kept: OrderedDict[K, V], key: K, value: V) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > KEPT:
        kept.popitem(last=False)
