"""The debugger's screen: it turns keys into moves, and where they arrive into what the panes show; decides nothing about a run."""

from __future__ import annotations

from pathlib import Path

from textual import events
from textual.app import ComposeResult
from textual.widgets import Label

from engine.breakpoints import Armed, Breakpoint
from engine.conditions import OnChange
from engine.snapshot import Who
from serq_tui.answers import AskStory
from serq_tui.arrangement import PANES
from serq_tui.controller import Controller
from serq_tui.goto import NoSuchMoment
from serq_tui.keymap import bindings
from serq_tui.messages import Arrived, GoToLastChange, LayoutChanged, OpenDetail, Selected, ToggleBreakpoint
from serq_tui.moves import Move, Run, Seek, Stay, Step, StepDecision, StepStatement, ToEdge, ending
from serq_tui.options import Stops
from serq_tui.panes.desk import Desk
from serq_tui.panes.header import HeaderBar
from serq_tui.panes.keys import KeysBar
from serq_tui.panes.pane import Pane
from serq_tui.screens.ask import AskScreen
from serq_tui.screens.bookmarks import BookmarksScreen
from serq_tui.screens.commanding import CommandingScreen
from serq_tui.screens.goto import GotoScreen
from serq_tui.screens.help import HelpScreen
from serq_tui.screens.stops import StopsScreen, ask_for_stop
from serq_tui.stop_texts import NoSuchStop
from serq_tui.view_state import Bookmark

#: Actions that go back, and those that go on: dimmed where there is nowhere to go.
_BACKWARD = frozenset({"back", "decision_back", "statement_back", "reverse", "home"})
_FORWARD = frozenset({"step", "decision", "statement", "continue"})


#: What the first sitting begins with; it goes away with the first move.
HINT = " new here?  [b]c[/b] runs to the first stop, [b]s[/b] steps, [b]w[/b] says why, [b]?[/b] shows every key"


