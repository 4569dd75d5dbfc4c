"""Puts the bindings of ``at admission`` where they are read (L6.9, L7.24); knows no pools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from grammar import syntax
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.expansion import Substitution, walk
from grammar.findings import Findings
from grammar.vocabulary import POOL_FUNCTIONS, STAGE_FUNCTIONS


@dataclass(frozen=True, slots=True)
class BoundSet(syntax.Set):
    """The ``set`` at the top of a hold's body of a binding the body reads (L6.5)."""


@dataclass(frozen=True, slots=True)
class CheckedBinding(syntax.Binding):
    """A binding of a request or an entry, whose reads are checked as written: an argument may be live state (L6.10)."""


def bound(findings: Findings, hold: syntax.Hold, *, live: frozenset[str]) -> syntax.Hold:
    """A hold without bindings: they are put into its header, ``cache`` and ``lease``, and those its body reads are set first.

    Args:
        findings: where errors are told.
        hold: the hold; its body is expanded already.
        live: names whose value has moved on once the body runs, so that a binding that reads one is not read there (E1008).
    """
    if hold.bindings is None:
        return hold
    values = substituted(findings, hold.bindings)
    into = Substitution(values)
    body = hold.body
    read = names_read(body)
    unchecked = [b for b in hold.bindings if not isinstance(b, CheckedBinding)]
    check_moved(findings, unchecked, values, read, live)
    set_first = []
    for binding in hold.bindings:
        name = binding.name.text
        if name not in read or name not in values:
            continue
        set_first.append(BoundSet(binding.span, binding.name, values[name]))
    return replace(
        hold,
        takes=tuple(into.node(take) for take in hold.takes),
        reuse=None if hold.reuse is None else into.node(hold.reuse),
        bindings=None,
        body=replace(body, statements=(*set_first, *body.statements)),
        cache=None if hold.cache is None else into.node(hold.cache),
        lease=None if hold.lease is None else into.node(hold.lease),
    )


def names_read(node: syntax.Node) -> set[str]:
    """The names a body reads."""
    return {n.ref.text for n in walk(node) if isinstance(n, syntax.NameExpr) and n.ref.index is None}


def check_moved(
    findings: Findings,
    bindings: Iterable[syntax.Binding],
    values: Mapping[str, syntax.Expr],
    read: set[str],
    live: frozenset[str],
) -> None:
    """A body reads a binding only if it stands for attributes and constants: the rest has moved on (L6.9, E1008)."""
    for binding in bindings:
        name = binding.name.text
        moved = moved_on(values[name], live) if name in read and name in values else None
        if moved is not None:
            findings.error(
                "E1008",
                binding.name.span,
                f"the statements read `{name}`, bound to `{moved}` at the admission, which has moved on by then",
                suggestion="read `cached` for `cachedin(…)`; for the rest, `set` a name inside the hold",
            )


def substituted(findings: Findings, bindings: Sequence[syntax.Binding]) -> dict[str, syntax.Expr]:
    """What each binding stands for, the earlier ones put in; a later one or itself is not in scope (E1007), none draws (E1006)."""
    values: dict[str, syntax.Expr] = {}
    later = [b.name.text for b in bindings]
    first: dict[str, syntax.Binding] = {}
    for binding in bindings:
        name = binding.name.text
        if name in first:
            note = Note("the first is here", first[name].name.span)
            findings.error(
                "E1009", binding.name.span, f"`{name}` is bound twice at one admission", note, suggestion="rename one of them"
            )
        first.setdefault(name, binding)
        for node in walk(binding.value):
            if isinstance(node, syntax.NameExpr) and node.ref.text in later:
                said = "itself" if node.ref.text == name else f"`{node.ref.text}`, bound below"
                findings.error(
                    "E1007",
                    binding.name.span,
                    f"the binding `{name}` reads {said}, and a binding sees the earlier ones only",
                    Note("it is read here", node.span),
                    suggestion="put it after what it reads",
                )
            elif isinstance(node, syntax.Draw):
                findings.error(
                    "E1006",
                    binding.name.span,
                    f"the binding `{name}` draws: it is read at every attempt to admit, and would draw each time",
                    Note("the draw is here", node.span),
                    suggestion="`set` an attribute to the draw above the hold and read that",
                )
        later.remove(name)
        values[name] = Substitution(values).node(binding.value)
    return values


def moved_on(value: syntax.Expr, live: frozenset[str]) -> str | None:
    """What a binding reads that is not an attribute or a constant (L6.9)."""
    for node in walk(value):
        if isinstance(node, syntax.CallExpr):
            name = node.ref.text
            if name == "cost":
                return "cost(…)"
            if name in POOL_FUNCTIONS or name in STAGE_FUNCTIONS:
                return f"{name}(…)"
        elif isinstance(node, syntax.NameExpr) and node.ref.text in live:
            return node.ref.text
    return None
