"""Where the statements of a program stand in its text; knows no statement."""

from __future__ import annotations

from dataclasses import field

from grammar.declaring import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands in the source; lines and columns count from 1, in characters."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The linker's side table from statements to places in the text.

    ``statements`` is keyed by (block, index). ``schedule`` is keyed by (stage, path): the
    path of a schedule statement is its index in the list, then, inside a branch, the arm
    (0 then, 1 else) and the index there, and so on. The default procedure has the paths
    (0,) for its ``advance running`` and (1,) for its ``admit waiting``; exclusive prefill
    likewise. ``execute`` and ``tokens_cap`` are keyed by stage.
    ``arrival`` is the law of arrivals, None where none is written.
    """

    statements: dict[tuple[int, int], Place] = field(default_factory=dict)
    schedule: dict[tuple[int, tuple[int, ...]], Place] = field(default_factory=dict)
    execute: dict[int, Place] = field(default_factory=dict)
    tokens_cap: dict[int, Place] = field(default_factory=dict)
    arrival: Place | None = None
