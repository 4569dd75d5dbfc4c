"""Every place of a program that holds an expression, and the moment it is read at; decides nothing.

The rules about expressions (moments, types of cost, indices) go through this one list, so
that a place cannot be checked by one and forgotten by another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from grammar import ir
from grammar.declaring import dataclass
from grammar.ir_walk import statement_path
from grammar.validate_moments_table import Moment, moments

Wanted = ir.Target | Literal["plain", "any", "untyped"]


@dataclass(frozen=True, slots=True)
class Position:
    """One place that holds an expression.

    Attributes:
        path: where it stands.
        expr: what stands there.
        moment: what may be read there.
        wanted: the resource its value is a cost of; "plain" for a number that is no cost,
            "any" where either may stand, "untyped" where the reference looks at no types at all.
        engines: the engines whose registers may be read, None for every engine's.
        own: the engine whose iteration this is read in.
        statement: the block and the index of the statement it is part of, None outside them.
        side: who executes that statement.
    """

    path: str
    expr: ir.Expr
    moment: Moment
    wanted: Wanted = "plain"
    engines: frozenset[int] | None = frozenset()
    own: int | None = None
    statement: tuple[int, int] | None = None
    side: ir.Side | None = None


def positions(program: ir.Program) -> Iterator[Position]:
    """Every place of a program that holds an expression."""
    yield from _pools(program)
    yield from _stages(program)
    yield from _observers(program)
    if isinstance(program.arrival, ir.Renewal):
        yield Position("arrival.Renewal", program.arrival.gap, moments.ARRIVAL)
    for b, block in enumerate(program.blocks):
        for i, statement in enumerate(block):
            side = program.sides[b][i]
            for path, expr, moment, wanted, engines in _statement(program, statement, statement_path(b, i, statement)):
                yield Position(path, expr, moment, wanted, engines, None, (b, i), side)


def _listed(path: str, exprs: tuple[ir.Expr, ...]) -> Iterator[tuple[str, ir.Expr]]:
    return ((f"{path}[{i}]", expr) for i, expr in enumerate(exprs))


def _admits(program: ir.Program, pool: int) -> frozenset[int]:
    via = program.pools[pool].admit_via if pool < len(program.pools) else None
    return frozenset() if via is None else frozenset({via})


# ------------------------------------------------------------------------------ statements

Found = tuple[str, ir.Expr, Moment, Wanted, frozenset[int]]
NOBODY: frozenset[int] = frozenset()


def _statement(program: ir.Program, statement: ir.Statement, path: str) -> Iterator[Found]:
    for ref_path, ref in statement_refs(statement, path):
        if ref.index is not None:
            yield f"{ref_path}.index", ref.index, moments.STATEMENT, "plain", NOBODY
    match statement:
        case ir.Set(slot, expr):
            kind = program.attr_types[slot] if slot < len(program.attr_types) else "any"
            wanted: Wanted = "plain" if kind in ("Size", "Value") else kind  # type: ignore[assignment]
            yield f"{path}[1]", expr, moments.STATEMENT, wanted, NOBODY
        case ir.Observe(_, expr):
            yield f"{path}[1]", expr, moments.STATEMENT, "any", NOBODY
        case ir.Grow(pool, units) | ir.Shrink(pool, units) | ir.Load(pool, units):
            yield f"{path}[1]", units, moments.STATEMENT, pool_target(pool), NOBODY
        case ir.Hold():
            yield from _hold(program, statement, path)
        case ir.Run():
            yield f"{path}.work", statement.work, moments.STATEMENT, run_target(statement), NOBODY
            if statement.latency is not None:
                yield f"{path}.latency", statement.latency, moments.STATEMENT, "plain", NOBODY
        case ir.Branch(guard, _, _) | ir.While(guard, _):
            yield f"{path}[0]", guard, moments.STATEMENT, "plain", NOBODY
        case ir.Choose():
            yield f"{path}.count", statement.count, moments.STATEMENT, "plain", NOBODY
            for inner, key in _listed(f"{path}.key", statement.keys):
                yield inner, key, moments.STATEMENT, "plain", NOBODY
        case ir.Request():
            yield f"{path}.input", statement.input, moments.STATEMENT, "untyped", NOBODY
            yield f"{path}.output", statement.output, moments.STATEMENT, "untyped", NOBODY


def _hold(program: ir.Program, hold: ir.Hold, path: str) -> Iterator[Found]:
    engines = _admits(program, hold.pools[0].pool.base) if hold.pools else NOBODY
    targets = hold_target(hold)
    for i, take in enumerate(hold.pools):
        yield f"{path}.pools[{i}][1]", take.units, moments.HEADER, pool_target(take.pool), engines
        if take.reserve is not None:
            yield f"{path}.pools[{i}][2]", take.reserve, moments.HEADER, pool_target(take.pool), engines
    if hold.reuse is not None:
        yield f"{path}.reuse", hold.reuse, moments.HEADER, targets, engines
    if hold.cache is not None:
        yield f"{path}.cache", hold.cache, moments.STATEMENT, targets, NOBODY
    if hold.lease is not None:
        yield f"{path}.lease[1]", hold.lease.seconds, moments.STATEMENT, "plain", NOBODY
    for k, segment in enumerate(hold.prefix or ()):
        yield f"{path}.prefix[{k}][0]", segment.key, moments.HOLD_CHAIN, "untyped", engines
        yield f"{path}.prefix[{k}][1]", segment.length, moments.HOLD_CHAIN, "untyped", engines


def statement_refs(statement: ir.Statement, path: str) -> Iterator[tuple[str, ir.Ref]]:
    """The references a statement itself makes, with their paths."""
    match statement:
        case ir.Hold():
            for i, take in enumerate(statement.pools):
                yield f"{path}.pools[{i}][0]", take.pool
            if statement.lease is not None:
                yield f"{path}.lease[0]", statement.lease.pool
        case ir.Grow(pool, _) | ir.Shrink(pool, _) | ir.Load(pool, _):
            yield f"{path}[0]", pool
        case ir.Drop(pool) | ir.Release(pool):
            yield path, pool
        case ir.Run():
            yield f"{path}.stage", statement.stage
            for i, stage in enumerate(statement.also):
                yield f"{path}.also[{i}]", stage
            if statement.growing is not None:
                yield f"{path}.growing", statement.growing
        case ir.Request():
            yield f"{path}.stage", statement.stage


def names_stage(statement: ir.Statement, path: str) -> bool:
    """Whether a reference of a statement, by its path, is to stages and not to pools."""
    return isinstance(statement, ir.Request) or (isinstance(statement, ir.Run) and not path.endswith(".growing"))


def pool_target(ref: ir.Ref) -> ir.PoolTarget:
    """The resource of an amount of a pool, or of an array of them."""
    return ir.PoolTarget(ref.base, ref.count)


def joint(parts: set[ir.PoolTarget | ir.StageTarget]) -> ir.Target:
    """Several resources as one, in the order of a cost; one alone is itself."""
    ordered = sorted(parts, key=lambda part: (isinstance(part, ir.StageTarget), part.base, part.count))
    return ordered[0] if len(ordered) == 1 else ir.Joint(tuple(ordered))


def hold_target(hold: ir.Hold) -> ir.Target:
    """The resource of what a hold reuses and caches: its pools."""
    return joint({pool_target(take.pool) for take in hold.pools})


def run_target(run: ir.Run) -> ir.Target:
    """The resource of a run's work: its stages."""
    return joint({ir.StageTarget(stage.base, stage.count) for stage in (run.stage, *run.also)})


