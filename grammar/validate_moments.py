"""Checks that every expression reads only what has a value at its moment (R6.24); knows no statement."""

from __future__ import annotations

from collections.abc import Iterator

from grammar import ir
from grammar.ir_node import InvalidIR
from grammar.ir_walk import constant, members, nodes, references
from grammar.validate_moments_table import ARITHMETIC, Moment
from grammar.validate_positions import Position

RULE = "what can be read when, R6.24"
RANGE = "indices in range, R7.8"
ARITY = "arguments, R7.3 to R7.14"

OF_POOL = {"Used": 1, "Free": 1, "CachedIn": 1, "Allocated": 1, "Holders": 1, "Queued": 1}
OF_STAGE = {"Queue": 1, "Busy": 1, "Work": 1, "BudgetLeft": 1, "EstLambda": 1, "EstRho": 1, "EstWait": 1, "Price": 3}
OF_NUMBERS = {"Min": 2, "Max": 2} | dict.fromkeys(ARITHMETIC - {"Min", "Max"}, 1)
PARAMETERS = {"Exp": 1, "Det": 1, "Bernoulli": 1, "Uniform": 2, "Erlang": 2, "H2": 2}


def check_moments(program: ir.Program, positions: list[Position]) -> None:
    """Every index in range, every function given what it takes, every read at a moment that has it.

    Raises:
        InvalidIR: at the first node that breaks a rule.
    """
    for position in positions:
        for node, path in nodes(position.expr, position.path):
            _in_range(program, node, path)
            _arguments(node, path)
            for refusal in _reads(program, position, node):
                raise InvalidIR(path, RULE, f"{refusal} cannot be read in {position.moment.words}")


# -------------------------------------------------------------------------------- indices


def _in_range(program: ir.Program, node: ir.Expr, path: str) -> None:
    match node:
        case ir.Attr(slot):
            check_index(slot, len(program.attrs), "attribute", path)
        case ir.Reg(index):
            check_index(index, len(program.registers), "register", path)
        case ir.Agg(_, observe):
            check_index(observe, len(program.observes), "observation", path)
    for _, argument, inner in references(node, path):
        check_ref(program, argument.ref, inner, stages=isinstance(argument, ir.StageArg))


def check_index(index: int, count: int, what: str, path: str) -> None:
    """An index of a list of the program.

    Raises:
        InvalidIR: where there is no such entry.
    """
    if index >= count:
        raise InvalidIR(path, RANGE, f"there is no {what} {index}; the program has {count}")


def check_ref(program: ir.Program, ref: ir.Ref, path: str, *, stages: bool) -> None:
    """A reference to pools or stages: the array within the program, a constant index within the array.

    Raises:
        InvalidIR: where it is not.
    """
    what, total = ("stage", len(program.stages)) if stages else ("pool", len(program.pools))
    if ref.count < 1 or ref.base + ref.count > total:
        raise InvalidIR(path, RANGE, f"there are no {what}s {ref.base} to {ref.base + ref.count - 1}; the program has {total}")
    index = None if ref.index is None else constant(ref.index)
    if index is not None and not (0 <= index < ref.count and index == int(index)):
        raise InvalidIR(f"{path}.index", RANGE, f"an array of {ref.count} has no member {index:g}")


# ------------------------------------------------------------------------------ arguments


def _arguments(node: ir.Expr, path: str) -> None:
    if isinstance(node, ir.Sample) and len(node.args) != PARAMETERS[node.dist]:
        raise InvalidIR(path, ARITY, f"{node.dist} has {PARAMETERS[node.dist]} parameters, not {len(node.args)}")
    if not isinstance(node, ir.Call):
        return
    kinds = _kinds(node.fun)
    if len(node.args) != len(kinds):
        raise InvalidIR(path, ARITY, f"{node.fun} takes {len(kinds)} arguments, not {len(node.args)}")
    for i, (argument, kind) in enumerate(zip(node.args, kinds, strict=True)):
        found = "pool" if isinstance(argument, ir.PoolArg) else "stage" if isinstance(argument, ir.StageArg) else "expression"
        if found != kind:
            raise InvalidIR(f"{path}.Call[1][{i}]", ARITY, f"{node.fun} takes a {kind} here, not a {found}")


def _kinds(fun: str) -> tuple[str, ...]:
    if fun in OF_POOL:
        return ("pool",)
    if fun in OF_STAGE:
        return ("stage", *["expression"] * (OF_STAGE[fun] - 1))
    return ("expression",) * OF_NUMBERS[fun]


# ---------------------------------------------------------------------------------- reads


def _reads(program: ir.Program, position: Position, node: ir.Expr) -> Iterator[str]:
    """What a node reads that its moment does not have, in words."""
    moment = position.moment
    match node:
        case ir.Ctx(name) if name not in moment.context:
            yield f"the context variable {name}"
        case ir.Attr(slot):
            yield from _attribute(program, moment, slot)
        case ir.Sample() if not moment.draws:
            yield "a draw"
        case ir.Agg() if not moment.aggregates:
            yield "an aggregate of the run's observations"
        case ir.Reg(index) if position.engines is not None and program.registers[index].stage not in position.engines:
            yield f"the register {program.registers[index].name!r}"
        case ir.Call(fun):
            if fun not in ARITHMETIC and fun not in moment.queries:
                yield f"the function {fun}"
            for _, argument, _ in references(node, ""):
                yield from _query(program, position, fun, argument.ref)


def _attribute(program: ir.Program, moment: Moment, slot: int) -> Iterator[str]:
    if not moment.attributes:
        yield f"the attribute {program.attrs[slot]!r} of a session"
    elif not moment.hidden and slot in program.hidden:
        yield f"the hidden attribute {program.attrs[slot]!r}"
    elif any(slot == getattr(program.slots, name) for name in moment.unset):
        yield f"the attribute {program.attrs[slot]!r}"


def _query(program: ir.Program, position: Position, fun: str, ref: ir.Ref) -> Iterator[str]:
    if position.moment.fixed_indices and not (ref.index is None or isinstance(ref.index, ir.Num)):
        yield "an index that is no plain number"
    if fun == "BudgetLeft":
        if not all(isinstance(program.stages[s].kind, ir.Step) for s in members(ref)):
            yield "the budget of a stage that is no engine"
        if not position.moment.own_plan and position.own in members(ref):
            yield "the engine's own BudgetLeft"
