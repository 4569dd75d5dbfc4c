"""A run's report as tables for a terminal; knows no figure."""

from __future__ import annotations

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from serq_tui.report_sections import Report, Section, heading, remarks, sections


def report_text(report: Report, title: str, *more: Section) -> RenderableType:
    """The whole report of a run (R9) under a title, and what else is to be said of it."""
    how, what = heading(report)
    parts: list[RenderableType] = [Text(title, style="bold").append(f"  {how}\n{what}", style="not bold")]
    parts += [part for section in (*sections(report), *more) for part in (Text(), _table(section))]
    said = list(remarks(report))
    if said:
        parts += [Text(), *(Text(f"! {remark}", style="bold yellow") for remark in said)]
    return Group(*parts)


def print_report(report: Report, title: str, console: Console, *more: Section) -> None:
    """Prints the report; where nobody looks at a terminal, as wide as its tables are."""
    console.print(report_text(report, title, *more), no_wrap=True, crop=False, overflow="ignore")


def _table(section: Section) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim")
    table.add_column(Text(section.title, style="bold not dim"), no_wrap=True)
    for column in section.columns:
        table.add_column(column.heading, justify="left" if column.words else "right", no_wrap=True)
    for row in section.rows:
        table.add_row(*row)
    return table
