"""The story of one request as frozen values: what it did when, and what it waited for; tells no story itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

from engine.snapshot import Position, Who
from grammar.declaring import dataclass

Phase = Literal["queued", "prefill", "recompute", "decode", "preempted", "unserved", "growing", "stage", "legs"]
"""What a request does: it is ``queued`` for a hold; its tokens are computed (``prefill``, ``decode``, and ``recompute``
for what a preemption lost); it waits again since it was ``preempted``; it runs and gets no token (``unserved``); it waits
to grow; it is at a ``stage`` that is no engine; it waits for its ``legs``."""

Blame = Literal["budget", "seats", "memory", "order", "gate", "preemption", "iteration"]
"""What a request waits for: tokens of the ``budget`` (or a granule's); a seat, a pool it takes one unit of that is no
engine's memory; units of a ``memory``; its turn (``order``); a guard of the schedule (``gate``); the end of a
``preemption``, its own or that of somebody by which the engine admits nobody further; the end of the ``iteration`` that
ran when it came, before which the engine decides nothing."""

COMPUTING: frozenset[Phase] = frozenset(("prefill", "recompute", "decode"))
"""Phases in which a request gets tokens."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of time in which a request does one thing.

    Attributes:
        start: seconds of the program's clock.
        end: where the next stretch starts.
        blame: what it waits for, None where it does not wait.
        pool: the pool that had no room, its own or the head's before it.
        behind: who is tried before it, or runs in its place.
        stage: where it works.
        tokens: tokens computed for it.
        iterations: iterations it had tokens in.
    """

    start: float
    end: float
    phase: Phase
    blame: Blame | None = None
    pool: int | None = None
    behind: Who | None = None
    stage: int | None = None
    tokens: float = 0.0
    iterations: int = 0

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a request as its client sees it (R9.20).

    Attributes:
        opened: when it began: the request's arrival, for its client.
        first_token: when its first token came out, None before.
        response: when it was answered, None before, and for a turn that was refused.
    """

    opened: float
    first_token: float | None
    response: float | None


@dataclass(frozen=True, slots=True)
class Portion:
    """What one request had of an iteration."""

    who: Who
    mode: Literal["prefill", "decode"]
    tokens: float


@dataclass(frozen=True, slots=True)
class Gap:
    """The time between two tokens of a turn.

    Attributes:
        end: when the later one came out.
        iteration: number of the engine's iteration that brought it.
        preempted: whether it was preempted in between.
        batch: what that iteration computed beside it; only for the longest gaps.
    """

    end: float
    seconds: float
    stage: int
    iteration: int
    preempted: bool
    batch: tuple[Portion, ...] = ()


@dataclass(frozen=True, slots=True)
class Eviction:
    """Units of the request's cached prefix gave way.

    Attributes:
        benefit: who took the room, None where the run does not say it.
        waiting: whether the request waited for a hold meanwhile.
    """

    time: float
    position: Position
    pool: int
    units: float
    benefit: Who | None
    waiting: bool


@dataclass(frozen=True, slots=True)
class Lookup:
    """An admission that could find a cached prefix.

    Attributes:
        found: units found.
        kept: units that were left for it when its last hold was given back, 0 for none.
        evictions: what of them gave way since, in order.
    """

    time: float
    found: float
    kept: float
    evictions: tuple[Eviction, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """A preemption of the request.

    Attributes:
        position: the moment right after it.
        computed: units it had computed.
        grower: whose growth it was; itself when it was its own victim.
        resumed: when it was admitted again, None before.
        resumed_at: the moment of that.
    """

    time: float
    position: Position
    pool: int
    computed: float
    grower: Who
    resumed: float | None = None
    resumed_at: Position | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """One request from its arrival up to a moment.

    Attributes:
        arrived: when it was created; the first stretch starts there.
        ended: when it ended, None before.
        until: where the last stretch ends.
        stretches: everything it did, each starting where the one before ends.
        gaps: between the tokens of its turns, in order; of a request of very many only the latest.
    """

    who: Who
    arrived: float
    ended: float | None
    until: float
    stretches: tuple[Stretch, ...]
    turns: tuple[Turn, ...]
    gaps: tuple[Gap, ...]
    longest: tuple[Gap, ...]
    lookups: tuple[Lookup, ...]
    losses: tuple[Loss, ...]

    def between(self, start: float, end: float) -> tuple[Stretch, ...]:
        """The stretches of a stretch of time, cut at its ends."""
        return tuple(_cut(self.stretches, start, end))

    def to_first_token(self, turn: Turn) -> tuple[Stretch, ...]:
        """What made a turn's time to its first token; up to now where it has none yet."""
        return self.between(turn.opened, self._end(turn.first_token))

    def to_response(self, turn: Turn) -> tuple[Stretch, ...]:
        """What made a turn's time to its response; up to now where it has none yet."""
        return self.between(turn.opened, self._end(turn.response))

    def _end(self, moment: float | None) -> float:
        return self.until if moment is None else moment


def _cut(stretches: Iterable[Stretch], start: float, end: float) -> Iterator[Stretch]:
    for stretch in stretches:
        low, high = max(stretch.start, start), min(stretch.end, end)
        if low < high:
            yield stretch if (low, high) == (stretch.start, stretch.end) else replace(stretch, start=low, end=high)


def shares(stretches: Iterable[Stretch]) -> dict[tuple[Phase, Blame | None], float]:
    """Seconds by what was done and waited for, in the order they first occur."""
    totals: dict[tuple[Phase, Blame | None], float] = {}
    for stretch in stretches:
        key = (stretch.phase, stretch.blame)
        totals[key] = totals.get(key, 0.0) + stretch.seconds
    return totals
