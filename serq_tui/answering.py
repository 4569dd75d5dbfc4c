"""Answers to the questions a person asks of a moment; knows no screen and draws nothing.

An answer is found by replay and takes as long as it takes; whoever asks does so where nothing
else uses the timeline meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from engine.autopsy import Autopsy, autopsy
from engine.decision_log import log
from engine.decisions import Preempted
from engine.passing import last_passed
from engine.snapshot import Position, Who
from engine.standstill import standstill
from engine.why import ask, overtaken, why
from engine.would_admit import would_admit
from grammar.ir import Place
from serq_tui.answers import (
    Answer,
    AskAutopsy,
    AskGrid,
    AskLog,
    AskStandstill,
    AskStory,
    AskWaste,
    AskWhy,
    AutopsyAnswer,
    GridAnswer,
    LogAnswer,
    NoAnswer,
    Question,
    Scene,
    StandstillAnswer,
    StoryAnswer,
    WasteAnswer,
    WhyAnswer,
)
from serq_tui.comparing import AskCompare, compare
from serq_tui.debuggee import Debuggee
from serq_tui.decision_words import Names
from serq_tui.figures import AskReport, report_of
from serq_tui.view import engine_at_hand
from serq_tui.view_state import Moment

Interrupt = Callable[[], bool]

LOGGED_EVENTS = 200
"""Events the log goes back: some thousand decisions, more than one reads and quick to replay."""

PASSED_EVENTS = 20_000
"""Events the why card looks back for when the test that fails was last passed: half a second at most; ``L`` looks further."""

COLUMNS_BEFORE, COLUMNS_AFTER = 160, 40
"""Iterations of the grid before and after the present one: wider than a terminal."""

COLUMNS_BESIDE = 120
"""Iterations on either side of another moment, which stands in the middle."""


def find(question: Question, debuggee: Debuggee, moment: Moment, interrupt: Interrupt) -> Answer:
    """The answer at the present moment.

    Raises:
        Interrupted: told to stop.
    """
    text = debuggee.text
    scene = Scene(
        moment.now,
        Names.of(moment.now, text.registers, text.claims),
        {at: (place.line, _text(text.lines, place)) for at, place in text.places.schedule.items()},
    )
    match question:
        case AskWhy(who):
            return _why(who, scene, debuggee, moment, interrupt)
        case AskAutopsy(position, who):
            found = autopsy(debuggee.timeline.past, position, who, interrupt)
            return AutopsyAnswer(scene, found) if found is not None else NoAnswer(f"{who} was not preempted at {position}")
        case AskStory(who):
            told = debuggee.stories.at(debuggee.timeline.past, who.serial, interrupt)
            return StoryAnswer(scene, told) if told is not None else NoAnswer(f"{who} has not arrived")
        case AskLog():
            return LogAnswer(scene, log(debuggee.timeline.past, LOGGED_EVENTS, interrupt))
        case AskGrid(engine, around):
            return _grid(engine, around, scene, debuggee, interrupt)
        case AskStandstill(engine):
            at_hand = engine_at_hand(scene.now, engine)
            stage = at_hand.stage if at_hand is not None else None
            return StandstillAnswer(scene, standstill(debuggee.timeline.past, stage, interrupt))
        case AskReport():
            return report_of(debuggee)
        case AskWaste(engine):
            return _waste(engine, scene, debuggee, interrupt)
        case AskCompare(by, engine):
            if debuggee.beside is None:
                return NoAnswer("there is no other run to compare with: u changes this one, and keeps it beside the new one")
            return compare(debuggee.beside, debuggee, moment, by, engine, interrupt)
        case unknown:
            assert_never(unknown)


def _text(lines: tuple[str, ...], place: Place) -> str:
    """A statement's text on its first line; of a branch only up to what it encloses."""
    end = place.end_column - 1 if place.end_line == place.line else None
    text = lines[place.line - 1][place.column - 1 : end].strip()
    return text.partition("{")[0].strip() if text.startswith("branch") else text


def _why(who: Who | None, scene: Scene, debuggee: Debuggee, moment: Moment, interrupt: Interrupt) -> Answer:
    past, now = debuggee.timeline.past, moment.now
    at = Position(now.position.events, now.position.attempts)
    lost = [record.who for record in moment.records if isinstance(record, Preempted)]
    if who is None and lost:
        found = autopsy(past, at, lost[0], interrupt)
        if found is not None:
            return AutopsyAnswer(scene, found)
    if who is None:
        who = next((queue.waiting[0].who for queue in now.queues if queue.waiting), None)
    if who is None:
        return NoAnswer("nobody waits at this moment")
    question = ask(past, who)
    if question is None:
        return NoAnswer(f"{who} does not wait for a hold at this moment")
    made = why(past, question)
    return WhyAnswer(
        scene,
        made,
        last_passed(past, made, interrupt, PASSED_EVENTS),
        overtaken(past, question, interrupt),
        would_admit(question, interrupt),
        autopsy(past, at, who, interrupt) if who in lost else _earlier(debuggee, who, interrupt),
    )


def _earlier(debuggee: Debuggee, who: Who, interrupt: Interrupt) -> Autopsy | None:
    """The autopsy of the preemption by which a request waits now."""
    told = debuggee.stories.at(debuggee.timeline.past, who.serial, interrupt)
    if told is None or not told.losses or told.losses[-1].resumed is not None:
        return None

    return autopsy(debuggee.timeline.past, told.losses[-1].position, who, interrupt)


def _waste(chosen: int | None, scene: Scene, debuggee: Debuggee, interrupt: Interrupt) -> Answer:
    engine = engine_at_hand(scene.now, chosen)
    if engine is None:
        return NoAnswer("this program has no engine, so it computes no tokens")
    accounts = debuggee.accounts.at(debuggee.timeline.past, interrupt)
    return WasteAnswer(scene, next(account for account in accounts if account.stage == engine.stage))


def _grid(chosen: int | None, around: Position | None, scene: Scene, debuggee: Debuggee, interrupt: Interrupt) -> Answer:
    engine = engine_at_hand(scene.now, chosen)
    if engine is None:
        return NoAnswer("this program has no engine, so it has no iterations")
    timeline = debuggee.timeline
    before, after = (COLUMNS_BEFORE, COLUMNS_AFTER) if around is None else (COLUMNS_BESIDE, COLUMNS_BESIDE)
    columns = debuggee.columns.window(timeline.past, engine.stage, before, after, timeline.seen, interrupt, around)
    if not columns:
        return NoAnswer(f"{engine.name} has not run an iteration yet")
    return GridAnswer(scene, engine.name, engine.stage, columns, around)
