"""Questions a person asks of a moment, and the frozen answers; knows no screen and draws nothing.

An answer is found by replay and takes as long as it takes; whoever asks does so where nothing
else uses the timeline meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from engine.autopsy import Autopsy, autopsy
from engine.decision_log import Logged, log
from engine.decisions import Preempted
from engine.grid import Column, window
from engine.passing import NeverPassed, Passed, last_passed
from engine.snapshot import Position, Snapshot, Who
from engine.standstill import Standstill, standstill
from engine.story import Story
from engine.waste import EngineWaste
from engine.why import Overtaking, Why, ask, overtaken, why
from engine.would_admit import Change, would_admit
from grammar.ir import Place
from serq_tui.comparing import AskCompare, CompareAnswer, compare
from serq_tui.debuggee import Debuggee
from serq_tui.decision_words import Names
from serq_tui.figures import AskReport, ReportAnswer, report_of
from serq_tui.view import engine_at_hand
from serq_tui.view_state import Moment

Interrupt = Callable[[], bool]

LOGGED_EVENTS = 200
"""Events the log goes back: some thousand decisions, more than one reads and quick to replay."""

PASSED_EVENTS = 20_000
"""Events the why card looks back for when the test that fails was last passed: half a second at most; ``L`` looks further."""

COLUMNS_BEFORE, COLUMNS_AFTER = 160, 40
"""Iterations of the grid before and after the present one: wider than a terminal."""


@dataclass(frozen=True, slots=True)
class AskWhy:
    """Why does a request wait, or why was it preempted? None asks about the head of a queue, or this moment's preemption."""

    who: Who | None


@dataclass(frozen=True, slots=True)
class AskAutopsy:
    """How did a preemption come, and what did it cost? The answer is the same from every moment."""

    position: Position
    who: Who


@dataclass(frozen=True, slots=True)
class AskStory:
    """What became of a request?"""

    who: Who


@dataclass(frozen=True, slots=True)
class AskLog:
    """What was decided lately?"""


@dataclass(frozen=True, slots=True)
class AskGrid:
    """What did everybody do around this moment?"""

    engine: int | None = None


@dataclass(frozen=True, slots=True)
class AskStandstill:
    """What keeps an engine from going on: which test, since when; who waits for whom; what comes again?"""

    engine: int | None = None


@dataclass(frozen=True, slots=True)
class AskWaste:
    """What of an engine's work was of use?"""

    engine: int | None = None


Question = AskWhy | AskAutopsy | AskStory | AskLog | AskGrid | AskCompare | AskStandstill | AskReport | AskWaste


@dataclass(frozen=True, slots=True)
class Scene:
    """What every answer needs to name things.

    Attributes:
        schedule: by (stage, path) the first line of a schedule statement, from 1, and its text on that line.
        registers: names of the registers.
    """

    now: Snapshot
    names: Names
    schedule: dict[tuple[int, tuple[int, ...]], tuple[int, str]]


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """Why a request waits, who overtook it, what would let it in; ``autopsy`` is that of the preemption it comes from.

    Attributes:
        passed: when the test that fails was last passed; None where none fails.
    """

    scene: Scene
    why: Why
    passed: Passed | NeverPassed | None
    overtaken: tuple[Overtaking, ...]
    changes: tuple[Change, ...]
    autopsy: Autopsy | None


@dataclass(frozen=True, slots=True)
class AutopsyAnswer:
    """A preemption."""

    scene: Scene
    autopsy: Autopsy


@dataclass(frozen=True, slots=True)
class StoryAnswer:
    """A request's story."""

    scene: Scene
    story: Story


@dataclass(frozen=True, slots=True)
class LogAnswer:
    """The latest decisions, the latest last."""

    scene: Scene
    logged: tuple[Logged, ...]


@dataclass(frozen=True, slots=True)
class GridAnswer:
    """The iterations around this moment."""

    scene: Scene
    engine: str
    stage: int
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class StandstillAnswer:
    """What keeps an engine from going on."""

    scene: Scene
    standstill: Standstill


@dataclass(frozen=True, slots=True)
class WasteAnswer:
    """An engine's waste up to this moment."""

    scene: Scene
    waste: EngineWaste


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """There is nothing to say, and why."""

    words: str


Answer = (
    WhyAnswer
    | AutopsyAnswer
    | StoryAnswer
    | LogAnswer
    | GridAnswer
    | CompareAnswer
    | StandstillAnswer
    | ReportAnswer
    | WasteAnswer
    | NoAnswer
)


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
        case AskGrid(engine):
            return _grid(engine, scene, debuggee, interrupt)
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


def _grid(chosen: int | None, scene: Scene, debuggee: Debuggee, interrupt: Interrupt) -> Answer:
    engine = engine_at_hand(scene.now, chosen)
    if engine is None:
        return NoAnswer("this program has no engine, so it has no iterations")
    timeline = debuggee.timeline
    columns = window(timeline.past, engine.stage, COLUMNS_BEFORE, COLUMNS_AFTER, timeline.seen, interrupt)
    if not columns:
        return NoAnswer(f"{engine.name} has not run an iteration yet")
    return GridAnswer(scene, engine.name, engine.stage, columns)
