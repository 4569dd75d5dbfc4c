"""The nodes of the statements that sessions, servers, requests and entries are made of; knows no declaration."""

from __future__ import annotations

from grammar.declaring import dataclass
from grammar.syntax.expressions import Expr, Name, Named, Node, Ref, String


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
