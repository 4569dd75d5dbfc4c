"""Programs in which pieces have changed places, most of which still parse; knows the syntax tree and no rule."""

from __future__ import annotations

import random
from collections import defaultdict
from functools import cache

from grammar import syntax
from grammar.expansion import walk
from grammar.parser import parse
from grammar.source import Source, Span

Piece = tuple[int, int]
"""Where a piece begins and ends in its text, in characters."""

VALUES = (
    "now cached computed serial running.count waiting.count batch.tokens decoding inf 0 1 2 -1 0.5 self unknown ~exp(2)".split()
)
WRAPS = "(#) -# !# #+1 #*2 1/# max(#,1) floor(#) #>0 (#>1?#:2) ~exp(#) ~bernoulli(#)".split()

EXPRESSIONS: tuple[type, ...] = syntax.Expr.__args__
NAMING: tuple[tuple[type, ...], ...] = ((syntax.Ref,), (syntax.Name,))
ALIKE: tuple[tuple[type, ...], ...] = (
    EXPRESSIONS,
    *NAMING,
    syntax.Statement.__args__,
    syntax.ScheduleItem.__args__,
    tuple(item for item in syntax.Item.__args__ if item is not syntax.Main),
    syntax.EngineItem.__args__,
    (syntax.PoolOption,),
    (syntax.Take, syntax.Binding),
)
"""Nodes that may stand in one another's places as far as the grammar goes."""

ASTRAY = 0.15
"""How often a piece is replaced by one of another kind."""


@cache
def pieces(text: str) -> dict[tuple[type, ...], tuple[Piece, ...]]:
    """Where the pieces of each kind stand that a text has."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def place(span: Span) -> Piece:
        return starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1

    found: dict[tuple[type, ...], list[Piece]] = defaultdict(list)
    for node in walk(parse(Source("fuzz", text))):
        for kind in ALIKE:
            if isinstance(node, kind):
                found[kind].append(place(node.span))
    return {kind: tuple(places) for kind, places in found.items()}


def changed(dice: random.Random, text: str) -> str:
    """The text with one piece replaced, wrapped, left out, or written twice; as it is if it has none.

    Raises:
        ProgramError: the text does not parse, so that its pieces are not known.
    """
    kinds = pieces(text)
    if not kinds:
        return text
    kind = dice.choice(list(kinds))
    start, end = dice.choice(kinds[kind])
    other, stop = dice.choice(kinds[dice.choice(list(kinds))] if dice.random() < ASTRAY else kinds[kind])
    put = _replacement(dice, kind, text[start:end], text[other:stop])
    return text[:start] + put + text[end:]


def _replacement(dice: random.Random, kind: tuple[type, ...], old: str, other: str) -> str:
    if kind in NAMING:
        return other
    if kind is EXPRESSIONS:
        return dice.choice((dice.choice(VALUES), dice.choice(WRAPS).replace("#", old), other, other))
    return dice.choice(("", other, f"{other} {old}", f"{old} {old}"))
