"""Checks that what a resource is asked for is a cost of that resource, and nothing else is; knows no moment."""

from __future__ import annotations

from typing import Literal

from grammar import ir
from grammar.ir_node import InvalidIR
from grammar.ir_walk import inner_blocks, members, nodes
from grammar.validate_positions import Position, Wanted, names_stage, statement_refs

RULE = "costs of resources, part 2 of the language"
PLAIN: Literal["plain"] = "plain"
Kind = ir.Target | Literal["plain"]

KEEPS_TYPE = frozenset({"Neg", "Abs", "Floor", "Ceil", "Min", "Max"})
ADDITIVE = frozenset({"Add", "Sub", "Min", "Max"})
COMPARING = frozenset({"Lt", "Le", "Gt", "Ge", "Eq", "Ne"})


def check_costs(program: ir.Program, places: list[Position]) -> None:
    """Types every expression and compares it with what its place wants.

    Raises:
        InvalidIR: where a cost is missing, of another resource, or stands for a plain number.
    """
    for position in places:
        if position.wanted == "untyped":
            for node, path in nodes(position.expr, position.path):
                if isinstance(node, ir.Cost):
                    check_target(program, node.target, path)
        else:
            _compare(_kind(program, position.expr, position.path), position.wanted, position.path)
    _owners(program, places)
    _assigned_first(program, places)


def check_target(program: ir.Program, target: ir.Target, path: str) -> None:
    """The resource of a cost: arrays within the program; several are distinct and in order.

    Raises:
        InvalidIR: where it is not.
    """
    parts = target.parts if isinstance(target, ir.Joint) else (target,)
    for part in parts:
        total = len(program.pools) if isinstance(part, ir.PoolTarget) else len(program.stages)
        if part.count < 1 or part.base + part.count > total:
            raise InvalidIR(path, RULE, "a cost of a resource the program does not have")
    if isinstance(target, ir.Joint):
        order = [(isinstance(part, ir.StageTarget), part.base, part.count) for part in parts]
        if len(parts) <= 1 or sorted(set(order)) != order:
            raise InvalidIR(path, RULE, "a joint resource is two or more different ones, pools before stages, by number")


# ---------------------------------------------------------------------------------- types


def _kind(program: ir.Program, expr: ir.Expr, path: str) -> Kind:
    """The type of an expression: a plain number, or a cost of a resource."""
    match expr:
        case ir.Attr(slot):
            kind = program.attr_types[slot]
            return PLAIN if kind in ("Size", "Value") else kind  # type: ignore[return-value]
        case ir.Cost(target, inner):
            check_target(program, target, path)
            _plain(program, inner, f"{path}.Cost[1]")
            return target
        case ir.Unary("Neg", operand):
            return _kind(program, operand, f"{path}.Unary[1]")
        case ir.Unary(_, operand):
            _plain(program, operand, f"{path}.Unary[1]")
        case ir.Binary(op, left, right):
            return _binary(op, _kind(program, left, f"{path}.Binary[1]"), _kind(program, right, f"{path}.Binary[2]"), path)
        case ir.Cond(test, then, orelse):
            _plain(program, test, f"{path}.Cond[0]")
            first, second = _kind(program, then, f"{path}.Cond[1]"), _kind(program, orelse, f"{path}.Cond[2]")
            if first != second:
                raise InvalidIR(path, RULE, "one arm is a cost of a resource and the other is not the same")
            return first
        case ir.Sample(_, args):
            for i, argument in enumerate(args):
                _plain(program, argument, f"{path}.Sample[1][{i}]")
        case ir.Call():
            return _call(program, expr, path)
    return PLAIN


def _plain(program: ir.Program, expr: ir.Expr, path: str) -> None:
    if _kind(program, expr, path) != PLAIN:
        raise InvalidIR(path, RULE, "a plain number is needed here, and this is a cost of a resource")


def _call(program: ir.Program, call: ir.Call, path: str) -> Kind:
    kinds: list[Kind] = []
    for i, argument in enumerate(call.args):
        here = f"{path}.Call[1][{i}]"
        if isinstance(argument, ir.PoolArg | ir.StageArg):
            if argument.ref.index is not None:
                _plain(program, argument.ref.index, f"{here}.index")
        else:
            kinds.append(_kind(program, argument, f"{here}.Expr"))
    if call.fun in KEEPS_TYPE:
        if any(kind != kinds[0] for kind in kinds):
            raise InvalidIR(path, RULE, f"{call.fun} of a cost and of something else")
        return kinds[0]
    if any(kind != PLAIN for kind in kinds):
        raise InvalidIR(path, RULE, f"{call.fun} takes plain numbers, not costs of resources")
    return PLAIN


