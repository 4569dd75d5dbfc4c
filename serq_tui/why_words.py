"""Why a request waits, in a few words; computes no reason of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.passing import NeverPassed, Passed
from serq_tui.format import clock, grouped, requests
from serq_tui.source_state import ProgramText
from serq_tui.words import NAMED

if TYPE_CHECKING:
    from engine.standstill import Shut
    from engine.why import Why


def reason(made: Why) -> str:
    """The first test that failed, in a few words."""
    test = made.reason
    if test is None or made.admitted:
        return "the coming attempt admits it" if made.admitted else "nothing stands against it"
    match test.kind:
        case "iteration":
            return "an iteration is running"
        case "branch" | "gate":
            return "a guard of the schedule is shut"
        case "budget":
            return "no budget left"
        case "preempted":
            return "somebody was preempted in this iteration"
        case "granule":
            return "a prefill waits on its granule"
        case "turn":
            return f"{requests(test.ahead, NAMED)} before it"
        case "room":
            return f"no room in {test.room.name}" if test.room is not None else "no room"


def shut(found: Shut, text: ProgramText) -> str:
    """What keeps out the head of an idle engine's queue: ``r1 shut out by line 14, last passed in iteration 3``."""
    made = found.why
    test = made.reason
    who = made.question.who
    if test is None or made.admitted:
        return f"{who} not tried yet"
    place = text.places.schedule.get((made.question.stage, test.path)) if made.question.stage is not None and test.path else None
    match test.kind:
        case "branch" | "gate":
            what = f"{who} shut out by line {place.line}" if place is not None else f"{who} shut out by a guard"
        case "room" if test.room is not None:
            what = f"{who} finds no room in {test.room.name}"
        case "turn":
            what = f"{who} has {requests(test.ahead, NAMED)} before it"
        case _:
            what = f"{who}: {reason(made)}"
    match found.passed:
        case Passed(iteration=iteration, time=time):
            return f"{what}, last passed {f'in iteration {grouped(iteration)}' if iteration else f'at {clock(time)}'}"
        case NeverPassed(since=None):
            return f"{what}, never passed before"
    return what
