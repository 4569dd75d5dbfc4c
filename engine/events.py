"""The event queue and the list of ready sessions; knows no rule but their order."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from engine.constants import INF, ITERATION_END, READY

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.state import State

Event = tuple[float, int, int, int, int, int]
"""When it comes in seconds, its number in the order scheduled, what it is, and three numbers that depend on that."""


class EventQueue:
    """What is to come, the earliest first; of one time in the order scheduled (R2.1).

    Most events are ends of iterations, and most of these are the next thing to happen. So one
    end stands beside the heap in plain numbers: with a single engine none ever goes through it.
    An end that would be the first of all stands there when it is put in.
    """

    __slots__ = ("_beside", "_end", "_epoch", "_heap", "_number", "_soonest", "_stage")

    def __init__(self) -> None:
        self._heap: list[Event] = []
        self._soonest = INF
        """The time of the first event of the heap."""
        self._beside = False
        """Whether an iteration's end stands beside the heap: its time, number, stage and epoch."""
        self._end = INF
        self._number = 0
        self._stage = 0
        self._epoch = 0

    def put(self, event: Event) -> None:
        """Takes an event in."""
        if event[2] != ITERATION_END or (self._beside and self._end <= event[0]):
            self._push(event)
            return
        if self._beside:
            self._push(self._beside_heap())
        self._beside = True
        self._end, self._number, _, self._stage, self._epoch, _ = event

    def take(self) -> Event:
        """Takes the first event out; there is one."""
        if self._end_is_first():
            self._beside = False
            return self._beside_heap()
        first = heappop(self._heap)
        self._soonest = self._heap[0][0] if self._heap else INF
        return first

    def due(self, moment: float) -> bool:
        """Whether an event comes at a moment or before it."""
        # An event may come at the end of time, where an empty queue says it comes.
        return self.time() <= moment and (self._beside or bool(self._heap))

    def time(self) -> float:
        """When the first event comes, in seconds; infinite where there is none."""
        return self._end if self._beside and self._end < self._soonest else self._soonest

    def time_after_end(self, stage: int, epoch: int) -> float | None:
        """When the second event comes, in seconds, infinite where there is none; None unless the first ends that iteration."""
        if self._stage != stage or self._epoch != epoch or not self._end_is_first():
            return None
        return self._soonest

    def all(self) -> list[Event]:
        """All events, in no order, to be looked at."""
        events = self._heap.copy()
        if self._beside:
            events.append(self._beside_heap())
        return events

    def clone(self) -> EventQueue:
        """A copy."""
        other = EventQueue()
        other._heap = self._heap.copy()
        other._soonest = self._soonest
        other._beside = self._beside
        other._end = self._end
        other._number = self._number
        other._stage = self._stage
        other._epoch = self._epoch
        return other

    def _push(self, event: Event) -> None:
        heappush(self._heap, event)
        if event[0] < self._soonest:
            self._soonest = event[0]

    def _beside_heap(self) -> Event:
        return self._end, self._number, ITERATION_END, self._stage, self._epoch, 0

    def _end_is_first(self) -> bool:
        """Whether the next event is the end beside the heap."""
        if not self._beside or self._end > self._soonest:
            return False
        return self._end < self._soonest or not self._heap or self._number < self._heap[0][1]


def schedule(k: State, time: float, what: int, a: int = 0, b: int = 0, c: int = 0) -> None:
    """An event at ``time``; those of one time come in the order scheduled (R2.1)."""
    k.queue.put((time, k.next_event, what, a, b, c))
    k.next_event += 1


def make_ready(k: State, session: Session) -> None:
    """The session executes its next statement, after those that are ready already (R1.15)."""
    session.status = READY
    k.ready.append(session.slot)
