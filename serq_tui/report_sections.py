"""A run's report as sections of text, for whatever shows it; computes no figure of its own and draws nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from grammar.declaring import dataclass
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


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a section; ``words`` stand to the left, figures to the right, digit under digit."""

    heading: str
    words: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the report; the first cell of a row is the name of what it is about."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


def sections(report: Report) -> tuple[Section, ...]:
    """The tables of a report (R9), those without content left out."""
    engines = [stage for stage in report["stages"] if stage["iterations"]]
    others = [stage for stage in report["stages"] if not stage["iterations"]]
    made = (
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
    return tuple(section for section in made if section is not None)


def heading(report: Report) -> tuple[str, str]:
    """Where and how the run was made, and what came of it at large, a line each."""
    warmup = f", samples from {clock(report['warmup'])} on" if report["warmup"] else ""
    return (
        f"ended at {clock(report['end'])} of {clock(report['horizon'])}{warmup}, seed {report['seed']}",
        f"{_count(report['arrivals'], 'session')} arrived, {grouped(report['ended'])} ended; {_count(report['turns'], 'turn')}; "
        f"{_figure(report['mean_live'])} live on average; {_count(report['events'], 'event')}",
    )


def remarks(report: Report) -> Iterable[str]:
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
"""Columns of words; all others are figures."""


def _table(title: str, entries: Iterable[Report], columns: tuple[tuple[str, str, Cell], ...]) -> Section | None:
    """One row an entry; a column that is 0 or empty in every row is left out."""
    rows = list(entries)
    if not rows:
        return None
    shown = [column for column in columns if any(row[column[1]] not in (0, None) for row in rows)]
    return Section(
        title,
        tuple(Column(heading, key in _LEFT) for heading, key, _ in shown),
        tuple((_name(row), *(NONE if row[key] is None else cell(row[key]) for _, key, cell in shown)) for row in rows),
    )


def _observations(title: str, entries: Iterable[tuple[str, Report]], cell: Cell) -> Section | None:
    cells: tuple[tuple[str, Cell], ...] = (("mean", cell), ("ci", _half_width(cell)), ("cv2", _figure), ("p99", cell))
    rows = []
    for name, figures in entries:
        shown = (NONE if figures[key] is None else show(figures[key]) for key, show in cells)
        rows.append((name, grouped(figures["count"]), *shown))
    if not rows:
        return None
    return Section(title, tuple(Column(heading) for heading in ("samples", "mean", "95 %", "cv²", "p99")), tuple(rows))
