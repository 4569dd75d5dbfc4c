"""The panes of what an engine keeps: registers and pools."""

from __future__ import annotations

from typing import ClassVar

from serq_tui import bar_rows
from serq_tui.keymap import Scope, bindings
from serq_tui.marks import PoolMark
from serq_tui.messages import GoToLastChange, ToggleBreakpoint
from serq_tui.panes.pane import Pane
from serq_tui.pieces import Content
from serq_tui.view_state import PoolsState, RegistersState


class RegistersPane(Pane[RegistersState]):
    """The registers and what they were."""

    NUMBER = 5
    SCOPES: ClassVar[tuple[Scope, ...]] = ("registers",)
    BINDINGS = bindings(*SCOPES)

    def content(self, state: RegistersState, width: int) -> Content:
        """One line a register."""
        return bar_rows.registers(state, width)

    def title(self, state: RegistersState) -> str:
        """The pane's name."""
        return bar_rows.registers_title(state)

    def action_last_change(self) -> None:
        """Ask to go to where the value under the cursor last changed."""
        key = self.cursor_key
        self.post_message(GoToLastChange(key if isinstance(key, str) else ""))

    def opened(self) -> None:
        """A double click goes there, as enter does."""
        self.action_last_change()


class PoolsPane(Pane[PoolsState]):
    """The pools as bars; a pane with room also shows who holds what."""

    NUMBER = 6
    SCOPES: ClassVar[tuple[Scope, ...]] = ("marked",)
    BINDINGS = bindings(*SCOPES)

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._roomy = True

    def make_roomy(self, roomy: bool) -> None:
        """Give every pool its lines, or one line only."""
        if roomy != self._roomy:
            self._roomy = roomy
            self.redraw()

    def content(self, state: PoolsState, width: int) -> Content:
        """A line a pool, or three."""
        return bar_rows.pools(state, width, self._roomy)

    def title(self, state: PoolsState) -> str:
        """The glyphs of the bars."""
        return bar_rows.pools_title()

    def action_toggle_breakpoint(self) -> None:
        """Ask to stop on preemptions of the pool under the cursor."""
        key = self.cursor_key
        self.post_message(ToggleBreakpoint(PoolMark(key) if isinstance(key, int) else None))
