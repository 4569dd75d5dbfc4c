"""What a user of such programs should do in ours without reading anything, with the most keys each may take."""

from __future__ import annotations

from engine.decisions import Preempted
from engine.snapshot import Who
from serq_tui.answers import AutopsyAnswer, StoryAnswer, WhyAnswer
from serq_tui.comparing import CompareAnswer
from serq_tui.screens.answer import AnswerScreen
from tests.serq_tui.piloting import EXAMPLES, PREEMPTION, Driver, opened

TGI = EXAMPLES / "tgi.sq"


async def within(driver: Driver, most: int, *keys: str) -> None:
    """Press keys from the opening screen, no more than so many."""
    assert len(keys) <= most
    await driver.press(*keys)


def answer(driver: Driver) -> object:
    assert isinstance(driver.app.screen, AnswerScreen), driver.notices()
    return driver.app.screen.answer


async def test_stop_at_the_first_preemption_in_one_key() -> None:
    """The program's comment says where it is: iteration 15, r7 by r4's growth."""
    async with opened(PREEMPTION) as driver:
        await within(driver, 1, "c")
        moment = driver.screen.controller.moment
        assert moment.now.engines[0].iterations == 15
        assert [(r.who, r.grower) for r in moment.records if isinstance(r, Preempted)] == [(Who(7), Who(4))]


async def test_see_who_was_evicted_for_it_in_two() -> None:
    async with opened(PREEMPTION) as driver:
        await within(driver, 2, "c", "w")
        found = answer(driver)
        assert isinstance(found, AutopsyAnswer | WhyAnswer)
        autopsy = found.autopsy
        assert autopsy is not None
        assert (autopsy.record.who, autopsy.record.grower) == (Who(7), Who(4))
        assert "r7" in driver.text()


async def test_see_why_the_head_waits_in_two() -> None:
    async with opened(PREEMPTION) as driver:
        await within(driver, 2, "s", "w")
        found = answer(driver)
        assert isinstance(found, WhyAnswer)
        head = driver.screen.controller.moment.now.queues[0].waiting[0].who
        assert f"{head}" in driver.text()


async def test_read_the_story_of_request_7_in_four() -> None:
    async with opened(PREEMPTION) as driver:
        await within(driver, 4, "c", "r", "7", "enter")
        found = answer(driver)
        assert isinstance(found, StoryAnswer)
        assert found.story.who == Who(7)


async def test_go_to_the_moment_the_register_last_changed_in_four() -> None:
    async with opened(TGI) as driver:
        await within(driver, 4, "s", "s", "5", "enter")
        moment = driver.screen.controller.moment
        assert moment.before is not None
        assert moment.before.engines[0].registers != moment.now.engines[0].registers


async def test_lay_two_seeds_side_by_side_at_their_first_difference_in_six() -> None:
    async with opened(PREEMPTION) as driver:
        await within(driver, 6, "u", "2", "enter", "d", "d")
        found = answer(driver)
        assert isinstance(found, CompareAnswer)
        assert found.parting is not None
        assert (found.kept.label, found.present.label) == ("seed 1", "seed 2")
        assert (found.kept.now.position, found.present.now.position) == (found.parting.one, found.parting.other)
