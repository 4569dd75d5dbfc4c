"""Wrong usage, help, and the debugger without a terminal: one clear line and exit 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from serq_tui import __version__
from serq_tui.cli import main

EXAMPLES = Path(__file__).parent.parent.parent / "serq_tui" / "examples"
FIRST = str(EXAMPLES / "first_light.sq")


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What is said about wrong usage."""
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    return output.err


def test_the_debugger_without_a_terminal_is_one_line_and_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, FIRST)
    assert said.count("\n") == 1
    assert "needs a terminal" in said
    assert "serq-tui run FILE --horizon T" in said


def test_a_file_that_is_not_there_is_named_with_its_nearest_neighbour(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "run", str(EXAMPLES / "first_lihgt.sq"), "--horizon", "3")
    assert "there is no file" in said
    assert f"did you mean {EXAMPLES / 'first_light.sq'}?" in said


def test_a_folder_is_no_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Is a directory" in refused(capsys, "run", str(EXAMPLES), "--horizon", "3")


def test_a_misspelt_option_is_told_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "run", FIRST, "--horizn", "3")
    assert "there is no option --horizn; did you mean --horizon?" in said


def test_an_abbreviated_option_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no option --hor" in refused(capsys, "run", FIRST, "--hor", "3")


def test_an_input_before_the_dashes_is_told_where_it_goes(capsys: pytest.CaptureFixture[str]) -> None:
    assert "-- --users VALUE" in refused(capsys, "run", FIRST, "--horizon", "3", "--users", "4")


def test_a_misspelt_command_is_told_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no command chekc; did you mean check?" in refused(capsys, "chekc", FIRST)


def test_a_second_program_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "one program at a time" in refused(capsys, "run", FIRST, FIRST, "--horizon", "3")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--horizon", "soon"], "'soon' is not a finite number of seconds"),
        (["--horizon", "nan"], "'nan' is not a finite number of seconds"),
        (["--horizon", "inf"], "'inf' is not a finite number of seconds"),
        (["--horizon", "3", "--seed", "-1"], "-1 is no seed"),
        (["--horizon", "3", "--seed", "18446744073709551616"], "seeds go from 0 to 18446744073709551615"),
        (["--horizon", "3", "--seed", "1.5"], "'1.5' is not a whole number"),
        (["--horizon", "3", "--set", "users"], "'users' is not NAME=EXPR"),
        (["--horizon", "3", "--set", "2x=1"], "'2x=1' is not NAME=EXPR"),
        (["--horizon", "3", "--", "users", "4"], "not 'users'"),
        (["--horizon", "3", "--", "--users"], "--users needs a value"),
        (["--horizon", "3", "--set", "u=1", "--", "--u", "2"], "the input u is given twice"),
        (["--horizon", "3", "--def", "f=1", "--def", "f=2"], "the definition f is given twice"),
        (["--horizon", "3", "--samples"], "add --json"),
        ([], "run needs --horizon T"),
    ],
)
def test_settings_that_make_no_sense_are_wrong_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert said in refused(capsys, "run", FIRST, *arguments)


def test_inputs_without_a_program_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "need the FILE they are for" in refused(capsys, "--", "--users", "4")


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"serq-tui {__version__}\n"


@pytest.mark.parametrize("command", ["run", "check", "ir"])
def test_the_help_names_every_command_and_each_has_its_own(capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert f"serq-tui {command}" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main([command, "--help"])
    said = capsys.readouterr().out
    for option in ("--horizon", "--warmup", "--seed", "--arrivals", "--set", "--def", "--trace", "--NAME VALUE"):
        assert option in said
