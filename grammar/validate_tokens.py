"""Checks that what counts tokens is whole by construction, as version 14 demands; knows no value of a run."""

from __future__ import annotations

from collections.abc import Iterator

from grammar import ir
from grammar.ir_node import InvalidIR
from grammar.ir_walk import members

RULE = "tokens are whole"

WHOLE_CALLS = frozenset({"Floor", "Ceil", "Queue", "Busy", "Holders", "Queued", "BudgetLeft"})
OF_TOKENS = frozenset({"Used", "Free", "Allocated", "CachedIn"})
KEEPS_WHOLE = frozenset({"Add", "Sub", "Mul", "Min", "Max", "Abs", "Neg"})
TRUTHS = frozenset({"Lt", "Le", "Gt", "Ge", "Eq", "Ne", "And", "Or", "Not"})
REAL = frozenset({"Now", "Waited", "Age", "Last", "Attn"})
"""Context variables that are times, or sums with halves; all others count something."""

Found = tuple[str, ir.Expr]


def check_tokens(program: ir.Program) -> None:
    """Whether every count of tokens is provably a whole number, or infinite.

    Raises:
        InvalidIR: at the first that may be a fraction.
    """
    holding = _holding(program)
    for p in sorted(holding):
        pool = program.pools[p]
        for name, value in (("cap", pool.cap), ("block", pool.block)):
            if value is not None and not _is_whole(value):
                raise InvalidIR(f"pools[{p}].{name}", RULE, f"the pool holds tokens, and {value:g} is no whole number of them")
    wholeness = _Wholeness(program, holding)
    for path, expr in (*_of_engines(program), *_of_statements(program, holding)):
        if not wholeness.whole(expr):
            raise InvalidIR(path, RULE, "this counts tokens and may be a fraction; floor or ceil says which whole number is meant")


def _is_whole(value: float) -> bool:
    return value in (float("inf"), float("-inf")) or value == int(value)


# ------------------------------------------------------------------ which pools hold tokens


def _holding(program: ir.Program) -> set[int]:
    """The pools that hold tokens, and not seconds or fractions of a thing."""
    holding = {p for p, pool in enumerate(program.pools) if pool.block is not None}
    for stage in program.stages:
        if isinstance(stage.kind, ir.Step):
            if stage.kind.memory is not None:
                holding.add(stage.kind.memory)
            clause = stage.kind.request
            if clause is not None and (clause.cache is not None or clause.reuse is not None or clause.prefix is not None):
                holding |= {p for take in clause.pools for p in members(take.pool)}
    for block in program.blocks:
        for statement in block:
            match statement:
                case ir.Hold() if statement.cache is not None or statement.reuse is not None or statement.prefix is not None:
                    holding |= {p for take in statement.pools for p in members(take.pool)}
                case ir.Load(pool, _):
                    holding |= set(members(pool))
                case ir.Run() if statement.growing is not None:
                    holding |= set(members(statement.growing))
    while True:
        spilled = {pool.spill.to for p, pool in enumerate(program.pools) if p in holding and pool.spill is not None} - holding
        if not spilled:
            return holding
        holding |= spilled


# --------------------------------------------------------------------- what is to be whole


def _of_engines(program: ir.Program) -> Iterator[Found]:
    for s, stage in enumerate(program.stages):
        if not isinstance(stage.kind, ir.Step):
            continue
        path = f"stages[{s}].kind.Step"
        yield f"{path}.budget", stage.kind.budget
        yield f"{path}.chunk", stage.kind.chunk
        if stage.kind.granule is not None:
            yield f"{path}.granule", ir.Num(stage.kind.granule)
        if stage.kind.connector is not None:
            for name, amount in (("load", stage.kind.connector.load), ("save", stage.kind.connector.save)):
                if amount is not None:
                    yield f"{path}.connector.{name}[0]", amount[0]


def _of_statements(program: ir.Program, holding: set[int]) -> Iterator[Found]:
    for s, stage in enumerate(program.stages):
        if isinstance(stage.kind, ir.Step) and stage.kind.request is not None:
            clause = stage.kind.request
            yield from _takes(clause.pools, clause.reuse, clause.cache, clause.prefix, f"stages[{s}].kind.Step.request", holding)
    for b, block in enumerate(program.blocks):
        for i, statement in enumerate(block):
            path = f"blocks[{b}][{i}].{type(statement).__name__}"
            match statement:
                case ir.Hold():
                    yield from _takes(statement.pools, statement.reuse, statement.cache, statement.prefix, path, holding)
                case ir.Grow(pool, units) | ir.Shrink(pool, units) | ir.Load(pool, units):
                    if pool.base in holding:
                        yield f"{path}[1]", units
                case ir.Run() if statement.mode != "Plain":
                    yield f"{path}.work", statement.work
                case ir.Request():
                    yield f"{path}.input", statement.input
                    yield f"{path}.output", statement.output


