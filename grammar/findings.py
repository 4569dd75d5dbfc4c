"""The errors and warnings one linking finds, sorted into the phases of L13.5; knows no rules of the language."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from grammar.diagnostics import Diagnostic, Note, ProgramError
from grammar.expansion import option_of, plain, uses_of
from grammar.names import nearest
from grammar.source import Source, Span, Written

MOST_TOLD = 20
"""How many errors are told at once (L13.5)."""


class Phase(IntEnum):
    """The phases of L13.5 after parsing. Only the errors of the first phase that has any are told."""

    HOST = 0
    DECLARATIONS = 1
    DEFINITIONS = 2
    ENGINES = 3
    EXPANSION = 4
    NAMES = 5
    READS = 6
    TYPES = 7
    HIDDEN = 8
    LINTS = 9


_SINGLE = {
    "E501": Phase.DECLARATIONS,
    "E311": Phase.DECLARATIONS,
    "E312": Phase.DECLARATIONS,
    "E414": Phase.DEFINITIONS,
    "E415": Phase.NAMES,
    "E416": Phase.NAMES,
    "E1001": Phase.ENGINES,
    "E1014": Phase.NAMES,
    "E1018": Phase.ENGINES,
    "E1026": Phase.ENGINES,
    "E1020": Phase.NAMES,
    "E1124": Phase.NAMES,
    "E1125": Phase.HIDDEN,
    "E912": Phase.LINTS,
    "E1111": Phase.LINTS,
    "E1113": Phase.LINTS,
    "E1114": Phase.LINTS,
    "E1115": Phase.LINTS,
}
_HUNDREDS = {
    2: Phase.DECLARATIONS,
    3: Phase.NAMES,
    4: Phase.DEFINITIONS,
    5: Phase.NAMES,
    6: Phase.READS,
    7: Phase.ENGINES,
    8: Phase.ENGINES,
    9: Phase.ENGINES,
    10: Phase.EXPANSION,
    11: Phase.TYPES,
    12: Phase.READS,
    13: Phase.EXPANSION,
    14: Phase.HOST,
}


def phase_of(code: str) -> Phase:
    """The phase an error belongs to, by its number in the catalogue."""
    return _SINGLE.get(code) or _HUNDREDS.get(int(code[1:]) // 100, Phase.TYPES)


UNKNOWN = frozenset({"E502", "E504", "E1020"})
"""Names of values that nothing declares. They mislead no later pass, which reads a number there and tells each once. A call
of nothing (E415) does mislead: what it would have set and marked is missing below it."""


class Findings:
    """What was found so far. The same finding at the same place counts once, however often its text is expanded."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.errors: list[Diagnostic] = []
        self.warnings: list[Diagnostic] = []
        self._seen: set[tuple[str, Span | None, str]] = set()
        self._of_names = False

    def error(self, code: str, span: Span | None, message: str, *notes: Note, suggestion: str | None = None) -> None:
        """Record an error at the smallest wrong piece (L13.2); the uses that expanded it become notes (L13.3)."""
        self._record(self.errors, "error", code, span, message, notes, suggestion)

    def outside(self, code: str, written: Written | None, message: str, suggestion: str | None = None) -> None:
        """Record an error of what the host gives: it has a place where that is written in a file, else none (L13.7)."""
        if written is None:
            self.error(code, None, message, suggestion=suggestion)
        else:
            self.errors.append(Diagnostic(code, "error", message, written.span, (), suggestion, written.source))

    def warning(self, code: str, span: Span | None, message: str, *notes: Note, suggestion: str | None = None) -> None:
        """Record a warning, which never stops a program."""
        self._record(self.warnings, "warning", code, span, message, notes, suggestion)

    def _record(
        self,
        where: list[Diagnostic],
        severity: str,
        code: str,
        span: Span | None,
        message: str,
        notes: Iterable[Note],
        suggestion: str | None,
    ) -> None:
        option = option_of(span)
        if option is not None:
            # However often the text uses it, it is told once, and of the option (L13.7).
            message = f"in `{option}`: {message}"
        place = None if span is None or option is not None else plain(span)
        seen = (code, place, message if place is None else "")
        if seen in self._seen:
            return
        self._seen.add(seen)
        told = tuple(Note(n.message, None if n.span is None else plain(n.span)) for n in notes)
        chain = tuple(use.note() for use in uses_of(span))
        where.append(Diagnostic(code, "error" if severity == "error" else "warning", message, place, (*told, *chain), suggestion))

    def stop_unless_unknown(self) -> None:
        """End the linking where a pass found errors, but go on with unknown names to tell those of later passes too.

        Raises:
            ProgramError: as ``stop_if_any`` does.
        """
        if all(found.id in UNKNOWN for found in self.errors):
            self._of_names = bool(self.errors)
        else:
            self.stop_if_any()

    def stop_if_any(self) -> None:
        """End the linking where a pass found errors.

        Raises:
            ProgramError: with the errors of the first phase that has any, in text order, at most 20.
        """
        if not self.errors:
            return
        first = Phase.NAMES if self._of_names else min(phase_of(d.id) for d in self.errors)
        told = sorted((d for d in self.errors if phase_of(d.id) == first), key=text_order)
        raise ProgramError(tuple(told[:MOST_TOLD]), self.source)


def text_order(found: Diagnostic) -> tuple[int, int]:
    """The key that sorts findings as their places stand in the text; those without a place in it come first."""
    return (0, 0) if found.span is None or found.source is not None else (found.span.line, found.span.column)


def are_given(count: int) -> str:
    """``none is given``, ``1 is given``, ``2 are given``: how many arguments there are."""
    return "none is given" if count == 0 else f"{count} {'is' if count == 1 else 'are'} given"


def hint(name: str, candidates: Iterable[str]) -> str | None:
    """The suggestion line for the nearest candidate (L13.4)."""
    near = nearest(name, candidates)
    return None if near is None else f"did you mean `{near}`?"
