"""The whole program of the IR, its arrivals and its settings; knows no text."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from grammar.declaring import dataclass
from grammar.ir.deployment import Pool, Stage
from grammar.ir.expressions import Expr, Target
from grammar.ir.statements import Statement


@dataclass(frozen=True, slots=True)
class Poisson:
    """One session at time 0, then exponential gaps of mean 1 / rate seconds."""

    rate: float


@dataclass(frozen=True, slots=True)
class Renewal:
    """A gap in seconds before each session."""

    gap: Expr


@dataclass(frozen=True, slots=True)
class Closed:
    """``count`` sessions, each replaced when it ends."""

    count: int


@dataclass(frozen=True, slots=True)
class Batch:
    """``count`` sessions at time 0."""

    count: int


@dataclass(frozen=True, slots=True)
class Preset:
    """One explicit session: its attributes, and its turns, as (slot, value) pairs."""

    attrs: tuple[tuple[int, float], ...]
    turns: tuple[tuple[tuple[int, float], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Sessions:
    """Explicit sessions, all at time 0."""

    sessions: tuple[Preset, ...]


Arrival = Poisson | Renewal | Closed | Batch | Sessions | None


@dataclass(frozen=True, slots=True)
class Register:
    """A number an engine keeps between iterations."""

    name: str
    stage: int
    init: float


@dataclass(frozen=True, slots=True)
class Gauge:
    """A named value whose time average is reported."""

    name: str
    expr: Expr


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim; ``stage`` is the engine of an iteration claim, None at the end."""

    name: str
    kind: Literal["EveryIteration", "SomeIteration", "AtEnd"]
    expr: Expr
    stage: int | None = None
    given: Expr | None = None


AttrType = Literal["Size", "Value"] | Target
Side = Literal["Workload", "Server"]


@dataclass(frozen=True, slots=True)
class Slots:
    """The built-in attributes; a compiler puts them at 0 to 8 in this order."""

    cached: int = 0
    serial: int = 1
    turn: int = 2
    new: int = 3
    out: int = 4
    think: int = 5
    more: int = 6
    forced: int = 7
    computed: int = 8


@dataclass(frozen=True, slots=True)
class Program:
    """A whole program with its settings. Times are seconds of the program's clock."""

    attrs: tuple[str, ...]
    attr_types: tuple[AttrType, ...]
    sides: tuple[tuple[Side, ...], ...]
    observes: tuple[str, ...]
    pools: tuple[Pool, ...]
    stages: tuple[Stage, ...]
    arrival: Arrival
    init: int
    turn: int
    session: int
    blocks: tuple[tuple[Statement, ...], ...]
    horizon: float
    warmup: float = 0.0
    seed: int = 1
    arrivals: int | None = None
    trace: str | None = None
    trace_ordered: bool = False
    slots: Slots = field(default_factory=Slots)
    hidden: tuple[int, ...] = ()
    gauges: tuple[Gauge, ...] = ()
    claims: tuple[Claim, ...] = ()
    registers: tuple[Register, ...] = ()
