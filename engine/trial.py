"""One trial of the waiting holds: the attempt that decides on them, made on a clone and listened to; knows no remedy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine import admission, request_context, whatif
from engine.constants import NAN, QUEUED
from engine.decisions import Admitted, Blocked, Decision, Guarded
from engine.failure import ProgramFailure
from engine.guard_reads import Read, guard_at
from engine.guard_reads import reads as parts_of
from engine.names import name
from engine.rounding import up
from engine.simulation import Simulation
from engine.snapshot import Who
from grammar.declaring import dataclass

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.state import State


@dataclass(frozen=True, slots=True)
class Room:
    """What a waiting hold asks of one pool, and what is there (R4.1).

    Attributes:
        name: the pool's name.
        need: the larger of units and reserve, in whole blocks.
        units: what it would take, before rounding to blocks.
        reserve: the reserve its admission tests, None without one.
        cap: the pool's capacity.
        used: units allocated.
        reserved: units others have reserved and not allocated, counted under ``reserve held`` only.
        cached: units of cached prefixes, which give way and never stand against a need.
    """

    pool: int
    name: str
    need: float
    units: float
    reserve: float | None
    cap: float
    used: float
    reserved: float
    cached: float

    @property
    def free(self) -> float:
        """Units a need may take, those of cached prefixes among them."""
        return self.cap - self.used - self.reserved


@dataclass(frozen=True, slots=True)
class Reading:
    """A record with what the engine's attempt had left as it was made.

    Attributes:
        left: tokens of its budget, NaN outside an attempt.
        preempted: how many were preempted in the attempt so far.
        rooms: for a ``Blocked`` what its hold asked, pool by pool; else empty.
        reads: for a ``Guarded`` what its guard read, part by part, where that was asked for; else empty.
    """

    record: Decision
    left: float
    preempted: int
    rooms: tuple[Room, ...]
    reads: tuple[Read, ...] = ()


class _Readings:
    """A listener that keeps what stood beside each record."""

    def __init__(self, k: State, *, reads: bool) -> None:
        self._k = k
        self._reads = reads
        self.readings: list[Reading] = []

    def append(self, record: Decision) -> None:
        """Something was decided."""
        k = self._k
        rooms: tuple[Room, ...] = ()
        if isinstance(record, Blocked):
            session = whatif.session_of(k, record.who)
            rooms = rooms_of(k, session) if session is not None else ()
        left = k.forming.left if k.forming is not None else NAN
        parts: tuple[Read, ...] = ()
        if self._reads and isinstance(record, Guarded):
            guard = guard_at(k.code.program, record.stage, record.path)
            parts = parts_of(k, guard) if guard is not None else ()
        self.readings.append(Reading(record, left, k.attempt_preempted, rooms, parts))


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it.

    Attributes:
        run: the run just after.
        readings: what was decided, in order.
    """

    run: Simulation
    readings: tuple[Reading, ...]

    def lets_in(self, who: Who) -> bool:
        """Whether a request that waited, or would have been preempted, is in by the end of it."""
        if self.run.failure is not None:
            return False
        session = whatif.session_of(self.run.state, who)
        if session is None:
            return any(isinstance(reading.record, Admitted) and reading.record.who == who for reading in self.readings)
        return session.status != QUEUED


def trial(run: Simulation, stage: int | None, *, reads: bool = False) -> Trial:
    """Tries the waiting holds once.

    Args:
        run: a run of one's own. With an engine it stands right before an attempt of it; it is used up.
        stage: the engine that admits, None where holds enter as soon as they fit.
        reads: whether guards are read part by part, which takes a little longer.
    """
    k = run.state
    listener = _Readings(k, reads=reads)
    run.listen(listener)
    if stage is not None:
        run.advance()
    else:
        try:
            whatif.come_to_rest(k)
        except ProgramFailure:
            # What a changed run fails of is no answer: nobody is let in by it.
            return Trial(run, tuple(listener.readings))
    run.listen(None)
    return Trial(run, tuple(listener.readings))


def rooms_of(k: State, session: Session) -> tuple[Room, ...]:
    """What a waiting hold asks now, pool by pool in the order written (R4.8); nothing is stored or drawn."""
    pending = session.pending
    if pending is None:
        return ()
    # A copy of the session is asked: what it draws is nobody else's, and other runs may have the session too.
    asking, drawn = session.clone(), k.machine_stream
    k.machine_stream = drawn.clone()
    try:
        return tuple(_room(k, asking, index, place) for place, index in enumerate(pending.pools))
    finally:
        k.machine_stream = drawn


def _room(k: State, session: Session, index: int, place: int) -> Room:
    pending = session.pending
    assert pending is not None
    take, pool = pending.code.takes[place], k.pools[index]
    try:
        with request_context.aside(k, session, native=pending.code.native):
            units = take.units(k, session, k.moment)
            reserve = take.reserve(k, session, k.moment) if take.reserve is not None else None
    except ProgramFailure:
        units, reserve = NAN, None
    need = max(units, reserve) if reserve is not None else units
    return Room(
        pool=index,
        name=name(pool.code),
        need=up(pool.code, need) if need == need else NAN,
        units=units,
        reserve=reserve,
        cap=pool.code.cap,
        used=pool.used,
        reserved=admission.outstanding(k, pool),
        cached=pool.cached,
    )


def blocked_rooms(readings: Iterable[Reading], who: Who | None = None) -> Reading | None:
    """The last time a hold was tried in vain; that of one request only, if given."""
    found = [r for r in readings if isinstance(r.record, Blocked) and who in (None, r.record.who)]
    return found[-1] if found else None