# ----------------------------------------------------------------------- pools and stages


def _pools(program: ir.Program) -> Iterator[Position]:
    for p, pool in enumerate(program.pools):
        path, engines = f"pools[{p}]", _admits(program, p)
        for inner, key in _listed(f"{path}.queue", pool.queue or ()):
            yield Position(inner, key, moments.QUEUE, engines=engines)
        if pool.evict is not None:
            for inner, key in _listed(f"{path}.evict.By", pool.evict.keys):
                yield Position(inner, key, moments.EVICT, engines=engines)
        if isinstance(pool.preempt, ir.Preempt):
            for inner, key in _listed(f"{path}.preempt.By.keys", pool.preempt.keys):
                yield Position(inner, key, moments.VICTIM, engines=engines)
        elif isinstance(pool.preempt, ir.Leases):
            for inner, key in _listed(f"{path}.preempt.Leases.keys", pool.preempt.keys):
                yield Position(inner, key, moments.VICTIM, engines=engines)
            for inner, key in _listed(f"{path}.preempt.Leases.suspend", pool.preempt.suspend or ()):
                yield Position(inner, key, moments.VICTIM, "untyped", engines=engines)
        if pool.spill is not None:
            yield Position(f"{path}.spill.work", pool.spill.work, moments.EVICT, engines=engines)
            yield Position(f"{path}.spill.when", pool.spill.when, moments.EVICT, engines=engines)


