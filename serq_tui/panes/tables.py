"""The panes of requests: running, waiting and batch."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from engine.snapshot import Who
from serq_tui import bar_rows, rows
from serq_tui.keymap import Scope, bindings
from serq_tui.marks import RequestMark
from serq_tui.messages import OpenDetail, Selected, ToggleBreakpoint
from serq_tui.panes.pane import Pane
from serq_tui.pieces import Content
from serq_tui.view_state import BatchState, RunningState, WaitingState

State = TypeVar("State")


class RequestPane(Pane[State]):
    """A pane whose lines are requests: one can stop on them and open them."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (
        "marked",
        "requests",
    )
    BINDINGS = bindings(*SCOPES)

    @property
    def request(self) -> Who | None:
        """The request under the cursor."""
        key = self.cursor_key
        return key if isinstance(key, Who) else None

    def choose(self, index: int) -> None:
        """Put the cursor on a line, and say which request that is."""
        super().choose(index)
        if self.request is not None:
            self.post_message(Selected(self.request))

    def action_toggle_breakpoint(self) -> None:
        """Ask for a breakpoint on the request."""
        who = self.request
        self.post_message(ToggleBreakpoint(RequestMark(who) if who is not None else None))

    def action_open_detail(self) -> None:
        """Ask for the request's detail."""
        self.post_message(OpenDetail(self.request))

    def opened(self) -> None:
        """A double click opens, as enter does."""
        self.action_open_detail()


class RunningPane(RequestPane[RunningState]):
    """Who runs, in admission order."""

    NUMBER = 2

    def content(self, state: RunningState, width: int) -> Content:
        """The residents."""
        return rows.running(state, width)

    def title(self, state: RunningState) -> str:
        """How many, by mode."""
        return rows.running_title(state)


class WaitingPane(RequestPane[WaitingState]):
    """Who waits, in the order tried."""

    NUMBER = 3

    def content(self, state: WaitingState, width: int) -> Content:
        """The queues."""
        return rows.waiting(state, width)

    def title(self, state: WaitingState) -> str:
        """How many, and where."""
        return rows.waiting_title(state)


class BatchPane(Pane[BatchState]):
    """The running iteration."""

    NUMBER = 4
    CURSOR = False

    def content(self, state: BatchState, width: int) -> Content:
        """Budget, portions, cost."""
        return bar_rows.batch(state, width)

    def title(self, state: BatchState) -> str:
        """Tokens of the budget."""
        return bar_rows.batch_title(state)
