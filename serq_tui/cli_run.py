"""``serq-tui run``: runs a program to its end and prints its report; opens no screen."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from engine.simulation import Simulation
from engine.waste import EngineWaste
from grammar.diagnostics import ProgramError
from grammar.ir_json import InvalidIR
from serq_tui import __version__
from serq_tui.capsule import BadCapsule
from serq_tui.cli_failure import Failed, print_diagnostics, refused, stopped, tell
from serq_tui.cli_parser import PROGRAM, UsageError, run_options
from serq_tui.exports.recording import Outputs, record
from serq_tui.loading import CAPSULE_SUFFIX, IR_SUFFIX, LoadedProgram, WrongOptions, load_program
from serq_tui.options import RunOptions
from serq_tui.report_json import report_json, samples_json
from serq_tui.report_markdown import report_markdown
from serq_tui.report_sections import Section
from serq_tui.report_text import print_report
from serq_tui.waste_report import waste_json, waste_of, waste_section

PIPED_WIDTH = 1000
"""Columns where no terminal sets a width: more than any table has, so that none is folded."""


def run(parsed: argparse.Namespace, inputs: tuple[tuple[str, str], ...]) -> int:
    """Runs a program; the exit status.

    Raises:
        UsageError: options that do not go together.
        OSError: the file cannot be read.
    """
    options = run_options(parsed, inputs)
    if parsed.samples and not parsed.json:
        raise UsageError("--samples says how much JSON to print: add --json")
    try:
        loaded = load_to_the_end(
            parsed.file, options, "run needs --horizon T, the seconds of the program's clock at which the run ends"
        )
        simulation = simulate(loaded, Outputs(parsed.decisions, parsed.perfetto, parsed.dump))
    except Failed as failed:
        return tell(failed, parsed.json)
    wasted = waste_of(loaded.program) if parsed.waste else None
    if parsed.samples:
        print(json.dumps({**whole_result(simulation), **_waste(wasted)}, separators=(",", ":")))
    elif parsed.json:
        print(json.dumps({**report(simulation), **_waste(wasted)}, indent=1))
    elif parsed.markdown:
        print(report_markdown(report(simulation), loaded.path.name, *_sections(wasted)), end="")
    else:
        _print_for_people(report(simulation), loaded, *_sections(wasted))
    return 0


def load(path: Path, options: RunOptions) -> LoadedProgram:
    """Loads a program and prints its warnings on standard error.

    Raises:
        Failed: it is no program.
        UsageError: options it cannot take.
        OSError: the file cannot be read.
    """
    try:
        loaded = load_program(path, options)
    except ProgramError as error:
        raise refused(error) from error
    except InvalidIR as error:
        raise Failed("validation", str(error), None, f"{path}: {error}") from error
    except BadCapsule as error:
        raise Failed("validation", str(error), None, str(error)) from error
    except WrongOptions as error:
        raise UsageError(str(error)) from error
    if loaded.source is not None:
        print_diagnostics(loaded.warnings, loaded.source)
    return loaded


def load_to_the_end(path: Path, options: RunOptions, without: str) -> LoadedProgram:
    """Loads a program whose run has an end.

    Raises:
        Failed: it is no program.
        UsageError: options it cannot take; ``without`` where neither they nor an instance say when the run ends.
        OSError: a file cannot be read.
    """
    if options.horizon is None and options.instance is None and path.suffix not in (IR_SUFFIX, CAPSULE_SUFFIX):
        raise UsageError(without)
    loaded = load(path, options)
    if math.isinf(loaded.program.horizon):
        raise UsageError(f"{without}; {options.instance or path} has no `horizon`")
    return loaded


def simulate(loaded: LoadedProgram, outputs: Outputs | None = None) -> Simulation:
    """Runs a program to its end.

    Args:
        loaded: the program.
        outputs: files that get its course, up to a failure too.

    Raises:
        Failed: it stopped by itself.
        OSError: a file cannot be written.
    """
    simulation = Simulation(loaded.program)
    if outputs:
        record(simulation, loaded.path.name, outputs)
    else:
        simulation.run()
        simulation.close()
    if simulation.failure is not None:
        raise stopped(simulation.failure, loaded)
    return simulation


def report(simulation: Simulation) -> dict[str, Any]:
    """The report as JSON data, signed by this program."""
    return {"serq_version": f"{PROGRAM} {__version__}", **report_json(simulation.report())}


def whole_result(simulation: Simulation) -> dict[str, Any]:
    """The report with every sample and gauge point beside it."""
    result = simulation.result()
    return {"report": report(simulation), **{name: samples_json(result[name]) for name in ("observes", "client", "gauges")}}


def _waste(wasted: tuple[EngineWaste, ...] | None) -> dict[str, Any]:
    return {} if wasted is None else {"waste": waste_json(wasted)}


def _sections(wasted: tuple[EngineWaste, ...] | None) -> tuple[Section, ...]:
    return () if not wasted else (waste_section(wasted),)


def _print_for_people(figures: dict[str, Any], loaded: LoadedProgram, *more: Section) -> None:
    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    # Captured, not printed: rich would end the process by itself where the reader has gone.
    with console.capture() as report_of:
        print_report(figures, loaded.path.name, console, *more)
    print(report_of.get(), end="")
