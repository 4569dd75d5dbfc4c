"""The header: where we are and why we are here, in two lines."""

from __future__ import annotations

from textual.geometry import Region
from textual.strip import Strip

from serq_tui import text_rows
from serq_tui.panes.styled import Styled
from serq_tui.pieces import Line
from serq_tui.view_state import HeaderState


class HeaderBar(Styled):
    """Two lines that say the moment; while a run is under way the second says what it does."""

    def __init__(self, id: str, state: HeaderState | None = None) -> None:
        super().__init__(id=id)
        self._state = state
        self._activity: str | None = None
        self._drawn: dict[int, Line] = {}
        """What each line was last drawn from."""

    @property
    def state(self) -> HeaderState | None:
        """The moment it says."""
        return self._state

    @property
    def activity(self) -> str | None:
        """What is under way, None when nothing is."""
        return self._activity

    def show(self, state: HeaderState) -> None:
        """Show a moment."""
        if state != self._state:
            self._state = state
            self._redraw()

    def say(self, activity: str | None) -> None:
        """Say what is under way; None ends it."""
        if activity != self._activity:
            self._activity = activity
            self._redraw()

    def _redraw(self) -> None:
        width = self.size.width
        others = [y for y, line in enumerate(self._lines(width)) if self._drawn.get(y) != line]
        if others:
            self.refresh(*(Region(0, y, width, 1) for y in others))

    def _lines(self, width: int) -> tuple[Line, Line]:
        return text_rows.header(self._state, width, self._activity) if self._state is not None else ((), ())

    def render_line(self, y: int) -> Strip:
        """One of the two lines."""
        width = self.size.width
        line = self._drawn[y] = self._lines(width)[y]
        return self.strip(line, width)
