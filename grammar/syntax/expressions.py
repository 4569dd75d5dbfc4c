"""What every node is, and the nodes of names and expressions; knows no statement."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from grammar.declaring import dataclass
from grammar.source import Span


@dataclass(frozen=True, slots=True)
class Node:
    """Anything with a place in a text."""

    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A word where something is named."""

    text: str


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
    """A reference read as a value (or as a pool or stage, by its position).

    One in parentheses (``grouped``) is an expression, and names no pool and no stage (L3.9).
    """

    ref: Ref
    grouped: bool = field(default=False, compare=False, repr=False)


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
