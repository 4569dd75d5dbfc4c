"""The source pane: the program's text, what is lit in it and what its statements just decided."""

from __future__ import annotations

from typing import ClassVar

from textual import events

from serq_tui import text_rows
from serq_tui.keymap import Scope, bindings
from serq_tui.marks import LineMark
from serq_tui.messages import ToggleBreakpoint
from serq_tui.panes.pane import Pane
from serq_tui.pieces import Content
from serq_tui.source_state import SourceState


class SourcePane(Pane[SourceState]):
    """The text with a gutter. The cursor follows the lit statement until it is moved."""

    NUMBER = 1
    SCOPES: ClassVar[tuple[Scope, ...]] = (
        "source",
        "marked",
    )
    BINDINGS = bindings(*SCOPES)

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._shift = 0

    def content(self, state: SourceState, width: int) -> Content:
        """The text's lines."""
        return text_rows.source(state, width, self._shift)

    def title(self, state: SourceState) -> str:
        """The file and the lit line."""
        return f"source {state.text.name}:{state.home}"

    def home_index(self, state: SourceState) -> int | None:
        """The lit statement, or the fault."""
        return state.home - 1

    def words(self, index: int) -> str:
        """The whole line of the text, also where the pane is too narrow for it."""
        return self.state.text.lines[index] if self.state is not None else ""

    def on_click(self, event: events.Click) -> None:
        """A click in the gutter sets or clears a breakpoint there."""
        offset = event.get_content_offset(self)
        super().on_click(event)
        if offset is not None and self.state is not None and offset.x <= len(str(len(self.state.text.lines))):
            self.action_toggle_breakpoint()

    def action_shift(self, columns: int) -> None:
        """Scroll sideways, never past the longest line."""
        longest = max((len(line) for line in self.state.text.lines), default=0) if self.state else 0
        self._shift = max(min(self._shift + columns, longest - 1), 0)
        self.redraw()

    def action_toggle_breakpoint(self) -> None:
        """Ask for a breakpoint on the cursor's line."""
        key = self.cursor_key
        self.post_message(ToggleBreakpoint(LineMark(key) if isinstance(key, int) else None))
