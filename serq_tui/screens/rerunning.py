"""A screen that can put another run in place of its own: the file anew, other settings, the one kept beside; it shows none."""

from __future__ import annotations

from functools import partial
from threading import Event

from engine.snapshot import Position
from engine.targets import AtIteration, Target
from serq_tui.changes import NoSuchChange, Setting, changed, differences, settings_of
from serq_tui.controller import Controller
from serq_tui.debuggee import Debuggee
from serq_tui.messages import ChangeFailed, LoadFailed, Reloaded
from serq_tui.moves import Seek
from serq_tui.options import RunOptions
from serq_tui.problems import LOAD_ERRORS, Problem
from serq_tui.screens.asking import AskingScreen
from serq_tui.screens.change import ChangeScreen
from serq_tui.screens.load_error import LoadErrorScreen
from serq_tui.view import engine_at_hand


class RerunningScreen(AskingScreen):
    """A screen whose run can be exchanged. The run there was stays until another one stands at its moment."""

    def draw(self) -> None:
        """Show the present moment through the present lens."""
        raise NotImplementedError

    def _free(self) -> bool:
        if self.busy:
            self.notify("a move is under way: esc stops it", severity="warning")
        return not self.busy

    # ----------------------------------------------------------------- the file anew

    def action_reload(self) -> None:
        """Load the file again and return to the same moment."""
        if self._free():
            interrupt = self.begin("loading the file again")
            self.run_worker(partial(self._reload, self.controller, interrupt), thread=True, group="moves")

    def _reload(self, old: Controller, interrupt: Event) -> None:
        """In the worker's thread: a new run brought to where the old one stands."""
        debuggee = old.debuggee
        try:
            loaded = Debuggee.load(debuggee.path, debuggee.options)
        except LOAD_ERRORS as error:
            self.post_message(LoadFailed(Problem.of(debuggee.path, error)))
            return
        same = loaded.loaded.program == debuggee.loaded.program
        controller = old.beside_old(loaded) if not same else old.in_place_of_old(loaded)
        arrival = controller.carry_out(controller.plan(old.here()), interrupt.is_set, self.throttled("returning to the moment"))
        wanted: Position = old.moment.now.position
        here = arrival.moment.now.position
        back = f"back at {here}" if here == wanted else f"{wanted} is no moment of the changed program: this is {here}"
        self.post_message(Reloaded(controller, arrival, f"{debuggee.path.name} loaded again, {back}"))

    def on_reloaded(self, message: Reloaded) -> None:
        """Look at the new run from here on."""
        message.stop()
        self.finish()
        self.controller = message.controller
        self.controller.arrive(message.arrival)
        interrupted = message.arrival.stop.reason == "interrupted"
        self.notify(f"interrupted at {self.controller.moment.now.position}" if interrupted else message.said)
        self.draw()
        self.go_on()
        self.ask_again()

    def on_load_failed(self, message: LoadFailed) -> None:
        """Show why; the old run stays behind it."""
        message.stop()
        self.finish()
        self.app.push_screen(LoadErrorScreen(message.problem), self._after_problem)

    def _after_problem(self, again: bool | None) -> None:
        if again:
            self.action_reload()

    # ----------------------------------------------------------------- other settings

    def settings(self) -> tuple[Setting, ...]:
        """What can be changed of the present run."""
        debuggee = self.controller.debuggee
        return settings_of(debuggee.loaded, debuggee.options)

    def action_change(self) -> None:
        """Ask for other settings and run again with them."""
        if self._free():
            self.app.push_screen(ChangeScreen(self.settings()), self.rerun)

    def rerun(self, texts: dict[str, str] | None) -> None:
        """Run again to the same iteration with other settings, by ``kind name``; None changes nothing."""
        if texts is None or not self._free():
            return
        options = self.controller.debuggee.options
        try:
            wanted = changed(options, self.settings(), texts)
        except NoSuchChange as error:
            self.app.push_screen(ChangeScreen(self.settings(), texts, str(error)), self.rerun)
            return
        if wanted == options:
            self.notify("nothing was changed, so there is nothing to run again")
            return
        interrupt = self.begin("running again to the same iteration")
        work = partial(self._rerun, self.controller, wanted, texts, interrupt)
        self.run_worker(work, thread=True, group="moves")

    def _rerun(self, old: Controller, options: RunOptions, texts: dict[str, str], interrupt: Event) -> None:
        """In the worker's thread."""
        debuggee = old.debuggee
        try:
            loaded = Debuggee.load(debuggee.path, options)
        except LOAD_ERRORS as error:
            self.post_message(ChangeFailed(texts, Problem.of(debuggee.path, error).words))
            return
        controller = old.beside_old(loaded)
        plan = controller.plan(Seek(_same_iteration(old)))
        arrival = controller.carry_out(plan, interrupt.is_set, self.throttled("running again"))
        kept, now = differences(debuggee.loaded, loaded.loaded, (debuggee.options, options))
        self.post_message(Reloaded(controller, arrival, f"this is the run with {now}; the one with {kept} is kept: d compares"))

    def on_change_failed(self, message: ChangeFailed) -> None:
        """Ask again, with what was typed."""
        message.stop()
        self.finish()
        self.app.push_screen(ChangeScreen(self.settings(), message.texts, message.words), self.rerun)
        self.go_on()

    # ----------------------------------------------------------------- the other run

    def action_swap(self) -> None:
        """Walk through the other run from here on, at the same iteration."""
        if self.controller.debuggee.beside is None:
            self.notify("there is no other run: u changes this one, and keeps it beside the new one", severity="warning")
        elif self._free():
            interrupt = self.begin("going to the other run")
            self.run_worker(partial(self._swap, self.controller, interrupt), thread=True, group="moves")

    def _swap(self, old: Controller, interrupt: Event) -> None:
        """In the worker's thread."""
        beside = old.debuggee.beside
        assert beside is not None
        controller = old.beside_old(beside.other)
        plan = controller.plan(Seek(_same_iteration(old)))
        arrival = controller.carry_out(plan, interrupt.is_set, self.throttled("going to the other run"))
        other = beside.other
        now, kept = differences(other.loaded, old.debuggee.loaded, (other.options, old.debuggee.options))
        self.post_message(Reloaded(controller, arrival, f"this is the run with {now}; the one with {kept} is kept"))


def _same_iteration(old: Controller) -> Target:
    """The moment of another run that is this one."""
    engine = engine_at_hand(old.moment.now, old.lens.engine)
    if engine is None or old.moment.now.position == Position(0):
        return old.here().target
    return AtIteration(engine.stage, engine.iterations)
