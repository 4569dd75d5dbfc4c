"""The screen of an answer, over the debugger, with a header as its own; it passes the keys that move in time on to the run."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Protocol, runtime_checkable

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

from engine.snapshot import Who
from serq_tui.answers import Answer, AskAutopsy, AskStory, AskWhy, AutopsyAnswer, GridAnswer, LogAnswer, Question, WhyAnswer
from serq_tui.comparing import AskCompare, CompareAnswer
from serq_tui.keymap import actions, bindings
from serq_tui.messages import AskAgain, FollowLine, TellStory
from serq_tui.panes.answer import AnswerPane
from serq_tui.panes.header import HeaderBar
from serq_tui.panes.keys import KeysBar
from serq_tui.panes.line import TypedLine
from serq_tui.screens.searching import found, search_line
from serq_tui.view_state import HeaderState

#: Keys of the debugger that work over an answer too: those that move in time, and some that do not ask where one is.
_ASKING = frozenset({"why", "log", "grid", "standstill", "waste", "compare", "swap", "export", "report", "plots"})


def _passed_on() -> list[BindingType]:
    return [
        Binding(
            action.keys,
            f"below('{action.method}')",
            action.label,
            show=action.footer,
            key_display=action.shown,
            tooltip=action.help,
            id=action.id,
        )
        for action in actions("debugger")
        if (action.group == "Moving in time" and action.id != "interrupt") or action.id in _ASKING
    ]


@runtime_checkable
class _Busy(Protocol):
    """A screen that may be doing something."""

    @property
    def busy(self) -> bool:
        """Whether it is."""


class AnswerScreen(ModalScreen[None]):
    """One answer. It stays while time moves, and is found anew at each moment."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "back", key_display="esc"),
        *bindings("answer"),
        *_passed_on(),
    ]

    def __init__(self, question: Question, answer: Answer, moment: HeaderState | None = None) -> None:
        super().__init__()
        self.question = question
        self.answer = answer
        self.header = HeaderBar("header", moment)

    def compose(self) -> ComposeResult:
        """The moment, the answer, a line to filter in, the keys."""
        yield self.header
        yield AnswerPane("answer")
        yield TypedLine(placeholder="words a decision must have: r7 kv preempted", id="filter")
        yield KeysBar(id="keys")

    def on_mount(self) -> None:
        """Show it."""
        self.pane.show(self.answer)
        self.pane.focus()

    @property
    def pane(self) -> AnswerPane:
        """The answer's pane."""
        return self.query_one(AnswerPane)

    @property
    def request(self) -> Who | None:
        """Whom one looks at: the request under the cursor, else the one asked about."""
        asked = self.question.who if isinstance(self.question, AskStory | AskWhy | AskAutopsy) else None
        return self.pane.request or asked

    def show(self, question: Question, answer: Answer) -> None:
        """Show another answer."""
        another = type(answer) is not type(self.answer)
        self.question, self.answer = question, answer
        self.pane.show(answer)
        if another:
            self._end_filter()
            self.refresh_bindings()

    @property
    def below(self) -> Screen[object]:
        """The debugger's screen."""
        return self.app.screen_stack[self.app.screen_stack.index(self) - 1]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only two runs are aligned, and only a grid has more to its sides."""
        if action == "sideways":
            return isinstance(self.answer, GridAnswer)
        return action != "align" or isinstance(self.answer, CompareAnswer)

    def on_follow_line(self, message: FollowLine) -> None:
        """Have the screen below go there. A preemption stays on screen meanwhile, so that one gets back to it."""
        message.stop()
        found = self.answer.autopsy if isinstance(self.answer, AutopsyAnswer | WhyAnswer) else None
        if found is not None:
            self.question = AskAutopsy(found.position, found.record.who)
        self.below.post_message(FollowLine(message.target))

    def on_tell_story(self, message: TellStory) -> None:
        """Have the screen below find it out."""
        message.stop()
        self.below.post_message(TellStory(message.who))

    def _find(self, text: str | None) -> None:
        if text is not None:
            self.notify(found(self.pane, text))

    async def action_below(self, action: str) -> None:
        """Have the screen below do something; while the answer is searched, n and N go from hit to hit."""
        if self.pane.sought and action in ("statement", "statement_back"):
            self.pane.next_hit(1 if action == "statement" else -1)
            return
        await self.below.run_action(action)

    def action_align(self) -> None:
        """Have two runs aligned by the other of clock and iteration."""
        if isinstance(self.question, AskCompare):
            self.below.post_message(AskAgain(replace(self.question, by="iteration" if self.question.by == "time" else "time")))

    def action_sideways(self, onward: int) -> None:
        """Look at other iterations of the grid."""
        self.pane.sideways(onward)

    def on_ask_again(self, message: AskAgain) -> None:
        """Have the screen below find it out."""
        message.stop()
        self.below.post_message(AskAgain(message.question))

    def action_follow(self) -> None:
        """Go where the line under the cursor leads."""
        self.pane.follow()

    def action_filter(self) -> None:
        """Ask for words the log is to have, or to search another answer for."""
        if isinstance(self.answer, LogAnswer):
            line = self.query_one("#filter", Input)
            line.display = True
            line.focus()
        else:
            self.app.push_screen(search_line(), self._find)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as one types."""
        self.pane.filter(event.value)

    def on_input_submitted(self) -> None:
        """Keep the filter and look at the lines."""
        self.pane.focus()

    async def action_close(self) -> None:
        """Leave the filter; else stop what the debugger is doing, be it to find this answer anew; else go back to it."""
        below = self.below
        if self.query_one("#filter", Input).display:
            self._end_filter()
        elif self.pane.sought:
            self.pane.seek("")
        elif isinstance(below, _Busy) and below.busy:
            await below.run_action("escape")
        else:
            self.dismiss()

    def _end_filter(self) -> None:
        line = self.query_one("#filter", Input)
        line.value = ""
        line.display = False
        self.pane.focus()
