"""The number an IR expression always has, where it always has one; knows no names and no text."""

from __future__ import annotations

from grammar import ir
from grammar.arithmetic import OPERATORS, PURE

_OPERATOR = {
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "Div": "/",
    "Pow": "^",
    "Lt": "<",
    "Le": "<=",
    "Gt": ">",
    "Ge": ">=",
    "Eq": "==",
    "Ne": "!=",
}
_PURE = {
    "Min": ("min", 2),
    "Max": ("max", 2),
    "Abs": ("abs", 1),
    "Floor": ("floor", 1),
    "Ceil": ("ceil", 1),
    "Sqrt": ("sqrt", 1),
    "Exp": ("exp", 1),
    "Ln": ("ln", 1),
}


def constant(e: ir.Expr) -> float | None:
    """The value of an expression that reads nothing; None for one that does."""
    if isinstance(e, ir.Num):
        return e.value
    if isinstance(e, ir.Cost):
        return constant(e.expr)
    if isinstance(e, ir.Unary):
        inner = constant(e.operand)
        return None if inner is None else -inner if e.op == "Neg" else float(inner == 0)
    if isinstance(e, ir.Binary):
        return _binary(e)
    if isinstance(e, ir.Cond):
        test = constant(e.test)
        return None if test is None else constant(e.then if test != 0 else e.orelse)
    if isinstance(e, ir.Call) and e.fun in _PURE:
        values = [constant(a) for a in e.args if not isinstance(a, ir.PoolArg | ir.StageArg)]
        known = [v for v in values if v is not None]
        return PURE[_PURE[e.fun]](*known) if len(known) == len(e.args) else None
    return None


def _binary(e: ir.Binary) -> float | None:
    left, right = constant(e.left), constant(e.right)
    if e.op in ("And", "Or"):
        if left is not None and (left == 0) == (e.op == "And"):
            return float(e.op == "Or")
        return None if left is None or right is None else float(right != 0)
    return None if left is None or right is None else OPERATORS[_OPERATOR[e.op]](left, right)
