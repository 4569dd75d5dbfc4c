"""The first decision in which two runs differ; builds no part of either that comes later, knows no screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import zip_longest
from typing import Any, get_args

from engine.decisions import Decision
from engine.replay import Past
from engine.simulation import Simulation
from engine.snapshot import Position
from engine.walking import Interrupt, Pace, Report
from grammar.declaring import dataclass

_GROUNDS = frozenset({"time", "need", "free", "room", "cap", "candidates", "waited", "left", "wanted", "opened", "first_token"})
"""Fields that say on what grounds or when something was decided. A run on a faster device or with a larger memory
decides the same at other times and with other numbers, until it decides something else."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two runs part.

    Attributes:
        one: right after the first decision of the one run that differs; None for ``record`` where it has ended.
        other: the same of the other run.
    """

    one: Position
    other: Position
    record: Decision | None
    other_record: Decision | None


def first_difference(
    one: Past, other: Past, interrupt: Interrupt | None = None, progress: Report | None = None
) -> Difference | None:
    """The first decision in which two runs differ; None where both end without one.

    Raises:
        Interrupted: ``interrupt`` said so.
    """
    first, second = _made(one.now.anew(), Pace(interrupt, progress)), _made(other.now.anew(), Pace(interrupt))
    last = (Position(0), Position(0))
    for a, b in zip_longest(first, second):
        here, there = a or (last[0], None), b or (last[1], None)
        if a is None or b is None or _deed(a[1]) != _deed(b[1]):
            return Difference(here[0], there[0], here[1], there[1])
        last = (a[0], b[0])
    return None


def _made(run: Simulation, pace: Pace) -> Iterator[tuple[Position, Decision]]:
    """Every decision of a run from its start with the position right after it."""
    records: list[Decision] = []
    run.listen(records)
    while not run.finished:
        # What is decided as a run begins has no moment of its own: the first moment is after it.
        inside = run.begun
        base = run.position
        run.advance()
        for index, record in enumerate(records, 1):
            yield (replace(base, decisions=index) if inside else base), record
        records.clear()
        pace.step(run)


_TOLD = {kind: tuple(field.name for field in fields(kind) if field.name not in _GROUNDS) for kind in get_args(Decision)}


def _deed(record: Decision) -> tuple[Any, ...]:
    """What was decided, without its time and its grounds."""
    return (type(record), *(getattr(record, name) for name in _TOLD[type(record)]))
