"""From ``ir.Program`` to the JSON of a kernel IR, version 12, 13 or 14; checks nothing but what the older ones can say.

The order of the fields, and which are left out or null, are the reference's, so that texts
compare as well as values.
"""

from __future__ import annotations

from typing import Any

from grammar import ir
from grammar.ir_older import to_older

JSON = dict[str, Any]
VERSIONS = (12, 13, 14)


def to_json(program: ir.Program, version: int = 13, *, share_in_runs: bool = False) -> JSON:
    """Writes a program as the JSON of an IR (L11.1 to L11.14).

    Args:
        program: the program.
        version: 12, 13 or 14.
        share_in_runs: for 12 and 13, write the policy of flows in each run too, for readers
            of the other format of version 13; by default it stands in the program alone.

    Returns:
        The data, ready for ``json.dumps``; infinities are the texts ``"inf"`` and ``"-inf"``.

    Raises:
        CannotSay: when that version has no form for something in the program.
        ValueError: for another version.
    """
    if version not in VERSIONS:
        raise ValueError(f"there is no version {version} of the IR to write; expected 12, 13 or 14")
    data = _program(program, version)
    if version != VERSIONS[-1]:
        to_older(data, version, share_in_runs=share_in_runs)
    return data


# ------------------------------------------------------------------------------- program


def _program(p: ir.Program, version: int) -> JSON:
    data: JSON = {
        "version": version,
        "attrs": list(p.attrs),
        "attr_types": [t if isinstance(t, str) else {"Cost": _target(t)} for t in p.attr_types],
        "sides": [list(sides) for sides in p.sides],
        "observes": list(p.observes),
        "pools": [_pool(pool) for pool in p.pools],
        "stages": [_labelled(s.name, s.index) | {"kind": _kind(s.kind)} for s in p.stages],
        "arrival": _arrival(p.arrival),
        "trace": p.trace,
        "trace_ordered": p.trace_ordered,
        "init": p.init,
        "turn": p.turn,
        "session": p.session,
        "blocks": [[_statement(statement) for statement in block] for block in p.blocks],
        "horizon": p.horizon,
        "warmup": p.warmup,
        "seed": p.seed,
    }
    if p.arrivals is not None:
        data["arrivals"] = p.arrivals
    for name in ("cached", "serial", "turn", "new", "out", "think", "more", "forced", "computed"):
        data[f"slot_{name}"] = getattr(p.slots, name)
    data["hidden"] = list(p.hidden)
    if p.gauges:
        data["gauges"] = [{"name": g.name, "expr": _expr(g.expr)} for g in p.gauges]
    if p.claims:
        data["claims"] = [_claim(claim) for claim in p.claims]
    if p.registers:
        data["registers"] = [{"name": r.name, "stage": r.stage, "init": _number(r.init)} for r in p.registers]
    return data


def _labelled(name: str, index: int | None) -> JSON:
    return {"name": name} if index is None else {"name": name, "index": index}


def _claim(claim: ir.Claim) -> JSON:
    given = {} if claim.given is None else {"given": _expr(claim.given)}
    kind = claim.kind if claim.kind == "AtEnd" else {claim.kind: claim.stage}
    return {"name": claim.name, **given, "kind": kind, "expr": _expr(claim.expr)}


def _arrival(arrival: ir.Arrival) -> object:
    match arrival:
        case ir.Poisson(rate):
            return {"Poisson": rate}
        case ir.Renewal(gap):
            return {"Renewal": _expr(gap)}
        case ir.Closed(count):
            return {"Closed": count}
        case ir.Batch(count):
            return {"Batch": count}
        case ir.Sessions(sessions):
            return {"Sessions": [_preset(preset) for preset in sessions]}
    return "None"


def _preset(preset: ir.Preset) -> JSON:
    data: JSON = {"attrs": [list(pair) for pair in preset.attrs]}
    if preset.turns:
        data["turns"] = [[list(pair) for pair in turn] for turn in preset.turns]
    return data


# ---------------------------------------------------------------------- pools and stages


