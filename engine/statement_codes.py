"""The statements of a program as tables: what a session does between two waits, and what it waits for; builds nothing."""

from __future__ import annotations

from dataclasses import dataclass  # not ours: this is compiled, and the compiler knows the standard one
from typing import Literal

from engine.expressions import Function, Straight
from grammar import ir


@dataclass(frozen=True, slots=True)
class MemberCode:
    """A reference: ``fixed`` where the text says which member, else ``base``, ``count`` and the index."""

    fixed: int
    base: int
    count: int
    index: Function | None


@dataclass(frozen=True, slots=True)
class TakeCode:
    """One pool of a hold; the flags say whether the amounts move (R4.6), and whether both can only fall in a leap."""

    pool: MemberCode
    units: Function
    units_move: bool
    reserve: Function | None
    reserve_moves: bool
    falls: bool


@dataclass(frozen=True, slots=True)
class HoldCode:
    """A hold statement, with its own (block, index)."""

    statement: tuple[int, int]
    takes: tuple[TakeCode, ...]
    body: int
    reuse: Function | None
    cache: Function | None
    prefix: tuple[tuple[int, Function | None, Function], ...] | None
    lease: MemberCode | None
    seconds: Function | None
    native: bool = False
    """Whether it is a native request's, whose expressions read the request."""


@dataclass(frozen=True, slots=True)
class TurnCode:
    """``turn;``."""


@dataclass(frozen=True, slots=True)
class EndCode:
    """``end;``, a refusal where the server says it: such a turn has no response (R9.21)."""

    refusal: bool


@dataclass(frozen=True, slots=True)
class JoinCode:
    """``join;``."""


@dataclass(frozen=True, slots=True)
class SetCode:
    """``set``."""

    slot: int
    value: Function


@dataclass(frozen=True, slots=True)
class ObserveCode:
    """``observe``."""

    observe: int
    value: Function


@dataclass(frozen=True, slots=True)
class AmountCode:
    """``grow``, ``shrink`` or ``load`` of a pool."""

    what: Literal["grow", "shrink", "load"]
    pool: MemberCode
    units: Function


@dataclass(frozen=True, slots=True)
class DropCode:
    """``drop``."""

    pool: MemberCode


@dataclass(frozen=True, slots=True)
class ReleaseCode:
    """``release``."""

    pool: MemberCode


@dataclass(frozen=True, slots=True)
class RunCode:
    """``run``; ``shared`` where it is a flow. Which stage posts a copy changes nothing (measured)."""

    stage: MemberCode
    decode: bool
    work: Function
    growing: MemberCode | None
    also: tuple[MemberCode, ...]
    shared: bool
    latency: Function | None


@dataclass(frozen=True, slots=True)
class BranchCode:
    """``branch``."""

    guard: Function
    then: int
    orelse: int


@dataclass(frozen=True, slots=True)
class LoopCode:
    """``loop``."""

    body: int


@dataclass(frozen=True, slots=True)
class WhileCode:
    """``while``."""

    guard: Function
    body: int


@dataclass(frozen=True, slots=True)
class ChooseCode:
    """``choose``."""

    slot: int
    count: Function
    keys: tuple[Function, ...]


@dataclass(frozen=True, slots=True)
class ForkCode:
    """``fork``."""

    body: int


@dataclass(frozen=True, slots=True)
class RequestCode:
    """A native request, with its own (block, index)."""

    statement: tuple[int, int]
    stage: MemberCode
    input: Function
    output: Function


@dataclass(frozen=True, slots=True)
class ConnectorCode:
    """An engine's second tier: amounts in tokens, and the blocks that carry them, -1 without one."""

    slots: ir.Connector
    load: Function | None
    load_block: int
    save: Function | None
    save_block: int


@dataclass(frozen=True, slots=True)
class NativeStepCode:
    """One step of a native request's own block."""

    what: Literal["admitted", "prefill", "decode", "save"]


@dataclass(frozen=True, slots=True)
class NativeCode:
    """What an engine does with native requests.

    Attributes:
        hold: what its admission takes, None for an engine without a clause.
        block: the block inside.
        memory: the engine's memory, -1 without one.
        growing: the same where a request holds it, else -1.
        records: where a request's figures go, None without a clause.
    """

    hold: HoldCode | None
    block: int
    memory: int
    growing: int
    records: ir.RequestRecords | None
    connector: ConnectorCode | None


StatementCode = (
    TurnCode
    | EndCode
    | JoinCode
    | SetCode
    | ObserveCode
    | HoldCode
    | AmountCode
    | DropCode
    | ReleaseCode
    | RunCode
    | BranchCode
    | LoopCode
    | WhileCode
    | ChooseCode
    | ForkCode
    | RequestCode
    | NativeStepCode
)


@dataclass(frozen=True, slots=True)
class StraightCode:
    """Assignments and observations in a row, as one function; the ``count`` statements of a block that it stands for."""

    count: int
    function: Straight
