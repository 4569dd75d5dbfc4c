"""A screen that takes typed lines: commands, searches, a request's number; it reads none of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, assert_never, cast

from engine.snapshot import Who
from serq_tui.answers import AskStory
from serq_tui.command_line import (
    Do,
    Export,
    Find,
    GoTo,
    LookAt,
    NameMoment,
    Order,
    Orders,
    Rerun,
    StopOn,
    TellStoryOf,
    Watch,
    WearTheme,
    request_number,
)
from serq_tui.moves import Stay
from serq_tui.panes.pane import Pane
from serq_tui.screens.ask import AskScreen
from serq_tui.screens.exporting import ExportingScreen
from serq_tui.screens.searching import found, search_line

if TYPE_CHECKING:
    from serq_tui.app import SerqApp


class CommandingScreen(ExportingScreen):
    """A screen with a command line."""

    # ----------------------------------------------------------------- commands

    def action_command(self) -> None:
        """Ask for a command."""
        themes = tuple(sorted(self.app.available_themes))
        orders = Orders(self.controller, self.settings(), themes)
        ask = AskScreen(
            "command",
            partial(_kept, orders),
            forms="a command, an action or a moment; tab completes, up and down go through what was typed",
            placeholder="goto 812",
            complete=orders.complete,
            history=self._serq.habits.lines,
        )
        self.app.push_screen(ask, self._ordered)

    @property
    def _serq(self) -> SerqApp:
        return cast("SerqApp", self.app)

    async def _ordered(self, typed: tuple[str, Order] | None) -> None:
        if typed is not None:
            line, order = typed
            self._serq.remember(line)
            await self.obey(order)

    async def obey(self, order: Order) -> None:
        """Carry an order out."""
        attention = self.controller.attention
        match order:
            case GoTo(target):
                self.jump(target)
            case StopOn(on, clear):
                self.told(attention.clear(on) if clear else attention.stop_at(on))
            case Watch(value):
                attention.watch(value)
                self.told(f"watching {value.text}")
            case Rerun(texts):
                self.rerun(dict(texts))
            case WearTheme(name):
                self._serq.wear(name)
            case TellStoryOf(serial):
                self.ask(AskStory(Who(serial)))
            case NameMoment(name):
                self.told(attention.bookmark(name))
            case LookAt(engine):
                self.controller.look_at(engine)
                self.go(Stay())
            case Find(text):
                self.find(text)
            case Export(kind, path):
                self.take(kind, path)
            case Do(action):
                await self.run_action(action.method)
            case unknown:
                assert_never(unknown)

    def told(self, words: str) -> None:
        """Say what was done to the stops, watches or bookmarks, and show it."""
        raise NotImplementedError

    @property
    def plain(self) -> bool:
        """Whether only ASCII is drawn."""
        return self._serq.config.ascii

    # ----------------------------------------------------------------- searching

    def action_search(self) -> None:
        """Ask what to search the focused pane for."""
        self.app.push_screen(search_line(), self.find)

    def find(self, text: str | None) -> None:
        """Search the focused pane; None asks for nothing."""
        pane = self.focused
        if text is None or not isinstance(pane, Pane):
            return
        self.notify(found(pane, text))
        self.refresh_bindings()

    @property
    def searched(self) -> Pane[Any] | None:
        """The focused pane, if it is being searched."""
        return self.focused if isinstance(self.focused, Pane) and self.focused.sought else None

    # ----------------------------------------------------------------- a request by its number

    def action_request(self) -> None:
        """Ask for a request's number and tell its story."""
        ask = AskScreen("request", request_number, forms="the number of a request, such as 7", placeholder="7")
        self.app.push_screen(ask, self._request)

    def _request(self, serial: int | None) -> None:
        if serial is not None:
            self.ask(AskStory(Who(serial)))


def _kept(orders: Orders, text: str) -> tuple[str, Order]:
    return text.strip(), orders.read(text)
