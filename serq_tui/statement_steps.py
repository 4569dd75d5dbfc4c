"""Stepping by schedule statements: over all the decisions one statement makes; knows no screen.

A statement begins where a decision is made at another place than the one before it, or in
another step. What is decided at no place, such as a growth, belongs to the statement under way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.decisions import Attempted, Decision
from engine.targets import AtPosition, Stop
from engine.timeline import Timeline
from serq_tui.source_state import made_by

Interrupt = Callable[[], bool]


def next_statement(timeline: Timeline, interrupt: Interrupt) -> Stop:
    """To the first decision of the next schedule statement that makes one."""
    while True:
        here = timeline.position
        begin = next((at for at in _begins(timeline) if at > here.decisions), None)
        if begin is not None:
            return timeline.seek(AtPosition(replace(here, decisions=begin)), interrupt=interrupt)
        stop = _leave(timeline, interrupt)
        if stop.reason != "step" or timeline.position.decisions in _begins(timeline):
            return stop


def previous_statement(timeline: Timeline, interrupt: Interrupt) -> Stop:
    """To the first decision of the schedule statement before the one at hand, or of that one from within it."""
    while True:
        here = timeline.position
        begin = next((at for at in reversed(_begins(timeline)) if at < here.decisions), None)
        if begin is not None:
            return timeline.seek(AtPosition(replace(here, decisions=begin)), interrupt=interrupt)
        if here.decisions > 1:
            timeline.seek(AtPosition(replace(here, decisions=1)), interrupt=interrupt)
        stop = timeline.rewind_decision()
        if stop.reason != "step" or timeline.position.decisions in _begins(timeline):
            return stop
        if interrupt():
            return Stop("interrupted")


def _leave(timeline: Timeline, interrupt: Interrupt) -> Stop:
    """To the first decision of the next step that makes any."""
    here, last = timeline.position, len(timeline.simulation.decided())
    if here.decisions < last:
        timeline.seek(AtPosition(replace(here, decisions=last)), interrupt=interrupt)
    if interrupt():
        return Stop("interrupted")
    return timeline.step_decision()


def _begins(timeline: Timeline) -> list[int]:
    """The decisions of the next small step, counted from 1, at which a statement begins."""
    begins: list[int] = []
    under_way = None
    for number, record in enumerate(timeline.simulation.decided(), 1):
        at = _place(record)
        if at is not None and at != under_way:
            begins.append(number)
            under_way = at
    return begins


def _place(record: Decision) -> tuple[int, tuple[int, ...]] | None:
    """Where a decision was made; the end of an attempt is no statement's."""
    return None if isinstance(record, Attempted) else made_by(record)
