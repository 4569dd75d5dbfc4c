"""The time pane: the whole run as seen so far, with a cursor one can drag; it goes nowhere itself."""

from __future__ import annotations

from typing import ClassVar

from textual import events

from serq_tui import time_rows
from serq_tui.keymap import Scope, bindings
from serq_tui.messages import Travel
from serq_tui.panes.pane import MARGIN, Pane
from serq_tui.pieces import Content
from serq_tui.view_state import TimeState


class TimePane(Pane[TimeState]):
    """What was seen of the run over its clock. Where one clicks or drags is where one goes."""

    NUMBER = 7
    CURSOR = False
    SCOPES: ClassVar[tuple[Scope, ...]] = ("time",)
    BINDINGS = bindings(*SCOPES)

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._tall = True
        self._dragged: int | None = None

    def make_tall(self, tall: bool) -> None:
        """Give every strip its line, or have one line only."""
        if tall != self._tall:
            self._tall = tall
            self.redraw()

    def content(self, state: TimeState, width: int) -> Content:
        """The strips."""
        return time_rows.time(state, width, self._tall)

    def title(self, state: TimeState) -> str:
        """How far the run was seen."""
        return time_rows.time_title(state)

    @property
    def _cells(self) -> int:
        return time_rows.cells_of(self.size.width - MARGIN)

    def action_travel(self, onward: int) -> None:
        """Go to the next cell in which something was seen, or to the one before."""
        if self.state is not None:
            self._go(time_rows.neighbour(self.state, self._cells, onward))

    def _go(self, cell: int) -> None:
        if self.state is not None and self.state.overview.stretches:
            self.post_message(Travel(time_rows.clock_at(self.state, self._cells, cell)))

    # ----------------------------------------------------------------- mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the cursor, and go where the mouse is; or of the rule."""
        super().on_mouse_down(event)
        if event.get_content_offset(self) is not None:
            event.stop()
            self.capture_mouse()
            self._drag(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Go along with the mouse."""
        super().on_mouse_move(event)
        if self._dragged is not None:
            event.stop()
            self._drag(event.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go of the cursor."""
        super().on_mouse_up(event)
        if self._dragged is not None:
            event.stop()
            self._dragged = None
            self.release_mouse()

    def _drag(self, x: int) -> None:
        cell = x - time_rows.NAME
        if cell != self._dragged:
            self._dragged = cell
            self._go(cell)
