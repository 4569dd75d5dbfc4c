"""Requests that wait for each other's pools; changes nothing, knows no remedy.

``engine.deadlock`` judges a run at its end by the rule of the language (R10.16). Here a moment
is looked at, whatever its end would say: who waits and cannot go on before somebody goes on
who waits as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from engine import admission, holdings
from engine.constants import EPS, GROWING, INF, JOINING, QUEUED
from engine.names import who
from engine.rounding import up
from engine.snapshot import Who
from engine.trial import rooms_of
from grammar.declaring import dataclass

if TYPE_CHECKING:
    from engine.pool_state import PoolState
    from engine.session_state import Session
    from engine.state import State

Waits = Literal["room", "growth", "turn", "legs"]
"""A hold waits for ``room`` in a pool, a running request for its ``growth``, a hold for its ``turn`` behind another, a
request for its ``legs``."""


@dataclass(frozen=True, slots=True)
class Link:
    """Somebody who waits, and one of those they wait for.

    Attributes:
        pool: the pool waited for, or in whose queue the turn is; None for legs.
        need: units asked of it, 0 where none are.
        free: units free there.
        held_by: who is waited for.
        holds: units that one holds of the pool.
    """

    who: Who
    waits: Waits
    pool: int | None
    need: float
    free: float
    held_by: Who
    holds: float


@dataclass(frozen=True, slots=True)
class Knot:
    """A wait-for cycle: each waits for the next, and the last for the first.

    Attributes:
        moving: whether somebody in it asks for an amount that is evaluated anew at every trial, and so may come to ask less.
        behind: who waits for one of them without being one.
    """

    links: tuple[Link, ...]
    moving: bool
    behind: tuple[Who, ...]


@dataclass(frozen=True, slots=True)
class _Wait:
    """What keeps somebody waiting, and everybody who would have to move first."""

    waits: Waits
    pool: int | None
    need: float
    free: float
    on: tuple[Session, ...]
    all_of: bool
    """Whether one of ``on`` who cannot move is enough; otherwise all of them are."""


def knots(k: State) -> tuple[Knot, ...]:
    """The wait-for cycles of a moment among those who cannot move unless one of them does.

    A request is out of it if it may move: those who may move, and leases that expire, can give
    back as many units as it lacks, or it may be preempted.
    """
    waits = {s.slot: _waits(k, s) for s in k.slots if s is not None and s.status in (QUEUED, GROWING, JOINING)}
    stuck = {slot for slot, found in waits.items() if found}
    while True:
        freed = {slot for slot in stuck if _may_move(k, slot, waits[slot], stuck)}
        if not freed:
            break
        stuck -= freed
    cycles = _cycles(k, stuck, waits)
    inside = {session.slot for cycle in cycles for session, _, _ in cycle}
    waiting = [session for slot in sorted(stuck - inside) if (session := k.slots[slot]) is not None]
    return tuple(_knot(cycle, waiting, waits, stuck) for cycle in cycles)


def _waits(k: State, session: Session) -> tuple[_Wait, ...]:
    """Everything that keeps a request waiting, each of which is enough."""
    if session.status == JOINING:
        legs = tuple(s for s in k.slots if s is not None and s.parent is session)
        return (_Wait("legs", None, 0.0, 0.0, legs, all_of=True),)
    pool = k.pools[session.where]
    if session.status == GROWING:
        found: list[_Wait] = []
        held = holdings.held_of(session, pool.code.index)
        if held is not None:
            need = up(pool.code, held.alloc + session.growth) - held.alloc
            free = pool.code.cap - pool.used - admission.outstanding(k, pool, held)
            found += _short(pool, "growth", need, free)
        return (*found, *_turn(pool, session, pool.growers))
    found = []
    for room in rooms_of(k, session):
        found += _short(k.pools[room.pool], "room", room.need, room.free)
    return (*found, *_turn(pool, session, pool.queue if pool.code.keys is None else []))


def _turn(pool: PoolState, session: Session, order: list[Session]) -> tuple[_Wait, ...]:
    """R4.8, R4.19: the first that does not fit blocks the rest."""
    if not order or order[0] is session:
        return ()
    return (_Wait("turn", pool.code.index, 0.0, 0.0, (order[0],), all_of=True),)


def _short(pool: PoolState, waits: Waits, need: float, free: float) -> list[_Wait]:
    """A pool without room for a need that its capacity has room for (R4.1)."""
    if not free + EPS < need <= pool.code.cap:
        return []
    holders = tuple({session.slot: session for session in pool.holders}.values())
    return [_Wait(waits, pool.code.index, need, free, holders, all_of=False)]


def _may_move(k: State, slot: int, waits: tuple[_Wait, ...], stuck: set[int]) -> bool:
    session = k.slots[slot]
    assert session is not None
    return not any(_holds_up(k, wait, stuck) for wait in waits) or _may_be_preempted(k, session)


def _holds_up(k: State, wait: _Wait, stuck: set[int]) -> bool:
    if wait.all_of:
        return any(session.slot in stuck for session in wait.on)
    assert wait.pool is not None
    pool = k.pools[wait.pool]
    # Whoever comes takes of what is free no more than it may give back: these are all the units there ever will be.
    free = wait.free + sum(_may_give(pool, session, session.slot in stuck) for session in wait.on)
    return free + EPS < wait.need and any(session.slot in stuck for session in wait.on)


def _may_give(pool: PoolState, session: Session, stuck: bool) -> float:
    """Units of a pool that may come back from a holder, what it has reserved beyond them among them."""
    index = pool.code.index
    given = 0.0
    for lease in session.leases:
        if lease.pool == index and (not stuck or lease.expiry < INF or pool.code.leases is not None):
            given += lease.alloc
    if not stuck:
        for held in (held for hold in session.holds for held in hold.pools if held.pool == index):
            given += max(held.alloc, held.reserved) if pool.code.reserve_held else held.alloc
    return given


def _may_be_preempted(k: State, session: Session) -> bool:
    """R4.17: a growth may take anybody's hold of such a pool, but of an engine's memory only one that runs."""
    pools = (k.pools[held.pool].code for hold in session.holds for held in hold.pools)
    return any(code.preempt is not None and not code.engines for code in pools)


_Cycle = list[tuple["Session", _Wait, "Session"]]


def _cycles(k: State, stuck: set[int], waits: dict[int, tuple[_Wait, ...]]) -> list[_Cycle]:
    """Cycles that share nobody, one for each knot: from everybody on along who is waited for first."""
    step: dict[int, tuple[_Wait, Session]] = {}
    for slot in sorted(stuck):
        for wait in waits[slot]:
            if _holds_up(k, wait, stuck):
                # Somebody else first, and who has most of it: what one holds oneself explains less.
                on = [s for s in wait.on if s.slot in stuck]
                on.sort(key=lambda s, own=slot, at=wait.pool: (s.slot == own, -_units(s, at), s.slot))  # type: ignore[misc]  # defaults bind the loop's variables
                step[slot] = (wait, on[0])
                break
    found: list[_Cycle] = []
    done: set[int] = set()
    for start in sorted(stuck):
        way: list[int] = []
        at = start
        while at not in done and at not in way:
            way.append(at)
            at = step[at][1].slot
        if at in way:
            ring = way[way.index(at) :]
            sessions = {step[slot][1].slot: step[slot][1] for slot in ring}
            found.append([(sessions[slot], *step[slot]) for slot in ring])
        done.update(way)
    return found


def _knot(cycle: _Cycle, waiting: list[Session], waits: dict[int, tuple[_Wait, ...]], stuck: set[int]) -> Knot:
    links = tuple(
        Link(who(session), wait.waits, wait.pool, wait.need, wait.free, who(on), _units(on, wait.pool))
        for session, wait, on in cycle
    )
    inside = {session.slot for session, _, _ in cycle}
    behind: set[int] = set()
    while True:
        reach = inside | behind
        more = {
            s.slot for s in waiting if s.slot not in reach and any(on.slot in reach for wait in waits[s.slot] for on in wait.on)
        }
        if not more:
            break
        behind |= more
    return Knot(links, any(_moves(session) for session, _, _ in cycle), tuple(who(s) for s in waiting if s.slot in behind & stuck))


def _units(session: Session, pool: int | None) -> float:
    held = sum(part.alloc for hold in session.holds for part in hold.pools if part.pool == pool)
    return held + sum(lease.alloc for lease in session.leases if lease.pool == pool)


def _moves(session: Session) -> bool:
    return session.pending is not None and any(take.units_move or take.reserve_moves for take in session.pending.code.takes)
