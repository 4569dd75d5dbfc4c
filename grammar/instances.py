"""Reads instance files: the inputs and the settings of one run of a program (L3.18); knows no program.

An instance is read by itself. Its values are computed from numbers, the pure functions and the values above them, so
that what a file says does not depend on the program it is given to.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from grammar import syntax
from grammar.constants import Constants, NotConstant
from grammar.declaring import dataclass
from grammar.diagnostics import Diagnostic, Note, ProgramError
from grammar.findings import MOST_TOLD, Findings
from grammar.names import nearest
from grammar.parser import parse_expression
from grammar.scan import COMMENTS, Lexeme, lexical_errors, scan
from grammar.settings import SEEDS
from grammar.source import Source, Span

SETTINGS = ("horizon", "warmup", "seed", "arrivals")
"""What ``run { … }`` may set."""

_ITEMS = ("let", "run")
_FORM = "`let NAME = VALUE;` for inputs and one `run { horizon …; warmup …; seed …; arrivals …; }`"


@dataclass(frozen=True, slots=True)
class Setting:
    """A number, and where the file says it. A whole number that is written out is exact."""

    value: float
    span: Span


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance file.

    Attributes:
        source: its text.
        lets: values of inputs, by the inputs' names.
        run: the settings it gives, by name.
    """

    source: Source
    lets: Mapping[str, Setting]
    run: Mapping[str, Setting]


def read_instance(source: Source) -> Instance:
    """Reads an instance file (L3.18).

    Raises:
        ProgramError: it is none, with every error in text order.
    """
    lexemes = [lexeme for lexeme in scan(source.text) if lexeme.kind not in COMMENTS]
    reading = _Reading(source, lexemes)
    errors = list(lexical_errors(lexemes))
    if not errors:
        reading.items()
        errors = reading.errors
    if errors:
        raise ProgramError(tuple(replace(error, source=source) for error in errors[:MOST_TOLD]), source)
    return Instance(source, reading.lets, reading.run)


class _Skipped(Exception):
    """An error has been told, and what it stands in cannot be read on."""


