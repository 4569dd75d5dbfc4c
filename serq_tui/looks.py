"""What is looked at where a move ended, and what a watched value did before; moves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.breakpoints import Breakpoint, OnIdle, OnPreemption
from engine.conditions import Value
from engine.decisions import Attempted, Decision
from engine.readings import Interrupted, around, at, recent
from engine.snapshot import Position
from engine.state import State
from engine.timeline import Timeline
from engine.walking import Interrupt
from grammar.declaring import dataclass
from serq_tui.moves import Plan
from serq_tui.view_state import Moment, Reading

if TYPE_CHECKING:
    from engine.standstill import Shut

#: Events looked back for when the test was last passed that leaves an engine idle: some tens of milliseconds.
SHUT_EVENTS = 1_000

#: Figures in a strip of recent values: as many as a column of it is wide.
RECENT = 32


#: Stretches of a run's time: a cell of a wide terminal each.
STRETCHES = 240


@dataclass(frozen=True, slots=True)
class ValuePast:
    """What a value did up to a moment.

    Attributes:
        recent: its figures after the latest attempts, oldest first.
        changed: right after it became what it is; None where it never was anything else.
        clock: the program's clock there, in seconds.
    """

    value: Value
    recent: tuple[float, ...]
    changed: Position | None
    clock: float


def moment_of(timeline: Timeline, plan: Plan) -> Moment:
    """The moment a timeline stands at, with what a plan wants read."""
    readings: tuple[Reading, ...] = ()
    met: frozenset[Breakpoint] = frozenset()
    # The headline tells of a preemption and of an idle engine by itself.
    told = [on for stop in plan.stops if stop.enabled for on in stop.on if not isinstance(on, OnPreemption | OnIdle)]
    if told or plan.watches:

        def read(k: State) -> tuple[list[float], list[object]]:
            return [value.read(k) for value in plan.watches], [on.trace(k) for on in told]

        (values, traces), earlier = around(timeline, read, plan.engine)
        if earlier is None:
            readings = tuple(Reading(value, now, None) for value, now in zip(plan.watches, values, strict=True))
        else:
            readings = tuple(Reading(*made) for made in zip(plan.watches, values, earlier[0], strict=True))
            pairs = zip(told, traces, earlier[1], strict=True)
            met = frozenset(on for on, now, before in pairs if now != before and now is not None)
    records = timeline.records(plan.engine)
    overview = timeline.series.overview(STRETCHES)
    shut = _shut(timeline, records)
    return Moment(timeline.snapshot(), timeline.before(plan.engine), records, readings, met, shut, overview)


def _shut(timeline: Timeline, records: tuple[Decision, ...]) -> Shut | None:
    attempts = [record for record in records if isinstance(record, Attempted)]
    if timeline.position.decisions or not attempts or attempts[-1].outcome != "idle":
        return None
    # Here and not above: an engine has to be idle for it.
    from engine.standstill import heads

    return next(iter(heads(timeline.past, attempts[-1].stage, far=SHUT_EVENTS)), None)


def past_of(timeline: Timeline, value: Value, engine: int | None, interrupt: Interrupt) -> ValuePast:
    """What a value did up to the moment a timeline stands at.

    Raises:
        Interrupted: ``interrupt`` said so.
    """
    (figures,) = recent(timeline, (value,), RECENT, engine, interrupt=interrupt)
    changed = timeline.last_change(value, interrupt=interrupt)
    if interrupt():
        raise Interrupted
    clock = at(timeline, changed, lambda k: k.now) if changed is not None else 0.0
    return ValuePast(value, figures, changed, clock)
