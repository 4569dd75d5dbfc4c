"""Walking a run forward and back; knows no screen.

A run is a function of its program and seed, so every moment is reached by replaying from a
checkpoint before it, and coming back to a moment finds the same moment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from engine.breakpoints import Breakpoint, OnAdmission, OnIdle, OnPreemption, OnRegister, Watch
from engine.conditions import OnChange, Value
from engine.constants import INF
from engine.decisions import Decision
from engine.noting import Notes
from engine.replay import Past
from engine.series import Series
from engine.simulation import Simulation
from engine.snapshot import Position, Snapshot
from engine.targets import AtIteration, AtPosition, AtTime, Stop, Target
from engine.trail import Trail
from engine.walking import Interrupt, Interrupted, Pace, Report, advance, approach, go_on, search_back

_STRETCH = 4096
"""The most iterations one leap takes on a walk, so that an interrupt is seen soon and progress shown."""

_INDEXED = (OnPreemption, OnIdle, OnAdmission, OnRegister)
"""Breakpoints whose happening is noted as a run goes on, so that looking for them needs no replay."""


class Timeline:
    """A run and where in it one looks.

    Args:
        simulation: a run that has not begun; the timeline owns it from here on.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._run = simulation
        self._wanted: Position | None = None
        """Where one looks when that is known so well that the run has not been brought there yet."""
        self._trail = Trail()
        simulation.advance()
        self._notes = Notes(simulation)
        self._stepwise = not simulation.code.engines
        self._inside = 0
        """Decisions of the next small step that are made at the moment one looks at."""

    # ------------------------------------------------------------------ where we are

    @property
    def _now(self) -> Simulation:
        """The run where one looks; brought there if it is not there yet."""
        if self._wanted is not None:
            wanted, self._wanted = self._wanted, None
            self._go(wanted)
        return self._run

    @_now.setter
    def _now(self, run: Simulation) -> None:
        self._run = run
        self._wanted = None

    @property
    def position(self) -> Position:
        """Where one looks."""
        if self._wanted is not None:
            return self._wanted
        return replace(self._now.position, decisions=self._inside)

    @property
    def seen(self) -> Position:
        """The last moment seen so far."""
        return self._notes.seen

    @property
    def simulation(self) -> Simulation:
        """The run at this moment; look, do not advance it."""
        return self._now

    @property
    def past(self) -> Past:
        """Runs of one's own at earlier moments, for questions that are answered by replay."""
        return Past(self._notes.checkpoints, self._now)

    @property
    def series(self) -> Series:
        """What was seen of the run over time."""
        return self._notes.series

    @property
    def checkpoints(self) -> int:
        """How many checkpoints are kept."""
        return len(self._notes.checkpoints)

    def snapshot(self) -> Snapshot:
        """All there is to know of this moment."""
        position = self.position
        snapshot = self._trail.snapshot(position)
        if snapshot is None:
            snapshot = self._snapshot_inside(self._inside)
            # A failure may stand where the moment before it stood, and is not to be taken for it.
            if snapshot.failure is None:
                self._trail.looked(position, snapshot)
        return snapshot

    def before(self, engine: int | None = None) -> Snapshot | None:
        """The moment just before in the program's time: one step earlier; None at the start.

        Args:
            engine: the engine whose attempts are the steps; None for any engine's.
        """
        return self._snapshot_inside(self._inside - 1) if self._inside else self._lead(engine)[0]

    def records(self, engine: int | None = None) -> tuple[Decision, ...]:
        """What was decided between ``before(engine)`` and this moment."""
        return self._now.decided()[self._inside - 1 : self._inside] if self._inside else self._lead(engine)[1]

    def report(self) -> dict[str, Any]:
        """The report of a run that ends at this moment."""
        return self._now.report()

    # ------------------------------------------------------------------ stepping

    def step(self, n: int = 1, engine: int | None = None, *, interrupt: Interrupt | None = None) -> Stop:
        """Forward by attempts (by events in a program without an engine).

        Args:
            n: how many.
            engine: the engine whose attempts count; None for any engine's.
            interrupt: asked all along: an engine may never attempt again.
        """
        for _ in range(n):
            known = self._trail.next(self.position, engine)
            if known is not None and self._trail.knows(known, engine):
                self._look_at(known)
                continue
            try:
                if not self._step_once(engine, interrupt):
                    return self._at_end()
            except Interrupted:
                return Stop("interrupted")
        return Stop("failure") if self._wanted is None and self._now.failure is not None else Stop("step")

    def rewind(self, n: int = 1, engine: int | None = None) -> Stop:
        """Back by attempts; at the start it stays there."""
        target: Position | None = self.position
        for _ in range(n):
            target = self._previous(target, engine) if target is not None else None
        if target is None:
            return self.home()
        if self._trail.knows(target, engine):
            self._look_at(target)
        else:
            self._go(target)
        return Stop("step")

    def _look_at(self, position: Position) -> None:
        """Look at a moment of which all there is to see is kept; the run is brought there only when it is needed."""
        self._inside = 0
        self._wanted = position

    def step_decision(self) -> Stop:
        """Forward to the moment right after the next decision, wherever it is made."""
        while not self._now.finished:
            if self._inside < len(self._now.decided()):
                self._inside += 1
                return Stop("step")
            self._inside = 0
            self._advance(0)
            if self._now.failure is not None:
                return Stop("failure")
        return self._at_end()

    def rewind_decision(self) -> Stop:
        """Back to the moment right after the decision before."""
        if self._inside > 1:
            self._inside -= 1
            return Stop("step")
        base = self._now.position
        while (earlier := self._step_before(base)) is not None:
            self._go(earlier)
            decisions = len(self._now.decided())
            if decisions:
                self._inside = decisions
                return Stop("step")
            base = earlier
        return self.home()

    def home(self) -> Stop:
        """To the first moment."""
        self._go(Position(0))
        return Stop("start")

    def end(self) -> Stop:
        """To the last moment seen so far."""
        self._go(self._notes.seen)
        return self._at_end() if self._now.finished else Stop("seek")

    def seek(self, target: Target, *, interrupt: Interrupt | None = None, progress: Report | None = None) -> Stop:
        """To a moment, running on where it was not seen yet."""
        match target:
            case AtPosition(position):
                base = replace(position, decisions=0)
                if base <= self._notes.seen:
                    self._go(base)
                    return self._inwards(position, Stop("seek"))
                self._go(self._notes.seen)
                stop = self._forward(
                    lambda: base.events - 1 - self.position.events, INF, lambda: self.position >= base, interrupt, progress
                )
                return self._inwards(position, stop)
            case AtIteration(engine, number):
                if number <= 0:
                    return self.home()
                known = self._notes.index.iteration(engine, number)
                if known is not None:
                    self._go(known)
                    return Stop("seek")
                self._go(self._notes.seen)
                st = self._now.state.stages
                return self._forward(
                    lambda: number - st[engine].iterations, INF, lambda: st[engine].iterations >= number, interrupt, progress
                )
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
        if self.position < self._notes.seen and all(isinstance(b, _INDEXED) for b in breakpoints):
            known = [(p, b) for b in breakpoints if (p := self._notes.index.next(b, self.position)) is not None]
            if known:
                position = min(position for position, _ in known)
                self._go(position)
                return self._stopped(tuple(b for p, b in known if p == position))
            self._go(self._notes.seen)
        watch = Watch(breakpoints, self._now.state)
        pace = Pace(interrupt, progress)
        try:
            while not self._now.finished:
                self._advance(_STRETCH if watch.leaps else 0)
                hits = watch.hits(self._now.state)
                if self._now.failure is not None:
                    return Stop("failure")
                if hits:
                    return self._stopped(hits)
                pace.step(self._now)
        except Interrupted:
            return Stop("interrupted")
        return self._at_end()

    def reverse_until(
        self,
        breakpoints: Sequence[Breakpoint],
        *,
        interrupt: Interrupt | None = None,
        progress: Report | None = None,
    ) -> Stop:
        """Back to the latest earlier moment that matches a breakpoint, else to the start.

        What was noted as it happened is looked up; anything else is searched for by replay.
        An interrupt leaves the run where it was.
        """
        if all(isinstance(b, _INDEXED) for b in breakpoints):
            known = [(p, b) for b in breakpoints if (p := self._notes.index.latest(b, self.position)) is not None]
            if not known:
                return self.home()
            position = max(position for position, _ in known)
            self._go(position)
            return self._stopped(tuple(b for p, b in known if p == position))
        try:
            found = search_back(self._notes.checkpoints, breakpoints, self._step_back_bound(), Pace(interrupt, progress))
        except Interrupted:
            return Stop("interrupted")
        if found is None:
            return self.home()
        self._go(found[0])
        return self._stopped(found[1])

    def last_change(self, value: Value, *, interrupt: Interrupt | None = None) -> Position | None:
        """When a value last became what it is, from this moment backwards; None for never. Stays where it is.

        Args:
            value: what is asked about.
            interrupt: asked all along; once it says so the answer is None.
        """
        try:
            found = search_back(self._notes.checkpoints, (OnChange(value),), self._now.position, Pace(interrupt))
        except Interrupted:
            return None
        return found[0] if found is not None else None

    # ------------------------------------------------------------------ inside

    def _inwards(self, position: Position, stop: Stop) -> Stop:
        """From where a step begins to the decision within it that a position names, if it begins there."""
        if position.decisions and self._now.position == replace(position, decisions=0):
            self._inside = min(position.decisions, len(self._now.decided()))
        return stop

    def _snapshot_inside(self, decisions: int) -> Snapshot:
        return self._now.inside(decisions) if decisions else self._now.snapshot()

    def _step_before(self, position: Position) -> Position | None:
        """The small step, an event or an attempt, before a position."""
        if position == Position(0):
            return None
        run = self._notes.checkpoints.before(self._notes.checkpoints.earlier(position) or Position(0))
        latest = run.position
        while run.position < position and not run.finished:
            latest = run.position
            advance(run, Position(max(position.events - 1, 0)))
        return latest

    def _stopped(self, met: tuple[Breakpoint, ...]) -> Stop:
        return Stop("breakpoint", met[0], met[0].find(self.records()), met)

    def _step_back_bound(self) -> Position:
        """The latest moment that is strictly before this one; inside a step that is where the step began."""
        return self._now.position if self._inside else self._step_before(self._now.position) or Position(0)

    def _advance(self, most: int, not_past: float = INF) -> int | None:
        """A small step of the run one looks at and, at most, so many iterations more that nothing disturbs.

        Where nothing was seen yet, what happens is noted.
        """
        run = self._now
        self._inside = 0
        stage = run.advance()
        state = run.state
        events, attempts = state.events, state.attempts
        leapt = run.leap(most, not_past) if most > 0 else 0
        self._notes.passed(run, stage, events, attempts, leapt)
        if run.finished:
            run.close()
        if run.failure is not None:
            self._trail.forget()
        return stage

    def _step_once(self, engine: int | None, interrupt: Interrupt | None) -> bool:
        """One step; False where the run was finished already or finished on the way.

        What is decided on the way is kept with the moment it began at, which ``_lead`` would replay.
        """
        begun = self.position
        looked = self._trail.snapshot(begun)
        records: list[Decision] = []
        self._now.listen(records)
        try:
            stepped = self._walk_a_step(engine, Pace(interrupt))
        finally:
            self._now.listen(None)
        if stepped and looked is not None and begun == (self._previous(self.position, engine) or Position(0)):
            self._trail.led(self.position, engine, (looked, tuple(records)))
            self._trail.stepped(begun, engine, self.position)
        return stepped

    def _walk_a_step(self, engine: int | None, pace: Pace) -> bool:
        while not self._now.finished:
            pace.step(self._now)
            stage = self._advance(0)
            if self._now.failure is not None:
                return True
            if self._stepwise or (stage is not None and engine in (None, stage)):
                return True
        return False

    def _forward(
        self,
        most: Callable[[], int],
        not_past: float,
        reached: Callable[[], bool],
        interrupt: Interrupt | None,
        progress: Report | None,
    ) -> Stop:
        """Forward from the last moment seen until ``reached``; ``most`` bounds the leaps on the way."""
        pace = Pace(interrupt, progress)
        try:
            while not self._now.finished:
                self._advance(min(most() - 1, _STRETCH), not_past)
                if self._now.failure is not None:
                    return Stop("failure")
                if reached():
                    return Stop("seek")
                pace.step(self._now)
        except Interrupted:
            return Stop("interrupted")
        return self._at_end()

    def _seek_time(self, time: float, interrupt: Interrupt | None, progress: Report | None) -> Stop:
        """To the last moment not past a time: what comes next would be later."""
        run = self._notes.checkpoints.before_time(time)
        while run.position < self._notes.seen and not run.finished and run.next_time() <= time:
            run.advance()
            run.leap(min(_STRETCH, self._notes.seen.events - 1 - run.position.events), time)
        self._take(run)
        if run.finished or run.next_time() > time:
            return Stop("seek")
        return self._forward(lambda: _STRETCH, time, lambda: self._now.next_time() > time, interrupt, progress)

    def _go(self, position: Position) -> None:
        """To a position already seen, or the first moment after it."""
        self._inside = 0
        if position == self.position:
            return
        run = self._now
        if position < run.position or run.failure is not None or self._notes.checkpoints.between(run.position, position):
            run = self._notes.checkpoints.before(position)
        approach(run, position, self._notes.checkpoints)
        self._take(run)

    def _take(self, run: Simulation) -> None:
        self._now = run
        self._inside = 0
        if run.finished:
            run.close()

    def _previous(self, position: Position, engine: int | None) -> Position | None:
        """The step before a position, None where there is none."""
        if self._stepwise:
            return Position(position.events - 1) if position.events > 0 else None
        return self._notes.index.before(position, engine)

    def _lead(self, engine: int | None) -> tuple[Snapshot | None, tuple[Decision, ...]]:
        """The moment before, and what was decided since; remembered for the present moment."""
        position = self.position
        lead = self._trail.lead(position, engine)
        if lead is None:
            previous = self._previous(position, engine)
            snapshot: Snapshot | None = None
            records: list[Decision] = []
            if previous is None and position > Position(0):
                previous = Position(0)
            if previous is not None:
                run = self._notes.checkpoints.before(previous)
                go_on(run, previous)
                snapshot = self._trail.snapshot(previous)
                if snapshot is None:
                    snapshot = run.snapshot()
                    # One step back it is what is looked at next.
                    if snapshot.failure is None:
                        self._trail.looked(previous, snapshot)
                run.listen(records)
                while run.position < position and not run.finished:
                    run.advance()
            lead = (snapshot, tuple(records))
            self._trail.led(position, engine, lead)
        return lead

    def _at_end(self) -> Stop:
        return Stop("failure") if self._now.failure is not None else Stop("end")
