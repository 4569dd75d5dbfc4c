"""The names a piece of text reads as values, and what they may not be (L3.8, L3.21); knows no clauses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grammar import syntax
from grammar.declarations import Declarations
from grammar.expansion import Substitution, children, walk
from grammar.findings import Findings, hint
from grammar.vocabulary import CONTEXT, LISTS, POOL_FUNCTIONS, STAGE_FUNCTIONS


def in_terms(bindings: Sequence[syntax.Binding]) -> dict[str, syntax.Expr]:
    """What each binding stands for, the earlier ones put in."""
    values: dict[str, syntax.Expr] = {}
    for binding in bindings:
        values[binding.name.text] = Substitution(dict(values)).node(binding.value)
    return values


def check_known(to: Declarations, read: syntax.Ref, own: Iterable[str] = ()) -> None:
    """A name that a request or an entry reads is its ``own`` or one of the program's (E504), called or not."""
    text, first = read.text, read.names[0].text
    model = to.model
    if (
        text in to.constants.values
        or text in model.registers
        or text in CONTEXT
        or text in ("inf", "self")
        or first in model.declared
    ):
        if text not in model.pools and text not in model.stages:
            return
        kind = "pool" if text in model.pools else "stage"
        to.findings.error("E504", read.span, f"`{text}` is a {kind} and no number", *model.note_of(text))
    elif first in LISTS and len(read.names) > 1:
        to.findings.error("E604", read.span, f"`{text}` is read in an engine's clauses, and not in a statement")
    else:
        names = [*own, *to.constants.values, *CONTEXT]
        to.findings.error("E504", read.span, f"nothing is called `{text}`", suggestion=hint(text, names))


def check_indices(findings: Findings, node: syntax.Node, names: Iterable[str], of: str) -> None:
    """An aggregate's index is unlike the names of the request or the entry it stands in (E511)."""
    taken = {*names, "self"}
    for inner in walk(node):
        if isinstance(inner, syntax.Over) and inner.var.text in taken:
            findings.error(
                "E511",
                inner.span,
                f"the index `{inner.var.text}` of this aggregate is also a name of {of}",
                suggestion="give the index a name of its own",
            )


def taking_amounts(taking: syntax.Taking) -> Iterator[syntax.Expr]:
    """The amounts of a ``taking``, in the order written."""
    for take in taking.takes:
        yield take.units
        if take.reserve is not None:
            yield take.reserve
    if taking.reuse is not None:
        yield taking.reuse


def values_read(node: syntax.Node, taken: frozenset[str] = frozenset()) -> Iterator[syntax.Ref]:
    """The names a node reads as values: not pools and stages, not an aggregate's index in it."""
    if isinstance(node, syntax.NameExpr):
        if node.ref.text not in taken:
            yield node.ref
        return
    if isinstance(node, syntax.CallExpr):
        yield from _arguments_read(node, taken)
        return
    if isinstance(node, syntax.CallStatement) and node.ref.names[0].text == "kvt":
        for arg in node.args[2:]:
            yield from values_read(arg, taken)
        return
    if isinstance(node, syntax.Over):
        yield from values_read(node.count, taken)
        yield from values_read(node.body, taken | {node.var.text})
        return
    if isinstance(node, syntax.Ref):
        if node.index is not None:
            yield from values_read(node.index, taken)
        return
    for child in children(node):
        yield from values_read(child, taken)


def _arguments_read(call: syntax.CallExpr, taken: frozenset[str]) -> Iterator[syntax.Ref]:
    name = call.ref.text
    args: Sequence[syntax.Node] = call.args
    named: Iterable[syntax.Node] = ()
    if name == "cost":
        named, args = args[:-1], args[-1:]
    elif name in POOL_FUNCTIONS or name in STAGE_FUNCTIONS or name == "blocksize":
        named, args = args[:1], args[1:]
    for arg in named:
        if isinstance(arg, syntax.NameExpr):
            if arg.ref.index is not None:
                yield from values_read(arg.ref.index, taken)
        else:
            yield from values_read(arg, taken)
    for arg in args:
        yield from values_read(arg, taken)
