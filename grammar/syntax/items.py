"""The nodes of what a text declares, save an engine and what only it has; knows no schedule."""

from __future__ import annotations

from typing import Literal

from grammar.declaring import dataclass
from grammar.syntax.deployment import Device, Pool, Stage, StageKind
from grammar.syntax.engines import Engine
from grammar.syntax.expressions import Expr, Name, Named, Node, Ref, String
from grammar.syntax.statements import Block


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
