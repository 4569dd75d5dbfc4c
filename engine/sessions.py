"""A session's statements, executed until it blocks (R3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine import admission, client, endings, flows, growth, holdings, latencies, native_requests, prefix_cache, stages, workload
from engine.amounts import amount, guard, member
from engine.constants import EPS, JOINING, LOOP, PLAIN, READY
from engine.failure import ProgramFailure
from engine.names import name
from engine.queries import shown
from engine.rounding import up
from engine.session_state import HeldPool
from engine.statement_codes import (
    AmountCode,
    BranchCode,
    ChooseCode,
    DropCode,
    EndCode,
    ForkCode,
    HoldCode,
    LoopCode,
    NativeStepCode,
    ObserveCode,
    ReleaseCode,
    RequestCode,
    RunCode,
    SetCode,
    TurnCode,
    WhileCode,
)

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.state import State
    from engine.statement_codes import StatementCode

_MOST_ROUNDS: Final = 1_000_000
"""Rounds of one execution after which it never comes to rest (R3.1, R10.1)."""

_MOST_READIES: Final = 1000
"""Times a session may become ready at one instant (R2.8)."""


def run_ready(k: State, *, counted: bool) -> None:
    """Executes the ready sessions in order until none is left.

    Measured: the order is one of slots. Where a session that was to go on has ended by then
    (a leg of it was refused) and another has its slot, that one goes on in its place, and
    once more where it was made ready itself.

    Args:
        k: the state.
        counted: whether it counts towards the readiness limit; what an engine's attempt
            admits does not (R2.8).
    """
    ready = k.ready
    if not ready:
        return
    at = 0
    # By index and cleared at the end: popping the front of a long list would move it every time.
    while at < len(ready):
        session = k.slots[ready[at]]
        at += 1
        if session is None or session.status != READY:
            continue
        if counted:
            _count_ready(k, session)
        execute(k, session)
    ready.clear()


def _count_ready(k: State, session: Session) -> None:
    if session.readies_at != k.now:
        session.readies_at = k.now
        session.readies = 0
    session.readies += 1
    if session.readies > _MOST_READIES:
        raise ProgramFailure(
            f"time {shown(k.now)} never passes: session {session.serial} went on {session.readies} times at this instant",
            serial=session.serial,
            leg=session.leg,
            statement=statement_of(session),
        )


def statement_of(session: Session) -> tuple[int, int] | None:
    """The (block, index) of the statement a session executed last."""
    if not session.frames:
        return None
    block, index, _ = session.frames[-1]
    return block, max(index - 1, 0)


def execute(k: State, session: Session) -> None:
    """R3.1: statements until the session's status is no longer ready.

    Raises:
        ProgramFailure: the program's own failure, with the session and the statement.
    """
    rounds = 0
    session.part()
    blocks, closing, straights = k.code.blocks, k.code.closing, k.code.straights
    place: tuple[int, int] | None = None
    try:
        while session.status == READY:
            rounds += 1
            if rounds > _MOST_ROUNDS:
                raise ProgramFailure(
                    f"session {session.serial} does not come to rest at {shown(k.now)}: it reaches no run, no waiting hold "
                    f"and no end within {_MOST_ROUNDS} statements"
                )
            if not session.frames:
                endings.end(k, session)
                return
            frame = session.frames[-1]
            block, index, kind = frame[0], frame[1], frame[2]
            if index < len(blocks[block]):
                straight = straights[block][index]
                if straight is not None and not k.plain and rounds + straight.count <= _MOST_ROUNDS:
                    rounds += straight.count - 1
                    place = None
                    straight.function(k, session, k.moment, frame)
                    place = (block, index + straight.count - 1)
                    continue
                frame[1] = index + 1
                place = (block, index)
                code = blocks[block][index]
                if closing[block][index] and session.client is not None:
                    client.close_turn(k, session)
                _statement(k, session, code, frame)
                if isinstance(code, RunCode) or (isinstance(code, NativeStepCode) and code.what in ("prefill", "decode")):
                    # Also a run of no work stops here: its session is ready again behind the others (R3.10).
                    return
            elif kind == LOOP:
                frame[1] = 0
            elif kind == PLAIN:
                session.frames.pop()
            else:
                session.frames.pop()
                _end_scope(k, session)
    except ProgramFailure as failure:
        if failure.serial is None:
            failure.serial, failure.leg = session.serial, session.leg
        if failure.statement is None:
            failure.statement = place or statement_of(session)
        if failure.statement is not None and failure.statement[0] >= len(k.code.program.blocks) and session.request is not None:
            # A native request's own block stands for its statement.
            failure.statement = session.request.statement
        raise


def _end_scope(k: State, session: Session) -> None:
    """R3.1: the end of a hold's body."""
    hold = session.holds.pop()
    if hold.code.native and session.request is not None:
        session.request.finished = True
    holdings.end_scope(k, session, hold)
    for held in hold.pools:
        session.preempted_at.pop(held.pool, None)
    session.attrs[k.code.slots.computed] = 0.0
    growth.retry_everything(k)


