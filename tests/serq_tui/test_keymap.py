"""The one table of actions and what is made of it."""

from __future__ import annotations

from collections import Counter

import pytest
from textual.theme import Theme

from serq_tui.app import SerqApp
from serq_tui.keymap import ACTIONS, Action, Scope, actions
from serq_tui.panes.pane import Pane
from serq_tui.panes.pools import PoolsPane, RegistersPane
from serq_tui.panes.source import SourcePane
from serq_tui.panes.tables import RequestPane
from serq_tui.panes.time import TimePane
from serq_tui.pieces import GROUNDS, ROLES
from serq_tui.screens.answer import AnswerScreen
from serq_tui.screens.debugger import DebuggerScreen
from serq_tui.screens.stops import StopsScreen
from serq_tui.themes import THEMES
from tests.serq_tui.piloting import PREEMPTION, opened

#: Keys promised to people, and what they do.
PROMISED = {
    "S": "decision",
    "B": "decision-back",
    "n": "statement",
    "N": "statement-back",
    "x": "stops",
    "m": "bookmark",
    "apostrophe": "bookmarks",
    "y": "copy",
    "s": "step",
    "b": "back",
    "c": "continue",
    "C": "reverse",
    "g": "goto",
    "p": "stop-preemption",
    "i": "stop-idle",
    "space": "break",
    "escape": "interrupt",
    "ctrl+r": "reload",
    "question_mark": "help",
    "q": "quit",
    "home": "home",
    "end": "end",
    "z": "maximise",
    "enter": "detail",
    "w": "why",
    "l": "log",
    "v": "grid",
    "u": "change",
    "d": "compare",
    "colon": "command",
    "slash": "search",
    "e": "export",
}

OWNERS: dict[Scope, tuple[type, ...]] = {
    "debugger": (DebuggerScreen, SerqApp),
    "pane": (Pane,),
    "source": (SourcePane,),
    "marked": (SourcePane, PoolsPane, RequestPane),
    "requests": (RequestPane,),
    "answer": (AnswerScreen,),
    "stops": (StopsScreen,),
    "time": (TimePane,),
    "registers": (RegistersPane,),
}

#: The screen beside whose keys those of another scope work; a pane's work beside those of the debugger.
SCREENS: dict[Scope, Scope] = {"stops": "stops", "answer": "answer"}


def test_every_promised_key_does_what_was_promised() -> None:
    elsewhere = [action for action in ACTIONS if action.scope not in (*SCREENS, "time", "registers")]
    by_key = {key: action.id for action in elsewhere for key in action.keys.split(",")}
    assert {key: by_key.get(key) for key in PROMISED} == PROMISED


def test_ids_are_unique_and_no_key_means_two_things_in_one_place() -> None:
    assert max(Counter(action.id for action in ACTIONS).values()) == 1
    for scope in OWNERS:
        # a pane's keys work beside the screen's
        keys = Counter(key for action in actions(*{scope, SCREENS.get(scope, "debugger")}) for key in action.keys.split(","))
        assert max(keys.values()) == 1


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_every_action_is_done_by_the_places_where_its_key_is_bound(action: Action) -> None:
    name = action.method.partition("(")[0].removeprefix("app.")
    owners = OWNERS[action.scope]
    found = [hasattr(owner, f"action_{name}") for owner in owners]
    assert any(found) if action.scope == "debugger" else all(found)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_a_theme_gives_every_role_and_ground_a_colour(theme: Theme) -> None:
    variables = theme.variables
    assert {f"role-{role}" for role in ROLES} <= set(variables)
    assert {f"ground-{ground}" for ground in GROUNDS} <= set(variables)


@pytest.mark.parametrize("theme", [theme.name for theme in THEMES])
async def test_the_screen_can_be_drawn_in_every_theme(theme: str) -> None:
    async with opened(PREEMPTION) as driver:
        text = driver.text()
        driver.app.theme = theme
        await driver.settle()
        assert driver.text() == text


async def test_a_footer_key_can_be_clicked() -> None:
    async with opened(PREEMPTION) as driver:
        at = driver.text().splitlines()[-1].index("s step")
        await driver.pilot.click("#keys", offset=(at, 0))
        await driver.settle()
        assert driver.screen.controller.moment.now.engines[0].iterations == 1


async def test_the_palette_offers_the_actions() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.pilot.press("ctrl+p")
        await driver.pilot.press(*"reload")
        await driver.app.workers.wait_for_complete()
        await driver.pilot.pause()
        assert "Load the file again and return to the same moment." in driver.text()
