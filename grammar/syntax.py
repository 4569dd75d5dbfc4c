"""The syntax tree: frozen nodes with spans; knows no names and no rules.

A node says what was written. Parentheses leave no node (``grouped`` is not kept), so
comparing two trees while ignoring spans compares them "as written" (L5.11, L5.15, L7.27):
spans do not take part in equality.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from grammar.source import Span


@dataclass(frozen=True, slots=True)
class Node:
    """Anything with a place in a text."""

    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A word where something is named."""

    text: str


# --------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Ref(Node):
    """``NAME``, ``NAME[e]``, ``Q.x``, ``Q[e].x`` and longer dotted paths; the index follows the first name."""

    names: tuple[Name, ...]
    index: Expr | None = None

    @property
    def text(self) -> str:
        """The dotted name without its index."""
        return ".".join(name.text for name in self.names)


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A numeral; ``text`` as written."""

    value: float
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class String(Node):
    """A string without its quotes."""

    value: str


@dataclass(frozen=True, slots=True)
class NameExpr(Node):
    """A reference read as a value (or as a pool or stage, by its position)."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """``-`` or ``!``."""

    op: Literal["-", "!"]
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """A binary operator as written: ``+ - * / ^ < <= > >= == != && ||``."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    """``test ? then : orelse``."""

    test: Expr
    then: Expr
    orelse: Expr


@dataclass(frozen=True, slots=True)
class Draw(Node):
    """``~dist(args)``."""

    dist: Name
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Named(Node):
    """A named argument, ``latency = e``."""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class CallExpr(Node):
    """``ref(args)`` as an expression: a function, a definition, ``cost(…)``, ``args.number(…)``."""

    ref: Ref
    args: tuple[Expr | String | Named, ...]


@dataclass(frozen=True, slots=True)
class Over(Node):
    """``max j in n (e)`` and its like."""

    agg: Literal["max", "min", "sum"]
    var: Name
    count: Expr
    body: Expr


Expr = Number | NameExpr | Unary | Binary | Conditional | Draw | CallExpr | Over

# --------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Block(Node):
    """Statements in braces; the span covers the braces."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Set(Node):
    """``set x = e;``."""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class Observe(Node):
    """``observe x = e;``."""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class SizeDecl(Node):
    """``Size x = e;``."""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class CostDecl(Node):
    """``Cost x = e;``."""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class CostRecord(Node):
    """``Cost x = { R: e, … };``."""

    name: Name
    fields: tuple[tuple[Ref, Expr], ...]


@dataclass(frozen=True, slots=True)
class Turn(Node):
    """``turn;``."""


@dataclass(frozen=True, slots=True)
class End(Node):
    """``end;``."""


@dataclass(frozen=True, slots=True)
class Join(Node):
    """``join;``."""


@dataclass(frozen=True, slots=True)
class Mark(Node):
    """``mark m;``."""

    name: Name


@dataclass(frozen=True, slots=True)
class Take(Node):
    """``POOL (units) [reserve (r)]``."""

    pool: Ref
    units: Expr
    reserve: Expr | None = None


@dataclass(frozen=True, slots=True)
class Binding(Node):
    """``x = e`` of ``at admission``."""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class LeaseClause(Node):
    """``lease P (t)``."""

    pool: Ref
    seconds: Expr


@dataclass(frozen=True, slots=True)
class Hold(Node):
    """A hold; ``bindings`` is None without ``at admission``."""

    takes: tuple[Take, ...]
    body: Block
    reuse: Expr | None = None
    bindings: tuple[Binding, ...] | None = None
    cache: Expr | None = None
    lease: LeaseClause | None = None


@dataclass(frozen=True, slots=True)
class Grow(Node):
    """``grow P (e);``."""

    pool: Ref
    units: Expr


@dataclass(frozen=True, slots=True)
class Drop(Node):
    """``drop P;``."""

    pool: Ref


@dataclass(frozen=True, slots=True)
class Release(Node):
    """``release P;``."""

    pool: Ref


@dataclass(frozen=True, slots=True)
class Load(Node):
    """``load P (e);``."""

    pool: Ref
    units: Expr


@dataclass(frozen=True, slots=True)
class Run(Node):
    """``run a, b [prefill | decode] (w) [growing P];``; no refs is ``run (w);``."""

    stages: tuple[Ref, ...]
    mode: Name | None
    work: Expr
    growing: Ref | None = None


@dataclass(frozen=True, slots=True)
class ModeRun(Node):
    """``prefill (w) [growing P];`` or ``decode (w) …;``, a request's own run."""

    mode: Name
    work: Expr
    growing: Ref | None = None


@dataclass(frozen=True, slots=True)
class Branch(Node):
    """``branch [with] (e) { } [else { }]``; ``drawn`` for ``branch with``."""

    drawn: bool
    guard: Expr
    then: Block
    orelse: Block | None = None


@dataclass(frozen=True, slots=True)
class While(Node):
    """``while (e) { }``."""

    guard: Expr
    body: Block


