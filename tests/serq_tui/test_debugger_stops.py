"""The keys that say where a run stops."""

from __future__ import annotations

from engine.decisions import Attempted
from serq_tui.options import Stops
from serq_tui.rows import BREAKPOINT
from serq_tui.words import every
from tests.serq_tui.piloting import LATCHED, PREEMPTION, Driver, opened


def executed(driver: Driver) -> tuple[tuple[int, ...], ...]:
    """Paths of the schedule statements the present moment executed."""
    return every(driver.screen.controller.moment.records, Attempted)[-1].executed


async def test_p_takes_preemption_off_the_stops_and_puts_it_back() -> None:
    async with opened(PREEMPTION) as driver:
        assert "stops on preemption, idle" in driver.text()
        await driver.press("p")
        assert "stops on idle" in driver.text()
        assert driver.notices()[-1] == "no longer stops on preemption"
        await driver.press("p")
        assert "stops on preemption, idle" in driver.text()


async def test_without_p_a_run_goes_past_preemptions_to_where_the_engine_is_idle_with_work() -> None:
    async with opened(LATCHED) as driver:
        await driver.press("p", "c")
        assert driver.view.header.headline.kind == "idle"
        assert driver.headline.startswith("llm is idle with work: ")
        assert "; 0 running, 5 waiting" in driver.headline
        # it ran past preemptions on its way
        assert driver.view.pools.pools[0].now.preemptions > 0


async def test_without_i_an_idle_engine_is_no_stop() -> None:
    async with opened(LATCHED) as driver:
        await driver.press("p", "i", "c")
        assert driver.notices()[-1] == "this is the end of the run"


async def test_the_command_line_names_the_stops_it_wants() -> None:
    async with opened(LATCHED, stops=Stops(breaks=("idle",))) as driver:
        assert "stops on idle" in driver.text()
        await driver.press("c")
        assert driver.view.header.headline.kind == "idle"


async def test_space_on_the_lit_statement_stops_at_the_attempts_that_execute_it() -> None:
    async with opened(PREEMPTION) as driver:
        # off, so that the breakpoint alone can stop the run
        await driver.press("p", "i", "s", "s", "s", "s", "1", "space")
        (at,) = driver.screen.controller.lens.statements
        line = driver.view.source.home
        assert driver.view.source.stops == {line}
        assert f"{BREAKPOINT}{line}" in driver.text()
        await driver.press("s", "s")
        position = driver.screen.controller.moment.now.position
        await driver.press("c")
        assert driver.screen.controller.moment.now.position > position
        assert at[1] in executed(driver)
        place = driver.screen.controller.debuggee.text.places.schedule[at]
        assert f"{BREAKPOINT} line {place.line}: " in driver.text()
        await driver.press("space")
        assert driver.screen.controller.lens.statements == (frozenset() if driver.view.source.home == line else {at})


async def test_space_again_clears_a_breakpoint() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("s", "space")
        assert len(driver.screen.controller.lens.statements) == 1
        await driver.press("space")
        assert driver.screen.controller.lens.statements == frozenset()
        assert driver.notices()[-1].endswith("cleared")


async def test_space_on_a_line_without_a_schedule_statement_says_where_breakpoints_stand() -> None:
    async with opened(PREEMPTION) as driver:
        # the schedule of this program is below its request, which a page up reaches
        await driver.press("1", "pageup", "pageup", "pageup", "space")
        assert driver.screen.controller.lens.statements == frozenset()
        assert driver.notices()[-1].startswith("nothing to stop on here")


async def test_space_on_a_request_stops_when_something_happens_to_it() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("p", "i", "s", "2", "space")
        serial = driver.view.running.engines[0].residents[0].who.serial
        assert driver.screen.controller.lens.requests == {serial}
        await driver.press("c")
        before = driver.view.running.engines[0].residents[0].before
        # what happens to it first is that its prefill ends
        assert before is not None
        assert before.mode == "prefill"
        assert f"{BREAKPOINT} request {serial}: " in driver.text()


async def test_space_on_a_pool_stops_on_its_preemptions_although_others_do_not() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("p", "i", "6", "j", "space")
        names = {pool.now.pool: pool.now.name for pool in driver.view.pools.pools}
        assert [names[pool] for pool in driver.screen.controller.lens.pools] == ["kv"]
        await driver.press("c")
        assert driver.view.header.headline.kind == "preemption"


async def test_breakpoints_are_counted_in_the_header() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("s", "space", "2", "space")
        assert f"{BREAKPOINT} 2" in driver.text()
