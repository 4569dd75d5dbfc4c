"""Whether a run comes back to a state it was in but for the clock; knows no screen.

What comes back is told by ``engine.sameness``. A run is followed for a stretch around the
present moment, its states noted by a hash, and the first that was noted already is compared
in full.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from heapq import nsmallest

from engine.decisions import Admitted, Decision, Ended, Preempted
from engine.replay import Past, steps
from engine.sameness import Likeness, likeness, rounding
from engine.simulation import Simulation
from engine.snapshot import Position, Who
from engine.timeless import Readable, readable
from engine.walking import Interrupt, Pace
from grammar.declaring import dataclass

BACK = 2_000
"""Events a loop is looked for before the present moment."""

AHEAD = 2_000
"""States a loop is looked for after it, on a copy of the run: with those before, a second or two of work."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a state stands.

    Attributes:
        iteration: the engine's iterations so far; 0 without an engine.
    """

    position: Position
    time: float
    iteration: int


@dataclass(frozen=True, slots=True)
class Loop:
    """States that repeat but for the clock.

    Attributes:
        began: the first state that comes back.
        again: where it comes back the first time.
        tokens: tokens computed from the one to the other.
        preempted: who lost how many holds meanwhile.
        admitted: how many admissions were made meanwhile.
        ended: how many sessions ended meanwhile.
        tied: whether two events of a round come so close to each other, without having been scheduled at one
            instant for one instant, that the rounding of the clock decides which is first: another round may turn them.
    """

    began: Moment
    again: Moment
    tokens: float
    preempted: tuple[tuple[Who, int], ...]
    admitted: int
    ended: int
    tied: bool

    @property
    def seconds(self) -> float:
        """The period in seconds of the program's clock."""
        return self.again.time - self.began.time

    @property
    def iterations(self) -> int:
        """The period in iterations of the engine."""
        return self.again.iteration - self.began.iteration


@dataclass(frozen=True, slots=True)
class NoLoop:
    """None was found.

    Attributes:
        looked: how many states were looked at.
        never: why no state of the program can be told to come back, None where one could.
    """

    looked: int
    never: str | None = None


def find_loop(
    past: Past, engine: int | None, interrupt: Interrupt | None = None, *, back: int = BACK, ahead: int = AHEAD
) -> Loop | NoLoop:
    """The loop the run is in at the present moment, or comes to soon.

    Args:
        past: the moments seen.
        engine: whose attempts the states follow; None takes the state after every event.
        interrupt: asked all along.
        back: events it is looked for before the present moment.
        ahead: states it is looked for after it.

    Raises:
        Interrupted: told to stop.
    """
    read = readable(past.now.code.program)
    if read.never is not None:
        return NoLoop(0, read.never)
    start = past.at(Position(max(past.now.position.events - back, 0)))
    noted: dict[int, int] = {}
    moments: list[Moment] = []
    later = 0
    for run in _states(start, engine, interrupt):
        here = likeness(run.state, read)
        moment = _moment(run, engine)
        at = noted.setdefault(hash(here.shape), len(moments))
        if at < len(moments) and _at(past, moments[at].position, read).like(here):
            return _told(past, engine, *_first(past, read, engine, moments[at], moment, at == 0))
        moments.append(moment)
        later += run.position > past.now.position
        if later > ahead:
            break
    return NoLoop(len(moments))


def _states(run: Simulation, engine: int | None, interrupt: Interrupt | None) -> Iterator[Simulation]:
    pace = Pace(interrupt)
    while not run.finished:
        stage = run.advance()
        pace.step(run)
        if run.failure is None and (engine is None or stage == engine):
            yield run


def _moment(run: Simulation, engine: int | None) -> Moment:
    return Moment(run.position, run.clock, run.state.stages[engine].iterations if engine is not None else 0)


def _at(past: Past, position: Position, read: Readable) -> Likeness:
    return likeness(past.at(position).state, read)


def _first(past: Past, read: Readable, engine: int | None, began: Moment, again: Moment, open_start: bool) -> tuple[Moment, Moment]:
    """The first state that comes back, and where it does.

    Once a state came back all that follow do. So where the loop began before the stretch
    looked at, it is found by halving.
    """
    if not open_start or began.position == Position(0):
        return began, again
    period = again.position.events - began.position.events
    low, high = -1, began.position.events
    while high - low > 1:
        middle = (low + high) // 2
        alike = _at(past, Position(middle), read).like(_at(past, Position(middle + period), read))
        low, high = (low, middle) if alike else (middle, high)
    for event in (high - 1, high):
        for run in _states(past.at(Position(max(event, 0))), engine, None):
            if run.position.events > event:
                break
            other = past.at(replace(run.position, events=run.position.events + period))
            if likeness(run.state, read).like(likeness(other.state, read)):
                return _moment(run, engine), _moment(other, engine)
    return began, again


def _told(past: Past, engine: int | None, began: Moment, again: Moment) -> Loop:
    """What happens in one round."""
    run = past.at(began.position)
    served = sum(stage.served for stage in run.state.stages)
    records: list[Decision] = []
    ties = _Ties(run)
    for _ in steps(run, again.position, records):
        ties.after()
    tokens = sum(stage.served for stage in run.state.stages) - served
    # Of what was scheduled before the first round it is not known when; so ties are looked for in the second.
    ties.found = False
    period = again.position.events - began.position.events
    for _ in steps(run, replace(again.position, events=again.position.events + period)):
        ties.after()
    lost = Counter(record.who for record in records if isinstance(record, Preempted))
    return Loop(
        began,
        again,
        tokens,
        tuple(lost.items()),
        sum(isinstance(record, Admitted) for record in records),
        sum(isinstance(record, Ended) for record in records),
        ties.found,
    )


class _Ties:
    """Looks out for events that come within the clock's rounding of each other."""

    def __init__(self, run: Simulation) -> None:
        self._run = run
        self._seen = run.state.next_event
        self._born: dict[int, float] = {}
        """By an event's number when it was scheduled; those from before are not in it."""
        self.found = False

    def after(self) -> None:
        """A small step was made."""
        k = self._run.state
        for number in range(self._seen, k.next_event):
            self._born[number] = k.now
        self._seen = k.next_event
        events = nsmallest(2, k.queue.all())
        if len(events) < 2:
            return
        first, second = events
        if second[0] - first[0] > rounding(k.now):
            return
        born = self._born.get(first[1])
        self.found |= born is None or born != self._born.get(second[1]) or first[0] != second[0]
