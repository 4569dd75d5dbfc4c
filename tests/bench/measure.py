"""Measures the engine beside the reference, and what recording costs: ``python -m tests.bench.measure [--rounds N] [--scale S]``.

The two run the same IR in turn, each in a process of its own, and medians are compared: the
machine's moods (other work, heat, frequency) then fall on both alike.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from grammar import ir
from grammar.ir_json import from_json, to_json
from serq_tui.loading import load_program
from serq_tui.options import RunOptions
from tests.bench.paint import first_paint
from tests.cases import cases
from tests.oracle.environment import make
from tests.oracle.reference import ROOT, python_of

RUNNER = Path(__file__).with_name("runner.py")
MIXED = Path(__file__).with_name("mixed.sq")
EXAMPLE = ROOT / "serq_tui" / "examples" / "preemption.sq"

HORIZONS = {"light": 3000.0, "heavy": 500.0, "heavy2": 150.0, "mixed": 200.0}
"""Seconds of the program's clock: long enough for a million iterations on the lightest load."""

RECORDED = ("light", "heavy", "heavy2")
"""Loads that are measured with every decision kept, beside the same run without short cuts: it may take twice as long."""

IR_VERSION = 14
"""What the reference release measured here reads."""

ROUNDS = 3
"""Runs of each engine on each load. The median of three leaves out one disturbed run."""


PAINTS = 5
"""Starts of the debugger: they are short and vary more than a run does."""


@dataclass(frozen=True, slots=True)
class Figures:
    """One run: how long it took and what it did."""

    seconds: float
    iterations: int
    events: int
    peak: int


@dataclass(frozen=True, slots=True)
class Load:
    """A program at a horizon."""

    name: str
    program: ir.Program


def main(arguments: list[str] | None = None) -> int:
    """Measures and prints one table; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.measure", description=__doc__)
    parser.add_argument("loads", nargs="*", help="which loads (default: all)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each engine on each load (default: %(default)s)")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="a factor on the horizons, for a quick look (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    if python_of("016") is None:
        make("016")
    reference = python_of("016")
    assert reference is not None
    table = _table(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; medians of {options.rounds}")
    recording = _recording_table()
    with tempfile.TemporaryDirectory() as folder:
        for load in loads(options.scale):
            if options.loads and load.name not in options.loads:
                continue
            path = Path(folder) / f"{load.name}.ir.json"
            path.write_text(json.dumps(to_json(load.program, IR_VERSION)), encoding="utf-8")
            ours, theirs = alternated((Path(sys.executable), "ours"), (reference, "reference"), path, options.rounds)
            _add(table, load, ours, theirs)
            if load.name in RECORDED:
                own = Path(sys.executable)
                recorded, plain = alternated((own, "recorded"), (own, "plain"), path, options.rounds)
                _add_recorded(recording, load, recorded, plain)
    console = Console(width=None if sys.stdout.isatty() else 140)
    console.print(table)
    console.print(recording)
    paints = sorted(first_paint(EXAMPLE) for _ in range(PAINTS))
    console.print(
        f"from the command to the first paint of {EXAMPLE.name}: {statistics.median(paints):.2f} s, at best {paints[0]:.2f} s"
    )
    return 0


def loads(scale: float) -> list[Load]:
    """The benchmark programs at their horizons: those recorded, then one of another shape."""
    programs = {case.name: from_json(case.data["ir"]) for case in cases("bench")}
    programs["mixed"] = load_program(MIXED, RunOptions()).program
    return [Load(name, replace(programs[name], horizon=horizon * scale)) for name, horizon in HORIZONS.items()]


Way = tuple[Path, str]
"""A Python, and what ``runner.py`` runs with it."""


def alternated(one: Way, other: Way, path: Path, rounds: int) -> tuple[list[Figures], list[Figures]]:
    """Runs an IR in two ways in turn; the figures of each."""
    ones: list[Figures] = []
    others: list[Figures] = []
    for _ in range(rounds):
        ones.append(timed(*one, path))
        others.append(timed(*other, path))
    return ones, others


def timed(python: Path, engine: str, path: Path) -> Figures:
    """One run in a process of its own."""
    run = subprocess.run([python, RUNNER, engine, path], check=True, capture_output=True, text=True, cwd=ROOT, env=_environment())
    return Figures(**json.loads(run.stdout))


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def _table(title: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("load")
    for heading in ("horizon", "iterations", "ours, it/s", "reference, it/s", "ratio", "ours, MB", "reference, MB"):
        table.add_column(heading, justify="right")
    return table


def _add(table: Table, load: Load, ours: list[Figures], theirs: list[Figures]) -> None:
    """One load's row; where the two do not do the same work, the row says so instead of a ratio."""
    fast, slow = (statistics.median(run.iterations / run.seconds for run in runs) for runs in (ours, theirs))
    same = {(run.iterations, run.events) for run in (*ours, *theirs)}
    table.add_row(
        load.name,
        f"{load.program.horizon:g} s",
        f"{ours[0].iterations:,}",
        f"{fast:,.0f}",
        f"{slow:,.0f}",
        f"{fast / slow:.2f}" if len(same) == 1 else "different work",
        *(f"{max(run.peak for run in runs) / 1e6:.0f}" for runs in (ours, theirs)),
    )


def _recording_table() -> Table:
    table = Table(title="every decision kept, beside the run without short cuts", title_justify="left")
    table.add_column("load")
    for heading in ("horizon", "iterations", "recorded, s", "without short cuts, s", "ratio", "recorded, MB"):
        table.add_column(heading, justify="right")
    return table


def _add_recorded(table: Table, load: Load, recorded: list[Figures], plain: list[Figures]) -> None:
    slow, fast = (statistics.median(run.seconds for run in runs) for runs in (recorded, plain))
    table.add_row(
        load.name,
        f"{load.program.horizon:g} s",
        f"{recorded[0].iterations:,}",
        f"{slow:.1f}",
        f"{fast:.1f}",
        f"{slow / fast:.2f}",
        f"{max(run.peak for run in recorded) / 1e6:.0f}",
    )


if __name__ == "__main__":
    sys.exit(main())
