"""Walks over the IR's expressions and blocks that several checks share; checks nothing itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grammar import ir


def inside(e: ir.Expr) -> Iterator[ir.Expr]:
    """An expression and everything read in it, the indices of pools and stages included."""
    yield e
    for child in parts_of(e):
        yield from inside(child)


def parts_of(e: ir.Expr) -> Iterator[ir.Expr]:
    """The expressions directly inside another."""
    if isinstance(e, ir.Cost):
        yield e.expr
    elif isinstance(e, ir.Unary):
        yield e.operand
    elif isinstance(e, ir.Binary):
        yield e.left
        yield e.right
    elif isinstance(e, ir.Cond):
        yield e.test
        yield e.then
        yield e.orelse
    elif isinstance(e, ir.Sample):
        yield from e.args
    elif isinstance(e, ir.Call):
        for arg in e.args:
            if not isinstance(arg, ir.PoolArg | ir.StageArg):
                yield arg
            elif arg.ref.index is not None:
                yield arg.ref.index


def slots_read(e: ir.Expr) -> set[int]:
    """The attributes an expression reads."""
    return {n.slot for n in inside(e) if isinstance(n, ir.Attr)}


def blocks_of(s: ir.Statement) -> tuple[int, ...]:
    """The numbers of a statement's own blocks."""
    if isinstance(s, ir.Branch):
        return (s.then, s.orelse)
    if isinstance(s, ir.Hold | ir.While | ir.Loop | ir.Fork):
        return (s.body,)
    return ()


def header_of(s: ir.Hold) -> Iterator[ir.Expr]:
    """What a hold's admission reads again and again: units, reserves and reuse (L7.22)."""
    for take in s.pools:
        yield take.units
        if take.reserve is not None:
            yield take.reserve
    if s.reuse is not None:
        yield s.reuse


def refs_of(s: ir.Statement) -> Iterator[ir.Ref]:
    """The pools and stages a statement names itself."""
    if isinstance(s, ir.Hold):
        yield from (t.pool for t in s.pools)
        if s.lease is not None:
            yield s.lease.pool
    elif isinstance(s, ir.Grow | ir.Load | ir.Release | ir.Drop):
        yield s.pool
    elif isinstance(s, ir.Run):
        yield from (s.stage, *s.also)
        if s.growing is not None:
            yield s.growing


def expressions_of(s: ir.Statement) -> Iterator[ir.Expr]:
    """Every expression of a statement, not those of its blocks; indices of pools and stages included."""
    for ref in refs_of(s):
        if ref.index is not None:
            yield ref.index
    if isinstance(s, ir.Set | ir.Observe):
        yield s.expr
    elif isinstance(s, ir.Hold):
        yield from header_of(s)
        if s.cache is not None:
            yield s.cache
        if s.lease is not None:
            yield s.lease.seconds
    elif isinstance(s, ir.Grow | ir.Load):
        yield s.units
    elif isinstance(s, ir.Run):
        yield s.work
    elif isinstance(s, ir.Branch | ir.While):
        yield s.guard
    elif isinstance(s, ir.Choose):
        yield s.count
        yield from s.keys


def deployment_expressions(program: ir.Program) -> Iterator[ir.Expr]:
    """Every expression outside the blocks."""
    for pool in program.pools:
        if pool.evict is not None:
            yield from pool.evict.keys
        if pool.preempt is not None:
            yield from pool.preempt.keys
        yield from pool.queue or ()
        if pool.spill is not None:
            yield pool.spill.work
            yield pool.spill.when
    for stage in program.stages:
        if isinstance(stage.kind, ir.Ps):
            yield stage.kind.capacity
        elif isinstance(stage.kind, ir.Step):
            yield from (stage.kind.budget, stage.kind.cost, stage.kind.chunk)
            yield from stage.kind.serve.keys if stage.kind.serve is not None else ()
            yield from schedule_expressions(stage.kind.iteration or ())
    if isinstance(program.arrival, ir.Renewal):
        yield program.arrival.gap
    for gauge in program.gauges:
        yield gauge.expr
    for claim in program.claims:
        yield claim.expr
        if claim.given is not None:
            yield claim.given


def schedule_expressions(statements: Iterable[ir.ScheduleStatement]) -> Iterator[ir.Expr]:
    """Every expression of a schedule's statements."""
    for s in statements:
        if isinstance(s, ir.Serve):
            yield from (e for e in (s.only, *(s.by or ())) if e is not None)
        elif isinstance(s, ir.Admit):
            yield from (e for e in (s.only, s.gate) if e is not None)
        elif isinstance(s, ir.SBranch):
            yield s.guard
            yield from schedule_expressions(s.then)
            yield from schedule_expressions(s.orelse)
        else:
            yield s.expr
