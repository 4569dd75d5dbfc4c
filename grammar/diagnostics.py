"""One model for everything the front end has to say, and its plain rendering; knows no rules."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any, Literal

from grammar.declaring import dataclass
from grammar.source import Source, Span


@dataclass(frozen=True, slots=True)
class Note:
    """A further sentence, with a place of its own where it has one."""

    message: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One error or warning (L13.1).

    Attributes:
        id: the catalogue's number, such as ``E504``.
        severity: a warning never stops a program.
        message: one sentence for the author of the program.
        span: the smallest piece that is wrong; None where it is not in the text (L13.7).
        notes: further sentences, such as where a definition was used.
        suggestion: what to write instead, None without one.
        source: the text the place is in where that is not the program's, such as an instance's.
    """

    id: str
    severity: Literal["error", "warning"]
    message: str
    span: Span | None = None
    notes: tuple[Note, ...] = ()
    suggestion: str | None = None
    source: Source | None = None


class ProgramError(Exception):
    """A text that is no program. Carries every error that can honestly be told at once."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...], source: Source) -> None:
        self.diagnostics = diagnostics
        self.source = source
        super().__init__("; ".join(d.message for d in diagnostics))


# --------------------------------------------------------------------------- as JSON


def as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as plain data for ``check --json``; the place is of nulls where there is none.

    A place in another file than the program has that file's name beside it.
    """
    return {
        "id": diagnostic.id,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        **_place(diagnostic.span),
        "notes": [{"message": note.message, **_place(note.span)} for note in diagnostic.notes],
        "suggestion": diagnostic.suggestion,
        **({} if diagnostic.source is None else {"file": diagnostic.source.name}),
    }


def _place(span: Span | None) -> dict[str, int | None]:
    if span is None:
        return {"line": None, "column": None, "end_line": None, "end_column": None}
    return {"line": span.line, "column": span.column, "end_line": span.end_line, "end_column": span.end_column}


# --------------------------------------------------------------------------- as text

TAB = 4
"""Columns between tab stops. The line is shown behind a gutter, where a terminal's own stops would be elsewhere than in
an editor; so tabs are spaced out here."""

_MARGIN = 12
"""Columns of a shortened line to keep before the caret, so that the piece is seen with what it belongs to."""

_CUT = "…"

_COLOURS = {"error": "1;31", "warning": "1;33", "note": "1;36", "help": "1;32", "gutter": "2"}
"""ANSI colours by role; bold, so that they differ from the text without colour vision too."""


def render(diagnostic: Diagnostic, source: Source, *, color: bool = False, width: int | None = None) -> str:
    """A diagnostic as lines of text: the sentence, the source line, the caret, the notes, the help (L13.1).

    Args:
        diagnostic: what to show.
        source: the program's text; a diagnostic of another text shows that one's lines.
        color: whether to colour with ANSI sequences.
        width: the columns there are; a source line that needs more is shortened around the caret. None shows it whole.

    Returns:
        Lines joined by newlines, without one at the end.
    """
    source = diagnostic.source or source
    paint = _painter(color)
    span = diagnostic.span
    place = f"{span.line}:{span.column}: " if span is not None else ""
    label = paint(f"[{diagnostic.id}]", diagnostic.severity)
    kind = "warning: " if diagnostic.severity == "warning" else ""
    lines = [f"{place}{label} {kind}{visible(diagnostic.message)}"]
    if span is not None and span.line <= len(source.lines):
        lines += _excerpt(source.lines[span.line - 1], span, paint, diagnostic.severity, width)
    for note in diagnostic.notes:
        where = f"{note.span.line}:{note.span.column}: " if note.span is not None else ""
        lines.append(f"{paint('note:', 'note')} {where}{visible(note.message)}")
    if diagnostic.suggestion is not None:
        lines.append(f"{paint('help:', 'help')} {visible(diagnostic.suggestion)}")
    return "\n".join(lines)


def visible(text: str) -> str:
    """The text with every control character as a sign: a program's text must not steer the terminal it is shown on."""
    return "".join(_sign(character) for character in text)


def columns(text: str) -> int:
    """How many columns a terminal gives a text: two to a wide character, none to one that joins the one before."""
    return sum(_columns(character) for character in text)


def _excerpt(text: str, span: Span, paint: Callable[[str, str], str], severity: str, width: int | None) -> list[str]:
    """The source line and the carets under it."""
    text = text.removesuffix("\r")
    end = span.end_column - 1 if span.end_line == span.line else len(text)
    before = _spaced(text[: span.column - 1], 0)
    marked = _spaced(text[span.column - 1 : end], columns(before))
    after = _spaced(text[end:], columns(before) + columns(marked))
    number = str(span.line)
    if width is not None:
        before, marked, after = _shortened(before, marked, after, max(width - len(number) - len(" | "), 2 * _MARGIN))
    carets = "^" + "~" * (columns(marked) - 1)
    return [
        f"{paint(f'{number} |', 'gutter')} {before}{marked}{after}".rstrip(),
        f"{paint(' ' * len(number) + ' |', 'gutter')} {' ' * columns(before)}{paint(carets, severity)}",
    ]


def _shortened(before: str, marked: str, after: str, room: int) -> tuple[str, str, str]:
    """The three parts of a line cut to fit: the start of the marked piece stays, then what is before, then the rest."""
    if columns(before + marked + after) <= room:
        return before, marked, after
    kept = max(_MARGIN, room - columns(marked + after))
    if columns(before) > kept:
        before = _CUT + _last(before, kept - len(_CUT))
    if columns(before + marked) > room - len(_CUT):
        return before, _first(marked, room - columns(before) - len(_CUT)) + _CUT, ""
    if columns(before + marked + after) > room:
        after = _first(after, room - columns(before + marked) - len(_CUT)) + _CUT
    return before, marked, after


def _first(text: str, room: int) -> str:
    """As many characters from the start as fit."""
    taken = 0
    for index, character in enumerate(text):
        taken += _columns(character)
        if taken > room:
            return text[:index]
    return text


def _last(text: str, room: int) -> str:
    """As many characters from the end as fit."""
    taken = 0
    for index in range(len(text) - 1, -1, -1):
        taken += _columns(text[index])
        if taken > room:
            return text[index + 1 :]
    return text


def _spaced(text: str, column: int) -> str:
    """The text with tabs as the spaces to the next stop, from a column on, and no control characters."""
    parts: list[str] = []
    for character in text:
        part = " " * (TAB - column % TAB) if character == "\t" else _sign(character)
        column += columns(part)
        parts.append(part)
    return "".join(parts)


def _sign(character: str) -> str:
    return "\N{REPLACEMENT CHARACTER}" if unicodedata.category(character) in {"Cc", "Cs"} else character


def _columns(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def _painter(color: bool) -> Callable[[str, str], str]:
    if not color:
        return lambda text, _: text
    return lambda text, role: f"\x1b[{_COLOURS[role]}m{text}\x1b[0m"