def _takes(
    takes: tuple[ir.Take, ...],
    reuse: ir.Expr | None,
    cache: ir.Expr | None,
    prefix: tuple[ir.Segment, ...] | None,
    path: str,
    holding: set[int],
) -> Iterator[Found]:
    for i, take in enumerate(takes):
        if take.pool.base in holding:
            yield f"{path}.pools[{i}][1]", take.units  # a reserve only tests for room and may be a fraction
    if reuse is not None:
        yield f"{path}.reuse", reuse
    if cache is not None:
        yield f"{path}.cache", cache
    for k, segment in enumerate(prefix or ()):
        yield f"{path}.prefix[{k}][1]", segment.length


# ------------------------------------------------------------------------------- wholeness


class _Wholeness:
    """Which attributes and registers are whole: all whose every assignment is, starting from the best case."""

    def __init__(self, program: ir.Program, holding: set[int]) -> None:
        self.holding = holding
        self.fractions = set(_given_fractions(program))
        self.real_registers = {r for r, register in enumerate(program.registers) if not _is_whole(register.init)}
        sets = [statement for block in program.blocks for statement in block if isinstance(statement, ir.Set)]
        assigned = [(statement.slot, statement.expr) for statement in sets]
        steps = [stage.kind for stage in program.stages if isinstance(stage.kind, ir.Step)]
        registers = [pair for step in steps for pair in _sets(step.iteration or ())]
        changed = True
        while changed:
            fractions = {slot for slot, expr in assigned if slot not in self.fractions and not self.whole(expr)}
            real = {r for r, expr in registers if r not in self.real_registers and not self.whole(expr)}
            self.fractions |= fractions
            self.real_registers |= real
            changed = bool(fractions or real)

    def whole(self, expr: ir.Expr) -> bool:
        """Whether an expression is a whole number, or infinite, whatever it reads."""
        match expr:
            case ir.Num(value):
                return _is_whole(value)
            case ir.Attr(slot):
                return slot not in self.fractions
            case ir.Reg(index):
                return index not in self.real_registers
            case ir.Ctx(name):
                return name not in REAL
            case ir.Cost(_, inner):
                return self.whole(inner)
            case ir.Cond(_, then, orelse):
                return self.whole(then) and self.whole(orelse)
            case ir.Unary(op, operand):
                return op in TRUTHS or self.whole(operand)
            case ir.Binary(op, left, right):
                return op in TRUTHS or (op in KEEPS_WHOLE and self.whole(left) and self.whole(right))
            case ir.Sample(dist, args):
                return dist == "Bernoulli" or (dist == "Det" and self.whole(args[0]))
            case ir.Call():
                return self.call(expr)
        return False

    def call(self, call: ir.Call) -> bool:
        if call.fun in WHOLE_CALLS:
            return True
        if call.fun in OF_TOKENS:
            return all(argument.ref.base in self.holding for argument in call.args if isinstance(argument, ir.PoolArg))
        return call.fun in KEEPS_WHOLE and all(
            self.whole(argument) for argument in call.args if not isinstance(argument, ir.PoolArg | ir.StageArg)
        )


def _given_fractions(program: ir.Program) -> Iterator[int]:
    """The attributes that get times, or fractions, from elsewhere than a statement."""
    yield program.slots.think
    if isinstance(program.arrival, ir.Sessions):
        for preset in program.arrival.sessions:
            for values in (preset.attrs, *preset.turns):
                yield from (slot for slot, value in values if not _is_whole(value))
    for stage in program.stages:
        if isinstance(stage.kind, ir.Step):
            if stage.kind.request is not None:
                yield stage.kind.request.records.admitted
                yield stage.kind.request.records.first
            if stage.kind.connector is not None:
                yield stage.kind.connector.load_done


def _sets(statements: tuple[ir.ScheduleStatement, ...]) -> Iterator[tuple[int, ir.Expr]]:
    for statement in statements:
        if isinstance(statement, ir.SSet):
            yield statement.register, statement.expr
        elif isinstance(statement, ir.SBranch):
            yield from _sets(statement.then)
            yield from _sets(statement.orelse)