def _pool(pool: ir.Pool) -> JSON:
    data = _labelled(pool.name, pool.index) | {
        "cap": _number(pool.cap),
        "block": pool.block,
        "evict": "Lru" if pool.evict is None else {"By": _exprs(pool.evict.keys)},
        "preempt": _preempt(pool.preempt),
        "queue": None if pool.queue is None else _exprs(pool.queue),
    }
    if pool.queue_every is not None:
        data["queue_every"] = pool.queue_every
    data["spill"] = None if pool.spill is None else _spill(pool.spill)
    data["admit_via"] = pool.admit_via
    if pool.reserve_held:
        data["reserve_held"] = True
    return data


def _preempt(preempt: ir.Preempt | ir.Leases | None) -> object:
    match preempt:
        case ir.Preempt(keys, tail):
            return {"By": {"keys": _exprs(keys), **({"tail": True} if tail else {})}}
        case ir.Leases(keys, every, suspend):
            ticks = {} if every is None else {"every": every}
            aside = {} if suspend is None else {"suspend": _exprs(suspend)}
            return {"Leases": {"keys": _exprs(keys), **ticks, **aside}}
    return "None"


def _spill(spill: ir.Spill) -> JSON:
    return {"to": spill.to, "via": spill.via, "work": _expr(spill.work), "when": _expr(spill.when)}


def _kind(kind: ir.Fifo | ir.Ps | ir.Step) -> JSON:
    match kind:
        case ir.Fifo(servers):
            return {"Fifo": servers}
        case ir.Ps(capacity):
            return {"Ps": _expr(capacity)}
        case ir.Step():
            return {"Step": _step(kind)}


def _step(step: ir.Step) -> JSON:
    data: JSON = {"budget": _expr(step.budget), "cost": _expr(step.cost), "chunk": _expr(step.chunk)}
    if step.granule is not None:
        data["granule"] = {"Num": _number(step.granule)}
    data["serve"] = "ExclusivePrefill" if step.serve is None else {"By": _exprs(step.serve.keys)}
    data["memory"] = step.memory
    if step.iteration is not None:
        data["iteration"] = [_schedule_statement(statement) for statement in step.iteration]
    if step.request is not None:
        data["request"] = _request_clause(step.request)
    if step.connector is not None:
        data["connector"] = _connector(step.connector)
    return data


def _schedule_statement(statement: ir.ScheduleStatement) -> JSON:
    match statement:
        case ir.Serve(only, by):
            order = {} if by is None else {"by": _exprs(by)}
            return {"Serve": {**_given("only", only), **order}}
        case ir.Admit(only, gate):
            return {"Admit": {**_given("only", only), **_given("gate", gate)}}
        case ir.SBranch(guard, then, orelse):
            return {"Branch": [_expr(guard), [_schedule_statement(s) for s in then], [_schedule_statement(s) for s in orelse]]}
        case ir.SSet(register, expr):
            return {"Set": [register, _expr(expr)]}


def _given(name: str, expr: ir.Expr | None) -> JSON:
    """A field that is left out when there is nothing to say."""
    return {} if expr is None else {name: _expr(expr)}


def _prefix(prefix: tuple[ir.Segment, ...] | None) -> JSON:
    return {} if prefix is None else {"prefix": [[_expr(segment.key), _expr(segment.length)] for segment in prefix]}


def _request_clause(clause: ir.RequestClause) -> JSON:
    names = ("reused", "prefill", "admitted", "first", "last_reused", "last_prefill")
    return {
        "pools": [_take(take) for take in clause.pools],
        **_given("reuse", clause.reuse),
        **_given("cache", clause.cache),
        **_prefix(clause.prefix),
        "records": {name: getattr(clause.records, name) for name in names},
    }


def _connector(connector: ir.Connector) -> JSON:
    data: JSON = {}
    if connector.load is not None:
        data["load"] = [_expr(connector.load[0]), connector.load[1]]
    if connector.save is not None:
        data["save"] = [_expr(connector.save[0]), connector.save[1]]
    data |= {"loaded": connector.loaded, "saved": connector.saved, "load_done": connector.load_done}
    if connector.source is not None:
        data["from"] = connector.source
    data["record"] = connector.record
    return data


# ---------------------------------------------------------------------------- statements


