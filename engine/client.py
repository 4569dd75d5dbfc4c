"""What the client of a session sees: first token, pace, response (R9.20 to R9.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.decisions import Responded, TurnOpened
from engine.names import who
from engine.session_state import OpenTurn

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.state import State


def _record(k: State, session: Session, name: str, value: float) -> None:
    if k.warm:
        turn = int(session.attrs[k.code.slots.turn])
        k.client[name].append((k.now, value, session.serial, turn))


def open_turn(k: State, session: Session) -> None:
    """A turn begins now."""
    session.client = OpenTurn(k.now)
    if k.listen is not None:
        k.listen.append(TurnOpened(k.now, who(session), int(session.attrs[k.code.slots.turn])))


def close_turn(k: State, session: Session) -> None:
    """R9.21: the open turn, if any, has its response."""
    turn = session.client
    if turn is None:
        return
    answered = turn.first == turn.first
    if answered:
        if not turn.confirmed:
            _record(k, session, "ttft", turn.first - turn.start)
        if turn.after > 0:
            _record(k, session, "tpot", (k.now - turn.first) / turn.after)
    _record(k, session, "response", k.now - turn.start)
    if k.listen is not None:
        number = int(session.attrs[k.code.slots.turn])
        k.listen.append(Responded(k.now, who(session), number, turn.start, turn.first if answered else None))
    session.client = None


def token(k: State, came_to: Session, *, decode: bool) -> None:
    """R9.22: a token comes out, of a session or one of its legs."""
    session = came_to.parent if came_to.leg >= 0 else came_to
    if session is None or session.client is None:
        return
    turn = session.client
    if decode or turn.confirmed:
        if turn.first != turn.first:
            k.first_tokens += 1
            turn.first = k.now
            turn.confirmed = True
            _record(k, session, "ttft", k.now - turn.start)
            return
        if not turn.confirmed:
            turn.confirmed = True
            _record(k, session, "ttft", turn.first - turn.start)
        turn.after += 1
    else:
        k.first_tokens += turn.first != turn.first
        turn.first = k.now


def decode_begins(k: State, served: Session) -> None:
    """R9.23: a decode run right at an unconfirmed first token confirms it."""
    session = served.parent if served.leg >= 0 else served
    if session is None or session.client is None:
        return
    turn = session.client
    if not turn.confirmed and turn.first == k.now:
        turn.confirmed = True
        _record(k, session, "ttft", turn.first - turn.start)
