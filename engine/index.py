"""What was seen along a run, by position: attempts, iterations, and what a person asks for; knows no state.

An entry is an attempt, or a stretch of attempts that each began an iteration and came one event
after the other, as those of a leap do. Numbers only, in flat arrays: a run of a million
iterations takes a megabyte or two.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Hashable

from engine.snapshot import Position


class Happenings:
    """When something of one kind has happened, told by a figure that changes with it."""

    __slots__ = ("attempts", "events", "figure")

    def __init__(self, figure: float) -> None:
        self.figure = figure
        self.events = array("q")
        self.attempts = array("l")

    def reached(self, figure: float, events: int, attempts: int) -> None:
        """The figure stands so at a position and may have been another one small step before."""
        if figure != self.figure:
            self.figure = figure
            self.events.append(events)
            self.attempts.append(attempts)


class Index:
    """Every attempt seen so far, in order."""

    def __init__(self) -> None:
        self._events = array("q")
        self._attempts = array("l")
        self._stages = array("l")
        self._counts = array("q")
        """Of every entry but the latest."""
        self._count = 0
        """Of the latest entry."""
        self._stage = -1
        self._next_events = self._next_iteration = 0
        """What goes on with the latest entry: an attempt of this engine at that event, beginning that iteration."""
        self._began: dict[int, tuple[array[int], array[int]]] = {}
        """By engine: the number of each entry's first iteration, and the entry."""
        self._happened: dict[Hashable, Happenings] = {}

    def note(self, events: int, attempts: int, stage: int, count: int, iteration: int | None) -> None:
        """An attempt, or ``count`` of them, one event apart.

        Args:
            events: of the position right after the first of them.
            attempts: of that position.
            stage: the engine.
            count: how many.
            iteration: the number of the iteration the first began; None where none began.
        """
        if iteration is None:
            self._stage = -1
        else:
            goes_on = events == self._next_events and iteration == self._next_iteration and stage == self._stage and attempts == 1
            self._stage = stage
            self._next_events = events + count
            self._next_iteration = iteration + count
            if goes_on:
                self._count += count
                return
            numbers, entries = self._began.setdefault(stage, (array("q"), array("q")))
            numbers.append(iteration)
            entries.append(len(self._events))
        if self._count:
            self._counts.append(self._count)
        self._count = count
        self._events.append(events)
        self._attempts.append(attempts)
        self._stages.append(stage)

    def _many(self, i: int) -> int:
        return self._counts[i] if i < len(self._counts) else self._count

    def happenings(self, kind: Hashable, figure: float) -> Happenings:
        """What is to be told when something of a kind happens; its figure stands so at the start."""
        self._happened[kind] = happenings = Happenings(figure)
        return happenings

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
        steps = min(position.events - first.events, self._many(i) - 1)
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
        if ahead >= self._many(i):
            return None
        return Position(self._events[i] + ahead, 1) if ahead else Position(self._events[i], self._attempts[i])

    def latest(self, kind: Hashable, position: Position) -> Position | None:
        """The latest moment strictly before a position right after which something of a kind had happened."""
        if kind not in self._happened:
            return None
        events, attempts = self._happened[kind].events, self._happened[kind].attempts
        i = bisect_left(events, position.events)
        while i < len(events) and Position(events[i], attempts[i]) < position:
            i += 1
        return Position(events[i - 1], attempts[i - 1]) if i else None

    def next(self, kind: Hashable, position: Position) -> Position | None:
        """The first moment after a position right after which something of a kind had happened."""
        if kind not in self._happened:
            return None
        events, attempts = self._happened[kind].events, self._happened[kind].attempts
        i = bisect_left(events, position.events)
        while i < len(events) and Position(events[i], attempts[i]) <= position:
            i += 1
        return Position(events[i], attempts[i]) if i < len(events) else None
