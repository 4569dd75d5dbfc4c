"""What a call of a queue's entry stands for (L8.5, L8.6, L8.10); knows no rules of who may call what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from grammar import building, syntax
from grammar.declaring import dataclass
from grammar.expansion import Use, reached_by, rebuilt
from grammar.findings import Findings
from grammar.holds import CheckedBinding
from grammar.scopes import Queue
from grammar.serving import copied
from grammar.source import Span


@dataclass(frozen=True, slots=True)
class Localizer:
    """Turns the text of an entry into text of the program, in one walk; arguments are put in and not walked.

    Attributes:
        findings: where errors are told.
        queue: the queue whose entry it is.
        index: the member called, None for a single queue.
        values: the argument for each parameter.
        source: for an entry ``from P``, the queue P and the member called.
        use: the call.
        own: the names the entry sets, which become ``Q.x``; none of a gateway's ``route``, whose names stay (L8.3, L8.5).
    """

    findings: Findings
    queue: Queue
    index: syntax.Expr | None
    values: Mapping[str, syntax.Expr]
    source: tuple[Queue, syntax.Expr | None] | None
    use: Use
    own: frozenset[str]

    def statements(self, block: syntax.Block) -> tuple[syntax.Statement, ...]:
        """The statements of a block, rewritten."""
        return tuple(new for old in block.statements for new in self._statement(old))

    def _statement(self, node: syntax.Statement) -> tuple[syntax.Statement, ...]:
        if isinstance(node, syntax.Transfer) and self._copies(node):
            return copied(
                self.findings,
                rebuilt(node, self._node, self.use),
                self.queue,
                self.index,
                None if self.source is None else self.source[1],
            )
        return (cast(syntax.Statement, self._node(node)),)

    def _copies(self, node: syntax.Transfer) -> bool:
        """Whether a transfer is from what the entry reads, over no stage it names: its relation's copy (L8.10)."""
        from_read = node.source is not None and self.source is not None and node.source.text == self.source[0].name
        return node.target is None and from_read

    def _node(self, node: syntax.Node) -> syntax.Node:
        if isinstance(node, syntax.Block):
            return syntax.Block(reached_by(node.span, self.use), self.statements(node))
        if isinstance(node, syntax.NameExpr):
            return self._value(node)
        if isinstance(node, syntax.CallExpr) and node.ref.text == "cost" and node.args:
            return self._cost(node)
        if isinstance(node, syntax.Ref):
            return self._ref(node)
        if isinstance(node, syntax.Mark):
            return building.mark(rebuilt(node, self._node, self.use), self.queue.name)
        if isinstance(node, syntax.Run) and not node.stages:
            inner = rebuilt(node, self._node, self.use)
            return replace(inner, stages=(self._own(node.span, self.queue.name),))
        if isinstance(node, syntax.Binding):
            binding = rebuilt(node, self._node, self.use)
            return CheckedBinding(binding.span, self._local(node.name), binding.value)
        if isinstance(node, syntax.CostRecord):
            families = replace(self, index=None)
            fields = tuple((families._ref(ref), cast(syntax.Expr, self._node(amount))) for ref, amount in node.fields)
            return syntax.CostRecord(reached_by(node.span, self.use), self._local(node.name), fields)
        if isinstance(node, syntax.Set | syntax.SizeDecl | syntax.CostDecl):
            return replace(rebuilt(node, self._node, self.use), name=self._local(node.name))
        if isinstance(node, syntax.Choose):
            return replace(rebuilt(node, self._node, self.use), var=self._local(node.var))
        if isinstance(node, syntax.Over) and node.var.text in self.values:
            hidden = replace(self, values={k: v for k, v in self.values.items() if k != node.var.text})
            return rebuilt(node, hidden._node, self.use)
        return rebuilt(node, self._node, self.use)

    def _cost(self, node: syntax.CallExpr) -> syntax.Node:
        """The resources of a cost are named, and no parameter stands for one (L6.10)."""
        named = replace(self, values={})
        resources = tuple(named._node(a) for a in node.args[:-1])
        span = reached_by(node.span, self.use)
        return syntax.CallExpr(span, node.ref, (*resources, self._node(node.args[-1])))  # type: ignore[arg-type]

    def _own(self, written: Span, dotted: str) -> syntax.Ref:
        return building.ref(reached_by(written, self.use), dotted, self.index)

    def _local(self, name: syntax.Name) -> syntax.Name:
        span = reached_by(name.span, self.use)
        return syntax.Name(span, f"{self.queue.name}.{name.text}" if name.text in self.own else name.text)

    def _value(self, node: syntax.NameExpr) -> syntax.Node:
        ref = node.ref
        first = ref.names[0].text
        if len(ref.names) == 1 and ref.index is None:
            if first in self.values:
                return self.values[first]
            if first == "self" and self.index is not None:
                return self.index
            if first in self.own:
                span = reached_by(node.span, self.use)
                return syntax.NameExpr(span, building.ref(span, f"{self.queue.name}.{first}"), node.grouped)
        elif first in self.own and ref.index is None:
            span = reached_by(node.span, self.use)
            return syntax.NameExpr(span, building.ref(span, f"{self.queue.name}.{ref.text}"), node.grouped)
        return rebuilt(node, self._node, self.use)

    def _ref(self, ref: syntax.Ref) -> syntax.Ref:
        """An own pool or the own stage is the called member's; ``P`` is the pool its entries leased (L8.6)."""
        if len(ref.names) == 1 and ref.index is None:
            first = ref.names[0].text
            if self.source is not None and first == self.source[0].name and self.source[0].leased is not None:
                return building.ref(reached_by(ref.span, self.use), self.source[0].leased.name, self.source[1])
            if first in self.queue.pools:
                return self._own(ref.span, self.queue.pools[first].name)
            if first == self.queue.name and self.queue.stage is not None:
                return self._own(ref.span, self.queue.name)
        return rebuilt(ref, self._node, self.use)
