"""Loads and runs recorded cases in process, as the command line does it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.simulation import Simulation
from serq_tui.loading import LoadedProgram, load_program
from serq_tui.options import RunOptions
from serq_tui.report_json import report_json, samples_json
from tests.cases import Case

SECTIONS = ("observes", "client", "gauges")


def options_of(case: Case, folder: Path) -> RunOptions:
    """The settings of a text case as options of the command line; a trace lies in the folder."""
    settings = case.settings
    trace = settings.get("trace")
    return RunOptions(
        horizon=None if settings.get("horizon") is None else float(settings["horizon"]),
        warmup=settings.get("warmup"),
        seed=settings.get("seed"),
        arrivals=settings.get("arrivals"),
        sets=_texts(settings.get("sets", {})),
        defs=_texts(settings.get("defs", {})),
        trace=None if trace is None else folder / trace,
    )


def load_case(case: Case, folder: Path) -> LoadedProgram:
    """Lays a case out in an empty folder and loads it."""
    return load_program(case.lay_out(folder), options_of(case, folder) if "settings" in case.data else RunOptions())


def result_of(simulation: Simulation) -> dict[str, Any]:
    """What a finished run leaves, in the form of a recorded case; the report without who wrote it."""
    result = simulation.result()
    report = {name: value for name, value in report_json(simulation.report()).items() if name != "serq_version"}
    return {"report": report, **{name: samples_json(result[name]) for name in SECTIONS}}


def recorded_result(data: dict[str, Any]) -> dict[str, Any]:
    """The recorded result, without who wrote it."""
    report = {name: value for name, value in data["report"].items() if name != "serq_version"}
    return {"report": report, **{name: data[name] for name in SECTIONS}}


def _texts(given: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(value)) for name, value in given.items())
