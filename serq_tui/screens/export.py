"""The choice of what to take along; it writes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from serq_tui.screens.chooser import ChoiceList

Kind = Literal["screen", "trace", "tables", "report", "moment", "capsule"]


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be taken along.

    Attributes:
        key: the letter that chooses it.
        words: what it is.
        form: what kind of file it makes.
    """

    kind: Kind
    key: str
    words: str
    form: str


CHOICES: tuple[Choice, ...] = (
    Choice("screen", "s", "this screen", "SVG"),
    Choice("trace", "p", "the whole run as a trace for ui.perfetto.dev", "JSON"),
    Choice("tables", "t", "the whole run as tables", "CSV"),
    Choice("report", "r", "the report up to this moment", "Markdown"),
    Choice("moment", "m", "all there is to know of this moment", "JSON"),
    Choice("capsule", "c", "program, settings, moment, breakpoints and a note", "capsule"),
)

KINDS: dict[str, Kind] = {choice.kind: choice.kind for choice in CHOICES}


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
