"""An engine's ``request``: its parts, its rules as written, and what a call stands for (L6.1 to L6.14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from grammar import building, syntax
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.expansion import Substitution, Use, rebuilt
from grammar.findings import Findings
from grammar.holds import CheckedBinding
from grammar.scopes import Engine
from grammar.source import Span


@dataclass(frozen=True, slots=True)
class Request:
    """A request taken apart (L6.2): ``bindings`` is None without ``at admission``, then all statements are admitted."""

    decl: syntax.RequestDecl
    before: tuple[syntax.Statement, ...]
    bindings: tuple[syntax.Binding, ...] | None
    admission: syntax.AtAdmission | None
    admitted: tuple[syntax.Statement, ...]
    cache: syntax.RequestCache | None


def taken_apart(findings: Findings, decl: syntax.RequestDecl) -> Request:
    """The items of a request in the order they happen (L6.2)."""
    before: list[syntax.Statement] = []
    admitted: list[syntax.Statement] = []
    admission: syntax.AtAdmission | None = None
    cache: syntax.RequestCache | None = None
    for item in decl.items:
        if isinstance(item, syntax.AtAdmission):
            if admission is not None:
                findings.error("E1001", item.span, "a request has one `at admission`", Note("the first is here", admission.span))
                continue
            admission = item
            before, admitted = admitted, []
        elif isinstance(item, syntax.RequestCache):
            if cache is not None:
                findings.error("E1001", item.span, "a request has one `cache (…)`", Note("the first is here", cache.span))
            cache = cache or item
        else:
            if cache is not None:
                findings.error(
                    "E1004",
                    cache.span,
                    "`cache (…)` is the last item of a request: what it leaves cached comes last",
                    Note("this comes after it", item.span),
                )
            admitted.append(item)
    return Request(decl, tuple(before), None if admission is None else admission.bindings, admission, tuple(admitted), cache)


def called(
    engine: Engine, request: Request, args: Sequence[syntax.Expr], call: syntax.CallStatement
) -> tuple[syntax.Statement, ...]:
    """The statements a call stands for (L6.5); the hold stands where the call is written."""
    use = Use(f"`{engine.name}`'s request", call.ref.span)
    values = {p.text: a for p, a in zip(request.decl.params, args, strict=True)}
    put = Substitution(values, use, references=False)

    def statements(written: tuple[syntax.Statement, ...]) -> tuple[syntax.Statement, ...]:
        return tuple(cast(syntax.Statement, put.node(own_runs(s, engine.name))) for s in written)

    taking = engine.taking
    if taking is None:
        return statements((*request.before, *request.admitted))
    pools = tuple(t.pool for t in taking.takes)

    def amount(expr: syntax.Expr, of: tuple[syntax.Ref, ...], span: Span) -> syntax.Expr:
        return building.cost(span, of, put.node(expr))

    takes = tuple(
        replace(
            t,
            units=amount(t.units, (t.pool,), t.pool.span.to(t.units.span)),
            reserve=None if t.reserve is None else amount(t.reserve, (t.pool,), t.reserve.span),
        )
        for t in taking.takes
    )
    hold = syntax.Hold(
        call.span,
        takes,
        syntax.Block(request.decl.span, statements(request.admitted)),
        reuse=None if taking.reuse is None else amount(taking.reuse, pools, taking.reuse.span),
        bindings=None if request.bindings is None else tuple(_checked(put.node(b)) for b in request.bindings),
        cache=None if request.cache is None else amount(request.cache.value, pools, request.cache.value.span),
    )
    return (*statements(request.before), hold)


def _checked(binding: syntax.Binding) -> CheckedBinding:
    return CheckedBinding(binding.span, binding.name, binding.value)


def own_runs(node: syntax.Node, engine: str) -> syntax.Node:
    """``prefill (e)`` and ``decode (e)`` as runs of the engine, ``mark m`` as a set of ``E.m`` (L6.5)."""
    if isinstance(node, syntax.ModeRun):
        of = building.ref(node.mode.span, engine)
        return syntax.Run(node.span, (of,), node.mode, building.cost(node.work.span, (of,), node.work), node.growing)
    if isinstance(node, syntax.Mark):
        return building.mark(node, engine)
    return rebuilt(node, lambda child: own_runs(child, engine))
