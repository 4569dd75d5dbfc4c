"""Native requests: a whole request handed to an engine (IR 14, ``Request`` and ``request``).

A request is a hold of the pools its engine's clause names, around a prefill and a decode; the
kernel runs it as such a hold on a block of its own (``request_context`` has what the clause's
expressions read). Where the documents are silent the rules are measured on the reference;
each says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import admission, client, stages, workload
from engine.amounts import amount, member, positive
from engine.constants import PLAIN
from engine.failure import ProgramFailure
from engine.queries import shown
from engine.request_context import RequestState

if TYPE_CHECKING:
    from engine.codes import NativeStepCode, RequestCode
    from engine.session_state import Session
    from engine.state import State


def begin(k: State, session: Session, code: RequestCode) -> None:
    """The session hands its engine a request: it joins the queue of the clause's first pool.

    An engine without a clause takes no pool, and the request starts at once (measured).

    Raises:
        ProgramFailure: it asks for fewer than one token.
    """
    stage = member(k, session, code.stage)
    tokens = amount(k, session, code.input, "the input of a request")
    output = amount(k, session, code.output, "the output of a request")
    if output < 1:
        raise ProgramFailure(f"a request asks for {shown(output)} tokens: it must ask for one at least")
    session.request = RequestState(code.statement, stage, tokens, output)
    native = k.code.natives[stage]
    if native.hold is None:
        session.frames.append([native.block, 0, PLAIN])
        return
    admission.enqueue(k, session, admission.pend(k, session, native.hold), at_head=False)


def admitted(k: State, session: Session) -> None:
    """The request was admitted: what it reuses and what is left to compute is recorded, at every admission."""
    request = session.request
    assert request is not None
    records = k.code.natives[request.stage].records
    reused = session.attrs[k.code.program.slots.cached] if session.holds else 0.0
    request.prefill = request.known - reused
    if records is not None:
        workload.observe(k, session, records.reused, reused)
        workload.observe(k, session, records.prefill, request.prefill)
        session.attrs[records.last_reused] = reused
        session.attrs[records.last_prefill] = request.prefill
        session.attrs[records.admitted] = k.now


def prefill(k: State, session: Session, native: NativeStepCode) -> None:
    """Computes what is not cached; a prefix longer than what is known leaves nothing to do (measured)."""
    request = session.request
    assert request is not None
    stages.start(k, request.stage, session, positive(request.prefill), decode=False, growing=native.growing)


def decode(k: State, session: Session, native: NativeStepCode) -> None:
    """The prefill has ended with a token; the rest is decoded."""
    request = session.request
    assert request is not None
    if not request.first_seen:
        request.first_seen = True
        if native.records is not None:
            session.attrs[native.records.first] = k.now
    request.known += 1.0
    left = request.output - (request.known - request.input)
    if left > 0:
        # Measured: where nothing is left to decode, the first token is certain at the turn's end only.
        client.decode_begins(k, session)
    stages.start(k, request.stage, session, positive(left), decode=True, growing=native.growing)
