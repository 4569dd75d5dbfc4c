"""What the reference lets be read at every place of an IR: places, things to read, and the table measured; checks nothing."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from grammar.ir_read_expressions import CONTEXT
from tests.grammar import rich_ir as rich
from tests.grammar.rich_ir import JSON, attr, call, ctx, draw, floor, num, of, of_pool, of_pools, of_stage, of_stages, pool, stage

Wrap = Callable[[JSON], Any]


def _same(x: JSON) -> JSON:
    return x


_STEP = ("stages", rich.LLM, "kind", "Step")
_CLAUSE = ("stages", rich.LLM2, "kind", "Step", "request")
_CONNECTOR = ("stages", rich.LLM2, "kind", "Step", "connector")
_LEASES = ("pools", rich.PLAIN, "preempt", "Leases")
_BIG = ("blocks", 2, 3, "Hold")

PLACES: dict[str, tuple[tuple[str | int, ...], Wrap]] = {
    "a statement": (("blocks", 2, 1, "Set", 1), _same),
    "init": (("blocks", 0, 2, "Set", 1), _same),
    "an observation": (("blocks", 2, 9, "Observe", 1), _same),
    "a branch": (("blocks", 2, 11, "Branch", 0), _same),
    "a while": (("blocks", 2, 12, "While", 0), _same),
    "the count of a choice": (("blocks", 2, 10, "Choose", "count"), _same),
    "the key of a choice": (("blocks", 2, 10, "Choose", "key", 0), _same),
    "the work of a run": (("blocks", 4, 0, "Run", "work"), lambda x: of_stage(rich.FIFO, x)),
    "the work of an engine": (("blocks", 3, 0, "Run", "work"), lambda x: of_stage(rich.LLM, floor(x))),
    "the work of a flow": (("blocks", 5, 1, "Run", "work"), lambda x: of_stages([rich.LINK0, rich.LINK1], x)),
    "a latency": (("blocks", 5, 1, "Run", "latency"), _same),
    "a grow": (("blocks", 4, 1, "Grow", 1), lambda x: of_pool(rich.PLAIN, floor(x))),
    "a shrink": (("blocks", 4, 2, "Shrink", 1), lambda x: of_pool(rich.PLAIN, floor(x))),
    "a load": (("blocks", 4, 3, "Load", 1), lambda x: of_pool(rich.PLAIN, floor(x))),
    "units of an engine's hold": ((*_BIG, "pools", 1, 1), lambda x: of_pool(rich.KV, floor(x))),
    "units of another hold": (("blocks", 2, 4, "Hold", "pools", 0, 1), lambda x: of_pool(rich.PLAIN, floor(x))),
    "a reserve": ((*_BIG, "pools", 1, 2), lambda x: of_pool(rich.KV, floor(x))),
    "a reuse": ((*_BIG, "reuse"), lambda x: of_pools([rich.KV, rich.SEATS], floor(x))),
    "a cache": ((*_BIG, "cache"), lambda x: of_pools([rich.KV, rich.SEATS], floor(x))),
    "a lease": (("blocks", 2, 4, "Hold", "lease", 1), _same),
    "an input": (("blocks", 2, 6, "Request", "input"), floor),
    "an output": (("blocks", 2, 6, "Request", "output"), floor),
    "a queue key of an engine": (("pools", rich.SEATS, "queue", 0), _same),
    "another queue key": (("pools", rich.PLAIN, "queue", 0), _same),
    "an eviction key": (("pools", rich.KV, "evict", "By", 0), _same),
    "a preempt key": (("pools", rich.KV, "preempt", "By", "keys", 0), _same),
    "a leases key": ((*_LEASES, "keys", 0), _same),
    "a suspend key": ((*_LEASES, "suspend", 0), _same),
    "a spill's work": (("pools", rich.KV, "spill", "work"), _same),
    "a spill's condition": (("pools", rich.KV, "spill", "when"), _same),
    "a capacity": (("stages", rich.PS, "kind", "Ps"), _same),
    "a budget": ((*_STEP, "budget"), floor),
    "a chunk": ((*_STEP, "chunk"), floor),
    "a cost": ((*_STEP, "cost"), _same),
    "a serving key": ((*_STEP, "serve", "By", 0), _same),
    "a serving key of a schedule": ((*_STEP, "iteration", 0, "Serve", "by", 0), _same),
    "an only of serve": ((*_STEP, "iteration", 0, "Serve", "only"), _same),
    "an only of admit": ((*_STEP, "iteration", 1, "Branch", 1, 0, "Admit", "only"), _same),
    "a gate": ((*_STEP, "iteration", 1, "Branch", 1, 0, "Admit", "gate"), _same),
    "a guard of a schedule": ((*_STEP, "iteration", 1, "Branch", 0), _same),
    "a register's value": ((*_STEP, "iteration", 2, "Set", 1), _same),
    "a gauge": (("gauges", 0, "expr"), _same),
    "a given": (("claims", 0, "given"), _same),
    "a claim over iterations": (("claims", 0, "expr"), _same),
    "a claim at the end": (("claims", 1, "expr"), _same),
    "a gap": (("arrival",), lambda x: {"Renewal": rich.binary("Add", num(1.0), x)}),
    "units of a request": ((*_CLAUSE, "pools", 1, 1), floor),
    "a reserve of a request": ((*_CLAUSE, "pools", 1, 2), floor),
    "a reuse of a request": ((*_CLAUSE, "reuse"), floor),
    "a cache of a request": ((*_CLAUSE, "cache"), floor),
    "a key of a request's prefix": ((*_CLAUSE, "prefix", 0, 0), _same),
    "a length of a request's prefix": ((*_CLAUSE, "prefix", 0, 1), floor),
    "a connector's load": ((*_CONNECTOR, "load", 0), floor),
    "a connector's save": ((*_CONNECTOR, "save", 0), floor),
}
"""Where an expression stands, and how it is wrapped so that nothing but its moment is judged."""

READS: dict[str, JSON] = {
    **{name: ctx(name) for name in CONTEXT},
    "size": attr(rich.PROMPT),
    "value": attr(rich.VALUE),
    "hidden": attr(rich.HIDDEN),
    "cached": attr(0),
    "serial": attr(1),
    "computed": attr(8),
    "cost": attr(rich.COST),
    "register": {"Reg": 0},
    "draw": draw("Exp", num(1.0)),
    "aggregate": {"Agg": ["Count", 0]},
    **{f"{name}()": call(name, pool(rich.KV)) for name in ("Used", "Free", "CachedIn", "Allocated", "Holders", "Queued")},
    **{f"{name}()": call(name, stage(rich.LLM)) for name in ("Queue", "Busy", "Work", "EstLambda", "EstRho", "EstWait")},
    "Price()": call("Price", stage(rich.LLM), of(num(1.0)), of(num(1.0))),
    "BudgetLeft()": call("BudgetLeft", stage(rich.LLM)),
    "BudgetLeft() of another": call("BudgetLeft", stage(rich.LLM2)),
}
"""What is read; the variables by their names."""


def reading(place: str, read: str) -> JSON:
    """The IR that reads one thing at one place."""
    path, wrap = PLACES[place]
    return rich.changed(lambda data: rich.put(data, path, wrap(copy.deepcopy(READS[read]))))


READABLE: dict[str, str] = {
    "a statement": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "init": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "an observation": (
        "Now, size, value, hidden, cached, serial, computed, cost, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "a branch": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "a while": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "the count of a choice": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "the key of a choice": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "the work of a run": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "the work of an engine": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "the work of a flow": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "a latency": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "a grow": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "a shrink": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "a load": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "units of an engine's hold": (
        "Now, size, value, cached, serial, computed, register, Used(), Free(), CachedIn(), Allocated(), Holders(), "
        "Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), BudgetLeft() of "
        "another"
    ),
    "units of another hold": (
        "Now, size, value, cached, serial, computed, Used(), Free(), CachedIn(), Allocated(), Holders(), Queued(), "
        "Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), BudgetLeft() of another"
    ),
    "a reserve": (
        "Now, size, value, cached, serial, computed, register, Used(), Free(), CachedIn(), Allocated(), Holders(), "
        "Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), BudgetLeft() of "
        "another"
    ),
    "a reuse": (
        "Now, size, value, cached, serial, computed, register, Used(), Free(), CachedIn(), Allocated(), Holders(), "
        "Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), BudgetLeft() of "
        "another"
    ),
    "a cache": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "a lease": (
        "Now, size, value, hidden, cached, serial, computed, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "an input": (
        "Now, size, value, hidden, cached, serial, computed, cost, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "an output": (
        "Now, size, value, hidden, cached, serial, computed, cost, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "a queue key of an engine": (
        "Now, Waited, size, value, cached, serial, computed, register, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "another queue key": (
        "Now, Waited, size, value, cached, serial, computed, Used(), Free(), CachedIn(), Allocated(), Holders(), "
        "Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), BudgetLeft() of "
        "another"
    ),
    "an eviction key": (
        "Now, Size, Age, Last, Queued, size, value, cached, serial, computed, draw, Used(), Free(), CachedIn(), "
        "Allocated(), Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), "
        "BudgetLeft(), BudgetLeft() of another"
    ),
    "a preempt key": (
        "Now, Decoding, Admission, Position, size, value, cached, serial, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price()"
    ),
    "a leases key": (
        "Now, Decoding, Admission, Position, size, value, cached, serial, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price()"
    ),
    "a suspend key": (
        "Now, Decoding, Admission, Position, size, value, cached, serial, cost, Used(), Free(), CachedIn(), "
        "Allocated(), Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price()"
    ),
    "a spill's work": (
        "Now, Size, Age, Last, Queued, size, value, cached, serial, computed, draw, Used(), Free(), CachedIn(), "
        "Allocated(), Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), "
        "BudgetLeft(), BudgetLeft() of another"
    ),
    "a spill's condition": (
        "Now, Size, Age, Last, Queued, size, value, cached, serial, computed, draw, Used(), Free(), CachedIn(), "
        "Allocated(), Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), "
        "BudgetLeft(), BudgetLeft() of another"
    ),
    "a capacity": (
        "Now, N, draw, Used(), Free(), CachedIn(), Allocated(), Holders(), Queued(), Queue(), Busy(), Work(), "
        "EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), BudgetLeft() of another"
    ),
    "a budget": (
        "Now, Ndec, Nres, Kvb, Kvp, register, draw, Used(), Free(), CachedIn(), Allocated(), Holders(), Queued(), "
        "Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price()"
    ),
    "a chunk": (
        "Now, Ndec, Nres, Kvb, Kvp, register, draw, Used(), Free(), CachedIn(), Allocated(), Holders(), Queued(), "
        "Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price()"
    ),
    "a cost": (
        "Now, Ntok, Ndec, Npre, Nres, Kvb, Kvp, Attn, register, draw, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft(), "
        "BudgetLeft() of another"
    ),
    "a serving key": (
        "Now, Ndec, Nres, Kvb, Kvp, Decoding, Admission, Remaining, size, value, cached, serial, computed, register, "
        "Used(), Free(), CachedIn(), Allocated(), Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), "
        "EstRho(), EstWait(), Price(), BudgetLeft(), BudgetLeft() of another"
    ),
    "a serving key of a schedule": (
        "Now, Ndec, Nres, Kvb, Kvp, Decoding, Admission, Remaining, size, value, cached, serial, computed, register, "
        "Used(), Free(), CachedIn(), Allocated(), Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), "
        "EstRho(), EstWait(), Price(), BudgetLeft(), BudgetLeft() of another"
    ),
    "an only of serve": (
        "Ndec, Nres, Kvb, Kvp, Decoding, Admission, Remaining, size, value, cached, serial, computed, register, "
        "Used(), Free(), CachedIn(), Allocated(), Holders(), Queued(), Queue(), Busy(), EstLambda(), EstRho(), "
        "EstWait(), Price(), BudgetLeft(), BudgetLeft() of another"
    ),
    "an only of admit": (
        "Ndec, Nres, Kvb, Kvp, Decoding, Admission, Remaining, size, value, cached, serial, computed, register, "
        "Used(), Free(), CachedIn(), Allocated(), Holders(), Queued(), Queue(), Busy(), EstLambda(), EstRho(), "
        "EstWait(), Price(), BudgetLeft(), BudgetLeft() of another"
    ),
    "a gate": (
        "Ntok, Ndec, Npre, Nres, Kvb, Kvp, Preempted, Admitted, register, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft() of another"
    ),
    "a guard of a schedule": (
        "Ntok, Ndec, Npre, Nres, Kvb, Kvp, Preempted, Admitted, register, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft() of another"
    ),
    "a register's value": (
        "Ntok, Ndec, Npre, Nres, Kvb, Kvp, Preempted, Admitted, register, Used(), Free(), CachedIn(), Allocated(), "
        "Holders(), Queued(), Queue(), Busy(), EstLambda(), EstRho(), EstWait(), Price(), BudgetLeft() of another"
    ),
    "a gauge": ("register, Used(), Free(), Holders(), Queued(), Queue(), Busy(), EstLambda(), EstRho(), EstWait(), Price()"),
    "a given": "size, value, hidden, cached, serial, computed",
    "a claim over iterations": (
        "Now, Ntok, Ndec, Npre, Nres, Kvb, Kvp, Attn, Demand, Served, Arrived, register, Used(), Free(), Holders(), "
        "Queued(), Queue(), Busy()"
    ),
    "a claim at the end": "Now, register, aggregate",
    "a gap": "draw",
    "units of a request": (
        "Now, Input, Output, Known, Hit, Loaded, Requeued, size, value, cached, serial, computed, cost, Used(), "
        "Free(), CachedIn(), Allocated(), Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), "
        "EstWait(), Price(), BudgetLeft(), BudgetLeft() of another"
    ),
    "a reserve of a request": (
        "Now, Input, Output, Known, Hit, Loaded, Requeued, size, value, cached, serial, computed, cost, Used(), "
        "Free(), CachedIn(), Allocated(), Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), "
        "EstWait(), Price(), BudgetLeft(), BudgetLeft() of another"
    ),
    "a reuse of a request": (
        "Now, Input, Output, Known, Requeued, size, value, cached, serial, computed, cost, Used(), Free(), "
        "CachedIn(), Allocated(), Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), "
        "Price(), BudgetLeft(), BudgetLeft() of another"
    ),
    "a cache of a request": (
        "Now, Input, Output, Known, Finished, size, value, cached, serial, computed, cost, draw, Used(), Free(), "
        "CachedIn(), Allocated(), Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), "
        "Price(), BudgetLeft(), BudgetLeft() of another"
    ),
    "a key of a request's prefix": "Input, Output, Known, size, value, cached, serial, computed, cost",
    "a length of a request's prefix": "Input, Output, Known, size, value, cached, serial, computed, cost",
    "a connector's load": (
        "Now, Input, Output, Known, Hit, Requeued, size, value, cached, serial, computed, cost, Used(), Free(), "
        "CachedIn(), Allocated(), Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), "
        "Price(), BudgetLeft(), BudgetLeft() of another"
    ),
    "a connector's save": (
        "Now, Input, Output, Known, Finished, size, value, cached, serial, computed, cost, draw, Used(), Free(), "
        "CachedIn(), Allocated(), Holders(), Queued(), Queue(), Busy(), Work(), EstLambda(), EstRho(), EstWait(), "
        "Price(), BudgetLeft(), BudgetLeft() of another"
    ),
}
"""What pyserq 0.1.6 lets be read at each place, measured by trying all."""