class DebuggerScreen(CommandingScreen):
    """One run, one desk of panes, one move at a time; keys that come meanwhile wait their turn."""

    BINDINGS = bindings("debugger")

    def __init__(self, controller: Controller, asked: Stops, folder: Path) -> None:
        super().__init__()
        self.controller = controller
        self.folder = folder
        self._asked = asked
        self._ends = (False, False)
        self._behind = False
        """Whether the panes show an earlier moment, since an answer covers them."""

    def compose(self) -> ComposeResult:
        """Header, desk, keys."""
        yield HeaderBar("header")
        yield Desk("desk")
        yield Label(HINT, id="hint")
        yield KeysBar(id="keys")

    def on_mount(self) -> None:
        """Show the first moment, or go where the command line said, and stop where it said."""
        for text in self._asked.breaks:
            self._ask_for_stop(text)
        self._notice()
        self.query_one("#hint").display = not self._serq.habits.hinted
        self.draw()
        desk = self.query_one(Desk)
        desk.lay_out(self.controller.lens.layout)
        desk.focus_onward(1) if "source" in desk.layout_made.closed else desk.focus_pane("source")
        self.go(Stay())
        if self._asked.at is not None:
            self._go_to(self._asked.at)

    def _end_hint(self) -> None:
        """Whoever has moved needs no hint any more, here or in any later sitting."""
        hint = self.query_one("#hint")
        if hint.display:
            hint.display = False
            self._serq.hinted()

    # ----------------------------------------------------------------- drawing

    def draw(self) -> None:
        """Show the present moment through the present lens."""
        view = self.controller.view()
        self.header.show(view.header)
        self._behind = self._shown() is not None
        if not self._behind:
            self.query_one(Desk).show(view)
        moment = self.controller.moment
        ends = (moment.before is None, moment.now.finished or moment.now.failure is not None)
        if ends != self._ends:
            self._ends = ends
            self.refresh_bindings()

    def on_screen_resume(self) -> None:
        """Whatever lay over the panes is gone."""
        if self._behind:
            self.draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Dim what has nowhere to go; name escape only where it does something."""
        if action == "escape":
            self._named_interrupt = self.busy
            desk = self.query_one(Desk)
            return self.busy or self.searched is not None or desk.maximised is not None or self.controller.lens.opened is not None
        if action in ("statement", "statement_back") and self.searched is not None:
            return True
        if not self.busy:
            at_start, at_end = self._ends
            if (action in _BACKWARD and at_start) or (action in _FORWARD and at_end):
                return None
        return True

    # ----------------------------------------------------------------- moving

    def action_step(self) -> None:
        """Step on."""
        self.go(Step())

    def action_back(self) -> None:
        """Step back."""
        self.go(Step(back=True))

    def action_decision(self) -> None:
        """Step on by a decision."""
        self.go(StepDecision())

    def action_decision_back(self) -> None:
        """Step back by a decision."""
        self.go(StepDecision(back=True))

    def action_statement(self) -> None:
        """Step on by a schedule statement; in a pane that is searched, go to the next hit."""
        if self.searched is not None:
            self.searched.next_hit(1)
        else:
            self.go(StepStatement())

    def action_statement_back(self) -> None:
        """Step back by a schedule statement; in a pane that is searched, go to the hit before."""
        if self.searched is not None:
            self.searched.next_hit(-1)
        else:
            self.go(StepStatement(back=True))

    def action_continue(self) -> None:
        """Run on to the next stop."""
        self.go(Run())

    def action_reverse(self) -> None:
        """Run back to the stop before."""
        self.go(Run(back=True))

    def action_home(self) -> None:
        """Go to the first moment."""
        self.go(ToEdge(last=False))

    def action_end(self) -> None:
        """Go to the last moment seen."""
        self.go(ToEdge(last=True))

    def action_goto(self) -> None:
        """Ask for a moment and go there."""
        self.app.push_screen(GotoScreen(self.controller.target_named), self.jump)

    def _go_to(self, text: str) -> None:
        try:
            self.jump(self.controller.target_named(text))
        except NoSuchMoment:
            self.app.push_screen(GotoScreen(self.controller.target_named, text), self.jump)

    def on_paste(self, event: events.Paste) -> None:
        """A pasted moment is gone to."""
        event.stop()
        self._go_to(event.text.strip())

    def action_copy(self) -> None:
        """Copy this moment's position."""
        position = str(self.controller.moment.now.position)
        self.app.copy_to_clipboard(position)
        self.notify(f"{position} copied")

    def action_bookmark(self) -> None:
        """Ask for a name and give it to this moment."""
        attention = self.controller.attention
        free = attention.free_name()
        ask = AskScreen(
            "bookmark",
            attention.bookmark_name,
            forms="a name for this moment; g and ' go to it",
            placeholder=free,
        )
        self.app.push_screen(ask, self._bookmark)

    def _bookmark(self, name: str | None) -> None:
        if name is not None:
            self.told(self.controller.attention.bookmark(name))

    def action_bookmarks(self) -> None:
        """List the bookmarks and go to the one chosen."""
        screen = BookmarksScreen(self.controller.lens.bookmarks, self.controller.attention.forget)
        self.app.push_screen(screen, self._jump)

    def _jump(self, mark: Bookmark | None) -> None:
        self._notice()
        if mark is not None:
            self.jump(Seek.to(mark.position).target)

    def on_arrived(self, message: Arrived) -> None:
        """Show where a move ended, and start the next that was asked for."""
        message.stop()
        self.finish()
        self.controller.arrive(message.arrival)
        if not isinstance(message.move, Stay):
            self._end_hint()
        said = ending(message.arrival.stop, message.move, message.arrival.moment.now)
        if said is not None:
            self.notify(said)
        if isinstance(message.move, Seek):
            self.check_capsule()
        if self.picture_due:
            self.painting()
            self.draw()
        else:
            self.go_on()
        self.ask_again()

    def action_escape(self) -> None:
        """Interrupt what runs; else end the search, close the detail, give a maximised pane back."""
        if self.busy:
            self.leave()
        elif self.searched is not None:
            self.searched.seek("")
            self.refresh_bindings()
        elif self.controller.lens.opened is not None:
            self._open(None)
        else:
            self.query_one(Desk).maximise(None)
            self.refresh_bindings()

    # ----------------------------------------------------------------- stopping

    def action_toggle_preemption(self) -> None:
        """Stop on preemptions, or no longer."""
        self.told(self.controller.attention.toggle_preemption())

    def action_toggle_idle(self) -> None:
        """Stop on idle with work, or no longer."""
        self.told(self.controller.attention.toggle_idle())

    def on_toggle_breakpoint(self, message: ToggleBreakpoint) -> None:
        """Set or clear a breakpoint on what a pane has under its cursor."""
        message.stop()
        said = self.controller.attention.toggle(message.mark) if message.mark is not None else None
        if said is None:
            self.notify(
                "nothing to stop on here: breakpoints stand on lines marked ·, on requests and on pools", severity="warning"
            )
        else:
            self.told(said)

    def action_stops(self) -> None:
        """Show breakpoints and watches."""
        if self.busy:
            self.notify("a move is under way: esc stops it", severity="warning")
        else:
            self.app.push_screen(StopsScreen(self.controller), self._after_stops)

    def _after_stops(self, move: Move | None) -> None:
        self.draw()
        self.go(move or Stay())

    def _ask_for_stop(self, text: str) -> None:
        """Stop on what the command line names; what it cannot be is asked for again."""
        attention = self.controller.attention
        try:
            attention.ask(attention.stop_named(text))
        except NoSuchStop:
            self.app.push_screen(ask_for_stop(attention, text), self._stop_at)

    def _stop_at(self, on: tuple[Breakpoint, ...] | None) -> None:
        if on is not None:
            self.told(self.controller.attention.stop_at(on))

    def told(self, words: str) -> None:
        """Say what was done to the stops, watches or bookmarks, and show it."""
        self.notify(words)
        self._notice()
        self.draw()
        self.go(Stay())

    def _notice(self) -> None:
        for notice in self.controller.attention.notices():
            self.notify(notice, severity="warning")

    # ----------------------------------------------------------------- looking

    def on_open_detail(self, message: OpenDetail) -> None:
        """Open the request under the cursor."""
        message.stop()
        if message.who is None:
            self.notify("no request here to open", severity="warning")
        elif message.who == self.controller.lens.opened:
            self.ask(AskStory(message.who))
        else:
            self._open(message.who)

    def on_selected(self, message: Selected) -> None:
        """The request stands out everywhere from now on, and an open detail follows the cursor."""
        message.stop()
        self.query_one(Desk).mark(message.who)
        if self.controller.lens.opened is not None:
            self._open(message.who)

    @property
    def marked(self) -> Who | None:
        """The request one has chosen last, wherever it is by now."""
        return self.query_one(Desk).marked

    def _open(self, who: Who | None) -> None:
        self.controller.open(who)
        self.draw()
        self.refresh_bindings()

    def action_focus_pane(self, number: int) -> None:
        """Go to a pane by its number."""
        self.query_one(Desk).focus_pane(PANES[number - 1])

    def action_next_pane(self, onward: int) -> None:
        """Go to the next pane, or the one before."""
        self.query_one(Desk).focus_onward(onward)

    def action_maximise(self) -> None:
        """Give the focused pane the desk, or give it back."""
        self.query_one(Desk).toggle_maximised()
        self.refresh_bindings()

    def action_close_pane(self) -> None:
        """Shut the focused pane."""
        if not self.query_one(Desk).close_pane():
            self.notify("the last pane stays open", severity="warning")

    def action_grow(self, lines: int) -> None:
        """Make the focused pane taller, or shorter."""
        self.query_one(Desk).grow(lines)

    def action_widen(self, cells: int) -> None:
        """Make the first column wider, or narrower."""
        self.query_one(Desk).widen(cells)

    def action_all_panes(self) -> None:
        """Open every pane in its own size."""
        self.query_one(Desk).all_panes()

    def on_layout_changed(self, message: LayoutChanged) -> None:
        """Keep how the panes are arranged."""
        message.stop()
        self.controller.attention.arrange(message.layout)
        self._notice()

    def on_go_to_last_change(self, message: GoToLastChange) -> None:
        """Go back to where a value last changed."""
        message.stop()
        try:
            value = self.controller.attention.value_named(message.text)
        except NoSuchStop:
            self.notify("nothing here to go by", severity="warning")
        else:
            self.go(Run(back=True, only=Armed((OnChange(value),))))

    def action_engine(self, onward: int) -> None:
        """Look at another engine."""
        said = self.controller.choose_engine(onward)
        if said is None:
            self.notify("this program has no second engine to look at", severity="warning")
        else:
            self.notify(said)
            self.go(Stay())

    def action_help(self) -> None:
        """Show the keys."""
        focused = self.focused
        scopes = focused.SCOPES if isinstance(focused, Pane) else ()
        self.app.push_screen(HelpScreen(scopes, focused.id or "" if focused else "", self._serq.config.keys))
