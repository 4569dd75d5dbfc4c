"""Where a statement stands, and the piece of it an error points at; knows no rules."""

from __future__ import annotations

from enum import Enum

from grammar import syntax
from grammar.declaring import dataclass
from grammar.scopes import Engine, Queue
from grammar.source import Span


class Kind(Enum):
    """Whose statements a block has, in words."""

    INIT = "`init`"
    TURN = "`turn`"
    SESSION = "the session"
    SERVER = "the server"
    ROUTE = "a gateway's `route`"
    ENTRY = "a queue's entry"
    REQUEST = "a request"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands.

    Attributes:
        kind: whose statements they are.
        order: the place of the item they are written in, for what must stand above (L3.4).
        held: inside a hold.
        forked: inside a leg.
        engine: the engine whose request it is.
        queue: the queue whose entry it is.
    """

    kind: Kind
    order: int
    held: bool = False
    forked: bool = False
    engine: Engine | None = None
    queue: Queue | None = None


def anchor(node: syntax.Statement) -> Span:
    """The piece of a statement that an error about the whole of it points at: what it names or decides by."""
    if isinstance(node, syntax.Run):
        return node.stages[0].span if node.stages else node.work.span
    if isinstance(node, syntax.Hold):
        return node.takes[0].pool.span
    if isinstance(node, syntax.Grow | syntax.Drop | syntax.Release | syntax.Load):
        return node.pool.span
    if isinstance(node, syntax.Branch | syntax.While):
        return node.guard.span
    if isinstance(node, syntax.Choose):
        return node.count.span
    if isinstance(node, syntax.Set | syntax.Observe | syntax.SizeDecl | syntax.CostDecl | syntax.CostRecord):
        return node.name.span
    if isinstance(node, syntax.CallStatement):
        return node.ref.span
    return node.span
