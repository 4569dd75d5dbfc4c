"""What is noted where a run goes on for the first time, so that one can go back; looks at a run and changes nothing.

It is done after every small step of a run that is recorded, so it looks at little: the figures
that change with what is looked up by kind (``Breakpoint.trace`` has the same ones).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.breakpoints import OnAdmission, OnIdle, OnPreemption, OnRegister
from engine.checkpoints import Checkpoints
from engine.index import Index
from engine.series import Series
from engine.snapshot import Position

if TYPE_CHECKING:
    from engine.simulation import Simulation
    from engine.state import State


class Notes:
    """Attempts, what happened, figures over time and checkpoints, up to the last moment seen."""

    def __init__(self, run: Simulation) -> None:
        k = run.state
        self.index = Index()
        self.checkpoints = Checkpoints(run)
        self.series = Series(run)
        self._events = k.events
        self._attempts = k.attempts
        self._engines = run.code.engines
        # What the start itself brought about happened at no small step after it.
        happenings = self.index.happenings
        self._preemption = happenings(OnPreemption(), k.preempted)
        self._preemptions = [happenings(OnPreemption(i), pool.preemptions) for i, pool in enumerate(k.pools)]
        self._admission = happenings(OnAdmission(), k.next_admission)
        self._admissions = [happenings(OnAdmission(i), pool.admissions) for i, pool in enumerate(k.pools)]
        self._idle = happenings(OnIdle(), 0)
        self._idles = [happenings(OnIdle(i), 0) for i in self._engines]
        self._registers = [happenings(OnRegister(i), value) for i, value in enumerate(k.registers)]

    @property
    def seen(self) -> Position:
        """The last moment seen."""
        return Position(self._events, self._attempts)

    def passed(self, run: Simulation, stage: int | None, events: int, attempts: int, leapt: int) -> None:
        """A run has made a small step, and then so many iterations at once; only what was not seen yet is noted.

        Args:
            run: the run after all of it.
            stage: the engine whose attempt the step was.
            events: those of the position right after the step.
            attempts: those of that position.
            leapt: the iterations since.
        """
        k = run.state
        new = events > self._events or (events == self._events and attempts > self._attempts)
        if new:
            if stage is not None:
                st = k.stages[stage]
                # A leap follows an attempt that began an iteration, and goes on by one event and one iteration each.
                self.index.note(events, attempts, stage, 1 + leapt, st.iterations - leapt if st.started else None)
        elif stage is not None and leapt:
            # A leap that began in what was seen: only its last part is noted. An event whose attempt is still to come
            # was seen by half.
            first = max(events, self._events if self._attempts else self._events - 1) + 1
            count = events + leapt + 1 - first
            if count > 0:
                self.index.note(first, 1, stage, count, k.stages[stage].iterations - count + 1)
                new = True
        if not new:
            return
        self._events, self._attempts = k.events, k.attempts
        self.series.passed(run, self._happened(k))
        self.checkpoints.passed(run)

    def _happened(self, k: State) -> int:
        """Notes what happened in the step that has led here; how many attempts so far came to nothing with work there."""
        events, attempts = self._events, self._attempts
        self._preemption.reached(k.preempted, events, attempts)
        for i, pool in enumerate(k.pools):
            # Leases that are taken count by pool alone.
            self._preemptions[i].reached(pool.preemptions, events, attempts)
        if k.next_admission != self._admission.figure:
            self._admission.reached(k.next_admission, events, attempts)
            for i, pool in enumerate(k.pools):
                self._admissions[i].reached(pool.admissions, events, attempts)
        idled = 0
        for i, engine in enumerate(self._engines):
            idle = k.stages[engine].idle_attempts
            idled += idle
            self._idles[i].reached(idle, events, attempts)
        self._idle.reached(idled, events, attempts)
        for i, noted in enumerate(self._registers):
            noted.reached(k.registers[i], events, attempts)
        return idled
