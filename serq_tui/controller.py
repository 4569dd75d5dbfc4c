"""What a person can do with a run, one method an intent; knows no widget and no screen.

It owns the timeline. A plan is made and an arrival taken in by whoever draws; carrying a plan
out is the one thing that takes time, and may happen in a thread of its own as long as nothing
else touches the timeline meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from engine.breakpoints import Breakpoint, OnIdle, OnPreemption, OnRequest, OnStatement
from engine.snapshot import Who
from engine.timeline import AtPosition, Stop, Target
from engine.walking import Progress
from serq_tui.debuggee import Debuggee
from serq_tui.goto import moment_named
from serq_tui.marks import LineMark, Mark, PoolMark, RequestMark
from serq_tui.moves import Arrival, Move, Plan, Run, Seek, Step, StepDecision, StepStatement, ToEdge
from serq_tui.source_state import statements_on
from serq_tui.statement_steps import next_statement, previous_statement
from serq_tui.view import build, engine_at_hand
from serq_tui.view_state import DebuggerState, Lens, Moment

Interrupt = Callable[[], bool]
OnProgress = Callable[[Progress], None]


class Controller:
    """A run under the eyes of a person: where it stands, and what they look through."""

    def __init__(self, debuggee: Debuggee, lens: Lens) -> None:
        self.debuggee = debuggee
        self.lens = lens
        self.moment = self._moment(lens.engine)

    def view(self) -> DebuggerState:
        """The present moment through the present lens."""
        return build(self.moment, self.lens, self.debuggee.text)

    # ----------------------------------------------------------------- moving

    def plan(self, move: Move) -> Plan:
        """A move with what ends it, as the lens stands now."""
        return Plan(move, self.lens.engine, self._breakpoints())

    def carry_out(self, plan: Plan, interrupt: Interrupt, progress: OnProgress) -> Arrival:
        """Move the timeline. This takes as long as it takes; ``interrupt`` is asked all along."""
        stop = self._go(plan, interrupt, progress)
        return Arrival(self._moment(plan.engine), stop)

    def arrive(self, arrival: Arrival) -> None:
        """Take in where a move ended."""
        self.moment = arrival.moment

    def target_named(self, text: str) -> Target:
        """The moment a text names here.

        Raises:
            NoSuchMoment: it names none.
        """
        now = self.moment.now
        at_hand = engine_at_hand(now, self.lens.engine)
        return moment_named(text, {engine.name: engine.stage for engine in now.engines}, at_hand.name if at_hand else None)

    def here(self) -> Seek:
        """The move that comes back to this moment."""
        return Seek(AtPosition(self.moment.now.position))

    def _go(self, plan: Plan, interrupt: Interrupt, progress: OnProgress) -> Stop:
        timeline = self.debuggee.timeline
        match plan.move:
            case Step(back=False):
                return timeline.step(1, plan.engine, interrupt=interrupt)
            case Step():
                return timeline.rewind(1, plan.engine)
            case StepDecision(back=False):
                return timeline.step_decision()
            case StepDecision():
                return timeline.rewind_decision()
            case StepStatement(back=False):
                return next_statement(timeline, interrupt)
            case StepStatement():
                return previous_statement(timeline, interrupt)
            case Run(back=False):
                return timeline.run_until(plan.breakpoints, interrupt=interrupt, progress=progress)
            case Run():
                return timeline.reverse_until(plan.breakpoints, interrupt=interrupt, progress=progress)
            case Seek(target=target):
                return timeline.seek(target, interrupt=interrupt, progress=progress)
            case ToEdge(last=True):
                return timeline.end()
            case ToEdge():
                return timeline.home()
            case unknown:
                assert_never(unknown)

    def _moment(self, engine: int | None) -> Moment:
        timeline = self.debuggee.timeline
        return Moment(timeline.snapshot(), timeline.before(engine), timeline.records(engine))

    def _breakpoints(self) -> tuple[Breakpoint, ...]:
        lens = self.lens
        pools = [OnPreemption(None)] if lens.preemption else [OnPreemption(pool) for pool in sorted(lens.pools)]
        idle = [OnIdle(None)] if lens.idle else []
        statements = [OnStatement(stage, path) for stage, path in sorted(lens.statements)]
        requests = [OnRequest(serial) for serial in sorted(lens.requests)]
        return (*pools, *idle, *statements, *requests)

    # ----------------------------------------------------------------- looking

    def toggle_preemption(self) -> str:
        """Stop on preemptions, or no longer; said in words."""
        self.lens = replace(self.lens, preemption=not self.lens.preemption)
        return "stops on preemption" if self.lens.preemption else "no longer stops on preemption"

    def toggle_idle(self) -> str:
        """Stop where an engine is idle with work, or no longer; said in words."""
        self.lens = replace(self.lens, idle=not self.lens.idle)
        return "stops where an engine is idle with work" if self.lens.idle else "no longer stops where an engine is idle with work"

    def toggle(self, mark: Mark) -> str | None:
        """Set or clear a breakpoint; None where nothing can have one, else what it is in words."""
        lens = self.lens
        match mark:
            case LineMark(line=line):
                found = statements_on(self.debuggee.text.places, line)
                if not found:
                    return None
                at = frozenset(found)
                clear = at <= lens.statements
                self.lens = replace(lens, statements=lens.statements - at if clear else lens.statements | at)
                return _said(clear, f"line {line}")
            case RequestMark(who=who):
                clear = who.serial in lens.requests
                self.lens = replace(lens, requests=lens.requests ^ {who.serial})
                return _said(clear, f"request r{who.serial}")
            case PoolMark(pool=pool):
                clear = pool in lens.pools
                self.lens = replace(lens, pools=lens.pools ^ {pool})
                return _said(clear, f"preemptions of {self.moment.now.pools[pool].name}")
            case unknown:
                assert_never(unknown)

    def choose_engine(self, onward: int) -> str | None:
        """Look at the next engine, or back at all of them; None with fewer than two.

        The moment before is another one then: move ``here`` to see it.
        """
        engines = self.moment.now.engines
        if len(engines) < 2:
            return None
        choices: list[int | None] = [None, *(engine.stage for engine in engines)]
        at = choices.index(self.lens.engine) if self.lens.engine in choices else 0
        chosen = choices[(at + onward) % len(choices)]
        self.lens = replace(self.lens, engine=chosen)
        return next((f"engine {engine.name}" for engine in engines if engine.stage == chosen), "all engines")

    def open(self, who: Who | None) -> None:
        """Open a request's detail; None closes it."""
        self.lens = replace(self.lens, opened=who)


def lens_for(lens: Lens, debuggee: Debuggee) -> Lens:
    """What still makes sense of a lens after the program was changed: statements that are gone stop no run."""
    stages = {index for index, stage in enumerate(debuggee.loaded.program.stages)}
    return replace(
        lens,
        engine=lens.engine if lens.engine in stages else None,
        statements=frozenset(at for at in lens.statements if at in debuggee.text.places.schedule),
        pools=frozenset(pool for pool in lens.pools if pool < len(debuggee.loaded.program.pools)),
    )


def _said(cleared: bool, what: str) -> str:
    return f"breakpoint on {what} cleared" if cleared else f"breakpoint on {what}"
