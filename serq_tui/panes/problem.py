"""The pane of a file that does not load: its text with the errors below their lines."""

from __future__ import annotations

from serq_tui.panes.pane import Pane
from serq_tui.pieces import Content
from serq_tui.problems import Problem, problem_lines


class ProblemPane(Pane[Problem]):
    """The text, the first line to blame in view."""

    def content(self, state: Problem, width: int) -> Content:
        """The text and the errors."""
        return problem_lines(state)

    def title(self, state: Problem) -> str:
        """What is wrong, counted."""
        return state.title

    def home_index(self, state: Problem) -> int | None:
        """The first line to blame."""
        return state.first_line
