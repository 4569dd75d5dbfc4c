"""From a source text to its syntax tree; knows no names and no rules beyond the grammar."""

from __future__ import annotations

import sys
from typing import Any

from lark import Token, Tree
from lark.exceptions import UnexpectedInput

from grammar import syntax
from grammar.diagnostics import Diagnostic, ProgramError
from grammar.scan import lexical_errors, number_value, scan, starts_name
from grammar.source import Source, Span
from grammar.syntax_errors import MOST_TOLD, syntax_errors
from grammar.table import START_EXPRESSION, START_TEXT, parser_table
from grammar.tree import BUILDERS

MAX_DEPTH = 1000
"""Constructs inside one another, operators counted and parentheses not, of which nothing is left in the tree. The deepest
program written by hand has 30; the reference's own Python gives up on its IR between 400 operators and 1000."""

SHALLOW = 150
"""Levels that every pass can walk by recursion in the thousand frames Python allows unasked: at most five frames each."""

ROOM = 8000
"""Frames for trees up to ``MAX_DEPTH``, measured with a third to spare. Each takes under a kilobyte of the machine's
stack at worst, so that even all of them end in an error of ours and never in a stack of eight megabytes run over."""


def parse(source: Source) -> syntax.Text:
    """Read a whole program (L2.1).

    Raises:
        ProgramError: the text is not one the grammar takes.
    """
    tree = _read(source, START_TEXT)
    text = _build(source, tree)
    assert isinstance(text, syntax.Text)
    return text


def parse_expression(source: Source) -> syntax.Expr:
    """Read an expression the host supplied, for ``--set`` or ``--def`` (L3.16, L3.25).

    Raises:
        ProgramError: the text is not one expression.
    """
    expression: syntax.Expr = _build(source, _read(source, START_EXPRESSION))
    return expression


def _read(source: Source, start: str) -> Tree[Token]:
    try:
        return parser_table().parse(source.text, start=start)
    except UnexpectedInput:
        raise ProgramError(syntax_errors(source, start), source) from None


def _build(source: Source, tree: Tree[Token]) -> Any:
    """Turn the Lark tree into ours, the deepest parts first, without recursion: a text decides how deep it nests."""
    finished: list[Any] = []
    work: list[tuple[Tree[Token], int, bool]] = [(tree, 1, False)]
    deepest = 0
    while work:
        node, depth, ready = work.pop()
        if not ready:
            if depth > MAX_DEPTH:
                raise ProgramError((_too_deep(_span(node)),), source)
            deepest = max(deepest, depth)
            work.append((node, depth, True))
            below = depth if node.data == "paren" else depth + 1
            work.extend((child, below, False) for child in reversed(node.children) if isinstance(child, Tree))
            continue
        count = sum(isinstance(child, Tree) for child in node.children)
        parts = iter(finished[len(finished) - count :])
        children = [next(parts) if isinstance(child, Tree) else _leaf(source, child) for child in node.children]
        del finished[len(finished) - count :]
        finished.append(BUILDERS[node.data](_span(node), children))
    if deepest > SHALLOW:
        # Never lowered again: what is done with such a tree, and with the IR made of it, is done all over the program.
        sys.setrecursionlimit(max(ROOM, sys.getrecursionlimit()))
    return finished[0]


def _leaf(source: Source, token: Token | None) -> syntax.Name | syntax.Number | syntax.String | None:
    if token is None:
        return None
    span = _token_span(token)
    if token.type == "NUMBER":
        value = number_value(token)
        if value is None:
            raise _not_lexical(source)
        return syntax.Number(span, value, str(token))
    if token.type == "STRING":
        return syntax.String(span, token[1:-1])
    if token.type == "NAME" and not starts_name(token):
        raise _not_lexical(source)
    return syntax.Name(span, str(token))


def _not_lexical(source: Source) -> ProgramError:
    """The lexemes that the grammar's patterns let through and the language does not (L1.4, L1.5)."""
    return ProgramError(tuple(d for d in lexical_errors(scan(source.text)) if d.id != "E103")[:MOST_TOLD], source)


def _token_span(token: Token) -> Span:
    return Span(token.line or 1, token.column or 1, token.end_line or 1, token.end_column or 1)


def _span(tree: Tree[Token]) -> Span:
    """An empty construct, such as an empty text, has no place of its own in Lark; it gets the first."""
    meta = tree.meta
    return Span(1, 1, 1, 1) if meta.empty else Span(meta.line, meta.column, meta.end_line, meta.end_column)


def _too_deep(span: Span) -> Diagnostic:
    return Diagnostic(
        "E105",
        "error",
        f"this is nested more than {MAX_DEPTH} deep",
        Span(span.line, span.column, span.line, span.column + 1),
        suggestion="name the inner part with a `let`, a `def` or a `set`",
    )