@dataclass(frozen=True, slots=True)
class Loop(Node):
    """``loop { }``."""

    body: Block


@dataclass(frozen=True, slots=True)
class Fork(Node):
    """``fork { }``."""

    body: Block


@dataclass(frozen=True, slots=True)
class Choose(Node):
    """``choose j in n by (k, …);``."""

    var: Name
    count: Expr
    keys: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class OnTarget(Node):
    """``[e]`` (an index) or ``on S, …`` (stages) after ``tool`` or ``transfer``."""

    index: Expr | None = None
    stages: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool(Node):
    """``tool [target] e [growing P];``."""

    target: OnTarget | None
    work: Expr
    growing: Ref | None = None


@dataclass(frozen=True, slots=True)
class Transfer(Node):
    """``transfer [target] e [from P to Q (n)];``."""

    target: OnTarget | None
    work: Expr
    source: Ref | None = None
    dest: Ref | None = None
    units: Expr | None = None


@dataclass(frozen=True, slots=True)
class CallStatement(Node):
    """``ref (args) [from P] [to Q (n)];``: a definition, a request, an entry, ``kvt.…``."""

    ref: Ref
    args: tuple[Expr | String | Named, ...]
    source: Ref | None = None
    dest: Ref | None = None
    units: Expr | None = None


Statement = (
    Set
    | Observe
    | SizeDecl
    | CostDecl
    | CostRecord
    | Turn
    | End
    | Join
    | Mark
    | Hold
    | Grow
    | Drop
    | Release
    | Load
    | Run
    | ModeRun
    | Branch
    | While
    | Loop
    | Fork
    | Choose
    | Tool
    | Transfer
    | CallStatement
)

# --------------------------------------------------------------------------- items


@dataclass(frozen=True, slots=True)
class Use(Node):
    """``use "path";``."""

    path: String


@dataclass(frozen=True, slots=True)
class Let(Node):
    """``let x = e;``."""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class Def(Node):
    """``def f(x, …) { e }`` or ``def f(x, …) { stmts }``."""

    name: Name
    params: tuple[Name, ...]
    body: Expr | Block


@dataclass(frozen=True, slots=True)
class Owner(Node):
    """``on NAME`` or ``on NAME.DEVICE`` of a pool."""

    name: Name
    device: Name | None = None


@dataclass(frozen=True, slots=True)
class PoolOption(Node):
    """One option of a pool.

    ``kind`` and what is filled: cap, block (``value``); evict, queue, preempt (``word`` lru,
    fifo, none, lifo, or ``keys``; ``requeue`` head or tail); reserve_held; spill (``to``,
    ``via``, ``value`` the work, ``when``); admit_via (``via``).
    """

    kind: Literal["cap", "block", "evict", "preempt", "queue", "reserve_held", "spill", "admit_via"]
    value: Expr | None = None
    word: str | None = None
    keys: tuple[Expr, ...] = ()
    requeue: str | None = None
    to: Ref | None = None
    via: Ref | None = None
    when: Expr | None = None


@dataclass(frozen=True, slots=True)
class Pool(Node):
    """``pool NAME [N] [on …] { options }``."""

    name: Name
    size: Expr | None
    owner: Owner | None
    options: tuple[PoolOption, ...]


@dataclass(frozen=True, slots=True)
class StageKind(Node):
    """``fifo``, ``fifo(c)``, ``ps(e)``, ``delay``."""

    word: Literal["fifo", "ps", "delay"]
    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class Stage(Node):
    """``stage NAME [N] : kind;``."""

    name: Name
    size: Expr | None
    kind: StageKind


