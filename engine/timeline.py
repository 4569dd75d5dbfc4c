"""Walking a run forward and back; knows no screen.

A run is a function of its program and seed, so every moment is reached by replaying from a
checkpoint before it, and coming back to a moment finds the same moment.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.breakpoints import Breakpoint, first_match
from engine.checkpoints import Checkpoints
from engine.decisions import Decision
from engine.simulation import Simulation
from engine.snapshot import Position, Snapshot

_BREATH = 128
"""Small steps between two looks at the interrupt: well under a tenth of a second."""


@dataclass(frozen=True, slots=True)
class AtPosition:
    """A target: the moment of a position, or the first after it."""

    position: Position


@dataclass(frozen=True, slots=True)
class AtIteration:
    """A target: an engine's iteration by its number, from 1; 0 is the start."""

    engine: int
    iteration: int


@dataclass(frozen=True, slots=True)
class AtTime:
    """A target: the last moment whose clock is not past a time in seconds."""

    time: float


Target = AtPosition | AtIteration | AtTime


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long walk has come."""

    position: Position
    clock: float


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a walk ended where it did.

    Attributes:
        reason: ``end`` is the end of the run, ``start`` its beginning.
        breakpoint: the breakpoint that matched, for the reason ``breakpoint``.
        decision: the decision that matched it.
    """

    reason: Literal["step", "breakpoint", "end", "start", "failure", "interrupted", "seek"]
    breakpoint: Breakpoint | None = None
    decision: Decision | None = None


Interrupt = Callable[[], bool]
Report = Callable[[Progress], None]


