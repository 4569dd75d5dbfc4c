"""The chooser: the shipped examples and the programs of the current folder; it opens nothing itself."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import Label, OptionList, Static
from textual.widgets.option_list import Option

from grammar.declaring import dataclass
from serq_tui.panes.keys import KeysBar

#: Lines of a program read for its opening comment: more than any comment that is read to its end.
COMMENT_LINES = 40


#: ``See there: …`` begins a line of its own.
BEGINS_ANEW = re.compile(r"[A-Z][\w ]*:")


@dataclass(frozen=True, slots=True)
class Choice:
    """A program one can open: ``about`` is its opening comment."""

    path: Path
    about: str


def shipped() -> tuple[Choice, ...]:
    """The examples that come with the debugger."""
    return programs_in(Path(str(files("serq_tui") / "examples")))


def troubles() -> tuple[Choice, ...]:
    """The cases that come with the debugger, a known trouble each."""
    return programs_in(Path(str(files("serq_tui") / "examples" / "cases")))


def programs_in(folder: Path) -> tuple[Choice, ...]:
    """The programs of a folder by name, each with its opening comment."""
    return tuple(Choice(path, opening_comment(path)) for path in sorted(folder.glob("*.sq")) if path.is_file())


def opening_comment(path: Path) -> str:
    """The comment a program opens with, empty where it has none or cannot be read."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[:COMMENT_LINES]
    except OSError:
        return ""
    said: list[str] = []
    for line in takewhile(lambda line: line.startswith("//"), lines):
        text = line[2:].removeprefix(" ")
        # An author breaks lines for an editor's width; here they flow, but for what begins anew.
        goes_on = said and said[-1] and text and not text.startswith(" ") and not BEGINS_ANEW.match(text)
        said[-1:] = [f"{said[-1]} {text}"] if goes_on else [*said[-1:], text]
    return "\n".join(said)


class ChoiceList(OptionList):
    """A list one also walks with the keys of the panes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "open", key_display="enter"),
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
    ]


class ChooserScreen(Screen[Path | None]):
    """Choose a program; its opening comment is shown beside."""

    BINDINGS = [
        Binding("q", "app.quit", "quit"),
    ]

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._examples = shipped()
        self._cases = troubles()
        self._here = programs_in(folder)
        self._choices = (*self._examples, *self._cases, *self._here)

    def compose(self) -> ComposeResult:
        """The list at the left, what the program is about at the right."""
        yield Label("serq-tui   choose a program to walk through", id="chooser-title")
        with Horizontal(id="chooser"):
            options: list[Option | None] = []
            first = 0
            groups = (("shipped examples", self._examples), ("known troubles", self._cases), ("this folder", self._here))
            for title, choices in groups:
                options += [None] if options else []
                options.append(Option(title, disabled=True))
                options += [Option(f"  {choice.path.name}", id=str(first + index)) for index, choice in enumerate(choices)]
                first += len(choices)
            if not self._here:
                options.append(Option("  no .sq files here", disabled=True))
            yield ChoiceList(*options, id="choices", markup=False)
            with VerticalScroll(id="about", can_focus=False):
                yield Static("", id="about-text", markup=False)
        yield KeysBar(id="keys")

    def on_mount(self) -> None:
        """Stand on the first program."""
        choices = self.query_one(OptionList)
        choices.focus()
        choices.action_first()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Say what the program is about."""
        choice = self._chosen(event.option.id)
        self.query_one("#about-text", Static).update(choice.about or "no comment opens this program" if choice else "")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open it."""
        choice = self._chosen(event.option.id)
        if choice is not None:
            self.dismiss(choice.path)

    def _chosen(self, id: str | None) -> Choice | None:
        return self._choices[int(id)] if id is not None else None
