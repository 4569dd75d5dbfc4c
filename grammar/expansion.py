"""Substitution on the syntax tree and where a piece of text was used; knows no names and no rules.

Definitions, requests, entries, bindings and schedule lets are all put in place of their
use by the one walk below. A node that comes from somewhere else keeps the span where it
is written and gains the chain of uses that brought it here (L13.3), so an error can point
at the text and still say by which call it was reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from grammar import syntax
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.source import Span

N = TypeVar("N", bound=syntax.Node)


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a definition, a request or an entry: what was used, and where."""

    what: str
    span: Span

    def note(self) -> Note:
        """The sentence of L13.3 for this use."""
        return Note(f"in {self.what}, used at {self.span.line}:{self.span.column}", plain(self.span))


@dataclass(frozen=True, slots=True)
class ExpandedSpan(Span):
    """A span in a text that stands somewhere else by expansion; ``uses`` goes innermost first.

    ``option`` is what of the host it stands for, where it is no place in the program (L13.7).
    """

    uses: tuple[Use, ...]
    option: str | None = None


@dataclass(frozen=True, slots=True)
class HostSpan(Span):
    """A place in an expression the host supplied with an option, which is no place in the program (L13.7)."""

    option: str


def uses_of(span: Span | None) -> tuple[Use, ...]:
    """The uses by which a piece of text got where it is, innermost first."""
    return span.uses if isinstance(span, ExpandedSpan) else ()


def option_of(span: Span | None) -> str | None:
    """The option a piece of text was supplied with, None for one of the program."""
    return span.option if isinstance(span, ExpandedSpan | HostSpan) else None


def plain(span: Span) -> Span:
    """The span without its uses."""
    return Span(span.line, span.column, span.end_line, span.end_column) if isinstance(span, ExpandedSpan) else span


def reached_by(span: Span, use: Use) -> Span:
    """The span of a node that is put in place of ``use``; what the host supplied stands at the use itself."""
    option = option_of(span)
    if isinstance(span, HostSpan):
        span = use.span
    return ExpandedSpan(span.line, span.column, span.end_line, span.end_column, (*uses_of(span), use), option)


_CHILDREN: dict[type, tuple[str, ...]] = {}


def _child_fields(cls: type) -> tuple[str, ...]:
    names = _CHILDREN.get(cls)
    if names is None:
        names = tuple(f.name for f in fields(cls) if f.name != "span")
        _CHILDREN[cls] = names
    return names


def children(node: syntax.Node) -> Iterator[syntax.Node]:
    """The nodes directly below, in the order written."""
    for name in _child_fields(node.__class__):
        yield from _nodes_in(getattr(node, name))


def _nodes_in(value: object) -> Iterator[syntax.Node]:
    if isinstance(value, syntax.Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes_in(item)


def walk(node: syntax.Node) -> Iterator[syntax.Node]:
    """The node and everything below it, in the order written."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        below = list(children(node))
        below.reverse()
        waiting.extend(below)


def _mapped(value: Any, change: Callable[[syntax.Node], syntax.Node]) -> Any:
    if isinstance(value, syntax.Node):
        return change(value)
    if isinstance(value, tuple) and value:
        items = tuple(_mapped(item, change) for item in value)
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value


def from_host(node: N, option: str) -> N:
    """The tree of an expression the host supplied with an option, its spans marked as none of the program's."""
    span = HostSpan(node.span.line, node.span.column, node.span.end_line, node.span.end_column, option)
    return cast(N, replace(cast(Any, rebuilt(node, lambda below: from_host(below, option))), span=span))


def size(node: syntax.Node) -> int:
    """About how many tokens a tree was written with, the measure of what expansions write out (L3.27)."""
    return sum(1 for n in walk(node) if not isinstance(n, syntax.Ref | syntax.NameExpr))


def rebuilt(node: N, change: Callable[[syntax.Node], syntax.Node], use: Use | None = None) -> N:
    """The node with ``change`` applied to each child; the same node where nothing changed and nothing is used.

    Every node's fields begin with its span, so it is made by position: ``replace`` takes five times as long, and
    expansions spend their time here.
    """
    cls = node.__class__
    same = use is None
    values = []
    for name in _child_fields(cls):
        old = getattr(node, name)
        if isinstance(old, syntax.Node):
            new: Any = change(old)
        elif old.__class__ is tuple and old:
            new = _mapped(old, change)
        else:
            new = old
        if new is not old:
            same = False
        values.append(new)
    if same:
        return node
    make: Any = cls
    made: N = make(node.span if use is None else reached_by(node.span, use), *values)
    return made


@dataclass(frozen=True, slots=True)
class Substitution:
    """Puts arguments in place of names, in one walk; what is put in is not walked again.

    Attributes:
        values: the expression for each name, dotted or not. One that is itself a reference, in no
            parentheses, may also stand where a pool or a stage is named (L3.19).
        use: the use the walked text is put in place of; None leaves the spans as they are.
        references: whether names are replaced where a pool or a stage is named; a request's
            parameters are not (L6.10).
    """

    values: Mapping[str, syntax.Expr]
    use: Use | None = None
    references: bool = True

    def node(self, node: N) -> N:
        """The node with the names replaced."""
        return cast(N, self._node(node))

    def _node(self, node: syntax.Node) -> syntax.Node:
        if isinstance(node, syntax.NameExpr):
            if node.ref.index is None:
                value = self.values.get(node.ref.text)
                if value is not None:
                    return replace(value, grouped=True) if node.grouped and isinstance(value, syntax.NameExpr) else value
        elif isinstance(node, syntax.Ref):
            return self._ref(node)
        elif isinstance(node, syntax.CallExpr) and not self.references and node.ref.text == "cost" and node.args:
            return self._cost(node)
        elif isinstance(node, syntax.Over) and node.var.text in self.values:
            inner = replace(self, values={k: v for k, v in self.values.items() if k != node.var.text})
            return rebuilt(node, inner._node, self.use)
        return rebuilt(node, self._node, self.use)

    def _cost(self, node: syntax.CallExpr) -> syntax.Node:
        """Where parameters stand for no pools and stages, the resources of a cost are left as named."""
        last = len(node.args) - 1
        args = tuple(a if i < last else self._node(a) for i, a in enumerate(node.args))
        span = node.span if self.use is None else reached_by(node.span, self.use)
        return replace(node, span=span, args=cast("tuple[syntax.Expr, ...]", args))

    def _ref(self, ref: syntax.Ref) -> syntax.Ref:
        value = self.values.get(ref.names[0].text) if self.references else None
        if isinstance(value, syntax.NameExpr) and not value.grouped and (ref.index is None or value.ref.index is None):
            given = value.ref
            index = given.index if ref.index is None else cast(syntax.Expr, self._node(ref.index))
            return replace(given, names=given.names + ref.names[1:], index=index)
        return rebuilt(ref, self._node, self.use)
