"""What a person takes along from a run they look at, one method a thing; draws nothing and asks nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isinf
from pathlib import Path

from engine.simulation import Simulation
from engine.walking import Interrupt, Pace, Progress
from serq_tui.capsule import written
from serq_tui.controller import Controller
from serq_tui.exports.recording import Outputs, record
from serq_tui.exports.writing import free, whole
from serq_tui.loading import CAPSULE_SUFFIX
from serq_tui.moves import Headway
from serq_tui.packing import Looking, pack
from serq_tui.report_json import report_json
from serq_tui.report_markdown import report_markdown
from serq_tui.snapshot_json import snapshot_json


class Exporter:
    """Writes files about a controller's run into a folder. None takes the place of another.

    Every method that writes gives back the path, and raises ``OSError`` where it cannot be written.

    Args:
        controller: whose run it is.
        folder: where to.
    """

    def __init__(self, controller: Controller, folder: Path) -> None:
        self._controller = controller
        self._folder = folder
        self._stem = controller.debuggee.path.name.partition(".")[0] or "program"

    def _save(self, suffix: str, text: str, path: Path | None, *, of_moment: bool = True) -> Path:
        position = str(self._controller.moment.now.position).removeprefix("@")
        stem = f"{self._stem}-{position}" if of_moment else self._stem
        path = path or free(self._folder, stem, suffix)
        with whole(path) as out:
            out.write(text)
        return path

    # ------------------------------------------------------------------ this moment

    def screen(self, picture: str, path: Path | None = None) -> Path:
        """The screen as it is, whose picture whoever draws it has made."""
        return self._save(".svg", picture, path)

    def moment(self, path: Path | None = None) -> Path:
        """This moment as JSON."""
        debuggee = self._controller.debuggee
        data = snapshot_json(self._controller.moment.now, debuggee.path.name)
        return self._save(".json", json.dumps(data, indent=1, ensure_ascii=False) + "\n", path)

    def report(self, path: Path | None = None) -> Path:
        """The report of a run that ends at this moment, as Markdown."""
        debuggee = self._controller.debuggee
        figures = report_json(debuggee.timeline.report())
        return self._save(".md", report_markdown(figures, debuggee.path.name), path)

    def capsule(self, note: str, path: Path | None = None) -> Path:
        """The program, its settings, this moment and what was set, to be opened again elsewhere."""
        controller = self._controller
        now = controller.moment.now
        engine = next((engine.name for engine in now.engines if engine.stage == controller.lens.engine), None)
        looking = Looking(now.position, now.clock, engine, controller.lens.opened)
        debuggee = controller.debuggee
        made = pack(debuggee.loaded, controller.attention.kept(), looking, note)
        return self._save(CAPSULE_SUFFIX, written(made), path)

    # ------------------------------------------------------------------ the whole run

    def last_moment(self) -> float | None:
        """Where the whole run ends, in seconds; None where it has no end of its own."""
        run = self._controller.debuggee.timeline.simulation
        if run.finished:
            return run.clock if run.failure is not None or isinf(run.state.horizon) else run.state.horizon
        return None if isinf(run.state.horizon) else run.state.horizon

    def last_seen(self) -> float:
        """The clock at the last moment seen so far, in seconds."""
        timeline = self._controller.debuggee.timeline
        return timeline.past.at(timeline.seen).clock

    def anew(self, until: float | None) -> Simulation:
        """The run from its start, to be written; no move may be under way while it is made.

        Args:
            until: where it is cut, in seconds; None where it ends by itself.
        """
        return self._controller.debuggee.timeline.simulation.anew(until)

    def headway(self, run: Simulation, made: Progress) -> Headway:
        """How far a run that is written has come; its clock goes to its horizon, where it does not end before."""
        end = run.state.horizon
        iterations = sum(stage.iterations for stage in run.state.stages) if run.code.engines else None
        way = None if isinf(end) else (made.clock, end)
        return Headway(made.position, made.clock, iterations, way, run.state.arrivals_wanted is not None)

    def trace_path(self) -> Path:
        """Where a trace of the run would be written."""
        return free(self._folder, f"{self._stem}-trace", ".json")

    def dump_path(self) -> Path:
        """The folder tables of the run would be written to."""
        return free(self._folder, f"{self._stem}-tables", "")

    def write(self, run: Simulation, outputs: Outputs, interrupt: Interrupt, progress: Callable[[Progress], None]) -> None:
        """Make a run of ``anew`` and write it. This takes as long as it takes.

        Raises:
            Interrupted: ``interrupt`` said so.
            OSError: a file cannot be written.
        """
        record(run, self._controller.debuggee.path.name, outputs, Pace(interrupt, progress), closing=False)
