"""How a diagnostic is shown: sentence, line, caret, notes, help (L13.1), on a terminal and as JSON."""

from __future__ import annotations

import re

import pytest

from grammar.diagnostics import Diagnostic, Note, as_json, columns, render, visible
from grammar.source import Source, Span

SGR = re.compile(r"\x1b\[[0-9;]*m")


def shown(text: str, span: Span | None, **options: object) -> list[str]:
    return render(Diagnostic("E504", "error", "nothing declares `y`", span), Source("x.sq", text), **options).split("\n")  # type: ignore[arg-type]


def test_the_sentence_comes_first_then_the_line_and_the_caret_then_notes_and_help() -> None:
    source = Source("x.sq", "let yy = 1;\nset x = y;\n")
    diagnostic = Diagnostic(
        "E504",
        "error",
        "nothing declares `y`",
        Span(2, 9, 2, 10),
        (Note("`yy` is declared here", Span(1, 5, 1, 7)), Note("names are told apart by case")),
        "did you mean `yy`?",
    )
    assert render(diagnostic, source) == "\n".join(
        [
            "2:9: [E504] nothing declares `y`",
            "2 | set x = y;",
            "  |         ^",
            "note: 1:5: `yy` is declared here",
            "note: names are told apart by case",
            "help: did you mean `yy`?",
        ]
    )


def test_the_caret_line_marks_the_whole_piece() -> None:
    assert shown("set x = unknown;", Span(1, 9, 1, 16))[2] == "  |         ^~~~~~~"


def test_a_piece_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    assert shown("pool p {\n}", Span(1, 8, 2, 2))[1:] == ["1 | pool p {", "  |        ^"]


def test_a_place_after_the_last_character_has_its_caret_there() -> None:
    assert shown("set x = 1", Span(1, 10, 1, 11))[2] == "  |          ^"


def test_an_error_of_no_place_in_the_text_shows_no_line() -> None:
    assert shown("set x = 1", None) == ["[E504] nothing declares `y`"]


def test_a_warning_says_so() -> None:
    warning = Diagnostic("E805", "warning", "never read", Span(1, 1, 1, 2))
    assert render(warning, Source("x", "x")).startswith("1:1: [E805] warning: never read\n")


@pytest.mark.parametrize(
    ("text", "column", "before"),
    [
        ("\tset x = y;", 10, 12),  # the tab is one column of the text and four of the screen: 4 + len("set x = ")
        ("ab\tx", 4, 4),  # from column 2 to the stop at 4
        ("名前 y", 4, 5),  # two wide characters and a space
        ("e\u0301 y", 4, 2),  # the accent joins the letter before it
    ],
)
def test_the_caret_stands_under_its_character_behind_tabs_and_wide_and_joined_characters(
    text: str, column: int, before: int
) -> None:
    _, line, carets = shown(text, Span(1, column, 1, column + 1))
    assert carets == "  | " + " " * before + "^"
    assert columns(line[: line.index(text[column - 1], 4)]) == len("1 | ") + before


@pytest.mark.parametrize("width", [40, 57, 80])
@pytest.mark.parametrize("column", [1, 20, 77, 150, 199])
def test_a_long_line_is_cut_around_the_caret_to_the_width_there_is(width: int, column: int) -> None:
    text = "".join(chr(ord("a") + i % 26) for i in range(200))
    _, line, carets = shown(text, Span(1, column, 1, column + 1), width=width)
    assert columns(line) <= width
    assert columns(carets) <= width
    assert line[carets.index("^")] == text[column - 1]


def test_a_long_piece_is_cut_at_its_end_and_its_start_stays() -> None:
    text = "set x = " + "y" * 200 + ";"
    _, line, carets = shown(text, Span(1, 9, 1, 209), width=40)
    assert line == "1 | set x = " + "y" * 27 + "…"
    assert carets == "  |         ^" + "~" * 27


def test_without_a_width_a_line_is_shown_whole() -> None:
    text = "y" * 500
    assert shown(text, Span(1, 400, 1, 401))[1] == f"1 | {text}"


def test_colours_add_nothing_but_colours() -> None:
    source = Source("x", "set x = y;")
    diagnostic = Diagnostic("E504", "error", "no `y`", Span(1, 9, 1, 10), (Note("a note"),), "a help")
    coloured = render(diagnostic, source, color=True)
    assert coloured != render(diagnostic, source)
    assert SGR.sub("", coloured) == render(diagnostic, source)


def test_a_program_cannot_steer_the_terminal_its_errors_are_shown_on() -> None:
    text = "set x\x1b[2J = \x07y;\r"
    rendered = "\n".join([*shown(text, Span(1, 12, 1, 13)), visible(text)])
    assert not set(rendered) & {"\x1b", "\x07", "\r"}


def test_json_has_the_place_in_four_numbers_and_the_notes_likewise() -> None:
    diagnostic = Diagnostic(
        "E504", "error", "no `y`", Span(1, 9, 1, 10), (Note("first", Span(2, 1, 2, 3)), Note("second")), "a help"
    )
    assert as_json(diagnostic) == {
        "id": "E504",
        "severity": "error",
        "message": "no `y`",
        "line": 1,
        "column": 9,
        "end_line": 1,
        "end_column": 10,
        "notes": [
            {"message": "first", "line": 2, "column": 1, "end_line": 2, "end_column": 3},
            {"message": "second", "line": None, "column": None, "end_line": None, "end_column": None},
        ],
        "suggestion": "a help",
    }


def test_json_of_an_error_outside_the_text_has_nulls_for_its_place() -> None:
    data = as_json(Diagnostic("E1401", "error", "no horizon"))
    assert (data["line"], data["column"], data["end_line"], data["end_column"]) == (None, None, None, None)
