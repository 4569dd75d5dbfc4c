"""Why a file does not load, with its text and the lines to blame; draws nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grammar.declaring import dataclass
from grammar.diagnostics import Diagnostic, ProgramError
from grammar.ir_json import InvalidIR
from serq_tui.capsule import BadCapsule
from serq_tui.colouring import coloured
from serq_tui.format import plural
from serq_tui.loading import WrongOptions
from serq_tui.pieces import Content, Entry, Line, Piece, Role, piece

#: What keeps a file from being loaded, and is told to its author rather than raised further.
LOAD_ERRORS = (OSError, ProgramError, InvalidIR, WrongOptions, BadCapsule)

_GUTTER = 6


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that does not load.

    Attributes:
        path: the program, or the instance where that is none.
        lines: its text, empty where it could not be read or is no text.
        diagnostics: what is wrong where.
        message: the one sentence where there is no diagnostic.
    """

    path: Path
    lines: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    message: str

    @classmethod
    def of(cls, path: Path, error: Exception) -> Problem:
        """What an error says about a file."""
        if isinstance(error, ProgramError):
            lines = tuple(line.replace("\t", " ") for line in error.source.text.split("\n")) if error.source.text else ()
            of_instance = all(diagnostic.source is error.source for diagnostic in error.diagnostics)
            return cls(Path(error.source.name) if of_instance else path, lines, error.diagnostics, str(error))
        if isinstance(error, OSError):
            return cls(path, (), (), f"{path} cannot be read: {error.strerror or error}")
        return cls(path, (), (), str(error))

    @property
    def title(self) -> str:
        """What is wrong, counted."""
        errors = sum(1 for diagnostic in self.diagnostics if diagnostic.severity == "error")
        return f"{self.path.name} does not load: {plural(errors, 'error')}" if errors else f"{self.path.name} does not load"

    @property
    def words(self) -> str:
        """What is wrong in a sentence: the first error, and how many follow it."""
        errors = [diagnostic for diagnostic in self.diagnostics if diagnostic.severity == "error"]
        if not errors:
            return self.message
        more = f" (and {plural(len(errors) - 1, 'error')} more)" if len(errors) > 1 else ""
        return f"{errors[0].message}{more}"

    @property
    def first_line(self) -> int | None:
        """Index among the shown lines of the first line to blame, None where none is."""
        entries = problem_lines(self).entries
        return next((index for index, entry in enumerate(entries) if entry.tone == "fault"), None)


def problem_lines(problem: Problem) -> Content:
    """The text with what is wrong below each line to blame; what has no line comes first."""
    entries: list[Entry] = []
    by_line: dict[int, list[Diagnostic]] = {}
    for diagnostic in (_told_here(diagnostic, problem) for diagnostic in problem.diagnostics):
        if diagnostic.span is None or diagnostic.span.line > len(problem.lines):
            entries.extend(Entry(line) for line in _said(diagnostic, 1))
        else:
            by_line.setdefault(diagnostic.span.line, []).append(diagnostic)
    if not problem.diagnostics:
        entries.append(Entry(piece(f" {problem.message}", "failure")))
    if entries and problem.lines:
        entries.append(Entry(()))
    for number, line in enumerate(coloured(problem.lines), 1):
        blamed = by_line.get(number, [])
        gutter = Piece(f"{number:>4}  ", "failure" if blamed else "dim")
        entries.append(Entry((gutter, *line), number, "fault" if blamed else None))
        for diagnostic in blamed:
            entries.extend(Entry(line) for line in _under(diagnostic))
    return Content(entries)


def _told_here(diagnostic: Diagnostic, problem: Problem) -> Diagnostic:
    """What is wrong in another file than the one shown says so, and has no line here."""
    source, span = diagnostic.source, diagnostic.span
    if source is None or span is None or Path(source.name) == problem.path:
        return diagnostic
    return replace(diagnostic, message=f"{source.name}:{span.line}: {diagnostic.message}", span=None)


def _under(diagnostic: Diagnostic) -> list[Line]:
    span = diagnostic.span
    if span is None:
        return _said(diagnostic, _GUTTER)
    indent = _GUTTER + span.column - 1
    width = span.end_column - span.column if span.end_line == span.line else 1
    return [piece(" " * indent + "^" * max(width, 1), "failure"), *_said(diagnostic, _GUTTER)]


def _said(diagnostic: Diagnostic, indent: int) -> list[Line]:
    space = " " * indent
    role: Role = "failure" if diagnostic.severity == "error" else "waiting"
    lines: list[Line] = [(Piece(space), Piece(f"{diagnostic.id} ", "dim"), Piece(diagnostic.message, role))]
    for note in diagnostic.notes:
        where = f" (line {note.span.line})" if note.span else ""
        lines.append((Piece(space), Piece("note: ", "dim"), Piece(note.message + where)))
    if diagnostic.suggestion is not None:
        lines.append((Piece(space), Piece("instead: ", "dim"), Piece(diagnostic.suggestion, "added")))
    return lines
