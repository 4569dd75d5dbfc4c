"""What a stop is called: its kind, what it is on, the text that names it; reads no text."""

from __future__ import annotations

from typing import assert_never

from engine.breakpoints import (
    Breakpoint,
    OnAdmission,
    OnClaim,
    OnEnd,
    OnEviction,
    OnFirstToken,
    OnIdle,
    OnPreemption,
    OnRegister,
    OnRejection,
    OnRequest,
    OnStatement,
)
from engine.conditions import OnChange, OnCondition
from grammar.ir import SourceMap
from serq_tui.decision_words import Names


def kind_and_object(on: tuple[Breakpoint, ...], names: Names, places: SourceMap) -> tuple[str, str]:
    """What kind of stop it is, and what it is on; empty where it is on anything of its kind."""
    first = on[0]
    match first:
        case OnPreemption():
            return "preemption", _pool(first.pool, names)
        case OnAdmission():
            return "admission", _pool(first.pool, names)
        case OnEviction():
            return "eviction", _pool(first.pool, names)
        case OnIdle():
            return "idle", "" if first.engine is None else names.engine(first.engine)
        case OnStatement():
            place = places.schedule.get((first.stage, first.path))
            return "line", str(place.line) if place is not None else "?"
        case OnRequest():
            return "request", str(first.serial)
        case OnRegister():
            return "register", names.register(first.register)
        case OnClaim():
            return "claim", names.claim(first.claim)
        case OnCondition():
            return "condition", first.value.text
        case OnChange():
            return "change", first.value.text
        case OnRejection():
            return "rejection", ""
        case OnFirstToken():
            return "first token", ""
        case OnEnd():
            return "end", ""
        case unknown:
            assert_never(unknown)


def written(on: tuple[Breakpoint, ...], names: Names, places: SourceMap) -> str:
    """The text that names a stop."""
    kind, what = kind_and_object(on, names, places)
    return what if kind == "condition" else f"{kind} {what}".strip()


def _pool(index: int | None, names: Names) -> str:
    return "" if index is None else names.pool(index)
