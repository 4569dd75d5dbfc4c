"""Typed lines: commands with completion and history, searching panes, a request by its number, the palette, the hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.breakpoints import OnPreemption
from engine.snapshot import Who
from engine.targets import AtIteration
from serq_tui.answers import AskStory
from serq_tui.changes import settings_of
from serq_tui.command_line import Do, GoTo, LookAt, Orders, Rerun, StopOn, TellStoryOf, WearTheme
from serq_tui.controller import Controller
from serq_tui.debuggee import Debuggee
from serq_tui.keymap import actions
from serq_tui.options import RunOptions
from serq_tui.screens.answer import AnswerScreen
from serq_tui.screens.ask import AskScreen
from serq_tui.screens.debugger import DebuggerScreen
from serq_tui.themes import THEMES
from serq_tui.view_state import Lens
from tests.serq_tui.piloting import PREEMPTION, opened

#: ``kv`` is the second pool of the program, ``vllm`` its first stage.
KV, VLLM = 1, 0


@pytest.fixture(scope="module")
def orders() -> Orders:
    debuggee = Debuggee.load(PREEMPTION, RunOptions())
    themes = tuple(theme.name for theme in THEMES)
    return Orders(Controller(debuggee, Lens()), settings_of(debuggee.loaded, debuggee.options), themes)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("goto 12", GoTo(AtIteration(VLLM, 12))),
        (":goto vllm 12", GoTo(AtIteration(VLLM, 12))),
        ("12", GoTo(AtIteration(VLLM, 12))),
        ("break preemption kv", StopOn((OnPreemption(KV),))),
        ("clear preemption kv", StopOn((OnPreemption(KV),), clear=True)),
        ("set seed=2 kv_tokens=2 * 320", Rerun({"setting seed": "2", "input kv_tokens": "2 * 320"})),
        ("set users=3", Rerun({"constant users": "3"})),
        ("theme serq-light", WearTheme("serq-light")),
        ("th serq-mono", WearTheme("serq-mono")),
        ("request r7", TellStoryOf(7)),
        ("engine all", LookAt(None)),
        ("engine vllm", LookAt(VLLM)),
    ],
)
def test_a_text_is_read_into_its_order(orders: Orders, text: str, order: object) -> None:
    assert orders.read(text) == order


def test_every_action_of_the_screen_is_a_command(orders: Orders) -> None:
    taking = {"goto", "bookmark", "request"}
    for action in actions("debugger"):
        if action.id not in taking:
            assert orders.read(action.id) == Do(action)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", "nothing is typed yet"),
        ("gotoo 12", "there is no command gotoo; did you mean goto?"),
        ("goto", "what is missing"),
        ("focus", "focus takes nothing"),
        ("st", "st is the beginning of step, "),
        ("theme serq-lihgt", "did you mean serq-light"),
        ("set sed=2", "did you mean seed?"),
        ("set seed", "'seed' is not NAME=VALUE"),
        ("engine vlm", "did you mean vllm?"),
        ("request x", "'x' is no request"),
        ("step 3", "step takes nothing"),
    ],
)
def test_what_orders_nothing_is_answered_with_what_was_meant(orders: Orders, text: str, answer: str) -> None:
    if text == "focus":
        text = "focus now"
    with pytest.raises(ValueError, match=answer.replace("(", r"\(").replace("?", r"\?")):
        orders.read(text)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("go", "goto"),
        ("the", "theme"),
        ("theme serq-l", "theme serq-light"),
        ("set kv", "set kv_tokens="),
        ("set seed=2 us", "set seed=2 users="),
        ("break pre", "break preemption"),
        ("watch us", "watch used(reqs)"),
        ("engine a", "engine all"),
        ("rel", "reload"),
        ("zzz", None),
    ],
)
def test_a_text_being_typed_is_completed(orders: Orders, text: str, whole: str | None) -> None:
    assert orders.complete(text) == whole


async def test_commands_do_what_their_keys_do_and_are_kept_for_the_next_sitting(tmp_path: Path) -> None:
    async with opened(PREEMPTION, kept=tmp_path) as driver:
        await driver.press("colon")
        await driver.type("goto 12")
        assert driver.screen.controller.moment.now.engines[0].iterations == 12
        await driver.press("colon")
        await driver.type("break preemption kv")
        assert driver.screen.controller.lens.stop_on((OnPreemption(KV),)) is not None
        await driver.press("colon")
        await driver.type("theme serq-light")
        assert driver.app.theme == "serq-light"
    async with opened(PREEMPTION, kept=tmp_path) as driver:
        assert driver.app.theme == "serq-light"
        await driver.press("colon", "up", "up", "up", "enter")
        assert driver.screen.controller.moment.now.engines[0].iterations == 12


async def test_a_command_that_is_none_keeps_what_was_typed_and_escape_never_quits() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("colon")
        await driver.type("gotoo 12")
        assert isinstance(driver.app.screen, AskScreen)
        assert "did you mean goto?" in driver.text()
        await driver.press("escape")
        assert isinstance(driver.app.screen, DebuggerScreen)
        await driver.press("escape", "escape", "escape")
        assert driver.app.is_running


async def test_a_search_goes_from_hit_to_hit_until_escape_and_then_n_steps_again() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("1", "slash")
        await driver.type("KV CAP")
        pane = driver.desk.source_pane
        lines = driver.view.source.text.lines
        first = next(index for index, line in enumerate(lines) if "kv cap" in line)
        assert pane.cursor == first
        await driver.press("n")
        # there is no other, so it comes round
        assert pane.cursor == first
        await driver.press("slash")
        await driver.type("growing kv")
        hits = [index for index, line in enumerate(lines) if "growing kv" in line]
        walked = []
        for _ in hits:
            walked.append(pane.cursor)
            await driver.press("n")
        assert walked == hits
        await driver.press("N")
        assert pane.cursor == hits[-1]
        position = driver.screen.controller.moment.now.position
        await driver.press("escape", "n")
        assert driver.screen.controller.moment.now.position != position


async def test_what_a_pane_does_not_say_is_said() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("2", "slash")
        await driver.type("r99")
        assert driver.notices()[-1] == "no line here has r99"


async def test_an_answer_is_searched_too() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "v", "slash")
        await driver.type("r3")
        assert isinstance(driver.app.screen, AnswerScreen)
        assert driver.app.screen.request == Who(3)
        await driver.press("escape")
        assert isinstance(driver.app.screen, AnswerScreen)


async def test_the_story_of_request_7_takes_four_keys() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "r", "7", "enter")
        assert isinstance(driver.app.screen, AnswerScreen)
        assert driver.app.screen.question == AskStory(Who(7))
        assert "r7" in driver.text()


async def test_the_palette_offers_the_actions_of_the_focused_pane_under_their_keys() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("s", "2", "ctrl+p")
        await driver.pilot.press(*"breakpoint on the sched")
        await driver.app.workers.wait_for_complete()
        await driver.pilot.pause()
        assert "break (space)" in driver.text()


async def test_the_hint_of_the_first_sitting_goes_away_with_the_first_move_and_stays_away(tmp_path: Path) -> None:
    async with opened(PREEMPTION, kept=tmp_path) as driver:
        assert "new here?" in driver.text()
        await driver.press("s")
        assert "new here?" not in driver.text()
    async with opened(PREEMPTION, kept=tmp_path) as driver:
        assert "new here?" not in driver.text()


async def test_the_help_tells_the_panes_own_keys_first_and_can_be_searched() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("2", "question_mark")
        assert "Here, in running" in driver.text()
        await driver.pilot.press(*"last moment")
        await driver.pilot.pause()
        text = driver.text()
        assert "Go to the last moment seen so far." in text
        assert "Run on to the next stop." not in text
        await driver.press("question_mark")
        assert isinstance(driver.app.screen, DebuggerScreen)
