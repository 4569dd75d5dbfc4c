"""What a guard of a schedule read, part by part, at the moment it was read; decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.expressions import Compiler, Function, parts
from engine.failure import ProgramFailure
from grammar import ir
from grammar.declaring import dataclass

if TYPE_CHECKING:
    from engine.codes import Path
    from engine.state import State

_JOINED = ("And", "Or")


@dataclass(frozen=True, slots=True)
class Read:
    """A part of a guard and its value: a term of its ``&&`` or ``||``, or something that is not a constant."""

    expr: ir.Expr
    value: float


def guard_at(program: ir.Program, stage: int, path: Path) -> ir.Expr | None:
    """The guard of a ``branch`` or the gate of an admission at a path, None where there is none."""
    kind = program.stages[stage].kind
    body: tuple[ir.ScheduleStatement, ...] = (kind.iteration or ()) if isinstance(kind, ir.Step) else ()
    while True:
        statement = body[path[0]] if path[0] < len(body) else None
        if isinstance(statement, ir.SBranch):
            if len(path) == 1:
                return statement.guard
            body, path = (statement.then if path[1] == 0 else statement.orelse), path[2:]
            continue
        return statement.gate if isinstance(statement, ir.Admit) else None


def reads(k: State, guard: ir.Expr) -> tuple[Read, ...]:
    """The parts of a guard that was just read, by the same context; each once, in the order written."""
    found: dict[ir.Expr, float] = {}
    for expr in (*_terms(guard), *_leaves(guard)):
        if expr != guard and expr not in found and not any(isinstance(e, ir.Sample) for e in parts(expr)):
            try:
                found[expr] = _compiled(expr)(k, k.nobody, k.moment)
            except ProgramFailure:
                continue
    return tuple(Read(expr, value) for expr, value in found.items())


def _terms(expr: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(expr, ir.Binary) and expr.op in _JOINED:
        for side in (expr.left, expr.right):
            if isinstance(side, ir.Binary) and side.op in _JOINED:
                yield from _terms(side)
            else:
                yield side


def _leaves(expr: ir.Expr) -> Iterator[ir.Expr]:
    match expr:
        case ir.Ctx() | ir.Reg() | ir.Agg():
            yield expr
        case ir.Call(_, args):
            if any(isinstance(arg, ir.PoolArg | ir.StageArg) for arg in args):
                yield expr
                return
            for arg in args:
                if not isinstance(arg, ir.PoolArg | ir.StageArg):
                    yield from _leaves(arg)
        case ir.Unary(_, operand):
            yield from _leaves(operand)
        case ir.Binary(_, left, right):
            yield from _leaves(left)
            yield from _leaves(right)
        case ir.Cond(test, then, orelse):
            for side in (test, then, orelse):
                yield from _leaves(side)
        case ir.Cost(_, inner):
            yield from _leaves(inner)


def _compiled(expr: ir.Expr) -> Function:
    compiler = Compiler()
    compiler.function(expr, "machine")
    compiler.finish()
    return compiler.function(expr, "machine")
