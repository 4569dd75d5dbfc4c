"""Native requests: a whole request handed to an engine (IR 14, ``Request`` and ``request``).

A request is a hold of the pools its engine's clause names, around a prefill and a decode; the
kernel runs it as such a hold on a block of its own (``request_context`` has what the clause's
expressions read). Where the documents are silent the rules are measured on the reference;
each says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import admission, client, holdings, request_context, stages, workload
from engine.amounts import amount, member
from engine.constants import PLAIN
from engine.failure import ProgramFailure
from engine.queries import shown
from engine.request_context import RequestState
from engine.rounding import positive

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.state import State
    from engine.statement_codes import NativeCode, NativeStepCode, RequestCode


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


def step(k: State, session: Session, code: NativeStepCode) -> None:
    """One step of a request: what its admission records, its prefill, its decode, what it saves."""
    request = session.request
    assert request is not None
    native = k.code.natives[request.stage]
    if code.what == "admitted":
        _admitted(k, session, request, native)
    elif code.what == "prefill":
        _prefill(k, session, request, native)
    elif code.what == "decode":
        _decode(k, session, request, native)
    else:
        _save(k, session, request, native)


def _admitted(k: State, session: Session, request: RequestState, native: NativeCode) -> None:
    """What it reuses and what is left to compute is recorded, at every admission; the connector loads first."""
    records = native.records
    found = holdings.innermost(session, native.memory) if native.hold is not None else None
    # Measured: what is reused of a pool that is not the engine's memory counts for nothing.
    reused = found[1].pos if found is not None else 0.0
    request.prefill = request.known - reused
    if request.loaded > 0:
        # Measured: the last token of what is known is never counted as brought.
        request.prefill -= min(request.loaded, request.prefill - 1.0)
    if records is not None:
        workload.observe(k, session, records.reused, reused)
        workload.observe(k, session, records.prefill, request.prefill)
        session.attrs[records.last_reused] = reused
        session.attrs[records.last_prefill] = request.prefill
        session.attrs[records.admitted] = k.now
    connector = native.connector
    if connector is not None and connector.load is not None:
        session.attrs[connector.slots.loaded] = request.loaded
        workload.observe(k, session, connector.slots.record, request.loaded)
        if request.loaded > 0:
            session.frames.append([connector.load_block, 0, PLAIN])


def _prefill(k: State, session: Session, request: RequestState, native: NativeCode) -> None:
    """Computes what is not cached; a prefix longer than what is known leaves nothing to do (measured).

    After a connector's load it is what the load did not move that is computed, and the last
    token of what is known always (measured).
    """
    work = request.prefill
    if native.connector is not None and request.loaded > 0:
        session.attrs[native.connector.slots.load_done] = k.now
        found = holdings.innermost(session, native.memory)
        if found is not None:
            held = found[1]
            held.pos = min(held.pos, request.known - 1.0)
            work = request.known - held.pos
    stages.start(k, request.stage, session, positive(work), decode=False, growing=native.growing)


def _decode(k: State, session: Session, request: RequestState, native: NativeCode) -> None:
    """The prefill has ended with a token; the rest is decoded."""
    if not request.first_seen:
        request.first_seen = True
        if native.records is not None:
            session.attrs[native.records.first] = k.now
    if request.known > 0:
        # Measured: of nothing known no token comes.
        request.known += 1.0
    left = request.output - (request.known - request.input)
    if left > 0:
        # Measured: where nothing is left to decode, the first token is certain at the turn's end only.
        client.decode_begins(k, session)
    stages.start(k, request.stage, session, positive(left), decode=True, growing=native.growing)


def _save(k: State, session: Session, request: RequestState, native: NativeCode) -> None:
    """All the request generated is known; the connector keeps what it leaves."""
    request.known = request.input + request.output
    connector = native.connector
    if connector is not None and connector.save is not None:
        request_context.set_context(k, session)
        saved = positive(connector.save(k, session, k.moment))
        session.attrs[connector.slots.saved] = saved
        session.frames.append([connector.save_block, 0, PLAIN])
