"""What was seen along a run, by position: attempts, iterations, and what a person asks for; knows no state.

An entry is an attempt, or a stretch of attempts a leap made, of which each is one event
further. Numbers only, in flat arrays: a run of a million iterations takes some megabytes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Hashable

from engine.snapshot import Position


class Index:
    """Every attempt seen so far, in order."""

    def __init__(self) -> None:
        self._events = array("q")
        self._attempts = array("l")
        self._stages = array("l")
        self._counts = array("q")
        self._began: dict[int, tuple[array[int], array[int]]] = {}
        """By engine: the number of each entry's first iteration, and the entry."""
        self._happened: dict[Hashable, tuple[array[int], array[int]]] = {}
        """By kind: the events and attempts of the positions right after it happened."""

    def note(self, events: int, attempts: int, stage: int, count: int, iteration: int | None) -> None:
        """An attempt, or ``count`` of them, one event apart.

        Args:
            events: of the position right after the first of them.
            attempts: of that position.
            stage: the engine.
            count: how many.
            iteration: the number of the iteration the first began; None where none began.
        """
        if iteration is not None:
            numbers, entries = self._began.setdefault(stage, (array("q"), array("q")))
            numbers.append(iteration)
            entries.append(len(self._events))
        self._events.append(events)
        self._attempts.append(attempts)
        self._stages.append(stage)
        self._counts.append(count)

    def happened(self, kind: Hashable, position: Position) -> None:
        """Something of a kind has happened by ``position`` and had not one small step before."""
        events, attempts = self._happened.setdefault(kind, (array("q"), array("l")))
        events.append(position.events)
        attempts.append(position.attempts)

    def before(self, position: Position, engine: int | None = None) -> Position | None:
        """The latest attempt strictly before a position, of an engine or of any."""
        i = bisect_right(self._events, position.events) - 1
        while i >= 0:
            if engine is None or self._stages[i] == engine:
                found = self._latest(i, position)
                if found is not None:
                    return found
            i -= 1
        return None

    def _latest(self, i: int, position: Position) -> Position | None:
        first = Position(self._events[i], self._attempts[i])
        if first >= position:
            return None
        steps = min(position.events - first.events, self._counts[i] - 1)
        # All of a stretch but its first stand after exactly one attempt of their event.
        while steps > 0 and Position(first.events + steps, 1) >= position:
            steps -= 1
        return Position(first.events + steps, 1) if steps else first

    def iteration(self, engine: int, number: int) -> Position | None:
        """Where an engine's iteration began, None where it was not seen yet."""
        if engine not in self._began:
            return None
        numbers, entries = self._began[engine]
        j = bisect_right(numbers, number) - 1
        if j < 0:
            return None
        i, ahead = entries[j], number - numbers[j]
        if ahead >= self._counts[i]:
            return None
        return Position(self._events[i] + ahead, 1) if ahead else Position(self._events[i], self._attempts[i])

    def latest(self, kind: Hashable, position: Position) -> Position | None:
        """The latest moment strictly before a position right after which something of a kind had happened."""
        if kind not in self._happened:
            return None
        events, attempts = self._happened[kind]
        i = bisect_left(events, position.events)
        while i < len(events) and Position(events[i], attempts[i]) < position:
            i += 1
        return Position(events[i - 1], attempts[i - 1]) if i else None

    def next(self, kind: Hashable, position: Position) -> Position | None:
        """The first moment after a position right after which something of a kind had happened."""
        if kind not in self._happened:
            return None
        events, attempts = self._happened[kind]
        i = bisect_left(events, position.events)
        while i < len(events) and Position(events[i], attempts[i]) <= position:
            i += 1
        return Position(events[i], attempts[i]) if i < len(events) else None