def _binary(op: str, left: Kind, right: Kind, path: str) -> Kind:
    if left == right and (left == PLAIN or op in ADDITIVE or op in COMPARING):
        return PLAIN if op in COMPARING else left
    if op in ("Mul", "Div") and right == PLAIN:
        return left
    if op == "Mul" and left == PLAIN:
        return right
    raise InvalidIR(path, RULE, f"{op} of a cost and of something that does not go with it")


def _compare(found: Kind, wanted: Wanted, path: str) -> None:
    if wanted == "any" or found == wanted:
        return
    if wanted == PLAIN:
        raise InvalidIR(path, RULE, "a plain number is needed here, and this is a cost of a resource")
    if found == PLAIN:
        raise InvalidIR(path, RULE, "this asks a resource for something and has to be a cost of it")
    raise InvalidIR(path, RULE, "this is a cost of another resource")


# --------------------------------------------------------------------------------- owners

Resource = tuple[type, int]


def _resources(target: ir.Target) -> set[Resource]:
    parts = target.parts if isinstance(target, ir.Joint) else (target,)
    return {(type(part), member) for part in parts for member in members(part)}


def _owners(program: ir.Program, places: list[Position]) -> None:
    """The workload makes and reads no cost of a resource the server uses: it sends sizes."""
    servers: set[Resource] = set()
    for b, block in enumerate(program.blocks):
        for i, statement in enumerate(block):
            if program.sides[b][i] == "Server":
                servers |= _used(program, statement)
    for position in places:
        if position.side == "Workload" and position.wanted != "untyped":
            for node, path in nodes(position.expr, position.path):
                if servers & _resources_of(program, node):
                    raise InvalidIR(path, RULE, "the workload converts no size into a cost of a resource of the server")


def _resources_of(program: ir.Program, node: ir.Expr) -> set[Resource]:
    if isinstance(node, ir.Cost):
        return _resources(node.target)
    if isinstance(node, ir.Attr):
        kind = program.attr_types[node.slot]
        return set() if isinstance(kind, str) else _resources(kind)
    return set()


def _used(program: ir.Program, statement: ir.Statement) -> set[Resource]:
    """The resources a statement asks for something; forgetting and giving back asks for nothing."""
    if isinstance(statement, ir.Drop | ir.Release):
        return set()
    used: set[Resource] = {
        (ir.StageTarget if names_stage(statement, path) else ir.PoolTarget, member)
        for path, ref in statement_refs(statement, "")
        for member in members(ref)
    }
    if isinstance(statement, ir.Request):
        for s in members(statement.stage):
            kind = program.stages[s].kind
            if isinstance(kind, ir.Step) and kind.request is not None:
                used |= {(ir.PoolTarget, member) for take in kind.request.pools for member in members(take.pool)}
    return used


# ------------------------------------------------------------------- assigned before read


def _assigned_first(program: ir.Program, places: list[Position]) -> None:
    """An attribute that is a cost has no value, not even 0, before it is set on every way there."""
    costs = {slot for slot, kind in enumerate(program.attr_types) if not isinstance(kind, str)}
    if costs:
        by_statement: dict[tuple[int, int], list[Position]] = {}
        for position in places:
            if position.statement is not None:
                by_statement.setdefault(position.statement, []).append(position)
        _walk(program, program.session, frozenset(), costs, by_statement)


def _walk(
    program: ir.Program, block: int, known: frozenset[int], costs: set[int], by_statement: dict[tuple[int, int], list[Position]]
) -> frozenset[int]:
    """The costs that are set after a block, given those set before it."""
    for i, statement in enumerate(program.blocks[block]):
        for position in by_statement.get((block, i), []):
            for node, path in nodes(position.expr, position.path):
                if isinstance(node, ir.Attr) and node.slot in costs - known:
                    name = program.attrs[node.slot]
                    raise InvalidIR(path, RULE, f"the cost {name!r} is read where not every way there has set it")
        after = [_walk(program, inner, known, costs, by_statement) for inner in inner_blocks(statement)]
        match statement:
            case ir.Set(slot, _) if slot in costs:
                known |= {slot}
            case ir.Hold():
                known = after[0]
            case ir.Branch():
                known = after[0] & after[1]
    return known
