"""What the report and the plots of a run are made of, found at a moment; draws nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.distributions import Spread, first_tokens, gaps, observed
from grammar.declaring import dataclass
from serq_tui.view import engine_at_hand

if TYPE_CHECKING:
    from serq_tui.debuggee import Debuggee
    from serq_tui.view_state import Moment

Points = tuple[tuple[float, int, int, float, tuple[float, ...]], ...]


@dataclass(frozen=True, slots=True)
class AskReport:
    """What does the run amount to, up to this moment?"""


@dataclass(frozen=True, slots=True)
class ReportAnswer:
    """The report of a run that ends at this moment (R9), and how its samples are spread.

    Attributes:
        observed: the samples of each observation.
        first_tokens: times to first tokens.
        gaps: per engine the gaps between tokens.
    """

    program: str
    report: Mapping[str, Any]
    observed: tuple[Spread, ...]
    first_tokens: Spread
    gaps: tuple[Spread, ...]


@dataclass(frozen=True, slots=True)
class Plots:
    """What is plotted of a run.

    Attributes:
        points: clock, running, waiting, tokens of an iteration and shares of the pools, along all that was seen.
        memory: index of the pool shown; None without one.
        clock: the present moment, in seconds.
    """

    points: Points
    memory: int | None
    memory_name: str
    clock: float
    gaps: tuple[Spread, ...]
    first_tokens: Spread


def report_of(debuggee: Debuggee) -> ReportAnswer:
    """The report of a run that ends at the moment a timeline stands at."""
    run = debuggee.timeline.simulation
    return ReportAnswer(debuggee.path.name, debuggee.timeline.report(), observed(run), first_tokens(run), gaps(run))


def plots_of(debuggee: Debuggee, moment: Moment, engine: int | None) -> Plots:
    """What is plotted at a moment."""
    run = debuggee.timeline.simulation
    at_hand = engine_at_hand(moment.now, engine)
    memory = at_hand.memory if at_hand is not None else None
    pools = moment.now.pools
    if memory is None:
        memory = next((pool.pool for pool in pools if pool.block is not None), None)
    if memory is not None and not 0 < pools[memory].cap < float("inf"):
        memory = None
    name = pools[memory].name if memory is not None else ""
    return Plots(debuggee.timeline.series.points(), memory, name, moment.now.clock, gaps(run), first_tokens(run))
