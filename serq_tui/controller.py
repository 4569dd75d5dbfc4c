"""What a person can do with a run, one method an intent; knows no widget and no screen.

It owns the timeline. A plan is made and an arrival taken in by whoever draws; carrying a plan
out is the one thing that takes time, and may happen in a thread of its own as long as nothing
else touches the timeline meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import assert_never

from engine.breakpoints import Armed
from engine.conditions import Value
from engine.snapshot import Who
from engine.targets import AtIteration, AtPosition, AtTime, Stop, Target
from engine.walking import Progress, Report
from serq_tui.answers import Answer, Question
from serq_tui.attention import Attention, lens_for
from serq_tui.capsule import Capsule
from serq_tui.comparing import Beside
from serq_tui.debuggee import Debuggee
from serq_tui.figures import Plots, plots_of
from serq_tui.goto import moment_named
from serq_tui.keeping import Keeper
from serq_tui.looks import ValuePast, moment_of, past_of
from serq_tui.moves import Arrival, Headway, Move, Plan, Run, Seek, Stay, Step, StepDecision, StepStatement, ToEdge
from serq_tui.statement_steps import next_statement, previous_statement
from serq_tui.view import build, engine_at_hand
from serq_tui.view_state import DebuggerState, Lens

INF = float("inf")

Interrupt = Callable[[], bool]
OnProgress = Callable[[Headway], None]


class Controller:
    """A run under the eyes of a person: where it stands, and what they look through."""

    def __init__(self, debuggee: Debuggee, lens: Lens, keeper: Keeper | None = None) -> None:
        self.debuggee = debuggee
        self.lens = lens
        self.attention = Attention(self, keeper)
        self._timeline_in_use = Lock()
        self.moment = moment_of(debuggee.timeline, self.plan(ToEdge(last=False)))

    def in_place_of_old(self, debuggee: Debuggee) -> Controller:
        """A controller of another run of the program, looked at as this one is; what is kept beside stays."""
        made = replace(debuggee, beside=self.debuggee.beside)
        return Controller(made, lens_for(self.lens, self.debuggee, made), self.attention.keeper)

    def beside_old(self, debuggee: Debuggee) -> Controller:
        """A controller of another run of the program, with this one kept beside it."""
        made = replace(debuggee, beside=Beside(replace(self.debuggee, beside=None)))
        return Controller(made, lens_for(self.lens, self.debuggee, made), self.attention.keeper)

    def view(self) -> DebuggerState:
        """The present moment through the present lens."""
        return build(self.moment, self.lens, self.debuggee.text)

    # ----------------------------------------------------------------- moving

    def plan(self, move: Move) -> Plan:
        """A move with what ends it, as the lens stands now."""
        return Plan(move, self.lens.engine, self.lens.stops, self.lens.watches)

    def carry_out(self, plan: Plan, interrupt: Interrupt, progress: OnProgress) -> Arrival:
        """Move the timeline. This takes as long as it takes; ``interrupt`` is asked all along."""
        with self._timeline_in_use:
            hits: Counter[Armed] = Counter()

            def tell(made: Progress) -> None:
                progress(self._headway(made, plan.move))

            if isinstance(plan.move, Run):
                stop = self._run(plan.move, plan.stops, interrupt, tell, hits)
            else:
                stop = self._go(plan, interrupt, tell)
            return Arrival(moment_of(self.debuggee.timeline, plan), stop, tuple(hits.items()))

    def carry_out_at_once(self, plan: Plan, late: Interrupt) -> Arrival | None:
        """Move the timeline by a step; None once it is ``late``, and then ``carry_out`` goes on from there."""
        with self._timeline_in_use:
            stop = self._go(plan, late, lambda made: None)
            return Arrival(moment_of(self.debuggee.timeline, plan), stop) if stop.reason != "interrupted" else None

    def arrive(self, arrival: Arrival) -> None:
        """Take in where a move ended, and what it met on its way."""
        self.moment = arrival.moment
        self.attention.count(arrival.hits)

    def past_of(self, value: Value, interrupt: Interrupt) -> ValuePast:
        """A watched value's recent figures and when it last changed; this takes as long as it takes.

        Raises:
            Interrupted: ``interrupt`` said so.
        """
        with self._timeline_in_use:
            return past_of(self.debuggee.timeline, value, self.lens.engine, interrupt)

    def answer(self, question: Question, interrupt: Interrupt) -> Answer:
        """The answer to a question about this moment; this takes as long as it takes.

        Raises:
            Interrupted: ``interrupt`` said so.
        """
        # Here and not above: most of what answers rest on is not needed before somebody asks.
        from serq_tui.answering import find

        with self._timeline_in_use:
            return find(question, self.debuggee, self.moment, interrupt)

    def plots(self) -> Plots:
        """What is plotted at this moment; this takes as long as it takes."""
        with self._timeline_in_use:
            return plots_of(self.debuggee, self.moment, self.lens.engine)

    def target_named(self, text: str) -> Target:
        """The moment a text names here.

        Raises:
            NoSuchMoment: it names none.
        """
        now = self.moment.now
        at_hand = engine_at_hand(now, self.lens.engine)
        engines = {engine.name: engine.stage for engine in now.engines}
        bookmarks = {mark.name: mark.position for mark in self.lens.bookmarks}
        return moment_named(text, engines, at_hand.name if at_hand else None, bookmarks)

    def here(self) -> Seek:
        """The move that comes back to this moment."""
        return Seek.to(self.moment.now.position)

    def _go(self, plan: Plan, interrupt: Interrupt, progress: Report) -> Stop:
        timeline = self.debuggee.timeline
        match plan.move:
            case Step(back=False):
                return timeline.step(1, plan.engine, interrupt=interrupt)
            case Step():
                return timeline.rewind(1, plan.engine)
            case Stay():
                return Stop("seek")
            case StepDecision(back=False):
                return timeline.step_decision()
            case StepDecision():
                return timeline.rewind_decision()
            case StepStatement(back=False):
                return next_statement(timeline, interrupt)
            case StepStatement():
                return previous_statement(timeline, interrupt)
            case Seek(target=target):
                return timeline.seek(target, interrupt=interrupt, progress=progress)
            case ToEdge(last=True):
                return timeline.end()
            case ToEdge():
                return timeline.home()
            case Run():
                raise AssertionError("a run counts what it meets, and goes by _run")
            case unknown:
                assert_never(unknown)

    def _run(self, move: Run, stops: tuple[Armed, ...], interrupt: Interrupt, progress: Report, hits: Counter[Armed]) -> Stop:
        """On to the next hit that ends a run, or back to it, counting on the way."""
        timeline = self.debuggee.timeline
        if move.only is not None:
            stops = (move.only,)
        watched = tuple(dict.fromkeys(on for stop in stops if stop.enabled for on in stop.on))
        go = timeline.reverse_until if move.back else timeline.run_until
        while True:
            stop = go(watched, interrupt=interrupt, progress=progress)
            if stop.reason != "breakpoint":
                return stop
            met = [armed for armed in stops if armed.enabled and not set(stop.met).isdisjoint(armed.on)]
            hits.update(met)
            if any(armed.ends(hits[armed]) for armed in met):
                return stop
            if interrupt():
                return Stop("interrupted")

    def _headway(self, made: Progress, move: Move) -> Headway:
        """How far a move has come, with the iterations it has made; going back it makes none but replays."""
        engines = self.moment.now.engines
        way, at_most = self._way(made, move)
        if not engines or (isinstance(move, Run) and move.back):
            return Headway(made.position, made.clock, None, way, at_most)
        stages = self.debuggee.timeline.simulation.state.stages
        iterations = sum(stages[engine.stage].iterations for engine in engines)
        return Headway(made.position, made.clock, iterations, way, at_most)

    def _way(self, made: Progress, move: Move) -> tuple[tuple[float, float] | None, bool]:
        """How far of how much a move has come, where that is known, and whether it may end earlier."""
        match move:
            case Seek(AtIteration(engine, number)):
                return (self.debuggee.timeline.simulation.state.stages[engine].iterations, number), False
            case Seek(AtTime(time)):
                return (made.clock, time), False
            case Seek(AtPosition(position)):
                return (made.position.events, position.events), False
            case Run(back=False) if self.moment.now.horizon < INF:
                return (made.clock, self.moment.now.horizon), True
            case _:
                return None, False

    # ----------------------------------------------------------------- looking

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

    def look_at(self, engine: int | None) -> None:
        """Look at an engine, None for all of them. Move ``here`` to see it."""
        self.lens = replace(self.lens, engine=engine)

    def look_as(self, capsule: Capsule) -> None:
        """Attend to what a capsule says, and look where it does."""
        self.attention.take_up(capsule.kept)
        engine = next((engine.stage for engine in self.moment.now.engines if engine.name == capsule.engine), None)
        self.lens = replace(self.lens, engine=engine, opened=capsule.opened)

    def open(self, who: Who | None) -> None:
        """Open a request's detail; None closes it."""
        self.lens = replace(self.lens, opened=who)
