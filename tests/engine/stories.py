"""Holds the stories of everybody in a run against what the run decided, in one pass over it."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from math import fsum, isclose

from engine.decisions import Arrived, Decision, Ended, Responded, TurnOpened
from engine.replay import steps
from engine.simulation import Simulation
from engine.snapshot import Position
from engine.story import Story, Stretch
from engine.storytelling import Storyteller
from grammar import ir

END = Position(sys.maxsize)

WAITING = frozenset(("queued", "preempted", "unserved", "growing"))
"""Phases in which a request waits, so that something is to blame."""

CLOSE = 1e-9
"""The report adds its means up as it goes, so they agree with exact sums to rounding."""


def spans(stretches: tuple[Stretch, ...], start: float, end: float) -> bool:
    """Whether stretches share their end points and go from start to end; none are needed for no time."""
    if not stretches:
        return start == end
    meet = all(a.end == b.start for a, b in pairwise(stretches))
    return meet and (stretches[0].start, stretches[-1].end) == (start, end)


@dataclass
class Decided:
    """What the run decided about one request: when it came, its turns as (opened, first token, response), and its end."""

    arrived: float
    turns: list[tuple[float, float | None, float | None]] = field(default_factory=list)
    ended: float | None = None


@dataclass
class Told:
    """What was checked, in numbers.

    Attributes:
        answered: seconds to the response of each turn that has one, as its stretches add up.
        begun: the same to the first token.
    """

    requests: int = 0
    turns: int = 0
    stretches: int = 0
    blames: Counter[str] = field(default_factory=Counter)
    answered: list[float] = field(default_factory=list)
    begun: list[float] = field(default_factory=list)

    @property
    def blamed(self) -> int:
        """Stretches that have somebody or something to blame."""
        return self.blames.total()


class Checker:
    """Listens to a run and checks the story of each request as it ends."""

    def __init__(self, run: Simulation) -> None:
        self._run = run
        self.told = Told()
        self.decided: dict[int, Decided] = {}
        self.teller = Storyteller(run, ended=self._check)

    def append(self, record: Decision) -> None:
        """Takes down what the stories are held against."""
        match record:
            case Arrived(when, who):
                self.decided[who.serial] = Decided(when)
            case TurnOpened(when, who) if who.leg is None:
                self.decided[who.serial].turns.append((when, None, None))
            case Responded(when, who, opened=opened, first_token=first) if who.leg is None:
                turns = self.decided[who.serial].turns
                assert turns[-1] == (opened, None, None)
                turns[-1] = (opened, first, when)
            case Ended(when, who) if who.leg is None:
                self.decided[who.serial].ended = when
        self.teller.append(record)

    def go(self) -> Told:
        """To the end of the run; the stories of those who have not ended by then end there."""
        for _ in steps(self._run, END, self):
            self.teller.after()
        for one in self.teller.stories().values():
            self._check(one)
        assert not self.decided
        return self.told

    def _check(self, one: Story) -> None:
        decided = self.decided.pop(one.who.serial)
        assert (one.arrived, one.ended) == (decided.arrived, decided.ended)
        assert one.until == (one.ended if one.ended is not None else self._run.clock)
        assert spans(one.stretches, one.arrived, one.until), one.who
        assert all(stretch.blame is not None for stretch in one.stretches if stretch.phase in WAITING), one.who
        assert len(one.turns) == len(decided.turns)
        for turn, (opened, first, response) in zip(one.turns, decided.turns, strict=True):
            assert (turn.opened, turn.response) == (opened, response)
            assert response is None or turn.first_token == first
            if turn.first_token is not None:
                stretches = one.to_first_token(turn)
                assert spans(stretches, opened, turn.first_token), (one.who, turn)
                self.told.begun.append(fsum(stretch.seconds for stretch in stretches))
            if response is not None:
                stretches = one.to_response(turn)
                assert spans(stretches, opened, response), (one.who, turn)
                self.told.answered.append(fsum(stretch.seconds for stretch in stretches))
        self.told.requests += 1
        self.told.turns += len(one.turns)
        self.told.stretches += len(one.stretches)
        self.told.blames.update(stretch.blame for stretch in one.stretches if stretch.blame is not None)


def check(program: ir.Program) -> tuple[Told, Simulation]:
    """Tells and checks the stories of everybody in a run that is measured from its start, and holds their times to its report."""
    run = Simulation(program)
    told = Checker(run).go()
    assert run.failure is None, run.failure
    client = run.report()["client"]
    for times, measured in ((told.begun, client["ttft"]), (told.answered, client["response"])):
        assert len(times) == measured["count"]
        assert isclose(fsum(times) / len(times), measured["mean"], rel_tol=CLOSE)
    return told, run
