"""Every refused program of the text corpus is refused, for its reason and at its place.

``bad_ids.json`` maps each case to a number of the catalogue by what its rule says.
``bad_places.json`` has the cases whose error points elsewhere than the reference's on purpose:
the text it points at, and why. What the parser tells is in ``test_syntax_errors``.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from grammar.diagnostics import ProgramError
from grammar.findings import Findings
from grammar.link import link
from grammar.settings import check_horizon
from grammar.source import Source
from tests.cases import Case, cases
from tests.grammar.linking import settings_of
from tests.grammar.test_syntax_errors import MOVED

FOLDER = Path(__file__).parent
IDS: dict[str, str] = json.loads((FOLDER / "bad_ids.json").read_text(encoding="utf-8"))
PLACES: dict[str, tuple[str, str]] = json.loads((FOLDER / "bad_places.json").read_text(encoding="utf-8"))

WITHOUT_A_PLACE = {"E315", "E316", "E318", "E604", "E1401", "E1402", "E1403"}
"""Errors of what the host gives, which stand nowhere in the text (L13.7)."""


@cache
def refused(case: Case) -> ProgramError:
    """The refusal of a case that is run to its end."""
    source = Source(case.name, case.source)
    settings = settings_of(case)
    findings = Findings(source)
    check_horizon(findings, settings)
    with pytest.raises(ProgramError) as found:
        findings.stop_if_any()
        link(source, settings)
    return found.value


def place_of(case: Case) -> tuple[int, int] | None:
    """Line and column the first error belongs at; None where the reference gives none."""
    number = case.name[:3]
    if number in MOVED:
        place: tuple[int, int] = MOVED[number][0]
        return place
    if case.name in PLACES:
        text, _ = PLACES[case.name]
        before, found, after = case.source.partition(text)
        assert found
        assert text not in after
        return before.count("\n") + 1, len(before) - before.rfind("\n")
    return None if case.data["line"] is None else (case.data["line"], case.data["column"])


@pytest.mark.tally("corpus/bad, refused")
@pytest.mark.parametrize("case", cases("corpus_bad"), ids=str)
def test_a_program_is_refused_for_its_reason_at_its_place(case: Case) -> None:
    first = refused(case).diagnostics[0]
    assert first.id == IDS[case.name]
    expected = place_of(case)
    if expected is not None:
        assert first.span is not None
        assert (first.span.line, first.span.column) == expected
    else:
        assert first.span is not None or first.id in WITHOUT_A_PLACE


@pytest.mark.parametrize("case", cases("corpus_bad"), ids=str)
def test_every_error_says_where_inside_the_text(case: Case) -> None:
    lines = case.source.split("\n")
    told = refused(case).diagnostics
    spans = [d.span for d in told] + [note.span for d in told for note in d.notes]
    for span in spans:
        if span is not None:
            assert 1 <= span.line <= span.end_line <= len(lines) + 1
            assert 1 <= span.column <= len(lines[span.line - 1]) + 2 if span.line <= len(lines) else True


def test_the_mapping_names_every_recorded_case() -> None:
    assert sorted(IDS) == [case.name for case in cases("corpus_bad")]
