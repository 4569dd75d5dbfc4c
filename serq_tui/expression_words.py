"""An expression of the IR in the language's words, for saying what it was; parses nothing and reads no value."""

from __future__ import annotations

from grammar import ir
from grammar.vocabulary import AGGREGATES, CONTEXT, LISTS, POOL_FUNCTIONS, PURE_FUNCTIONS, STAGE_FUNCTIONS
from serq_tui.decision_words import Names
from serq_tui.format import number

_OPERATORS = {
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
    "And": "&&",
    "Or": "||",
}

_FUNCTIONS = {name: word for words in (PURE_FUNCTIONS, STAGE_FUNCTIONS, POOL_FUNCTIONS) for word, name in words.items()}
_AGGREGATES = {name: word for word, name in AGGREGATES.items()}


def _context() -> dict[str, str]:
    """Context variables as a schedule writes them: the requests that run first, as their counts stand in most guards."""
    words = {name: word for word, name in CONTEXT.items()}
    for listed in ("batch", "waiting", "running"):
        words |= {name: f"{listed}.{field}" for field, name in LISTS[listed].items()}
    return words


_CONTEXT = _context()


def expression(expr: ir.Expr, names: Names) -> str:
    """An expression as one would write it, parentheses around what is nested."""
    match expr:
        case ir.Num(value):
            return number(value)
        case ir.Ctx(name):
            return _CONTEXT.get(name, name)
        case ir.Reg(index):
            return names.register(index)
        case ir.Agg(kind, _):
            return _AGGREGATES.get(kind, kind)
        case ir.Call(fun, args):
            return f"{_FUNCTIONS.get(fun, fun)}({', '.join(_argument(arg, names) for arg in args)})"
        case ir.Unary("Not", operand):
            return f"!{_nested(operand, names)}"
        case ir.Unary(_, operand):
            return f"-{_nested(operand, names)}"
        case ir.Binary(op, left, right):
            return f"{_nested(left, names)} {_OPERATORS.get(op, op)} {_nested(right, names)}"
        case ir.Cond(test, then, orelse):
            return f"{_nested(test, names)} ? {_nested(then, names)} : {_nested(orelse, names)}"
        case ir.Cost(_, inner):
            return expression(inner, names)
    return "…"


def _nested(expr: ir.Expr, names: Names) -> str:
    text = expression(expr, names)
    return f"({text})" if isinstance(expr, ir.Binary | ir.Cond) else text


def _argument(arg: ir.Expr | ir.PoolArg | ir.StageArg, names: Names) -> str:
    if isinstance(arg, ir.PoolArg):
        return names.pool(arg.ref.base)
    if isinstance(arg, ir.StageArg):
        return names.engine(arg.ref.base)
    return expression(arg, names)
