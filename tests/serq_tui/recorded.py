"""Runs written to files, and the reports beside them; checks nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.simulation import Simulation
from grammar import ir
from serq_tui.exports.recording import Outputs, record
from tests.serq_tui.trace_format import read


@dataclass(frozen=True)
class Recorded:
    """A run that was written.

    Attributes:
        run: the run, ended.
        report: its report, empty where it failed.
        trace: its trace, read again.
        folder: the folder of its tables.
    """

    run: Simulation
    report: dict[str, Any]
    trace: dict[str, Any]
    folder: Path


def recorded(program: ir.Program, folder: Path, horizon: float | None = None, *, plain: bool = False) -> Recorded:
    """Makes a run and writes it to a folder."""
    run = Simulation(program, horizon=horizon, trace_folder=folder, plain=plain)
    record(run, "model.sq", Outputs(perfetto=folder / "trace.json", dump=folder / "tables"), closing=horizon is None)
    report = run.report() if run.failure is None else {}
    return Recorded(run, report, read((folder / "trace.json").read_text(encoding="utf-8")), folder / "tables")


def title(entry: dict[str, Any]) -> str:
    """What a stage or pool of a report is called elsewhere."""
    return entry["name"] if entry["index"] is None else f"{entry['name']}[{entry['index']}]"


def close_to(mean: float, events: int) -> float:
    """How far a mean over time may be from the report's, absolutely.

    Both add up products of non-negative values and durations, the report over more and shorter pieces. A sum of n such terms
    is off by at most n + 2 halves of the last place, relatively, so two of them differ by twice that; the division adds one
    more. Terms are at most one an event, and a few at the start and the end.
    """
    return mean * 2 * (events + 16) * 2.0**-53
