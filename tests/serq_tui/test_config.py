"""A person's own settings: keys, theme, and what is wrong in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from serq_tui.config import Config, read_config
from tests.serq_tui.piloting import PREEMPTION, opened

THEMES = ("serq-dark", "serq-light")


def read(folder: Path, text: str) -> Config:
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return read_config(path, THEMES)


def test_no_file_says_nothing(tmp_path: Path) -> None:
    assert read_config(tmp_path / "config.toml", THEMES) == Config()


def test_a_file_gives_a_theme_and_keys(tmp_path: Path) -> None:
    found = read(tmp_path, 'theme = "serq-light"\nascii = true\n[keys]\nstep = "f10"\nback = ["f9", "ctrl+b", ","]\n')
    assert found == Config("serq-light", True, {"step": "f10", "back": "f9,ctrl+b,comma"})


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[keys]\nsteep = 's'\n", "there is no action steep; did you mean step?"),
        ("theme = 'serq-lihgt'\n", "there is no theme 'serq-lihgt'; did you mean serq-light?"),
        ("[keyz]\nstep = 's'\n", "there is no setting keyz; did you mean keys?"),
        ("ascii = 'yes'\n", "ascii is true or false, not 'yes'"),
        ("keys = 3\n", "keys is a table"),
        ("[keys]\nstep = 3\n", "3 is no key for step"),
        ("[keys]\nstep = 'ctrl s'\n", "'ctrl s' is no key for step"),
        ("[keys]\nstep = 'b'\n", "step and back have the same key b"),
        ("[keys\n", "is no TOML"),
    ],
)
def test_what_is_wrong_is_told_and_the_rest_counts(tmp_path: Path, text: str, fault: str) -> None:
    found = read(tmp_path, text)
    assert len(found.faults) == 1
    assert fault in found.faults[0]


def test_two_actions_that_swap_their_keys_do_not_clash(tmp_path: Path) -> None:
    assert read(tmp_path, "[keys]\nstep = 'b'\nback = 's'\n").faults == ()


async def test_an_action_with_another_key_has_that_one_in_footer_and_help_and_no_longer_its_own(tmp_path: Path) -> None:
    config = Config(keys={"step": "f10", "why": "s"}, faults=("config.toml: there is no theme 'x'",))
    async with opened(PREEMPTION, config=config) as driver:
        assert driver.notices() == ["config.toml: there is no theme 'x'"]
        await driver.press("f10")
        assert driver.screen.controller.moment.now.engines[0].iterations == 1
        assert "f10 step" in driver.text()
        await driver.press("s")
        assert driver.screen.controller.moment.now.engines[0].iterations == 1
        await driver.press("escape", "question_mark")
        await driver.pilot.press(*"Step to the next iteration")
        await driver.pilot.pause()
        assert "f10" in driver.text()
