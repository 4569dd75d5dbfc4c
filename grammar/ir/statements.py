"""The statements of the IR's blocks; knows no pool and no stage but by number."""

from __future__ import annotations

from typing import Literal

from grammar.declaring import dataclass
from grammar.ir.expressions import Expr, Ref


@dataclass(frozen=True, slots=True)
class Turn:
    """The session's next turn."""


@dataclass(frozen=True, slots=True)
class End:
    """The end of the session."""


@dataclass(frozen=True, slots=True)
class Join:
    """Waits for every leg."""


@dataclass(frozen=True, slots=True)
class Set:
    """Assigns an attribute."""

    slot: int
    expr: Expr


@dataclass(frozen=True, slots=True)
class Observe:
    """Records a sample of an observation."""

    observe: int
    expr: Expr


@dataclass(frozen=True, slots=True)
class Take:
    """One pool of a hold: what it takes and what its admission tests."""

    pool: Ref
    units: Expr
    reserve: Expr | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """A pool kept allocated after the hold for some seconds of the program's clock."""

    pool: Ref
    seconds: Expr


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a shared prefix: a key and its length in units."""

    key: Expr
    length: Expr


@dataclass(frozen=True, slots=True)
class Hold:
    """Takes pools for a body (a block's index)."""

    pools: tuple[Take, ...]
    body: int
    reuse: Expr | None = None
    cache: Expr | None = None
    lease: Lease | None = None
    prefix: tuple[Segment, ...] | None = None


@dataclass(frozen=True, slots=True)
class Grow:
    """The innermost hold of the pool grows."""

    pool: Ref
    units: Expr


@dataclass(frozen=True, slots=True)
class Shrink:
    """The innermost hold of the pool gives units back."""

    pool: Ref
    units: Expr


@dataclass(frozen=True, slots=True)
class Drop:
    """Forgets the session's cached prefix."""

    pool: Ref


@dataclass(frozen=True, slots=True)
class Release:
    """Gives a hold's or a lease's units back now."""

    pool: Ref


@dataclass(frozen=True, slots=True)
class Load:
    """Advances the computed position of the innermost hold."""

    pool: Ref
    units: Expr


Mode = Literal["Plain", "Prefill", "Decode"]
Share = Literal["MaxMin", "Bottleneck"]


@dataclass(frozen=True, slots=True)
class Run:
    """Work on a stage; with ``also`` a flow over several."""

    stage: Ref
    mode: Mode
    work: Expr
    growing: Ref | None = None
    also: tuple[Ref, ...] = ()
    share: Share | None = None
    latency: Expr | None = None
    poster: int | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """The first block for a guard of 1, the second for 0."""

    guard: Expr
    then: int
    orelse: int


@dataclass(frozen=True, slots=True)
class Loop:
    """A block for ever."""

    body: int


@dataclass(frozen=True, slots=True)
class While:
    """A block as long as the guard is 1."""

    guard: Expr
    body: int


@dataclass(frozen=True, slots=True)
class Choose:
    """The index below ``count`` with the least keys."""

    slot: int
    count: Expr
    keys: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Fork:
    """Starts a leg on a block."""

    body: int


@dataclass(frozen=True, slots=True)
class Request:
    """A native request to an engine."""

    stage: Ref
    input: Expr
    output: Expr


Statement = (
    Turn
    | End
    | Join
    | Set
    | Observe
    | Hold
    | Grow
    | Shrink
    | Drop
    | Release
    | Load
    | Run
    | Branch
    | Loop
    | While
    | Choose
    | Fork
    | Request
)
