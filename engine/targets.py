"""Where a walk about a run is to lead, and why it ended where it did; walks nowhere."""

from __future__ import annotations

from dataclasses import dataclass  # not ours: this is compiled, and the compiler knows the standard one
from typing import Literal

from engine.breakpoints import Breakpoint
from engine.decisions import Decision
from engine.snapshot import Position


@dataclass(frozen=True, slots=True)
class AtPosition:
    """A target: the moment of a position, or the first after it."""

    position: Position


@dataclass(frozen=True, slots=True)
class AtIteration:
    """A target: an engine's iteration by its number, from 1; 0 is the start."""

    engine: int
    iteration: int


@dataclass(frozen=True, slots=True)
class AtTime:
    """A target: the last moment whose clock is not past a time in seconds."""

    time: float


Target = AtPosition | AtIteration | AtTime


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a walk ended where it did.

    Attributes:
        reason: ``end`` is the end of the run, ``start`` its beginning.
        breakpoint: the first breakpoint that matched, for the reason ``breakpoint``.
        decision: the decision that matched it, where it is one.
        met: all that matched, in the order they were given.
    """

    reason: Literal["step", "breakpoint", "end", "start", "failure", "interrupted", "seek"]
    breakpoint: Breakpoint | None = None
    decision: Decision | None = None
    met: tuple[Breakpoint, ...] = ()
