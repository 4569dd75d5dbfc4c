"""The event queue and the list of ready sessions; knows no rule but their order."""

from __future__ import annotations

from heapq import heappush
from typing import TYPE_CHECKING

from engine.constants import READY

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.state import State


def schedule(k: State, time: float, what: int, a: int = 0, b: int = 0, c: int = 0) -> None:
    """An event at ``time``; those of one time come in the order scheduled (R2.1)."""
    heappush(k.queue, (time, k.next_event, what, a, b, c))
    k.next_event += 1


def make_ready(k: State, session: Session) -> None:
    """The session executes its next statement, after those that are ready already (R1.15)."""
    session.status = READY
    k.ready.append(session.slot)
