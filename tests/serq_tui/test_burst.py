"""Keys that come all at once, as from a paste or over a slow line, do what they do one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from tests.serq_tui.piloting import PREEMPTION, Driver, opened


async def burst(driver: Driver, text: str) -> None:
    """All keys are on their way before the first one is answered."""
    for letter in text:
        key = {"\r": "enter", ":": "colon", " ": "space"}.get(letter, letter)
        driver.app.post_message(events.Key(key, letter))
    await driver.settle()
    await driver.settle()


@pytest.mark.parametrize("keys", [":goto 12\r", "g12\r", "giteration 12\r", ":12\r"])
async def test_what_a_dialog_is_asked_in_one_burst_is_all_taken(keys: str, tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        await burst(driver, keys)
        assert driver.screen.controller.moment.now.engines[0].iterations == 12


async def test_an_export_chosen_in_one_burst_is_made(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        await burst(driver, "em")
        assert [path.suffix for path in tmp_path.iterdir()] == [".json"]


async def test_keys_for_the_run_are_not_taken_for_a_line(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        await burst(driver, "sss")
        assert driver.screen.controller.moment.now.engines[0].iterations == 3
