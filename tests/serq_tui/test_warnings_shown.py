"""What the linker warns of stands beside its line and is counted in the header; an instance's errors stand in its text."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammar.diagnostics import ProgramError
from serq_tui import text_rows
from serq_tui.controller import Controller
from serq_tui.debuggee import Debuggee
from serq_tui.loading import load_program
from serq_tui.moves import Step
from serq_tui.options import RunOptions
from serq_tui.pieces import Line
from serq_tui.problems import Problem, problem_lines
from serq_tui.view_state import Lens

EXAMPLES = Path(__file__).parents[2] / "serq_tui" / "examples"
LATCHED = EXAMPLES / "latched.sq"
FIRST = EXAMPLES / "first_light.sq"
PREEMPTION = EXAMPLES / "preemption.sq"

WIDE = 200


def plain(line: Line) -> str:
    return "".join(piece.text for piece in line)


def controller(path: Path) -> Controller:
    return Controller(Debuggee.load(path, RunOptions()), Lens())


def line_of(path: Path, text: str) -> int:
    """The one line of a file that has a text in it, counted from 1."""
    lines = path.read_text(encoding="utf-8").split("\n")
    (found,) = [number for number, line in enumerate(lines, 1) if text in line and not line.startswith("//")]
    return found


def test_a_warning_stands_beside_its_line_while_nothing_is_decided_there() -> None:
    notes = controller(LATCHED).view().source.notes
    assert plain(notes[line_of(LATCHED, "branch (pause == 0)")]).startswith("! E1503 engine `llm` admits nobody")


def test_what_a_moment_decides_on_the_line_takes_the_warnings_place() -> None:
    view = controller(LATCHED)
    branch = line_of(LATCHED, "branch (pause == 0)")
    view.arrive(view.carry_out(view.plan(Step()), lambda: False, lambda progress: None))
    assert "E1503" not in plain(view.view().source.notes[branch])


def test_the_header_counts_the_lines_warned_of() -> None:
    state = controller(LATCHED).view().header
    assert state.warnings == 2
    assert "! 2 warnings" in plain(text_rows.header(state, WIDE, None)[0])
    without = controller(FIRST).view().header
    assert "warning" not in plain(text_rows.header(without, WIDE, None)[0])


# ------------------------------------------------------------------------------- instances


def problem(tmp_path: Path, instance: str) -> Problem:
    path = tmp_path / "run.sq"
    path.write_text(instance, encoding="utf-8")
    with pytest.raises(ProgramError) as caught:
        load_program(PREEMPTION, RunOptions(instance=path))
    return Problem.of(PREEMPTION, caught.value)


def test_a_mistake_in_an_instance_is_shown_in_the_instances_text(tmp_path: Path) -> None:
    found = problem(tmp_path, "let kv_tokens = 640;\nrun { horizn 3; }\n")
    assert found.title == "run.sq does not load: 1 error"
    shown = [plain(entry.line) for entry in problem_lines(found).entries]
    assert shown[1:3] == ["   2  run { horizn 3; }", "            ^^^^^^"]


def test_an_input_the_program_has_not_is_told_above_the_program_with_its_place(tmp_path: Path) -> None:
    found = problem(tmp_path, "\nlet kv_token = 640;\n")
    assert found.title == "preemption.sq does not load: 1 error"
    first = plain(problem_lines(found).entries[0].line)
    assert first.startswith(f" E315 {tmp_path / 'run.sq'}:2: the program declares no input `kv_token`")