def _statement(k: State, session: Session, code: StatementCode, frame: list[int]) -> None:
    # One test after another, the likelier first: a match asks the same of every class, and costs compiled code far more.
    if isinstance(code, SetCode):
        session.attrs[code.slot] = code.value(k, session, k.moment)
    elif isinstance(code, RunCode):
        _run(k, session, code)
    elif isinstance(code, ObserveCode):
        workload.observe(k, session, code.observe, code.value(k, session, k.moment))
    elif isinstance(code, HoldCode):
        admission.enqueue(k, session, admission.pend(k, session, code), at_head=False)
    elif isinstance(code, TurnCode):
        workload.turn(k, session)
    elif isinstance(code, BranchCode):
        session.frames.append([code.then if guard(k, session, code.guard, "a branch") else code.orelse, 0, PLAIN])
    elif isinstance(code, WhileCode):
        if guard(k, session, code.guard, "a while"):
            frame[1] -= 1
            session.frames.append([code.body, 0, PLAIN])
    elif isinstance(code, LoopCode):
        session.frames.append([code.body, 0, LOOP])
    elif isinstance(code, EndCode):
        if code.refusal:
            session.client = None
        endings.end(k, session)
    elif isinstance(code, AmountCode):
        _amount(k, session, code)
    elif isinstance(code, DropCode):
        prefix_cache.drop(k.pools[member(k, session, code.pool)], session)
    elif isinstance(code, ReleaseCode):
        holdings.release(k, session, member(k, session, code.pool))
        growth.retry_everything(k)
    elif isinstance(code, ChooseCode):
        _choose(k, session, code)
    elif isinstance(code, ForkCode):
        workload.fork(k, session, code.body)
    elif isinstance(code, RequestCode):
        native_requests.begin(k, session, code)
    elif isinstance(code, NativeStepCode):
        native_requests.step(k, session, code)
    elif session.legs:  # a join
        session.status = JOINING


def _run(k: State, session: Session, code: RunCode) -> None:
    """R3.10."""
    stage = member(k, session, code.stage)
    work = amount(k, session, code.work, "the work of a run of {}", k.code.stages[stage])
    if code.decode:
        client.decode_begins(k, session)
    seconds = amount(k, session, code.latency, "the latency of a run") if code.latency is not None else 0.0
    if code.shared or seconds > 0:
        also = tuple(member(k, session, ref) for ref in code.also)
        if seconds > 0:
            latencies.wait(k, (stage, *also), session, work, seconds)
        else:
            flows.start(k, (stage, *also), session, work)
        return
    growing = -1
    if code.growing is not None:
        growing = member(k, session, code.growing)
        if holdings.innermost(session, growing) is None:
            raise ProgramFailure(f"a run grows {name(k.code.pools[growing])} outside a hold of it")
    stages.start(k, stage, session, work, decode=code.decode, growing=growing)


def _amount(k: State, session: Session, code: AmountCode) -> None:
    """Grow, shrink and load (R3.5, R3.6, R3.9)."""
    pool = member(k, session, code.pool)
    units = amount(k, session, code.units, f"what a {code.what} of {{}} asks for", k.code.pools[pool])
    if code.what == "grow":
        growth.grow(k, session, pool, units)
        return
    if code.what == "shrink":
        _shrink(k, session, pool, units)
        return
    found = holdings.innermost(session, pool)
    if found is None:
        raise ProgramFailure(f"a load of {name(k.code.pools[pool])} outside a hold of it")
    hold, held = found
    if held.pos + units > held.alloc + EPS:
        raise ProgramFailure(
            f"a load of {shown(units)} into {name(k.code.pools[pool])} goes past what is allocated: {shown(held.alloc)} allocated, "
            f"{shown(held.pos)} computed"
        )
    held.pos += units
    hold.grown = True


def _shrink(k: State, session: Session, index: int, units: float) -> None:
    """R3.6, measured: a hold keeps allocated what is computed, a lease computed what is allocated.

    What went back is offered at once, to the pool's own growths before all others.
    """
    pool = k.pools[index]
    held = holdings.held_of(session, index)
    if held is None:
        raise ProgramFailure(f"a shrink of {name(pool.code)} outside a hold of it")
    left = up(pool.code, held.alloc - units)
    if isinstance(held, HeldPool):
        left = max(left, up(pool.code, held.pos))
    elif left <= 0:
        raise ProgramFailure(f"a lease of {name(pool.code)} shrinks by all of its {shown(held.alloc)}: release it")
    given = held.alloc - min(left, held.alloc)
    pool.used -= given
    held.alloc -= given
    if isinstance(held, HeldPool):
        # Measured: as much of the reserve goes back.
        held.reserved -= given
    else:
        held.computed = min(held.computed, held.alloc)
    growth.retry_growers(k, pool)
    growth.retry_everything(k)


def _choose(k: State, session: Session, code: ChooseCode) -> None:
    """R3.13: the index with the least keys; a NaN is less than nothing."""
    value = code.count(k, session, k.moment)
    if not (value >= 0 and value == value // 1.0):
        raise ProgramFailure(f"the count of a choose is {shown(value)}: it must be a whole number that is not negative")
    best: list[float] | None = None
    chosen = 0
    for j in range(int(value)):
        session.attrs[code.slot] = float(j)
        keys = [f(k, session, k.moment) for f in code.keys]
        if best is None or _less(keys, best):
            best, chosen = keys, j
    session.attrs[code.slot] = float(chosen)


def _less(a: list[float], b: list[float]) -> bool:
    for x, y in zip(a, b, strict=True):
        if x < y:
            return True
        if x != y:
            return False
    return False
