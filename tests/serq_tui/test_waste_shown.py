"""The ledger of waste on screen and in the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.decisions import Preempted
from engine.targets import AtPosition
from serq_tui.answers import WasteAnswer
from serq_tui.cli import main
from serq_tui.waste_rows import share
from tests.serq_tui.piloting import EXAMPLES, PREEMPTION, opened
from tests.serq_tui.test_answers import answer, now, shown

THRASH = EXAMPLES / "cases" / "thrash.sq"


async def test_the_ledger_shows_what_is_recomputed_and_its_lines_lead_to_their_iterations() -> None:
    async with opened(THRASH) as driver:
        await driver.press("c", "W")
        found = answer(driver)
        assert isinstance(found, WasteAnswer)
        # In the third iteration the first preemption takes the 64 units r2 had computed (see the case's page).
        lost = [record for record in driver.screen.controller.moment.records if isinstance(record, Preempted)]
        assert [line.waste.lost for line in found.waste.lines if line.waste.lost] == [sum(record.position for record in lost)]
        assert found.waste.total.recomputed == 0
        await driver.press("s", "s", "s")
        later = answer(driver)
        assert isinstance(later, WasteAnswer)
        # r2's first 64 are computed again in the iteration after next at the latest.
        assert later.waste.total.preempted >= 64
        line = next(line for line in later.waste.lines if line.waste.preempted)
        pane = shown(driver).pane
        at = pane.lines().place_of(AtPosition(line.position))
        assert at is not None
        pane.choose(at)
        await driver.press("enter")
        assert now(driver) == line.position
        assert driver.screen.controller.moment.now.engines[0].iterations == line.iteration


def test_the_totals_are_beside_the_report_where_they_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    run = ["run", str(PREEMPTION), "--horizon", "5"]
    assert main([*run, "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert main([*run, "--json", "--waste"]) == 0
    both = json.loads(capsys.readouterr().out)
    (waste,) = both.pop("waste")
    # The report itself is the same.
    assert both == plain
    assert waste["engine"] == "vllm"
    tokens = waste["useful"] + waste["preempted"] + waste["evicted"]
    assert main([*run, "--waste"]) == 0
    text = capsys.readouterr().out
    row = next(line for line in reversed(text.splitlines()) if line.startswith("vllm"))
    assert row.split()[1:4] == [f"{tokens:g}", f"{waste['useful']:g}", f"{waste['preempted']:g}"]


def test_what_was_lost_is_what_the_decisions_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "why.jsonl"
    assert main(["run", str(PREEMPTION), "--horizon", "5", "--json", "--waste", "--decisions", str(out)]) == 0
    report = json.loads(capsys.readouterr().out)
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    lost = [record["position"] for record in records if record["type"] == "Preempted"]
    assert report["waste"][0]["lost"] == sum(lost)
    assert len(lost) == sum(pool["preemptions"] for pool in report["pools"])
    served = sum(record["tokens"] for record in records if record["type"] == "Served")
    dropped = sum(lost_tokens(records))
    figures = report["waste"][0]
    assert figures["useful"] + figures["preempted"] + figures["evicted"] == served - dropped


def lost_tokens(records: list[dict[str, object]]) -> list[float]:
    """Tokens given in an attempt to somebody it preempted afterwards."""
    given: dict[str, float] = {}
    dropped: list[float] = []
    for record in records:
        if record["type"] == "Served":
            given[str(record["who"])] = float(str(record["tokens"]))
        elif record["type"] == "Preempted":
            dropped.append(given.pop(str(record["who"]), 0.0))
        elif record["type"] == "Attempted":
            given.clear()
    return dropped


@pytest.mark.parametrize(("part", "whole", "text"), [(0, 0, "0 %"), (1, 30, "3.3 %"), (1, 2, "50 %"), (2, 2, "100 %")])
def test_a_share_has_a_place_where_it_is_small(part: float, whole: float, text: str) -> None:
    assert share(part, whole) == text
