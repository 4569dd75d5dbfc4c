"""Arguments that nothing reads: in which clause each was written; tells nothing itself (L3.24, D3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grammar import syntax
from grammar.expansion import uses_of, walk
from grammar.reads import Clause, Column
from grammar.scopes import Engine
from grammar.source import Span


def clause_of(argument: syntax.Expr, items: Iterable[syntax.Item], engines: dict[str, Engine]) -> Clause:
    """The clause whose names an argument of a definition may have, found by where the argument is written.

    Args:
        argument: an argument that stands nowhere in the program, put in place or as it is written.
        items: the items of the text, as written.
        engines: the engines by name.
    """
    uses = uses_of(argument.span)
    where = uses[-1].span if uses else argument.span
    for item in items:
        if isinstance(item, syntax.Engine | syntax.Queue) and item.name is not None:
            for value, column in _engine_clauses(item):
                if _is_within(where, value.span):
                    return Clause(column, engine=engines.get(item.name.text))
    return Clause(Column.STATEMENT)


def _engine_clauses(item: syntax.Item) -> Iterator[tuple[syntax.Expr, Column]]:
    for node in walk(item):
        if isinstance(node, syntax.TokensCap):
            yield node.value, Column.TOKENS
        elif isinstance(node, syntax.Cap | syntax.SLet):
            yield node.value, Column.EACH
        elif isinstance(node, syntax.Order):
            yield from ((key, Column.BY) for key in node.keys)
        elif isinstance(node, syntax.SBranch):
            yield node.guard, Column.SCHEDULE
        elif isinstance(node, syntax.SSet):
            yield node.value, Column.SCHEDULE
        elif isinstance(node, syntax.Execute):
            yield node.value, Column.EXECUTE
        elif isinstance(node, syntax.Advance | syntax.AdmitWaiting):
            if node.only is not None:
                yield node.only, Column.ONLY
            if isinstance(node, syntax.AdmitWaiting) and node.gate is not None:
                yield node.gate, Column.SCHEDULE


def _is_within(inner: Span, outer: Span) -> bool:
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    return begins and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
