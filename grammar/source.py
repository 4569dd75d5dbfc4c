"""Source texts and places in them; knows no grammar."""

from __future__ import annotations

from grammar.declaring import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a source text.

    Lines and columns count from 1, columns in characters (a tab is one, L1.1). The end is
    exclusive: ``end_column`` is one past the last character.
    """

    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, other: Span) -> Span:
        """The stretch from the start of this span to the end of another."""
        return Span(self.line, self.column, other.end_line, other.end_column)


@dataclass(frozen=True, slots=True)
class Written:
    """Where something the host gives is written, for what stands in a file of its own."""

    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class Source:
    """A program's text with the name it is shown under.

    Attributes:
        name: a path as the user wrote it, or a label such as ``--set x``.
        text: the whole text.
    """

    name: str
    text: str

    @property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        return self.text.split("\n")
