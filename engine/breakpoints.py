"""What a run may stop at: plain data, and how to tell that a step did it; changes nothing.

A breakpoint is noticed in two ways that agree. ``trace`` reads a few figures off the state
that change exactly when it happens, so that a run can be watched at full speed; ``find``
picks the decision out of what a step recorded, to say what happened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.conditions import OnChange, OnCondition
from engine.constants import ENDED
from engine.decisions import Admitted, Attempted, Decision, Ended, Evicted, Preempted, RegisterSet, Rejected

if TYPE_CHECKING:
    from engine.state import State


@dataclass(frozen=True, slots=True)
class OnPreemption:
    """A preemption, of one pool or of any."""

    pool: int | None = None
    leaps: bool = True

    def trace(self, k: State) -> Any:
        """Changes with every preemption."""
        return k.preempted if self.pool is None else k.pools[self.pool].preemptions

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """The preemption."""
        return next((r for r in records if isinstance(r, Preempted) and self.pool in (None, r.pool)), None)


@dataclass(frozen=True, slots=True)
class OnIdle:
    """An attempt of an engine, or of any, that schedules nothing although somebody runs or waits."""

    engine: int | None = None
    leaps: bool = True

    def trace(self, k: State) -> Any:
        """Changes with every such attempt."""
        return sum(st.idle_attempts for st in k.stages) if self.engine is None else k.stages[self.engine].idle_attempts

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """The attempt."""
        return next(
            (r for r in records if isinstance(r, Attempted) and r.outcome == "idle" and self.engine in (None, r.stage)), None
        )


@dataclass(frozen=True, slots=True)
class OnStatement:
    """An attempt that executes a schedule statement."""

    stage: int
    path: tuple[int, ...]
    leaps: bool = False

    def trace(self, k: State) -> Any:
        """Changes with every attempt that executes it."""
        st = k.stages[self.stage]
        return st.attempt if self.path in st.executed else None

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """The attempt."""
        return next((r for r in records if isinstance(r, Attempted) and r.stage == self.stage and self.path in r.executed), None)


@dataclass(frozen=True, slots=True)
class OnRequest:
    """Anything that happens to one request: it is admitted, starts or ends a run, is preempted, refused, or ends."""

    serial: int
    leaps: bool = True

    def trace(self, k: State) -> Any:
        """Changes with its status, its place and its admission; the first sight of it is its arrival."""
        if self.serial not in k.sessions:
            return ENDED if self.serial < k.next_serial else None
        own = [s for s in k.slots if s is not None and s.serial == self.serial]
        return [(s.leg, s.status, s.where, s.adm, s.job.id if s.job is not None else None, len(s.holds)) for s in own]

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """The first decision about it, if one was made."""
        about = (r for r in records if isinstance(r, Admitted | Preempted | Rejected | Ended))
        return next((r for r in about if r.who.serial == self.serial), None)


@dataclass(frozen=True, slots=True)
class OnAdmission:
    """An admission at one pool, or at any."""

    pool: int | None = None
    leaps: bool = True

    def trace(self, k: State) -> Any:
        """Changes with every admission."""
        return k.next_admission if self.pool is None else k.pools[self.pool].admissions

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """The admission."""
        return next((r for r in records if isinstance(r, Admitted) and (self.pool is None or self.pool in r.pools)), None)


@dataclass(frozen=True, slots=True)
class OnEviction:
    """Cached units that give way, of one pool or of any."""

    pool: int | None = None
    leaps: bool = False

    def trace(self, k: State) -> Any:
        """Changes with every eviction."""
        return tuple(p.evicted_units for p in k.pools) if self.pool is None else k.pools[self.pool].evicted_units

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """The eviction."""
        return next((r for r in records if isinstance(r, Evicted) and self.pool in (None, r.pool)), None)


@dataclass(frozen=True, slots=True)
class OnRejection:
    """A hold that can never fit and ends its session."""

    leaps: bool = True

    def trace(self, k: State) -> Any:
        """Changes with every rejection."""
        return sum(p.rejected for p in k.pools)

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """The rejection."""
        return next((r for r in records if isinstance(r, Rejected)), None)


@dataclass(frozen=True, slots=True)
class OnFirstToken:
    """A turn's first token."""

    leaps: bool = True

    def trace(self, k: State) -> Any:
        """Changes with every first token."""
        return k.first_tokens

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """No decision: a token comes out of the clock, not of a choice."""
        del records
        return None


@dataclass(frozen=True, slots=True)
class OnEnd:
    """The end of a session."""

    leaps: bool = True

    def trace(self, k: State) -> Any:
        """Changes with every session that ends."""
        return k.next_serial - k.live

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """The end."""
        return next((r for r in records if isinstance(r, Ended)), None)


@dataclass(frozen=True, slots=True)
class OnRegister:
    """A register that has another value than before."""

    register: int
    leaps: bool = True

    def trace(self, k: State) -> Any:
        """Changes with its value."""
        return k.registers[self.register]

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """What set it."""
        return next((r for r in reversed(records) if isinstance(r, RegisterSet) and r.register == self.register), None)


@dataclass(frozen=True, slots=True)
class OnClaim:
    """A claim that fails."""

    claim: int
    leaps: bool = True

    def trace(self, k: State) -> Any:
        """Changes with every failure."""
        return k.claims[self.claim].failures

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """No decision: a claim changes nothing in a run."""
        del records
        return None


Breakpoint = (
    OnPreemption
    | OnIdle
    | OnStatement
    | OnRequest
    | OnAdmission
    | OnEviction
    | OnRejection
    | OnFirstToken
    | OnEnd
    | OnRegister
    | OnClaim
    | OnCondition
    | OnChange
)
"""``leaps`` says that it cannot happen within a leap, so that leaps may be made while it is watched."""


@dataclass(frozen=True, slots=True)
class Armed:
    """A stop as somebody set it: what it is on, and which of its hits end a run.

    Attributes:
        on: what it stops on: several where one thing to them is several here, such as a line two engines execute.
        enabled: whether it is watched at all.
        once: whether it is disabled once it has ended a run.
        after: hits let pass before one ends a run.
        hits: how often runs have met it since it was set.
    """

    on: tuple[Breakpoint, ...]
    enabled: bool = True
    once: bool = False
    after: int = 0
    hits: int = 0

    def ends(self, more: int) -> bool:
        """Whether the last of so many more hits ends a run."""
        return self.enabled and self.hits + more > self.after

    def hit(self, times: int) -> Armed:
        """The stop after a run met it so many times; the last may have ended the run."""
        ended = times > 0 and self.ends(times)
        return replace(self, hits=self.hits + times, enabled=self.enabled and not (self.once and ended))


class Watch:
    """Breakpoints being watched along a run."""

    __slots__ = ("breakpoints", "leaps", "seen")

    def __init__(self, breakpoints: Sequence[Breakpoint], k: State) -> None:
        self.breakpoints = tuple(breakpoints)
        self.leaps = all(b.leaps for b in self.breakpoints)
        self.seen = [b.trace(k) for b in self.breakpoints]

    def hits(self, k: State) -> tuple[Breakpoint, ...]:
        """The breakpoints, in their order, that the step just made met."""
        found: list[Breakpoint] = []
        for i, breakpoint_ in enumerate(self.breakpoints):
            now = breakpoint_.trace(k)
            if now != self.seen[i]:
                self.seen[i] = now
                if now is not None:
                    found.append(breakpoint_)
        return tuple(found)
