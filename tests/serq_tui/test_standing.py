"""The card on loops and knots: on the state shown, the decisions behind it, and the moments its lines lead to."""

from __future__ import annotations

import json
from pathlib import Path

from engine.decisions import Guarded
from engine.knots import Link
from engine.loops import Loop, NoLoop
from engine.passing import Passed
from engine.snapshot import Position, Who
from engine.targets import AtPosition
from grammar.ir_json import to_json
from serq_tui.answers import StandstillAnswer, WhyAnswer
from tests.engine.test_knots import crossed
from tests.serq_tui.piloting import EXAMPLES, LATCHED, Driver, opened
from tests.serq_tui.test_answers import answer, now, shown

CASES = EXAMPLES / "cases"


def told(driver: Driver) -> StandstillAnswer:
    found = answer(driver)
    assert isinstance(found, StandstillAnswer)
    return found


async def follow(driver: Driver, position: Position) -> None:
    """Press enter on the line that leads to a position."""
    pane = shown(driver).pane
    at = pane.lines().place_of(AtPosition(position))
    assert at is not None
    pane.choose(at)
    await driver.press("enter")


async def test_an_idle_engine_says_which_guard_is_shut_and_when_it_was_last_open() -> None:
    async with opened(LATCHED) as driver:
        await driver.press("p", "c")
        idle = now(driver)
        headline = driver.headline
        await driver.press("L")
        (shut,) = told(driver).standstill.heads
        assert told(driver).standstill.idle
        reason = shut.why.reason
        assert reason is not None
        assert (reason.kind, reason.path) == ("branch", (1,))
        passed = shut.passed
        assert isinstance(passed, Passed)
        assert f"last passed in iteration {passed.iteration}" in headline
        # It leads there: the decision is among that moment's, and a key comes back.
        await follow(driver, passed.position)
        assert now(driver) == passed.position
        opens = [record for record in driver.screen.controller.moment.records if isinstance(record, Guarded)]
        assert [(record.path, record.value) for record in opens if record.path == (1,)] == [((1,), 1.0)]
        await driver.press("backspace")
        assert now(driver) == idle
        # From then on it is read as shut until now.
        records = []
        while now(driver) > passed.position:
            records += [r.value for r in driver.screen.controller.moment.records if isinstance(r, Guarded) and r.path == (1,)]
            await driver.press("b")
        assert set(records) == {0.0}


async def test_the_why_card_says_when_the_failing_test_was_last_passed() -> None:
    async with opened(CASES / "seats.sq") as driver:
        await driver.press("s", "s", "s", "w")
        found = answer(driver)
        assert isinstance(found, WhyAnswer)
        # The seats went to r0 and r1 in the first attempt, r1 last.
        assert found.passed == Passed(Position(0, 1), 0.0, 1, Who(1))
        await follow(driver, Position(0, 1))
        assert now(driver) == Position(0, 1)


async def test_a_request_that_can_never_finish_is_a_loop_with_its_period_and_its_beginning() -> None:
    async with opened(CASES / "never_finishes.sq") as driver:
        await driver.press("c", "L")
        loop = told(driver).standstill.loop
        assert isinstance(loop, Loop)
        # 128 tokens again in two iterations of 64, and one that only preempts
        assert (loop.iterations, loop.tokens, loop.preempted) == (3, 128, ((Who(0), 1),))
        assert "the same state every 3 iterations" in driver.text()
        await follow(driver, loop.began.position)
        assert now(driver) == loop.began.position
        # And the same is told from there.
        assert told(driver).standstill.loop == loop


async def test_pools_that_wait_for_each_other_are_shown_as_a_cycle(tmp_path: Path) -> None:
    path = tmp_path / "crossed.json"
    path.write_text(json.dumps(to_json(crossed().build(horizon=50), 14)), encoding="utf-8")
    async with opened(path) as driver:
        await driver.press("c", "L")
        (knot,) = told(driver).standstill.knots
        assert [(link.who, link.held_by) for link in knot.links] == [(Who(0), Who(1)), (Who(1), Who(0))]
        assert isinstance(knot.links[0], Link)
        text = driver.text()
        assert "r0 waits for 4 of b, 0 free; r1 holds 8 of it" in text
        assert "and so back to r0" in text
        assert "no event is to come" in text


async def test_where_all_goes_well_the_card_says_so() -> None:
    async with opened(CASES / "seats.sq") as driver:
        await driver.press("L")
        found = told(driver).standstill
        assert (found.knots, found.idle) == ((), False)
        assert isinstance(found.loop, NoLoop)
        assert "no cycle" in driver.text()
        await driver.press("escape", "backspace")
        assert driver.notices()[-1] == "no jump to go back from"
