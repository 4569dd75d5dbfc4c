"""``serq-tui fmt``: prints, checks, writes; what the layout is, is tested where it is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from serq_tui.cli import main

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "serq_tui" / "examples").glob("*.sq"))
RAGGED = "fn main() {\nstage s:delay;   // the only one\n}\n"
LAID_OUT = "fn main() {\n  stage s : delay;  // the only one\n}\n"


@pytest.fixture
def ragged(tmp_path: Path) -> Path:
    path = tmp_path / "model.sq"
    path.write_text(RAGGED, encoding="utf-8")
    return path


def test_fmt_prints_the_layout_and_leaves_the_file(capsys: pytest.CaptureFixture[str], ragged: Path) -> None:
    assert main(["fmt", str(ragged)]) == 0
    assert capsys.readouterr().out == LAID_OUT
    assert ragged.read_text(encoding="utf-8") == RAGGED


def test_fmt_check_exits_with_1_where_the_layout_differs(capsys: pytest.CaptureFixture[str], ragged: Path) -> None:
    assert main(["fmt", "--check", str(ragged)]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert str(ragged) in output.err


def test_fmt_write_writes_the_layout_and_then_has_nothing_to_do(capsys: pytest.CaptureFixture[str], ragged: Path) -> None:
    assert main(["fmt", "--write", str(ragged)]) == 0
    assert ragged.read_text(encoding="utf-8") == LAID_OUT
    assert main(["fmt", "--check", str(ragged)]) == 0
    assert capsys.readouterr().out == ""


def test_fmt_tells_the_error_of_a_text_that_is_no_program(capsys: pytest.CaptureFixture[str], ragged: Path) -> None:
    ragged.write_text("fn main() { stage }\n", encoding="utf-8")
    assert main(["fmt", "--write", str(ragged)]) == 1
    assert f"{ragged}:1:" in capsys.readouterr().err
    assert ragged.read_text(encoding="utf-8") == "fn main() { stage }\n"


def test_fmt_of_an_ir_or_with_inputs_is_wrong_usage(capsys: pytest.CaptureFixture[str], ragged: Path) -> None:
    assert main(["fmt", "model.json"]) == 2
    assert main(["fmt", str(ragged), "--", "--rate", "3"]) == 2
    assert "fmt" in capsys.readouterr().err


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_in_the_canonical_layout(path: Path) -> None:
    assert main(["fmt", "--check", str(path)]) == 0
