"""How a program's failure is told on a command line: to a person, or as JSON; decides nothing about it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TextIO

from engine.snapshot import FailureView
from grammar.diagnostics import Diagnostic, ProgramError, render
from grammar.ir import Place
from grammar.source import Source, Span
from serq_tui.format import clock
from serq_tui.loading import LoadedProgram

FAILED = 1
"""The exit status of a program that fails."""


@dataclass(eq=False)
class Failed(Exception):
    """A program that cannot be run, or stopped by itself.

    Attributes:
        kind: ``validation`` before it ran, ``runtime`` afterwards.
        message: one sentence.
        line: the line of its text at fault, None where there is none.
        text: the whole of it for a person.
    """

    kind: Literal["validation", "runtime"]
    message: str
    line: int | None
    text: str


def coloured(stream: TextIO) -> bool:
    """Whether a stream is looked at by somebody who wants colours (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def print_diagnostics(diagnostics: Iterable[Diagnostic], source: Source) -> None:
    """Prints diagnostics with their source lines on standard error."""
    for diagnostic in diagnostics:
        print(_shown(diagnostic, source), file=sys.stderr)


def refused(error: ProgramError) -> Failed:
    """A text that is no program."""
    first = error.diagnostics[0]
    line = None if first.span is None else first.span.line
    return Failed("validation", first.message, line, "\n".join(_shown(one, error.source) for one in error.diagnostics))


def stopped(failure: FailureView, loaded: LoadedProgram) -> Failed:
    """A run that stopped by itself, with the statement of the text it stopped at."""
    where = "" if failure.who is None else f", {failure.who}"
    told = f"at {clock(failure.time)}{where}: {failure.message}"
    place = _place(failure, loaded)
    if place is None or loaded.source is None:
        return Failed("runtime", told, None, f"{loaded.path}: {told}")
    span = Span(place.line, place.column, place.end_line, place.end_column)
    return Failed("runtime", told, place.line, _shown(Diagnostic("runtime", "error", told, span), loaded.source))


def tell(failed: Failed, as_json: bool) -> int:
    """Prints a failure on standard error, and as JSON on standard output where that is asked for; the exit status."""
    print(failed.text, file=sys.stderr)
    if as_json:
        print(json.dumps({"error": {"kind": failed.kind, "message": failed.message, "line": failed.line}}))
    return FAILED


def _shown(diagnostic: Diagnostic, source: Source) -> str:
    """A diagnostic for standard error, the file's name before its place so that editors can jump there."""
    width = shutil.get_terminal_size().columns if sys.stderr.isatty() else None
    after = "" if diagnostic.span is not None else " "
    return f"{(diagnostic.source or source).name}:{after}{render(diagnostic, source, color=coloured(sys.stderr), width=width)}"


def _place(failure: FailureView, loaded: LoadedProgram) -> Place | None:
    """Where a failure stands in the text: the statement, else the schedule's, else the engine's ``execute``, else ``arrive``."""
    places = loaded.places
    if failure.arrival:
        return places.arrival
    if failure.statement is not None:
        return places.statements.get(failure.statement)
    if failure.schedule is not None:
        return places.schedule.get(failure.schedule)
    return None if failure.stage is None else places.execute.get(failure.stage)
