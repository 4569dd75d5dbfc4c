"""The keys that look around: panes, the detail, engines, help; and the sizes a screen can have."""

from __future__ import annotations

from pathlib import Path

import pytest

from serq_tui.arrangement import PANES
from serq_tui.keymap import ACTIONS
from serq_tui.screens.help import HelpScreen
from serq_tui.themes import COLOURLESS
from tests.serq_tui.piloting import CHAT, PREEMPTION, Driver, opened

TWO_ENGINES = """\
fn main() {
  device one { }
  device two { }
  engine front on one {
    tokens cap 4;
    schedule { advance running; admit waiting; }
    execute (1);
  }
  engine rear on two {
    tokens cap 4;
    schedule { advance running; admit waiting; }
    execute (3);
  }
  workload { arrive batch(2); }
  server {
    run front decode (cost(front, 4));
    run rear decode (cost(rear, 4));
  }
}
"""

NO_ENGINE = """\
fn main() {
  stage pause : delay;
  workload { arrive batch(2); }
  server { run pause (cost(pause, 2)); }
}
"""


def program(folder: Path, text: str) -> Path:
    path = folder / "model.sq"
    path.write_text(text, encoding="utf-8")
    return path


def focused(driver: Driver) -> str | None:
    return driver.app.focused.id if driver.app.focused else None


async def test_tab_walks_the_panes_in_the_order_of_their_numbers() -> None:
    async with opened(PREEMPTION) as driver:
        assert focused(driver) == "source"
        walked = []
        for _ in PANES:
            await driver.press("tab")
            walked.append(focused(driver))
        assert walked == [*PANES[1:], PANES[0]]
        await driver.press("shift+tab")
        assert focused(driver) == PANES[-1]


@pytest.mark.parametrize(("number", "name"), list(enumerate(PANES, 1)))
async def test_a_number_goes_to_its_pane(number: int, name: str) -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press(str(number))
        assert focused(driver) == name


async def test_z_gives_the_focused_pane_the_desk_and_focus_then_chooses_which_pane_has_it() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("2", "z")
        assert driver.desk.maximised == "running"
        assert driver.desk.query_one("#running").size.width > 100
        await driver.press("tab")
        assert driver.desk.maximised == "waiting"
        await driver.press("escape")
        assert driver.desk.maximised is None
        await driver.press("z", "z")
        assert driver.desk.maximised is None


async def test_enter_opens_the_request_and_stepping_keeps_it_open() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("s", "2", "enter")
        detail = driver.view.detail
        assert detail is not None
        assert detail.who == driver.view.running.engines[0].residents[0].who
        text = driver.text()
        for name in ("prompt", "output", "known"):
            assert name in text
        await driver.press("s")
        assert driver.view.detail is not None
        await driver.press("escape")
        assert driver.view.detail is None


async def test_an_open_detail_follows_the_cursor() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("s", "s", "2", "enter", "j")
        assert driver.view.detail is not None
        assert driver.view.detail.who == driver.view.running.engines[0].residents[1].who


async def test_the_cursor_stays_on_its_request_while_rows_come_and_go() -> None:
    async with opened(PREEMPTION) as driver:
        # the sixteenth step is the first preemption; r2 is in the third row until it ends
        await driver.press("c", "2", "j", "j")
        pane = driver.desk.running_pane
        chosen = pane.request
        assert chosen is not None
        await driver.press("s", "b", "b")
        assert pane.request == chosen


async def test_help_lists_every_action_of_the_table() -> None:
    async with opened(PREEMPTION, size=(200, 220)) as driver:
        await driver.press("question_mark")
        assert isinstance(driver.app.screen, HelpScreen)
        text = " ".join(driver.text().split())
        for action in ACTIONS:
            assert action.help in text
        await driver.press("escape")
        assert not isinstance(driver.app.screen, HelpScreen)


async def test_q_leaves() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.pilot.press("q")
    assert driver.app.return_value == 0


