"""The go-to dialog: a line to name a moment in; it knows no run, only who can read the name."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Label

from engine.timeline import Target
from serq_tui.goto import FORMS, NoSuchMoment


class GotoScreen(ModalScreen[Target | None]):
    """Ask for a moment; what names none is answered here, and nothing typed is lost."""

    BINDINGS = [("escape", "dismiss(None)", "close")]

    def __init__(self, read: Callable[[str], Target], text: str = "") -> None:
        super().__init__()
        self._read = read
        self._text = text

    def compose(self) -> ComposeResult:
        """The line, the forms, the answer."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = "go to"
            yield Input(self._text, placeholder="iteration 812", id="moment", select_on_focus=False)
            yield Label(FORMS, id="forms", markup=False)
            yield Label("", id="answer", markup=False)

    def on_mount(self) -> None:
        """A text given from outside that names no moment is answered at once."""
        if self._text:
            self._try(self._text)

    def on_input_changed(self) -> None:
        """An answer is about what stands there."""
        self._answer("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go, or say why not."""
        self._try(event.value)

    def _try(self, text: str) -> None:
        try:
            target = self._read(text)
        except NoSuchMoment as no:
            self._answer(str(no))
        else:
            self.dismiss(target)

    def _answer(self, text: str) -> None:
        answer = self.query_one("#answer", Label)
        answer.update(text)
        answer.display = bool(text)
