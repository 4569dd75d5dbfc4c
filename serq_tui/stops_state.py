"""The frozen values of the screen of breakpoints and watches, built from a moment, a lens and what was looked up."""

from __future__ import annotations

from collections.abc import Mapping

from engine.breakpoints import Armed, OnStatement
from engine.conditions import Value
from grammar.declaring import dataclass
from serq_tui.decision_words import Names
from serq_tui.looks import ValuePast
from serq_tui.source_state import ProgramText
from serq_tui.stop_words import kind_and_object
from serq_tui.view_state import Lens, Moment, Reading


@dataclass(frozen=True, slots=True)
class StopRow:
    """A stop.

    Attributes:
        kind: what kind it is.
        what: what it is on, empty for anything of its kind.
        about: the line of the text, for a line.
        met: whether the present moment meets it.
    """

    stop: Armed
    kind: str
    what: str
    about: str
    met: bool


@dataclass(frozen=True, slots=True)
class StopsState:
    """The stops in the order set."""

    rows: tuple[StopRow, ...]


@dataclass(frozen=True, slots=True)
class WatchRow:
    """A watched value; ``reading`` and ``past`` are None until they are known."""

    value: Value
    reading: Reading | None
    past: ValuePast | None


@dataclass(frozen=True, slots=True)
class WatchesState:
    """The watched values in the order set."""

    rows: tuple[WatchRow, ...]


def stops_state(moment: Moment, lens: Lens, text: ProgramText) -> StopsState:
    """The stops of a lens at a moment."""
    names = Names.of(moment.now, text.registers, text.claims)
    return StopsState(
        tuple(
            StopRow(
                stop,
                *kind_and_object(stop.on, names, text.places),
                _about(stop, text),
                stop.enabled and not moment.met.isdisjoint(stop.on),
            )
            for stop in lens.stops
        )
    )


def watches_state(moment: Moment, lens: Lens, pasts: Mapping[Value, ValuePast]) -> WatchesState:
    """The watched values of a lens at a moment, with what was looked up of them."""
    read = {reading.value: reading for reading in moment.readings}
    return WatchesState(tuple(WatchRow(value, read.get(value), pasts.get(value)) for value in lens.watches))


def _about(stop: Armed, text: ProgramText) -> str:
    first = stop.on[0]
    place = text.places.schedule.get((first.stage, first.path)) if isinstance(first, OnStatement) else None
    return text.lines[place.line - 1].strip() if place is not None and place.line <= len(text.lines) else ""
