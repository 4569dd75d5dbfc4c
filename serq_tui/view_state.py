"""The frozen values the panes show, and the moment and lens they are built from; builds nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from engine.breakpoints import Armed, Breakpoint, OnIdle, OnPreemption, OnRequest, OnStatement
from engine.conditions import Value
from engine.decisions import Blocked, Decision
from engine.series import UNSEEN, Overview
from engine.snapshot import BatchView, Position, QueueView, RegisterView, RequestView, Snapshot, StageView, Who
from engine.snapshot import PoolView as PoolNow
from grammar.declaring import dataclass
from serq_tui.arrangement import AS_IT_COMES, Layout
from serq_tui.source_state import SourceState, StatementAt
from serq_tui.words import Headline

if TYPE_CHECKING:
    from engine.standstill import Shut

Fate = Literal["", "admitted", "preempted", "left"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A value read at a moment and at the one just before, None for that at the start; NaN where it cannot be read."""

    value: Value
    now: float
    before: float | None


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment with the one it is compared to.

    Attributes:
        before: the moment just before in the program's time, None at the start.
        records: what was decided between the two, in the order decided.
        readings: the watched values, as far as they were read.
        met: breakpoints that were met between the two, of those that were watched.
        shut: where an engine came to be idle with work, the head of its queue and what keeps it out; None where nobody waits.
        overview: what was seen of the whole run.
    """

    now: Snapshot
    before: Snapshot | None
    records: tuple[Decision, ...]
    readings: tuple[Reading, ...] = ()
    met: frozenset[Breakpoint] = frozenset()
    shut: Shut | None = None
    overview: Overview = UNSEEN


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A moment with a name.

    Attributes:
        about: what was said of it when it was set.
    """

    name: str
    position: Position
    about: str


ANY_PREEMPTION = (OnPreemption(None),)
ANY_IDLE = (OnIdle(None),)


@dataclass(frozen=True, slots=True)
class Lens:
    """What a person looks through: it changes by their own hand alone, never by moving in time.

    Attributes:
        engine: stage of the engine chosen, None for all of them.
        stops: what stops a run, in the order set.
        watches: values kept in view.
        bookmarks: moments with names, in the order of their positions.
        opened: the request whose detail is open.
        layout: how the panes are arranged.
    """

    engine: int | None = None
    stops: tuple[Armed, ...] = (Armed(ANY_PREEMPTION), Armed(ANY_IDLE))
    watches: tuple[Value, ...] = ()
    bookmarks: tuple[Bookmark, ...] = ()
    opened: Who | None = None
    layout: Layout = AS_IT_COMES

    def stop_on(self, on: tuple[Breakpoint, ...]) -> Armed | None:
        """The stop on something, None where there is none."""
        return next((stop for stop in self.stops if set(stop.on) == set(on)), None)

    def with_stop(self, stop: Armed) -> Lens:
        """The lens with a stop in place of the one on the same thing, or behind all others."""
        old = self.stop_on(stop.on)
        if old is None:
            return replace(self, stops=(*self.stops, stop))
        return replace(self, stops=tuple(stop if other is old else other for other in self.stops))

    def without_stop(self, on: tuple[Breakpoint, ...]) -> Lens:
        """The lens without the stop on something."""
        old = self.stop_on(on)
        return replace(self, stops=tuple(stop for stop in self.stops if stop is not old))

    @property
    def watched(self) -> tuple[Breakpoint, ...]:
        """Everything that may stop a run, each thing once."""
        return tuple(dict.fromkeys(breakpoint_ for stop in self.stops if stop.enabled for breakpoint_ in stop.on))

    @property
    def preemption(self) -> bool:
        """Whether any preemption stops a run."""
        return OnPreemption(None) in self.watched

    @property
    def idle(self) -> bool:
        """Whether any engine idle with work stops a run."""
        return OnIdle(None) in self.watched

    @property
    def statements(self) -> frozenset[StatementAt]:
        """Schedule statements that stop a run."""
        return frozenset((on.stage, on.path) for on in self.watched if isinstance(on, OnStatement))

    @property
    def requests(self) -> frozenset[int]:
        """Serials of requests that stop a run."""
        return frozenset(on.serial for on in self.watched if isinstance(on, OnRequest))

    @property
    def pools(self) -> frozenset[int]:
        """Pools whose preemptions stop a run although others may not."""
        return frozenset(on.pool for on in self.watched if isinstance(on, OnPreemption) and on.pool is not None)


@dataclass(frozen=True, slots=True)
class HeaderState:
    """Where we are and why we are here.

    Attributes:
        engines: name and iterations of every engine shown, the one at hand marked.
        step: how long the running iteration at hand lasts, None without one.
        live: sessions that have not ended.
        hits: breakpoints this moment meets: ``line 48``, ``request 7``.
        warnings: lines of the text the linker warns of.
    """

    file: str
    engines: tuple[tuple[str, int, bool], ...]
    every_engine: bool
    clock: float
    position: Position
    step: float | None
    seed: int
    horizon: float
    live: int
    headline: Headline
    hits: tuple[str, ...]
    preemption: bool
    idle: bool
    breakpoints: int
    warnings: int = 0


