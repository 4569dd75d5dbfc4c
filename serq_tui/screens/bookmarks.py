"""The bookmarks: a list to jump from; it knows no run, only who can take one away."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from serq_tui.screens.chooser import ChoiceList
from serq_tui.view_state import Bookmark

NONE = "no bookmarks yet: m gives the present moment a name"


class BookmarksScreen(ModalScreen[Bookmark | None]):
    """Choose a bookmark to go to.

    Args:
        bookmarks: those there are.
        forget: takes one away by its name.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,apostrophe", "dismiss(None)", "close", key_display="esc"),
        Binding("d,delete", "forget", "take away", key_display="d"),
    ]

    def __init__(self, bookmarks: tuple[Bookmark, ...], forget: Callable[[str], None]) -> None:
        super().__init__()
        self._bookmarks = list(bookmarks)
        self._forget = forget

    def compose(self) -> ComposeResult:
        """The list."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = "bookmarks"
            dialog.border_subtitle = "enter goes there · d takes away · esc closes"
            yield ChoiceList(id="bookmarks", markup=False)
            yield Label(NONE, id="none")

    def on_mount(self) -> None:
        """Show them."""
        self._show(0)

    def _show(self, at: int) -> None:
        choices = self.query_one(OptionList)
        choices.clear_options()
        names = max((len(mark.name) for mark in self._bookmarks), default=0)
        places = max((len(str(mark.position)) for mark in self._bookmarks), default=0)
        for mark in self._bookmarks:
            text = Text.assemble(f"{mark.name:<{names}}  ", (f"{mark.position!s:<{places}}  ", "bold"), (mark.about, "dim"))
            text.no_wrap, text.overflow = True, "ellipsis"
            choices.add_option(Option(text))
        choices.display = bool(self._bookmarks)
        self.query_one("#none").display = not self._bookmarks
        if self._bookmarks:
            choices.highlighted = min(at, len(self._bookmarks) - 1)
            choices.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go there."""
        self.dismiss(self._bookmarks[event.option_index])

    def action_forget(self) -> None:
        """Take the chosen one away."""
        at = self.query_one(OptionList).highlighted
        if at is not None and at < len(self._bookmarks):
            self._forget(self._bookmarks.pop(at).name)
            self._show(at)
