"""The header: where we are and why we are here, in two lines."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from serq_tui import text_rows
from serq_tui.pieces import ROLES
from serq_tui.view_state import HeaderState


class HeaderBar(Widget):
    """Two lines that say the moment; while a run is under way the second says what it does."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"role--{role}" for role in ROLES}

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._state: HeaderState | None = None
        self._activity: str | None = None

    @property
    def activity(self) -> str | None:
        """What is under way, None when nothing is."""
        return self._activity

    def show(self, state: HeaderState) -> None:
        """Show a moment."""
        if state != self._state:
            self._state = state
            self.refresh()

    def say(self, activity: str | None) -> None:
        """Say what is under way; None ends it."""
        if activity != self._activity:
            self._activity = activity
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """One of the two lines."""
        ground = self.rich_style
        width = self.size.width
        if self._state is None:
            return Strip.blank(width, ground)
        line = text_rows.header(self._state, width, self._activity)[y]
        segments = [Segment(part.text, ground + self.get_component_rich_style(f"role--{part.role}", partial=True)) for part in line]
        return Strip(segments).adjust_cell_length(width, ground)
