"""A program's text in colours."""

from __future__ import annotations

import pytest

from serq_tui.colouring import coloured
from serq_tui.pieces import Line
from tests.serq_tui.piloting import EXAMPLES


def roles(line: Line) -> list[tuple[str, str]]:
    return [(part.text.strip(), part.role) for part in line if part.text.strip()]


def test_words_numbers_and_comments_are_told_apart() -> None:
    (line,) = coloured(["  advance running each at most (24); // a cap"])
    assert roles(line)[0] == ("advance", "keyword")
    assert ("24", "number") in roles(line)
    assert roles(line)[-1] == ("// a cap", "comment")


def test_a_comment_over_several_lines_is_a_comment_on_each() -> None:
    lines = coloured(["let a = 1; /* it goes", "on and ends here */ let b = 2;"])
    assert roles(lines[0])[-1] == ("/* it goes", "comment")
    assert roles(lines[1])[0] == ("on and ends here */", "comment")
    assert ("let", "keyword") in roles(lines[1])


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.sq")), ids=lambda path: path.stem)
def test_colours_change_no_letter_and_no_line(path: object) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")  # type: ignore[attr-defined]
    assert ["".join(part.text for part in line) for line in coloured(lines)] == lines


def test_empty_texts_and_lines_stay() -> None:
    assert coloured([""]) == ((),)
    assert coloured(["", "", "x"])[:2] == ((), ())
