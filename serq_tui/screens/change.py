"""The dialog of a run's settings: a line each; it reads no value and runs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Label

from serq_tui.changes import Setting, key_of
from serq_tui.panes.line import TypedLine

_TITLES = {"setting": "settings", "input": "inputs", "constant": "constants"}


class ChangeScreen(ModalScreen[dict[str, str] | None]):
    """Ask for other values. The answer has by ``kind name`` what was typed over.

    Args:
        settings: what there is, as it stands.
        texts: what was typed before.
        words: why that is no answer, empty where nothing is wrong yet.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "close", key_display="esc"),
        Binding("down", "app.focus_next", "next", show=False),
        Binding("up", "app.focus_previous", "before", show=False),
    ]

    def __init__(self, settings: tuple[Setting, ...], texts: Mapping[str, str] | None = None, words: str = "") -> None:
        super().__init__()
        self._settings = settings
        self._texts = dict(texts or {})
        self._words = words

    def compose(self) -> ComposeResult:
        """Kind by kind, a line a setting; below them what went wrong."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = "change and run again"
            dialog.border_subtitle = "tab next · enter runs · esc closes"
            with VerticalScroll(id="changes", can_focus=False):
                width = max(len(setting.name) for setting in self._settings) + 2
                for kind, many in groupby(self._settings, key=lambda setting: setting.kind):
                    yield Label(_TITLES[kind], classes="change-title")
                    for setting in many:
                        with Horizontal(classes="change"):
                            yield Label(f"{setting.name:<{width}}", markup=False)
                            yield TypedLine(self._texts.get(key_of(setting), setting.text), name=key_of(setting), compact=True)
            yield Label(self._words, id="answer", markup=False)

    def on_mount(self) -> None:
        """Stand on the first setting, which is the seed."""
        self.query_one("#answer").display = bool(self._words)
        self.query(Input).first().focus()
        self._mark()

    def on_input_changed(self) -> None:
        """What is no longer as it was stands out."""
        self._mark()

    def _mark(self) -> None:
        was = {key_of(setting): setting.text for setting in self._settings}
        for line in self.query(Input):
            line.set_class(line.value != was[str(line.name)], "-changed")

    def on_input_submitted(self) -> None:
        """Take all of them."""
        self.dismiss({str(line.name): line.value for line in self.query(Input)})
