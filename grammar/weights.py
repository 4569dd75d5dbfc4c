"""How much text the uses of definitions write out, told before any of it is (L3.27); writes out nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field

from grammar import syntax
from grammar.declaring import dataclass
from grammar.expansion import children

PARENTHESES = 2
"""An argument stands in parentheses where its parameter stood (L3.19)."""


@dataclass(slots=True)
class Weight:
    """The tokens of a piece of text, and how often it reads each parameter, which weighs what its argument does."""

    tokens: int = 0
    reads: Counter[str] = field(default_factory=Counter)

    def add(self, other: Weight, times: int = 1) -> None:
        """Take in another piece, so many times."""
        self.tokens += times * other.tokens
        for name, count in other.reads.items():
            self.reads[name] += times * count


@dataclass(slots=True)
class Body:
    """A definition as weighing sees it: its parameters, and its own weight with the definitions it uses written out."""

    params: tuple[str, ...]
    weight: Weight


def weigh(node: syntax.Node, bodies: Mapping[str, Body], params: frozenset[str] = frozenset()) -> Weight:
    """The weight of a text whose uses of ``bodies`` are written out."""
    if isinstance(node, syntax.NameExpr | syntax.Ref):
        ref = node.ref if isinstance(node, syntax.NameExpr) else node
        weight = Weight(len(ref.names)) if ref.text not in params else Weight(0, Counter((ref.text,)))
        if ref.index is not None:
            weight.add(weigh(ref.index, bodies, params))
        return weight
    weight = Weight(1)
    body = None
    if isinstance(node, syntax.CallExpr | syntax.CallStatement) and len(node.ref.names) == 1:
        body = bodies.get(node.ref.text)
    if body is None or not isinstance(node, syntax.CallExpr | syntax.CallStatement):
        for child in children(node):
            if not isinstance(child, syntax.Name):
                weight.add(weigh(child, bodies, params))
        return weight
    weight.tokens += body.weight.tokens
    for name, arg in zip(body.params, node.args, strict=False):
        times = body.weight.reads[name]
        weight.add(weigh(arg, bodies, params), times)
        weight.tokens += PARENTHESES * times
    return weight
