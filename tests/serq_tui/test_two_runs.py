"""Other settings from inside, two runs side by side, and where they part."""

from __future__ import annotations

from pathlib import Path

from engine.snapshot import Position
from serq_tui.comparing import CompareAnswer
from serq_tui.screens.answer import AnswerScreen
from serq_tui.screens.change import ChangeScreen
from serq_tui.screens.debugger import DebuggerScreen
from tests.serq_tui.piloting import PREEMPTION, Driver, opened
from tests.serq_tui.test_debugger_program import copied


def compared(driver: Driver) -> CompareAnswer:
    assert isinstance(driver.app.screen, AnswerScreen), driver.notices()
    assert isinstance(driver.app.screen.answer, CompareAnswer)
    return driver.app.screen.answer


async def more_memory(driver: Driver) -> None:
    """``kv_tokens`` is the fifth line, behind seed, horizon, warmup and arrivals."""
    await driver.press("u", "tab", "tab", "tab", "tab")
    await driver.type("640")


async def test_another_seed_runs_again_to_the_same_iteration_and_the_old_run_is_kept() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c")
        old = driver.screen.controller
        await driver.press("u", "2", "enter")
        new = driver.screen.controller
        assert (old.moment.now.seed, new.moment.now.seed) == (1, 2)
        assert new.moment.now.engines[0].iterations == old.moment.now.engines[0].iterations == 15
        assert new.debuggee.beside is not None
        assert new.debuggee.beside.other.timeline is old.debuggee.timeline


async def test_two_seeds_stand_side_by_side_at_their_first_difference_within_six_keys() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("u", "2", "enter", "d", "d")
        found = compared(driver)
        assert (found.kept.label, found.present.label) == ("seed 1", "seed 2")
        assert found.parting is not None
        assert (found.kept.now.position, found.present.now.position) == (found.parting.one, found.parting.other)
        # what the two asked for when they were drawn stands side by side
        line = next(line for line in driver.text().splitlines() if "≠" in line)
        assert line.count("r0 waits in reqs, asking for") == 2


async def test_an_input_changed_parts_where_the_small_memory_preempts() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c")
        await more_memory(driver)
        await driver.press("d")
        found = compared(driver)
        assert (found.kept.label, found.present.label) == ("kv_tokens 320", "kv_tokens 640")
        assert found.kept.now.position == found.present.now.position == Position(14, 1)
        assert len(found.present.now.engines[0].running) == len(found.kept.now.engines[0].running) + 1
        await driver.press("d")
        found = compared(driver)
        assert found.parting is not None
        assert driver.screen.controller.moment.now.position == found.parting.other == Position(14, 0, 5)
        assert "this is where they part" in driver.text()


async def test_the_sides_stay_aligned_while_time_moves_by_iteration_or_by_the_clock() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c")
        await more_memory(driver)
        await driver.press("d", "s", "s", "s", "s", "s")
        found = compared(driver)
        assert found.kept.now.engines[0].iterations == found.present.now.engines[0].iterations == 20
        await driver.press("a")
        found = compared(driver)
        assert found.by == "time"
        assert found.kept.now.clock <= found.present.now.clock
        await driver.press("b")
        assert compared(driver).by == "time"


async def test_a_constant_changed_is_the_text_changed_and_swapping_goes_back() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("u", "up")
        await driver.type("3")
        assert driver.view.source.text.lines[21] == "  let users = 3;"
        assert driver.view.header.live == 3
        await driver.press("D")
        assert driver.view.source.text.lines[21] == "  let users = 8;"
        assert driver.view.header.live == 8


async def test_what_is_no_value_is_said_and_what_was_typed_is_kept() -> None:
    async with opened(PREEMPTION) as driver:
        old = driver.screen.controller
        await driver.press("u")
        await driver.type("-1")
        assert isinstance(driver.app.screen, ChangeScreen)
        assert "-1 is no seed" in driver.text()
        await driver.press("tab", "tab", "tab", "tab")
        await driver.press("x")
        await driver.press("shift+tab", "shift+tab", "shift+tab", "shift+tab")
        await driver.type("5")
        assert isinstance(driver.app.screen, ChangeScreen)
        assert "seed       5" in driver.text()
        await driver.press("escape")
        assert driver.screen.controller is old


async def test_without_another_run_there_is_nothing_to_compare_and_it_is_said() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("d")
        assert isinstance(driver.app.screen, DebuggerScreen)
        assert "u changes this one" in driver.notices()[-1]
        await driver.press("D")
        assert "there is no other run" in driver.notices()[-1]


async def test_a_reload_keeps_the_run_of_the_text_before_when_it_means_another_program(tmp_path: Path) -> None:
    path = copied(tmp_path)
    async with opened(path) as driver:
        await driver.press("c", "ctrl+r")
        assert driver.screen.controller.debuggee.beside is None
        path.write_text(path.read_text(encoding="utf-8").replace("reqs cap 8", "reqs cap 6"), encoding="utf-8")
        await driver.press("ctrl+r", "d")
        found = compared(driver)
        assert (found.kept.label, found.present.label) == ("the text before", "the text as it is now")


async def test_a_constant_changed_from_inside_outlives_a_reload_and_its_loss_is_told(tmp_path: Path) -> None:
    path = copied(tmp_path)
    async with opened(path) as driver:
        await driver.press("u", "up")
        await driver.type("3")
        await driver.press("ctrl+r")
        assert driver.view.header.live == 3
        path.write_text(
            path.read_text(encoding="utf-8").replace("let users", "let people").replace("(users)", "(people)"), encoding="utf-8"
        )
        await driver.press("ctrl+r")
        assert "the text has no constant users" in driver.text()
        await driver.press("escape")
        assert driver.view.header.live == 3
