"""Lowers expressions to the IR (L11.7): operators, draws and aggregates; knows no statements and no types."""

from __future__ import annotations

from grammar import ir, syntax
from grammar.constants import NotConstant
from grammar.diagnostics import Note
from grammar.expression_calls import call
from grammar.expression_names import name as read_name
from grammar.findings import are_given, hint
from grammar.names import BUILT_IN, DISTRIBUTIONS
from grammar.reader import LOWER, POISON, Reader, draws, joined
from grammar.reads import Clause, Column, Read, may_read
from grammar.vocabulary import CONTEXT, DISTRIBUTION_NAMES, LISTS

__all__ = ["POISON", "Reader", "draws", "joined"]

BINARY = {
    "+": "Add",
    "-": "Sub",
    "*": "Mul",
    "/": "Div",
    "^": "Pow",
    "<": "Lt",
    "<=": "Le",
    ">": "Gt",
    ">=": "Ge",
    "==": "Eq",
    "!=": "Ne",
    "&&": "And",
    "||": "Or",
}
"""The operators with their IR names (L11.7)."""


def _number(reader: Reader, e: syntax.Number, clause: Clause) -> ir.Expr:
    return ir.Num(e.value)


def _unary(reader: Reader, e: syntax.Unary, clause: Clause) -> ir.Expr:
    return ir.Unary("Neg" if e.op == "-" else "Not", reader.value(e.operand, clause))


def _binary(reader: Reader, e: syntax.Binary, clause: Clause) -> ir.Expr:
    return ir.Binary(BINARY[e.op], reader.value(e.left, clause), reader.value(e.right, clause))


def _conditional(reader: Reader, e: syntax.Conditional, clause: Clause) -> ir.Expr:
    return ir.Cond(reader.value(e.test, clause), reader.value(e.then, clause), reader.value(e.orelse, clause))


def _draw(reader: Reader, e: syntax.Draw, clause: Clause) -> ir.Expr:
    name = e.dist.text
    if name not in DISTRIBUTIONS:
        return _bad_draw(reader, e, f"there is no distribution `{name}`")
    if len(e.args) != len(DISTRIBUTIONS[name]):
        wanted = ", ".join(DISTRIBUTIONS[name])
        return _bad_draw(reader, e, f"`~{name}` takes ({wanted}), and {are_given(len(e.args))}")
    args = tuple(reader.value(a, clause) for a in e.args)
    if not may_read(Read.DRAW, clause.column):
        again = "is read again and again, so what it draws would change"
        reason = (
            f"{clause.said} {again}" if clause.column is not Column.GIVEN else "`given` is read once a session and draws nothing"
        )
        return reader.wrong(
            clause,
            "E603",
            e.dist.span,
            f"a draw cannot stand here: {reason}",
            suggestion="`set` an attribute to the draw and read that",
        )
    return ir.Sample(DISTRIBUTION_NAMES[name], args)


def _bad_draw(reader: Reader, e: syntax.Draw, message: str) -> ir.Expr:
    there = ", ".join(f"~{n}({', '.join(p)})" for n, p in DISTRIBUTIONS.items())
    reader.findings.error(
        "E509", e.dist.span, f"{message}; the distributions are {there}", suggestion=hint(e.dist.text, DISTRIBUTIONS)
    )
    return POISON


def _over(reader: Reader, e: syntax.Over, clause: Clause) -> ir.Expr:
    """``max j in n (e)``: written out for j = 0 … n-1 and folded left (L9.5)."""
    index = e.var.text
    taken = _taken(reader, index)
    if taken is not None:
        where = reader.model.declared.get(index)
        note = () if where is None else (Note("the other is declared here", where[1]),)
        reader.findings.error(
            "E511",
            e.span,
            f"the index `{index}` of this aggregate is also {taken}",
            *note,
            suggestion="give the index a name of its own",
        )
        return POISON
    try:
        count = reader.constants.count_of(e, reader.constants.evaluate(e.count, reader.indices))
    except NotConstant as why:
        code = why.code if why.code in ("E511", "E512") else "E512"
        reader.findings.error(code, e.span, why.message, *why.notes, suggestion=why.suggestion)
        return POISON
    folded: ir.Expr | None = None
    for j in range(count):
        reader.indices[index] = float(j)
        term = reader.value(e.body, clause)
        if folded is None:
            folded = term
        elif e.agg == "sum":
            folded = ir.Binary("Add", folded, term)
        else:
            folded = ir.Call("Max" if e.agg == "max" else "Min", (folded, term))
    reader.indices.pop(index, None)
    assert folded is not None
    reader.written_out.add(id(folded))
    return folded


def _taken(reader: Reader, name: str) -> str | None:
    """What else an aggregate's index would be (E511)."""
    if name in reader.model.pools or name in reader.model.stages:
        return "a pool" if name in reader.model.pools else "a stage"
    if name in reader.constants.values:
        return "a constant"
    if name in reader.model.attributes or name in BUILT_IN:
        return "a session attribute"
    if name in CONTEXT or name in LISTS or name in ("inf", "self"):
        return "a name the language supplies"
    return "a register" if name in reader.model.registers else None


LOWER.update(
    {
        syntax.Number: _number,
        syntax.NameExpr: read_name,
        syntax.Unary: _unary,
        syntax.Binary: _binary,
        syntax.Conditional: _conditional,
        syntax.Draw: _draw,
        syntax.CallExpr: call,
        syntax.Over: _over,
    }
)
