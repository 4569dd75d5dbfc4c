"""A run of a program, forward only and cloneable; the face the rest of the product uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from engine import calendar, deadlock, gauges, kernel, leap, report
from engine.codes import ProgramCode
from engine.constants import ATTEMPTING, INF
from engine.decisions import Decision, Listener
from engine.failure import ProgramFailure
from engine.program import compile_program
from engine.queries import shown
from engine.snapshot import FailureView, Position, Snapshot, Who
from engine.state import State
from engine.trace import read_trace
from engine.views import snapshot
from grammar import ir

T = TypeVar("T")

_UNBOUNDED = 1 << 62
"""Iterations a leap of a whole run may take: as many as it can."""


class _Reached(BaseException):
    """The decision that was waited for has been made; no failure of the program, so nothing of it may catch this."""


class _Until:
    """Waits until so many decisions are made, then looks at the run and leaves the step."""

    def __init__(self, decisions: int, look: Callable[[], None]) -> None:
        self._left = decisions
        self._look = look

    def append(self, _decision: Decision, /) -> None:
        self._left -= 1
        if not self._left:
            # Here and not once the step is left: leaving it tidies up what it had begun.
            self._look()
            raise _Reached


class Simulation:
    """A run that goes forward by events and attempts.

    A failure of the program is not an exception here: ``failure`` says what it was, the run
    is finished, and its state stays as it was when the failure happened.

    Args:
        program: a checked program.
        seed: what the random streams are derived from; None takes the program's.
        horizon: the last moment that happens, in seconds of the program's clock, possibly
            infinite; None takes the program's.
        warmup: from when on the report measures, in seconds; None takes the program's.
        arrivals: how many sessions arrive in all; None takes the program's.
        trace_folder: what a relative trace path is read against; None is the current folder.
        plain: whether every resident is looked at in every iteration, by the rules alone: the
            specification the short cuts (``engine.steady``, ``engine.leap``) are tested against.
        state: a state of the program to go on from, whose settings then hold; None begins a run.
    """

    def __init__(
        self,
        program: ir.Program,
        *,
        seed: int | None = None,
        horizon: float | None = None,
        warmup: float | None = None,
        arrivals: int | None = None,
        trace_folder: Path | None = None,
        plain: bool = False,
        state: State | None = None,
    ) -> None:
        self.failure: FailureView | None = None
        self.attempted: int | None = None
        """The engine whose attempt led here, None after a plain event."""
        self._begun = False
        if state is not None:
            self.code: ProgramCode = state.code
            self.state = state
            return
        self.code = compile_program(program)
        trace: Any = ()
        failed: ProgramFailure | None = None
        if program.trace is not None:
            try:
                trace = read_trace((trace_folder or Path()) / program.trace)
            except ProgramFailure as failure:
                failed = failure
        self.state = State(
            self.code,
            program.seed if seed is None else seed,
            program.horizon if horizon is None else horizon,
            program.warmup if warmup is None else warmup,
            program.arrivals if arrivals is None else arrivals,
            trace,
        ).filled()
        self.state.plain = plain
        if failed is not None:
            self._fail(failed)

    # ------------------------------------------------------------------ where we are

    @property
    def position(self) -> Position:
        """Where the run stands."""
        return Position(self.state.events, self.state.attempts)

    @property
    def clock(self) -> float:
        """Seconds of the program's clock."""
        return self.state.now

    @property
    def finished(self) -> bool:
        """Whether nothing more happens up to the horizon."""
        if self.failure is not None:
            return True
        return self._begun and self.state.phase != ATTEMPTING and kernel.over(self.state)

    def next_time(self) -> float:
        """When the next small step happens, in seconds; infinite where nothing follows."""
        if kernel.next_attempt(self.state) is not None:
            return self.state.now
        return INF if self.finished else self.state.queue.time()

    # ------------------------------------------------------------------ going on

    def advance(self) -> int | None:
        """The next small step: an event, or one attempt of an engine.

        Returns:
            The engine whose attempt it was, None for an event (or the start of the run).
        """
        state = self.state
        self.attempted = None
        try:
            if not self._begun:
                self._begun = True
                kernel.begin(state)
            elif state.phase == ATTEMPTING:
                self.attempted = state.cursor
                kernel.attempt(state)
            else:
                kernel.take_event(state)
        except ProgramFailure as failure:
            self._fail(failure)
        return self.attempted

    def leap(self, most: int, not_past: float = INF) -> int:
        """Runs the coming iterations that nothing disturbs, right after an attempt (``engine.leap``).

        Args:
            most: the most iterations to run.
            not_past: a time in seconds that none of them begins after.

        Returns:
            How many began; each is an event and an attempt.
        """
        if self.attempted is None or self.failure is not None:
            return 0
        return leap.leap(self.state, self.attempted, most, not_past)

    def step_event(self) -> None:
        """Everything of the next event: it is handled and all its attempts are made."""
        if self.finished:
            return
        self.advance()
        while self.failure is None and kernel.next_attempt(self.state) is not None:
            self.advance()

    def step(self, engine: int | None = None) -> bool:
        """To the next attempt of an engine to run an iteration; an idle attempt is one too.

        Args:
            engine: the engine's stage; None takes any engine.

        Returns:
            Whether there was one before the run finished.
        """
        while not self.finished:
            stage = self.advance()
            if stage is not None and (engine is None or stage == engine):
                return True
        return False

    def run(self) -> None:
        """To the end of the run."""
        state = self.state
        try:
            if self.failure is not None:
                return
            if not self._begun:
                self._begun = True
                kernel.begin(state)
            while True:
                while state.phase == ATTEMPTING:
                    stage = kernel.attempt(state)
                    leap.leap(state, stage, _UNBOUNDED)
                if kernel.over(state):
                    break
                kernel.take_event(state)
        except ProgramFailure as failure:
            self._fail(failure)

    def decided(self) -> tuple[Decision, ...]:
        """What the next small step will decide, in order; the run stays where it is."""
        run = self.clone()
        records: list[Decision] = []
        run.listen(records)
        if not run.finished:
            run.advance()
        return tuple(records)

    def inside(self, decisions: int) -> Snapshot:
        """The moment within the next small step right after so many of its decisions; the run stays where it is.

        Args:
            decisions: from 1 to as many as ``decided`` has.
        """
        return replace(self.look_inside(decisions, Simulation.snapshot), position=replace(self.position, decisions=decisions))

    def look_inside(self, decisions: int, look: Callable[[Simulation], T]) -> T:
        """What is seen of the run right after so many decisions of the next small step; the run itself stays where it is.

        Args:
            decisions: from 1 to as many as ``decided`` has.
            look: looks at a run in the middle of its step, and does not keep it.
        """
        run = self.clone()
        seen: list[T] = []
        run.listen(_Until(decisions, lambda: seen.append(look(run))))
        try:
            run.advance()
        except _Reached:
            return seen[0]
        raise ValueError(f"the step after {self.position} makes fewer than {decisions} decisions")

    # ------------------------------------------------------------------ looking at it

    def listen(self, records: Listener | None) -> None:
        """Has decisions recorded in a list from now on; None records nothing."""
        self.state.listen = records

    def snapshot(self) -> Snapshot:
        """All there is to know of this moment."""
        calendar.fold_all(self.state)
        return snapshot(self.state, self.attempted, finished=self.finished, failure=self.failure)

    def clone(self) -> Simulation:
        """A run that goes on from here by itself, with nobody listening."""
        calendar.fold_all(self.state)
        other = Simulation(self.code.program, state=self.state.clone())
        other.failure = self.failure
        other.attempted = self.attempted
        other._begun = self._begun
        return other

    def anew(self, horizon: float | None = None) -> Simulation:
        """A run of the same program and settings that has not begun.

        Args:
            horizon: another end for it, in seconds; None keeps this one's.
        """
        state = self.state
        end = state.horizon if horizon is None else horizon
        anew = State(self.code, state.seed, end, state.warmup, state.arrivals_wanted, state.trace).filled()
        return Simulation(self.code.program, state=anew)

    @property
    def begun(self) -> bool:
        """Whether its start has happened; before it and after it the position is the same."""
        return self._begun

    def report(self) -> dict[str, Any]:
        """The report of a run that ends at this moment, or at its horizon once finished."""
        return self._ended()[0]

    def result(self) -> dict[str, Any]:
        """The report with the samples behind it: ``report``, ``observes``, ``client``, ``gauges``."""
        figures, state = self._ended()
        return {"report": figures, **report.samples(state)}

    def close(self) -> None:
        """The checks of a run's end, which may fail it (R2.5, R10.16)."""
        if self.failure is None:
            try:
                deadlock.check(self.state)
                self._check_finite()
            except ProgramFailure as failure:
                self._fail(failure)

    # ------------------------------------------------------------------ inside

    def _ended(self) -> tuple[dict[str, Any], State]:
        """R2.3: the figures of a copy of this run that ends here, and its state."""
        other = self.clone()
        state = other.state
        if not self.finished:
            state.horizon = state.now
            state.arrivals_wanted = None
            other.run()
        gauges.read(state)
        end = state.now
        if state.arrivals_wanted is None and self.failure is None:
            end = state.horizon if state.horizon < INF else state.now
        state.horizon = end if state.horizon == INF else state.horizon
        state.now = end
        return report.report(state, end), state

    def _check_finite(self) -> None:
        """R2.5: a run of N arrivals has them all, drains, and outlasts its warm-up."""
        k = self.state
        wanted = k.arrivals_wanted
        if wanted is None:
            return
        if k.arrived < wanted:
            raise ProgramFailure(f"{k.arrived} of {wanted} sessions arrived by the horizon {shown(k.horizon)}")
        if k.live:
            raise ProgramFailure(f"{k.live} of {wanted} sessions have not ended by the horizon {shown(k.horizon)}")
        if k.now <= k.warmup:
            raise ProgramFailure(f"the run drained at {shown(k.now)}, within its warm-up of {shown(k.warmup)}")

    def _fail(self, failure: ProgramFailure) -> None:
        who = Who(failure.serial, failure.leg if failure.leg >= 0 else None) if failure.serial is not None else None
        self.failure = FailureView(
            failure.message, self.state.now, who, failure.statement, failure.schedule, failure.stage, failure.arrival
        )
