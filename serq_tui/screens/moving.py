"""A screen that carries out one move at a time in a thread; it shows no run and reads no key."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from functools import partial
from threading import Event

from textual.screen import Screen
from textual.timer import Timer

from engine.snapshot import Position
from engine.timeline import AtPosition, AtTime, Target
from serq_tui.controller import Controller
from serq_tui.messages import Arrived, Progressed, Travel
from serq_tui.moves import Headway, Move, Plan, Seek, doing, progress
from serq_tui.panes.header import HeaderBar

#: Seconds between two messages of progress: 15 a second look continuous and cost the run nothing.
BETWEEN_PROGRESS = 1 / 15
#: A move that takes no longer says nothing: a line that flashes by is unrest.
BEFORE_SAYING = 0.15
#: Jumps one can go back from: more than anybody remembers.
MOST_LEFT = 64


class MovingScreen(Screen[None]):
    """One move at a time; those asked for meanwhile wait their turn, and say how many they are."""

    controller: Controller

    def __init__(self) -> None:
        super().__init__()
        self._queued: deque[Move] = deque()
        self._interrupt: Event | None = None
        self._saying: Timer | None = None
        self._left: list[Position] = []
        """Where jumps left from, the latest last."""

    @property
    def busy(self) -> bool:
        """Whether a move is under way."""
        return self._interrupt is not None

    def seek(self, target: Target | None) -> None:
        """Go to a moment that was named; None where none was."""
        if target is not None:
            self.go(Seek(target))

    def jump(self, target: Target | None) -> None:
        """Go to a moment that was named, and keep the way back."""
        if target is not None:
            self._left.append(self.controller.moment.now.position)
            del self._left[:-MOST_LEFT]
            self.seek(target)

    def action_return(self) -> None:
        """Go back to where the latest jump left from."""
        if self._left:
            self.seek(AtPosition(self._left.pop()))
        else:
            self.notify("no jump to go back from")

    def go(self, move: Move) -> None:
        """Carry a move out, once those asked for before it are."""
        if self.busy:
            self._queued.append(move)
        else:
            self._start(move)

    def on_travel(self, message: Travel) -> None:
        """Go to a time. While one drags, only where the mouse is by now counts of what still waits its turn."""
        message.stop()
        self._queued.clear()
        self.go(Seek(AtTime(message.clock)))

    def _start(self, move: Move) -> None:
        interrupt = self.begin(doing(move))
        plan = self.controller.plan(move)
        self.run_worker(partial(self._carry_out, self.controller, plan, interrupt), thread=True, group="moves")

    def begin(self, words: str) -> Event:
        """Something begins to use the timeline, and says so if it takes long."""
        self._interrupt = interrupt = Event()
        self._saying = self.set_timer(BEFORE_SAYING, partial(self._say, words))
        return interrupt

    def _carry_out(self, controller: Controller, plan: Plan, interrupt: Event) -> None:
        """In the worker's thread: the one place that moves the timeline."""
        arrival = controller.carry_out(plan, interrupt.is_set, self.throttled(doing(plan.move)))
        self.post_message(Arrived(arrival, plan.move))

    def throttled(self, words: str) -> Callable[[Headway], None]:
        """What tells the screen of progress, at most so often."""
        begun = last = time.monotonic()
        first: Headway | None = None

        def report(made: Headway) -> None:
            nonlocal begun, last, first
            now = time.monotonic()
            if first is None:
                first, begun = made, now
            if now - last >= BETWEEN_PROGRESS:
                last = now
                self.post_message(Progressed(f"{words}: {progress(first, made, now - begun)}"))

        return report

    def _say(self, words: str) -> None:
        if self.busy:
            more = f", {len(self._queued)} more to do" if self._queued else ""
            self.query_one(HeaderBar).say(f"{words}{more}   esc stops")
            self.refresh_bindings()

    def finish(self) -> None:
        """It no longer does."""
        self._interrupt = None
        if self._saying is not None:
            self._saying.stop()
            self._saying = None
        self.query_one(HeaderBar).say(None)
        # Whatever drew the keys meanwhile has named the one that interrupts.
        self.refresh_bindings()

    def on_progressed(self, message: Progressed) -> None:
        """Say how far it has come."""
        self._say(message.words)

    def go_on(self) -> None:
        """Start the next move that was asked for."""
        if self._queued:
            self._start(self._queued.popleft())

    def leave(self) -> None:
        """Let go of a run under way, so that nothing outlives the screen."""
        self._queued.clear()
        if self._interrupt is not None:
            self._interrupt.set()