async def test_the_brackets_choose_the_engine_that_s_steps(tmp_path: Path) -> None:
    async with opened(program(tmp_path, TWO_ENGINES)) as driver:
        assert driver.view.header.every_engine
        await driver.press("right_square_bracket")
        assert [name for name, _, _ in driver.view.header.engines] == ["front"]
        await driver.press("right_square_bracket")
        assert [name for name, _, _ in driver.view.header.engines] == ["rear"]
        # Two sessions decode four tokens each at front, one a second, and from then on at rear,
        # one in three seconds: rear's attempts start at 4, 7, 10 and 13, and front's are no steps.
        clocks = []
        for _ in range(4):
            await driver.press("s")
            clocks.append(driver.screen.controller.moment.now.clock)
        assert clocks == [4.0, 7.0, 10.0, 13.0]
        await driver.press("left_square_bracket", "left_square_bracket")
        assert driver.view.header.every_engine


async def test_a_program_without_an_engine_steps_by_event_and_its_panes_say_so(tmp_path: Path) -> None:
    async with opened(program(tmp_path, NO_ENGINE)) as driver:
        events = driver.screen.controller.moment.now.position.events
        await driver.press("s")
        assert driver.screen.controller.moment.now.position.events == events + 1
        text = driver.text()
        assert "no engine in this program" in text
        assert "no engine: no iterations" in text
        assert "no pools" in text
        await driver.press("g")
        await driver.type("12")
        assert "this program has no engine" in driver.text()


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40), (180, 50), (50, 14), (30, 8)])
@pytest.mark.parametrize("path", [PREEMPTION, CHAT], ids=["preemption", "chat"])
async def test_every_size_shows_the_moment_and_its_reason(path: Path, size: tuple[int, int]) -> None:
    async with opened(path, size=size) as driver:
        await driver.press("c")
        text = driver.text()
        assert path.name in text
        assert driver.headline[: size[0] - 4] in text


async def test_at_80_by_24_every_pane_and_the_main_keys_are_there() -> None:
    async with opened(PREEMPTION, size=(80, 24)) as driver:
        await driver.press("c")
        text = driver.text()
        for word in ("source", "running 7", "waiting 1", "batch 7 of 64", "registers", "pools", "advance running", "kv"):
            assert word in text
        keys = text.splitlines()[-1]
        for word in ("s step", "b back", "c continue", "g go to", "? help", "q quit"):
            assert word in keys


async def test_without_colours_letters_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(PREEMPTION) as driver:
        assert driver.app.theme == COLOURLESS
        await driver.press("c")
        text = driver.text()
        lost = driver.view.waiting.queues[0].view.waiting[0].who
        assert f"x {lost}" in text or f"x{lost}" in text
        assert " d " in text
        await driver.press("s", "s", "s")
        assert " P " in driver.text()


async def test_the_wheel_scrolls_the_source_away_from_the_lit_line_until_another_is_lit() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("s")
        pane = driver.desk.source_pane
        before = driver.text()
        pane.scroll_by(-30)
        await driver.settle()
        assert driver.text() != before
        lit = driver.view.source.home
        assert pane.cursor_key != lit
        while driver.view.source.home == lit:
            await driver.press("s")
        assert pane.cursor_key == driver.view.source.home


async def test_a_click_chooses_a_request_and_a_second_one_opens_it() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("s", "s")
        # below the rule and the titles the rows begin: the third line is the first request, the fourth the second
        await driver.pilot.click("#running", offset=(4, 3))
        await driver.settle()
        second = driver.view.running.engines[0].residents[1].who
        assert focused(driver) == "running"
        assert driver.desk.running_pane.request == second
        await driver.pilot.click("#running", offset=(4, 3), times=2)
        await driver.settle()
        assert driver.view.detail is not None
        assert driver.view.detail.who == second


async def test_a_terminal_that_is_resized_is_arranged_anew() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c")
        await driver.pilot.resize_terminal(80, 24)
        await driver.settle()
        text = driver.text()
        assert len(text.splitlines()) == 24
        assert "running 7" in text
        await driver.pilot.resize_terminal(180, 50)
        await driver.settle()
        assert "source preemption.sq:47" in driver.text()
