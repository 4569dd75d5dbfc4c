"""What a person attends to in a run: stops, watched values, bookmarks, and keeping them; moves nothing, knows no screen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from string import ascii_lowercase
from typing import TYPE_CHECKING, assert_never

from engine.breakpoints import Armed, Breakpoint, OnPreemption, OnRequest, OnStatement
from engine.conditions import Value
from serq_tui.arrangement import Layout
from serq_tui.debuggee import Debuggee
from serq_tui.format import plural
from serq_tui.goto import NoSuchMoment
from serq_tui.keeping import Keeper, Kept, KeptStop, Unreadable
from serq_tui.marks import LineMark, Mark, PoolMark, RequestMark
from serq_tui.source_state import statements_on
from serq_tui.stop_texts import NoSuchStop, Stopping
from serq_tui.stop_words import written
from serq_tui.view import engine_at_hand
from serq_tui.view_state import ANY_IDLE, ANY_PREEMPTION, Bookmark, Lens

if TYPE_CHECKING:
    from serq_tui.controller import Controller


class Attention:
    """The stops, watches and bookmarks of a controller's lens, changed by a person's hand."""

    def __init__(self, controller: Controller, keeper: Keeper | None) -> None:
        self._controller = controller
        self.keeper = keeper
        self.stopping = Stopping.of(controller.debuggee.loaded)
        self._notices: list[str] = []
        self._asked: dict[frozenset[Breakpoint], Armed | None] = {}
        """What the command line set for this sitting, and what stood there before: that is what is kept of it."""

    @property
    def _lens(self) -> Lens:
        return self._controller.lens

    def _look(self, lens: Lens) -> None:
        """Look through a lens changed by the person from now on, and keep it; what they changed is theirs."""
        for stop in {*self._lens.stops} ^ {*lens.stops}:
            self._asked.pop(frozenset(stop.on), None)
        self._controller.lens = lens
        self._keep()

    def _at_hand(self) -> int | None:
        engine = engine_at_hand(self._controller.moment.now, self._lens.engine)
        return engine.stage if engine is not None else None

    # ----------------------------------------------------------------- stops

    def toggle_preemption(self) -> str:
        """Stop on preemptions, or no longer; said in words."""
        return "stops on preemption" if self._toggle_any(ANY_PREEMPTION) else "no longer stops on preemption"

    def toggle_idle(self) -> str:
        """Stop where an engine is idle with work, or no longer; said in words."""
        on = self._toggle_any(ANY_IDLE)
        return "stops where an engine is idle with work" if on else "no longer stops where an engine is idle with work"

    def _toggle_any(self, on: tuple[Breakpoint, ...]) -> bool:
        stop = self._lens.stop_on(on) or Armed(on, enabled=False)
        self._look(self._lens.with_stop(replace(stop, enabled=not stop.enabled)))
        return not stop.enabled

    def toggle(self, mark: Mark) -> str | None:
        """Set or clear a breakpoint; None where nothing can have one, else what it is in words."""
        on = self._marked(mark)
        if not on:
            return None
        if self._lens.stop_on(on) is not None:
            return self.clear(on)
        self._look(self._lens.with_stop(Armed(on)))
        return f"breakpoint on {self.written(on)}"

    def _marked(self, mark: Mark) -> tuple[Breakpoint, ...]:
        match mark:
            case LineMark(line=line):
                return tuple(OnStatement(*at) for at in statements_on(self._controller.debuggee.text.places, line))
            case RequestMark(who=who):
                return (OnRequest(who.serial),)
            case PoolMark(pool=pool):
                return (OnPreemption(pool),)
            case unknown:
                assert_never(unknown)

    def stop_named(self, text: str) -> tuple[Breakpoint, ...]:
        """What a text names to stop on here.

        Raises:
            NoSuchStop: it names nothing.
        """
        return self.stopping.stop_named(text, self._at_hand())

    def stop_at(self, on: tuple[Breakpoint, ...]) -> str:
        """Stop on something; said in words. What is disabled is enabled again."""
        stop = self._lens.stop_on(on) or Armed(on)
        self._look(self._lens.with_stop(replace(stop, enabled=True)))
        return f"breakpoint on {self.written(on)}"

    def stop_only(self, breaks: tuple[str, ...]) -> None:
        """Of the two kinds that stop by themselves, stop only on those named, for this sitting."""
        for on, name in ((ANY_PREEMPTION, "preemption"), (ANY_IDLE, "idle")):
            self._ask(on, name in breaks)

    def ask(self, on: tuple[Breakpoint, ...]) -> None:
        """Stop on something for this sitting."""
        self._ask(on, True)

    def _ask(self, on: tuple[Breakpoint, ...], enabled: bool) -> None:
        old = self._lens.stop_on(on)
        self._asked.setdefault(frozenset(on), old)
        self._controller.lens = self._lens.with_stop(replace(old or Armed(on), enabled=enabled))

    def change(self, stop: Armed) -> None:
        """Put a stop in place of the one on the same thing."""
        if self._lens.stop_on(stop.on) is not None:
            self._look(self._lens.with_stop(stop))

    def clear(self, on: tuple[Breakpoint, ...]) -> str:
        """Stop on something no longer; said in words."""
        what = self.written(on)
        self._look(self._lens.without_stop(on))
        return f"breakpoint on {what} cleared"

    def count(self, hits: Iterable[tuple[Armed, int]]) -> None:
        """Note how often a run met its stops.

        What was changed meanwhile stays as the person left it; what was taken away stays away.
        """
        for met, times in hits:
            now = self._lens.stop_on(met.on)
            if now is not None:
                after = now.hit(times)
                self._controller.lens = self._lens.with_stop(after)
                if after.enabled != now.enabled:
                    self._keep()

    def written(self, on: tuple[Breakpoint, ...]) -> str:
        """The text that names a stop."""
        return written(on, self.stopping.names, self._controller.debuggee.text.places)

    # ----------------------------------------------------------------- watches

    def value_named(self, text: str) -> Value:
        """The value a text names here.

        Raises:
            NoSuchStop: it names none.
        """
        return self.stopping.value_named(text, self._at_hand())

    def watch(self, value: Value) -> None:
        """Keep a value in view."""
        if value not in self._lens.watches:
            self._look(replace(self._lens, watches=(*self._lens.watches, value)))

    def unwatch(self, value: Value) -> None:
        """Keep a value in view no longer."""
        self._look(replace(self._lens, watches=tuple(other for other in self._lens.watches if other != value)))

    # ----------------------------------------------------------------- bookmarks

    def free_name(self) -> str:
        """A name no bookmark has: the first letter that is free, then numbers behind it."""
        taken = {mark.name for mark in self._lens.bookmarks}
        names = (letter + suffix for suffix in ("", *map(str, range(1, len(taken) + 1))) for letter in ascii_lowercase)
        return next(name for name in names if name not in taken)

    def bookmark_name(self, text: str) -> str:
        """A name for a bookmark: as typed, or a free one where nothing is.

        Raises:
            NoSuchMoment: it names a moment already, and going there would be a guess between the two.
        """
        name = " ".join(text.split()) or self.free_name()
        if any(mark.name == name for mark in self._lens.bookmarks):
            return name
        try:
            self._controller.target_named(name)
        except NoSuchMoment:
            return name
        raise NoSuchMoment(f"{name} is a moment by itself: a bookmark has a name of its own, such as {self.free_name()}")

    def bookmark(self, name: str) -> str:
        """Give this moment a name; one that was another's is this one's now. Said in words."""
        here = self._controller.moment.now.position
        about = self._controller.view().header.headline.text
        marks = [mark for mark in self._lens.bookmarks if mark.name != name]
        marks.append(Bookmark(name, here, about))
        self._look(replace(self._lens, bookmarks=tuple(sorted(marks, key=lambda mark: (mark.position, mark.name)))))
        return f"{here} is {name}"

    def forget(self, name: str) -> None:
        """Take a bookmark away."""
        self._look(replace(self._lens, bookmarks=tuple(mark for mark in self._lens.bookmarks if mark.name != name)))

    # ----------------------------------------------------------------- the panes

    def arrange(self, layout: Layout) -> None:
        """Arrange the panes so from now on."""
        self._look(replace(self._lens, layout=layout))

    # ----------------------------------------------------------------- keeping

    def notices(self) -> tuple[str, ...]:
        """What is to be said about keeping, each thing once."""
        said, self._notices = tuple(self._notices), []
        return said

    def _keep(self) -> None:
        if self.keeper is None:
            return
        lens = self._lens
        own = (self._asked.get(frozenset(stop.on), stop) for stop in lens.stops)
        try:
            self.keeper.save(self._kept(stop for stop in own if stop is not None))
        except OSError as error:
            self._notices.append(f"breakpoints, watches and bookmarks are not kept: {error.strerror or error}")
            # Said once: it will not go better the next time, and the run goes on without it.
            self.keeper = None

    def kept(self) -> Kept:
        """All that is set now, whoever set it."""
        return self._kept(self._lens.stops)

    def _kept(self, stops: Iterable[Armed]) -> Kept:
        lens = self._lens
        by_text = tuple(KeptStop(self.written(stop.on), stop.enabled, stop.once, stop.after) for stop in stops)
        return Kept(by_text, tuple(value.text for value in lens.watches), lens.bookmarks, lens.layout)

    def restore(self) -> None:
        """Take up what was kept; what means nothing in the program any more is left out and told once."""
        if self.keeper is None:
            return
        try:
            kept = self.keeper.load()
        except Unreadable as error:
            self._notices.append(str(error))
            return
        if kept is not None:
            self.take_up(kept)

    def take_up(self, kept: Kept) -> None:
        """Take up what was kept somewhere; what means nothing in the program is left out and told once."""
        gone: list[str] = []
        stops: list[Armed] = []
        watches: list[Value] = []
        for stop in kept.stops:
            try:
                stops.append(Armed(self.stop_named(stop.text), stop.enabled, stop.once, stop.after))
            except NoSuchStop:
                gone.append(stop.text)
        for text in kept.watches:
            try:
                watches.append(self.value_named(text))
            except NoSuchStop:
                gone.append(text)
        self._controller.lens = replace(
            self._lens, stops=tuple(stops), watches=tuple(watches), bookmarks=kept.bookmarks, layout=kept.layout
        )
        if gone:
            what = plural(len(gone), "breakpoint or watch", "breakpoints and watches")
            self._notices.append(f"{what} kept for this program mean nothing in it any more: {', '.join(gone)}")


def lens_for(lens: Lens, old: Debuggee, new: Debuggee) -> Lens:
    """What still makes sense of a lens after the program was changed.

    A schedule statement is found again by its path, so that a line added above it moves the
    breakpoint along; anything else by its name. What is gone stops no run.
    """
    before, after = Stopping.of(old.loaded), Stopping.of(new.loaded)
    first = next(iter(after.names.engines), None)
    stops: list[Armed] = []
    for stop in lens.stops:
        on: tuple[Breakpoint, ...]
        if isinstance(stop.on[0], OnStatement):
            there = new.text.places.schedule
            on = tuple(at for at in stop.on if isinstance(at, OnStatement) and (at.stage, at.path) in there)
        else:
            on = _again(after, written(stop.on, before.names, old.text.places), first)
        if on:
            stops.append(replace(stop, on=on))
    watches = tuple(value for watch in lens.watches for value in _value_again(after, watch.text, first))
    engine = lens.engine if lens.engine in after.names.engines else None
    return replace(lens, engine=engine, stops=tuple(stops), watches=watches)


def _again(stopping: Stopping, text: str, engine: int | None) -> tuple[Breakpoint, ...]:
    try:
        return stopping.stop_named(text, engine)
    except NoSuchStop:
        return ()


def _value_again(stopping: Stopping, text: str, engine: int | None) -> tuple[Value, ...]:
    try:
        return (stopping.value_named(text, engine),)
    except NoSuchStop:
        return ()
