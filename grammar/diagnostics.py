"""One model for everything the front end has to say, and its plain rendering; knows no rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
    """

    id: str
    severity: Literal["error", "warning"]
    message: str
    span: Span | None = None
    notes: tuple[Note, ...] = ()
    suggestion: str | None = None


class ProgramError(Exception):
    """A text that is no program. Carries every error that can honestly be told at once."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...], source: Source) -> None:
        self.diagnostics = diagnostics
        self.source = source
        super().__init__("; ".join(d.message for d in diagnostics))
