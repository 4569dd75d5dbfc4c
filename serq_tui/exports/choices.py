"""What can be taken along from inside, as data; writes nothing."""

from __future__ import annotations

from typing import Literal

from grammar.declaring import dataclass

Kind = Literal["screen", "trace", "tables", "report", "moment", "capsule"]


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be taken along.

    Attributes:
        key: the letter that chooses it.
        words: what it is.
        form: what kind of file it makes.
    """

    kind: Kind
    key: str
    words: str
    form: str


CHOICES: tuple[Choice, ...] = (
    Choice("screen", "s", "this screen", "SVG"),
    Choice("trace", "p", "the whole run as a trace for ui.perfetto.dev", "JSON"),
    Choice("tables", "t", "the whole run as tables", "CSV"),
    Choice("report", "r", "the report up to this moment", "Markdown"),
    Choice("moment", "m", "all there is to know of this moment", "JSON"),
    Choice("capsule", "c", "program, settings, moment, breakpoints and a note", "capsule"),
)

KINDS: dict[str, Kind] = {choice.kind: choice.kind for choice in CHOICES}
