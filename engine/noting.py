"""What is noted where a run goes on for the first time, so that one can go back; looks at a run and changes nothing.

It is done after every small step of a run that is recorded, so it looks at little: a few
figures that stand for all that is looked up by kind, and only where these differ at each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.breakpoints import Breakpoint, OnAdmission, OnIdle, OnPreemption, OnRegister, Watch
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
        self.index = Index()
        self.checkpoints = Checkpoints(run)
        self.series = Series(run)
        self._at = (run.state.events, run.state.attempts)
        self._engines = run.code.engines
        self._watch = Watch(_everything_indexed(run), run.state)
        self._preempted = self._idled = self._admitted = 0
        self._registers: list[float] = []
        self._differs(run.state)

    @property
    def seen(self) -> Position:
        """The last moment seen."""
        return Position(*self._at)

    def passed(self, run: Simulation, stage: int | None, stepped: tuple[int, int], leapt: int) -> None:
        """A run has made a small step, and then so many iterations at once; only what was not seen yet is noted.

        Args:
            run: the run after all of it.
            stage: the engine whose attempt the step was.
            stepped: the events and attempts of the position right after the step.
            leapt: the iterations since.
        """
        k = run.state
        new = stepped > self._at
        if stage is not None:
            st = k.stages[stage]
            if new:
                self.index.note(stepped[0], stepped[1], stage, 1, st.iterations - leapt if st.started else None)
            if leapt:
                first, count = stepped[0] + 1, leapt
                # An event whose attempt is still to come was seen by half.
                attempted = self._at[0] if self._at[1] else self._at[0] - 1
                if attempted >= first:
                    # A leap that began in what was seen: only its last part is noted.
                    count -= attempted + 1 - first
                    first = attempted + 1
                if count > 0:
                    self.index.note(first, 1, stage, count, st.iterations - count + 1)
                    new = True
        if not new:
            return
        self._at = (k.events, k.attempts)
        if self._differs(k):
            for breakpoint_ in self._watch.hits(k):
                self.index.happened(breakpoint_, self.seen)
        self.series.passed(run, self._idled)
        self.checkpoints.passed(run)

    def _differs(self, k: State) -> bool:
        """Whether a figure differs of which one does whenever something happened that is looked up by kind."""
        preempted = idled = 0
        for pool in k.pools:
            # By pool, as leases that are taken count there alone.
            preempted += pool.preemptions
        for i in self._engines:
            idled += k.stages[i].idle_attempts
        same = preempted == self._preempted and idled == self._idled and k.next_admission == self._admitted
        if same and k.registers == self._registers:
            return False
        self._preempted, self._idled, self._admitted = preempted, idled, k.next_admission
        self._registers = k.registers.copy()
        return True


def _everything_indexed(run: Simulation) -> list[Breakpoint]:
    pools = [None, *range(len(run.code.pools))]
    watched: list[Breakpoint] = [OnPreemption(pool) for pool in pools]
    watched += [OnAdmission(pool) for pool in pools]
    watched += [OnIdle(engine) for engine in (None, *run.code.engines)]
    watched += [OnRegister(i) for i in range(len(run.code.program.registers))]
    return watched
