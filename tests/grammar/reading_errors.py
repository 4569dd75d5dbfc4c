"""What is wrong with a text up to its outline, for the tests of the parser; links nothing."""

from __future__ import annotations

from grammar.diagnostics import Diagnostic, ProgramError
from grammar.parser import parse
from grammar.source import Source
from grammar.structure import structure_errors

CARET = "▲"
"""Stands in a test's text before the place an error is expected at, and is taken out before reading."""


def errors_of(text: str) -> tuple[Diagnostic, ...]:
    """The errors of lexing, parsing and outline, none for a text that gets past them."""
    try:
        return structure_errors(parse(Source("test", text)))
    except ProgramError as error:
        assert error.diagnostics
        return error.diagnostics


def marked(text: str) -> tuple[str, tuple[int, int]]:
    """The text without its mark, and the line and column of the mark."""
    before, _, after = text.partition(CARET)
    return before + after, (before.count("\n") + 1, len(before) - before.rfind("\n"))


def place(diagnostic: Diagnostic) -> tuple[int, int]:
    """Line and column of an error."""
    assert diagnostic.span is not None
    return diagnostic.span.line, diagnostic.span.column
