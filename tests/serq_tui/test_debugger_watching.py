"""The screen of breakpoints and watches, by its keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.breakpoints import Armed, OnFirstToken, OnPreemption
from engine.conditions import OnCondition
from engine.simulation import Simulation
from engine.snapshot import Position, Snapshot
from serq_tui.loading import load_program
from serq_tui.options import RunOptions, Stops
from serq_tui.panes.stops import StopsPane, WatchesPane
from serq_tui.rows import BREAKPOINT, DISABLED
from serq_tui.screens.ask import AskScreen
from serq_tui.screens.debugger import DebuggerScreen
from serq_tui.screens.stops import StopsScreen
from serq_tui.stops_state import StopRow, WatchRow
from tests.serq_tui.piloting import PREEMPTION, Driver, opened


def here(driver: Driver) -> Snapshot:
    return driver.screen.controller.moment.now


def screen(driver: Driver) -> StopsScreen:
    assert isinstance(driver.app.screen, StopsScreen), driver.text()
    return driver.app.screen


def stop_rows(driver: Driver) -> tuple[StopRow, ...]:
    state = screen(driver).query_one(StopsPane).state
    assert state is not None
    return state.rows


def watch_rows(driver: Driver) -> tuple[WatchRow, ...]:
    state = screen(driver).query_one(WatchesPane).state
    assert state is not None
    return state.rows


def stops(driver: Driver) -> dict[str, Armed]:
    controller = driver.screen.controller
    return {controller.attention.written(stop.on): stop for stop in controller.lens.stops}


async def watch(driver: Driver, *texts: str) -> None:
    """Open the screen and add values to watch."""
    await driver.press("x", "tab")
    for text in texts:
        await driver.press("a")
        await driver.type(text)


def comes_to_wait(path: Path, many: int) -> Snapshot:
    """The first moment at which so many requests wait and fewer did just before, found by snapshots alone."""
    run = Simulation(load_program(path, RunOptions()).program)
    before = many
    while True:
        run.advance()
        now = run.snapshot()
        waiting = sum(len(queue.waiting) for queue in now.queues)
        if waiting >= many > before:
            return now
        before = waiting


# --------------------------------------------------------------------------- breakpoints


async def test_x_lists_what_stops_a_run_from_the_start_and_esc_goes_back() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("x")
        assert [(row.kind, row.what, row.stop.enabled) for row in stop_rows(driver)] == [
            ("preemption", "", True),
            ("idle", "", True),
        ]
        assert "no value is watched" in driver.text()
        await driver.press("escape")
        assert isinstance(driver.app.screen, DebuggerScreen)


async def test_a_adds_a_condition_and_a_run_stops_where_it_comes_to_hold() -> None:
    # 8 users share 8 seats: at the start all wait, and then two do only after preemptions
    expected = comes_to_wait(PREEMPTION, 2)
    async with opened(PREEMPTION) as driver:
        await driver.press("p", "i", "x", "a")
        await driver.type("waiting.count >= 2")
        assert [row.what for row in stop_rows(driver)][-1] == "waiting.count >= 2"
        await driver.press("escape", "c")
        assert here(driver).position == expected.position
        assert f"{BREAKPOINT} waiting.count >= 2: " in driver.text()
        assert stops(driver)["waiting.count >= 2"].hits == 1
        assert here(driver).position > Position(0)
        await driver.press("s", "C")
        assert here(driver).position == expected.position


async def test_what_is_no_condition_is_answered_with_a_caret_and_nothing_is_lost() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("x", "a")
        await driver.type("used(kx) > 3")
        assert isinstance(driver.app.screen, AskScreen)
        lines = driver.text().splitlines()
        typed = next(index for index, line in enumerate(lines) if "used(kx) > 3" in line)
        at = lines[typed].index("kx")
        assert lines[typed + 1][at : at + 2] == "^~"
        assert "there is no pool `kx`" in driver.text()
        assert "did you mean `kv`?" in driver.text()
        await driver.press("escape")
        assert len(stop_rows(driver)) == 2


async def test_tab_takes_what_is_suggested() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("x", "a")
        await driver.pilot.press(*"firs")
        await driver.settle()
        await driver.press("tab", "enter")
        assert OnFirstToken() in [on for row in stop_rows(driver) for on in row.stop.on]


async def test_space_disables_and_enables() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("x", "space")
        assert not stops(driver)["preemption"].enabled
        assert f"{DISABLED} preemption" in driver.text()
        await driver.press("escape")
        assert "stops on idle" in driver.text()
        await driver.press("x", "space", "escape")
        assert "stops on preemption, idle" in driver.text()


async def test_a_stop_for_once_is_disabled_after_it_stopped() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("x", "o", "escape", "c")
        assert driver.view.header.headline.kind == "preemption"
        assert stops(driver)["preemption"] == Armed((OnPreemption(None),), enabled=False, once=True, hits=1)


async def test_hits_that_pass_are_counted_and_the_next_one_stops() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "c", "c")
        third = here(driver).position
        await driver.press("home", "x", "f")
        await driver.type("2")
        assert "lets 2 more pass" in driver.text()
        await driver.press("escape", "c")
        assert here(driver).position == third
        assert stops(driver)["preemption"].hits == 3
        # from here on each one stops
        await driver.press("C")
        assert here(driver).position < third


async def test_a_stop_that_lets_its_hits_pass_hides_no_other_that_is_met_at_the_same_moment() -> None:
    async with opened(PREEMPTION) as driver:
        controller = driver.screen.controller
        passing, other = replace(controller.lens.stops[0], after=5), Armed((OnPreemption(1),))
        assert passing.on == (OnPreemption(None),)
        controller.lens = controller.lens.with_stop(passing).with_stop(other)
        await driver.press("c")
        # the example's first preemption
        assert controller.moment.now.engines[0].iterations == 15
        assert [stop.hits for stop in controller.lens.stops if stop.on in (passing.on, other.on)] == [1, 1]


async def test_what_is_no_number_of_hits_is_answered() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("x", "f")
        await driver.type("few")
        assert "'few' is no number of hits" in driver.text()


async def test_d_takes_a_stop_away() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("x", "d", "d")
        assert "nothing stops a run" in driver.text()
        await driver.press("d", "escape")
        assert "stops on nothing" in driver.text()
        # p sets it again
        await driver.press("p")
        assert "stops on preemption" in driver.text()


async def test_enter_on_a_stop_goes_back_to_where_it_was_last_met() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c")
        position = here(driver).position
        await driver.press("s", "s", "s", "x", "enter")
        assert here(driver).position == position


async def test_a_disabled_line_keeps_a_hollow_mark_in_the_source() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("s", "space", "x", "j", "j", "space", "escape")
        line = driver.view.source.home
        assert driver.view.source.disabled == {line}
        assert f"{DISABLED}{line}" in driver.text()
        assert driver.screen.controller.lens.statements == frozenset()


async def test_the_command_line_takes_any_stop_and_asks_again_for_what_is_none() -> None:
    async with opened(PREEMPTION, stops=Stops(breaks=("first token", "running.count > 3"))) as driver:
        assert "stops on breakpoints" in driver.text()
        (first, condition) = (stop.on[0] for stop in driver.screen.controller.lens.stops if stop.enabled)
        assert first == OnFirstToken()
        assert isinstance(condition, OnCondition)
        await driver.press("c")
        assert "running.count > 3" in driver.view.header.hits
    async with opened(PREEMPTION, stops=Stops(breaks=("preemtion",))) as driver:
        assert "did you mean preemption?" in driver.text()


async def test_stops_and_watches_outlive_a_reload() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("x", "a")
        await driver.type("used(kv) > 100")
        await driver.press("tab", "a")
        await driver.type("used(kv)")
        await driver.press("escape")
        before = driver.screen.controller.lens
        await driver.press("ctrl+r")
        after = driver.screen.controller.lens
        assert after == before
        assert driver.screen.controller.moment.readings


# --------------------------------------------------------------------------- watches


async def test_a_watched_value_shows_now_before_and_when_it_last_changed() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c")
        now, before = here(driver), driver.screen.controller.moment.before
        await watch(driver, "running.count", "used(kv)")
        running, used = watch_rows(driver)
        assert before is not None
        assert running.reading is not None
        # r7 was preempted in this very step
        assert (running.reading.now, running.reading.before) == (7, 8)
        assert used.reading is not None
        (kv,) = (pool for pool in now.pools if pool.name == "kv")
        assert used.reading.now == kv.used
        assert running.past is not None
        assert running.past.changed == now.position
        assert running.past.recent[-2:] == (8, 7)
        assert "← 8" in driver.text()


async def test_enter_goes_to_where_the_value_last_changed() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c")
        changed = here(driver).position
        await driver.press("s")
        # one step later the count is still that of the preemption
        await watch(driver, "running.count")
        assert here(driver).position > changed
        await driver.press("enter")
        assert here(driver).position == changed
        assert isinstance(driver.app.screen, DebuggerScreen)


async def test_a_value_that_never_changed_says_so() -> None:
    async with opened(PREEMPTION) as driver:
        await watch(driver, "users")
        assert "never so far" in driver.text()
        await driver.press("enter")
        assert isinstance(driver.app.screen, StopsScreen)
        assert driver.notices()[-1] == "users has never changed so far"


async def test_watched_values_stay_in_view_beside_the_registers_while_one_steps() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "b")
        await watch(driver, "running.count")
        await driver.press("escape")
        assert [state.text for state in driver.view.registers.watches] == ["running.count"]
        assert "watches" in driver.text()
        await driver.press("s")
        reading = driver.view.registers.watches[0].reading
        assert reading is not None
        assert (reading.now, reading.before) == (7, 8)


async def test_within_a_step_a_value_is_read_after_each_decision() -> None:
    async with opened(PREEMPTION) as driver:
        await watch(driver, "used(kv)")
        # the first decision admits r0, whose first chunk of 18 tokens takes two blocks of 16
        await driver.press("escape", "S")
        reading = driver.view.registers.watches[0].reading
        assert reading is not None
        assert (reading.now, reading.before) == (32, 0)


async def test_coming_back_to_a_moment_shows_the_same_watches() -> None:
    async with opened(PREEMPTION) as driver:
        await watch(driver, "used(kv)", "waiting.count")
        await driver.press("escape", "c")
        picture = driver.picture()
        await driver.press("b", "s")
        assert driver.picture() == picture
        await driver.press("home", "end")
        assert driver.picture() == picture


async def test_d_takes_a_watch_away() -> None:
    async with opened(PREEMPTION) as driver:
        await watch(driver, "used(kv)")
        await driver.press("d")
        assert watch_rows(driver) == ()
        await driver.press("d")
        assert driver.notices()[-1] == "nothing here to take away"


async def test_a_stop_changed_while_a_run_is_under_way_stays_as_the_person_left_it() -> None:
    async with opened(PREEMPTION) as driver:
        controller = driver.screen.controller
        stop = controller.lens.stops[0]
        controller.lens = controller.lens.without_stop(stop.on)
        controller.attention.count([(stop, 3)])
        assert stop.on not in [other.on for other in controller.lens.stops]
        other = controller.lens.stops[0]
        controller.lens = controller.lens.with_stop(replace(other, once=True))
        controller.attention.count([(other, 1)])
        assert controller.lens.stops[0] == replace(other, once=True, enabled=False, hits=1)


async def test_the_screen_starts_at_the_first_moment_too() -> None:
    async with opened(PREEMPTION) as driver:
        await watch(driver, "used(kv)")
        (row,) = watch_rows(driver)
        assert row.reading is not None
        assert row.reading.before is None
        assert row.past is not None
        assert row.past.recent == ()
        assert here(driver).position == Position(0)
