"""Puts the time resources of a device into the ``execute`` of the engine on it (L4.10, L4.11); lowers nothing."""

from __future__ import annotations

from typing import cast

from grammar import syntax
from grammar.definitions import MOST_TOKENS
from grammar.diagnostics import Note
from grammar.expansion import Substitution, Use, rebuilt, size, walk
from grammar.findings import Findings, are_given
from grammar.scopes import Engine


class Times:
    """The expansion of one ``execute``; ``dropped`` are arguments for parameters that nothing reads (D3)."""

    def __init__(self, engine: Engine, findings: Findings) -> None:
        self.engine = engine
        self.findings = findings
        self.dropped: list[syntax.Expr] = []
        self._active: list[str] = []
        self._written = 0

    def execute(self) -> syntax.Expr:
        """The expression of ``execute`` with no time resource left in it."""
        assert self.engine.execute is not None
        return cast(syntax.Expr, self._put(self.engine.execute.value))

    def _put(self, node: syntax.Node) -> syntax.Node:
        if isinstance(node, syntax.CallExpr) and len(node.ref.names) == 1 and node.ref.index is None:
            resource = self.engine.device.times.get(node.ref.text)
            if resource is not None:
                return self._resource(node, resource)
        return rebuilt(node, self._put)

    def _resource(self, node: syntax.CallExpr, resource: syntax.TimeResource) -> syntax.Node:
        text, params = node.ref.text, resource.params
        note = Note("it is declared here", resource.name.span)
        nothing = syntax.Number(node.span, 0.0, "0")
        if text in self._active:
            self.findings.error("E403", node.ref.span, f"the time resource `{text}` uses itself", note)
            return nothing
        args = [cast(syntax.Expr, self._put(a)) for a in node.args]
        if len(args) != len(params):
            names = ", ".join(p.text for p in params)
            self.findings.error(
                "E405",
                node.ref.span,
                f"the time resource `{text}` takes ({names}), and {are_given(len(args))}",
                note,
                suggestion=f"{text}({names})",
            )
            return nothing
        self._active.append(text)
        body = self._put(resource.value)
        self._active.pop()
        read = {n.ref.text for n in walk(body) if isinstance(n, syntax.NameExpr)}
        self.dropped.extend(a for p, a in zip(params, args, strict=True) if p.text not in read)
        whole = Substitution({p.text: a for p, a in zip(params, args, strict=True)}, Use(f"`{text}`", node.ref.span)).node(body)
        self._written += size(whole)
        if self._written > MOST_TOKENS:
            self.findings.error(
                "E418", node.ref.span, f"the time resources of `execute` write out more than {MOST_TOKENS:,} pieces", note
            )
            self.findings.stop_if_any()
        return whole
