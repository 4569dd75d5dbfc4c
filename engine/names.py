"""What sessions, pools and stages are called in records and messages; changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.codes import PoolCode, StageCode
    from engine.session_state import Session
    from engine.snapshot import Who


def who(session: Session) -> Who:
    """A session or leg as records name it."""
    return session.name


def name(code: PoolCode | StageCode) -> str:
    """A pool or stage as the program writes it, a member with its index."""
    return code.name if code.label is None else f"{code.name}[{code.label}]"
