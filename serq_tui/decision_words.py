"""Each decision in one sentence; computes no reason of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from engine.decisions import (
    AdmissionClosed,
    Admitted,
    Arrived,
    Attempted,
    Blocked,
    ClaimRead,
    Decision,
    Displaced,
    Ended,
    Evicted,
    Grew,
    Guarded,
    LeaseReturned,
    LeaseTaken,
    LeftOut,
    Preempted,
    Queued,
    RegisterSet,
    Rejected,
    Released,
    Responded,
    Served,
    Stalled,
    TurnOpened,
)
from engine.snapshot import Snapshot
from grammar.declaring import dataclass
from serq_tui.format import amount, duration, number, plural
from serq_tui.pieces import Role
from serq_tui.words import admitted, blocked, evicted, pool_names, preemption


@dataclass(frozen=True, slots=True)
class Names:
    """What a program calls what its decisions give by number.

    Attributes:
        pools: names of the pools by index.
        engines: names of the engines by stage.
        registers: names of the registers in their order.
        claims: names of the claims in their order.
    """

    pools: Mapping[int, str]
    engines: Mapping[int, str]
    registers: tuple[str, ...]
    claims: tuple[str, ...]

    @classmethod
    def of(cls, now: Snapshot, registers: tuple[str, ...], claims: tuple[str, ...]) -> Names:
        """The names of the program that a moment is of."""
        return cls(pool_names(now), {engine.stage: engine.name for engine in now.engines}, registers, claims)

    def pool(self, index: int) -> str:
        """A pool's name."""
        return self.pools.get(index, "a pool")

    def engine(self, stage: int) -> str:
        """An engine's name."""
        return self.engines.get(stage, "an engine")

    def register(self, index: int) -> str:
        """A register's name."""
        return self.registers[index] if index < len(self.registers) else "a register"

    def claim(self, index: int) -> str:
        """A claim's name."""
        return self.claims[index] if index < len(self.claims) else "a claim"


_CUT = {"budget": "the budget has no more", "chunk": "the most one request gets", "granule": "whole granules only"}
_LEFT_OUT = {
    "budget": "the budget is spent",
    "only": "`only` leaves it out",
    "granule": "its granule does not fit in the budget",
    "growing": "it waits to grow",
    "statement": "no statement of the schedule serves it",
    "alone": "a prefill runs alone",
}
_CLOSED = {
    "budget": "the budget is spent",
    "preempted": "somebody was preempted",
    "granule": "an admitted prefill waits on its granule",
}
_OUTCOME = {
    "preempted": "only preempted",
    "idle": "is idle with work: no token scheduled",
    "nothing": "has nothing to do",
}


def decision(record: Decision, names: Names) -> str:
    """What was decided, in one sentence without a full stop."""
    match record:
        case Served() | LeftOut() | Displaced():
            return _share(record)
        case Admitted() | Blocked() | AdmissionClosed() | Queued() | Rejected():
            return _entry(record, names)
        case Grew() | Stalled() | Preempted() | Released() | Evicted():
            return _holding(record, names)
        case LeaseTaken() | LeaseReturned():
            return _lease(record, names)
        case Attempted() | Guarded() | RegisterSet() | ClaimRead():
            return _course(record, names)
        case Arrived() | TurnOpened() | Responded() | Ended():
            return _session(record)
        case unknown:
            assert_never(unknown)


def role(record: Decision) -> Role:
    """The role its sentence plays, for its colour."""
    match record:
        case Preempted() | LeaseTaken() | Rejected():
            return "preempted"
        case Blocked() | AdmissionClosed() | LeftOut() | Stalled() | Displaced():
            return "waiting"
        case Served(mode=mode):
            return mode
        case Admitted():
            return "added"
        case Evicted():
            return "cached"
        case Attempted(outcome="idle"):
            return "waiting"
        case ClaimRead(held=False):
            return "failure"
        case _:
            return "plain"


def _share(record: Served | LeftOut | Displaced) -> str:
    match record:
        case Served():
            of = f" of {amount(record.wanted)}" if record.wanted != record.tokens and record.mode == "prefill" else ""
            why = f": {_CUT[record.cut]}" if record.cut is not None else ""
            return f"{record.who} gets {amount(record.tokens)}{of} {record.mode} {_tokens(record)}{why}"
        case LeftOut():
            return f"{record.who} gets no {record.mode} token: {left_out(record)}"
        case Displaced():
            return f"{record.who} gives way to {record.by}, whose prefill runs alone"


