"""Taking things along from inside: the keys it takes, and what stands in the files."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from serq_tui.loading import load_program
from serq_tui.options import RunOptions
from serq_tui.report_json import report_json
from serq_tui.report_markdown import report_markdown
from serq_tui.snapshot_json import plain
from tests.serq_tui.piloting import CHAT, LATCHED, PREEMPTION, opened
from tests.serq_tui.recorded import recorded
from tests.serq_tui.trace_format import check, read


def made(folder: Path, suffix: str) -> Path:
    """The one file of a kind in a folder."""
    found = [path for path in folder.iterdir() if path.suffix == suffix]
    assert len(found) == 1, sorted(folder.iterdir())
    return found[0]


async def test_the_screen_is_a_picture_after_two_keys(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        shown = driver.text()
        await driver.press("e", "s")
        picture = made(tmp_path, ".svg").read_text(encoding="utf-8")
        # what stands there is the screen, not the dialog that asked
        assert ElementTree.fromstring(picture).tag.endswith("svg")
        words = [word for line in shown.splitlines() for word in line.split() if word.isalpha() and len(word) > 3]
        assert words and all(word in picture.replace("&#160;", " ") for word in words)
        assert "ui.perfetto.dev" not in picture
        assert driver.notices() == [f"written: {made(tmp_path, '.svg')}"]


async def test_an_answer_on_screen_is_in_the_picture(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        await driver.press("c", "l")
        await driver.press("e", "s")
        assert "preempted" in made(tmp_path, ".svg").read_text(encoding="utf-8").lower()
        assert "decisions" in made(tmp_path, ".svg").read_text(encoding="utf-8")


async def test_the_whole_run_is_a_trace_after_four_keys(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        # a run without an end: up to where it stopped first
        await driver.press("c", "e", "p", "enter")
        until = driver.screen.controller.moment.now.clock
        trace = read(made(tmp_path, ".json").read_text(encoding="utf-8"))
    check(trace)
    assert float(trace["otherData"]["end"]) == until
    (tmp_path / "by itself").mkdir()
    alone = recorded(load_program(PREEMPTION, RunOptions()).program, tmp_path / "by itself", until)
    assert trace["traceEvents"] == alone.trace["traceEvents"]
    assert [event["name"] for event in trace["traceEvents"] if event["ph"] == "i" and event["name"] == "Preempted"]


async def test_a_run_with_an_end_is_a_trace_after_two_keys(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path, options=RunOptions(horizon=3.0)) as driver:
        await driver.press("e", "p")
        assert driver.screen.controller.moment.now.position.events == 0, "the moment one looks at stays"
        trace = read(made(tmp_path, ".json").read_text(encoding="utf-8"))
    check(trace)
    assert float(trace["otherData"]["end"]) == 3.0


async def test_up_to_when_a_run_is_written_can_be_typed(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        await driver.press("e", "t", "enter")
        assert "nothing has happened yet: up to when?" in driver.text()
        await driver.type("t=1.5")
        rows = list(csv.DictReader((tmp_path / "preemption-tables" / "iterations.csv").open(encoding="utf-8")))
    assert rows and all(float(row["start_s"]) <= 1.5 for row in rows)


async def test_writing_a_run_says_how_far_it_is_can_be_stopped_and_leaves_nothing(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        await driver.press("e", "p")
        await driver.pilot.press(*"100000", "enter")
        assert driver.screen.busy
        # the clock has a day to go: this is not over before it is stopped
        while "iterations/s" not in (text := driver.text()):
            await driver.pilot.pause()
        assert "writing the run: iteration " in text and " left" in text and "esc stops" in text
        await driver.press("escape")
        assert driver.notices()[-1] == "interrupted: nothing is written"
    assert list(tmp_path.iterdir()) == []


async def test_the_report_of_this_moment_is_markdown(tmp_path: Path) -> None:
    async with opened(CHAT, folder=tmp_path) as driver:
        await driver.press("c")
        figures = report_json(driver.screen.controller.debuggee.timeline.report())
        await driver.press("e", "r")
        text = made(tmp_path, ".md").read_text(encoding="utf-8")
    assert text == report_markdown(figures, "chat.sq")
    head, *tables = text.split("\n## ")
    assert head.startswith("# chat.sq\n")
    for table in tables:
        # a table as GitHub reads it: all its lines have as many bars
        lines = [line for line in table.splitlines() if line.startswith("|")]
        assert len(lines) >= 3 and len({line.replace("\\|", "").count("|") for line in lines}) == 1


async def test_a_moment_as_json_is_what_the_screen_knows(tmp_path: Path) -> None:
    async with opened(LATCHED, folder=tmp_path) as driver:
        await driver.press("c")
        await driver.press("e", "m")
        now = driver.screen.controller.moment.now
        data = json.loads(made(tmp_path, ".json").read_text(encoding="utf-8"))
    assert (data["format"], data["version"], data["program"]) == ("serq-tui snapshot", 1, "latched.sq")
    assert data["snapshot"] == json.loads(json.dumps(plain(now)))
    assert data["snapshot"]["position"] == str(now.position)
    assert [pool["used"] for pool in data["snapshot"]["pools"]] == [pool.used for pool in now.pools]


async def test_a_second_file_of_a_moment_does_not_take_the_place_of_the_first(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        await driver.press("e", "m")
        await driver.press("e", "m")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["preemption-0-2.json", "preemption-0.json"]


async def test_a_folder_one_may_not_write_to_is_told(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path / "nowhere") as driver:
        for key in ("s", "m", "r"):
            await driver.press("e", key)
            assert driver.notices()[-1].startswith("nothing is written: ")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_choice_fits_and_closes_without_writing(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(PREEMPTION, folder=tmp_path, size=size) as driver:
        await driver.press("e")
        text = driver.text()
        for words in ("this screen", "ui.perfetto.dev", "tables", "report", "this moment", "capsule"):
            assert words in text
        await driver.press("escape")
        assert driver.text() != text
    assert list(tmp_path.iterdir()) == []


async def test_a_command_names_what_to_write_and_where(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path, options=RunOptions(horizon=2.0)) as driver:
        for kind, name in (("screen", "s.svg"), ("report", "r.md"), ("moment", "m.json"), ("trace", "t.json.gz"), ("tables", "d")):
            await driver.press("colon")
            await driver.type(f"export {kind} {tmp_path / name}")
            assert driver.notices()[-1] == f"written: {tmp_path / name}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d", "m.json", "r.md", "s.svg", "t.json.gz"]
    with gzip.open(tmp_path / "t.json.gz", "rt", encoding="utf-8") as text:
        check(read(text.read()))


async def test_a_command_without_more_asks_what_to_write_and_a_wrong_one_is_answered(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        await driver.press("colon")
        await driver.type("export")
        assert "this screen" in driver.text()
        await driver.press("escape", "colon")
        await driver.type("export tracee")
        assert "there is no export tracee; did you mean trace?" in driver.text()
