"""What a preemption came of and what it cost; knows no screen.

The cost lies in the future of the preemption: it is looked for on a clone, so far as that is near.
"""

from __future__ import annotations

from engine.decisions import Admitted, Decision, Ended, Preempted, Released, Served
from engine.replay import Past, steps
from engine.simulation import Simulation
from engine.snapshot import Position, Who
from engine.walking import Interrupt, Pace
from grammar.declaring import dataclass

_AHEAD = 50_000
"""Small steps looked ahead: some seconds of work, and a victim that has not come back by then is starving."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a victim's way back cost.

    Attributes:
        resumed: when it was admitted again.
        resumed_at: the moment right after that.
        found: units of its prefix it found cached.
        recomputed: tokens computed that had been computed before.
        seconds: how long the iterations lasted that recomputed some of them.
        done: whether all of them were recomputed as far as was looked.
    """

    resumed: float
    resumed_at: Position
    found: float
    recomputed: float
    seconds: float
    done: bool


@dataclass(frozen=True, slots=True)
class Autopsy:
    """A preemption.

    Attributes:
        record: who grew, by how much, what was free, the candidates in the order ranked.
        position: the moment right after it.
        kept: units of what the victim had computed that stayed cached.
        cost: what its way back cost; None where it never came back as far as was looked.
        ended: whether it ended without coming back.
    """

    record: Preempted
    position: Position
    kept: float
    cost: Cost | None
    ended: bool

    @property
    def own(self) -> bool:
        """Whether the victim was the one that grew."""
        return self.record.who == self.record.grower

    @property
    def lost(self) -> float:
        """Units computed that did not stay cached."""
        return max(self.record.position - self.kept, 0.0)


class _Way:
    """A listener that follows a victim back."""

    def __init__(self, run: Simulation, who: Who, computed: float) -> None:
        self._run = run
        self._who = who
        self._left = computed
        self.ended = False
        self.resumed: tuple[float, Position, float] | None = None
        self.recomputed = 0.0
        self.seconds = 0.0
        self._stage: int | None = None

    def append(self, record: Decision) -> None:
        """Something was decided."""
        if getattr(record, "who", None) != self._who:
            return
        match record:
            case Ended():
                self.ended = True
            case Admitted(time, cached=found) if self.resumed is None:
                self.resumed = (time, self._run.position, found)
                self._left = max(self._left - found, 0.0)
            case Served(stage=stage, mode="prefill", tokens=tokens) if self.resumed is not None and self._left > 0:
                again = min(tokens, self._left)
                self._left -= again
                self.recomputed += again
                self._stage = stage

    def after(self) -> None:
        """A small step was made: an iteration that recomputes lasts as long as it lasts."""
        if self._stage is not None:
            it = self._run.state.stages[self._stage].iteration
            self.seconds += it.cost if it is not None else 0.0
            self._stage = None

    @property
    def done(self) -> bool:
        """Whether nothing more is to be learned."""
        return self.ended or (self.resumed is not None and self._left <= 0)

    def cost(self) -> Cost | None:
        """What it came to."""
        if self.resumed is None:
            return None
        return Cost(*self.resumed, self.recomputed, self.seconds, self._left <= 0)


def preemptions(past: Past, position: Position) -> tuple[tuple[Preempted, float], ...]:
    """The preemptions of the small step that leads to a position, each with the units that stayed cached."""
    run = past.before(position)
    if run is None:
        return ()
    records: list[Decision] = []
    for _ in steps(run, position, records):
        pass
    found: list[tuple[Preempted, float]] = []
    for i, record in enumerate(records):
        if isinstance(record, Preempted):
            after = (r for r in records[i:] if isinstance(r, Released) and r.who == record.who and r.pool == record.pool)
            released = next(after, None)
            found.append((record, released.kept if released is not None else 0.0))
    return tuple(found)


def autopsy(
    past: Past, position: Position, who: Who | None = None, interrupt: Interrupt | None = None, ahead: int = _AHEAD
) -> Autopsy | None:
    """The autopsy of a preemption in the small step that leads to a position; None where there was none.

    Args:
        past: the moments seen.
        position: right after the step.
        who: the victim; None for the first.
        interrupt: asked all along.
        ahead: small steps looked ahead for what it cost.

    Raises:
        Interrupted: told to stop.
    """
    made = next(((record, kept) for record, kept in preemptions(past, position) if who in (None, record.who)), None)
    if made is None:
        return None
    record, kept = made
    run = past.before(position)
    assert run is not None
    way = _Way(run, record.who, record.position)
    pace = Pace(interrupt)
    run.listen(way)
    for _ in range(ahead):
        if run.finished or way.done:
            break
        run.advance()
        way.after()
        pace.step(run)
    return Autopsy(record, position, kept, way.cost(), way.ended and way.resumed is None)
