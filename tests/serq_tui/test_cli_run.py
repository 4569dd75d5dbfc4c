"""``serq-tui run``, ``check`` and ``ir`` on texts and IRs, held against what the reference recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from serq_tui import __version__
from serq_tui.cli import main
from tests.cases import Case, case
from tests.comparing import first_difference
from tests.running import recorded_result

NEGATIVE = """fn main() {
  stage s : fifo;
  workload { arrive batch(2); turn { set n = -serial; } }
  server {
    run s (cost(s, n));
  }
}
"""


def printed(capsys: pytest.CaptureFixture[str], *arguments: object, status: int = 0) -> str:
    """What a command prints on standard output."""
    assert main([str(argument) for argument in arguments]) == status
    return capsys.readouterr().out


def printed_json(capsys: pytest.CaptureFixture[str], *arguments: object, status: int = 0) -> Any:
    """The JSON a command prints."""
    return json.loads(printed(capsys, *arguments, status=status))


def program(tmp_path: Path, text: str) -> Path:
    """A program file."""
    path = tmp_path / "model.sq"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def light(tmp_path: Path) -> tuple[Case, Path]:
    """A benchmark program, whose inputs are rate, seats and kv_tokens."""
    found = case("bench", "light")
    return found, found.lay_out(tmp_path)


def test_json_has_the_fields_of_the_reference_and_is_signed_by_this_program(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = case("corpus_ok", "126")
    report = printed_json(capsys, "run", found.lay_out(tmp_path), "--horizon", found.settings["horizon"], "--json")
    assert report.pop("serq_version") == f"serq-tui {__version__}"
    assert list(report) == [name for name in found.data["report"] if name != "serq_version"]
    assert first_difference(recorded_result(found.data)["report"], report) is None


def test_whole_figures_are_printed_without_a_fraction(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    # 001 ends at its horizon, 40, and the reference prints `"end":40`
    found = case("corpus_ok", "001")
    assert '"end": 40,' in printed(capsys, "run", found.lay_out(tmp_path), "--horizon", "40", "--json")


def test_samples_wrap_the_report_and_every_series(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = case("corpus_ok", "001")
    result = printed_json(capsys, "run", found.lay_out(tmp_path), "--horizon", 40, "--json", "--samples")
    assert list(result) == ["report", "observes", "client", "gauges"]
    del result["report"]["serq_version"]
    assert first_difference(recorded_result(found.data), result) is None


def test_the_report_for_people_stands_on_standard_output(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = printed(capsys, "run", case("corpus_ok", "001").lay_out(tmp_path), "--horizon", 40)
    assert "001-first-light.sq" in text
    assert "prefilled_at" in text
    assert "\x1b" not in text


def test_an_input_after_the_dashes_is_the_input_set(capsys: pytest.CaptureFixture[str], light: tuple[Case, Path]) -> None:
    _, path = light
    plain = printed_json(capsys, "run", path, "--horizon", 20, "--json")
    by_set = printed_json(capsys, "run", path, "--horizon", 20, "--json", "--set", "rate=3 / 2")
    after = printed_json(capsys, "run", path, "--horizon", 20, "--json", "--", "--rate", "1.5")
    assert by_set == after
    # 0.3 sessions a second by default: five times as many make another run
    assert plain["arrivals"] < after["arrivals"]


def test_a_definition_is_given_another_body(capsys: pytest.CaptureFixture[str], light: tuple[Case, Path]) -> None:
    _, path = light
    # the definition says what of a prompt may be taken from the prefix cache; with 0 nothing ever hits
    report = printed_json(capsys, "run", path, "--horizon", 60, "--json", "--def", "full_blocks=0 * x * b")
    assert report["observes"]["hit"]["mean"] == 0


def test_the_seed_decides_the_draws(capsys: pytest.CaptureFixture[str], light: tuple[Case, Path]) -> None:
    _, path = light
    one, again, two = (printed_json(capsys, "run", path, "--horizon", 20, "--json", "--seed", seed) for seed in (1, 1, 2))
    assert one == again
    assert one["observes"] != two["observes"]


def test_the_settings_of_an_ir_are_inside_and_options_override_them(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    # 001 of the IR cases: five arrivals, horizon 30, the last sample at time 15
    found = case("oracle", "001")
    path = found.lay_out(tmp_path)
    assert printed_json(capsys, "run", path, "--json")["horizon"] == 30
    shorter = printed_json(capsys, "run", path, "--json", "--horizon", 10)
    assert shorter["horizon"] == 10
    assert shorter["observes"]["resp"]["count"] < found.data["expected"]["report"]["observes"]["resp"]["count"]


def test_an_ir_has_no_inputs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = case("oracle", "001").lay_out(tmp_path)
    assert main(["run", str(path), "--", "--rate", "3"]) == 2
    assert "it has no inputs" in capsys.readouterr().err


def test_a_trace_named_in_a_text_is_read_beside_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    # the tests' current folder is another one
    found = case("corpus_ok", "133")
    report = printed_json(capsys, "run", found.lay_out(tmp_path), "--horizon", found.settings["horizon"], "--json")
    assert first_difference(recorded_result(found.data)["report"] | {"serq_version": report["serq_version"]}, report) is None


def test_a_trace_given_is_read_from_the_current_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = case("corpus_ok", "135")
    path = found.lay_out(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / found.settings["trace"]).rename(elsewhere / "rows.csv")
    monkeypatch.chdir(elsewhere)
    report = printed_json(capsys, "run", path, "--horizon", found.settings["horizon"], "--json", "--trace", "rows.csv")
    assert first_difference(recorded_result(found.data)["report"] | {"serq_version": report["serq_version"]}, report) is None


def test_a_program_that_fails_exits_with_1_and_points_at_the_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = program(tmp_path, NEGATIVE)
    assert main(["run", str(path), "--horizon", "9"]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert "    run s (cost(s, n));" in output.err
    # the caret stands under the first character of the statement, which begins in column 5
    assert any(line.partition("|")[2].startswith("     ^") for line in output.err.splitlines())


def test_a_failure_is_json_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    error = printed_json(capsys, "run", program(tmp_path, NEGATIVE), "--horizon", 9, "--json", status=1)["error"]
    assert error["kind"] == "runtime"
    assert error["line"] == 5
    assert "-1" in error["message"]


def test_a_text_that_is_no_program_is_a_validation_error_with_its_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = NEGATIVE.replace("cost(s, n)", "cost(s, m)")
    error = printed_json(capsys, "run", program(tmp_path, text), "--horizon", 9, "--json", status=1)["error"]
    assert error["kind"] == "validation"
    assert error["line"] == 5


def test_an_ir_that_is_none_is_a_validation_error_with_its_node(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text('{"version": 14}', encoding="utf-8")
    error = printed_json(capsys, "run", path, "--json", status=1)["error"]
    assert error["kind"] == "validation"
    assert error["line"] is None


def test_a_file_that_is_no_json_is_a_validation_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("{", encoding="utf-8")
    assert "not JSON" in printed_json(capsys, "run", path, "--json", status=1)["error"]["message"]


def test_a_file_that_is_no_text_is_a_validation_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "model.sq"
    path.write_bytes(b"fn main() {\n\xff }")
    message = printed_json(capsys, "run", path, "--horizon", 9, "--json", status=1)["error"]["message"]
    assert "0xff in line 2" in message


def test_check_says_that_a_program_links(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "links" in printed(capsys, "check", case("corpus_ok", "001").lay_out(tmp_path))


def test_check_tells_every_error_with_its_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = NEGATIVE.replace("cost(s, n)", "cost(s, m)")
    path = program(tmp_path, text)
    assert main(["check", str(path)]) == 1
    assert ":5:" in capsys.readouterr().err
    (diagnostic,) = printed_json(capsys, "check", path, "--json", status=1)["diagnostics"]
    assert diagnostic["severity"] == "error"
    # `m` stands in column 20 of `    run s (cost(s, m));`
    assert (diagnostic["line"], diagnostic["column"], diagnostic["end_line"], diagnostic["end_column"]) == (5, 20, 5, 21)


@pytest.mark.parametrize(("version", "options"), [(13, ()), (14, ("--ir-version", "14"))])
def test_ir_prints_the_ir_in_the_version_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, version: int, options: tuple[str, ...]
) -> None:
    found = case("corpus_ok", "001")
    data = printed_json(capsys, "ir", found.lay_out(tmp_path), "--horizon", 40, *options)
    assert data["version"] == version
    if version == 13:
        assert first_difference(found.data["ir"], data) is None


def test_an_ir_printed_runs_as_its_text_does(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = case("corpus_ok", "001").lay_out(tmp_path)
    ir = tmp_path / "printed.json"
    ir.write_text(printed(capsys, "ir", path, "--horizon", 40), encoding="utf-8")
    assert printed_json(capsys, "run", ir, "--json") == printed_json(capsys, "run", path, "--horizon", 40, "--json")


def test_an_ir_of_an_older_version_that_cannot_say_it_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    # 185: a queue read at ticks is said from version 14 on
    path = case("oracle", "185").lay_out(tmp_path)
    assert main(["ir", str(path), "--ir-version", "13"]) == 1
    assert "queue" in capsys.readouterr().err
