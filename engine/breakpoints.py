"""What a run may stop at: plain data, matched against what a step decided; changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.decisions import Admitted, Attempted, Blocked, Decision, Ended, Preempted, Rejected


@dataclass(frozen=True, slots=True)
class OnPreemption:
    """A preemption, of one pool or of any."""

    pool: int | None = None

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """The first decision of a step that matches."""
        for record in records:
            if isinstance(record, Preempted) and self.pool in (None, record.pool):
                return record
        return None


@dataclass(frozen=True, slots=True)
class OnIdle:
    """An engine that schedules nothing although somebody runs or waits."""

    engine: int | None = None

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """The first decision of a step that matches."""
        for record in records:
            if isinstance(record, Attempted) and record.outcome == "idle" and self.engine in (None, record.stage):
                return record
        return None


@dataclass(frozen=True, slots=True)
class OnStatement:
    """An attempt that executes a schedule statement."""

    stage: int
    path: tuple[int, ...]

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """The first decision of a step that matches."""
        for record in records:
            if isinstance(record, Attempted) and record.stage == self.stage and self.path in record.executed:
                return record
        return None


@dataclass(frozen=True, slots=True)
class OnRequest:
    """Anything decided about one request: it is admitted, blocked, preempted, refused, or ends."""

    serial: int

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """The first decision of a step that matches."""
        for record in records:
            if isinstance(record, Admitted | Blocked | Preempted | Rejected | Ended) and record.who.serial == self.serial:
                return record
        return None


Breakpoint = OnPreemption | OnIdle | OnStatement | OnRequest


def first_match(breakpoints: Sequence[Breakpoint], records: Sequence[Decision]) -> tuple[Breakpoint, Decision] | None:
    """The first breakpoint, in their order, that a step's decisions match."""
    for breakpoint_ in breakpoints:
        record = breakpoint_.find(records)
        if record is not None:
            return breakpoint_, record
    return None