@dataclass(frozen=True, slots=True)
class TimeResource(Node):
    """``R (p, …) = e;`` of a device."""

    name: Name
    params: tuple[Name, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class Capacity(Node):
    """``C cap e;`` or ``C[N] cap e;``."""

    name: Name
    size: Expr | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Device(Node):
    """``device NAME [N] { items }``."""

    name: Name
    size: Expr | None
    items: tuple[TimeResource | Capacity, ...]


@dataclass(frozen=True, slots=True)
class Cap(Node):
    """``each at most (e)``."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Order(Node):
    """``admission``, ``decode first`` or ``by (k, …)``."""

    word: Literal["admission", "decode first", "by"]
    keys: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Taking(Node):
    """``taking P (u) …, … [reuse (e)]``."""

    takes: tuple[Take, ...]
    reuse: Expr | None = None


@dataclass(frozen=True, slots=True)
class SLet(Node):
    """A schedule's ``let``."""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class Advance(Node):
    """``advance running …;``."""

    only: Expr | None = None
    order: Order | None = None
    cap: Cap | None = None


@dataclass(frozen=True, slots=True)
class AdmitWaiting(Node):
    """``admit waiting …;``."""

    only: Expr | None = None
    gate: Expr | None = None
    cap: Cap | None = None
    taking: Taking | None = None


@dataclass(frozen=True, slots=True)
class Exclusive(Node):
    """``exclusive prefill …;``."""

    cap: Cap | None = None


@dataclass(frozen=True, slots=True)
class SBranch(Node):
    """A schedule's ``branch``; the arms' spans are in their blocks."""

    guard: Expr
    then: ScheduleBlock
    orelse: ScheduleBlock | None = None


@dataclass(frozen=True, slots=True)
class SSet(Node):
    """A schedule's ``set``."""

    name: Name
    value: Expr


ScheduleItem = SLet | Advance | AdmitWaiting | Exclusive | SBranch | SSet


@dataclass(frozen=True, slots=True)
class ScheduleBlock(Node):
    """Schedule items in braces, as written (lets may be misplaced; the linker says so)."""

    items: tuple[ScheduleItem, ...]


@dataclass(frozen=True, slots=True)
class TokensCap(Node):
    """``tokens cap e;``."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Granule(Node):
    """``granule c;``."""

    value: Expr


@dataclass(frozen=True, slots=True)
class StateDecl(Node):
    """``state r = c;``."""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class Execute(Node):
    """``execute (e);``."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Schedule(Node):
    """``schedule { … }``; the span is the word's."""

    block: ScheduleBlock


@dataclass(frozen=True, slots=True)
class AtAdmission(Node):
    """``at admission { x = e; … }`` of a request."""

    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class RequestCache(Node):
    """``cache (e);`` of a request."""

    value: Expr


@dataclass(frozen=True, slots=True)
class RequestDecl(Node):
    """``request (p, …) { items }``, the items as written, in order."""

    params: tuple[Name, ...]
    items: tuple[Statement | AtAdmission | RequestCache, ...]


EngineItem = TokensCap | Capacity | Granule | StateDecl | Execute | Schedule | RequestDecl


@dataclass(frozen=True, slots=True)
class Engine(Node):
    """``engine NAME [N] on DEVICE { items }``; no name inside a queue."""

    name: Name | None
    size: Expr | None
    device: Name
    items: tuple[EngineItem, ...]


@dataclass(frozen=True, slots=True)
class ServeStage(Node):
    """``serve kind [latency e];`` of a queue."""

    kind: StageKind
    latency: Expr | None = None


@dataclass(frozen=True, slots=True)
class Nic(Node):
    """``nic kind;`` of a queue."""

    kind: StageKind


@dataclass(frozen=True, slots=True)
class Entry(Node):
    """``verb (p, …) [from P] { … }`` of a queue; ``params`` is None without parentheses."""

    verb: Name
    params: tuple[Name, ...] | None
    source: Name | None
    body: Block


QueueItem = Pool | Device | Engine | ServeStage | Nic | Entry


@dataclass(frozen=True, slots=True)
class Queue(Node):
    """``queue NAME [N] [: roles] { items }``."""

    name: Name
    size: Expr | None
    roles: tuple[Name, ...]
    items: tuple[QueueItem, ...]


@dataclass(frozen=True, slots=True)
class Arrival(Node):
    """``arrive LAW;``."""

    law: Literal["poisson", "renewal", "closed", "batch", "none"]
    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class TraceClause(Node):
    """``trace "file" [ordered];``."""

    path: String
    ordered: bool


@dataclass(frozen=True, slots=True)
class InitBlock(Node):
    """``init { … }``."""

    body: Block


@dataclass(frozen=True, slots=True)
class TurnBlock(Node):
    """``turn { … }``."""

    body: Block


@dataclass(frozen=True, slots=True)
class SessionBlock(Node):
    """``session { … }``."""

    body: Block


@dataclass(frozen=True, slots=True)
class Hidden(Node):
    """``hidden a, b;``."""

    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Workload(Node):
    """``workload { items }``."""

    items: tuple[Arrival | TraceClause | InitBlock | TurnBlock | SessionBlock | Hidden, ...]


@dataclass(frozen=True, slots=True)
class Server(Node):
    """``server { … }``."""

    body: Block


@dataclass(frozen=True, slots=True)
class ShareDecl(Node):
    """``share maxmin;``."""

    policy: Name


@dataclass(frozen=True, slots=True)
class Relation(Node):
    """``kvt.nixl_pull (P, D, latency = e);`` among the items."""

    ref: Ref
    args: tuple[Expr | String | Named, ...]


@dataclass(frozen=True, slots=True)
class GaugeDecl(Node):
    """``gauge g = e;``."""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class ClaimDecl(Node):
    """``claim c [given (e)] : every iteration of E (e);`` and its like; ``of`` is None at the end."""

    name: Name
    given: Expr | None
    over: Literal["every", "some", "end"]
    of: Ref | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Main(Node):
    """``fn main() { items }``; ``name`` carries the span of the word ``main``."""

    name: Name
    items: tuple[Item, ...]


Item = (
    Main
    | Use
    | Let
    | Def
    | Pool
    | Stage
    | Device
    | Engine
    | Queue
    | Workload
    | Server
    | ShareDecl
    | Relation
    | GaugeDecl
    | ClaimDecl
)


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A whole source text as items."""

    items: tuple[Item, ...]