def _statement(statement: ir.Statement) -> object:
    match statement:
        case ir.Turn() | ir.End() | ir.Join():
            return type(statement).__name__
        case ir.Set(slot, expr):
            return {"Set": [slot, _expr(expr)]}
        case ir.Observe(observe, expr):
            return {"Observe": [observe, _expr(expr)]}
        case ir.Hold():
            return {"Hold": _hold(statement)}
        case ir.Run():
            return {"Run": _run(statement)}
        case ir.Grow(pool, units) | ir.Shrink(pool, units) | ir.Load(pool, units):
            return {type(statement).__name__: [_ref(pool), _expr(units)]}
        case ir.Drop(pool) | ir.Release(pool):
            return {type(statement).__name__: _ref(pool)}
        case ir.Branch(guard, then, orelse):
            return {"Branch": [_expr(guard), then, orelse]}
        case ir.While(guard, body):
            return {"While": [_expr(guard), body]}
        case ir.Loop(body) | ir.Fork(body):
            return {type(statement).__name__: body}
        case ir.Choose(slot, count, keys):
            return {"Choose": {"var": slot, "count": _expr(count), "key": _exprs(keys)}}
        case ir.Request(stage, given, asked):
            return {"Request": {"stage": _ref(stage), "input": _expr(given), "output": _expr(asked)}}


def _hold(hold: ir.Hold) -> JSON:
    return {
        "pools": [_take(take) for take in hold.pools],
        "reuse": _perhaps(hold.reuse),
        "body": hold.body,
        "cache": _perhaps(hold.cache),
        **_prefix(hold.prefix),
        "lease": None if hold.lease is None else [_ref(hold.lease.pool), _expr(hold.lease.seconds)],
    }


def _take(take: ir.Take) -> list[object]:
    return [_ref(take.pool), _expr(take.units), _perhaps(take.reserve)]


def _run(run: ir.Run) -> JSON:
    data: JSON = {
        "stage": _ref(run.stage),
        "mode": run.mode,
        "work": _expr(run.work),
        "growing": None if run.growing is None else _ref(run.growing),
    }
    if run.also:
        data["also"] = [_ref(stage) for stage in run.also]
    if run.share is not None:
        data["share"] = run.share
    data |= _given("latency", run.latency)
    if run.poster is not None:
        data["poster"] = run.poster
    return data


# --------------------------------------------------------------------------- expressions


def _number(value: float) -> float | str:
    if value == float("inf"):
        return "inf"
    return "-inf" if value == float("-inf") else value


def _perhaps(expr: ir.Expr | None) -> JSON | None:
    return None if expr is None else _expr(expr)


def _exprs(exprs: tuple[ir.Expr, ...]) -> list[JSON]:
    return [_expr(expr) for expr in exprs]


def _ref(ref: ir.Ref) -> JSON:
    return {"base": ref.base, "count": ref.count, "index": _perhaps(ref.index)}


def _target(target: ir.Target) -> JSON:
    match target:
        case ir.PoolTarget(base, count):
            return {"Pool": {"base": base, "count": count}}
        case ir.StageTarget(base, count):
            return {"Stage": {"base": base, "count": count}}
        case ir.Joint(parts):
            return {"Joint": [_target(part) for part in parts]}


def _argument(argument: ir.Expr | ir.PoolArg | ir.StageArg) -> JSON:
    match argument:
        case ir.PoolArg(ref):
            return {"Pool": _ref(ref)}
        case ir.StageArg(ref):
            return {"Stage": _ref(ref)}
    return {"Expr": _expr(argument)}


def _expr(expr: ir.Expr) -> JSON:
    match expr:
        case ir.Num(value):
            return {"Num": _number(value)}
        case ir.Attr(slot):
            return {"Attr": slot}
        case ir.Ctx(name):
            return {"Ctx": name}
        case ir.Reg(index):
            return {"Reg": index}
        case ir.Agg(kind, observe):
            return {"Agg": [kind, observe]}
        case ir.Cost(target, inner):
            return {"Cost": [_target(target), _expr(inner)]}
        case ir.Sample(dist, args):
            return {"Sample": [dist, _exprs(args)]}
        case ir.Call(fun, args):
            return {"Call": [fun, [_argument(argument) for argument in args]]}
        case ir.Unary(op, operand):
            return {"Unary": [op, _expr(operand)]}
        case ir.Binary(op, left, right):
            return {"Binary": [op, _expr(left), _expr(right)]}
        case ir.Cond(test, then, orelse):
            return {"Cond": [_expr(test), _expr(then), _expr(orelse)]}
