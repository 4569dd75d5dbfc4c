"""``serq-tui check``: every error and warning with its line and a caret, or as data; and instance files, of every command."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from serq_tui.cli import main
from serq_tui.debuggee import Debuggee
from serq_tui.options import RunOptions

WRONG = """\
fn main() {
  stage s : delay;
  workload { arrive batch(1); turn { set size = 3; } }
  server { run s (cost(t, 1)); observe x = unknown; }
}
"""
# E312 in line 3 is of the first phase that has an error, so nothing is said of line 4 yet (L13.5).

WARNED = """\
use "std/args";
fn main() {
  let users = args.number("users", 2);
  let spare = 3;
  stage s : delay;
  workload { arrive closed(users); turn { set n = 1; } }
  server { run s (cost(s, n)); observe done = now; }
}
"""

FIELDS = ["id", "severity", "message", "line", "column", "end_line", "end_column", "notes", "suggestion"]


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    return written(tmp_path / "wrong.sq", WRONG)


@pytest.fixture
def warned(tmp_path: Path) -> Path:
    return written(tmp_path / "warned.sq", WARNED)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def told(capsys: pytest.CaptureFixture[str], *arguments: object, status: int) -> tuple[str, str]:
    """What a command prints on standard output and on standard error."""
    assert main([str(argument) for argument in arguments]) == status
    output = capsys.readouterr()
    return output.out, output.err


def diagnostics(capsys: pytest.CaptureFixture[str], *arguments: object, status: int) -> list[dict[str, Any]]:
    out, err = told(capsys, "check", *arguments, "--json", status=status)
    assert err == ""
    data = json.loads(out)
    assert list(data) == ["diagnostics"]
    found: list[dict[str, Any]] = data["diagnostics"]
    return found


# ------------------------------------------------------------------------------- for a person


def test_an_error_is_shown_with_its_file_line_and_caret(capsys: pytest.CaptureFixture[str], wrong: Path) -> None:
    out, err = told(capsys, "check", wrong, status=1)
    assert out == ""
    lines = err.splitlines()
    assert lines[0].startswith(f"{wrong}:3:42: [E312] `size`")
    assert lines[1:3] == [
        "3 |   workload { arrive batch(1); turn { set size = 3; } }",
        "  |                                          ^~~~",
    ]


def test_a_warning_is_shown_and_the_program_links(capsys: pytest.CaptureFixture[str], warned: Path) -> None:
    out, err = told(capsys, "check", warned, status=0)
    assert out == f"{warned}: links, 1 warning\n"
    assert err.splitlines()[:3] == [
        f"{warned}:4:7: [E1506] warning: nothing reads the constant `spare`",
        "4 |   let spare = 3;",
        "  |       ^~~~~",
    ]


def test_the_settings_of_a_run_may_be_given_and_are_checked(capsys: pytest.CaptureFixture[str], warned: Path) -> None:
    assert told(capsys, "check", warned, "--horizon", 9, "--seed", 3, "--", "--users", "4", status=0)[0]
    assert "[E1402]" in told(capsys, "check", warned, "--horizon", 9, "--warmup", 10, status=1)[1]
    assert "did you mean `users`?" in told(capsys, "check", warned, "--set", "user=4", status=1)[1]


def on_a_terminal(path: Path, **environment: str) -> bytes:
    """What ``check`` prints when standard error is a terminal."""
    reading, writing = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "serq_tui", "check", str(path)],
        stdout=subprocess.DEVNULL,
        stderr=writing,
        env={name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm-256color"} | environment,
    )
    os.close(writing)
    output = b""
    while True:
        try:
            piece = os.read(reading, 4096)
        except OSError:
            # how Linux says that the other end of a terminal is closed
            break
        if not piece:
            break
        output += piece
    os.close(reading)
    run.wait()
    return output


def test_a_terminal_gets_colours_unless_it_wants_none(wrong: Path) -> None:
    assert b"\x1b[1;31m[E312]\x1b[0m" in on_a_terminal(wrong)
    assert b"\x1b" not in on_a_terminal(wrong, NO_COLOR="1")
    assert b"\x1b" not in on_a_terminal(wrong, TERM="dumb")


# ------------------------------------------------------------------------------- as data


def test_diagnostics_as_data_have_the_agreed_fields(capsys: pytest.CaptureFixture[str], wrong: Path, warned: Path) -> None:
    (error,) = diagnostics(capsys, wrong, status=1)
    assert list(error) == FIELDS
    assert [error[name] for name in ("id", "severity", "line", "column", "end_line", "end_column")] == [
        "E312",
        "error",
        3,
        42,
        3,
        46,
    ]
    (warning,) = diagnostics(capsys, warned, status=0)
    assert list(warning) == FIELDS
    assert (warning["id"], warning["severity"], warning["notes"]) == ("E1506", "warning", [])


def test_a_note_has_a_place_of_its_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = written(tmp_path / "twice.sq", "fn main() {\n  pool p { }\n  pool p { }\n}\n")
    (error,) = diagnostics(capsys, path, status=1)
    assert [(note["line"], note["column"]) for note in error["notes"]] == [(2, 8)]


def test_what_has_no_place_in_the_program_has_nulls(capsys: pytest.CaptureFixture[str], warned: Path) -> None:
    (error,) = diagnostics(capsys, warned, "--set", "user=4", status=1)
    assert (error["id"], error["line"], error["column"], error["end_line"], error["end_column"]) == ("E315", None, None, None, None)


def test_what_is_no_text_is_an_error_of_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "binary.sq"
    path.write_bytes(b"fn main() {\xff}")
    (error,) = diagnostics(capsys, path, status=1)
    assert (error["id"], error["severity"]) == ("E101", "error")


# ------------------------------------------------------------------------------- instance files


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    return written(tmp_path / "run.sq", "// two busy hours\nlet users = 2 * 3;\nrun { horizon 20; warmup 5; seed 7; }\n")


def ran(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    """The report of a run."""
    report: dict[str, Any] = json.loads(told(capsys, "run", arguments[0], "--json", *arguments[1:], status=0)[0])
    return report


def test_an_instance_gives_the_inputs_and_the_settings_of_a_run(
    capsys: pytest.CaptureFixture[str], warned: Path, instance: Path
) -> None:
    report = ran(capsys, warned, "--instance", instance)
    assert [report[name] for name in ("horizon", "warmup", "seed")] == [20, 5, 7]
    # closed(6): six sessions are done every second, at 5, 6, … 20 after the warm-up, and others come
    assert report["observes"]["done"]["count"] == 6 * 16
    by_hand = ran(capsys, warned, "--horizon", 20, "--warmup", 5, "--seed", 7, "--", "--users", "6")
    assert by_hand == report


def test_options_win_over_an_instance(capsys: pytest.CaptureFixture[str], warned: Path, instance: Path) -> None:
    report = ran(capsys, warned, "--instance", instance, "--horizon", 10, "--seed", 3, "--", "--users", "1")
    assert [report[name] for name in ("horizon", "warmup", "seed")] == [10, 5, 3]
    assert report["observes"]["done"]["count"] == 6


def test_ir_has_the_settings_of_an_instance_in_it(capsys: pytest.CaptureFixture[str], warned: Path, instance: Path) -> None:
    data = json.loads(told(capsys, "ir", warned, "--instance", instance, status=0)[0])
    assert [data[name] for name in ("horizon", "warmup", "seed")] == [20, 5, 7]
    assert data["arrival"] == {"Closed": 6}


def test_an_ir_takes_the_settings_of_an_instance_and_has_no_inputs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, warned: Path, instance: Path
) -> None:
    ir = written(tmp_path / "warned.ir.json", told(capsys, "ir", warned, "--horizon", 9, status=0)[0])
    settings = written(tmp_path / "settings.sq", "run { horizon 12; }")
    assert ran(capsys, ir, "--instance", settings)["horizon"] == 12
    assert "users cannot be given" in told(capsys, "run", ir, "--instance", instance, status=2)[1]


def test_the_debugger_opens_a_program_with_an_instance(warned: Path, instance: Path) -> None:
    loaded = Debuggee.load(warned, RunOptions(instance=instance)).loaded
    assert loaded.inputs == (("users", 2.0, 6.0),)
    assert (loaded.program.horizon, loaded.program.seed) == (20, 7)


@pytest.mark.parametrize("command", ["run", "check", "ir"])
def test_a_mistake_in_an_instance_is_shown_in_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, warned: Path, command: str
) -> None:
    path = written(tmp_path / "run.sq", "let users = 3;\nrun { horizn 20; }\n")
    _, err = told(capsys, command, warned, "--horizon", 9, "--instance", path, status=1)
    assert err.splitlines()[:3] == [
        f"{path}:2:7: [E1404] `run` has the settings `horizon`, `warmup`, `seed`, `arrivals`; read `horizn`",
        "2 | run { horizn 20; }",
        "  |       ^~~~~~",
    ]


def test_an_input_the_program_does_not_declare_is_shown_where_the_instance_gives_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, warned: Path
) -> None:
    path = written(tmp_path / "run.sq", "let users = 3;\nlet user = 3;\n")
    _, err = told(capsys, "check", warned, "--instance", path, status=1)
    assert err.splitlines()[0].startswith(f"{path}:2:5: [E315]")
    (error,) = diagnostics(capsys, warned, "--instance", path, status=1)
    assert list(error) == [*FIELDS, "file"]
    assert (error["file"], error["line"], error["column"]) == (str(path), 2, 5)


def test_an_instance_without_a_horizon_is_no_end_of_a_run(capsys: pytest.CaptureFixture[str], tmp_path: Path, warned: Path) -> None:
    path = written(tmp_path / "run.sq", "let users = 3;")
    assert "run needs --horizon T" in told(capsys, "run", warned, "--instance", path, status=2)[1]
    assert ran(capsys, warned, "--instance", path, "--horizon", 9)["horizon"] == 9


def test_an_instance_without_a_program_is_refused(capsys: pytest.CaptureFixture[str], instance: Path) -> None:
    assert "need the FILE they are for" in told(capsys, "--instance", instance, status=2)[1]


@pytest.mark.parametrize("command", [[], ["run"], ["check"], ["ir"]])
def test_the_help_of_every_command_that_loads_a_program_has_the_instance(
    capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    assert "--instance FILE" in capsys.readouterr().out


def test_an_instance_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path, warned: Path) -> None:
    assert (
        f"there is no file {tmp_path / 'none.sq'}" in told(capsys, "check", warned, "--instance", tmp_path / "none.sq", status=2)[1]
    )
