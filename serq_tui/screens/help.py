"""The help: every key, from the table of actions; knows no key of its own."""

from __future__ import annotations

from itertools import groupby

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from serq_tui.keymap import ACTIONS, GROUPS

SIGNS = (
    ("P d", "prefill and decode"),
    ("x", "preempted"),
    ("+ −", "came and went since the moment before"),
    ("← 3", "was 3 at the moment before"),
    ("▸", "head of a queue"),
    ("✗", "does not fit"),
    ("▶ ▷", "the statement executed last: at this moment, or before it"),
    ("● ○ ·", "a breakpoint, a disabled one, and where one can stand"),
)


class HelpScreen(ModalScreen[None]):
    """The keys by what they are for."""

    BINDINGS = [("escape,question_mark,q", "dismiss", "close")]

    def compose(self) -> ComposeResult:
        """One table."""
        with VerticalScroll(id="help") as box:
            box.border_title = "keys"
            box.border_subtitle = "esc closes"
            yield Static(self._table(), id="help-table")

    def _table(self) -> Table:
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True, justify="right")
        table.add_column()
        for group in GROUPS:
            table.add_row("", Text(group, style="bold underline"))
            here = [action for action in ACTIONS if action.group == group]
            for sentence, many in groupby(here, key=lambda action: action.help):
                table.add_row(Text(" ".join(action.shown for action in many), style="bold"), sentence)
            table.add_row("", "")
        table.add_row("", Text("Signs", style="bold underline"))
        for sign, meaning in SIGNS:
            table.add_row(Text(sign, style="bold"), meaning)
        return table