class _Reading:
    """One pass over the lexemes. After an error it goes on behind the ``;`` that ends what is wrong."""

    def __init__(self, source: Source, lexemes: Sequence[Lexeme]) -> None:
        self.source = source
        self.lexemes = lexemes
        self.at = 0
        self.errors: list[Diagnostic] = []
        self.constants = Constants(Findings(source))
        self.lets: dict[str, Setting] = {}
        self.run: dict[str, Setting] = {}
        self.first_run: Span | None = None

    # ------------------------------------------------------------------ lexemes

    @property
    def next(self) -> Lexeme | None:
        return self.lexemes[self.at] if self.at < len(self.lexemes) else None

    def _is(self, *texts: str) -> bool:
        return self.next is not None and self.next.text in texts

    def _take(self) -> Lexeme:
        self.at += 1
        return self.lexemes[self.at - 1]

    def _expect(self, what: str, fits: bool) -> Lexeme:
        """The next lexeme where it fits; else E105, placed after the lexeme before where a mark is missing."""
        if fits:
            return self._take()
        read = "the text ends" if self.next is None else f"read `{self.next.text}`"
        before = self.lexemes[self.at - 1].span
        after = Span(before.end_line, before.end_column, before.end_line, before.end_column + 1)
        span = after if self.next is None or what in ("`;`", "`}`") else self.next.span
        self._error("E105", span, f"expected {what}, {read}")
        raise _Skipped

    def _mark(self, mark: str) -> Lexeme:
        return self._expect(f"`{mark}`", self._is(mark))

    def _word(self, what: str) -> Lexeme:
        return self._expect(what, self.next is not None and self.next.kind == "word")

    def _error(self, code: str, span: Span, message: str, *notes: Note, suggestion: str | None = None) -> None:
        # Of what is missing at one place the first is told: the rest may follow from it.
        if not self.errors or self.errors[-1].span != span:
            self.errors.append(Diagnostic(code, "error", message, span, notes, suggestion))

    def _skip(self, *ends: str) -> None:
        """Go behind the next ``;``, blocks before it left out, but not past what begins something new or ends this."""
        depth = 0
        while self.next is not None and not (depth == 0 and self._is(*_ITEMS, *ends)):
            text = self._take().text
            depth = max(0, depth + (text == "{") - (text == "}"))
            if depth == 0 and text == ";":
                return

    # ------------------------------------------------------------------ items

    def items(self) -> None:
        """Everything in the file."""
        while self.next is not None:
            try:
                self._item()
            except _Skipped:
                self._skip()

    def _item(self) -> None:
        if self._is("let"):
            self._take()
            self._let()
        elif self._is("run"):
            self._run(self._take().span)
        else:
            word = self._take()
            near = nearest(word.text, _ITEMS)
            hint = None if near is None else f"did you mean `{near}`?"
            self._error("E1404", word.span, f"an instance has {_FORM}; read `{word.text}`", suggestion=hint)
            raise _Skipped

    def _let(self) -> None:
        name = self._word("the name of an input")
        self._mark("=")
        value = self._value(name, _ITEMS)
        if name.text in self.lets:
            self._twice(name, self.lets[name.text].span)
            return
        # One whose value is wrong counts as 1 for those below it, which need not be told of it again.
        self.lets[name.text] = Setting(1.0 if value is None else value, name.span)
        self.constants.values[name.text], self.constants.where[name.text] = self.lets[name.text].value, name.span

    def _run(self, word: Span) -> None:
        if self.first_run is not None:
            self._error(
                "E1404", word, "an instance has one `run`", Note("the first is here", self.first_run), suggestion="join the two"
            )
        self.first_run = self.first_run or word
        self._mark("{")
        while self.next is not None and not self._is("}", *_ITEMS):
            try:
                self._setting()
            except _Skipped:
                self._skip("}")
        self._mark("}")

    def _setting(self) -> None:
        name = self._word("a setting or `}`")
        if name.text not in SETTINGS:
            near = nearest(name.text, SETTINGS)
            there = ", ".join(f"`{setting}`" for setting in SETTINGS)
            hint = None if near is None else f"did you mean `{near}`?"
            self._error("E1404", name.span, f"`run` has the settings {there}; read `{name.text}`", suggestion=hint)
            raise _Skipped
        value = self._value(name, (*_ITEMS, *SETTINGS))
        if name.text in self.run:
            self._twice(name, self.run[name.text].span)
        elif value is not None and self._fits(name, value):
            self.run[name.text] = Setting(value, name.span)

    def _twice(self, name: Lexeme, first: Span) -> None:
        self._error(
            "E1404", name.span, f"`{name.text}` is given twice", Note("the first is here", first), suggestion="drop one of them"
        )

    def _fits(self, name: Lexeme, value: float) -> bool:
        """Whether a setting may have its value; how the times stand to one another is the linker's to say."""
        whole = math.isfinite(value) and value == math.floor(value)
        if name.text == "seed" and not (whole and 0 <= value < SEEDS):
            self._error("E1405", name.span, f"a seed is a whole number from 0 to {SEEDS - 1}, and {value:g} is none")
        elif name.text == "arrivals" and not whole:
            self._error("E1403", name.span, f"`arrivals` is a whole number above 0, and {value:g} is none")
        else:
            return True
        return False

    # ------------------------------------------------------------------ values

    def _value(self, of: Lexeme, stops: Sequence[str]) -> float | None:
        """The expression up to its ``;``, worked out; None after telling why it has no value."""
        start = self.at
        while self.next is not None and not self._is(";", "{", "}", *stops):
            self.at += 1
        if self.at == start:
            self._expect(f"the value of `{of.text}`", False)
        end = self.at
        self._mark(";")
        try:
            return self._worked_out(self._expression(self.lexemes[start:end]))
        except ProgramError:
            self._misread(start, end)
        except NotConstant as why:
            self._error(why.code, why.span, why.message, *why.notes, suggestion=why.suggestion)
        return None

    def _misread(self, start: int, end: int) -> None:
        """What is wrong with an expression, read on to its ``;``: it would be told that the text ends there."""
        try:
            self._expression(self.lexemes[start : end + 1])
        except ProgramError as error:
            self.errors.append(error.diagnostics[0])

    def _expression(self, written: Sequence[Lexeme]) -> syntax.Expr:
        """The expression of some lexemes, read where it stands: all before it is blank, so that its places are right."""
        text = self.source.text
        blank = re.sub(r"[^\n]", " ", text[: written[0].offset])
        return parse_expression(Source(self.source.name, blank + text[written[0].offset : written[-1].end]))

    def _worked_out(self, expression: syntax.Expr) -> float | None:
        if isinstance(expression, syntax.Number) and (digits := expression.text.replace("_", "")).isdecimal():
            # Exact: a seed has 64 bits, a double only 53 of them.
            return int(digits)
        value = self.constants.evaluate(expression)
        if math.isnan(value):
            self._error("E316", expression.span, "this value is not a number")
            return None
        return value
