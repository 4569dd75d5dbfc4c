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
from engine.targets import AtPosition, AtTime, Target
from serq_tui.controller import Controller
from serq_tui.messages import Arrived, Progressed, Travel
from serq_tui.moves import Headway, Move, Plan, Seek, Step, StepDecision, doing, progress
from serq_tui.panes.header import HeaderBar

#: Seconds between two messages of progress: 15 a second look continuous and cost the run nothing.
BETWEEN_PROGRESS = 1 / 15
#: A move that takes no longer says nothing: a line that flashes by is unrest.
BEFORE_SAYING = 0.15
#: Seconds between two pictures while more moves wait: 25 a second is all a screen far away shows, and more than one tells apart.
BETWEEN_PICTURES = 1 / 25
#: While more moves wait, no sooner than so many times what the last picture took: most of the time is for the moves.
PICTURE_SHARE = 3.0
#: Processor's seconds within which a step is made where it was asked for: a thread of its own takes a third of that
#: to begin and to end, and shares the interpreter with what draws the picture before.
AT_ONCE = 0.025
#: Jumps one can go back from: more than anybody remembers.
MOST_LEFT = 64


class MovingScreen(Screen[None]):
    """One move at a time; those asked for meanwhile wait their turn, and say how many they are."""

    controller: Controller

    def __init__(self) -> None:
        super().__init__()
        self._queued: deque[Move] = deque()
        self._painting = False
        """Whether a picture is drawn that is not on screen yet."""
        self._drew = 0.0
        """When a picture was begun last, by the system's clock in seconds."""
        self._picture = 0.0
        """How long it took to come on screen, in seconds."""
        self._interrupt: Event | None = None
        self._saying: Timer | None = None
        self._took = 0.0
        """Processor's seconds of the latest step."""
        self._named_interrupt = False
        """Whether the keys were last asked for while something was under way, and then name the one that interrupts."""
        self._left: list[Position] = []
        """Where jumps left from, the latest last."""

    @property
    def busy(self) -> bool:
        """Whether a move is under way, or waits for its turn."""
        return self._interrupt is not None or bool(self._queued)

    @property
    def header(self) -> HeaderBar:
        """What says the moment, and what is under way."""
        return self.query_one(HeaderBar)

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
        if self.busy or self._painting:
            self._queued.append(move)
        else:
            self._start(move)

    def on_travel(self, message: Travel) -> None:
        """Go to a time. While one drags, only where the mouse is by now counts of what still waits its turn."""
        message.stop()
        self._queued.clear()
        self.go(Seek(AtTime(message.clock)))

    def _start(self, move: Move) -> None:
        plan = self.controller.plan(move)
        if isinstance(move, Step | StepDecision) and self._took <= AT_ONCE and self._at_once(plan):
            return
        interrupt = self.begin(doing(move))
        self.run_worker(partial(self._carry_out, self.controller, plan, interrupt), thread=True, group="moves")

    def _at_once(self, plan: Plan) -> bool:
        """Make a step here and now; False where it turns out to be a long one, which a thread ends then."""
        begun = time.thread_time()
        arrival = self.controller.carry_out_at_once(plan, lambda: time.thread_time() - begun > AT_ONCE)
        self._took = time.thread_time() - begun
        if arrival is None:
            return False
        self._interrupt = Event()
        self.post_message(Arrived(arrival, plan.move))
        return True

    def begin(self, words: str) -> Event:
        """Something begins to use the timeline, and says so if it takes long."""
        self._interrupt = interrupt = Event()
        self._saying = self.set_timer(BEFORE_SAYING, partial(self._say, words))
        return interrupt

    def _carry_out(self, controller: Controller, plan: Plan, interrupt: Event) -> None:
        """In the worker's thread: the one place that moves the timeline."""
        begun = time.thread_time()
        arrival = controller.carry_out(plan, interrupt.is_set, self.throttled(doing(plan.move)))
        if isinstance(plan.move, Step | StepDecision):
            self._took = time.thread_time() - begun
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
            self.header.say(f"{words}{more}   esc stops")
            self.refresh_bindings()

    def finish(self) -> None:
        """It no longer does."""
        self._interrupt = None
        if self._saying is not None:
            self._saying.stop()
            self._saying = None
        self.header.say(None)
        if self._named_interrupt:
            self.refresh_bindings()

    def on_progressed(self, message: Progressed) -> None:
        """Say how far it has come."""
        self._say(message.words)

    def go_on(self) -> None:
        """Start the next move that was asked for."""
        if self._queued:
            self._start(self._queued.popleft())

    @property
    def picture_due(self) -> bool:
        """Whether to draw this moment: of moves asked for faster than they are drawn each is made, but not each is drawn."""
        return not self.busy or time.monotonic() - self._drew >= max(BETWEEN_PICTURES, PICTURE_SHARE * self._picture)

    def painting(self) -> None:
        """A picture is begun. The next move starts once it is on screen: a screen is painted when nothing else is to be done.

        A widget tells that, and not the screen, which hears of what is to be painted only when its widgets have had a turn.
        """
        self._painting = True
        self._drew = time.monotonic()
        self.header.call_after_refresh(self._painted)

    def _painted(self) -> None:
        self._painting = False
        self._picture = time.monotonic() - self._drew
        self.go_on()

    def leave(self) -> None:
        """Let go of a run under way, so that nothing outlives the screen."""
        self._queued.clear()
        if self._interrupt is not None:
            self._interrupt.set()
