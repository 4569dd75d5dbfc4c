"""What statements do on every path through them (L6.8, L7.15); knows no names but those it collects."""

from __future__ import annotations

from collections.abc import Iterable

from grammar import syntax
from grammar.attributes import assigned


def always_set(statements: Iterable[syntax.Statement]) -> set[str]:
    """The names that every path through the statements sets."""
    found: set[str] = set()
    for node in statements:
        found.update(name.text for name in assigned(node))
        if isinstance(node, syntax.Branch):
            orelse = () if node.orelse is None else node.orelse.statements
            found |= always_set(node.then.statements) & always_set(orelse)
        elif isinstance(node, syntax.Hold | syntax.Loop):
            found |= always_set(node.body.statements)
    return found
