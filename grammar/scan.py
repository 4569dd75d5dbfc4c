"""A text cut into its lexemes, comments included; knows no grammar.

The parser has a lexer of its own. This one serves where a lexeme is wanted whatever stands around it: to tell every
lexical error at once, to look round an unexpected word, to keep the comments of a text that is laid out anew.
"""

from __future__ import annotations

import re
from typing import Literal

from grammar.declaring import dataclass
from grammar.diagnostics import Diagnostic
from grammar.source import Span

Kind = Literal["word", "number", "string", "mark", "line_comment", "block_comment", "open_comment", "open_string", "other"]

COMMENTS = frozenset({"line_comment", "block_comment"})

_LEXEME = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<line_comment>//[^\n]*)
    | (?P<block_comment>/\*[\s\S]*?\*/)
    | (?P<open_comment>/\*)
    | (?P<word>[^\W\d]\w*)
    | (?P<number>(?:[0-9][0-9_.]*|\.[0-9][0-9_.]*)(?:[eE][+-]?[0-9]+)?)
    | (?P<string>"[^"]*")
    | (?P<open_string>"[^"\n]*)
    | (?P<mark><=|>=|==|!=|&&|\|\||[{}()\[\],;:.=~?+\-*/^<>!])
    | (?P<other>[\s\S])
    """,
    re.VERBOSE,
)

_PERCENT = "a share is a number below 1, such as `0.9`; the rest of a division is `x - floor(x, y)`"

_MEANT = {
    "&": "&&",
    "|": "||",
    "'": '"',
    "`": '"',
    "“": '"',
    "”": '"',
    "„": '"',
    "«": '"',
    "»": '"',
    "−": "-",
    "–": "-",
    "—": "-",
    "×": "*",
    "·": "*",
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "#": "//",
    "∞": "inf",
}
"""What stands for a character of no meaning, on a keyboard or in another language."""


@dataclass(frozen=True, slots=True)
class Lexeme:
    """One word, number, string, mark or comment.

    Attributes:
        kind: what it is; ``open_comment`` and ``open_string`` lack their end, ``other`` is a character of no meaning.
        text: as written.
        offset: characters of the text before it.
        span: its place.
    """

    kind: Kind
    text: str
    offset: int
    span: Span

    @property
    def end(self) -> int:
        """Characters of the text up to its end."""
        return self.offset + len(self.text)


def scan(text: str) -> list[Lexeme]:
    """Every lexeme of a text in order, comments too, white space left out (L1.2 to L1.8)."""
    lexemes: list[Lexeme] = []
    line, line_start = 1, 0
    for match in _LEXEME.finditer(text):
        offset, end, kind = match.start(), match.end(), match.lastgroup
        first_line, first_column = line, offset - line_start + 1
        newlines = text.count("\n", offset, end)
        if newlines:
            line += newlines
            line_start = text.rindex("\n", offset, end) + 1
        if kind != "space":
            span = Span(first_line, first_column, line, end - line_start + 1)
            lexemes.append(Lexeme(kind, match.group(), offset, span))  # type: ignore[arg-type]
            if kind == "open_comment":
                break
    return lexemes


def number_value(numeral: str) -> float | None:
    """The double a numeral writes, None when it is not one number (L1.5)."""
    try:
        return float(numeral.replace("_", ""))
    except ValueError:
        return None


def lexical_errors(lexemes: list[Lexeme]) -> tuple[Diagnostic, ...]:
    """What is no lexeme of the language, in text order (E101 to E104), of a text that cannot be parsed.

    A string may span lines; in a text that fails, one that does has lost its quote.
    """
    return tuple(error for lexeme in lexemes if (error := _lexical_error(lexeme)) is not None)


def _lexical_error(lexeme: Lexeme) -> Diagnostic | None:
    match lexeme.kind:
        case "other":
            return _no_lexeme(lexeme)
        case "word" if not starts_name(lexeme.text):
            return _no_lexeme(lexeme)
        case "open_comment":
            help_ = "end it with `*/`; comments do not nest"
            return Diagnostic("E102", "error", "this comment is never closed", lexeme.span, suggestion=help_)
        case "open_string":
            return _open_string(lexeme)
        case "string" if "\n" in lexeme.text:
            return _open_string(lexeme)
        case "number" if number_value(lexeme.text) is None:
            return _bad_number(lexeme)
        case _:
            return None


def starts_name(word: str) -> bool:
    """Whether a word starts with a letter or ``_`` (L1.4); Python counts superscripts and the like among the letters."""
    return word[0].isalpha() or word[0] == "_"


def _no_lexeme(lexeme: Lexeme) -> Diagnostic:
    character = lexeme.text[0]
    span = Span(lexeme.span.line, lexeme.span.column, lexeme.span.line, lexeme.span.column + 1)
    shown = f"`{character}`" if character.isprintable() else f"the invisible character U+{ord(character):04X}"
    meant = _MEANT.get(character)
    message = f"{shown} starts no word, number or operator of the language"
    help_ = _PERCENT if character == "%" else f"write `{meant}`" if meant else None
    return Diagnostic("E101", "error", message, span, suggestion=help_)


def _open_string(lexeme: Lexeme) -> Diagnostic:
    """It is wrong where it opens: where it should have ended nobody can tell."""
    length = len(lexeme.text.split("\n")[0])
    start = lexeme.span
    span = Span(start.line, start.column, start.line, start.column + length)
    return Diagnostic("E103", "error", "this string is never closed", span, suggestion='end it with `"` on its line')


def _bad_number(lexeme: Lexeme) -> Diagnostic:
    mantissa = re.split("[eE]", lexeme.text)[0]
    exponent = lexeme.text[len(mantissa) :]
    whole, _, rest = mantissa.partition(".")
    repaired = f"{whole or '0'}.{rest.replace('.', '')}{exponent}"
    help_ = f"write `{repaired}`" if number_value(repaired) is not None else None
    return Diagnostic("E104", "error", f"`{lexeme.text}` is not one number", lexeme.span, suggestion=help_)
