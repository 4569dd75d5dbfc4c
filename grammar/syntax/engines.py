"""The nodes of an engine, its schedule and its request; knows no queue around it."""

from __future__ import annotations

from typing import Literal

from grammar.declaring import dataclass
from grammar.syntax.deployment import Capacity
from grammar.syntax.expressions import Expr, Name, Node
from grammar.syntax.statements import Binding, Statement, Take


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
