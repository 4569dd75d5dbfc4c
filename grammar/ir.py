"""The kernel IR as frozen plain data; knows no text, no JSON and no meaning.

The shape follows the IR of version 14 (``share`` stands in each run). What the older
versions write differently is the business of ``ir_json``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

# --------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Num:
    """A number; infinities are floats."""

    value: float


@dataclass(frozen=True, slots=True)
class Attr:
    """The session's attribute in a slot."""

    slot: int


@dataclass(frozen=True, slots=True)
class Ctx:
    """A context variable by its IR name (``Now``, ``Nres`` …), see R6.24."""

    name: str


@dataclass(frozen=True, slots=True)
class Reg:
    """A register by its index in ``Program.registers``."""

    index: int


@dataclass(frozen=True, slots=True)
class Agg:
    """An aggregate over everything observed (``Total``, ``Count``, ``Largest``, ``Smallest``, ``PrefixTotal``)."""

    kind: str
    observe: int


@dataclass(frozen=True, slots=True)
class PoolTarget:
    """The pools ``base`` … ``base + count - 1`` as the resource of a cost."""

    base: int
    count: int


@dataclass(frozen=True, slots=True)
class StageTarget:
    """The stages ``base`` … ``base + count - 1`` as the resource of a cost."""

    base: int
    count: int


@dataclass(frozen=True, slots=True)
class Joint:
    """A cost of several resources at once: two or more, distinct, pools before stages, by base."""

    parts: tuple[PoolTarget | StageTarget, ...]


Target = PoolTarget | StageTarget | Joint


@dataclass(frozen=True, slots=True)
class Cost:
    """A number typed as a cost of a resource; the value is the inner one."""

    target: Target
    expr: Expr


@dataclass(frozen=True, slots=True)
class Sample:
    """A draw (``Exp``, ``Det``, ``Uniform``, ``Erlang``, ``H2``, ``Bernoulli``)."""

    dist: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Ref:
    """A pool or stage: ``base``, or member ``index`` of the ``count`` from ``base``."""

    base: int
    count: int = 1
    index: Expr | None = None


@dataclass(frozen=True, slots=True)
class PoolArg:
    """A pool as the argument of a function."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class StageArg:
    """A stage as the argument of a function."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class Call:
    """A function by its IR name; arguments are expressions, pools or stages."""

    fun: str
    args: tuple[Expr | PoolArg | StageArg, ...]


@dataclass(frozen=True, slots=True)
class Unary:
    """``Neg`` or ``Not``."""

    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    """``Add Sub Mul Div Pow Lt Le Gt Ge Eq Ne And Or``."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Cond:
    """``then`` where ``test`` is not 0, else ``orelse``."""

    test: Expr
    then: Expr
    orelse: Expr


Expr = Num | Attr | Ctx | Reg | Agg | Cost | Sample | Call | Unary | Binary | Cond

# --------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Turn:
    """The session's next turn."""


@dataclass(frozen=True, slots=True)
class End:
    """The end of the session."""


@dataclass(frozen=True, slots=True)
class Join:
    """Waits for every leg."""


@dataclass(frozen=True, slots=True)
class Set:
    """Assigns an attribute."""

    slot: int
    expr: Expr


@dataclass(frozen=True, slots=True)
class Observe:
    """Records a sample of an observation."""

    observe: int
    expr: Expr


