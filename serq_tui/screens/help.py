"""The help: every key and command, from the tables; those of the pane one is in first, and only what has the words typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.keys import format_key
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from serq_tui.command_line import VERBS
from serq_tui.keymap import ACTIONS, GROUPS, Action, Scope
from serq_tui.panes.line import TypedLine

SIGNS = (
    ("P d", "prefill and decode"),
    ("x", "preempted"),
    ("+ −", "came and went since the moment before"),
    ("← 3", "was 3 at the moment before"),
    ("▸", "head of a queue"),
    ("✗", "does not fit"),
    ("▶ ▷", "the statement executed last: at this moment, or before it"),
    ("● ○ ·", "a breakpoint, a disabled one, and where one can stand"),
    ("≠", "two runs differ here"),
)

Row = tuple[str, str]


class SearchLine(TypedLine):
    """A line to search by, in which ``?`` closes the help as it opened it."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Every printable key but that one is typed."""
        return key != "question_mark" and super().check_consume_key(key, character)


class HelpScreen(ModalScreen[None]):
    """The keys by what they are for.

    Args:
        scopes: the places whose keys are told first.
        where: what those places are called.
        keys: keys a person gave to actions instead of their own.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "close"),
        Binding("question_mark", "dismiss", "close", priority=True),
        Binding("down", "turn(1)", show=False),
        Binding("up", "turn(-1)", show=False),
        Binding("pagedown", "turn(10)", show=False),
        Binding("pageup", "turn(-10)", show=False),
    ]

    def __init__(self, scopes: tuple[Scope, ...] = (), where: str = "", keys: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._scopes = scopes
        self._where = where
        self._keys = keys or {}

    def compose(self) -> ComposeResult:
        """A line to search by, and one table."""
        with Vertical(id="help") as box:
            box.border_title = "keys and commands"
            box.border_subtitle = "type to search · ↑ ↓ scroll · esc closes"
            yield SearchLine(placeholder="search: back, register, :goto …", id="help-search", compact=True)
            with VerticalScroll(id="help-scroll", can_focus=False):
                yield Static(self._table(""), id="help-table")

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one(Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what has these words."""
        self.query_one("#help-table", Static).update(self._table(event.value))
        self.query_one("#help-scroll").scroll_home(animate=False)

    def action_turn(self, lines: int) -> None:
        """Scroll."""
        self.query_one("#help-scroll").scroll_relative(y=lines, animate=False)

    # ----------------------------------------------------------------- the table

    def _table(self, words: str) -> Table:
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True, justify="right")
        table.add_column()
        wanted = words.lower().split()
        empty = True
        for title, rows in self._sections():
            kept = [row for row in rows if all(word in f"{title} {row[0]} {row[1]}".lower() for word in wanted)]
            if not kept:
                continue
            empty = False
            table.add_row("", Text(title, style="bold underline"))
            for shown, sentence in kept:
                table.add_row(Text(shown, style="bold"), sentence)
            table.add_row("", "")
        if empty:
            table.add_row("", f"no key and no command has {words}")
        return table

    def _sections(self) -> Iterator[tuple[str, list[Row]]]:
        here = [action for action in ACTIONS if action.scope in self._scopes]
        if here:
            yield f"Here, in {self._where}", self._rows(here)
        for group in GROUPS:
            yield group, self._rows([action for action in ACTIONS if action.group == group])
        yield "Commands, after :", [(f":{verb.name} {verb.takes}", verb.help) for verb in VERBS]
        yield "Signs", list(SIGNS)

    def _rows(self, actions: list[Action]) -> list[Row]:
        return [
            (" ".join(shown_keys(action, self._keys) for action in many), sentence)
            for sentence, many in groupby(actions, key=lambda action: action.help)
        ]


def shown_keys(action: Action, keys: Mapping[str, str]) -> str:
    """How an action's keys are written, those a person gave it before its own."""
    own = keys.get(action.id)
    return action.shown if own is None else " ".join(format_key(key) for key in own.split(","))
