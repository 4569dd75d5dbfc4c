"""The screen of a file that does not load: it says why, and asks to try again or to go back."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen

from serq_tui.panes.keys import KeysBar
from serq_tui.panes.problem import ProblemPane
from serq_tui.problems import Problem


class LoadErrorScreen(Screen[bool]):
    """Its answer: True to load the file again, False to go back."""

    BINDINGS = [
        Binding("r,ctrl+r", "dismiss(True)", "load again", key_display="r"),
        Binding("escape", "dismiss(False)", "back", key_display="esc"),
        Binding("q", "app.quit", "quit"),
    ]

    def __init__(self, problem: Problem) -> None:
        super().__init__()
        self.problem = problem

    def compose(self) -> ComposeResult:
        """The text with its errors."""
        yield ProblemPane("problem")
        yield KeysBar(id="keys")

    def on_mount(self) -> None:
        """Show the problem."""
        pane = self.query_one(ProblemPane)
        pane.show(self.problem)
        pane.focus()
