"""The screen of breakpoints and watches: it turns keys into changes of them, and answers with a move or with none."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from threading import Event

from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen

from engine.breakpoints import Armed, Breakpoint
from engine.conditions import Value
from engine.walking import Interrupted
from serq_tui.attention import Attention
from serq_tui.controller import Controller
from serq_tui.keymap import bindings
from serq_tui.looks import ValuePast
from serq_tui.moves import Arrival, Move, Plan, Run, Seek, Stay
from serq_tui.panes.keys import KeysBar
from serq_tui.panes.stops import StopsPane, WatchesPane
from serq_tui.screens.ask import AskScreen
from serq_tui.stop_texts import FORMS, VALUE_FORMS, completed
from serq_tui.stops_state import stops_state, watches_state


class LookedAgain(Message):
    """The present moment was read again, with what is watched by now."""

    def __init__(self, arrival: Arrival) -> None:
        super().__init__()
        self.arrival = arrival


class PastRead(Message):
    """What a value did before was looked up; None ends the looking."""

    def __init__(self, past: ValuePast | None, looking: Event) -> None:
        super().__init__()
        self.past = past
        self.looking = looking


class StopsScreen(Screen[Move | None]):
    """What stops a run, and the values kept in view.

    What takes long to look up is looked up in a thread of its own, value by value, and dropped
    as soon as the screen closes or something else is asked.
    """

    BINDINGS = bindings("stops")

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self.controller = controller
        self._looking: Event | None = None
        self._pasts: dict[Value, ValuePast] = {}

    def compose(self) -> ComposeResult:
        """Two lists, one below the other."""
        yield StopsPane("stops")
        yield WatchesPane("watches")
        yield KeysBar(id="keys")

    def on_mount(self) -> None:
        """Show them, and look up what they did."""
        self.query_one(StopsPane).focus()
        self.draw()
        self._look()

    @property
    def busy(self) -> bool:
        """Whether something is being looked up."""
        return self._looking is not None

    def draw(self) -> None:
        """Show the lists as they are by now."""
        controller = self.controller
        self.query_one(StopsPane).show(stops_state(controller.moment, controller.lens, controller.debuggee.text))
        self.query_one(WatchesPane).show(watches_state(controller.moment, controller.lens, self._pasts))

    # ----------------------------------------------------------------- looking up

    def _look(self) -> None:
        """Look up what is not known yet."""
        self._stop_looking()
        looking = self._looking = Event()
        wanted = tuple(value for value in self.controller.lens.watches if value not in self._pasts)
        work = partial(self._look_up, self.controller, self.controller.plan(Stay()), wanted, looking)
        self.run_worker(work, thread=True, group="looks")

    def _look_up(self, controller: Controller, plan: Plan, wanted: tuple[Value, ...], looking: Event) -> None:
        """In the worker's thread."""
        self.post_message(LookedAgain(controller.carry_out(plan, looking.is_set, lambda made: None)))
        for value in wanted:
            try:
                past = controller.past_of(value, looking.is_set)
            except Interrupted:
                break
            self.post_message(PastRead(past, looking))
        self.post_message(PastRead(None, looking))

    def _stop_looking(self) -> None:
        if self._looking is not None:
            self._looking.set()
            self._looking = None

    def on_looked_again(self, message: LookedAgain) -> None:
        """Show what was read."""
        message.stop()
        self.controller.arrive(message.arrival)
        self.draw()

    def on_past_read(self, message: PastRead) -> None:
        """Show what was looked up."""
        message.stop()
        if message.past is not None:
            self._pasts[message.past.value] = message.past
            self.draw()
        elif message.looking is self._looking:
            self._looking = None

    # ----------------------------------------------------------------- changing

    @property
    def _on_stops(self) -> bool:
        # Not by the pane's own `has_focus`, which follows only once the pane has been told.
        return self.focused is not self.query_one(WatchesPane)

    def _chosen_stop(self) -> Armed | None:
        on = self.query_one(StopsPane).chosen
        return self.controller.lens.stop_on(on) if on is not None and self._on_stops else None

    def _change(self, change: Callable[[Armed], Armed]) -> None:
        stop = self._chosen_stop()
        if stop is None:
            self.notify("no breakpoint here to change", severity="warning")
            return
        self.controller.attention.change(change(stop))
        self._changed()

    def _changed(self) -> None:
        self.draw()
        for notice in self.controller.attention.notices():
            self.notify(notice, severity="warning")
        self._look()

    def action_add(self) -> None:
        """Ask for a breakpoint or for a value to watch, whichever list has the focus."""
        attention = self.controller.attention
        if self._on_stops:
            self.app.push_screen(ask_for_stop(attention), self._add_stop)
        else:
            self.app.push_screen(ask_for_value(attention), self._add_watch)

    def _add_stop(self, on: tuple[Breakpoint, ...] | None) -> None:
        if on is not None:
            self.controller.attention.stop_at(on)
            self._changed()
            self._choose(self.query_one(StopsPane), on)

    def _add_watch(self, value: Value | None) -> None:
        if value is not None:
            self.controller.attention.watch(value)
            self._changed()
            self._choose(self.query_one(WatchesPane), value)

    @staticmethod
    def _choose(pane: StopsPane | WatchesPane, key: Hashable) -> None:
        place = pane.lines().place_of(key)
        if place is not None:
            pane.choose(place)

    def action_enable(self) -> None:
        """Enable the breakpoint under the cursor, or disable it."""
        self._change(lambda stop: replace(stop, enabled=not stop.enabled))

    def action_once(self) -> None:
        """Have it stop once only, or each time."""
        self._change(lambda stop: replace(stop, once=not stop.once))

    def action_after(self) -> None:
        """Ask how many of its hits pass before one stops."""
        stop = self._chosen_stop()
        if stop is None:
            self.notify("no breakpoint here to change", severity="warning")
            return
        ask = AskScreen("let hits pass", _count, forms="how many hits pass before one stops a run; they are counted from now on")
        self.app.push_screen(ask, partial(self._let_pass, stop))

    def _let_pass(self, stop: Armed, after: int | None) -> None:
        if after is not None:
            self.controller.attention.change(replace(stop, after=after, hits=0))
            self._changed()

    def action_delete(self) -> None:
        """Take away what is under the cursor."""
        stop, value = self._chosen_stop(), self.query_one(WatchesPane).chosen
        if stop is not None:
            self.controller.attention.clear(stop.on)
        elif value is not None and not self._on_stops:
            self.controller.attention.unwatch(value)
        else:
            self.notify("nothing here to take away", severity="warning")
            return
        self._changed()

    # ----------------------------------------------------------------- leaving

    def action_go(self) -> None:
        """Go to where the breakpoint was last met before here, or to where the value last changed."""
        stop, value = self._chosen_stop(), self.query_one(WatchesPane).chosen
        if stop is not None:
            self._close(Run(back=True, only=Armed(stop.on)))
            return
        past = self._pasts.get(value) if value is not None else None
        if value is None:
            self.notify("nothing here to go by", severity="warning")
        elif past is None:
            self.notify("it is not known yet when that last changed", severity="warning")
        elif past.changed is None:
            self.notify(f"{past.value.text} has never changed so far", severity="warning")
        else:
            self._close(Seek.to(past.changed))

    def action_next_list(self) -> None:
        """Go to the other list."""
        other = self.query_one(WatchesPane) if self._on_stops else self.query_one(StopsPane)
        self.set_focus(other)

    def action_close(self) -> None:
        """Back to the run."""
        self._close(None)

    def _close(self, move: Move | None) -> None:
        self._stop_looking()
        self.dismiss(move)


def ask_for_stop(attention: Attention, text: str = "") -> AskScreen[tuple[Breakpoint, ...]]:
    """The dialog that asks what to stop on."""
    stopping = attention.stopping
    complete = partial(completed, whole=stopping.stops, words=stopping.values)
    return AskScreen("stop on", attention.stop_named, forms=FORMS, placeholder="preemption kv", text=text, complete=complete)


def ask_for_value(attention: Attention) -> AskScreen[Value]:
    """The dialog that asks what to watch."""
    values = attention.stopping.values
    complete = partial(completed, whole=values, words=values)
    return AskScreen("watch", attention.value_named, forms=VALUE_FORMS, placeholder="used(kv)", complete=complete)


def _count(text: str) -> int:
    """A number of hits.

    Raises:
        ValueError: the text is none, in one sentence.
    """
    if not text.strip().isdecimal():
        raise ValueError(f"{text.strip()!r} is no number of hits" if text.strip() else "nothing is typed yet")
    return int(text)
