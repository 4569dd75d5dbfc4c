"""When a test that fails now was last passed; knows no screen.

It is looked for backwards in stretches that double, so that what is near is found soon.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.decisions import Admitted, Decision, Guarded, Served
from engine.replay import Past, steps
from engine.snapshot import Position, Who
from engine.walking import Interrupt
from grammar.declaring import dataclass

if TYPE_CHECKING:
    from engine.why import Why

_FIRST = 256
"""Events of the first stretch looked back."""

FAR = 200_000
"""Events looked back: seconds of work, and a person who waits longer has forgotten the question."""


@dataclass(frozen=True, slots=True)
class Passed:
    """A moment at which a test was passed.

    Attributes:
        position: right after it.
        iteration: iterations of the engine by then; 0 where none makes the test.
        who: whom it let in, None for a guard.
    """

    position: Position
    time: float
    iteration: int
    who: Who | None


@dataclass(frozen=True, slots=True)
class NeverPassed:
    """It was not passed before, as far as was looked.

    Attributes:
        since: where the look back ended; None where that was the start of the run.
    """

    since: Position | None


def last_passed(past: Past, made: Why, interrupt: Interrupt | None = None, far: int = FAR) -> Passed | NeverPassed | None:
    """When the test that keeps a request waiting was last passed by anybody; None where no test fails.

    A guard passes where it is read the other way. A pool passes where somebody is admitted to it;
    any other test where the engine admits somebody, as that takes passing all of them.
    """
    test = made.reason
    if test is None:
        return None
    stage = made.question.stage

    def passes(record: Decision) -> bool:
        if test.kind in ("branch", "gate"):
            return isinstance(record, Guarded) and (record.stage, record.path) == (stage, test.path) and record.value != test.value
        if not isinstance(record, Admitted):
            return False
        return test.room.pool in record.pools if test.room is not None else record.stage == stage

    return latest(past, passes, stage, interrupt, far)


def last_served(past: Past, who: Who, stage: int, interrupt: Interrupt | None = None, far: int = FAR) -> Passed | NeverPassed:
    """When a request that runs was last given tokens."""
    return latest(past, lambda record: isinstance(record, Served) and record.who == who, stage, interrupt, far)


def latest(
    past: Past, wanted: Callable[[Decision], bool], stage: int | None, interrupt: Interrupt | None, far: int
) -> Passed | NeverPassed:
    """The latest small step not after the present moment in which something wanted was decided.

    Raises:
        Interrupted: told to stop.
    """
    end, size = past.now.position, _FIRST
    while True:
        start = Position(max(end.events - size, 0))
        # What is decided at the start of a run is decided before its first moment.
        run = past.at(start) if start > Position(0) else past.now.anew()
        found: Passed | None = None
        records: list[Decision] = []
        for _ in steps(run, end, records, interrupt):
            chosen = next((record for record in reversed(records) if wanted(record)), None)
            records.clear()
            if chosen is not None:
                count = run.state.stages[stage].iterations if stage is not None else 0
                who = chosen.who if isinstance(chosen, Admitted | Served) else None
                found = Passed(run.position, run.clock, count, who)
        if found is not None:
            return found
        if start == Position(0):
            return NeverPassed(None)
        if past.now.position.events - start.events >= far:
            return NeverPassed(start)
        end, size = start, 2 * size
