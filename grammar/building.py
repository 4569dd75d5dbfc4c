"""Small pieces of syntax tree that expansions write; knows no names and no rules."""

from __future__ import annotations

from grammar import syntax
from grammar.source import Span


def name(span: Span, text: str) -> syntax.Name:
    """A name written by an expansion."""
    return syntax.Name(span, text)


def ref(span: Span, dotted: str, index: syntax.Expr | None = None) -> syntax.Ref:
    """A reference to ``dotted``, its index after the first name (L2.11)."""
    return syntax.Ref(span, tuple(syntax.Name(span, part) for part in dotted.split(".")), index)


def cost(span: Span, resources: tuple[syntax.Ref, ...], amount: syntax.Expr) -> syntax.CallExpr:
    """``cost(R, …, e)``; the targets of a cost carry no index (L11.17)."""
    named = tuple(syntax.NameExpr(span, syntax.Ref(r.span, r.names)) for r in resources)
    return syntax.CallExpr(span, ref(span, "cost"), (*named, amount))


def call(span: Span, function: str, *args: syntax.Expr) -> syntax.CallExpr:
    """``f(a, …)``."""
    return syntax.CallExpr(span, ref(span, function), args)


def now(span: Span) -> syntax.NameExpr:
    """``now``."""
    return syntax.NameExpr(span, ref(span, "now"))


def mark(statement: syntax.Mark, owner: str) -> syntax.Set:
    """``mark m;`` of an engine's request or a queue's entry is ``set OWNER.m = now;`` (L6.5, L8.5)."""
    span = statement.span
    return syntax.Set(span, name(statement.name.span, f"{owner}.{statement.name.text}"), now(span))
