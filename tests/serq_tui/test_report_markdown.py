"""The report as Markdown, on recorded reports of the reference."""

from __future__ import annotations

import copy
import re

import pytest

from serq_tui.cli import main
from serq_tui.report_markdown import report_markdown
from serq_tui.report_sections import sections
from tests.cases import Case, case, cases
from tests.serq_tui.piloting import PREEMPTION


def tables(text: str) -> list[list[list[str]]]:
    """The cells of each table, as GitHub reads them: a bar behind a backslash is text."""
    found: list[list[list[str]]] = []
    for block in text.split("\n\n"):
        if block.startswith("|"):
            found.append([[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block.splitlines()])
    return found


@pytest.mark.parametrize("case", [*cases("bench"), *cases("corpus_ok")[::20]], ids=str)
def test_a_table_has_the_cells_of_its_section(case: Case) -> None:
    report = case.data["report"]
    made = tables(report_markdown(report, case.name))
    wanted = sections(report)
    assert len(made) == len(wanted)
    for (head, rule, *rows), section in zip(made, wanted, strict=True):
        assert head == ["name", *(column.heading for column in section.columns)]
        assert all(re.fullmatch(r"-{2,}:?", cell) for cell in rule) and len(rule) == len(head)
        plain = [[re.sub(r"\\(.)", r"\1", cell) for cell in row] for row in rows]
        assert plain == [list(row) for row in section.rows]


def test_figures_stand_to_the_right_and_names_to_the_left() -> None:
    # heavy2: used(kv) of the recorded report is 59250.4 units
    text = report_markdown(case("bench", "heavy2").data["report"], "heavy2.sq")
    pools = next(table for table in tables(text) if table[0][1] == "used")
    assert pools[1][0].endswith("-") and pools[1][1].endswith(":")
    assert ["kv", "59250"] in [row[:2] for row in pools]


def test_what_should_not_be_overlooked_comes_first() -> None:
    text = report_markdown(case("corpus_ok", "043").data["report"], "m.sq")
    assert text.index("- **llm is idle with work") < text.index("## ")


def test_a_name_with_signs_of_markdown_stays_a_name() -> None:
    report = copy.deepcopy(case("bench", "light").data["report"])
    report["pools"][0]["name"] = "k|v*`<b>"
    text = report_markdown(report, "a_b|c.sq")
    assert text.startswith("# a\\_b\\|c.sq\n")
    names = [row[0] for table in tables(text) for row in table]
    assert r"k\|v\*\`\<b\>" in names


def test_the_command_line_prints_it_and_takes_one_form_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(PREEMPTION), "--horizon", "2", "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("# preemption.sq\n\nEnded at 2.000 s of 2.000 s, seed 1.\n")
    assert main(["run", str(PREEMPTION), "--horizon", "2", "--markdown", "--json"]) == 2
    assert "not allowed with" in capsys.readouterr().err
