"""Measures the engine beside the reference: ``python -m tests.bench.measure [LOAD …] [--rounds N] [--scale S]``.

Everything that is compared runs in turn, each run in a process of its own, and medians of the
processor's seconds are compared: the machine's moods (other work, heat, frequency) then fall on all
alike. What a person waits for, the first paint, is told by the clock. The engine
is measured twice, as the checkout's Python interprets it and as mypyc compiles it for users.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from grammar import ir
from grammar.ir_json import CannotSay, from_json, to_json
from serq_tui.loading import load_program
from serq_tui.options import RunOptions
from tests.bench.paint import first_paint
from tests.cases import cases
from tests.compiled import python_with_compiled_engine
from tests.oracle.environment import make
from tests.oracle.reference import ROOT, python_of

RUNNER = Path(__file__).with_name("runner.py")
MIXED = Path(__file__).with_name("mixed.sq")
EXAMPLE = ROOT / "serq_tui" / "examples" / "preemption.sq"

HORIZONS = {"light": 3000.0, "heavy": 500.0, "heavy2": 150.0, "mixed": 200.0}
"""Seconds of the program's clock: long enough for a million iterations on the lightest load."""

IR_VERSION = 14
"""What the reference release measured here reads."""

ROUNDS = 3
"""Runs of each way on each load. The median of three leaves out one disturbed run."""

PAINTS = 5
"""Starts of the debugger: they are short and vary more than a run does."""

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Way:
    """A Python, the name it goes by, and what it is asked for (``runner.py``)."""

    name: str
    python: Path
    what: str

    def run(self, *paths: Path) -> Figures:
        """One run in a process of its own."""
        # An installed engine must not find the checkout's first.
        environment = {**os.environ, "PYTHONPATH": str(ROOT) if self.name == "interpreted" else ""}
        done = subprocess.run(
            [self.python, RUNNER, self.what, *paths], check=True, capture_output=True, text=True, cwd=RUNNER.parent, env=environment
        )
        figures: Figures = json.loads(done.stdout)
        return figures


@dataclass(frozen=True, slots=True)
class Load:
    """A program at a horizon, written to a file."""

    name: str
    horizon: float
    path: Path


