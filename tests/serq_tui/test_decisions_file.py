"""``serq-tui run --decisions``: every decision as a line of JSON, and the page that says what stands in it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

from engine.decisions import Decision
from engine.simulation import Simulation
from serq_tui.cli import main
from serq_tui.loading import load_program
from serq_tui.options import RunOptions
from tests.decisions_page import meaning
from tests.serq_tui.piloting import PREEMPTION

HORIZON = 2.0
"""Seconds of the example: dozens of iterations, several preemptions and evictions."""


def written(folder: Path, *more: str) -> list[dict[str, Any]]:
    out = folder / "decisions.jsonl"
    assert main(["run", str(PREEMPTION), "--horizon", str(HORIZON), "--decisions", str(out), *more]) == 0
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def test_every_decision_of_the_run_is_a_line_in_its_order(tmp_path: Path) -> None:
    lines = written(tmp_path)
    simulation = Simulation(load_program(PREEMPTION, RunOptions(horizon=HORIZON)).program)
    records: list[Decision] = []
    simulation.listen(records)
    simulation.run()
    assert [line["type"] for line in lines] == [type(record).__name__ for record in records]
    assert [line["time"] for line in lines] == [record.time for record in records]
    assert Counter(line["type"] for line in lines)["Preempted"] > 0


def test_a_line_has_the_fields_of_its_record_with_names_for_numbers(tmp_path: Path) -> None:
    kinds = {kind.__name__: kind for kind in get_args(Decision)}
    lines = written(tmp_path)
    for line in lines:
        assert list(line) == ["type", *(field.name for field in fields(kinds[line["type"]]))]
    # the first preemption of the example: r4 wants a third block, r7 was admitted last
    first = next(line for line in lines if line["type"] == "Preempted")
    assert (first["pool"], first["stage"], first["who"], first["grower"]) == ("kv", "vllm", "r7", "r4")
    assert first["candidates"][0][0] == "r7"


def test_the_report_is_that_of_a_run_nobody_listened_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, "--json")
    listened = capsys.readouterr().out
    assert main(["run", str(PREEMPTION), "--horizon", str(HORIZON), "--json"]) == 0
    assert capsys.readouterr().out == listened


@pytest.mark.parametrize("kind", get_args(Decision), ids=lambda kind: kind.__name__)
def test_the_page_says_what_every_field_means(kind: type) -> None:
    page = (Path(__file__).parents[2] / "docs" / "decisions.md").read_text(encoding="utf-8")
    section = page.split(f"## {kind.__name__}\n")[1].split("\n## ")[0]
    for field in fields(kind):
        assert f"| `{field.name}` | {meaning(kind, field.name)} |" in section
