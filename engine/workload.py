"""Arrivals, turns and traces; knows no pool and no stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import client
from engine.constants import ARRIVAL, INF, PLAIN
from engine.decisions import Arrived
from engine.events import make_ready, schedule
from engine.failure import ProgramFailure
from engine.names import who
from engine.queries import shown
from engine.rng import LEG, SESSION, WORKLOAD, Stream, exponential, root
from engine.session_state import Session
from engine.statement_codes import ObserveCode, SetCode
from grammar import ir

if TYPE_CHECKING:
    from engine.state import State


def begin(k: State) -> None:
    """R2.2: the first arrivals of a run."""
    match k.code.program.arrival:
        case ir.Poisson():
            schedule(k, 0.0, ARRIVAL)
        case ir.Renewal():
            schedule(k, k.now + _gap(k), ARRIVAL)
        case ir.Closed(count) | ir.Batch(count):
            for _ in range(count):
                create(k)
        case ir.Sessions(sessions):
            for preset in sessions:
                create(k, preset)
        case None:
            pass


def arrive(k: State) -> None:
    """R2.4: the next arrival is scheduled first, then this one's session created."""
    wanted = k.arrivals_wanted
    if wanted is None or k.arrived < wanted - 1:
        arrival = k.code.program.arrival
        if isinstance(arrival, ir.Poisson):
            # -ln(1 - u) / rate, in this order: a mean of 1 / rate would round differently.
            schedule(k, k.now + exponential(k.arrival_stream, 1.0) / arrival.rate, ARRIVAL)
        else:
            schedule(k, k.now + _gap(k), ARRIVAL)
    create(k)


def _gap(k: State) -> float:
    """A renewal gap in seconds.

    Raises:
        ProgramFailure: it is not finite and above 0 (R10.8).
    """
    assert k.code.gap is not None
    gap = k.code.gap(k, k.nobody, k.moment)
    if not 0 < gap < INF:
        raise ProgramFailure(f"a gap between arrivals is {shown(gap)}: it must be finite and above 0", arrival=True)
    return gap


def take_slot(k: State, session: Session) -> None:
    """R1.6: the slot freed last, else a new one."""
    if k.free_slots:
        session.slot = k.free_slots.pop()
        k.slots[session.slot] = session
    else:
        session.slot = len(k.slots)
        k.slots.append(session)


def create(k: State, preset: ir.Preset | None = None) -> None:
    """R2.11: a session arrives."""
    program = k.code.program
    session = Session(k.next_serial, -1, [0.0] * len(program.attrs), -1)
    k.next_serial += 1
    session.attrs[program.slots.serial] = float(session.serial)
    if preset is not None:
        session.turns = preset.turns
    if k.trace and not session.turns:
        session.trace = session.serial % len(k.trace) if program.trace_ordered else k.trace_stream.below(len(k.trace))
    take_slot(k, session)
    k.sessions[session.serial] = session
    k.live += 1
    k.arrived += 1
    if k.listen is not None:
        k.listen.append(Arrived(k.now, who(session)))
    session.root = root(k.seed, session.serial)
    session.workload = Stream(session.root, (0, WORKLOAD))
    session.stream = Stream(session.root, (0, SESSION))
    session.frames.append([program.session, 0, PLAIN])
    _run_block(k, session, program.init)
    if preset is not None:
        for slot, value in preset.attrs:
            session.attrs[slot] = value
    for index, given in k.code.givens:
        claim = k.claims[index]
        if claim.out_of_scope is None and given(k, session, k.moment) == 0:
            claim.out_of_scope = session.serial
    make_ready(k, session)


def fork(k: State, parent: Session, block: int) -> None:
    """R3.14: a leg starts beside its session."""
    leg = Session(parent.serial, parent.forks, parent.attrs.copy(), -1)
    leg.parent = parent
    leg.workload = parent.workload.clone()
    leg.root = parent.root
    leg.stream = Stream(leg.root, (parent.forks, LEG))
    leg.frames.append([block, 0, PLAIN])
    parent.forks += 1
    parent.legs += 1
    take_slot(k, leg)
    make_ready(k, leg)


def turn(k: State, session: Session) -> None:
    """R3.2: the session's next turn."""
    slots = k.code.program.slots
    attrs = session.attrs
    client.close_turn(k, session)
    attrs[slots.turn] += 1.0
    client.open_turn(k, session)
    if k.warm:
        k.turns += 1
    session.turns_taken += 1
    session.workload = Stream(session.root, (session.turns_taken, WORKLOAD))
    at = session.turns_taken - 1
    if session.turns:
        if at < len(session.turns):
            for slot, value in session.turns[at]:
                attrs[slot] = value
        attrs[slots.more] = 1.0 if at + 1 < len(session.turns) else 0.0
    elif session.trace >= 0:
        rows = k.trace[session.trace]
        if at < len(rows):
            attrs[slots.new], attrs[slots.out], attrs[slots.think], attrs[slots.forced] = rows[at]
        attrs[slots.more] = 1.0 if at + 1 < len(rows) else 0.0
    _run_block(k, session, k.code.program.turn)


def _run_block(k: State, session: Session, block: int) -> None:
    """R2.12: the init and turn blocks set and observe only."""
    frame = [block, 0]
    try:
        if not k.plain:
            for straight in k.code.opening[block]:
                straight.function(k, session, k.moment, frame)
            return
        for code in k.code.blocks[block]:
            frame[1] += 1
            if isinstance(code, SetCode):
                session.attrs[code.slot] = code.value(k, session, k.moment)
            else:
                assert isinstance(code, ObserveCode)
                observe(k, session, code.observe, code.value(k, session, k.moment))
    except ProgramFailure as failure:
        if failure.statement is None:
            failure.statement = (block, frame[1] - 1)
            failure.serial = session.serial
        raise


def observe(k: State, session: Session, index: int, value: float) -> None:
    """R9.10: a value is recorded with its time, session, turn, and whether it counts in the report."""
    turn_number = int(session.attrs[k.code.slots.turn])
    k.observed[index].append((k.now, value, session.serial, turn_number, k.warm))
