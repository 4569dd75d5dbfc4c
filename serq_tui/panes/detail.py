"""The detail pane: one request, whole, over what is not a list of requests."""

from __future__ import annotations

from serq_tui import text_rows
from serq_tui.panes.pane import Pane
from serq_tui.pieces import Content
from serq_tui.view_state import DetailState


class DetailPane(Pane[DetailState]):
    """It stays open while time moves, so that one can watch a request."""

    CURSOR = False
    TITLE_PAD = ""

    def content(self, state: DetailState, width: int) -> Content:
        """What it does, holds and knows."""
        return text_rows.detail(state, width)

    def title(self, state: DetailState) -> str:
        """The request."""
        return f"{state.who} · enter its story · esc closes"
