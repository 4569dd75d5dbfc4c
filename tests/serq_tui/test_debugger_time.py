"""The keys that move in time, pressed in the app, on real programs."""

from __future__ import annotations

from pathlib import Path

from engine.decisions import Decision, Preempted
from engine.simulation import Simulation
from engine.snapshot import Position, Snapshot
from serq_tui.loading import load_program
from serq_tui.options import RunOptions, Stops
from serq_tui.screens.goto import GotoScreen
from tests.serq_tui.piloting import CHAT, PREEMPTION, Driver, opened

SHORT = RunOptions(horizon=3.0)


def straight(path: Path, options: RunOptions) -> Simulation:
    """The same run without a debugger."""
    simulation = Simulation(load_program(path, options).program)
    simulation.run()
    return simulation


def first_preemption(path: Path) -> tuple[Position, Preempted]:
    """Where a run first preempts, found without timeline and breakpoints."""
    simulation = Simulation(load_program(path, RunOptions()).program)
    records: list[Decision] = []
    simulation.listen(records)
    while not any(isinstance(record, Preempted) for record in records):
        records.clear()
        simulation.advance()
    return simulation.position, next(record for record in records if isinstance(record, Preempted))


def here(driver: Driver) -> Snapshot:
    return driver.screen.controller.moment.now


async def test_c_stops_at_the_first_preemption_and_says_so() -> None:
    position, record = first_preemption(PREEMPTION)
    async with opened(PREEMPTION) as driver:
        await driver.press("c")
        assert here(driver).position == position
        assert driver.view.header.headline.kind == "preemption"
        assert driver.headline.startswith(f"preemption of {record.who}: {record.grower} asked for")
        assert driver.headline in driver.text()


async def test_b_then_s_shows_exactly_the_same_screen() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c")
        picture = driver.picture()
        await driver.press("b")
        assert driver.picture() != picture
        await driver.press("s")
        assert driver.picture() == picture


async def test_coming_back_by_any_way_shows_the_same_screen() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c")
        position, picture = here(driver).position, driver.picture()
        await driver.press("home")
        await driver.press("g")
        await driver.type(str(position))
        assert driver.picture() == picture
        await driver.press("home", "end")
        assert driver.picture() == picture
        # what was seen by now reaches further, and the time pane shows it
        await driver.press("s", "s", "b", "b")
        picture = driver.picture()
        await driver.press("s", "s", "C")
        assert driver.picture() == picture


async def test_from_iteration_1_on_to_the_end_is_the_straight_run() -> None:
    alone = straight(PREEMPTION, SHORT)
    async with opened(PREEMPTION, options=SHORT) as driver:
        await driver.press("p", "i", "g")
        await driver.type("iteration 1")
        assert here(driver).engines[0].iterations == 1
        await driver.press("c")
        assert here(driver).finished
        timeline = driver.screen.controller.debuggee.timeline
        assert timeline.report() == alone.report()
        assert here(driver).position == alone.position
        assert here(driver).pools == alone.snapshot().pools
        assert here(driver).engines[0].running == alone.snapshot().engines[0].running


async def test_s_steps_one_attempt_of_the_engine_and_b_takes_it_back() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("s")
        assert here(driver).engines[0].iterations == 1
        await driver.press("s", "s")
        assert here(driver).engines[0].iterations == 3
        await driver.press("b")
        assert here(driver).engines[0].iterations == 2


async def test_keys_pressed_while_a_move_is_under_way_wait_their_turn() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press(*"sssssssssb")
        assert here(driver).engines[0].iterations == 8


async def test_home_is_the_first_moment_and_end_the_last_one_seen() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c")
        last = here(driver).position
        await driver.press("home")
        assert here(driver).position == Position(0)
        assert driver.view.header.headline.kind == "start"
        await driver.press("end")
        assert here(driver).position == last


async def test_upper_case_c_goes_back_to_the_stop_before() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c")
        first = here(driver).position
        await driver.press("c")
        assert here(driver).position > first
        await driver.press("C")
        assert here(driver).position == first
        await driver.press("C")
        assert here(driver).position == Position(0)
        assert driver.notices()[-1] == "no stop before this one: this is the start"


async def test_the_end_of_a_run_is_said_and_dims_what_goes_on() -> None:
    async with opened(PREEMPTION, options=SHORT) as driver:
        await driver.press("p", "i", "c")
        assert "this is the end of the run" in driver.notices()
        assert driver.screen.check_action("step", ()) is None
        assert driver.screen.check_action("back", ()) is True
        await driver.press("s")
        assert here(driver).finished


async def test_escape_interrupts_a_run_that_would_never_end() -> None:
    async with opened(CHAT) as driver:
        await driver.press("p", "i")
        await driver.pilot.press("c")
        assert driver.screen.busy
        await driver.press("escape")
        assert not driver.screen.busy
        said = [notice for notice in driver.notices() if notice.startswith("interrupted")]
        assert said == [f"interrupted at {here(driver).position}"]


async def test_escape_also_forgets_the_keys_that_wait() -> None:
    async with opened(CHAT) as driver:
        await driver.press("p", "i")
        await driver.pilot.press("c", "home")
        await driver.press("escape")
        assert here(driver).position > Position(0)


async def test_g_takes_iterations_positions_and_times() -> None:
    async with opened(PREEMPTION) as driver:
        for text, iterations in (("12", 12), ("iteration 7", 7), ("vllm 9", 9)):
            await driver.press("g")
            await driver.type(text)
            assert here(driver).engines[0].iterations == iterations
        await driver.press("g")
        await driver.type("t=0.2")
        assert here(driver).clock <= 0.2
        before = here(driver).position
        await driver.press("s")
        assert here(driver).clock > 0.2
        await driver.press("g")
        await driver.type(str(before))
        assert here(driver).position == before


async def test_what_names_no_moment_is_answered_in_the_dialog_and_nothing_typed_is_lost() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("s", "g")
        await driver.type("vlm 12")
        dialog = driver.app.screen
        assert isinstance(dialog, GotoScreen)
        assert str(dialog.query_one("#answer").render()) == "there is no engine vlm; did you mean vllm?"
        assert dialog.query_one("#typed").value == "vlm 12"  # type: ignore[attr-defined]
        await driver.press("escape")
        assert here(driver).engines[0].iterations == 1


async def test_the_command_line_can_open_at_a_moment() -> None:
    async with opened(PREEMPTION, stops=Stops(at="iteration 12")) as driver:
        assert here(driver).engines[0].iterations == 12


async def test_a_moment_of_the_command_line_that_is_none_is_asked_for_again() -> None:
    async with opened(PREEMPTION, stops=Stops(at="soon")) as driver:
        assert isinstance(driver.app.screen, GotoScreen)
        assert here(driver).position == Position(0)
