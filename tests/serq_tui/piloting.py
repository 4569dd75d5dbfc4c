"""Driving the app in tests: open a program, press keys, wait until everything asked for has happened."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from html import unescape
from pathlib import Path
from typing import cast

from textual.pilot import Pilot

from serq_tui.app import SerqApp
from serq_tui.config import Config
from serq_tui.options import RunOptions, Stops
from serq_tui.panes.desk import Desk
from serq_tui.screens.debugger import DebuggerScreen
from serq_tui.screens.stops import StopsScreen
from serq_tui.view_state import DebuggerState

EXAMPLES = Path(__file__).parents[2] / "serq_tui" / "examples"
PREEMPTION = EXAMPLES / "preemption.sq"
LATCHED = EXAMPLES / "latched.sq"
CHAT = EXAMPLES / "chat.sq"

#: Width of a cell in the pictures Textual exports.
CELL = 12.2

COMFORTABLE = (120, 40)


class Driver:
    """An app under test with what tests ask of it."""

    def __init__(self, app: SerqApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys and wait until all they asked for has happened."""
        await self.pilot.press(*keys)
        await self.settle()

    async def settle(self) -> None:
        """Wait until no move is under way or waits for its turn."""
        await self.pilot.pause()
        while any(screen.busy for screen in self.app.screen_stack if isinstance(screen, DebuggerScreen | StopsScreen)):
            await self.app.workers.wait_for_complete()
            await self.pilot.pause()

    async def play(self, keys: Iterable[str]) -> None:
        """Press keys one after the other, each once all before it has happened; a text in quotes is typed."""
        for key in keys:
            await self.press(*(key.strip("'") if key.startswith("'") else (key,)))

    async def type(self, text: str) -> None:
        """Type a text and enter."""
        await self.press(*text, "enter")

    @property
    def screen(self) -> DebuggerScreen:
        """The debugger's screen, whatever lies above it."""
        found = [screen for screen in self.app.screen_stack if isinstance(screen, DebuggerScreen)]
        assert found, f"no debugger on screen but {self.app.screen}: {self.text()}"
        return found[0]

    @property
    def desk(self) -> Desk:
        """The panes."""
        return self.screen.query_one(Desk)

    @property
    def view(self) -> DebuggerState:
        """What the panes show."""
        return self.screen.controller.view()

    @property
    def headline(self) -> str:
        """The sentence of the header."""
        return self.view.header.headline.text

    def notices(self) -> list[str]:
        """What was said in passing, latest last."""
        return [notice.message for notice in self.app._notifications]

    def picture(self) -> str:
        """The whole screen with its colours."""
        return self.app.export_screenshot()

    def text(self) -> str:
        """The screen's text without its colours, each word in its column."""
        lines: dict[float, str] = {}
        for x, y, words in re.findall(r'<text[^>]* x="([\d.]+)" y="([\d.]+)" textLength[^>]*>([^<]*)</text>', self.picture()):
            column = round(float(x) / CELL)
            lines[float(y)] = lines.get(float(y), "").ljust(column) + unescape(words).replace("\xa0", " ").rstrip("\n")
        return "\n".join(line for _, line in sorted(lines.items()))


@asynccontextmanager
async def opened(
    path: Path | None,
    *,
    size: tuple[int, int] = COMFORTABLE,
    options: RunOptions | None = None,
    stops: Stops | None = None,
    folder: Path | None = None,
    kept: Path | None = None,
    config: Config | None = None,
) -> AsyncIterator[Driver]:
    """The app on a program; nothing is kept unless a folder is given for it."""
    app = SerqApp(path, options or RunOptions(), stops or Stops(), folder, kept, config)
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, cast("Pilot[int]", pilot))
        await driver.settle()
        yield driver
