"""A dialog that asks for a line of text; it knows nothing of what the line means, only who can read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.suggester import Suggester
from textual.widgets import Input, Label

from serq_tui.panes.line import TypedLine

T = TypeVar("T")


class _Completion(Suggester):
    """What a text being typed may become, as a grey continuation."""

    def __init__(self, complete: Callable[[str], str | None]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._complete = complete

    async def get_suggestion(self, value: str) -> str | None:
        """The continuation."""
        return self._complete(value)


class AskScreen(ModalScreen[T | None], Generic[T]):
    """Ask for something by its text; what cannot be read is answered here, and nothing typed is lost.

    Args:
        title: what is asked for.
        read: reads a text; a ``ValueError`` it raises is the answer, with ``caret`` and ``advice`` where it has them.
        forms: what can be typed, in a sentence.
        placeholder: an example, or what an empty line means.
        text: what stands there at first; it is read at once.
        complete: continues a text being typed.
        history: texts typed before, the latest last; up and down go through them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss(None)", "close"),
        Binding("tab", "complete", "complete", priority=True),
        Binding("up", "recall(-1)", "typed before", show=False),
        Binding("down", "recall(1)", "typed after", show=False),
    ]

    def __init__(
        self,
        title: str,
        read: Callable[[str], T],
        *,
        forms: str,
        placeholder: str = "",
        text: str = "",
        complete: Callable[[str], str | None] | None = None,
        history: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self._title = title
        self._read = read
        self._forms = forms
        self._placeholder = placeholder
        self._text = text
        self._answered: str | None = None
        self._early: list[events.Key] | None = []
        """Keys that came before there was a line; None once there is one."""
        self._history = history
        self._recalled = len(history)
        self._draft = ""
        self._suggester = _Completion(complete) if complete is not None else None

    def compose(self) -> ComposeResult:
        """The line, what points at a piece of it, the forms, the answer."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = self._title
            yield TypedLine(self._text, placeholder=self._placeholder, id="typed", select_on_focus=False, suggester=self._suggester)
            yield Label("", id="caret", markup=False)
            yield Label(self._forms, id="forms", markup=False)
            yield Label("", id="answer", markup=False)

    def on_mount(self) -> None:
        """A text given from outside that cannot be read is answered at once; what was typed meanwhile is taken."""
        if self._text:
            self._try(self._text)
        early, self._early = self._early, None
        for event in early or ():
            self.type_ahead(event)

    def type_ahead(self, event: events.Key) -> bool:
        """Take a key that was pressed before the line could have it; whether it was for the line.

        Keys that come in a burst, pasted or over a slow line, were on their way to the screen below when this one came.
        """
        typed = event.character if event.is_printable else None
        if typed is None and (event.key != "enter" or self.focused is not None):
            return False
        if self._early is not None:
            self._early.append(event)
        elif typed is not None:
            self.query_one(Input).insert_text_at_cursor(typed)
        else:
            self._try(self.query_one(Input).value)
        return True

    def on_input_changed(self, event: Input.Changed) -> None:
        """An answer is about what stands there; a line also says that it changed when it first gets its text."""
        if event.value != self._answered:
            self._answer("", "")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take it, or say why not."""
        self._try(event.value)

    def action_complete(self) -> None:
        """Take what is suggested."""
        self.query_one(Input).action_cursor_right()

    def action_recall(self, onward: int) -> None:
        """Show what was typed before or after; past the latest is what was being typed."""
        line, count = self.query_one(Input), len(self._history)
        if self._recalled == count:
            self._draft = line.value
        self._recalled = max(min(self._recalled + onward, count), 0)
        if count:
            line.value = self._history[self._recalled] if self._recalled < count else self._draft
            line.cursor_position = len(line.value)

    def _try(self, text: str) -> None:
        try:
            found = self._read(text)
        except ValueError as no:
            self._answered = text
            advice = getattr(no, "advice", "")
            self._answer(f"{no}\n{advice}" if advice else str(no), getattr(no, "caret", ""))
        else:
            self.dismiss(found)

    def _answer(self, text: str, caret: str) -> None:
        for label, said in (("#answer", text), ("#caret", caret)):
            widget = self.query_one(label, Label)
            widget.update(said)
            widget.display = bool(said)
