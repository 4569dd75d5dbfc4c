"""Reading amounts, guards and members off compiled expressions; changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.constants import EPS
from engine.failure import ProgramFailure
from engine.names import name
from engine.queries import member as member_of
from engine.queries import shown

if TYPE_CHECKING:
    from engine.codes import PoolCode, StageCode
    from engine.expressions import Function
    from engine.session_state import Session
    from engine.state import State
    from engine.statement_codes import MemberCode


def amount(k: State, s: Session, function: Function, what: str, of: PoolCode | StageCode | None = None) -> float:
    """An amount: not NaN, not below -EPS; what is left of 0 counts as 0 (R1.3).

    Args:
        what: what it is, as a failure names it.
        of: the pool or stage it is of, in place of ``{}`` in ``what``; written out at a failure only.

    Raises:
        ProgramFailure: the value cannot be an amount (R10.3).
    """
    value = function(k, s, k.moment)
    if value > 0:
        return value
    if value >= -EPS:
        return 0.0
    told = what.format(name(of)) if of is not None else what
    raise ProgramFailure(f"{told} is {shown(value)}: an amount is a number that is not negative")


def member(k: State, s: Session, code: MemberCode) -> int:
    """The pool or stage a reference names now (R7.8)."""
    if code.index is None:
        return code.fixed
    return member_of(code.base, code.count, code.index(k, s, k.moment))


def guard(k: State, s: Session, function: Function, what: str) -> bool:
    """A guard: exactly 0 or 1 (R3.11, R3.12).

    Raises:
        ProgramFailure: it is anything else (R10.6).
    """
    value = function(k, s, k.moment)
    if value == 1.0:
        return True
    if value == 0.0:
        return False
    raise ProgramFailure(f"the condition of {what} is {shown(value)}: it must be 0 or 1")
