"""A run as a folder of CSV files; ``serq_tui.exports.tables`` says what stands in them. They are written as it comes."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from contextlib import ExitStack
from math import isinf, isnan
from pathlib import Path
from typing import Any

from engine.codes import ProgramCode
from engine.course import EngineLevel, Fact, IterationBegan, IterationEnded, PoolLevel
from engine.decisions import Decision
from engine.names import name
from engine.simulation import Simulation
from engine.snapshot import Who
from serq_tui.decision_json import ENCODER, DecisionNames
from serq_tui.exports.lanes import Happening, Lanes, LifeEnded, PhaseName
from serq_tui.exports.run_facts import RunFacts
from serq_tui.exports.tables import DECISIONS, GAUGES, ITERATIONS, POOLS, REQUESTS, SAMPLES, TABLES, Table
from serq_tui.exports.writing import whole
from serq_tui.report_json import report_json

REPORT = "report.json"
RUN = "run.json"

FILES = (*(table.file for table in TABLES), REPORT, RUN)
"""What a dump makes in its folder."""

_SECONDS: tuple[PhaseName, ...] = ("queued", "preempted", "unserved", "growing", "prefill", "recompute", "decode")
_TOKENS: tuple[PhaseName, ...] = ("prefill", "recompute", "decode")

WHOLE = 2.0**53
"""Whole numbers below it are written without a fraction, and are read back as they were."""


class DumpWriter:
    """A listener to the course of a run that writes its tables.

    Args:
        folder: where to; it is made where it is not there.
        code: the program, for the names of what facts give by number.

    Raises:
        OSError: a file cannot be written.
    """

    def __init__(self, folder: Path, code: ProgramCode, files: ExitStack) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._files = files
        self._names = DecisionNames(code)
        self._pools = [name(pool) for pool in code.pools]
        self._stages = [name(stage) for stage in code.stages]
        self._lanes = Lanes()
        self._running: dict[int, IterationBegan] = {}
        self._iterations = self._table(ITERATIONS)
        self._requests = self._table(REQUESTS)
        self._levels = self._table(POOLS)
        self._decisions = self._table(DECISIONS)

    def _table(self, table: Table) -> Any:
        writer = csv.writer(self._files.enter_context(whole(self._folder / table.file)), lineterminator="\n")
        writer.writerow(column.name for column in table.columns)
        return writer

    def take(self, fact: Fact) -> None:
        """Write what a fact says."""
        self._lives(self._lanes.take(fact))
        match fact:
            case IterationBegan():
                self._running[fact.stage] = fact
            case IterationEnded():
                self._iteration(self._running.pop(fact.stage), fact.time)
            case PoolLevel():
                levels = (fact.used, fact.cached, fact.reserved, fact.waiting, fact.holders)
                self._levels.writerow((figure(fact.time), self._pools[fact.pool], *map(figure, levels)))
            case EngineLevel():
                pass
            case _:
                self._decision(fact)

    def close(self, facts: RunFacts, run: Simulation) -> None:
        """Write what is left where the run ended."""
        for began in self._running.values():
            self._iteration(began, None)
        self._lives(self._lanes.close(facts.end))
        result = run.result()
        samples, gauges = self._table(SAMPLES), self._table(GAUGES)
        for kind, section in (("observe", "observes"), ("client", "client")):
            for title, columns in result[section].items():
                for time, value, serial, turn in zip(
                    columns["times"], columns["samples"], columns["sessions"], columns["turns"], strict=True
                ):
                    samples.writerow((kind, title, figure(time), figure(value), Who(serial), turn))
        for title, points in result["gauges"].items():
            for time, value in zip(points["times"], points["values"], strict=True):
                gauges.writerow((title, figure(time), figure(value)))
        self._json(RUN, facts.as_json())
        if facts.failure is None:
            self._json(REPORT, report_json(result["report"]))
        else:
            (self._folder / REPORT).unlink(missing_ok=True)

    def _json(self, file: str, data: Any) -> None:
        out = self._files.enter_context(whole(self._folder / file))
        out.write(json.dumps(data, indent=1, ensure_ascii=False) + "\n")

    # ------------------------------------------------------------------ the rows

    def _lives(self, happenings: Iterable[Happening]) -> None:
        for life in happenings:
            if isinstance(life, LifeEnded):
                self._requests.writerow(
                    (
                        life.who,
                        figure(life.arrived),
                        figure(life.ended),
                        life.turns,
                        life.responses,
                        figure(life.first_token),
                        life.admissions,
                        life.preemptions,
                        *(figure(life.seconds.get(phase, 0.0)) for phase in _SECONDS),
                        *(figure(life.tokens.get(phase, 0.0)) for phase in _TOKENS),
                        figure(life.found),
                        figure(life.lost),
                    )
                )

    def _iteration(self, began: IterationBegan, end: float | None) -> None:
        prefills, decodes = began.tokens_of("prefill"), began.tokens_of("decode")
        self._iterations.writerow(
            (
                self._stages[began.stage],
                began.iteration,
                figure(began.time),
                figure(end),
                figure(began.cost),
                figure(began.tokens + 0.0),
                figure(float(sum(prefills))),
                figure(float(sum(decodes))),
                len(prefills),
                len(decodes),
                figure(began.budget),
                began.running,
                began.waiting,
                began.preempted,
            )
        )

    def _decision(self, record: Decision) -> None:
        made = self._names.object(record)
        shown = [made.pop(key, None) for key in ("time", "type", "stage", "pool", "who")]
        details = ENCODER.encode(made)
        self._decisions.writerow((figure(shown[0]), *("" if cell is None else cell for cell in shown[1:]), details))


def figure(value: float | str | None) -> str:
    """A number that reads back to the last bit; empty for none; ``inf``, ``-inf`` and ``nan`` as they are."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isnan(value) or isinf(value):
        return "nan" if isnan(value) else "inf" if value > 0 else "-inf"
    whole_number = value == int(value) and abs(value) < WHOLE and repr(value) != "-0.0"
    return str(int(value)) if whole_number else repr(value)
