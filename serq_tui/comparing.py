"""The run kept beside the present one, brought to the same moment, and where the two part; draws nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from engine.decisions import Decision
from engine.snapshot import Position, Snapshot
from engine.targets import AtIteration, AtPosition, AtTime, Target
from engine.walking import Interrupt, Interrupted
from grammar.declaring import dataclass
from serq_tui.changes import differences
from serq_tui.decision_words import Names
from serq_tui.view import engine_at_hand

if TYPE_CHECKING:
    from engine.divergence import Difference
    from serq_tui.debuggee import Debuggee
    from serq_tui.view_state import Moment

Alignment = Literal["iteration", "time"]


class Beside:
    """Another run of the program, kept to compare with, and what was found out about the two."""

    def __init__(self, other: Debuggee) -> None:
        self.other = other
        self._parting: tuple[Difference | None] | None = None

    def parting(self, present: Debuggee, interrupt: Interrupt) -> Difference | None:
        """Where the runs part; looked for once, None where both end without a difference.

        Raises:
            Interrupted: told to stop.
        """
        # Here and not above: most sittings compare no runs.
        from engine.divergence import first_difference

        if self._parting is None:
            self._parting = (first_difference(self.other.timeline.past, present.timeline.past, interrupt),)
        return self._parting[0]


@dataclass(frozen=True, slots=True)
class AskCompare:
    """How do the two runs stand at this moment, of an engine's iterations or of the clock? And where do they part?"""

    by: Alignment = "iteration"
    engine: int | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One of two runs at its moment.

    Attributes:
        label: what tells it from the other: ``seed 1``.
        records: what was decided just before.
    """

    label: str
    now: Snapshot
    before: Snapshot | None
    records: tuple[Decision, ...]
    names: Names


@dataclass(frozen=True, slots=True)
class CompareAnswer:
    """Two runs side by side, the one kept and the present one.

    Attributes:
        parting: where they part; None where they never do.
        engine: stage of the engine whose iterations they are aligned by, None without one.
    """

    by: Alignment
    kept: Side
    present: Side
    parting: Difference | None
    engine: int | None


def compare(
    beside: Beside, debuggee: Debuggee, moment: Moment, by: Alignment, engine: int | None, interrupt: Interrupt
) -> CompareAnswer:
    """Two runs at the same moment. The other one is moved there.

    Raises:
        Interrupted: told to stop.
    """
    other = beside.other
    parting = beside.parting(debuggee, interrupt)
    at_hand = engine_at_hand(moment.now, engine)
    stage = at_hand.stage if at_hand is not None else None
    stop = other.timeline.seek(_aligned(moment.now, other, parting, by, stage), interrupt=interrupt)
    if stop.reason == "interrupted":
        raise Interrupted
    labels = differences(other.loaded, debuggee.loaded, (other.options, debuggee.options))
    timeline = other.timeline
    kept = _side(labels[0], other, timeline.snapshot(), timeline.before(engine), timeline.records(engine))
    return CompareAnswer(by, kept, _side(labels[1], debuggee, moment.now, moment.before, moment.records), parting, stage)


def _side(label: str, run: Debuggee, now: Snapshot, before: Snapshot | None, records: tuple[Decision, ...]) -> Side:
    return Side(label, now, before, records, Names.of(now, run.text.registers, run.text.claims))


def _aligned(now: Snapshot, other: Debuggee, parting: Difference | None, by: Alignment, stage: int | None) -> Target:
    """The other run's moment that is the same one."""
    if parting is not None and now.position == parting.other:
        return AtPosition(parting.one)
    if by == "time":
        return AtTime(now.clock)
    engine = next((view for view in now.engines if view.stage == stage), None)
    if engine is None or engine.stage not in other.timeline.simulation.code.engines:
        return AtPosition(now.position)
    if (parting is not None and now.position < parting.other) or now.position == Position(0):
        # Up to where they part both runs have made the same steps.
        return AtPosition(now.position)
    return AtIteration(engine.stage, engine.iterations)
