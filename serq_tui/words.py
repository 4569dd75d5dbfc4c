"""What happened, in words, from the records of a moment; computes no reason of its own."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, TypeVar

from engine.decisions import Admitted, Attempted, Blocked, Decision, Ended, Evicted, Preempted, Rejected
from engine.snapshot import EngineView, Snapshot
from grammar.declaring import dataclass
from serq_tui.format import amount, clock, duration, plural, requests

#: How many requests a sentence names before it counts the rest.
NAMED = 3

Kind = Literal["start", "plain", "decision", "iteration", "idle", "preemption", "rejected", "end", "failure"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Headline:
    """The one sentence about a moment.

    Attributes:
        kind: what it is about, for its mark and colour.
        text: the sentence, no full stop.
    """

    kind: Kind
    text: str


#: One letter or sign a kind, so that it is told without colour.
MARKS: dict[Kind, str] = {
    "start": "▷",
    "plain": "▷",
    "decision": "▸",
    "iteration": "▶",
    "idle": "■",
    "preemption": "■",
    "rejected": "■",
    "end": "■",
    "failure": "✗",
}


def every(records: Iterable[Decision], kind: type[_T]) -> tuple[_T, ...]:
    """The records of one kind, in the order made."""
    return tuple(record for record in records if isinstance(record, kind))


def preemption(record: Preempted, pool: str) -> str:
    """Why a request lost its hold: ``preemption of r7: r2 asked for 16 of kv, 4 free``."""
    whose = "it" if record.grower == record.who else str(record.grower)
    return f"preemption of {record.who}: {whose} asked for {amount(record.need)} of {pool}, {amount(record.free)} free"


def blocked(record: Blocked, pool: str) -> str:
    """Why the head of a queue was not admitted: ``r8 needs 32 of kv, room 16``."""
    return f"{record.who} needs {amount(record.need)} of {pool}, room {amount(record.room)}"


def admitted(record: Admitted) -> str:
    """That a request was admitted, with what it found of its prefix."""
    found = f", {amount(record.cached)} cached" if record.cached else ""
    return f"{record.who} admitted{found}"


def evicted(record: Evicted, pool: str) -> str:
    """Whose cached prefix gave way, and how much of it."""
    whose = "a dead remainder" if record.owner is None else f"r{record.owner}"
    return f"{amount(record.units)} of {whose} evicted from {pool}"


def iteration(engine: EngineView, named: bool) -> str:
    """What a running iteration does: ``iteration 214: 41 tokens for 6 requests, lasts 21.4 ms``."""
    which = f"iteration {engine.iterations} of {engine.name}" if named else f"iteration {engine.iterations}"
    if engine.batch is None:
        return f"{which} is over"
    batch = engine.batch
    what = f"{plural(batch.tokens, 'token')} for {plural(len(batch.portions), 'request')}"
    return f"{which}: {what}, lasts {duration(batch.cost)}"


def pool_names(snapshot: Snapshot) -> dict[int, str]:
    """Names of the pools by index."""
    return {pool.pool: pool.name for pool in snapshot.pools}


def engine_at(snapshot: Snapshot) -> EngineView | None:
    """The engine whose attempt led to a moment, None after a plain event."""
    return next((engine for engine in snapshot.engines if engine.stage == snapshot.stage), None)


def headline(now: Snapshot, records: tuple[Decision, ...], shut: str | None = None) -> Headline:
    """The sentence about a moment: the gravest thing that was decided on the way to it.

    A function of the moment alone, so that coming back to it says the same.

    Args:
        shut: what keeps out the head of an idle engine's queue, in words.
    """
    names = pool_names(now)
    if now.failure is not None:
        return Headline("failure", f"the program failed: {now.failure.message}")
    lost = every(records, Preempted)
    if lost:
        first = preemption(lost[0], names.get(lost[0].pool, "its pool"))
        others = tuple(record.who for record in lost[1:])
        return Headline("preemption", first + (f"; also of {requests(others, NAMED)}" if others else ""))
    refused = every(records, Rejected)
    if refused:
        record = refused[0]
        pool = names.get(record.pool, "its pool")
        return Headline(
            "rejected", f"{record.who} rejected: it asks {amount(record.need)} of {pool}, which holds {amount(record.cap)}"
        )
    attempts = every(records, Attempted)
    if attempts and attempts[-1].outcome == "idle":
        return Headline("idle", _idle(now, attempts[-1], shut))
    if now.finished:
        return Headline("end", _end(now))
    engine = engine_at(now)
    if engine is not None and attempts and attempts[-1].outcome == "iteration":
        return Headline("iteration", iteration(engine, len(now.engines) > 1))
    if now.position.events == 0 and now.position.attempts == 0:
        return Headline("start", "the start: nothing has happened yet")
    return Headline("plain", _event(now, records))


def _idle(now: Snapshot, attempt: Attempted, shut: str | None) -> str:
    engine = next((view for view in now.engines if view.stage == attempt.stage), None)
    if engine is None:
        return "an engine is idle with work"
    waiting = sum(len(queue.waiting) for queue in now.queues if queue.pool in engine.queues)
    who = f"{len(engine.running)} running, {waiting} waiting"
    said = f"{shut}; {who}" if shut is not None else f"{who}, no token scheduled"
    more = "; nothing more can happen" if now.finished else ""
    return f"{engine.name} is idle with work: {said}{more}"


def _end(now: Snapshot) -> str:
    if math.isfinite(now.horizon):
        return f"the end: nothing more happens before the horizon at {clock(now.horizon)}"
    return "the end: nothing more can happen"


def _event(now: Snapshot, records: tuple[Decision, ...]) -> str:
    came = every(records, Admitted)
    if came:
        return "; ".join(admitted(record) for record in came[:NAMED])
    ended = every(records, Ended)
    if ended:
        return f"{requests(tuple(record.who for record in ended), NAMED)} ended"
    return f"event {now.position.events}"
