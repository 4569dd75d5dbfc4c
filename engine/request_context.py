"""A session's native request as it stands, and what the expressions of its engine's clause read of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine import calendar, shared_prefixes
from engine.moment import Moment
from engine.rounding import positive

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.state import State


class RequestState:
    """A session's native request as it stands."""

    __slots__ = ("finished", "first_seen", "input", "known", "loaded", "output", "prefill", "requeued", "stage", "statement")

    def __init__(self, statement: tuple[int, int], stage: int, tokens: float, output: float) -> None:
        self.statement = statement
        self.stage = stage
        self.input = tokens
        self.output = output
        self.known = tokens
        """Tokens known: the input and what was generated so far; it never falls."""
        self.prefill = 0.0
        """Tokens to compute before the next one comes out, as of the latest admission."""
        self.loaded = 0.0
        """Tokens the connector brings before the prefill, as of the latest admission."""
        self.requeued = False
        self.first_seen = False
        self.finished = False

    def clone(self) -> RequestState:
        """A copy."""
        other = RequestState(self.statement, self.stage, self.input, self.output)
        other.known = self.known
        other.prefill = self.prefill
        other.loaded = self.loaded
        other.requeued = self.requeued
        other.first_seen = self.first_seen
        other.finished = self.finished
        return other


def set_context(k: State, session: Session) -> None:
    """What a clause's expressions read of the request.

    ``Hit`` is the own prefix cached in the engine's memory, at most the ``reuse`` as it is
    written: not rounded to blocks, and without one also more than the request knows (measured).
    ``Finished`` is 1 at the end, 0 at a preemption.
    """
    request = session.request
    assert request is not None
    m = k.moment
    m.Input = request.input
    m.Output = request.output
    m.Known = request.known
    m.Requeued = 1.0 if request.requeued else 0.0
    m.Finished = 1.0 if request.finished else 0.0
    native = k.code.natives[request.stage]
    hold = native.hold
    hit = 0.0
    if hold is not None and native.memory >= 0:
        pool = k.pools[native.memory]
        if pool.code.shared:
            hit = shared_prefixes.hit(k, pool, session, hold)
        else:
            entry = pool.entries.get((0, session.serial))
            if entry is not None:
                reuse = positive(hold.reuse(k, session, m)) if hold.reuse is not None else entry.size
                hit = min(entry.size, reuse)
    m.Hit = hit
    connector = native.connector
    m.Loaded = positive(connector.load(k, session, m)) if connector is not None and connector.load is not None else 0.0


@contextmanager
def aside(k: State, session: Session, *, native: bool) -> Iterator[None]:
    """A context of its own for who only looks: what the kernel is about to read stays as it is.

    Args:
        k: the state.
        session: whose hold is looked at.
        native: whether the hold is that of its request.
    """
    moment = k.moment
    if native:
        k.moment = Moment()
    try:
        if native:
            set_context(k, session)
        yield
    finally:
        k.moment = moment


def preempted(k: State, session: Session, computed: float) -> None:
    """A preemption takes the request's hold: what it generated stays known.

    Measured: so does what is computed, and the token that comes of it, where a request reused
    more than it knew.
    """
    request = session.request
    if request is None:
        return
    request.requeued = True
    job = session.job
    if job is not None and job.decode and session.where == request.stage:
        calendar.fold(k.stages[request.stage])
        request.known = max(request.known + job.total - job.work, computed + 1.0)
