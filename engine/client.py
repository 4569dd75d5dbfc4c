"""What the client of a session sees: first token, pace, response (R9.20 to R9.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.constants import NAN
from engine.decisions import Responded, TurnOpened
from engine.names import who

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.state import State


def _record(k: State, session: Session, name: str, value: float) -> None:
    if k.warm:
        turn = int(session.attrs[k.code.slots.turn])
        k.client[name].append((k.now, value, session.serial, turn))


def open_turn(k: State, session: Session) -> None:
    """A turn begins now."""
    session.client = (k.now, NAN, False, 0)
    if k.listen is not None:
        k.listen.append(TurnOpened(k.now, who(session), int(session.attrs[k.code.slots.turn])))


def close_turn(k: State, session: Session) -> None:
    """R9.21: the open turn, if any, has its response."""
    if session.client is None:
        return
    start, first, confirmed, after = session.client
    if first == first:
        if not confirmed:
            _record(k, session, "ttft", first - start)
        if after > 0:
            _record(k, session, "tpot", (k.now - first) / after)
    _record(k, session, "response", k.now - start)
    if k.listen is not None:
        turn = int(session.attrs[k.code.slots.turn])
        k.listen.append(Responded(k.now, who(session), turn, start, first if first == first else None))
    session.client = None


def token(k: State, came_to: Session, *, decode: bool) -> None:
    """R9.22: a token comes out, of a session or one of its legs."""
    session = came_to.parent if came_to.leg >= 0 else came_to
    if session is None or session.client is None:
        return
    start, first, confirmed, after = session.client
    if decode or confirmed:
        if first != first:
            k.first_tokens += 1
            session.client = (start, k.now, True, after)
            _record(k, session, "ttft", k.now - start)
            return
        if not confirmed:
            _record(k, session, "ttft", first - start)
        session.client = (start, first, True, after + 1)
    else:
        k.first_tokens += first != first
        session.client = (start, k.now, False, after)


def decode_begins(k: State, served: Session) -> None:
    """R9.23: a decode run right at an unconfirmed first token confirms it."""
    session = served.parent if served.leg >= 0 else served
    if session is None or session.client is None:
        return
    start, first, confirmed, after = session.client
    if not confirmed and first == k.now:
        session.client = (start, first, True, after)
        _record(k, session, "ttft", first - start)
