"""The pictures in the README and the pages are what the program shows now: ``make screenshots`` draws them anew."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from screenshots.make import picture
from screenshots.scenes import SCENES, Scene

FOLDER = Path(__file__).parents[1] / "screenshots"
PAGES = (Path(__file__).parents[1] / "README.md", *sorted((Path(__file__).parents[1] / "docs").glob("*.md")))


def normalised(svg: str) -> str:
    """A picture without the ids Textual gives it, which are a checksum of all of it."""
    return re.sub(r"terminal-\d+", "terminal", svg)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_a_picture_is_what_the_program_shows_now(scene: Scene) -> None:
    drawn = (FOLDER / f"{scene.name}.svg").read_text(encoding="utf-8")
    assert normalised(await picture(scene)) == normalised(drawn), "draw it anew and look at it: make screenshots"


def test_every_picture_has_its_scene_and_is_shown_somewhere() -> None:
    names = {scene.name for scene in SCENES}
    assert {path.stem for path in FOLDER.glob("*.svg")} == names
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    shown = set(re.findall(r"\]\((?:\.\./)?screenshots/([\w-]+)\.svg\)", pages))
    assert shown <= names, f"no scene draws {shown - names}"
    assert names - shown == set(), "shown nowhere"


def test_two_pictures_that_differ_in_a_figure_are_told_apart() -> None:
    svg = (FOLDER / "debugger.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert normalised(svg) == normalised(re.sub(r"terminal-\d+", "terminal-7", svg))
    assert normalised(svg) != normalised(svg.replace("15", "16", 1))
