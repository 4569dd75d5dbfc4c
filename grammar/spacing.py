"""Which neighbouring lexemes touch and where a long line may break; knows no comments and no blocks.

Most of it shows in the lexemes. Some does not: the ``(`` of ``cost(kv, n)`` touches its name, that of ``hold kv (n)``
does not; so the syntax tree is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from grammar import syntax
from grammar.expansion import walk
from grammar.scan import Lexeme

_NOTHING_BEFORE = frozenset({",", ";", ")", "]", "."})
_NOTHING_AFTER = frozenset({"(", "[", "."})

_CLAUSES = frozenset(
    "only decode admission by while each taking reserve reuse at growing from to cache lease via when given requeue".split()
)
"""Words a clause of a statement begins with: where a statement too long for its line breaks first."""

_LOOSENESS = {"?": 2, ":": 2, "||": 3, "&&": 4, "<": 5, "<=": 5, ">": 5, ">=": 5, "==": 5, "!=": 5, "+": 6, "-": 6, "*": 7, "/": 7}
"""Operators by how loosely they bind (L2.2): a line breaks before the loosest."""

_AFTER_COMMA = 1
_PER_BRACKET = 10
"""More than any looseness: a line breaks outside brackets rather than in them."""

Mark = tuple[int, int]
"""A line and a column."""


@dataclass(frozen=True)
class Spacing:
    """What the tree says of the places of a text.

    Attributes:
        touching: where a name ends whose ``(`` touches it.
        unary: where a sign stands that touches its operand.
        fields: where the name of a resource ends whose ``:`` touches it.
        apart: where a ``[`` stands that is no index.
    """

    touching: frozenset[Mark]
    unary: frozenset[Mark]
    fields: frozenset[Mark]
    apart: frozenset[Mark]

    def between(self, left: Lexeme, right: Lexeme) -> str:
        """What stands between two lexemes on a line: a space or nothing."""
        end = (left.span.end_line, left.span.end_column)
        start = (right.span.line, right.span.column)
        if left.text in _NOTHING_AFTER or right.text in _NOTHING_BEFORE:
            return ""
        if (left.span.line, left.span.column) in self.unary:
            return ""
        if right.text == "(" and end in self.touching:
            return ""
        if right.text == "[" and start not in self.apart:
            return ""
        if right.text == ":" and end in self.fields:
            return ""
        return " "

    def breaks(self, run: Sequence[Lexeme]) -> list[int | None]:
        """How well a line breaks before each lexeme of a run: the lower the better, None where it cannot."""
        levels: list[int | None] = []
        depth = 0
        for index, lexeme in enumerate(run):
            left = run[index - 1] if index else None
            depth -= lexeme.text in {")", "]"}
            level: int | None = None
            if left is None or self.between(left, lexeme) == "":
                level = None
            elif left.text == ",":
                level = _PER_BRACKET * depth + _AFTER_COMMA
            elif lexeme.text in _LOOSENESS and (lexeme.span.line, lexeme.span.column) not in self.unary:
                level = _PER_BRACKET * depth + _LOOSENESS[lexeme.text]
            elif lexeme.kind == "word" and lexeme.text in _CLAUSES and depth == 0 and left.text != "each":
                level = 0
            levels.append(level)
            depth += lexeme.text in {"(", "["}
        return levels


def spacing_of(text: syntax.Text, lexemes: Sequence[Lexeme]) -> Spacing:
    """Ask a tree for what its lexemes, which come without comments, do not show."""
    touching: set[Mark] = set()
    unary: set[Mark] = set()
    fields: set[Mark] = set()
    apart: set[Mark] = set()
    arrivals: set[Mark] = set()
    for node in walk(text):
        match node:
            case syntax.CallExpr():
                touching.add(_end(node.ref))
            case syntax.Draw():
                touching.add(_end(node.dist))
                unary.add(_start(node))
            case syntax.Def() | syntax.Main():
                touching.add(_end(node.name))
            case syntax.StageKind():
                touching.add((node.span.line, node.span.column + len(node.word)))
            case syntax.Arrival():
                arrivals.add(_start(node))
            case syntax.Unary():
                unary.add(_start(node))
            case syntax.CostRecord():
                fields.update(_end(ref) for ref, _ in node.fields)
            case syntax.OnTarget():
                apart.add(_start(node))
            case _:
                pass
    for word, law in pairwise(lexemes):
        if (word.span.line, word.span.column) in arrivals:
            touching.add((law.span.end_line, law.span.end_column))
    return Spacing(frozenset(touching), frozenset(unary), frozenset(fields), frozenset(apart))


def _start(node: syntax.Node) -> Mark:
    return node.span.line, node.span.column


def _end(node: syntax.Node) -> Mark:
    return node.span.end_line, node.span.end_column
