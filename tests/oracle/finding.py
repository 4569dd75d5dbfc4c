"""What a finding is: a program and what the reference observes in it; runs nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grammar import ir

Observed = dict[str, list[Any]]


@dataclass(frozen=True)
class Found:
    """A program and what the reference observes in it; None stands for a run that fails."""

    program: Callable[[], ir.Program]
    observed: Observed | None


def observed(result: dict[str, Any]) -> Observed | None:
    """The samples of a result; None where the run failed."""
    if "error" in result:
        assert result["error"]["kind"] == "runtime"
        return None
    return {name: series["samples"] for name, series in result["observes"].items()}
