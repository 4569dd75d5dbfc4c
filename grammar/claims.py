"""Gauges and claims (L9.2, L9.3); knows no statements."""

from __future__ import annotations

import math
from collections.abc import Sequence

from grammar import ir, syntax
from grammar.diagnostics import Note
from grammar.expressions import Reader
from grammar.findings import hint
from grammar.reads import Clause, Column
from grammar.references import member
from grammar.scopes import Engine


def gauges(reader: Reader, written: Sequence[syntax.GaugeDecl]) -> tuple[ir.Gauge, ...]:
    """The gauges in the order written (L11.11)."""
    clause = Clause(Column.GAUGE)
    return tuple(ir.Gauge(g.name.text, reader.value(g.value, clause)) for g in written)


def claims(reader: Reader, written: Sequence[syntax.ClaimDecl]) -> tuple[ir.Claim, ...]:
    """The claims in the order written (L11.11)."""
    made = []
    for claim in written:
        given = None if claim.given is None else reader.value(claim.given, Clause(Column.GIVEN))
        name = claim.name.text
        if claim.over == "end":
            made.append(ir.Claim(name, "AtEnd", reader.value(claim.value, Clause(Column.END)), None, given))
            continue
        found = _engine(reader, claim)
        if found is None:
            continue
        engine, stage = found
        value = reader.value(claim.value, Clause(Column.ITERATION, engine=engine))
        made.append(ir.Claim(name, "EveryIteration" if claim.over == "every" else "SomeIteration", value, stage, given))
    return tuple(made)


def _engine(reader: Reader, claim: syntax.ClaimDecl) -> tuple[Engine, int] | None:
    """The engine whose iterations a claim is over, and the number of its stage (E1206)."""
    ref = claim.of
    assert ref is not None
    stage = reader.model.stages.get(ref.text)
    if stage is None:
        reader.findings.error(
            "E1206", ref.span, f"no engine `{ref.text}` is declared", suggestion=hint(ref.text, reader.model.engines)
        )
        return None
    if stage.engine is None:
        reader.findings.error(
            "E1206",
            ref.span,
            f"iterations are an engine's, and `{ref.text}` is a plain stage",
            Note("it is declared here", stage.span),
        )
        return None
    found = member(reader, ref, stage, Clause(Column.ITERATION))
    if found is None:
        return None
    index = 0.0 if found.index is None else found.index.value if isinstance(found.index, ir.Num) else math.nan
    if math.isnan(index):
        reader.findings.error("E1206", ref.span, "a claim is over the iterations of one engine, named by a number")
        return None
    return stage.engine, stage.base + int(index)
