"""Writes out every call of a block: requests, entries, serving forms and bindings become plain statements.

What may stand in which block is checked on the way (L7.3, L7.4, L7.15). Knows no types and no IR.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace

from grammar import building, syntax
from grammar.calls import call, engine_in_workload
from grammar.declaring import dataclass
from grammar.findings import Findings
from grammar.holds import bound
from grammar.requests import Request
from grammar.scopes import Model
from grammar.serving import tool_run, transfer_run
from grammar.source import Span
from grammar.standing import Kind, Place, anchor


@dataclass(slots=True)
class Inliner:
    """Writes out the calls of a program's blocks."""

    model: Model
    findings: Findings
    requests: dict[str, Request]
    uses: set[str]
    stack: list[str] = field(default_factory=list)
    bound: dict[str, Span] = field(default_factory=dict)
    called: set[tuple[str, bool]] = field(default_factory=set)
    dropped: list[syntax.NameExpr] = field(default_factory=list)
    written: int = 0

    def block(self, block: syntax.Block, place: Place) -> syntax.Block:
        """A block with every call written out."""
        return replace(block, statements=self.statements(block.statements, place))

    def statements(self, statements: Iterable[syntax.Statement], place: Place) -> tuple[syntax.Statement, ...]:
        """Statements with every call written out, in order."""
        return tuple(new for old in statements for new in self._statement(old, place))

    # ------------------------------------------------------------------ one statement

    def _statement(self, node: syntax.Statement, place: Place) -> tuple[syntax.Statement, ...]:
        if place.kind in (Kind.INIT, Kind.TURN) and not isinstance(node, syntax.Set | syntax.Observe | syntax.SizeDecl):
            return self._not_described(node, place)
        if isinstance(node, syntax.CallStatement):
            return call(self, node, place)
        if isinstance(node, syntax.Hold):
            return (self._hold(node, place),)
        if isinstance(node, syntax.Branch):
            orelse = None if node.orelse is None else self.block(node.orelse, place)
            guard: syntax.Expr = node.guard
            if node.drawn:
                guard = syntax.Draw(guard.span, building.name(guard.span, "bernoulli"), (guard,))
            return (replace(node, drawn=False, guard=guard, then=self.block(node.then, place), orelse=orelse),)
        if isinstance(node, syntax.While | syntax.Loop):
            return (replace(node, body=self.block(node.body, place)),)
        if isinstance(node, syntax.Fork):
            self._in_leg(node, place, "fork")
            return (replace(node, body=self.block(node.body, replace(place, forked=True))),)
        if isinstance(node, syntax.Tool):
            return tool_run(self.model, self.findings, node, place.order, in_session=place.kind is Kind.SESSION)
        if isinstance(node, syntax.Transfer):
            return transfer_run(self.model, self.findings, node, place.order)
        return self._plain(node, place)

    def _plain(self, node: syntax.Statement, place: Place) -> tuple[syntax.Statement, ...]:
        """A statement that stands for itself, where it may stand at all."""
        tell = self.findings.error
        if isinstance(node, syntax.Turn):
            if place.forked:
                self._in_leg(node, place, "turn")
            elif place.kind is not Kind.SESSION:
                tell("E1101", node.span, f"the next turn is the session's decision: `turn;` cannot stand in {place.kind.value}")
                return ()
        elif isinstance(node, syntax.Join):
            self._in_leg(node, place, "join")
        elif isinstance(node, syntax.End):
            self._end(node, place)
        elif isinstance(node, syntax.Mark):
            tell(
                "E1022",
                node.span,
                "`mark` is of a request or a queue's entry",
                suggestion=f"set {node.name.text} = now;",
            )
            return ()
        elif isinstance(node, syntax.ModeRun):
            word = node.mode.text
            tell(
                "E1021",
                node.mode.span,
                f"`{word} (…)` by itself stands only in an engine's `request`, which knows its engine",
                suggestion=f"run ENGINE {word} (cost(ENGINE, …));",
            )
            return ()
        elif isinstance(node, syntax.Run) and not node.stages:
            tell("E1137", node.work.span, "`run` without a stage stands only in a queue's entry", suggestion="run STAGE (…);")
            return ()
        elif isinstance(node, syntax.SizeDecl) and place.kind not in (Kind.INIT, Kind.TURN, Kind.SESSION):
            tell(
                "E1131",
                node.name.span,
                "a `Size` is what the workload says of a request; the server declares none",
                suggestion=f"set {node.name.text} = …;",
            )
        return (node,)

    def _in_leg(self, node: syntax.Statement, place: Place, word: str) -> None:
        if place.forked:
            self.findings.error("E1117", node.span, f"a leg is part of the request and cannot `{word}`")

    def _end(self, node: syntax.End, place: Place) -> None:
        if place.forked:
            self._in_leg(node, place, "end")
        elif place.kind in (Kind.ENTRY, Kind.REQUEST, Kind.ROUTE):
            self.findings.error(
                "E1128", node.span, f"`end;` refuses a request, which the server does and {place.kind.value} cannot"
            )
        elif place.kind is Kind.SERVER and place.held:
            self.findings.error(
                "E1128",
                node.span,
                "`end;` inside a hold would refuse a request that is admitted already",
                suggestion="refuse above the hold",
            )

    def _not_described(self, node: syntax.Statement, place: Place) -> tuple[syntax.Statement, ...]:
        if isinstance(node, syntax.CallStatement) and node.ref.text in self.model.engines:
            engine_in_workload(self, node, place)
            return ()
        if isinstance(node, syntax.CostDecl | syntax.CostRecord):
            self.findings.error(
                "E1107",
                node.value.span if isinstance(node, syntax.CostDecl) else node.name.span,
                f"{place.kind.value} says what a request needs, and the server makes costs of it",
                suggestion=f"Size {node.name.text} = …;",
            )
            return ()
        self.findings.error(
            "E1126",
            anchor(node),
            f"{place.kind.value} describes the request: it may `set`, `observe` and declare a `Size`, nothing else",
        )
        return ()

    def _hold(self, node: syntax.Hold, place: Place) -> syntax.Hold:
        for binding in node.bindings or ():
            self.bound.setdefault(binding.name.text, binding.name.span)
        inside = replace(node, body=self.block(node.body, replace(place, held=True)))
        return bound(self.findings, inside, live=frozenset({"cached", "now", *self.model.registers}))