@dataclass(frozen=True, slots=True)
class Resident:
    """A running request, or one that ran just before.

    Attributes:
        now: None when it no longer runs.
        before: None when it did not run before, or there is no before.
        gets: tokens it has in the running iteration.
        note: what happened to it, in a few words.
        stops: whether a breakpoint stands on it.
    """

    who: Who
    now: RequestView | None
    before: RequestView | None
    gets: float
    fate: Fate
    note: str
    stops: bool


@dataclass(frozen=True, slots=True)
class EngineResidents:
    """The requests of one engine, in admission order, then those that left."""

    name: str
    residents: tuple[Resident, ...]
    running: int


@dataclass(frozen=True, slots=True)
class RunningState:
    """Who runs. ``stages`` are the stages that are no engine, each beside its state just before."""

    engines: tuple[EngineResidents, ...]
    stages: tuple[tuple[StageView, StageView | None], ...]


@dataclass(frozen=True, slots=True)
class QueueState:
    """One queue.

    Attributes:
        admitted_by: name of the engine that admits it, None where holds enter as soon as they fit.
        joined: who was not in it just before.
        left: how many of those in it before are gone.
        blocked: why the head was not admitted, None where nothing was said.
    """

    view: QueueView
    admitted_by: str | None
    joined: frozenset[Who]
    left: int
    blocked: Blocked | None


@dataclass(frozen=True, slots=True)
class WaitingState:
    """Who waits, queue by queue in the order the engine tries them; ``rooms`` are what the pools have left for an admission."""

    queues: tuple[QueueState, ...]
    pool_names: Mapping[int, str]
    rooms: Mapping[int, float]
    clock: float
    stops: frozenset[int]


@dataclass(frozen=True, slots=True)
class BatchState:
    """The running iteration of the engine at hand and the batch just before.

    Attributes:
        forming: whether the batch is still being formed, so that nobody knows yet how long it lasts.
    """

    engine: str | None
    now: BatchView | None
    before: BatchView | None
    idle_with_work: bool
    stops: frozenset[int]
    forming: bool = False


@dataclass(frozen=True, slots=True)
class RegisterState:
    """A register.

    Attributes:
        before: its value just before, None without one.
        undone: the value it was set to by an attempt that came to nothing, None without one.
    """

    engine: str
    now: RegisterView
    before: float | None
    undone: float | None


@dataclass(frozen=True, slots=True)
class WatchState:
    """A watched value; ``reading`` is None until it has been read."""

    text: str
    reading: Reading | None


@dataclass(frozen=True, slots=True)
class RegistersState:
    """The registers of the engines shown, and the watched values."""

    registers: tuple[RegisterState, ...]
    several: bool
    watches: tuple[WatchState, ...] = ()


@dataclass(frozen=True, slots=True)
class PoolState:
    """A pool beside its state just before.

    Attributes:
        memory: whether it is an engine's memory or counts in blocks, so that who holds how much of it matters.
    """

    now: PoolNow
    before: PoolNow | None
    memory: bool
    stops: bool


@dataclass(frozen=True, slots=True)
class PoolsState:
    """All pools."""

    pools: tuple[PoolState, ...]


@dataclass(frozen=True, slots=True)
class TimeState:
    """What was seen of the run, and what of it is at the present moment.

    Attributes:
        memory: index of the pool shown, the memory of the engine at hand where it has one; None without one.
        used: the share of it that is allocated.
    """

    overview: Overview
    clock: float
    running: int
    waiting: int
    memory: int | None
    memory_name: str
    used: float


@dataclass(frozen=True, slots=True)
class DetailState:
    """One request, whole.

    Attributes:
        where: what it does, in words.
        waited: seconds it has waited, None where it does not wait.
        needs: what it waits for: pool name, units, room there.
        attributes: name, value, value just before (None when it was not seen).
        holds: its holds in the pools: name, allocated, computed, reserved, leased.
        entries: cached prefixes it owns: pool name and units.
    """

    who: Who
    where: str
    resident: RequestView | None
    waited: float | None
    needs: tuple[tuple[str, float, float], ...]
    attributes: tuple[tuple[str, float, float | None], ...]
    holds: tuple[tuple[str, float, float, float, bool], ...]
    entries: tuple[tuple[str, float], ...]
    stops: bool


@dataclass(frozen=True, slots=True)
class DebuggerState:
    """Everything on the debugger's screen."""

    header: HeaderState
    source: SourceState
    running: RunningState
    waiting: WaitingState
    batch: BatchState
    registers: RegistersState
    pools: PoolsState
    time: TimeState
    detail: DetailState | None
