"""How sessions and legs end: normally, refused, orphaned (R3.16 to R3.19)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine import client, holdings, shared_prefixes, stages, workload
from engine.constants import ENDED, GROWING, IN_STAGE, JOINING, QUEUED
from engine.decisions import Ended
from engine.events import make_ready
from engine.failure import ProgramFailure
from engine.names import who
from engine.queries import shown
from grammar import ir

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.state import State

MOST_REPLACED: Final = 1_000_000
"""Sessions of a closed population that end at one instant before time is taken never to pass."""


def detach(k: State, session: Session) -> None:
    """R3.18: the session leaves the queue, the stage or the growers it is at."""
    if session.status == QUEUED:
        k.pools[session.where].queue.remove(session)
    elif session.status == GROWING:
        k.pools[session.where].growers.remove(session)
    if session.status in (IN_STAGE, GROWING) and session.job is not None:
        stages.remove(k, session.job, _stage_of(k, session))
    session.job = None
    session.pending = None


def _stage_of(k: State, session: Session) -> int:
    if session.status == IN_STAGE:
        return session.where
    job = session.job
    assert job is not None
    return next(st.code.index for st in k.stages if st.jobs.get(job.id) is job)


def end(k: State, session: Session) -> None:
    """R3.16: a session or leg has no statement left, or says ``end``.

    Raises:
        ProgramFailure: it has legs that still run (R10.13).
    """
    if session.leg >= 0:
        _end_leg(k, session)
        return
    if session.legs:
        raise ProgramFailure(
            f"session {session.serial} ends at {shown(k.now)} while {session.legs} of its legs still run: join them before the end"
        )
    _finish(k, session)
    client.close_turn(k, session)
    _leave(k, session)


def refuse(k: State, session: Session) -> None:
    """R3.19: a hold that can never fit ends the session, without a response; its other legs run on."""
    parent = session.parent
    if session.leg >= 0:
        _end_leg(k, session)
        if parent is None or parent.status == ENDED:
            return
        session = parent
    for leg in k.slots:
        if leg is not None and leg.parent is session:
            leg.parent = None
    session.legs = 0
    _finish(k, session)
    _leave(k, session)


def withdraw(k: State, session: Session) -> None:
    """Takes a session off with all it holds, nobody coming in its place; no rule asks for it, a what-if does."""
    _finish(k, session)
    _take_off(k, session)


def _finish(k: State, session: Session) -> None:
    detach(k, session)
    _give_holds_back(k, session)
    _end_leases(k, session)


def _end_leases(k: State, session: Session) -> None:
    while session.leases:
        holdings.end_lease(k, session, session.leases[0])
    for lease in session.suspended:
        holdings.end_lease(k, session, lease)


def _give_holds_back(k: State, session: Session) -> None:
    """The holds go back from the innermost out, each pool in order (R3.16)."""
    while session.holds:
        hold = session.holds.pop()
        for held in hold.pools:
            units = holdings.computed_of(hold, held)
            holdings.give_back(k, session, k.pools[held.pool], held.alloc, units, hold.code, held.place)


def _take_off(k: State, session: Session) -> None:
    session.status = ENDED
    session.frames = []
    _free_slot(k, session)
    del k.sessions[session.serial]
    if k.code.chained:
        shared_prefixes.ended(k, session)
    k.live -= 1


def _leave(k: State, session: Session) -> None:
    _take_off(k, session)
    if k.warm:
        k.ended += 1
    if k.listen is not None:
        k.listen.append(Ended(k.now, who(session)))
    if isinstance(k.code.program.arrival, ir.Closed):
        _replace(k)


def _replace(k: State) -> None:
    """R2.11: in a closed population another session comes for one that ended.

    Raises:
        ProgramFailure: at one instant so many came that time never passes; the reference does not answer then.
    """
    if k.replaced_at != k.now:
        k.replaced_at = k.now
        k.replaced = 0
    k.replaced += 1
    if k.replaced > MOST_REPLACED:
        raise ProgramFailure(
            f"time {shown(k.now)} never passes: {k.replaced} sessions ended at this instant, and each was replaced"
        )
    workload.create(k)


def _free_slot(k: State, session: Session) -> None:
    k.slots[session.slot] = None
    k.free_slots.append(session.slot)


def _end_leg(k: State, leg: Session) -> None:
    """R3.17: a leg's leases pass to its session; an orphan's end."""
    detach(k, leg)
    _give_holds_back(k, leg)
    parent = leg.parent
    if parent is None:
        _end_leases(k, leg)
    else:
        aside = leg.suspended
        for lease in sorted((*leg.leases, *aside), key=lambda lease: lease.order):
            if lease.attrs is None:
                lease.attrs = leg.attrs
            holdings.rename_holder(k.pools[lease.pool], leg, parent)
            parent.add_lease(lease)
            if lease in aside:
                parent.leases.pop()
                parent.suspended += (lease,)
        leg.leases.clear()
        leg.suspended = ()
    leg.status = ENDED
    leg.frames = []
    _free_slot(k, leg)
    if k.code.chained:
        shared_prefixes.ended(k, leg)
    if parent is not None:
        parent.legs -= 1
        if parent.legs == 0 and parent.status == JOINING:
            make_ready(k, parent)
