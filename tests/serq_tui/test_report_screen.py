"""The report of this moment with its histograms, and the plots."""

from __future__ import annotations

import pytest

from engine.distributions import Spread, binned, gaps, observed
from serq_tui.figures import ReportAnswer
from serq_tui.panes.plots import PLOTS, Plot
from serq_tui.report_sections import sections
from serq_tui.screens.answer import AnswerScreen
from serq_tui.screens.debugger import DebuggerScreen
from serq_tui.screens.plots import PlotsScreen
from tests.serq_tui.piloting import CHAT, PREEMPTION, opened


def test_figures_are_counted_in_equal_parts_between_the_least_and_the_greatest() -> None:
    """Parts of 2 from 1 to 9: [1, 3), [3, 5), [5, 7), [7, 9]."""
    assert binned(Spread("x", ((1.0, 1), (2.9, 2), (3.0, 1), (6.0, 4), (9.0, 1))), 4) == (1.0, 9.0, (3, 1, 4, 1))


def test_figures_that_are_all_the_same_are_in_one_part() -> None:
    assert binned(Spread("x", ((2.0, 3),)), 4) == (2.0, 2.0, (3, 0, 0, 0))


def test_nothing_has_no_parts() -> None:
    with pytest.raises(ValueError, match="x has no figures"):
        binned(Spread("x", ()), 4)


async def test_the_report_has_the_figures_of_a_run_that_ends_here_and_follows_time() -> None:
    async with opened(PREEMPTION, size=(140, 60)) as driver:
        await driver.press("c", "c", "c", "c", "c", "c", "o")
        assert isinstance(driver.app.screen, AnswerScreen)
        answer = driver.app.screen.answer
        assert isinstance(answer, ReportAnswer)
        timeline = driver.screen.controller.debuggee.timeline
        assert answer.report == timeline.report()
        text = driver.text()
        for section in sections(answer.report):
            assert section.title in text
            for row in section.rows:
                assert all(cell in text for cell in row)
        # as many gaps and samples are spread as are counted
        assert [spread.count for spread in answer.observed] == [
            answer.report["observes"][title]["count"] for title in answer.report["observes"]
        ]
        assert answer.first_tokens.count == answer.report["client"]["ttft"]["count"]
        before = answer.report["events"]
        await driver.press("b")
        assert isinstance(driver.app.screen.answer, ReportAnswer)
        assert driver.app.screen.answer.report["events"] < before


async def test_the_spread_of_gaps_has_the_reports_mean_to_the_one_per_cent_they_are_counted_by() -> None:
    async with opened(CHAT) as driver:
        await driver.press("c")
        run = driver.screen.controller.debuggee.timeline.simulation
        (spread,) = gaps(run)
        (stage,) = (stage for stage in run.report()["stages"] if stage["iterations"])
        mean = sum(gap * many for gap, many in spread.figures) / spread.count
        assert mean == pytest.approx(stage["mean_itl"], rel=0.01)
        assert [one.title for one in observed(run)] == ["hit", "response"]


async def test_where_a_table_has_no_room_its_figures_flow_and_none_is_lost() -> None:
    async with opened(PREEMPTION, size=(80, 60)) as driver:
        await driver.press("c", "o")
        assert isinstance(driver.app.screen, AnswerScreen)
        answer = driver.app.screen.answer
        assert isinstance(answer, ReportAnswer)
        text = driver.text()
        (engines,) = (section for section in sections(answer.report) if section.title == "engines")
        for column, cell in zip(engines.columns, engines.rows[0][1:], strict=True):
            assert f"{column.heading} {cell}" in text


async def test_plots_stand_side_by_side_where_there_is_room_and_one_at_a_time_where_not() -> None:
    async with opened(PREEMPTION, size=(160, 48)) as driver:
        await driver.press("c", "c", "O")
        assert isinstance(driver.app.screen, PlotsScreen)
        text = driver.text()
        for title in ("kv in use, %", "requests", "tokens of an iteration", "gaps between tokens", "time to first token"):
            assert title in text
        await driver.press("enter")
        assert [plot.which for plot in driver.app.screen.query(Plot) if plot.display] == ["memory"]
        await driver.press("escape")
        assert isinstance(driver.app.screen, DebuggerScreen)
    async with opened(PREEMPTION, size=(80, 24)) as driver:
        await driver.press("c", "c", "O")
        assert isinstance(driver.app.screen, PlotsScreen)
        walked = []
        for _ in PLOTS:
            walked += [plot.which for plot in driver.app.screen.query(Plot) if plot.display]
            await driver.press("right")
        assert tuple(walked) == PLOTS


async def test_plots_of_nothing_say_so() -> None:
    async with opened(PREEMPTION, size=(160, 48)) as driver:
        await driver.press("O")
        assert "no two figures yet" in driver.text()
