"""``serq-tui run --dump``: the tables of a run, whose totals are the report's."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.simulation import Simulation
from engine.walking import Interrupted, Pace
from serq_tui.cli import main
from serq_tui.exports.dump import FILES, figure
from serq_tui.exports.recording import Outputs, record
from serq_tui.exports.tables import TABLES
from serq_tui.loading import load_program
from serq_tui.options import RunOptions
from tests.cases import Case, case, cases
from tests.running import load_case
from tests.serq_tui.piloting import CHAT, PREEMPTION
from tests.serq_tui.recorded import Recorded, close_to, recorded, title

SOME = 12
"""Every so many of the corpus's programs are dumped."""

Rows = list[dict[str, str]]


def table(folder: Path, name: str) -> Rows:
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def agree(made: Recorded) -> None:
    """The totals of the tables are the report's."""
    report = made.report
    iterations, requests, levels, decisions = (table(made.folder, n) for n in ("iterations", "requests", "pools", "decisions"))
    # every row of work is in both: what engines scheduled is what requests got
    of_engines = math.fsum(float(row["tokens"]) for row in iterations)
    of_requests = math.fsum(float(row[f"{kind}_tokens"]) for row in requests for kind in ("prefill", "recompute", "decode"))
    assert of_requests == pytest.approx(of_engines, rel=1e-12)
    if not report:
        return
    for index, stage in enumerate(report["stages"]):
        if made.run.code.stages[index].step is not None:
            rows = [row for row in iterations if row["engine"] == title(stage)]
            assert len(rows) == stage["iterations"]
    assert len([row for row in requests if "/" not in row["request"]]) == made.run.state.next_serial
    ended = [row for row in requests if row["ended_s"] and float(row["ended_s"]) >= report["warmup"] and "/" not in row["request"]]
    assert len(ended) == report["ended"]
    preempted = Counter(row["pool"] for row in decisions if row["type"] in ("Preempted", "LeaseTaken"))
    assert sum(int(row["preemptions"]) for row in requests) == sum(row["type"] == "Preempted" for row in decisions)
    for pool in report["pools"]:
        name = title(pool)
        assert preempted[name] == pool["preemptions"]
        points = [row for row in levels if row["pool"] == name]
        for what, mean in (("used", "used"), ("cached", "cached"), ("waiting", "queue"), ("holders", "holders")):
            found = over_time(points, what, report)
            if found is not None:
                reported = pool[f"mean_{mean}"]
                assert abs(found - reported) <= close_to(abs(reported), made.run.state.events) + 1e-300
    samples = Counter((row["kind"], row["name"]) for row in table(made.folder, "samples"))
    for kind, section in (("observe", "observes"), ("client", "client")):
        for name, figures in report[section].items():
            assert samples[kind, name] == figures["count"]
    assert json.loads((made.folder / "report.json").read_text(encoding="utf-8"))["pools"] == json.loads(json.dumps(report["pools"]))


def over_time(points: Rows, what: str, report: dict[str, Any]) -> float | None:
    if not points or not report["end"] > report["warmup"]:
        return None
    stops = [*(float(row["time_s"]) for row in points[1:]), report["end"]]
    integral = 0.0
    for row, stop in zip(points, stops, strict=True):
        low, high = max(float(row["time_s"]), report["warmup"]), min(stop, report["end"])
        if high > low:
            integral += float(row[what]) * (high - low)
    return integral / (report["end"] - report["warmup"])


@pytest.mark.parametrize(
    "case",
    # the oracle's cases are IRs, some of which are none: what was run has a report
    [
        *cases("corpus_ok")[3::SOME],
        *[case for case in cases("oracle") if '"report":' in case.line][::SOME],
        *cases("corpus_runtime")[::SOME],
    ],
    ids=str,
)
def test_the_totals_of_the_tables_are_the_reports(case: Case, tmp_path: Path) -> None:
    agree(recorded(load_case(case, tmp_path).program, tmp_path))


def test_the_totals_of_a_benchmark_are_the_reports(tmp_path: Path) -> None:
    agree(recorded(load_case(case("bench", "heavy"), tmp_path).program, tmp_path, 2.0))


