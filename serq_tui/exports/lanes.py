"""The course of a run, request by request: what each did and for how long; knows no file."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from engine.course import Fact, IterationBegan, IterationEnded
from engine.decisions import (
    Admitted,
    Arrived,
    Attempted,
    Ended,
    Grew,
    LeftOut,
    Preempted,
    Queued,
    Rejected,
    Responded,
    Stalled,
    TurnOpened,
)
from engine.snapshot import Portion, Who
from grammar.declaring import dataclass

PhaseName = Literal["queued", "preempted", "prefill", "recompute", "decode", "unserved", "growing"]
"""The words of a story (``engine.story``), as far as decisions tell them."""

COMPUTING: frozenset[PhaseName] = frozenset(("prefill", "recompute", "decode"))
"""Phases in which a request gets tokens."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of time in which a request does one thing.

    Attributes:
        start: seconds of the program's clock.
        end: seconds of the program's clock.
        stage: the engine it runs at, None where it does not.
        pool: where it waits, None where it does not.
        reason: why it gets no token, None where it gets some or waits.
        tokens: tokens computed for it.
        first: the iteration it began in, 0 outside one.
        last: the iteration it ended in, 0 outside one.
    """

    who: Who
    name: PhaseName
    start: float
    end: float
    stage: int | None = None
    pool: int | None = None
    reason: str | None = None
    tokens: float = 0.0
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class LifeBegan:
    """A request, or a leg of one, is first heard of."""

    time: float
    who: Who


@dataclass(frozen=True, slots=True)
class LifeEnded:
    """All there is to say of a request or a leg.

    Attributes:
        arrived: when it was first heard of, in seconds.
        ended: when it ended, None where the run ended first.
        until: when it ended, or the run did.
        turns: turns that began.
        responses: turns that had their response.
        first_token: when its first turn with a response had its first token, None where none had.
        admissions: holds admitted.
        preemptions: how often it was preempted.
        found: units of its cached prefixes found.
        lost: units computed that preemptions took.
        seconds: seconds by phase.
        tokens: tokens by phase.
    """

    who: Who
    arrived: float
    ended: float | None
    until: float
    turns: int
    responses: int
    first_token: float | None
    admissions: int
    preemptions: int
    found: float
    lost: float
    seconds: dict[PhaseName, float]
    tokens: dict[PhaseName, float]


Happening = LifeBegan | Phase | LifeEnded


@dataclass(slots=True)
class _Open:
    """A phase that may go on; ``until`` is where it ends unless it does, None while it runs."""

    name: PhaseName
    start: float
    stage: int | None = None
    pool: int | None = None
    reason: str | None = None
    tokens: float = 0.0
    first: int = 0
    last: int = 0
    until: float | None = None


@dataclass(slots=True)
class _Lane:
    who: Who
    arrived: float
    phase: _Open | None = None
    preempted: bool = False
    """Whether it was preempted and not admitted since."""
    to_recompute: float = 0.0
    turns: int = 0
    responses: int = 0
    first_token: float | None = None
    admissions: int = 0
    preemptions: int = 0
    found: float = 0.0
    lost: float = 0.0
    seconds: dict[PhaseName, float] = field(default_factory=dict)
    tokens: dict[PhaseName, float] = field(default_factory=dict)


class Lanes:
    """Takes facts in and gives back what they complete, in order; keeps only those that live."""

    def __init__(self) -> None:
        self._lanes: dict[int, dict[Who, _Lane]] = {}
        """By session: its own lane and its legs'."""
        self._batches: dict[int, tuple[Portion, ...]] = {}
        self._left_out: dict[Who, LeftOut] = {}
        """Who was left out in the attempt being told."""

    def __len__(self) -> int:
        return sum(len(lanes) for lanes in self._lanes.values())

    def take(self, fact: Fact) -> list[Happening]:
        """What a fact begins or completes."""
        out: list[Happening] = []
        match fact:
            case Arrived(time, who):
                self._lane(who, time, out)
            case Queued(time, pool, who):
                lane = self._lane(who, time, out)
                self._turn_to(lane, _Open("preempted" if lane.preempted else "queued", time, pool=pool), out)
            case Admitted(time, who=who, cached=cached):
                lane = self._lane(who, time, out)
                self._close(lane, time, out)
                lane.admissions += 1
                lane.found += cached
                if lane.preempted:
                    lane.to_recompute = max(lane.to_recompute - cached, 0.0)
                lane.preempted = False
            case Preempted(time, who=who, position=position):
                lane = self._lane(who, time, out)
                self._left_out.pop(who, None)
                self._close(lane, time, out)
                lane.preempted = True
                lane.preemptions += 1
                lane.lost += position
                lane.to_recompute = position
            case Rejected(time, who=who):
                self._close(self._lane(who, time, out), time, out)
            case Stalled(time, pool, who):
                lane = self._lane(who, time, out)
                self._turn_to(lane, _Open("growing", time, pool=pool), out)
            case Grew(time, who=who):
                lane = self._lane(who, time, out)
                if lane.phase is not None and lane.phase.name == "growing":
                    self._close(lane, time, out)
            case LeftOut(who=who):
                self._left_out[who] = fact
            case TurnOpened(time, who):
                self._lane(who, time, out).turns += 1
            case Responded(time, who, first_token=first):
                lane = self._lane(who, time, out)
                lane.responses += 1
                lane.first_token = first if lane.first_token is None else lane.first_token
            case Attempted(outcome="idle" | "nothing"):
                self._leave_out(frozenset(), out)
            case IterationBegan():
                self._begin(fact, out)
            case IterationEnded(time, stage):
                self._end(time, stage)
            case Ended(time, who):
                for lane in self._lanes.pop(who.serial, {}).values():
                    self._finish(lane, time, time, out)
            case _:
                # The other decisions change nothing of what somebody does.
                pass
        return out

    def close(self, end: float) -> list[Happening]:
        """What is left where the run ends."""
        out: list[Happening] = []
        for lanes in self._lanes.values():
            for lane in lanes.values():
                self._finish(lane, end, None, out)
        self._lanes.clear()
        return out

    # ------------------------------------------------------------------ inside

    def _lane(self, who: Who, time: float, out: list[Happening]) -> _Lane:
        lanes = self._lanes.setdefault(who.serial, {})
        if who not in lanes:
            lanes[who] = _Lane(who, time)
            out.append(LifeBegan(time, who))
        return lanes[who]

    def _begin(self, began: IterationBegan, out: list[Happening]) -> None:
        self._batches[began.stage] = began.portions
        for portion in began.portions:
            lane = self._lane(portion.who, began.time, out)
            name: PhaseName = portion.mode
            if portion.mode == "prefill" and lane.to_recompute > 0:
                name = "recompute"
                lane.to_recompute = max(lane.to_recompute - portion.tokens, 0.0)
            old = lane.phase
            if name == "decode" and old is not None and (old.name, old.stage, old.until) == (name, began.stage, began.time):
                old.until = None
            else:
                self._turn_to(lane, _Open(name, began.time, began.stage, first=began.iteration), out)
            assert lane.phase is not None
            lane.phase.tokens += portion.tokens
            lane.phase.last = began.iteration
        self._leave_out(frozenset(portion.who for portion in began.portions), out)

    def _leave_out(self, served: frozenset[Who], out: list[Happening]) -> None:
        """Those left out of an attempt are unserved until they are served."""
        for who, fact in self._left_out.items():
            lane = self._lane(who, fact.time, out)
            old = lane.phase
            if who in served or (old is not None and old.name in ("growing", "queued", "preempted")):
                continue
            if old is None or (old.name, old.stage, old.reason) != ("unserved", fact.stage, fact.reason):
                self._turn_to(lane, _Open("unserved", fact.time, fact.stage, reason=fact.reason), out)
        self._left_out.clear()

    def _end(self, time: float, stage: int) -> None:
        for portion in self._batches.pop(stage, ()):
            lane = self._lanes.get(portion.who.serial, {}).get(portion.who)
            if lane is not None and lane.phase is not None and lane.phase.name in COMPUTING and lane.phase.stage == stage:
                lane.phase.until = time

    def _turn_to(self, lane: _Lane, phase: _Open, out: list[Happening]) -> None:
        self._close(lane, phase.start, out)
        lane.phase = phase

    def _close(self, lane: _Lane, time: float, out: list[Happening]) -> None:
        phase, lane.phase = lane.phase, None
        if phase is None:
            return
        end = time if phase.until is None else phase.until
        lane.seconds[phase.name] = lane.seconds.get(phase.name, 0.0) + (end - phase.start)
        lane.tokens[phase.name] = lane.tokens.get(phase.name, 0.0) + phase.tokens
        if end > phase.start or phase.tokens:
            out.append(
                Phase(
                    lane.who,
                    phase.name,
                    phase.start,
                    end,
                    phase.stage,
                    phase.pool,
                    phase.reason,
                    phase.tokens,
                    phase.first,
                    phase.last,
                )
            )

    def _finish(self, lane: _Lane, time: float, ended: float | None, out: list[Happening]) -> None:
        self._close(lane, time, out)
        out.append(
            LifeEnded(
                lane.who,
                lane.arrived,
                ended,
                time,
                lane.turns,
                lane.responses,
                lane.first_token,
                lane.admissions,
                lane.preemptions,
                lane.found,
                lane.lost,
                lane.seconds,
                lane.tokens,
            )
        )
