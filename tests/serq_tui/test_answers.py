"""The answers over the debugger: why, the autopsy, the story, the log, the grid; on the state shown and the decisions behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events

from engine.decisions import Preempted
from engine.snapshot import Position, Who
from engine.walking import Interrupted
from engine.would_admit import Change
from serq_tui import grid_rows
from serq_tui.answers import Answer, AskAutopsy, AutopsyAnswer, GridAnswer, LogAnswer, NoAnswer, Question, StoryAnswer, WhyAnswer
from serq_tui.log_rows import filtered
from serq_tui.panes.desk import Desk
from serq_tui.screens.answer import AnswerScreen
from serq_tui.view_state import DebuggerState
from tests.serq_tui.piloting import CHAT, EXAMPLES, LATCHED, PREEMPTION, Driver, opened


def shown(driver: Driver) -> AnswerScreen:
    found = [screen for screen in driver.app.screen_stack if isinstance(screen, AnswerScreen)]
    assert found, driver.text()
    return found[0]


def answer(driver: Driver) -> Answer:
    return shown(driver).answer


def now(driver: Driver) -> Position:
    return driver.screen.controller.moment.now.position


async def test_w_at_a_preemption_is_its_autopsy_and_its_lines_lead_to_the_resumption_and_back() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "w")
        found = answer(driver)
        assert isinstance(found, AutopsyAnswer)
        # iteration 15 of the example: r4 wants a third block, none is free, r7 was admitted last
        lost = [record for record in driver.screen.controller.moment.records if isinstance(record, Preempted)]
        assert found.autopsy.record == lost[0]
        assert (lost[0].who, lost[0].grower, lost[0].need, lost[0].free) == (Who(7), Who(4), 16, 0)
        cost = found.autopsy.cost
        assert cost is not None
        before = now(driver)
        pane = shown(driver).pane
        last = len(pane.lines().entries) - 1
        pane.choose(last - 1)
        await driver.press("enter")
        assert now(driver) == cost.resumed_at
        running = driver.screen.controller.moment.now.engines[0].running
        assert Who(7) in [request.who for request in running]
        assert isinstance(shown(driver).question, AskAutopsy)
        pane.choose(0)
        await driver.press("enter")
        assert now(driver) == before


async def test_w_on_a_waiting_request_says_the_first_test_that_failed_and_what_would_let_it_in() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "s", "3", "w")
        found = answer(driver)
        assert isinstance(found, WhyAnswer)
        assert found.why.question.who == Who(7)
        reason = found.why.reason
        assert reason is not None
        assert reason.room is not None
        assert (reason.kind, reason.room.name, reason.room.need, reason.room.free) == ("room", "kv", 48, 16)
        # 48 − 16 = 32 units, two blocks of 16
        assert Change("capacity", 32.0, 16.0, pool=1) in found.changes
        text = driver.text()
        assert "2 blocks more of kv (32 units)" in text
        assert "no room in kv" in text


async def test_an_answer_stays_while_time_moves_and_is_that_of_the_moment() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "s", "3", "w")
        first = answer(driver)
        await driver.press("s")
        second = answer(driver)
        assert isinstance(first, WhyAnswer)
        assert isinstance(second, WhyAnswer)
        assert second.scene.now.clock > first.scene.now.clock
        # in iteration 18 it is admitted again
        await driver.press("s")
        assert isinstance(answer(driver), NoAnswer)
        await driver.press("b", "b")
        again = answer(driver)
        assert isinstance(again, WhyAnswer)
        assert again.why.tests == first.why.tests
        await driver.press("escape")
        assert not isinstance(driver.app.screen, AnswerScreen)


async def test_a_latched_guard_is_named_with_its_line_and_opening_it_would_admit_the_head() -> None:
    async with opened(LATCHED) as driver:
        await driver.press("p", "c", "w")
        found = answer(driver)
        assert isinstance(found, WhyAnswer)
        reason = found.why.reason
        assert reason is not None
        assert (reason.kind, reason.value) == ("branch", 0)
        assert found.changes == (Change("guard", 1.0, path=(1,)),)
        assert "branch (pause == 0)" in driver.text()


async def test_enter_twice_tells_the_story_whose_lines_lead_to_their_moments() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "3", "enter", "enter")
        found = answer(driver)
        assert isinstance(found, StoryAnswer)
        assert found.story.who == Who(7)
        assert [loss.grower for loss in found.story.losses] == [Who(4)]
        assert "preempted" in driver.text()
        pane = shown(driver).pane
        pane.choose(len(pane.lines().entries) - 1)
        await driver.press("b", "b")
        earlier = answer(driver)
        assert isinstance(earlier, StoryAnswer)
        assert earlier.story.losses == ()


async def test_a_turn_that_begins_right_now_is_said_to_have_taken_no_time_and_of_nothing() -> None:
    async with opened(EXAMPLES / "cases" / "cold_starves.sq") as driver:
        # r0 asks anew as soon as it is answered, at the end of each iteration.
        await driver.press("s", "s", "s", "2", "enter", "enter")
        lines = [line.rstrip() for line in driver.text().splitlines()]
        assert any(line.endswith("turn at 0.200 s: to its first token not yet, 0 s so far") for line in lines)
        assert any(line.endswith("turn at 0.100 s: to its first token 100 ms =  prefill 100 ms") for line in lines)


async def test_one_preempted_in_the_iteration_is_told_in_the_singular() -> None:
    async with opened(EXAMPLES / "cases" / "thrash.sq") as driver:
        await driver.press("c", "L")
        assert "nobody was preempted in this iteration: 1 was" in driver.text()


async def test_the_log_is_filtered_by_words_and_leads_to_its_decisions() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "l", "slash")
        await driver.pilot.press("r", "7", "space", "k", "v")
        await driver.settle()
        found = answer(driver)
        assert isinstance(found, LogAnswer)
        kept = filtered(found, "r7 kv")
        assert kept
        assert len(kept) < len(found.logged)
        await driver.press("enter", "enter")
        assert now(driver) == kept[-1].position
        await driver.press("escape")
        assert shown(driver).pane.request is None


async def test_the_grid_is_looked_through_sideways_while_the_moment_stays() -> None:
    """At the 400th of the iterations seen, twice 20 to the left it is around the 360th, with 120 on either side as far as seen."""
    async with opened(PREEMPTION) as driver:
        await driver.press("g", *"iteration", "space", *"400", "enter", "v")
        moment = now(driver)

        def middle() -> int:
            found = answer(driver)
            assert isinstance(found, GridAnswer)
            assert now(driver) == moment
            return found.columns[grid_rows.centre(found)].iteration

        assert middle() == 400
        await driver.press("shift+left", "shift+left")
        assert middle() == 360
        left = answer(driver)
        assert isinstance(left, GridAnswer)
        assert [column.iteration for column in left.columns] == list(range(360 - 119, 401))
        shown(driver).pane.post_message(wheel(events.MouseScrollLeft))
        await driver.settle()
        assert middle() == 340
        shown(driver).pane.post_message(wheel(events.MouseScrollRight))
        await driver.settle()
        assert middle() == 360
        await driver.press("shift+right", "shift+right", "shift+right")
        assert middle() == 400
        await driver.press("shift+left", "b")
        followed = answer(driver)
        assert isinstance(followed, GridAnswer)
        assert followed.around is None
        assert followed.columns[grid_rows.centre(followed)].iteration == 399


def wheel(kind: type[events.MouseScrollLeft | events.MouseScrollRight]) -> events.MouseEvent:
    """A notch of the mouse wheel sideways."""
    return kind(None, 5, 5, 0, 0, 0, shift=False, meta=False, ctrl=False)


async def test_the_grid_shows_who_had_what_and_its_cursor_is_the_moment() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "v")
        found = answer(driver)
        assert isinstance(found, GridAnswer)
        assert found.columns[-1].position == now(driver)
        assert found.columns[-1].cells[Who(7)].mode == "preempted"
        assert found.columns[-1].preempted == 1
        engine = driver.screen.controller.moment.now.engines[0]
        assert engine.batch is not None
        assert {str(portion.who): portion.tokens for portion in engine.batch.portions} == {
            str(who): cell.tokens for who, cell in found.columns[-1].cells.items() if cell.tokens
        }
        await driver.press("b")
        back = answer(driver)
        assert isinstance(back, GridAnswer)
        assert now(driver) in [column.position for column in back.columns]
        # what was seen of the run stays in view to the right of the moment
        assert back.columns[-1].position == found.columns[-1].position
        await driver.press("enter")
        assert isinstance(answer(driver), StoryAnswer)


async def test_escape_stops_the_search_for_an_answer_and_then_closes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "l")
        first = answer(driver)

        def endless(question: Question, interrupt: Callable[[], bool]) -> Answer:
            while not interrupt():
                pass
            raise Interrupted

        monkeypatch.setattr(driver.screen.controller, "answer", endless)
        await driver.pilot.press("l")
        await driver.pilot.pause()
        assert driver.screen.busy
        await driver.press("escape")
        assert answer(driver) == first
        assert driver.notices()[-1] == "interrupted: no answer"
        await driver.press("escape")
        assert not isinstance(driver.app.screen, AnswerScreen)


async def test_who_does_not_wait_is_no_answer() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("s", "s", "s", "s", "w")
        assert driver.notices()[-1] == "nobody waits at this moment"


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (50, 14)])
@pytest.mark.parametrize("keys", [("w",), ("3", "w"), ("3", "enter", "enter"), ("l",), ("v",)], ids="-".join)
@pytest.mark.parametrize("path", [PREEMPTION, CHAT], ids=["preemption", "chat"])
async def test_every_answer_fits_every_size(path: Path, keys: tuple[str, ...], size: tuple[int, int]) -> None:
    async with opened(path, size=size) as driver:
        await driver.press("c", *keys)
        lines = driver.text().splitlines()
        assert len(lines) == size[1]
        assert max(len(line) for line in lines) <= size[0]
        assert path.name in lines[0]


async def test_under_an_answer_nothing_is_drawn_until_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[int] = []
    show = Desk.show

    def counted(desk: Desk, state: DebuggerState) -> None:
        shown.append(state.header.engines[0][1])
        show(desk, state)

    async with opened(PREEMPTION) as driver:
        await driver.press("s", "v")
        monkeypatch.setattr(Desk, "show", counted)
        await driver.press("s", "s")
        assert shown == []
        assert "vllm iteration 3" in driver.text(), "the answer says the moment it is of"
        assert "▼ 3" in driver.text()
        await driver.press("escape")
        assert shown == [3]
        assert driver.desk.running_pane.state == driver.view.running
