"""The Textual app: themes, the style sheet and which screen comes first; knows no pane and no run."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from platformdirs import user_config_path, user_state_path
from textual import events
from textual.app import App
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.theme import Theme

from serq_tui import habits
from serq_tui.ascii import AsciiFilter
from serq_tui.capsule import read_capsule
from serq_tui.commands import ActionCommands
from serq_tui.config import FILE, Config, read_config
from serq_tui.controller import Controller
from serq_tui.debuggee import Debuggee
from serq_tui.keeping import Keeper
from serq_tui.loading import CAPSULE_SUFFIX
from serq_tui.options import RunOptions, Stops
from serq_tui.problems import LOAD_ERRORS, Problem
from serq_tui.screens.ask import AskScreen
from serq_tui.screens.chooser import ChooserScreen
from serq_tui.screens.debugger import DebuggerScreen
from serq_tui.screens.load_error import LoadErrorScreen
from serq_tui.themes import COLOURLESS, DEFAULTS, FIRST, THEMES
from serq_tui.view_state import Lens

#: Seconds a run under way keeps the interpreter to itself before a key gets its turn: a key asks for a dozen turns, and
#: with Python's own five milliseconds the slowest took 60 to 74 ms, with one 45 to 47.
TURN = 0.001

#: Signals that ask the program to end, where the system has them.
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))

#: What a shell adds to a signal's number.
SIGNALLED = 128

#: Values made between two looks for cycles: a look takes 10 to 15 ms then, which no key notices; at four times as many, 50 to 80.
GARBAGE = 50_000

#: Seconds a fault in a person's own settings stays on screen: it is a sentence to be read.
FAULT_SECONDS = 15.0

#: What the folder of what is kept is called, in the place the system has for such things.
NAME = "serq-tui"

#: Seconds a capsule's note stays: a few sentences are read by then.
NOTE_SECONDS = 30


class SerqApp(App[int]):
    """The debugger. Its result is the exit code.

    Args:
        path: the program, None to ask for one.
        folder: where programs to choose from lie; None is the current folder.
        kept: where breakpoints, watches and bookmarks are kept between two sittings; None keeps none.
        config: a person's own settings.
    """

    TITLE = "serq-tui"
    CSS_PATH = "serq.tcss"
    COMMANDS: ClassVar = App.COMMANDS | {ActionCommands}
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(
        self,
        path: Path | None,
        options: RunOptions,
        stops: Stops,
        folder: Path | None = None,
        kept: Path | None = None,
        config: Config | None = None,
    ) -> None:
        super().__init__()
        self._path = path
        self._options = options
        self._stops = stops
        self._folder = folder or Path.cwd()
        self._kept = kept
        self.config = config or Config()
        self.habits = habits.load(kept)
        self._ascii = AsciiFilter()
        for theme in THEMES:
            self.register_theme(theme)
        wanted = self.config.theme or self.habits.theme or FIRST
        self.theme = COLOURLESS if self.no_color else wanted if wanted in self.available_themes else FIRST
        if self.config.keys:
            self.set_keymap(self.config.keys)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The roles' colours under a theme that is not ours."""
        return DEFAULTS

    def on_mount(self) -> None:
        """Open the program, or ask for one, and tell what is wrong in a person's own settings."""
        self.theme_changed_signal.subscribe(self, self._theme_worn)
        if self._path is None:
            self._choose()
        else:
            self._open(self._path)

        for fault in self.config.faults:
            self.notify(fault, severity="warning", timeout=FAULT_SECONDS)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What every line is drawn through: ASCII where a person asked for it."""
        filters = super().get_line_filters()
        return [*filters, self._ascii] if self.config.ascii else filters

    # ----------------------------------------------------------------- habits

    def wear(self, theme: str) -> None:
        """Draw in other colours, now and in later sittings."""
        self.theme = theme

    def _theme_worn(self, theme: Theme) -> None:
        if not self.no_color:
            self.habits.theme = theme.name
            habits.save(self._kept, self.habits)

    def remember(self, line: str) -> None:
        """Keep a command that was typed."""
        self.habits.typed(line)
        habits.save(self._kept, self.habits)

    def hinted(self) -> None:
        """The hint of the first sitting was seen."""
        self.habits.hinted = True
        habits.save(self._kept, self.habits)

    def on_key(self, event: events.Key) -> None:
        """A key that nobody below a dialog took, because the dialog came while it was on its way, is for the dialog."""
        if isinstance(self.screen, AskScreen) and self.screen.type_ahead(event):
            event.prevent_default()

    async def action_quit(self) -> None:
        """Leave, and let go of a run under way: its thread would keep the program alive."""
        self._leave(0 if self._debuggers() or self._path is None else 1)

    def heed_signals(self) -> None:
        """Leave as one who quits when told to end: a terminal that is left in our hands is of no use to anybody."""
        loop = asyncio.get_running_loop()
        for sent in ENDING:
            loop.add_signal_handler(sent, self._leave, SIGNALLED + sent)

    def _debuggers(self) -> list[DebuggerScreen]:
        return [screen for screen in self.screen_stack if isinstance(screen, DebuggerScreen)]

    def _leave(self, code: int) -> None:
        for screen in self._debuggers():
            screen.leave()
        self.exit(code)

    def _choose(self) -> None:
        self.push_screen(ChooserScreen(self._folder), self._chosen)

    def _chosen(self, path: Path | None) -> None:
        if path is not None:
            self._open(path)

    def _open(self, path: Path) -> None:
        try:
            capsule = read_capsule(path) if path.suffix == CAPSULE_SUFFIX else None
            debuggee = Debuggee.load(path, self._options)
        except LOAD_ERRORS as error:
            self.push_screen(LoadErrorScreen(Problem.of(path, error)), partial(self._after_problem, path))
            return
        # A capsule is as it was made: what is set in it now goes into the next one.
        keeper = Keeper(self._kept, path) if self._kept is not None and capsule is None else None
        controller = Controller(debuggee, Lens(), keeper)
        stops = self._stops
        if capsule is None:
            controller.attention.restore()
        else:
            controller.look_as(capsule)
            stops = replace(stops, at=stops.at or str(capsule.position))
        if stops.breaks:
            controller.attention.stop_only(stops.breaks)
        screen = DebuggerScreen(controller, stops, self._folder)
        screen.opened_from = capsule if stops.at != self._stops.at else None
        self.push_screen(screen)
        if capsule is not None and capsule.note:
            self.notify(capsule.note, title="a note in the capsule", timeout=NOTE_SECONDS, markup=False)

    def _after_problem(self, path: Path, again: bool | None) -> None:
        if again:
            self._open(path)
        elif self._path is None:
            self._choose()
        else:
            self.exit(1)


def open_debugger(path: Path | None, options: RunOptions, stops: Stops, *, theme: str | None = None, ascii: bool = False) -> int:
    """Open the debugger on a program, or on a choice of programs.

    Args:
        path: the program, None to ask for one.
        options: how it is run.
        stops: where it stops.
        theme: the theme asked for, which wins over a person's own settings.
        ascii: whether to draw in ASCII, whatever those settings say.

    Returns:
        The exit code: 1 where the program did not load and was given up, else 0.
    """
    # Every step makes thousands of frozen values, and none of them is part of a cycle: with Python's own thresholds
    # all sessions and checkpoints are gone through for nothing several times a second.
    gc.set_threshold(GARBAGE, 50, 100)
    sys.setswitchinterval(TURN)
    names = tuple(theme.name for theme in THEMES)
    config = read_config(user_config_path(NAME) / FILE, names)
    config = replace(config, theme=theme or config.theme, ascii=ascii or config.ascii)
    return asyncio.run(_sitting(SerqApp(path, options, stops, kept=user_state_path(NAME), config=config)))


async def _sitting(app: SerqApp) -> int:
    # Where the system's loop takes no signals they end the program as they end any other.
    with contextlib.suppress(NotImplementedError):
        app.heed_signals()
    return await app.run_async() or 0
