"""A run's report as Markdown; knows no figure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from serq_tui.report_sections import Report, Section, heading, remarks, sections

_MARKS = re.compile(r"([\\`*_\[\]<>|#])")
"""What Markdown would take for its own within a line or a cell."""


def report_markdown(report: Report, title: str, *more: Section) -> str:
    """The whole report of a run (R9) under a title, with a table a section, and what else is to be said of it."""
    how, what = heading(report)
    parts = [f"# {_plain(title)}", _plain(how[0].upper() + how[1:]) + ".", _plain(what) + "."]
    said = list(remarks(report))
    if said:
        parts.append("\n".join(f"- **{_plain(remark)}**" for remark in said))
    for section in (*sections(report), *more):
        parts += [f"## {section.title.capitalize()}", _table(section)]
    return "\n\n".join(parts) + "\n"


def _table(section: Section) -> str:
    rows = [("name", *(column.heading for column in section.columns)), *section.rows]
    cells = [[_plain(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    left = [True, *(column.words for column in section.columns)]
    rule = ["-" * max(width, 3) if to_left else "-" * max(width - 1, 2) + ":" for width, to_left in zip(widths, left, strict=True)]
    lines = [_line(cells[0], widths, left), _line(rule, widths, left), *(_line(row, widths, left) for row in cells[1:])]
    return "\n".join(lines)


def _line(cells: Sequence[str], widths: Sequence[int], left: Sequence[bool]) -> str:
    padded = (
        cell.ljust(max(width, 3)) if to_left else cell.rjust(max(width, 3))
        for cell, width, to_left in zip(cells, widths, left, strict=True)
    )
    return f"| {' | '.join(padded)} |"


def _plain(text: str) -> str:
    return _MARKS.sub(r"\\\1", text)
