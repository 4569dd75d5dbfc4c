"""The desk: all panes at their places; it arranges them and hands each its part of a view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from engine.snapshot import Who
from serq_tui.arrangement import GAP, PANES, TIME_LINES, Box, Facts, Layout, PaneName, arrange
from serq_tui.messages import Dragged, LayoutChanged
from serq_tui.panes.detail import DetailPane
from serq_tui.panes.pools import PoolsPane, RegistersPane
from serq_tui.panes.source import SourcePane
from serq_tui.panes.tables import BatchPane, RunningPane, WaitingPane
from serq_tui.panes.time import TimePane
from serq_tui.view_state import DebuggerState


class Desk(Container):
    """The seven panes, and the detail over them."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.source_pane = SourcePane("source")
        self.running_pane = RunningPane("running")
        self.waiting_pane = WaitingPane("waiting")
        self.batch_pane = BatchPane("batch")
        self.registers_pane = RegistersPane("registers")
        self.pools_pane = PoolsPane("pools")
        self.time_pane = TimePane("time")
        self.detail_pane = DetailPane("detail")
        self._layout = Layout()
        self._boxes: Mapping[PaneName, Box] = {}
        self._marked: Who | None = None
        self._held: int | None = None
        """Where the gap between the columns is held while it is dragged."""
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
        yield self.time_pane
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
            "time": self.time_pane,
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
        self.time_pane.show(state.time)
        if state.detail is not None:
            self.detail_pane.show(state.detail)
        if facts != self._facts or self.detail_pane.display != (state.detail is not None):
            self._facts = facts
            self.detail_pane.display = state.detail is not None
            self.place_panes()

    @property
    def marked(self) -> Who | None:
        """The request one has chosen."""
        return self._marked

    def mark(self, who: Who) -> None:
        """Have a request stand out in every pane, whatever becomes of it."""
        self._marked = who
        for pane in (self.running_pane, self.waiting_pane, self.batch_pane, self.pools_pane):
            pane.mark(who)

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

    # ----------------------------------------------------------------- what the person makes of it

    @property
    def layout_made(self) -> Layout:
        """What the person made of the arrangement."""
        return self._layout

    def lay_out(self, layout: Layout) -> None:
        """Arrange as a person wants it."""
        self._layout = layout
        self.place_panes()

    def _make(self, layout: Layout) -> None:
        self.lay_out(layout)
        self.post_message(LayoutChanged(layout))

    def close_pane(self) -> bool:
        """Shut the focused pane; False where it is the last one."""
        shown = [name for name in PANES if name not in self._layout.closed]
        if len(shown) < 2:
            return False
        closed = self._focused
        at = shown.index(closed) if closed in shown else 0
        self._maximised = None
        self._make(self._layout.without(closed))
        self.focus_pane(shown[at - 1] if at else shown[1])
        return True

    def grow(self, lines: int) -> None:
        """Make the focused pane some lines taller, or shorter."""
        self._make(self._layout.with_grown(self._focused, lines))

    def widen(self, cells: int) -> None:
        """Make the first column some cells wider, or narrower."""
        self._make(replace(self._layout, wider=self._layout.wider + cells))

    def all_panes(self) -> None:
        """Open every pane, each in the size it has by itself."""
        self._maximised = None
        self._make(Layout())

    def on_dragged(self, message: Dragged) -> None:
        """A pane's rule was dragged: it gives to the pane above it, or takes from it."""
        message.stop()
        name = next((name for name in PANES if name == message.name), None)
        box = self._boxes.get(name) if name is not None else None
        if name is None or box is None:
            return
        above = [other for other, one in self._boxes.items() if one.y + one.height == box.y and one.x <= box.x < one.x + one.width]
        layout = self._layout.with_grown(name, -message.lines)
        for other in above[:1]:
            layout = layout.with_grown(other, message.lines)
        self._make(layout)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the gap between the columns."""
        first = self._first_column()
        if first is not None and first <= event.x < first + GAP:
            event.stop()
            self._held = event.x
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Draw the gap along."""
        if self._held is not None and event.x != self._held:
            event.stop()
            moved, self._held = event.x - self._held, event.x
            self.widen(moved)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go of the gap."""
        if self._held is not None:
            event.stop()
            self._held = None
            self.release_mouse()

    def _first_column(self) -> int | None:
        """Where the first column ends, None where there is only one."""
        beside = {box.x for box in self._boxes.values()} - {0}
        return min(beside) - GAP if beside else None

    def focus_pane(self, name: PaneName) -> None:
        """Focus a pane, and open it if it is shut; where one has the desk to itself it is that one from now on."""
        if name in self._layout.closed:
            self._make(self._layout.opened(name))
        self._take_focus(name)
        # At once and not when the screen is idle, as `focus` would: a key typed next is for this pane.
        self.screen.set_focus(self.pane(name))

    def focus_onward(self, onward: int) -> None:
        """Focus the next open pane in the order of their numbers, or the one before."""
        at = PANES.index(self._focused)
        around = [PANES[(at + onward * step) % len(PANES)] for step in range(1, len(PANES) + 1)]
        self.focus_pane(next(name for name in around if name not in self._layout.closed))

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
        arrangement = arrange(width, height, self._facts, self._maximised, self._focused, self._layout)
        self._boxes = arrangement.boxes
        if (time := arrangement.boxes.get("time")) is not None:
            self.time_pane.make_tall(time.height > TIME_LINES)
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
