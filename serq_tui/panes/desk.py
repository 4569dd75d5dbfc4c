"""The desk: all panes at their places; it arranges them and hands each its part of a view."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from serq_tui.arrangement import PANES, Box, Facts, PaneName, arrange
from serq_tui.panes.detail import DetailPane
from serq_tui.panes.pools import PoolsPane, RegistersPane
from serq_tui.panes.source import SourcePane
from serq_tui.panes.tables import BatchPane, RunningPane, WaitingPane
from serq_tui.view_state import DebuggerState


class Desk(Container):
    """The six panes, and the detail over them."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.source_pane = SourcePane("source")
        self.running_pane = RunningPane("running")
        self.waiting_pane = WaitingPane("waiting")
        self.batch_pane = BatchPane("batch")
        self.registers_pane = RegistersPane("registers")
        self.pools_pane = PoolsPane("pools")
        self.detail_pane = DetailPane("detail")
        self._facts = Facts(0, 0, 0)
        self._maximised: PaneName | None = None
        self._focused: PaneName = "source"

    def compose(self) -> ComposeResult:
        """The panes in the order of their numbers, which is also the order of tab."""
        yield self.source_pane
        yield self.running_pane
        yield self.waiting_pane
        yield self.batch_pane
        yield self.registers_pane
        yield self.pools_pane
        yield self.detail_pane

    def pane(self, name: PaneName) -> Widget:
        """A pane by its name."""
        panes: dict[PaneName, Widget] = {
            "source": self.source_pane,
            "running": self.running_pane,
            "waiting": self.waiting_pane,
            "batch": self.batch_pane,
            "registers": self.registers_pane,
            "pools": self.pools_pane,
        }
        return panes[name]

    # ----------------------------------------------------------------- showing

    def show(self, state: DebuggerState) -> None:
        """Hand each pane its part."""
        facts = Facts(
            pools=len(state.pools.pools),
            memories=sum(pool.memory for pool in state.pools.pools),
            registers=len(state.registers.registers) + len(state.registers.watches),
        )
        self.source_pane.show(state.source)
        self.running_pane.show(state.running)
        self.waiting_pane.show(state.waiting)
        self.batch_pane.show(state.batch)
        self.registers_pane.show(state.registers)
        self.pools_pane.show(state.pools)
        if state.detail is not None:
            self.detail_pane.show(state.detail)
        if facts != self._facts or self.detail_pane.display != (state.detail is not None):
            self._facts = facts
            self.detail_pane.display = state.detail is not None
            self.place_panes()

    # ----------------------------------------------------------------- arranging

    @property
    def maximised(self) -> PaneName | None:
        """The pane that has the screen to itself."""
        return self._maximised

    def maximise(self, name: PaneName | None) -> None:
        """Give one pane the whole desk, or give it back to all."""
        self._maximised = name
        self.place_panes()

    def toggle_maximised(self) -> None:
        """Give the focused pane the whole desk, or give it back."""
        self.maximise(None if self._maximised is not None else self._focused)

    def focus_pane(self, name: PaneName) -> None:
        """Focus a pane; where one has the desk to itself it is that one from now on."""
        self._take_focus(name)
        # At once and not when the screen is idle, as `focus` would: a key typed next is for this pane.
        self.screen.set_focus(self.pane(name))

    def focus_onward(self, onward: int) -> None:
        """Focus the next pane in the order of their numbers, or the one before."""
        self.focus_pane(PANES[(PANES.index(self._focused) + onward) % len(PANES)])

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Where only one pane fits, and while one is maximised, focus chooses which."""
        name = next((name for name in PANES if name == event.widget.id), None)
        if name is not None:
            self._take_focus(name)

    def _take_focus(self, name: PaneName) -> None:
        if name == self._focused:
            return
        self._focused = name
        if self._maximised is not None:
            self._maximised = name
        self.place_panes()

    def on_resize(self) -> None:
        """Arrange for the new size."""
        self.place_panes()

    def place_panes(self) -> None:
        """Put the panes in their places."""
        width, height = self.size
        if not width or not height:
            return
        arrangement = arrange(width, height, self._facts, self._maximised, self._focused)
        self.pools_pane.make_roomy(arrangement.roomy)
        for name in PANES:
            box = arrangement.boxes.get(name)
            _place(self.pane(name), box)
        _place(self.detail_pane, arrangement.detail)


def _place(pane: Widget, box: Box | None) -> None:
    """Put a widget in a box; without one it keeps its last place out of sight, and stays focusable."""
    pane.set_class(box is None, "-out")
    if box is not None:
        pane.styles.offset = (box.x, box.y)
        pane.styles.width, pane.styles.height = box.width, box.height
