"""Lines of the report's screen: the tables of the report, and how its samples are spread; pure, knows no widget."""

from __future__ import annotations

from collections.abc import Iterator

from engine.distributions import Spread, binned
from serq_tui.figures import ReportAnswer
from serq_tui.format import amount, duration, number
from serq_tui.pieces import Content, Entry, Line, Piece, Role, fit, flowed, piece
from serq_tui.report_sections import Section, heading, remarks, sections
from serq_tui.sparks import GLYPHS

#: Parts a histogram in a line has: enough for its shape, few enough for the smallest terminal.
PARTS = 24

_RESULT_ROLES: dict[str, Role] = {"holds": "added", "witnessed": "added", "FAILS": "failure", "NEVER SEEN": "preempted"}


def report(answer: ReportAnswer, width: int) -> Content:
    """The report of a run that ends at this moment."""
    where, what = heading(answer.report)
    entries = [Entry(piece(where, "strong")), Entry(piece(what))]
    entries += [Entry(piece(f"! {remark}", "waiting")) for remark in remarks(answer.report)]
    spreads = {"observed": answer.observed, "client": (answer.first_tokens,), "engines": answer.gaps}
    for section in sections(answer.report):
        entries.append(Entry(()))
        entries.append(Entry(piece(section.title, "keyword")))
        entries += [Entry(line) for line in _rows(section, width)]
        shown = [spread for spread in spreads.get(section.title, ()) if spread.count > 1]
        entries += [Entry(_histogram(spread, section.title, max(len(one.title) for one in shown))) for spread in shown]
    if len(entries) == 2:
        entries.append(Entry(piece("nothing to report yet: s steps, c runs to the first stop", "dim")))
    return Content(entries)


def report_title(answer: ReportAnswer) -> str:
    """Of what."""
    return f"report of {answer.program} up to this moment"


def _rows(section: Section, width: int) -> Iterator[Line]:
    """A table where there is room for it, else each row's figures one after the other."""
    heads = ("", *(column.heading for column in section.columns))
    widths = [max(len(cell) for cell in cells) for cells in zip(heads, *section.rows, strict=True)]
    if sum(widths) + 2 * len(widths) <= width:
        left = (True, *(column.words for column in section.columns))
        yield _row(heads, widths, left, "dim")
        for row in section.rows:
            yield _row(row, widths, left, "plain")
        return
    for row in section.rows:
        parts = [(Piece(f"{column.heading} ", "dim"), *_cell(cell)) for column, cell in zip(section.columns, row[1:], strict=True)]
        yield from flowed([piece(row[0], "strong"), *parts], width, 2)


def _row(cells: tuple[str, ...], widths: list[int], left: tuple[bool, ...], role: Role) -> Line:
    parts: list[Piece] = []
    for index, (cell, width, words) in enumerate(zip(cells, widths, left, strict=True)):
        made = _cell(cell) if index and role == "plain" else piece(cell, "strong" if role == "plain" else role)
        parts += fit(made, width, "left" if words else "right")
        parts.append(Piece("  "))
    return tuple(parts)


def _cell(text: str) -> Line:
    return piece(text, _RESULT_ROLES.get(text, "plain"))


def _histogram(spread: Spread, section: str, names: int) -> Line:
    """How the figures are spread, from the least to the greatest, on one line."""
    low, high, counts = binned(spread, PARTS)
    most = max(counts)
    bars = "".join(" " if not many else GLYPHS[min(int(many / most * len(GLYPHS)), len(GLYPHS) - 1)] for many in counts)
    figure = number if section == "observed" else duration
    what = "token gaps" if section == "engines" else ""
    label = f"{spread.title} {what}".strip()
    return (
        Piece(f"{label:<{names + len(what) + 1}} ", "dim"),
        Piece(f"{figure(low):>9} "),
        Piece(bars, "used"),
        Piece(f" {figure(high):<9} "),
        Piece(f"peak {amount(most)}", "dim"),
    )
