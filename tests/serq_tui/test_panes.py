"""Panes as a person wants them: shut, open, taller, wider, dragged; the time pane; what is chosen stands out everywhere."""

from __future__ import annotations

from pathlib import Path

from engine.snapshot import Who
from serq_tui.arrangement import PANES, Box, PaneName
from serq_tui.time_rows import NAME
from tests.serq_tui.piloting import EXAMPLES, PREEMPTION, Driver, opened

TGI = EXAMPLES / "tgi.sq"


def box(driver: Driver, name: PaneName) -> Box:
    region = driver.desk.pane(name).region
    return Box(region.x, region.y, region.width, region.height)


async def test_a_pane_shut_gives_its_room_away_and_its_number_opens_it_again() -> None:
    async with opened(PREEMPTION) as driver:
        source, registers = box(driver, "source"), box(driver, "registers")
        await driver.press("5", "Z")
        assert "registers" not in driver.text()
        assert box(driver, "source").height == source.height + registers.height
        await driver.press("5")
        assert box(driver, "registers") == registers
        assert driver.app.focused is driver.desk.registers_pane


async def test_every_pane_but_the_last_can_be_shut_and_0_opens_them_all() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press(*("Z" for _ in PANES))
        assert len(driver.desk.layout_made.closed) == len(PANES) - 1
        assert driver.notices()[-1] == "the last pane stays open"
        await driver.press("0")
        assert driver.desk.layout_made.closed == frozenset()


async def test_keys_make_a_pane_taller_and_the_first_column_wider() -> None:
    async with opened(PREEMPTION) as driver:
        waiting, running, source = box(driver, "waiting"), box(driver, "running"), box(driver, "source")
        await driver.press("3", "plus", "plus", "greater_than_sign")
        assert box(driver, "waiting").height == waiting.height + 2
        assert box(driver, "running").height == running.height - 2
        assert box(driver, "source").width == source.width + 2
        await driver.press("minus", "minus", "less_than_sign")
        assert (box(driver, "waiting"), box(driver, "running"), box(driver, "source")) == (waiting, running, source)


async def test_a_rule_dragged_moves_the_border_of_two_panes_and_the_gap_that_of_the_columns() -> None:
    async with opened(PREEMPTION) as driver:
        waiting, running = box(driver, "waiting"), box(driver, "running")
        await driver.pilot.mouse_down(offset=(waiting.x + 30, waiting.y))
        await driver.pilot.hover(offset=(waiting.x + 30, waiting.y + 2))
        await driver.pilot.mouse_up(offset=(waiting.x + 30, waiting.y + 2))
        await driver.settle()
        assert box(driver, "running").height == running.height + 2
        assert box(driver, "waiting").y == waiting.y + 2
        assert box(driver, "batch").y == waiting.y + waiting.height
        source = box(driver, "source")
        await driver.pilot.mouse_down(offset=(source.width, 10))
        await driver.pilot.hover(offset=(source.width - 5, 10))
        await driver.pilot.mouse_up(offset=(source.width - 5, 10))
        await driver.settle()
        assert box(driver, "source").width == source.width - 5


async def test_the_arrangement_is_there_again_the_next_time(tmp_path: Path) -> None:
    async with opened(PREEMPTION, kept=tmp_path) as driver:
        await driver.press("5", "Z", "3", "plus", "greater_than_sign")
        left = {name: box(driver, name) for name in PANES if name != "registers"}
    async with opened(PREEMPTION, kept=tmp_path) as driver:
        assert {name: box(driver, name) for name in PANES if name != "registers"} == left
        assert "registers" not in driver.text()


async def test_time_is_travelled_by_keys_and_by_dragging_the_cursor() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "c", "7")
        last = driver.screen.controller.moment.now
        await driver.press("left")
        earlier = driver.screen.controller.moment.now
        assert earlier.clock < last.clock
        await driver.press("right")
        assert driver.screen.controller.moment.now.clock == last.clock
        pane = box(driver, "time")
        await driver.pilot.mouse_down(offset=(pane.x + NAME + 40, pane.y + 1))
        await driver.settle()
        middle = driver.screen.controller.moment.now
        assert 0 < middle.clock < earlier.clock
        await driver.pilot.hover(offset=(pane.x + NAME, pane.y + 1))
        await driver.pilot.mouse_up(offset=(pane.x + NAME, pane.y + 1))
        await driver.settle()
        assert driver.screen.controller.moment.now.clock < middle.clock


async def test_the_time_pane_tells_of_preemptions_where_they_were() -> None:
    """The program's comment: the first is in iteration 15, and it is the last moment seen."""
    async with opened(PREEMPTION) as driver:
        await driver.press("c")
        stretches = driver.view.time.overview.stretches
        assert [one.preempted for one in stretches if one.preempted] == [1]
        assert stretches[-1].preempted == 1
        await driver.press("s", "s", "home")
        assert sum(one.preempted for one in driver.view.time.overview.stretches) == 1


async def test_the_moment_a_register_last_changed_takes_three_keys() -> None:
    async with opened(TGI) as driver:
        await driver.press("end", "g")
        await driver.type("iteration 12")
        now = driver.screen.controller.moment.now
        await driver.press("5", "enter")
        there = driver.screen.controller.moment
        assert there.now.position < now.position
        assert there.before is not None
        assert there.before.engines[0].registers != there.now.engines[0].registers


async def test_whom_one_chose_stands_out_in_every_pane_and_is_asked_about_wherever_it_is() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "b", "2", "pagedown", "pagedown")
        assert driver.desk.marked == Who(7)
        await driver.press("s", "6")
        # it was preempted in this step and waits; the focus is elsewhere
        assert driver.screen._selected() == Who(7)


async def test_a_click_in_the_gutter_sets_a_breakpoint_and_one_in_the_text_does_not() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("s")
        pane = driver.desk.source_pane
        row = pane.cursor - pane._visible_top() + 1
        await driver.pilot.click("#source", offset=(12, row))
        await driver.settle()
        assert not driver.screen.controller.lens.statements
        await driver.pilot.click("#source", offset=(1, row))
        await driver.settle()
        assert len(driver.screen.controller.lens.statements) == 1
