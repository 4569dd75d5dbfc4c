"""A run's report as tables for people; computes no figure of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from serq_tui.format import amount, clock, duration, grouped, number

Report = Mapping[str, Any]
Cell = Callable[[Any], str]

NONE = "–"
"""Stands where a figure does not exist: no sample, or too few for a confidence interval."""

SIGNIFICANT = 4
"""Digits of an observed mean: a fifth is far inside any confidence interval one meets."""

_CLIENT = {"ttft": "time to first token", "tpot": "time per token", "response": "response time"}
_RESULTS = {
    "holds": "holds",
    "fails": "FAILS",
    "witnessed": "witnessed",
    "not_witnessed": "NEVER SEEN",
    "out_of_scope": "out of scope",
    "not_evaluated": "not evaluated",
}


def report_text(report: Report, title: str) -> RenderableType:
    """The whole report of a run (R9) under a title, sections without content left out."""
    engines = [stage for stage in report["stages"] if stage["iterations"]]
    others = [stage for stage in report["stages"] if not stage["iterations"]]
    sections = (
        _observations("observed", report["observes"].items(), _figure),
        _observations(
            "client", ((_CLIENT[name], figures) for name, figures in report["client"].items() if figures["count"]), duration
        ),
        _table("engines", engines, _ENGINE_COLUMNS),
        _table("stages", others, _STAGE_COLUMNS),
        _table("pools", report["pools"], _POOL_COLUMNS),
        _table("gauges", [{"name": name, **figures} for name, figures in report["gauges"].items()], _GAUGE_COLUMNS),
        _table("claims", report.get("claims", ()), _CLAIM_COLUMNS),
    )
    parts: list[RenderableType] = [_heading(report, title)]
    parts += [part for section in sections if section is not None for part in (Text(), section)]
    remarks = list(_remarks(report))
    if remarks:
        parts += [Text(), *(Text(f"! {remark}", style="bold yellow") for remark in remarks)]
    return Group(*parts)


def print_report(report: Report, title: str, console: Console) -> None:
    """Prints the report; where nobody looks at a terminal, as wide as its tables are."""
    console.print(report_text(report, title), no_wrap=True, crop=False, overflow="ignore")


def _heading(report: Report, title: str) -> Text:
    text = Text(title, style="bold")
    warmup = f", samples from {clock(report['warmup'])} on" if report["warmup"] else ""
    text.append(
        f"  ended at {clock(report['end'])} of {clock(report['horizon'])}{warmup}, seed {report['seed']}\n", style="not bold"
    )
    text.append(
        f"{_count(report['arrivals'], 'session')} arrived, {grouped(report['ended'])} ended; {_count(report['turns'], 'turn')}; "
        f"{_figure(report['mean_live'])} live on average; {_count(report['events'], 'event')}",
        style="not bold",
    )
    return text


def _remarks(report: Report) -> Iterable[str]:
    """What a reader should not overlook: an engine idle with work, growths that wait, holds that cannot fit."""
    for stage in report["stages"]:
        if stage["idle_with_work"]:
            yield f"{_name(stage)} is idle with work: requests run or wait, and its last attempt scheduled nothing"
    for pool in report["pools"]:
        if pool["growing_stalled"]:
            yield f"{_name(pool)}: every session that holds it waits to grow in it"
        elif pool["growing_at_end"]:
            yield f"{_name(pool)}: {_count(pool['growing_at_end'], 'session')} waiting to grow in it at the end"
        if pool["over_cap"] is not None:
            need, queue = amount(pool["over_cap"]["need"]), pool["over_cap"]["queue"]
            yield f"{_name(pool)}: the head of {queue} asks for {need}, more than there is, and blocks whoever waits behind it"


# --------------------------------------------------------------------------- columns


def _name(entry: Report) -> str:
    return str(entry["name"]) if entry.get("index") is None else f"{entry['name']}[{entry['index']}]"


def _count(value: int, what: str) -> str:
    return f"{grouped(value)} {what}{'' if value == 1 else 's'}"


def _figure(value: float) -> str:
    """A figure in the program's own unit."""
    return number(float(f"{value:.{SIGNIFICANT}g}")) if abs(value) < 10**SIGNIFICANT else amount(value)


