"""Walks over a program's expressions and statements with their paths; knows no rule about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from grammar import arithmetic, ir

Query = ir.PoolArg | ir.StageArg


def statement_path(block: int, index: int, statement: ir.Statement) -> str:
    """The path of a statement's content, as in ``blocks[3][1].Hold``."""
    path = f"blocks[{block}][{index}]"
    return path if isinstance(statement, ir.Turn | ir.End | ir.Join) else f"{path}.{type(statement).__name__}"


def nodes(expr: ir.Expr, path: str) -> Iterator[tuple[ir.Expr, str]]:
    """An expression and every one inside it, also in the indices of references, with their paths."""
    yield expr, path
    for inner, inner_path in children(expr, path):
        yield from nodes(inner, inner_path)


def children(expr: ir.Expr, path: str) -> Iterator[tuple[ir.Expr, str]]:
    """The expressions directly inside one, in the order they are read."""
    match expr:
        case ir.Cost(_, inner):
            yield inner, f"{path}.Cost[1]"
        case ir.Sample(_, args):
            for i, argument in enumerate(args):
                yield argument, f"{path}.Sample[1][{i}]"
        case ir.Call(_, arguments):
            for i, arg in enumerate(arguments):
                if not isinstance(arg, Query):
                    yield arg, f"{path}.Call[1][{i}].Expr"
                elif arg.ref.index is not None:
                    yield arg.ref.index, f"{path}.Call[1][{i}].{'Pool' if isinstance(arg, ir.PoolArg) else 'Stage'}.index"
        case ir.Unary(_, operand):
            yield operand, f"{path}.Unary[1]"
        case ir.Binary(_, left, right):
            yield left, f"{path}.Binary[1]"
            yield right, f"{path}.Binary[2]"
        case ir.Cond(test, then, orelse):
            yield test, f"{path}.Cond[0]"
            yield then, f"{path}.Cond[1]"
            yield orelse, f"{path}.Cond[2]"


def references(expr: ir.Expr, path: str) -> Iterator[tuple[str, Query, str]]:
    """The pools and stages a call itself names: function, reference, path."""
    if isinstance(expr, ir.Call):
        for i, arg in enumerate(expr.args):
            if isinstance(arg, Query):
                yield expr.fun, arg, f"{path}.Call[1][{i}].{'Pool' if isinstance(arg, ir.PoolArg) else 'Stage'}"


def inner_blocks(statement: ir.Statement) -> tuple[int, ...]:
    """The blocks a statement is the owner of."""
    match statement:
        case ir.Hold():
            return (statement.body,)
        case ir.Branch(_, then, orelse):
            return then, orelse
        case ir.While(_, body) | ir.Loop(body) | ir.Fork(body):
            return (body,)
    return ()


def statements(program: ir.Program, block: int) -> Iterator[tuple[int, int, ir.Statement]]:
    """The statements of a block and of the blocks inside it, outer before inner, as block, index, statement."""
    for i, statement in enumerate(program.blocks[block]):
        yield block, i, statement
        for inner in inner_blocks(statement):
            yield from statements(program, inner)


def members(ref: ir.Ref | ir.PoolTarget | ir.StageTarget) -> range:
    """The pools or stages an array of references may name."""
    return range(ref.base, ref.base + ref.count)


# ------------------------------------------------------------------------------ constants


def constant(expr: ir.Expr) -> float | None:
    """The value of an expression of numbers alone; None for one that reads or draws.

    A conditional counts by the arm its constant test takes; a draw never counts, not even
    ``det``, because the statement that draws is what the rules about constants are not about.
    """
    match expr:
        case ir.Num(value):
            return value
        case ir.Cost(_, inner):
            return constant(inner)
        case ir.Cond(test, then, orelse):
            chosen = constant(test)
            return None if chosen is None else constant(then if chosen != 0 else orelse)
        case ir.Unary() | ir.Binary() | ir.Call():
            values = [constant(inner) for inner, _ in children(expr, "")]
            name = expr.fun if isinstance(expr, ir.Call) else expr.op
            function = ARITHMETIC.get(name)
            if function is None or any(value is None for value in values):
                return None
            return function(*(value for value in values if value is not None))
    return None


ARITHMETIC: dict[str, Callable[..., float]] = {
    "Neg": lambda a: -a,
    "Not": lambda a: float(a == 0),
    "Add": arithmetic.add,
    "Sub": arithmetic.subtract,
    "Mul": arithmetic.multiply,
    "Div": arithmetic.divide,
    "Pow": arithmetic.power,
    "Lt": lambda a, b: float(a < b),
    "Le": lambda a, b: float(a <= b),
    "Gt": lambda a, b: float(a > b),
    "Ge": lambda a, b: float(a >= b),
    "Eq": lambda a, b: float(a == b),
    "Ne": lambda a, b: float(a != b),
    "And": lambda a, b: float(a != 0 and b != 0),
    "Or": lambda a, b: float(a != 0 or b != 0),
    "Min": arithmetic.least,
    "Max": arithmetic.greatest,
    "Abs": abs,
    "Floor": arithmetic.floor,
    "Ceil": arithmetic.ceiling,
    "Sqrt": arithmetic.root,
    "Exp": arithmetic.exponential,
    "Ln": arithmetic.logarithm,
}
"""Operators and functions of numbers (R7.3 to R7.6), for values known before a run."""
