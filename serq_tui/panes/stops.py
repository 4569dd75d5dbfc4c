"""The panes of what stops a run and of the watched values."""

from __future__ import annotations

from engine.breakpoints import Breakpoint
from engine.conditions import Value
from serq_tui import stops_rows
from serq_tui.format import plural
from serq_tui.panes.pane import Pane
from serq_tui.pieces import Content
from serq_tui.stops_state import StopsState, WatchesState


class StopsPane(Pane[StopsState]):
    """What stops a run."""

    @property
    def chosen(self) -> tuple[Breakpoint, ...] | None:
        """What the stop under the cursor is on."""
        key = self.cursor_key
        return key if isinstance(key, tuple) else None

    def content(self, state: StopsState, width: int) -> Content:
        """A line a stop."""
        return stops_rows.stops(state, width)

    def title(self, state: StopsState) -> str:
        """How many."""
        return plural(len(state.rows), "breakpoint")


class WatchesPane(Pane[WatchesState]):
    """The watched values."""

    @property
    def chosen(self) -> Value | None:
        """The value under the cursor."""
        key = self.cursor_key
        return key if isinstance(key, Value) else None

    def content(self, state: WatchesState, width: int) -> Content:
        """A line a value."""
        return stops_rows.watches(state, width)

    def title(self, state: WatchesState) -> str:
        """How many."""
        return plural(len(state.rows), "watch", "watches")
