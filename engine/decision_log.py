"""What was decided in the latest stretch of a run, each decision with its moment; knows no words and no screen."""

from __future__ import annotations

from engine.decisions import Decision
from engine.replay import Past, steps
from engine.snapshot import Position
from engine.walking import Interrupt
from grammar.declaring import dataclass


@dataclass(frozen=True, slots=True)
class Logged:
    """A decision.

    Attributes:
        position: the moment right after it.
    """

    position: Position
    record: Decision


def log(past: Past, events: int, interrupt: Interrupt | None = None) -> tuple[Logged, ...]:
    """What was decided up to the present moment, in order.

    Args:
        past: the moments seen.
        events: how many events it goes back.
        interrupt: asked all along.

    Raises:
        Interrupted: told to stop.
    """
    now = past.now.position
    start = Position(max(now.events - events, 0))
    run = past.at(start) if start > Position(0) else past.now.anew()
    records: list[Decision] = []
    logged: list[Logged] = []
    at = run.position
    for _ in steps(run, now, records, interrupt):
        logged += [Logged(Position(at.events, at.attempts, i), record) for i, record in enumerate(records, 1)]
        records.clear()
        at = run.position
    return tuple(logged)