@dataclass(frozen=True, slots=True)
class Take:
    """One pool of a hold: what it takes and what its admission tests."""

    pool: Ref
    units: Expr
    reserve: Expr | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """A pool kept allocated after the hold for some seconds of the program's clock."""

    pool: Ref
    seconds: Expr


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a shared prefix: a key and its length in units."""

    key: Expr
    length: Expr


@dataclass(frozen=True, slots=True)
class Hold:
    """Takes pools for a body (a block's index)."""

    pools: tuple[Take, ...]
    body: int
    reuse: Expr | None = None
    cache: Expr | None = None
    lease: Lease | None = None
    prefix: tuple[Segment, ...] | None = None


@dataclass(frozen=True, slots=True)
class Grow:
    """The innermost hold of the pool grows."""

    pool: Ref
    units: Expr


@dataclass(frozen=True, slots=True)
class Shrink:
    """The innermost hold of the pool gives units back."""

    pool: Ref
    units: Expr


@dataclass(frozen=True, slots=True)
class Drop:
    """Forgets the session's cached prefix."""

    pool: Ref


@dataclass(frozen=True, slots=True)
class Release:
    """Gives a hold's or a lease's units back now."""

    pool: Ref


@dataclass(frozen=True, slots=True)
class Load:
    """Advances the computed position of the innermost hold."""

    pool: Ref
    units: Expr


Mode = Literal["Plain", "Prefill", "Decode"]
Share = Literal["MaxMin", "Bottleneck"]


@dataclass(frozen=True, slots=True)
class Run:
    """Work on a stage; with ``also`` a flow over several."""

    stage: Ref
    mode: Mode
    work: Expr
    growing: Ref | None = None
    also: tuple[Ref, ...] = ()
    share: Share | None = None
    latency: Expr | None = None
    poster: int | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """The first block for a guard of 1, the second for 0."""

    guard: Expr
    then: int
    orelse: int


@dataclass(frozen=True, slots=True)
class Loop:
    """A block for ever."""

    body: int


@dataclass(frozen=True, slots=True)
class While:
    """A block as long as the guard is 1."""

    guard: Expr
    body: int


@dataclass(frozen=True, slots=True)
class Choose:
    """The index below ``count`` with the least keys."""

    slot: int
    count: Expr
    keys: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Fork:
    """Starts a leg on a block."""

    body: int


@dataclass(frozen=True, slots=True)
class Request:
    """A native request to an engine."""

    stage: Ref
    input: Expr
    output: Expr


Statement = (
    Turn
    | End
    | Join
    | Set
    | Observe
    | Hold
    | Grow
    | Shrink
    | Drop
    | Release
    | Load
    | Run
    | Branch
    | Loop
    | While
    | Choose
    | Fork
    | Request
)

# --------------------------------------------------------------------------- deployment


@dataclass(frozen=True, slots=True)
class By:
    """Keys, least first; none means the standing order."""

    keys: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Preempt:
    """Preemption by keys; ``tail`` requeues the victim at the back."""

    keys: tuple[Expr, ...]
    tail: bool = False


@dataclass(frozen=True, slots=True)
class Leases:
    """Growths take leases instead of victims."""

    keys: tuple[Expr, ...]
    every: float | None = None
    suspend: tuple[Expr, ...] | None = None


@dataclass(frozen=True, slots=True)
class Spill:
    """Where evicted prefixes are written."""

    to: int
    via: int
    work: Expr
    when: Expr


@dataclass(frozen=True, slots=True)
class Pool:
    """A counted resource with a queue and a prefix cache.

    ``evict`` is None for the least recently released first. ``queue`` is None for first
    in, first out. ``preempt`` is None where a growth without room waits.
    """

    name: str
    cap: float
    index: int | None = None
    block: float | None = None
    evict: By | None = None
    preempt: Preempt | Leases | None = None
    queue: tuple[Expr, ...] | None = None
    spill: Spill | None = None
    admit_via: int | None = None
    reserve_held: bool = False
    queue_every: float | None = None


@dataclass(frozen=True, slots=True)
class Fifo:
    """``servers`` jobs at a time, in order."""

    servers: int


@dataclass(frozen=True, slots=True)
class Ps:
    """Processor sharing of a capacity; exactly ``Ctx("N")`` is the delay."""

    capacity: Expr


@dataclass(frozen=True, slots=True)
class Serve:
    """``advance running``: the residents not yet served; ``by`` None is the stage's own order."""

    only: Expr | None = None
    by: tuple[Expr, ...] | None = None


@dataclass(frozen=True, slots=True)
class Admit:
    """``admit waiting``."""

    only: Expr | None = None
    gate: Expr | None = None


@dataclass(frozen=True, slots=True)
class SBranch:
    """A branch of a schedule."""

    guard: Expr
    then: tuple[ScheduleStatement, ...]
    orelse: tuple[ScheduleStatement, ...]


@dataclass(frozen=True, slots=True)
class SSet:
    """Sets a register."""

    register: int
    expr: Expr


ScheduleStatement = Serve | Admit | SBranch | SSet


@dataclass(frozen=True, slots=True)
class RequestRecords:
    """Where a native request leaves its figures."""

    reused: int
    prefill: int
    admitted: int
    first: int
    last_reused: int
    last_prefill: int


@dataclass(frozen=True, slots=True)
class RequestClause:
    """What the admission of a native request takes."""

    pools: tuple[Take, ...]
    records: RequestRecords
    reuse: Expr | None = None
    cache: Expr | None = None
    prefix: tuple[Segment, ...] | None = None


@dataclass(frozen=True, slots=True)
class Connector:
    """An engine's second tier."""

    loaded: int
    saved: int
    load_done: int
    record: int
    load: tuple[Expr, int] | None = None
    save: tuple[Expr, int] | None = None
    source: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """An engine. ``serve`` is None for exclusive prefill; ``iteration`` None for the default procedure."""

    budget: Expr
    cost: Expr
    chunk: Expr
    serve: By | None
    memory: int | None = None
    granule: float | None = None
    iteration: tuple[ScheduleStatement, ...] | None = None
    request: RequestClause | None = None
    connector: Connector | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage and its kind."""

    name: str
    kind: Fifo | Ps | Step
    index: int | None = None


# --------------------------------------------------------------------------- arrivals


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

# --------------------------------------------------------------------------- the program


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


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands in the source; lines and columns count from 1, in characters."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The linker's side table from statements to places in the text.

    ``statements`` is keyed by (block, index). ``schedule`` is keyed by (stage, path): the
    path of a schedule statement is its index in the list, then, inside a branch, the arm
    (0 then, 1 else) and the index there, and so on. The default procedure has the paths
    (0,) for its ``advance running`` and (1,) for its ``admit waiting``; exclusive prefill
    likewise. ``execute`` and ``tokens_cap`` are keyed by stage.
    ``arrival`` is the law of arrivals, None where none is written.
    """

    statements: dict[tuple[int, int], Place] = field(default_factory=dict)
    schedule: dict[tuple[int, tuple[int, ...]], Place] = field(default_factory=dict)
    execute: dict[int, Place] = field(default_factory=dict)
    tokens_cap: dict[int, Place] = field(default_factory=dict)
    arrival: Place | None = None