@pytest.mark.parametrize("example", [PREEMPTION, CHAT], ids=lambda path: path.stem)
def test_the_totals_of_an_example_are_the_reports(example: Path, tmp_path: Path) -> None:
    agree(recorded(load_program(example, RunOptions(warmup=1.0)).program, tmp_path, 6.0))


def test_a_request_spends_its_time_in_phases_that_are_no_longer_than_its_life(tmp_path: Path) -> None:
    made = recorded(load_program(PREEMPTION, RunOptions()).program, tmp_path, 6.0)
    for row in table(made.folder, "requests"):
        life = float(row["ended_s"] or made.report["end"]) - float(row["arrived_s"])
        phases = [float(value) for name, value in row.items() if name.endswith("_s") and name.split("_")[0] in PHASES]
        # a program without stages beside its engine: there is nothing else a request can do
        assert math.fsum(phases) == pytest.approx(life, abs=1e-9)


PHASES = ("queued", "preempted", "unserved", "growing", "prefill", "recompute", "decode")


def test_the_command_line_writes_all_files_with_the_columns_the_tables_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out" / "tables"
    assert main(["run", str(PREEMPTION), "--horizon", "2", "--dump", str(folder), "--json"]) == 0
    dumped = json.loads(capsys.readouterr().out)
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    for made in TABLES:
        with (folder / made.file).open(encoding="utf-8", newline="") as lines:
            head, *rows = csv.reader(lines)
        assert head == [column.name for column in made.columns]
        assert rows and all(len(row) == len(head) for row in rows)
    assert main(["run", str(PREEMPTION), "--horizon", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == dumped


def test_a_trace_and_tables_and_decisions_of_one_run_are_those_of_runs_of_their_own(tmp_path: Path) -> None:
    run = ["run", str(PREEMPTION), "--horizon", "2"]
    one, own = tmp_path / "one", tmp_path / "own"
    one.mkdir()
    own.mkdir()
    files = ("trace.json", "decisions.jsonl", "tables")
    options = dict(zip(("--perfetto", "--decisions", "--dump"), files, strict=True))
    assert main([*run, *(word for option, name in options.items() for word in (option, str(one / name)))]) == 0
    for option, name in options.items():
        assert main([*run, option, str(own / name)]) == 0
    texts = {path.relative_to(one): path.read_text(encoding="utf-8") for path in one.rglob("*") if path.is_file()}
    assert texts == {path.relative_to(own): path.read_text(encoding="utf-8") for path in own.rglob("*") if path.is_file()}
    assert len(texts) == 2 + len(FILES)


def test_a_folder_that_cannot_be_made_is_told_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["run", str(PREEMPTION), "--horizon", "1", "--dump", str(tmp_path / "file" / "tables")]) == 2
    assert "file/tables" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--perfetto", "--decisions"])
def test_a_folder_that_is_not_there_is_named(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(PREEMPTION), "--horizon", "1", option, str(tmp_path / "nowhere" / "out.json")]) == 2
    assert capsys.readouterr().err.endswith(f"there is no folder {tmp_path / 'nowhere'} to write out.json to\n")


def test_a_device_is_written_to_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(PREEMPTION), "--horizon", "1", "--decisions", "/dev/null"]) == 0
    assert Path("/dev/null").is_char_device()


def test_a_run_that_fails_to_be_written_leaves_nothing(tmp_path: Path) -> None:
    def looked_up() -> bool:
        return True

    run = Simulation(load_program(PREEMPTION, RunOptions(horizon=50.0)).program)
    with pytest.raises(Interrupted):
        record(run, "m", Outputs(tmp_path / "d.jsonl", tmp_path / "t.json", tmp_path / "tables"), Pace(looked_up))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e300, 5e-324, 2.0**53, -0.0, 12.0, math.inf, -math.inf], ids=repr)
def test_a_figure_reads_back_to_the_last_bit(value: float) -> None:
    assert repr(float(figure(value))) == repr(value)
