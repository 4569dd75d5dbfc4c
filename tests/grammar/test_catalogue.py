"""Every error and warning there is has an entry, and every entry is what the linker says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from grammar.catalogue import Entry, catalogue, chapters
from grammar.source import Source, Span
from tests.make_docs import DOCS, PAGES, diagnostics

ENTRIES = tuple(catalogue().values())

WARNINGS = {"E222", "E805", "E917"}
"""The numbers below 1500 that stop nothing: the reference accepts such programs."""


def rest_from(program: str, span: Span) -> str:
    """A program from where a span starts."""
    lines = Source("", program).lines
    return "\n".join([lines[span.line - 1][span.column - 1 :], *lines[span.line :]])


def test_the_linker_says_nothing_that_is_not_in_the_catalogue_and_can_say_all_that_is() -> None:
    grammar = Path(__file__).parent.parent.parent / "grammar"
    said = {number for file in grammar.glob("*.py") for number in re.findall(r'"(E\d{3,4})"', file.read_text(encoding="utf-8"))}
    assert said == set(catalogue())


def test_every_error_of_a_recorded_program_is_in_the_catalogue() -> None:
    recorded = json.loads((Path(__file__).parent / "bad_ids.json").read_text(encoding="utf-8"))
    assert set(recorded.values()) <= set(catalogue())


def test_the_numbers_stand_in_order_each_in_the_chapter_of_its_hundred() -> None:
    numbers = [[int(entry.id[1:]) for entry in chapter.entries] for chapter in chapters()]
    assert [number for chapter in numbers for number in chapter] == sorted(int(number[1:]) for number in catalogue())
    assert [{number // 100 for number in chapter} for chapter in numbers] == [{hundred} for hundred in range(1, 16)]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_a_program_of_the_catalogue_has_its_error_and_no_other(entry: Entry) -> None:
    said = diagnostics(entry.program, entry.given, entry.instance)
    assert [diagnostic.id for diagnostic in said] == [entry.id]
    stops = entry.id not in WARNINGS and not entry.id.startswith("E15")
    assert said[0].severity == ("error" if stops else "warning")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_the_error_points_at_the_piece_that_is_wrong(entry: Entry) -> None:
    (said,) = diagnostics(entry.program, entry.given, entry.instance)
    if entry.at is None:
        assert said.span is None
        return
    assert said.span is not None
    rest = rest_from(entry.instance or entry.program, said.span)
    assert rest.startswith(entry.at)
    assert entry.at or not rest.strip()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_the_repair_mends_the_program(entry: Entry) -> None:
    said = diagnostics(entry.mended, entry.given_mended, entry.mended_instance)
    assert [d.id for d in said if d.severity == "error" or d.id == entry.id] == []
    assert (entry.mended, entry.given_mended, entry.mended_instance) != (entry.program, entry.given, entry.instance)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_an_entry_says_what_is_wrong_by_which_rule_and_what_to_do(entry: Entry) -> None:
    assert entry.title[0].isupper() or entry.title[0] == "`"
    assert not entry.title.endswith(".")
    assert entry.repair.endswith(".")
    assert entry.rules
    assert all(re.fullmatch(r"L\d+\.\d+", rule) for rule in entry.rules)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_made_from_the_code_is_as_the_code_is(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "write it anew: make docs"
