"""Frozen records of what the kernel decided, in the order decided; knows no screen.

Recording is on only while somebody listens; a run without a listener pays nothing.
"""

from __future__ import annotations

from typing import Literal, Protocol

from engine.frequent import Attempted, Evicted, Grew, Served
from engine.snapshot import Who
from grammar.declaring import dataclass

__all__ = [
    "AdmissionClosed",
    "Admitted",
    "Arrived",
    "Attempted",
    "Blocked",
    "ClaimRead",
    "Decision",
    "Displaced",
    "Ended",
    "Evicted",
    "Grew",
    "Guarded",
    "LeaseReturned",
    "LeaseTaken",
    "LeftOut",
    "Listener",
    "Preempted",
    "Queued",
    "RegisterSet",
    "Rejected",
    "Released",
    "Responded",
    "Served",
    "Stalled",
    "TurnOpened",
]


@dataclass(frozen=True, slots=True)
class Preempted:
    """A session lost its hold so that another could grow.

    Attributes:
        pool: index of the pool that had no room.
        grower: the session that grew; the same as ``who`` when it was its own victim.
        need: units the growth asked for.
        free: units that were free.
        position: units the victim had computed, which it loses.
        candidates: every candidate with its keys, in the order ranked.
    """

    time: float
    stage: int | None
    path: tuple[int, ...] | None
    pool: int
    who: Who
    grower: Who
    need: float
    free: float
    position: float
    candidates: tuple[tuple[Who, tuple[float, ...]], ...]


@dataclass(frozen=True, slots=True)
class LeaseTaken:
    """A session lost a lease so that another could grow.

    Attributes:
        pool: index of the pool that had no room.
        who: the session that lost its lease.
        grower: the session that grew; None where a tick takes what leases grew by past the capacity.
        need: units the growth asked for; 0 at a tick.
        free: units that were free.
        units: units of the lease.
        set_aside: whether the lease comes back at a tick; otherwise it ended.
        candidates: every candidate with its keys, in the order ranked.
    """

    time: float
    pool: int
    who: Who
    grower: Who | None
    need: float
    free: float
    units: float
    set_aside: bool
    candidates: tuple[tuple[Who, tuple[float, ...]], ...]


@dataclass(frozen=True, slots=True)
class LeaseReturned:
    """A lease that was set aside has its units again."""

    time: float
    pool: int
    who: Who
    units: float


@dataclass(frozen=True, slots=True)
class Admitted:
    """A waiting hold was admitted.

    Attributes:
        pool: where it waited.
        pools: every pool it takes, in order.
        cached: how many units of its prefix it found.
    """

    time: float
    stage: int | None
    path: tuple[int, ...] | None
    pool: int
    who: Who
    waited: float
    cached: float
    pools: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Blocked:
    """The head of a queue was tried and not admitted: the first pool without room, with its numbers."""

    time: float
    stage: int | None
    path: tuple[int, ...] | None
    pool: int
    who: Who
    short_of: int
    need: float
    room: float


@dataclass(frozen=True, slots=True)
class Rejected:
    """A hold that can never fit ended its session."""

    time: float
    pool: int
    who: Who
    need: float
    cap: float


@dataclass(frozen=True, slots=True)
class Guarded:
    """A guard of a schedule (a ``branch`` or a ``while``) was read."""

    time: float
    stage: int
    path: tuple[int, ...]
    value: float


@dataclass(frozen=True, slots=True)
class RegisterSet:
    """A register was set, or put back after an attempt that came to nothing (``undone``)."""

    time: float
    stage: int
    path: tuple[int, ...] | None
    register: int
    before: float
    after: float
    undone: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """A session ended."""

    time: float
    who: Who


@dataclass(frozen=True, slots=True)
class Arrived:
    """A session was created."""

    time: float
    who: Who


@dataclass(frozen=True, slots=True)
class Queued:
    """A hold joined a queue.

    Attributes:
        pool: where it waits.
        at_head: whether it was preempted and goes before all others.
        asks: per pool of the hold, what it would take as its statement evaluated it, in units.
    """

    time: float
    pool: int
    who: Who
    at_head: bool
    asks: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class AdmissionClosed:
    """An engine admits nobody further at a statement, though no hold was tried.

    Attributes:
        reason: the ``budget`` is spent; somebody was ``preempted``; a prefill waits on its ``granule``.
        left: tokens of the budget that are left.
    """

    time: float
    stage: int
    path: tuple[int, ...] | None
    reason: Literal["budget", "preempted", "granule"]
    left: float


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A running request got no token in an iteration.

    Attributes:
        reason: the ``budget`` was spent; an ``only`` excluded it; its ``granule`` did not fit;
            its hold is ``growing``; no ``statement`` of the schedule served it; a prefill runs ``alone``.
    """

    time: float
    stage: int
    path: tuple[int, ...] | None
    who: Who
    mode: Literal["prefill", "decode"]
    reason: Literal["budget", "only", "granule", "growing", "statement", "alone"]


@dataclass(frozen=True, slots=True)
class Displaced:
    """A request chosen for an iteration gave way to a prefill that runs alone."""

    time: float
    stage: int
    path: tuple[int, ...] | None
    who: Who
    by: Who


@dataclass(frozen=True, slots=True)
class Stalled:
    """A growth found no room and nobody to preempt, and waits."""

    time: float
    pool: int
    who: Who
    need: float
    free: float


@dataclass(frozen=True, slots=True)
class Released:
    """Units went back to a pool, ``kept`` of them as a cached prefix."""

    time: float
    pool: int
    who: Who
    units: float
    kept: float


@dataclass(frozen=True, slots=True)
class ClaimRead:
    """An iteration claim was read, and ``held`` or not."""

    time: float
    stage: int
    claim: int
    held: bool


@dataclass(frozen=True, slots=True)
class TurnOpened:
    """A turn of a session began: from here on its client waits for a first token and a response."""

    time: float
    who: Who
    turn: int


@dataclass(frozen=True, slots=True)
class Responded:
    """A turn had its response.

    Attributes:
        opened: when the turn began.
        first_token: when its first token came out, None where none did.
    """

    time: float
    who: Who
    turn: int
    opened: float
    first_token: float | None


Decision = (
    Preempted
    | LeaseTaken
    | LeaseReturned
    | Admitted
    | Blocked
    | Evicted
    | Rejected
    | Attempted
    | Guarded
    | RegisterSet
    | Ended
    | Arrived
    | Queued
    | AdmissionClosed
    | Served
    | LeftOut
    | Displaced
    | Grew
    | Stalled
    | Released
    | ClaimRead
    | TurnOpened
    | Responded
)


class Listener(Protocol):
    """Who takes decisions down as they are made: a list, or whatever has its way of adding to one."""

    def append(self, decision: Decision, /) -> None:
        """Takes the next decision."""
