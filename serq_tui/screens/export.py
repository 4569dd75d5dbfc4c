"""The choice of what to take along; it writes nothing."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from serq_tui.exports.choices import CHOICES, KINDS, Choice, Kind
from serq_tui.screens.chooser import ChoiceList


class ExportScreen(ModalScreen[Kind | None]):
    """Choose what to write, by its letter or from the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,e", "dismiss(None)", "close", key_display="esc"),
        *(Binding(choice.key, f"choose('{choice.kind}')", choice.words, show=False) for choice in CHOICES),
    ]

    def compose(self) -> ComposeResult:
        """The list."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = "export"
            dialog.border_subtitle = "to the current folder · esc closes"
            yield ChoiceList(*(Option(_line(choice)) for choice in CHOICES), id="exports", markup=False)

    def on_mount(self) -> None:
        """Keys go to the list."""
        self.query_one(OptionList).focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take that one."""
        self.dismiss(CHOICES[event.option_index].kind)

    def action_choose(self, kind: str) -> None:
        """Take that one."""
        self.dismiss(KINDS[kind])


def _line(choice: Choice) -> Text:
    width = max(len(other.words) for other in CHOICES)
    return Text.assemble((f"{choice.key}  ", "bold"), f"{choice.words:<{width}}  ", (choice.form, "dim"))