def _share(value: float) -> str:
    return f"{value:.1%}"


def _rate(value: float) -> str:
    return f"{_figure(value)}/s"


def _half_width(of: Cell) -> Cell:
    return lambda value: f"±{of(value)}"


def _time(value: float | None) -> str:
    return clock(value) if isinstance(value, int | float) else NONE


_ENGINE_COLUMNS: tuple[tuple[str, str, Cell], ...] = (
    ("iterations", "iterations", grouped),
    ("busy", "utilization", _share),
    ("running", "mean_number", _figure),
    ("prefill only", "prefill_only", _share),
    ("decode only", "decode_only", _share),
    ("mixed", "mixed", _share),
    ("decodes", "mean_decode_batch", _figure),
    ("step", "mean_decode_step", duration),
    ("token gap", "mean_itl", duration),
    ("p50", "itl_p50", duration),
    ("p99", "itl_p99", duration),
)
_STAGE_COLUMNS: tuple[tuple[str, str, Cell], ...] = (
    ("completed", "completed", grouped),
    ("throughput", "throughput", _rate),
    ("busy", "utilization", _share),
    ("jobs", "mean_number", _figure),
    ("wait", "mean_wait", duration),
    ("service", "mean_service", duration),
)
_POOL_COLUMNS: tuple[tuple[str, str, Cell], ...] = (
    ("used", "mean_used", _figure),
    ("cached", "mean_cached", _figure),
    ("holders", "mean_holders", _figure),
    ("waiting", "mean_queue", _figure),
    ("wait", "mean_wait", duration),
    ("admissions", "admissions", grouped),
    ("preemptions", "preemptions", grouped),
    ("evicted", "evicted_units", amount),
    ("spills", "spills", grouped),
    ("rejected", "rejected", grouped),
    ("stuck", "stuck", grouped),
)
_GAUGE_COLUMNS: tuple[tuple[str, str, Cell], ...] = (
    ("mean", "mean", _figure),
    ("95 %", "ci", _half_width(_figure)),
    ("least", "min", _figure),
    ("most", "max", _figure),
)
_CLAIM_COLUMNS: tuple[tuple[str, str, Cell], ...] = (
    ("result", "result", lambda result: _RESULTS[result]),
    ("checked", "checked", grouped),
    ("failures", "failures", grouped),
    ("first", "first", _time),
    ("note", "note", str),
)
_LEFT = {"note", "result"}
"""Columns of words; all others are figures and stand to the right, digit under digit."""


def _table(title: str, entries: Iterable[Report], columns: tuple[tuple[str, str, Cell], ...]) -> Table | None:
    """One row an entry; a column that is 0 or empty in every row is left out."""
    rows = list(entries)
    shown = [column for column in columns if any(row[column[1]] not in (0, None) for row in rows)]
    if not rows:
        return None
    table = _empty(title)
    for heading, key, _ in shown:
        table.add_column(heading, justify="left" if key in _LEFT else "right", no_wrap=True)
    for row in rows:
        table.add_row(_name(row), *(NONE if row[key] is None else cell(row[key]) for _, key, cell in shown))
    return table


def _observations(title: str, entries: Iterable[tuple[str, Report]], cell: Cell) -> Table | None:
    rows = list(entries)
    if not rows:
        return None
    table = _empty(title)
    for heading in ("samples", "mean", "95 %", "cv²", "p99"):
        table.add_column(heading, justify="right", no_wrap=True)
    cells: tuple[tuple[str, Cell], ...] = (("mean", cell), ("ci", _half_width(cell)), ("cv2", _figure), ("p99", cell))
    for name, figures in rows:
        shown = (NONE if figures[key] is None else show(figures[key]) for key, show in cells)
        table.add_row(name, grouped(figures["count"]), *shown)
    return table


def _empty(title: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim")
    table.add_column(Text(title, style="bold not dim"), no_wrap=True)
    return table