def main(arguments: list[str] | None = None) -> int:
    """Measures and prints the tables; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.measure", description=__doc__)
    parser.add_argument("loads", nargs="*", help="which loads (default: all)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each way on each load (default: %(default)s)")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="a factor on the horizons, for a quick look (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    if python_of("016") is None:
        make("016")
    reference = python_of("016")
    assert reference is not None
    engines = {"interpreted": Path(sys.executable)}
    compiled = python_with_compiled_engine()
    if compiled is not None:
        engines = {"compiled": compiled, **engines}
    console = Console(width=None if sys.stdout.isatty() else 150)
    console.print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {_processor()}; "
        f"medians of {options.rounds} alternated runs"
    )
    if compiled is None:
        console.print("There is no C compiler: only the interpreted engine is measured.")
    with tempfile.TemporaryDirectory() as folder:
        loads = [load for load in _loads(Path(folder), options.scale) if load.name in (options.loads or HORIZONS)]
        console.print(_speeds(loads, engines, reference, options.rounds))
        for load in loads[:1]:
            for name, python in engines.items():
                console.print(_travels(load, Way(name, python, "travelled")))
        if not options.loads:
            console.print(_in_leaps(Path(folder), next(iter(engines.items()))))
    paints = sorted(first_paint(EXAMPLE) for _ in range(PAINTS))
    console.print(f"from the command to the first paint of {EXAMPLE.name}: {median(paints):.2f} s, at best {paints[0]:.2f} s")
    return 0


def _processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "processor unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "processor unknown")


def _loads(folder: Path, scale: float) -> list[Load]:
    """The benchmark programs at their horizons: those recorded, then one of another shape."""
    programs = {case.name: from_json(case.data["ir"]) for case in cases("bench")}
    programs["mixed"] = load_program(MIXED, RunOptions()).program
    return [
        Load(name, horizon * scale, _written(replace(programs[name], horizon=horizon * scale), folder / f"{name}.ir.json"))
        for name, horizon in HORIZONS.items()
    ]


def _written(program: ir.Program, path: Path) -> Path:
    path.write_text(json.dumps(to_json(program, IR_VERSION)), encoding="utf-8")
    return path


def _speeds(loads: list[Load], engines: dict[str, Path], reference: Path, rounds: int) -> Table:
    """Iterations a second beside the reference's, and what recording costs."""
    table = Table(title="beside the reference (pyserq 0.1.6) on the same IR", title_justify="left")
    table.add_column("load")
    table.add_column("engine")
    headings = (
        "iterations",
        "reference, it/s",
        "ours, it/s",
        "ratio",
        "no leaps: ratio",
        "checkpoints cost",
        "decisions: × no leaps",
        "MB",
    )
    for heading in headings:
        table.add_column(heading, justify="right")
    for load in loads:
        ways = [Way("reference", reference, "reference")]
        for name, python in engines.items():
            ways += [Way(name, python, what) for what in ("ours", "plain", "checkpointed", "recorded")]
        runs: dict[Way, list[Figures]] = {way: [] for way in ways}
        for _ in range(rounds):
            for way in ways:
                runs[way].append(way.run(load.path))
        # What is reported is the same work, or no ratio would mean a thing.
        work = {(run["iterations"], run["events"]) for done in runs.values() for run in done}
        assert len(work) == 1, work
        seconds = {way: median(run["seconds"] for run in done) for way, done in runs.items()}
        (iterations, _), theirs = work.pop(), seconds[ways[0]]
        for name, python in engines.items():
            run, plain, checkpointed, recorded = (
                seconds[Way(name, python, what)] for what in ("ours", "plain", "checkpointed", "recorded")
            )
            table.add_row(
                load.name,
                name,
                f"{iterations:,}",
                f"{iterations / theirs:,.0f}",
                f"{iterations / run:,.0f}",
                f"{theirs / run:.2f}",
                f"{theirs / plain:.2f}",
                f"{checkpointed / run - 1:+.0%}",
                f"{recorded / plain:.2f}",
                f"{max(done['peak'] for done in runs[Way(name, python, 'checkpointed')]) / 1e6:.0f}",
            )
    return table


def _travels(load: Load, way: Way) -> Table:
    """What jumps about a run take."""
    figures = way.run(load.path)
    table = Table(
        title=f"jumps about {load.name}, {figures['iterations']:,} iterations seen, {way.name}: "
        f"{figures['checkpoints']} checkpoints, {figures['peak'] / 1e6:.0f} MB in all",
        title_justify="left",
    )
    table.add_column("jump, with the moment's snapshot")
    for heading in ("times", "p50, ms", "p99, ms", "most, ms"):
        table.add_column(heading, justify="right")
    for name, unordered in figures["times"].items():
        times: list[float] = sorted(unordered)
        ranked = (times[len(times) // 2], times[max(-(-99 * len(times) // 100) - 1, 0)], times[-1])
        table.add_row(name, str(len(times)), *(f"{1000 * seconds:.1f}" for seconds in ranked))
    return table


def _in_leaps(folder: Path, engine: tuple[str, Path]) -> str:
    """How much of all recorded programs lies in leaps."""
    paths: list[Path] = []
    for case in cases("corpus_ok"):
        try:
            paths.append(_written(from_json(case.data["ir"]), folder / f"corpus-{len(paths)}.ir.json"))
        except (CannotSay, KeyError):
            continue
    name, python = engine
    figures = Way(name, python, "leapt").run(*paths)
    share = figures["inside"] / figures["iterations"]
    return f"in leaps over the {len(paths)} accepted programs of the corpus: {share:.1%} of {figures['iterations']:,} iterations"


if __name__ == "__main__":
    sys.exit(main())
