"""What the debugger's screen shares with nothing else: asking questions of a moment; it moves nothing in time."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from engine.snapshot import Who
from engine.targets import AtPosition
from engine.walking import Interrupted
from serq_tui.answers import Answer, AskGrid, AskLog, AskStandstill, AskStory, AskWaste, AskWhy, NoAnswer, Question
from serq_tui.comparing import AskCompare, CompareAnswer
from serq_tui.controller import Controller
from serq_tui.figures import AskReport
from serq_tui.messages import Answered, AskAgain, FollowLine, Plotted, TellStory
from serq_tui.panes.header import HeaderBar
from serq_tui.panes.tables import RequestPane
from serq_tui.screens.moving import MovingScreen

if TYPE_CHECKING:
    from serq_tui.screens.answer import AnswerScreen


class AskingScreen(MovingScreen):
    """A screen that asks in a worker and shows the answer over itself. An answer on screen is asked for anew at every moment."""

    # ----------------------------------------------------------------- asking

    def action_why(self) -> None:
        """Why does the selected request wait?"""
        who = self._selected()
        waits = any(view.who == who for queue in self.controller.moment.now.queues for view in queue.waiting)
        # Somebody who does not wait is no answer to why: the head of the queue, or the stop, is what is meant.
        self.ask(AskWhy(who if waits else None))

    def action_log(self) -> None:
        """What was decided lately?"""
        self.ask(AskLog())

    def action_grid(self) -> None:
        """What did everybody do around this moment?"""
        self.ask(AskGrid(self.controller.lens.engine))

    def action_standstill(self) -> None:
        """What keeps an engine from going on?"""
        self.ask(AskStandstill(self.controller.lens.engine))

    def action_waste(self) -> None:
        """What of an engine's work was of use?"""
        self.ask(AskWaste(self.controller.lens.engine))

    def action_report(self) -> None:
        """What does the run amount to?"""
        self.ask(AskReport())

    def action_plots(self) -> None:
        """Draw what was seen of the run."""
        if self.busy:
            self.notify("a move is under way: esc stops it", severity="warning")
            return
        interrupt = self.begin("drawing")
        self.run_worker(partial(self._draw_plots, self.controller, interrupt), thread=True, group="moves")

    def _draw_plots(self, controller: Controller, interrupt: Event) -> None:
        """In the worker's thread."""
        self.post_message(Plotted(controller.plots()))

    def on_plotted(self, message: Plotted) -> None:
        """Show what was drawn."""
        message.stop()
        # Here and not above, as the screens of answers are: what draws them is not needed before the first picture.
        from serq_tui.screens.plots import PlotsScreen

        self.finish()
        self.app.push_screen(PlotsScreen(message.plots, plain=self.plain))
        self.go_on()

    @property
    def plain(self) -> bool:
        """Whether only ASCII is drawn."""
        raise NotImplementedError

    def action_compare(self) -> None:
        """How does the run kept beside stand? Asked once more, go to where the two part."""
        shown = self._shown()
        answer = shown.answer if shown is not None else None
        if isinstance(answer, CompareAnswer) and answer.parting is not None:
            self.jump(AtPosition(answer.parting.other))
        else:
            self.ask(AskCompare(engine=self.controller.lens.engine))

    def on_ask_again(self, message: AskAgain) -> None:
        """Ask another question in place of the one on screen."""
        message.stop()
        # A wheel turns faster than answers come: what it asks for meanwhile is not worth a word.
        if not (self.busy and isinstance(message.question, AskGrid)):
            self.ask(message.question)

    def _selected(self) -> Who | None:
        shown = self._shown()
        if shown is not None and shown.request is not None:
            return shown.request
        focused = self.focused
        if isinstance(focused, RequestPane) and focused.request is not None:
            return focused.request
        return self.controller.lens.opened or self.marked

    @property
    def marked(self) -> Who | None:
        """The request one has chosen last, wherever it is by now."""
        raise NotImplementedError

    @property
    def header(self) -> HeaderBar:
        """The header one sees: that of the answer, where one is on screen."""
        shown = self._shown()
        return shown.header if shown is not None else super().header

    def _shown(self) -> AnswerScreen | None:
        """The answer on screen, None without one."""
        if self.app.screen is self:
            return None
        from serq_tui.screens.answer import AnswerScreen

        return next((screen for screen in self.app.screen_stack if isinstance(screen, AnswerScreen)), None)

    def ask(self, question: Question) -> None:
        """Find an answer at this moment and show it."""
        if self.busy:
            self.notify("a move is under way: esc stops it", severity="warning")
            return
        interrupt = self.begin("finding the answer")
        self.run_worker(partial(self._find, self.controller, question, interrupt), thread=True, group="moves")

    def ask_again(self) -> None:
        """The moment is another: so may be the answer on screen."""
        shown = self._shown()
        if shown is not None and not self.busy:
            question = shown.question
            # Whoever moves in time looks at where that leads.
            self.ask(replace(question, around=None) if isinstance(question, AskGrid) else question)

    def _find(self, controller: Controller, question: Question, interrupt: Event) -> None:
        """In the worker's thread."""
        try:
            answer: Answer | None = controller.answer(question, interrupt.is_set)
        except Interrupted:
            answer = None
        self.post_message(Answered(question, answer))

    def on_answered(self, message: Answered) -> None:
        """Show what was found."""
        message.stop()
        self.finish()
        shown = self._shown()
        if message.answer is None:
            self.notify("interrupted: no answer")
        elif shown is not None:
            shown.show(message.question, message.answer)
        elif isinstance(message.answer, NoAnswer):
            self.notify(message.answer.words, severity="warning")
        else:
            from serq_tui.screens.answer import AnswerScreen

            self.app.push_screen(AnswerScreen(message.question, message.answer, self.header.state))
        self.go_on()

    # ----------------------------------------------------------------- what an answer leads to

    def on_follow_line(self, message: FollowLine) -> None:
        """Go to the moment a line of an answer names."""
        message.stop()
        self.jump(message.target)

    def on_tell_story(self, message: TellStory) -> None:
        """Tell the story of a request that stands in an answer."""
        message.stop()
        self.ask(AskStory(message.who))