class Timeline:
    """A run and where in it one looks.

    Args:
        simulation: a run that has not begun; the timeline owns it from here on.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._now = simulation
        simulation.advance()
        self._checkpoints = Checkpoints(simulation)
        self._seen = simulation.position
        self._events = array("q")
        self._attempts = array("l")
        self._stages = array("l")
        """Every attempt seen: its position and its engine."""
        self._iterations: dict[int, array[int]] = {stage: array("q") for stage in simulation.code.engines}
        """Per engine the index, in the attempts, of each iteration."""
        self._stepwise = not simulation.code.engines
        self._around: tuple[Position, int | None, Snapshot | None, tuple[Decision, ...]] | None = None

    # ------------------------------------------------------------------ where we are

    @property
    def position(self) -> Position:
        """Where one looks."""
        return self._now.position

    @property
    def seen(self) -> Position:
        """The last moment seen so far."""
        return self._seen

    @property
    def simulation(self) -> Simulation:
        """The run at this moment; look, do not advance it."""
        return self._now

    def snapshot(self) -> Snapshot:
        """All there is to know of this moment."""
        return self._now.snapshot()

    def before(self, engine: int | None = None) -> Snapshot | None:
        """The moment just before in the program's time: one step earlier; None at the start.

        Args:
            engine: the engine whose attempts are the steps; None for any engine's.
        """
        return self._lead(engine)[0]

    def records(self, engine: int | None = None) -> tuple[Decision, ...]:
        """What was decided between ``before(engine)`` and this moment."""
        return self._lead(engine)[1]

    def report(self) -> dict[str, Any]:
        """The report of a run that ends at this moment."""
        return self._now.report()

    # ------------------------------------------------------------------ stepping

    def step(self, n: int = 1, engine: int | None = None) -> Stop:
        """Forward by attempts (by events in a program without an engine).

        Args:
            n: how many.
            engine: the engine whose attempts count; None for any engine's.
        """
        for _ in range(n):
            if not self._step_once(engine):
                return self._at_end()
        return Stop("failure") if self._now.failure is not None else Stop("step")

    def rewind(self, n: int = 1, engine: int | None = None) -> Stop:
        """Back by attempts; at the start it stays there."""
        for _ in range(n):
            target = self._previous(self.position, engine)
            if target is None:
                self._go(Position(0))
                return Stop("start")
            self._go(target)
        return Stop("step")

    def home(self) -> Stop:
        """To the first moment."""
        self._go(Position(0))
        return Stop("start")

    def end(self) -> Stop:
        """To the last moment seen so far."""
        self._go(self._seen)
        return self._at_end() if self._now.finished else Stop("seek")

    def seek(self, target: Target, *, interrupt: Interrupt | None = None, progress: Report | None = None) -> Stop:
        """To a moment, running on where it was not seen yet."""
        match target:
            case AtPosition(position):
                if position <= self._seen:
                    self._go(position)
                    return Stop("seek")
                self._go(self._seen)
                return self._forward(lambda: self.position >= position, interrupt, progress)
            case AtIteration(engine, number):
                index = self._iterations[engine]
                if number <= 0:
                    return self.home()
                if number <= len(index):
                    self._go(self._attempt_position(index[number - 1]))
                    return Stop("seek")
                self._go(self._seen)
                return self._forward(lambda: len(index) >= number, interrupt, progress)
            case AtTime(time):
                return self._seek_time(time, interrupt, progress)

    def run_until(
        self,
        breakpoints: Sequence[Breakpoint],
        *,
        interrupt: Interrupt | None = None,
        progress: Report | None = None,
    ) -> Stop:
        """Forward to the next breakpoint, the end, or an interrupt."""
        records: list[Decision] = []
        count = 0
        while not self._now.finished:
            records.clear()
            self._now.listen(records)
            self._advance()
            self._now.listen(None)
            if self._now.failure is not None:
                return Stop("failure")
            matched = first_match(breakpoints, records)
            if matched is not None:
                return Stop("breakpoint", *matched)
            count += 1
            if count % _BREATH == 0:
                if interrupt is not None and interrupt():
                    return Stop("interrupted")
                if progress is not None:
                    progress(Progress(self.position, self._now.clock))
        return self._at_end()

    def reverse_until(
        self,
        breakpoints: Sequence[Breakpoint],
        *,
        interrupt: Interrupt | None = None,
        progress: Report | None = None,
    ) -> Stop:
        """Back to the latest earlier moment that matches a breakpoint, else to the start.

        The stretches between checkpoints are replayed one by one from here backwards, and
        the last match of the first stretch that has one is it. An interrupt leaves the run
        where it was.
        """
        origin = limit = self.position
        while True:
            begin = self._checkpoints.earlier(limit)
            if begin is None:
                self._go(Position(0))
                return Stop("start")
            found, stopped = self._last_match(begin, limit, breakpoints, interrupt)
            if stopped:
                self._go(origin)
                return Stop("interrupted")
            if found is not None:
                self._go(found[0])
                return Stop("breakpoint", found[1], found[2])
            if progress is not None:
                progress(Progress(begin, self._now.clock))
            limit = begin

    # ------------------------------------------------------------------ inside

    def _last_match(
        self, begin: Position, limit: Position, breakpoints: Sequence[Breakpoint], interrupt: Interrupt | None
    ) -> tuple[tuple[Position, Breakpoint, Decision] | None, bool]:
        """The last match after ``begin`` and before ``limit``, and whether it was interrupted."""
        run = self._checkpoints.before(begin)
        origin = self.position
        found: tuple[Position, Breakpoint, Decision] | None = None
        records: list[Decision] = []
        run.listen(records)
        count = 0
        while not run.finished:
            records.clear()
            run.advance()
            # A stretch ends with the checkpoint it leads to, which belongs to it; only the
            # moment one looks from is no match for itself.
            if run.position > limit or run.position >= origin:
                break
            matched = first_match(breakpoints, records)
            if matched is not None:
                found = (run.position, *matched)
            count += 1
            if count % _BREATH == 0 and interrupt is not None and interrupt():
                return None, True
        return found, False

    def _advance(self) -> int | None:
        """One small step of the run one looks at, noted if it goes where nothing was seen."""
        run = self._now
        stage = run.advance()
        position = run.position
        if position > self._seen:
            self._seen = position
            if stage is not None:
                self._note(position, stage)
            self._checkpoints.passed(run)
        if run.finished:
            run.close()
        return stage

    def _note(self, position: Position, stage: int) -> None:
        self._events.append(position.events)
        self._attempts.append(position.attempts)
        self._stages.append(stage)
        index = self._iterations[stage]
        if self._now.state.stages[stage].iterations > len(index):
            index.append(len(self._events) - 1)

    def _step_once(self, engine: int | None) -> bool:
        """One step; False where the run was finished already or finished on the way."""
        while not self._now.finished:
            stage = self._advance()
            if self._now.failure is not None:
                return True
            if self._stepwise or (stage is not None and engine in (None, stage)):
                return True
        return False

    def _forward(self, reached: Callable[[], bool], interrupt: Interrupt | None, progress: Report | None) -> Stop:
        count = 0
        while not self._now.finished:
            self._advance()
            if self._now.failure is not None:
                return Stop("failure")
            if reached():
                return Stop("seek")
            count += 1
            if count % _BREATH == 0:
                if interrupt is not None and interrupt():
                    return Stop("interrupted")
                if progress is not None:
                    progress(Progress(self.position, self._now.clock))
        return self._at_end()

    def _seek_time(self, time: float, interrupt: Interrupt | None, progress: Report | None) -> Stop:
        """To the last moment not past a time: the next event would be later."""
        run = self._checkpoints.before_time(time)
        if run.position < self._seen:
            while not run.finished and run.next_time() <= time and run.position < self._seen:
                run.advance()
            self._take(run)
            if run.finished or run.next_time() > time:
                return Stop("seek")
        self._go(self._seen)
        return self._forward(lambda: self._now.next_time() > time, interrupt, progress)

    def _go(self, position: Position) -> None:
        """To a position already seen, or the first moment after it."""
        if position == self.position:
            return
        if position > self.position and self._now.failure is None and position.events - self.position.events < _BREATH:
            run = self._now
        else:
            run = self._checkpoints.before(position)
        while run.position < position and not run.finished:
            run.advance()
        self._take(run)

    def _take(self, run: Simulation) -> None:
        self._now = run
        if run.finished:
            run.close()

    def _attempt_position(self, i: int) -> Position:
        return Position(self._events[i], self._attempts[i])

    def _previous(self, position: Position, engine: int | None) -> Position | None:
        """The step before a position, None where there is none."""
        if self._stepwise:
            return Position(position.events - 1) if position.events > 0 else None
        i = bisect_left(self._events, position.events)
        while i < len(self._events) and self._attempt_position(i) < position:
            i += 1
        i -= 1
        while i >= 0 and engine is not None and self._stages[i] != engine:
            i -= 1
        return self._attempt_position(i) if i >= 0 else None

    def _lead(self, engine: int | None) -> tuple[Snapshot | None, tuple[Decision, ...]]:
        """The moment before, and what was decided since; remembered for the present moment."""
        position = self.position
        if self._around is None or self._around[:2] != (position, engine):
            previous = self._previous(position, engine)
            snapshot: Snapshot | None = None
            records: list[Decision] = []
            if previous is None and position > Position(0):
                previous = Position(0)
            if previous is not None:
                run = self._checkpoints.before(previous)
                while run.position < previous and not run.finished:
                    run.advance()
                snapshot = run.snapshot()
                run.listen(records)
                while run.position < position and not run.finished:
                    run.advance()
            self._around = (position, engine, snapshot, tuple(records))
        return self._around[2], self._around[3]

    def _at_end(self) -> Stop:
        return Stop("failure") if self._now.failure is not None else Stop("end")