def left_out(record: LeftOut) -> str:
    """Why a running request got no token."""
    return _LEFT_OUT[record.reason]


def _tokens(record: Served) -> str:
    return "token" if record.tokens == 1 and (record.mode == "decode" or record.wanted == 1) else "tokens"


def _entry(record: Admitted | Blocked | AdmissionClosed | Queued | Rejected, names: Names) -> str:
    match record:
        case Admitted():
            waited = f" after waiting {duration(record.waited)}" if record.waited else ""
            return f"{admitted(record)}{waited}"
        case Blocked():
            return f"not admitted: {blocked(record, names.pool(record.short_of))}"
        case AdmissionClosed():
            left = f", {plural(record.left, 'token')} left" if record.reason != "budget" else ""
            return f"admission closes: {_CLOSED[record.reason]}{left}"
        case Queued():
            asks = ", ".join(f"{names.pool(pool)} {amount(units)}" for pool, units in record.asks)
            where = "at the head of" if record.at_head else "in"
            return f"{record.who} waits {where} {names.pool(record.pool)}" + (f", asking for {asks}" if asks else "")
        case Rejected():
            return (
                f"{record.who} rejected: it asks {amount(record.need)} of {names.pool(record.pool)}, "
                f"which holds {amount(record.cap)}"
            )


def _holding(record: Grew | Stalled | Preempted | Released | Evicted, names: Names) -> str:
    pool = names.pool(record.pool)
    match record:
        case Grew():
            return f"{record.who} grows by {amount(record.units)} of {pool} to {amount(record.allocated)}"
        case Stalled():
            return f"{record.who} waits to grow by {amount(record.need)} of {pool}: {amount(record.free)} free, nobody to preempt"
        case Preempted():
            return preemption(record, pool)
        case Released():
            kept = f", {amount(record.kept)} of them stay cached" if record.kept else ""
            return f"{record.who} gives back {amount(record.units)} of {pool}{kept}"
        case Evicted():
            return f"{evicted(record, pool)}, {amount(record.left)} left of it"


def _lease(record: LeaseTaken | LeaseReturned, names: Names) -> str:
    pool = names.pool(record.pool)
    match record:
        case LeaseTaken():
            then = "set aside" if record.set_aside else "ended"
            asked = f"{record.grower} asked for {amount(record.need)}, {amount(record.free)} free"
            if record.grower is None:
                asked = f"leases grew {amount(-record.free)} past the capacity"
            return f"lease of {amount(record.units)} of {pool} that {record.who} has is {then}: {asked}"
        case LeaseReturned():
            return f"{record.who} has its lease of {amount(record.units)} of {pool} again"


def _course(record: Attempted | Guarded | RegisterSet | ClaimRead, names: Names) -> str:
    match record:
        case Attempted(outcome="iteration"):
            return f"{names.engine(record.stage)} starts iteration {record.iteration}"
        case Attempted():
            return f"{names.engine(record.stage)} {_OUTCOME[record.outcome]}"
        case Guarded():
            answer = {0.0: "no", 1.0: "yes"}.get(record.value, number(record.value))
            return f"the guard is read: {answer}"
        case RegisterSet():
            name, after = names.register(record.register), number(record.after)
            if record.undone:
                return f"{name} is put back to {after}: the attempt came to nothing"
            stays = record.after == record.before
            return f"{name} stays {after}" if stays else f"{name} is set to {after}, it was {number(record.before)}"
        case ClaimRead():
            return f"the claim {names.claim(record.claim)} {'holds' if record.held else 'fails'}"


def _session(record: Arrived | TurnOpened | Responded | Ended) -> str:
    match record:
        case Arrived():
            return f"{record.who} arrives"
        case TurnOpened():
            # without its number: it counts up only once the turn's own statements run
            return f"a turn of {record.who} begins"
        case Responded():
            return f"turn {record.turn} of {record.who} has its response after {duration(record.time - record.opened)}"
        case Ended():
            return f"{record.who} ends"