def _stages(program: ir.Program) -> Iterator[Position]:
    for s, stage in enumerate(program.stages):
        path = f"stages[{s}].kind"
        if isinstance(stage.kind, ir.Ps):
            yield Position(f"{path}.Ps", stage.kind.capacity, moments.CAPACITY)
        elif isinstance(stage.kind, ir.Step):
            yield from _step(s, stage.kind, f"{path}.Step")


def _step(s: int, step: ir.Step, path: str) -> Iterator[Position]:
    mine = frozenset({s})
    yield Position(f"{path}.budget", step.budget, moments.BUDGET, engines=mine, own=s)
    yield Position(f"{path}.cost", step.cost, moments.COST, engines=mine, own=s)
    yield Position(f"{path}.chunk", step.chunk, moments.BUDGET, engines=mine, own=s)
    if step.serve is not None:
        for inner, key in _listed(f"{path}.serve.By", step.serve.keys):
            yield Position(inner, key, moments.SERVE, engines=mine, own=s)
    for inner, expr, moment in _schedule(step.iteration or (), f"{path}.iteration"):
        yield Position(inner, expr, moment, engines=mine, own=s)
    if step.request is not None:
        for inner, expr, moment in _request(step.request, f"{path}.request"):
            yield Position(inner, expr, moment, "untyped", mine, s)
    if step.connector is not None:
        if step.connector.load is not None:
            yield Position(f"{path}.connector.load[0]", step.connector.load[0], moments.TRANSFER, "untyped", mine, s)
        if step.connector.save is not None:
            yield Position(f"{path}.connector.save[0]", step.connector.save[0], moments.GIVING_BACK, "untyped", NOBODY, s)


def _schedule(statements: tuple[ir.ScheduleStatement, ...], path: str) -> Iterator[tuple[str, ir.Expr, Moment]]:
    for i, statement in enumerate(statements):
        here = f"{path}[{i}].{SCHEDULE_NAMES[type(statement)]}"
        match statement:
            case ir.Serve(only, by):
                if only is not None:
                    yield f"{here}.only", only, moments.ONLY
                for inner, key in _listed(f"{here}.by", by or ()):
                    yield inner, key, moments.SERVE
            case ir.Admit(only, gate):
                if only is not None:
                    yield f"{here}.only", only, moments.ONLY
                if gate is not None:
                    yield f"{here}.gate", gate, moments.PLAN
            case ir.SBranch(guard, then, orelse):
                yield f"{here}[0]", guard, moments.PLAN
                yield from _schedule(then, f"{here}[1]")
                yield from _schedule(orelse, f"{here}[2]")
            case ir.SSet(_, expr):
                yield f"{here}[1]", expr, moments.PLAN


SCHEDULE_NAMES = {ir.Serve: "Serve", ir.Admit: "Admit", ir.SBranch: "Branch", ir.SSet: "Set"}


def _request(clause: ir.RequestClause, path: str) -> Iterator[tuple[str, ir.Expr, Moment]]:
    for i, take in enumerate(clause.pools):
        if take.pool.index is not None:
            yield f"{path}.pools[{i}][0].index", take.pool.index, moments.ADMISSION_INDEX
        yield f"{path}.pools[{i}][1]", take.units, moments.ADMISSION
        if take.reserve is not None:
            yield f"{path}.pools[{i}][2]", take.reserve, moments.ADMISSION
    if clause.reuse is not None:
        yield f"{path}.reuse", clause.reuse, moments.REUSE
    for k, segment in enumerate(clause.prefix or ()):
        yield f"{path}.prefix[{k}][0]", segment.key, moments.CHAIN
        yield f"{path}.prefix[{k}][1]", segment.length, moments.CHAIN
    if clause.cache is not None:
        yield f"{path}.cache", clause.cache, moments.GIVING_BACK


# ------------------------------------------------------------------------ gauges and claims


def _observers(program: ir.Program) -> Iterator[Position]:
    for g, gauge in enumerate(program.gauges):
        yield Position(f"gauges[{g}].expr", gauge.expr, moments.GAUGE, engines=None)
    for c, claim in enumerate(program.claims):
        if claim.given is not None:
            yield Position(f"claims[{c}].given", claim.given, moments.GIVEN)
        if claim.kind == "AtEnd":
            yield Position(f"claims[{c}].expr", claim.expr, moments.AT_END, engines=None)
        else:
            mine = NOBODY if claim.stage is None else frozenset({claim.stage})
            yield Position(f"claims[{c}].expr", claim.expr, moments.ITERATION_CLAIM, engines=mine)
