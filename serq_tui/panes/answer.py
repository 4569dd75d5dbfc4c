"""The pane of an answer: why a request waits, its story, the log, the grid; it finds none of them."""

from __future__ import annotations

from textual import events
from textual.geometry import clamp

from engine.snapshot import Who
from engine.targets import AtPosition, AtTime
from serq_tui import compare_rows, grid_rows, log_rows, report_rows, standing_rows, story_rows, waste_rows, why_rows
from serq_tui.answers import (
    Answer,
    AskGrid,
    AutopsyAnswer,
    GridAnswer,
    LogAnswer,
    StandstillAnswer,
    StoryAnswer,
    WasteAnswer,
    WhyAnswer,
)
from serq_tui.comparing import CompareAnswer
from serq_tui.figures import ReportAnswer
from serq_tui.messages import AskAgain, FollowLine, TellStory
from serq_tui.panes.pane import Pane
from serq_tui.pieces import Content, Entry, piece

#: Iterations the grid moves sideways: two marks of its ruler.
SIDEWAYS = 20


class AnswerPane(Pane[Answer]):
    """An answer's lines. A line that names a moment leads there, one that is a request opens its story."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._filter = ""

    @property
    def request(self) -> Who | None:
        """The request under the cursor."""
        key = self.cursor_key
        return key if isinstance(key, Who) else None

    def filter(self, text: str) -> None:
        """Show of the log only what has these words."""
        if text != self._filter:
            self._filter = text
            self.redraw()

    def content(self, state: Answer, width: int) -> Content:
        """The answer's lines."""
        match state:
            case WhyAnswer():
                return why_rows.why(state, width)
            case AutopsyAnswer():
                return why_rows.autopsy(state, width)
            case StoryAnswer():
                return story_rows.story(state, width)
            case LogAnswer():
                return log_rows.log(state, width, self._filter)
            case GridAnswer():
                return grid_rows.grid(state, width)
            case CompareAnswer():
                return compare_rows.compare(state, width)
            case StandstillAnswer():
                return standing_rows.standstill(state, width)
            case ReportAnswer():
                return report_rows.report(state, width)
            case WasteAnswer():
                return waste_rows.waste(state, width)
            case _:
                return Content([Entry(piece(state.words, "dim"))])

    def title(self, state: Answer) -> str:
        """What it is the answer to."""
        match state:
            case WhyAnswer():
                return why_rows.why_title(state)
            case AutopsyAnswer():
                return why_rows.autopsy_title(state)
            case StoryAnswer():
                return story_rows.story_title(state)
            case LogAnswer():
                return log_rows.log_title(state)
            case GridAnswer():
                return grid_rows.grid_title(state)
            case CompareAnswer():
                return compare_rows.compare_title(state)
            case StandstillAnswer():
                return standing_rows.standstill_title(state)
            case ReportAnswer():
                return report_rows.report_title(state)
            case WasteAnswer():
                return waste_rows.waste_title(state)
            case _:
                return "no answer"

    def home_index(self, state: Answer) -> int | None:
        """The latest decision of a log, where two runs part; else the first line."""
        if isinstance(state, CompareAnswer) and state.parting is not None:
            return 1
        if isinstance(state, LogAnswer):
            return max(len(log_rows.filtered(state, self._filter)) - 1, 0)
        return None

    def follow(self) -> None:
        """Go where the line under the cursor leads."""
        key = self.cursor_key
        if isinstance(key, AtPosition | AtTime):
            self.post_message(FollowLine(key))
        elif isinstance(key, Who):
            self.post_message(TellStory(key))

    def sideways(self, onward: int) -> None:
        """Look at other iterations of the grid; the moment stays."""
        if isinstance(self.state, GridAnswer):
            columns = self.state.columns
            index = clamp(grid_rows.centre(self.state) + onward * SIDEWAYS, 0, len(columns) - 1)
            self.post_message(AskAgain(AskGrid(self.state.stage, columns[index].position)))

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """Look to the left."""
        event.stop()
        self.sideways(-1)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """Look to the right."""
        event.stop()
        self.sideways(1)

    def opened(self) -> None:
        """A double click follows, as enter does."""
        self.follow()
