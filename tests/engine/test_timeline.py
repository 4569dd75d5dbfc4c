"""Walking a run forward and back: every walk ends where a straight run stands at that position."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.breakpoints import (
    Breakpoint,
    OnAdmission,
    OnEnd,
    OnEviction,
    OnFirstToken,
    OnIdle,
    OnPreemption,
    OnRejection,
    OnRequest,
    OnStatement,
)
from engine.conditions import OnChange, OnCondition, Value
from engine.decisions import Decision
from engine.simulation import Simulation
from engine.snapshot import Position, Snapshot
from engine.targets import AtIteration, AtPosition, AtTime, Stop
from engine.timeline import Timeline
from grammar import ir
from tests.engine.strategies import calm_programs, programs

BREAKPOINTS: tuple[Breakpoint, ...] = (
    OnPreemption(),
    OnPreemption(0),
    OnIdle(),
    OnIdle(0),
    OnAdmission(),
    OnAdmission(0),
    OnEviction(),
    OnEviction(0),
    OnRejection(),
    OnFirstToken(),
    OnEnd(),
    OnRequest(0),
    OnRequest(2),
    OnStatement(0, (1,)),
    OnCondition(Value("running.count > 1", ir.Binary("Gt", ir.Ctx("Nres"), ir.Num(1.0)), 0)),
    OnCondition(Value("used(kv) > 6", ir.Binary("Gt", ir.Call("Used", (ir.PoolArg(ir.Ref(0)),)), ir.Num(6.0)))),
    OnChange(Value("batch.tokens", ir.Ctx("Ntok"), 0)),
)


@dataclass
class Moment:
    """A small step of the straight run."""

    position: Position
    attempted: int | None
    clock: float
    iterations: int
    snapshot: Snapshot
    traces: dict[Breakpoint, Any]
    decided: list[Decision]
    """What the step that led here decided."""


def straight(program: ir.Program) -> list[Moment]:
    """Every moment of a run, looked at one after the other, listened to all along."""
    simulation = Simulation(program)
    records: list[Decision] = []
    simulation.listen(records)
    moments = []
    while not simulation.finished:
        records.clear()
        simulation.advance()
        if simulation.finished:
            simulation.close()
        moments.append(
            Moment(
                simulation.position,
                simulation.attempted,
                simulation.clock,
                simulation.state.stages[0].iterations,
                simulation.snapshot(),
                {b: b.trace(simulation.state) for b in BREAKPOINTS},
                records.copy(),
            )
        )
    return moments


def ordered(snapshot: Snapshot) -> Snapshot:
    """A snapshot with cached prefixes in the order of their release, which under eviction keys nobody promises."""
    pools = tuple(replace(pool, entries=tuple(sorted(pool.entries, key=lambda entry: entry.order))) for pool in snapshot.pools)
    return replace(snapshot, pools=pools)


class Walks(RuleBasedStateMachine):
    """Any sequence of steps, rewinds, seeks and searches."""

    @initialize(program=st.one_of(programs(most_decodes=40), calm_programs()))
    def begin(self, program: ir.Program) -> None:
        self.moments = straight(program)
        self.positions = [moment.position for moment in self.moments]
        self.timeline = Timeline(Simulation(program))
        self.at = 0
        self.inside = 0

    def _steps(self, engine: int | None) -> list[int]:
        return [i for i, moment in enumerate(self.moments) if moment.attempted is not None and engine in (None, moment.attempted)]

    def _last(self) -> int:
        return len(self.moments) - 1

    def _went(self, to: int) -> None:
        self.at, self.inside = to, 0

    # ------------------------------------------------------------------ stepping

    @rule(n=st.integers(1, 5), engine=st.sampled_from([None, 0]))
    def step(self, n: int, engine: int | None) -> None:
        ahead = [i for i in self._steps(engine) if i > self.at]
        stop = self.timeline.step(n, engine)
        self._went(ahead[n - 1] if len(ahead) >= n else self._last())
        assert stop.reason == ("step" if len(ahead) >= n else "end")

    @rule(n=st.integers(1, 5), engine=st.sampled_from([None, 0]))
    def rewind(self, n: int, engine: int | None) -> None:
        # Inside a step the moment where it began is the first behind.
        behind = [i for i in self._steps(engine) if i < self.at or (self.inside and i == self.at)]
        stop = self.timeline.rewind(n, engine)
        self._went(behind[-n] if len(behind) >= n else 0)
        assert stop.reason == ("step" if len(behind) >= n else "start")

    @rule()
    def step_decision(self) -> None:
        stop = self.timeline.step_decision()
        at, inside = self.at, self.inside + 1
        while at < self._last() and inside > len(self.moments[at + 1].decided):
            at, inside = at + 1, 1
        if at == self._last():
            at, inside = self._last(), 0
        self.at, self.inside = at, inside
        assert stop.reason == ("step" if inside else "end")

    @rule()
    def rewind_decision(self) -> None:
        stop = self.timeline.rewind_decision()
        at, inside = self.at, self.inside - 1
        while inside <= 0 and at > 0:
            at -= 1
            inside = len(self.moments[at + 1].decided)
        self.at, self.inside = (at, inside) if inside > 0 else (0, 0)
        assert stop.reason == ("step" if self.inside else "start")

    # ------------------------------------------------------------------ seeking

    @rule()
    def home(self) -> None:
        assert self.timeline.home() == Stop("start")
        self._went(0)

    @rule()
    def end(self) -> None:
        seen = self.timeline.seen
        self.timeline.end()
        self._went(self.positions.index(seen))

    @rule(data=st.data())
    def seek_position(self, data: st.DataObject) -> None:
        position = data.draw(st.sampled_from(self.positions))
        ahead = data.draw(st.sampled_from([position, Position(position.events, position.attempts + 1)]))
        self.timeline.seek(AtPosition(ahead))
        self._went(min(bisect_left(self.positions, ahead), self._last()))

    @rule(number=st.integers(0, 30))
    def seek_iteration(self, number: int) -> None:
        self.timeline.seek(AtIteration(0, number))
        first = next((i for i, moment in enumerate(self.moments) if moment.iterations >= number), self._last())
        self._went(first if number > 0 else 0)

    @rule(time=st.one_of(st.floats(0, 70, allow_nan=False), st.integers(0, 60).map(float)))
    def seek_time(self, time: float) -> None:
        self.timeline.seek(AtTime(time))
        self._went(max(i for i, moment in enumerate(self.moments) if moment.clock <= time))

    # ------------------------------------------------------------------ searching

    def _happened(self, breakpoints: list[Breakpoint], i: int) -> bool:
        before, after = self.moments[i - 1].traces, self.moments[i].traces
        return any(after[b] is not None and after[b] != before[b] for b in breakpoints)

    @rule(breakpoints=st.lists(st.sampled_from(BREAKPOINTS), min_size=1, max_size=2, unique=True))
    def run_until(self, breakpoints: list[Breakpoint]) -> None:
        stop = self.timeline.run_until(breakpoints)
        found = next((i for i in range(self.at + 1, len(self.moments)) if self._happened(breakpoints, i)), None)
        self._went(found if found is not None else self._last())
        assert stop.reason == ("breakpoint" if found is not None else "end")
        if found is not None:
            assert stop.breakpoint in breakpoints

    @rule(breakpoints=st.lists(st.sampled_from(BREAKPOINTS), min_size=1, max_size=2, unique=True))
    def reverse_until(self, breakpoints: list[Breakpoint]) -> None:
        stop = self.timeline.reverse_until(breakpoints)
        last = self.at if self.inside else self.at - 1
        found = next((i for i in range(last, 0, -1) if self._happened(breakpoints, i)), None)
        self._went(found if found is not None else 0)
        assert stop.reason == ("breakpoint" if found is not None else "start")

    @rule()
    def last_change(self) -> None:
        """Asks and stays."""
        change = BREAKPOINTS[-1]
        assert isinstance(change, OnChange)
        position = self.timeline.last_change(change.value)
        found = next((i for i in range(self.at, 0, -1) if self._happened([change], i)), None)
        assert position == (self.positions[found] if found is not None else None)

    # ------------------------------------------------------------------ always

    @invariant()
    @precondition(lambda self: hasattr(self, "moments"))
    def stands_where_the_straight_run_stood(self) -> None:
        moment = self.moments[self.at]
        assert self.timeline.position == replace(moment.position, decisions=self.inside)
        if not self.inside:
            assert ordered(self.timeline.snapshot()) == ordered(moment.snapshot)
        else:
            assert self.timeline.snapshot().clock == self.moments[self.at + 1].clock

    @invariant()
    @precondition(lambda self: hasattr(self, "moments"))
    def knows_what_led_here(self) -> None:
        """``before`` is the step before, and ``records`` all that was decided since, in order."""
        if self.inside:
            assert list(self.timeline.records()) == self.moments[self.at + 1].decided[self.inside - 1 : self.inside]
            return
        behind = [i for i in self._steps(None) if i < self.at]
        since = behind[-1] if behind else 0
        before = self.timeline.before()
        if self.at == 0:
            assert before is None
            assert self.timeline.records() == ()
        else:
            assert before is not None
            assert ordered(before) == ordered(self.moments[since].snapshot)
            assert list(self.timeline.records()) == [d for moment in self.moments[since + 1 : self.at + 1] for d in moment.decided]


class WalksWithFewCheckpoints(Walks):
    """The same where checkpoints are dense at first and most are given up again, and what is near is searched first."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = mock.patch.multiple("engine.checkpoints", _FIRST_SPACING=5, _MOST=6, _WORTH=1, _NEAR_SPACING=2, _MOST_NEAR=3)
        self.near = mock.patch("engine.walking._NEAR", (2, 4))
        self.dense.start()
        self.near.start()

    def teardown(self) -> None:
        self.near.stop()
        self.dense.stop()


OFTEN = settings(
    max_examples=40,
    stateful_step_count=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
Walks.TestCase.settings = WalksWithFewCheckpoints.TestCase.settings = OFTEN
test_any_walk_ends_where_a_straight_run_stands = Walks.TestCase
test_a_walk_among_few_checkpoints_ends_where_a_straight_run_stands = WalksWithFewCheckpoints.TestCase
