"""A screen from which things are taken along; what they are made of is its exporter's business."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from engine.simulation import Simulation
from engine.walking import Interrupted, Progress
from serq_tui.capsule import Capsule
from serq_tui.exports.choices import Kind
from serq_tui.format import clock
from serq_tui.goto import NoSuchMoment, seconds_named
from serq_tui.messages import RunWritten
from serq_tui.screens.ask import AskScreen
from serq_tui.screens.export import ExportScreen
from serq_tui.screens.rerunning import RerunningScreen

if TYPE_CHECKING:
    from serq_tui.exporter import Exporter
    from serq_tui.exports.recording import Outputs


class ExportingScreen(RerunningScreen):
    """A screen whose run can be taken along, and that may have come from elsewhere itself.

    Attributes:
        folder: where files go.
        opened_from: the capsule it was opened from, until it stands at its moment.
    """

    folder: Path
    opened_from: Capsule | None = None

    @property
    def exporter(self) -> Exporter:
        """What writes files about the present run."""
        # Here and not above: nothing of it is needed before something is taken along.
        from serq_tui.exporter import Exporter

        return Exporter(self.controller, self.folder)

    # ----------------------------------------------------------------- what is asked for

    def action_export(self) -> None:
        """Ask what to take along."""
        self.app.push_screen(ExportScreen(), self.take)

    def take(self, kind: Kind | None, path: Path | None = None) -> None:
        """Take something along.

        Args:
            kind: what; None is nothing.
            path: the file to write, or of tables the folder; None makes a name.
        """
        match kind:
            case "screen":
                # Once the dialog is gone from it, and what was said in passing with it.
                self.app.clear_notifications()
                self.call_after_refresh(self._take_screen, path)
            case "moment":
                self._saved(lambda: self.exporter.moment(path))
            case "report" if self._free():
                self._saved(lambda: self.exporter.report(path))
            case "capsule":
                ask = AskScreen("capsule", str.strip, forms="a note for whoever opens it; nothing for none", placeholder="no note")
                self.app.push_screen(ask, partial(self._take_capsule, path))
            case "trace" | "tables" if self._free():
                self._take_run(kind, path)

    def _take_screen(self, path: Path | None) -> None:
        self._saved(lambda: self.exporter.screen(self.app.export_screenshot(), path))

    def _take_capsule(self, path: Path | None, note: str | None) -> None:
        if note is not None:
            self._saved(lambda: self.exporter.capsule(note, path))

    def _saved(self, save: Callable[[], Path]) -> None:
        try:
            path = save()
        except OSError as error:
            self._failed(error)
        else:
            self._written(path)

    def _written(self, path: Path) -> None:
        """Say so; a file goes on to whoever looks through a browser, whose folder is not this one."""
        self.notify(f"written: {_short(path)}")
        if self.app.is_web and path.is_file():
            self.app.deliver_binary(path, save_filename=path.name)

    def _failed(self, error: OSError) -> None:
        self.notify(_unwritten(error), severity="error")

    # ----------------------------------------------------------------- the whole run

    def _take_run(self, kind: Kind, path: Path | None) -> None:
        """Write a run that ends by itself at once; of one that does not, ask up to when."""
        if self.exporter.last_moment() is not None:
            self._write_run(kind, path, None)
            return
        seen = self.exporter.last_seen()
        ask = AskScreen(
            "up to when",
            partial(_up_to, seen),
            forms="this run has no end of its own: a time such as t=20; nothing for the last moment seen",
            placeholder=f"t={clock(seen)}, the last moment seen" if seen else "t=20",
        )
        self.app.push_screen(ask, partial(self._write_run_up_to, kind, path))

    def _write_run_up_to(self, kind: Kind, path: Path | None, until: float | None) -> None:
        if until is not None and self._free():
            self._write_run(kind, path, until)

    def _write_run(self, kind: Kind, path: Path | None, until: float | None) -> None:
        from serq_tui.exports.recording import Outputs

        exporter = self.exporter
        if kind == "trace":
            path = path or exporter.trace_path()
            outputs = Outputs(perfetto=path)
        else:
            path = path or exporter.dump_path()
            outputs = Outputs(dump=path)
        run = exporter.anew(until)
        interrupt = self.begin("writing the run")
        self.run_worker(partial(self._write, exporter, run, outputs, path, interrupt), thread=True, group="moves")

    def _write(self, exporter: Exporter, run: Simulation, outputs: Outputs, path: Path, interrupt: Event) -> None:
        """In the worker's thread."""
        tell = self.throttled("writing the run")

        def progress(made: Progress) -> None:
            tell(exporter.headway(run, made))

        try:
            exporter.write(run, outputs, interrupt.is_set, progress)
        except Interrupted:
            self.post_message(RunWritten(None, "interrupted: nothing is written"))
        except OSError as error:
            self.post_message(RunWritten(None, _unwritten(error)))
        else:
            self.post_message(RunWritten(path, ""))

    def on_run_written(self, message: RunWritten) -> None:
        """Say so."""
        message.stop()
        self.finish()
        if message.path is not None:
            self._written(message.path)
        else:
            self.notify(message.words, severity="warning")
        self.go_on()

    # ----------------------------------------------------------------- where it came from

    def check_capsule(self) -> None:
        """At the moment a capsule was made at, see that it is the same one."""
        capsule, self.opened_from = self.opened_from, None
        if capsule is None:
            return
        now = self.controller.moment.now
        if (now.position, now.clock) != (capsule.position, capsule.clock):
            self.notify(
                f"the capsule, of {capsule.made_by}, was made at {capsule.position}, t={clock(capsule.clock)}; "
                f"here that is {now.position}, t={clock(now.clock)}: the run is another one",
                severity="warning",
            )


def _up_to(seen: float, text: str) -> float:
    if text.strip():
        return seconds_named(text)
    if not seen:
        raise NoSuchMoment("nothing has happened yet: up to when?")
    return seen


def _unwritten(error: OSError) -> str:
    return f"nothing is written: {error.strerror or error}"


def _short(path: Path) -> str:
    """A path as one would type it here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
