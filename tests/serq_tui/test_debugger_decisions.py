"""The keys that go by decisions and by schedule statements."""

from __future__ import annotations

from dataclasses import replace

from engine.decisions import Attempted, Decision
from engine.simulation import Simulation
from engine.snapshot import Position
from serq_tui.loading import load_program
from serq_tui.options import RunOptions
from serq_tui.source_state import made_by
from tests.serq_tui.piloting import EXAMPLES, PREEMPTION, Driver, opened

TGI = EXAMPLES / "tgi.sq"


def decided(steps: int) -> list[tuple[Position, tuple[Decision, ...]]]:
    """What each of the first steps of tgi.sq decides, and where it begins, found without a timeline."""
    simulation = Simulation(load_program(TGI, RunOptions()).program)
    simulation.advance()
    made: list[tuple[Position, tuple[Decision, ...]]] = []
    while len(made) < steps:
        begin, records = simulation.position, list[Decision]()
        simulation.listen(records)
        simulation.advance()
        made.append((begin, tuple(records)))
    return made


def here(driver: Driver) -> Position:
    return driver.screen.controller.moment.now.position


def record(driver: Driver) -> Decision:
    (only,) = driver.screen.controller.moment.records
    return only


async def test_upper_case_s_goes_from_decision_to_decision_in_the_order_made() -> None:
    ((_, first),) = decided(1)
    async with opened(TGI) as driver:
        for number, expected in enumerate(first, 1):
            await driver.press("S")
            assert here(driver) == Position(0, 0, number)
            assert record(driver) == expected


async def test_the_headline_says_the_decision_in_words_and_the_source_lights_its_statement() -> None:
    async with opened(PREEMPTION) as driver:
        # r0 is admitted first, and then gets the 18 tokens of its prompt
        await driver.press("S")
        assert driver.headline == "r0 admitted"
        await driver.press("S")
        assert driver.headline == "r0 gets 18 prefill tokens"
        assert "▸ r0 gets 18 prefill tokens" in driver.text()
        assert driver.view.source.lit_now
        lit = driver.view.source.lit
        assert lit is not None
        assert driver.view.source.text.lines[lit[0] - 1].strip().startswith("admit waiting")


async def test_the_end_of_an_attempt_is_a_decision_too() -> None:
    ((_, first),) = decided(1)
    assert isinstance(first[-1], Attempted)
    async with opened(TGI) as driver:
        await driver.press(*"S" * len(first))
        assert driver.headline == "tgi starts iteration 1"
        # one more finishes the step, which is where s would have led
        await driver.press("B", "s")
        assert here(driver) == Position(0, 1)


async def test_upper_case_b_takes_decisions_back_one_by_one_also_into_the_step_before() -> None:
    async with opened(PREEMPTION) as driver:
        # seen once, so that the pane of all that was seen is the same in every picture
        await driver.press(*"S" * 15, "home")
        pictures = []
        for _ in range(14):
            pictures.append(driver.picture())
            await driver.press("S")
        # the first attempt of preemption.sq makes 10 decisions, so this is in the second
        assert here(driver).events == 1
        for picture in reversed(pictures):
            await driver.press("B")
            assert driver.picture() == picture
        assert here(driver) == Position(0)


async def test_n_goes_to_where_each_statement_decides_first() -> None:
    places: list[Position] = []
    for begin, step in decided(8):
        last = None
        for number, made in enumerate(step, 1):
            at = None if isinstance(made, Attempted) else made_by(made)
            if at is not None and at != last:
                places.append(replace(begin, decisions=number))
                last = at
    async with opened(TGI) as driver:
        for place in places:
            await driver.press("n")
            assert here(driver) == place
        for place in reversed(places[:-1]):
            await driver.press("N")
            assert here(driver) == place
        await driver.press("N")
        assert here(driver) == Position(0)


async def test_upper_case_n_from_within_a_statement_goes_to_where_it_begins() -> None:
    async with opened(TGI) as driver:
        # the guard, then three decisions of the admission
        await driver.press("n", "n", "S", "S")
        assert here(driver) == Position(0, 0, 4)
        await driver.press("N")
        assert here(driver) == Position(0, 0, 2)


async def test_a_position_within_a_step_can_be_gone_to_before_its_step_was_ever_seen() -> None:
    async with opened(TGI) as driver:
        await driver.press("g")
        await driver.type("@3.0.2")
        assert here(driver) == Position(3, 0, 2)
        assert driver.view.header.headline.kind == "decision"


async def test_where_nothing_comes_before_the_keys_back_are_dimmed() -> None:
    async with opened(TGI) as driver:
        for action in ("decision_back", "statement_back"):
            assert driver.screen.check_action(action, ()) is None
        await driver.press("S")
        for action in ("decision_back", "statement_back"):
            assert driver.screen.check_action(action, ()) is True


async def test_a_batch_that_is_being_formed_says_so_and_nobody_in_it_is_without_tokens_yet() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("s", "S")
        assert driver.view.batch.forming
        assert driver.view.header.step is None
        assert "being formed" in driver.text()
        assert "no tokens" not in driver.text()
        await driver.press("s")
        assert not driver.view.batch.forming
        assert "lasts" in driver.text()
