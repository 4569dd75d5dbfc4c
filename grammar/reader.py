"""What lowering an expression needs at hand: the names, the places of what was made, how to tell what is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from grammar import ir, syntax
from grammar.constants import Constants
from grammar.diagnostics import Note
from grammar.expansion import walk
from grammar.findings import UNKNOWN, Findings
from grammar.reads import Clause
from grammar.scopes import Model
from grammar.source import Span

POISON = ir.Num(math.nan)
"""What stands for an expression that has been told to be wrong; the later passes say no more about it."""

_TOLD_OF_UNREAD = UNKNOWN | {"E415", "E604", "E605", "E606", "E607"}
"""What is told of an expression that nothing reads."""


class Reader:
    """Lowers expressions of one program.

    Attributes:
        indices: the values of the aggregate indices in scope.
        places: where each lowered expression is written, by the identity of the IR node, which is kept with it
            so that its identity stays its own.
        written_out: the identities of the expressions that aggregates were written out to.
    """

    def __init__(self, findings: Findings, model: Model, constants: Constants) -> None:
        self.findings = findings
        self.model = model
        self.constants = constants
        self.indices: dict[str, float] = {}
        self.places: dict[int, tuple[object, Span]] = {}
        self.written_out: set[int] = set()

    # ------------------------------------------------------------------ places

    def mark(self, node: Any, written: syntax.Node) -> Any:
        """Remember where an IR node is written."""
        self.places[id(node)] = (node, written.span)
        return node

    def place(self, node: object, otherwise: Span) -> Span:
        """Where an IR node is written, or ``otherwise`` for one this reader did not make."""
        found = self.places.get(id(node))
        return otherwise if found is None else found[1]

    def wrong(self, clause: Clause, code: str, span: Span, message: str, *notes: Note, suggestion: str | None = None) -> ir.Expr:
        """Tell that something may not stand in a clause: at the pool or stage the amount is of, where there is one."""
        if clause.anchor is not None:
            notes = (Note("it is read here", span), *notes)
        self.findings.error(code, clause.anchor or span, message, *notes, suggestion=suggestion)
        return POISON

    # ------------------------------------------------------------------ expressions

    def value(self, e: syntax.Expr, clause: Clause) -> ir.Expr:
        """The IR of an expression read in a clause (L11.7)."""
        lowered = LOWER[e.__class__](self, e, clause)
        self.places[id(lowered)] = (lowered, e.span)
        return lowered

    def look_up(self, e: syntax.Expr, clause: Clause) -> None:
        """Tell of names that nothing declares in an expression that stands nowhere in the program (L3.24)."""
        if isinstance(e, syntax.NameExpr) and (e.ref.text in self.model.pools or e.ref.text in self.model.stages):
            return
        told = len(self.findings.errors)
        self.value(e, clause)
        self.findings.errors[told:] = [d for d in self.findings.errors[told:] if d.id in _TOLD_OF_UNREAD]


LOWER: dict[type, Callable[[Reader, Any, Clause], ir.Expr]] = {}
"""How each kind of expression is lowered; ``expressions`` fills it."""


def joined(targets: list[ir.PoolTarget | ir.StageTarget]) -> ir.Target:
    """One cost's target: the resources once each, pools before stages, by base (L7.10)."""
    distinct = sorted(set(targets), key=lambda t: (isinstance(t, ir.StageTarget), t.base))
    return distinct[0] if len(distinct) == 1 else ir.Joint(tuple(distinct))


def draws(e: syntax.Node) -> bool:
    """Whether an expression draws anywhere."""
    return any(isinstance(n, syntax.Draw) for n in walk(e))
