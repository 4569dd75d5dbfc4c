"""Moments with names, positions that are copied and pasted, and what is kept between two sittings."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from textual import events

from engine.snapshot import Position
from serq_tui.keeping import Keeper, Kept, KeptStop, Unreadable
from serq_tui.options import Stops
from serq_tui.screens.ask import AskScreen
from serq_tui.screens.bookmarks import BookmarksScreen
from serq_tui.screens.debugger import DebuggerScreen
from serq_tui.view_state import Bookmark
from tests.serq_tui.piloting import PREEMPTION, Driver, opened


def here(driver: Driver) -> Position:
    return driver.screen.controller.moment.now.position


# --------------------------------------------------------------------------- bookmarks


async def test_m_names_a_moment_and_g_goes_to_it_by_its_name() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "m")
        await driver.type("first loss")
        position = here(driver)
        assert driver.notices()[-1] == f"{position} is first loss"
        await driver.press("home", "g")
        await driver.type("first loss")
        assert here(driver) == position


async def test_without_a_name_a_bookmark_gets_the_first_free_letter() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("m", "enter", "s", "m", "enter")
        assert [mark.name for mark in driver.screen.controller.lens.bookmarks] == ["a", "b"]


async def test_a_name_that_is_a_moment_by_itself_is_refused() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("m")
        await driver.type("12")
        assert isinstance(driver.app.screen, AskScreen)
        assert "12 is a moment by itself" in driver.text()


async def test_a_bookmark_within_a_step_comes_back_to_the_very_decision() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "S", "S", "m", "enter")
        position, picture = here(driver), driver.text()
        assert position.decisions == 2
        await driver.press("home", "apostrophe", "enter")
        assert here(driver) == position
        assert driver.text() == picture


async def test_the_list_shows_names_positions_and_what_was_said_and_d_takes_one_away() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("apostrophe")
        assert "no bookmarks yet" in driver.text()
        await driver.press("escape", "c", "m", "enter", "s", "m", "enter", "apostrophe")
        assert isinstance(driver.app.screen, BookmarksScreen)
        text = driver.text()
        assert "preemption of r7" in text
        assert "a  @14.1" in text
        await driver.press("d", "escape")
        assert isinstance(driver.app.screen, DebuggerScreen)
        assert [mark.name for mark in driver.screen.controller.lens.bookmarks] == ["b"]


async def test_a_misspelt_bookmark_names_the_nearest() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("m")
        await driver.type("before")
        await driver.press("g")
        await driver.type("befor")
        assert "there is no bookmark befor; did you mean before?" in driver.text()


# --------------------------------------------------------------------------- copying


async def test_y_copies_the_position_and_pasting_it_comes_back() -> None:
    async with opened(PREEMPTION) as driver:
        await driver.press("c", "S", "y")
        copied = driver.app.clipboard
        assert copied == str(here(driver))
        await driver.press("home")
        driver.screen.query_one("#source").post_message(events.Paste(f"{copied}\n"))
        await driver.settle()
        assert str(here(driver)) == copied


async def test_what_is_pasted_and_names_no_moment_is_asked_for_again() -> None:
    async with opened(PREEMPTION) as driver:
        driver.screen.query_one("#source").post_message(events.Paste("soon"))
        await driver.settle()
        assert "'soon' names no moment" in driver.text()


# --------------------------------------------------------------------------- keeping


async def set_some(driver: Driver) -> None:
    await driver.press("i", "x", "a")
    await driver.type("used(kv) > 100")
    await driver.press("o", "tab", "a")
    await driver.type("used(kv)")
    await driver.press("escape", "c", "m", "enter")


async def test_what_was_set_is_there_again_the_next_time(tmp_path: Path) -> None:
    async with opened(PREEMPTION, kept=tmp_path) as driver:
        await set_some(driver)
        lens = driver.screen.controller.lens
    async with opened(PREEMPTION, kept=tmp_path) as driver:
        again = driver.screen.controller.lens
        assert again.watches == lens.watches
        assert again.bookmarks == lens.bookmarks
        # hits are of a sitting
        assert [(stop.on, stop.enabled, stop.once) for stop in again.stops] == [
            (stop.on, stop.enabled, stop.once) for stop in lens.stops
        ]
        assert "stops on preemption" in driver.text()
        assert driver.notices() == []


async def test_the_command_line_says_which_of_the_two_kinds_stop_whatever_was_kept(tmp_path: Path) -> None:
    async with opened(PREEMPTION, kept=tmp_path) as driver:
        await set_some(driver)
    async with opened(PREEMPTION, kept=tmp_path, stops=Stops(breaks=("idle",))) as driver:
        assert driver.screen.controller.lens.idle
        assert not driver.screen.controller.lens.preemption
        assert len(driver.screen.controller.lens.stops) == 3


async def test_what_the_command_line_asks_for_is_of_one_sitting(tmp_path: Path) -> None:
    async with opened(PREEMPTION, kept=tmp_path, stops=Stops(breaks=("idle", "first token"))) as driver:
        await driver.press("m", "enter")
    async with opened(PREEMPTION, kept=tmp_path) as driver:
        lens = driver.screen.controller.lens
        assert (lens.preemption, lens.idle, len(lens.stops)) == (True, True, 2)
        assert [mark.name for mark in lens.bookmarks] == ["a"]


async def test_what_the_person_changes_of_it_is_kept(tmp_path: Path) -> None:
    async with opened(PREEMPTION, kept=tmp_path, stops=Stops(breaks=("idle", "first token"))) as driver:
        # on and off again by hand; and the first token, the third in the list, for once
        await driver.press("p", "p", "x", "j", "j", "o", "escape")
    async with opened(PREEMPTION, kept=tmp_path) as driver:
        lens = driver.screen.controller.lens
        assert not lens.preemption
        assert [stop.once for stop in lens.stops] == [False, False, True]


async def test_each_program_has_a_file_of_its_own(tmp_path: Path) -> None:
    other = tmp_path / "preemption.sq"
    shutil.copy(PREEMPTION, other)
    kept = tmp_path / "kept"
    async with opened(PREEMPTION, kept=kept) as driver:
        await set_some(driver)
    async with opened(other, kept=kept) as driver:
        assert driver.screen.controller.lens.bookmarks == ()
    assert len(list(kept.glob("preemption-*.json"))) == 1


async def test_a_file_that_cannot_be_read_is_left_out_with_one_notice(tmp_path: Path) -> None:
    Keeper(tmp_path, PREEMPTION).path.write_text("{", encoding="utf-8")
    async with opened(PREEMPTION, kept=tmp_path) as driver:
        (notice,) = driver.notices()
        assert "cannot be read, so nothing is taken from it" in notice
        assert "stops on preemption, idle" in driver.text()


async def test_what_means_nothing_in_the_program_any_more_is_left_out_with_one_notice(tmp_path: Path) -> None:
    kept = Kept((KeptStop("preemption", True, False, 0), KeptStop("line 1", True, False, 0)), ("used(gone)", "used(kv)"), ())
    Keeper(tmp_path, PREEMPTION).save(kept)
    async with opened(PREEMPTION, kept=tmp_path) as driver:
        (notice,) = driver.notices()
        assert notice == "2 breakpoints and watches kept for this program mean nothing in it any more: line 1, used(gone)"
        assert [value.text for value in driver.screen.controller.lens.watches] == ["used(kv)"]


async def test_where_nothing_can_be_kept_it_is_said_once(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("no folder", encoding="utf-8")
    async with opened(PREEMPTION, kept=folder / "below") as driver:
        driver.app.clear_notifications()
        await driver.press("p", "p")
        said = [notice for notice in driver.notices() if "not kept" in notice]
        assert len(said) == 1


def test_what_is_kept_comes_back_as_it_was(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path / "new", PREEMPTION)
    assert keeper.load() is None
    kept = Kept((KeptStop("line 48", False, True, 3),), ("used(kv)",), (Bookmark("a", Position(12, 1, 7), "r7 ends"),))
    keeper.save(kept)
    assert keeper.load() == kept
    assert [path.name for path in (tmp_path / "new").iterdir()] == [keeper.path.name]


@pytest.mark.parametrize(
    "data",
    [
        {"version": 99},
        {"version": 1, "stops": [], "watches": []},
        {"version": 1, "stops": [{"text": "idle", "enabled": True, "once": False, "after": -1}], "watches": [], "bookmarks": []},
        {"version": 1, "stops": [], "watches": [], "bookmarks": [{"name": "a", "position": [1, "x"], "about": ""}]},
        [],
    ],
)
def test_a_file_of_another_form_is_none_of_ours(tmp_path: Path, data: object) -> None:
    keeper = Keeper(tmp_path, PREEMPTION)
    keeper.path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(Unreadable):
        keeper.load()
