"""What the client of a session sees: first token, pace, response (R9.20 to R9.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.constants import NAN

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.state import State


def _record(k: State, session: Session, name: str, value: float) -> None:
    if k.warm:
        turn = int(session.attrs[k.code.program.slots.turn])
        k.client[name].append((k.now, value, session.serial, turn))


def open_turn(k: State, session: Session) -> None:
    """A turn begins now."""
    session.client = (k.now, NAN, False, 0)


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
    session.client = None


def token(k: State, who: Session, *, decode: bool) -> None:
    """R9.22: a token comes out, of a session or one of its legs."""
    session = who.parent if who.leg >= 0 else who
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


def decode_begins(k: State, who: Session) -> None:
    """R9.23: a decode run right at an unconfirmed first token confirms it."""
    session = who.parent if who.leg >= 0 else who
    if session is None or session.client is None:
        return
    start, first, confirmed, after = session.client
    if not confirmed and first == k.now:
        session.client = (start, first, True, after)
        _record(k, session, "ttft", first - start)
