"""Questions a person asks of a moment, and the frozen answers; finds none and draws nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grammar.declaring import dataclass
from serq_tui.comparing import AskCompare, CompareAnswer
from serq_tui.figures import AskReport, ReportAnswer

if TYPE_CHECKING:
    from engine.autopsy import Autopsy
    from engine.decision_log import Logged
    from engine.grid import Column
    from engine.passing import NeverPassed, Passed
    from engine.snapshot import Position, Snapshot, Who
    from engine.standstill import Standstill
    from engine.story import Story
    from engine.waste import EngineWaste
    from engine.why import Overtaking, Why
    from engine.would_admit import Change
    from serq_tui.decision_words import Names


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
    """What did everybody do around this moment, or around another one that was seen?"""

    engine: int | None = None
    around: Position | None = None


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
    """The iterations around this moment, or ``around`` another one."""

    scene: Scene
    engine: str
    stage: int
    columns: tuple[Column, ...]
    around: Position | None = None


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
