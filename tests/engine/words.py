"""Expressions, statements and schedules in few words, for ``tests.engine.programs``; knows the IR and no engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from grammar import ir

BUILT_IN = ("cached", "serial", "turn_no", "new", "out", "think", "more", "forced", "computed")
INF = float("inf")


class Value:
    """An expression that understands Python's operators; comparisons give 1 or 0."""

    def __init__(self, node: ir.Expr) -> None:
        self.node = node

    def _binary(self, op: str, other: Number) -> Value:
        return Value(ir.Binary(op, self.node, node(other)))

    def _reversed(self, op: str, other: Number) -> Value:
        return Value(ir.Binary(op, node(other), self.node))

    def __add__(self, other: Number) -> Value:
        return self._binary("Add", other)

    def __radd__(self, other: Number) -> Value:
        return self._reversed("Add", other)

    def __sub__(self, other: Number) -> Value:
        return self._binary("Sub", other)

    def __rsub__(self, other: Number) -> Value:
        return self._reversed("Sub", other)

    def __mul__(self, other: Number) -> Value:
        return self._binary("Mul", other)

    def __rmul__(self, other: Number) -> Value:
        return self._reversed("Mul", other)

    def __truediv__(self, other: Number) -> Value:
        return self._binary("Div", other)

    def __rtruediv__(self, other: Number) -> Value:
        return self._reversed("Div", other)

    def __pow__(self, other: Number) -> Value:
        return self._binary("Pow", other)

    def __neg__(self) -> Value:
        return Value(ir.Unary("Neg", self.node))

    def __lt__(self, other: Number) -> Value:
        return self._binary("Lt", other)

    def __le__(self, other: Number) -> Value:
        return self._binary("Le", other)

    def __gt__(self, other: Number) -> Value:
        return self._binary("Gt", other)

    def __ge__(self, other: Number) -> Value:
        return self._binary("Ge", other)

    def equals(self, other: Number) -> Value:
        return self._binary("Eq", other)

    def differs(self, other: Number) -> Value:
        return self._binary("Ne", other)

    def both(self, other: Number) -> Value:
        return self._binary("And", other)

    def either(self, other: Number) -> Value:
        return self._binary("Or", other)

    @property
    def slot(self) -> int:
        assert isinstance(self.node, ir.Attr)
        return self.node.slot


Number = Value | float


def node(x: Number) -> ir.Expr:
    """The IR of a value or of a plain number."""
    return x.node if isinstance(x, Value) else ir.Num(float(x))


def nodes(xs: Iterable[Number]) -> tuple[ir.Expr, ...]:
    return tuple(node(x) for x in xs)


def ctx(name: str) -> Value:
    """A context variable (R6.24)."""
    return Value(ir.Ctx(name))


def call(fun: str, *args: Number | Resource) -> Value:
    """A function of numbers, pools and stages."""
    return Value(ir.Call(fun, tuple(arg.argument if isinstance(arg, Resource) else node(arg) for arg in args)))


def minimum(a: Number, b: Number) -> Value:
    return call("Min", a, b)


def maximum(a: Number, b: Number) -> Value:
    return call("Max", a, b)


def floor(x: Number) -> Value:
    return call("Floor", x)


def negated(x: Number) -> Value:
    return Value(ir.Unary("Not", node(x)))


def where(test: Number, then: Number, orelse: Number) -> Value:
    return Value(ir.Cond(node(test), node(then), node(orelse)))


def sample(dist: str, *args: Number) -> Value:
    """A draw (R8.7)."""
    return Value(ir.Sample(dist, nodes(args)))


def aggregate(kind: str, observe: int) -> Value:
    return Value(ir.Agg(kind, observe))


now = ctx("Now")
present = ctx("N")
cached, serial, turn_no, new, out, think, more, forced, computed = (Value(ir.Attr(slot)) for slot in range(len(BUILT_IN)))

# --------------------------------------------------------------------------- pools and stages


@dataclass(frozen=True)
class Resource:
    """A pool or a stage, an array of them, or a member chosen when it runs."""

    base: int
    count: int = 1
    index: Number | None = None

    def __getitem__(self, index: Number) -> Self:
        return replace(self, index=index)

    @property
    def ref(self) -> ir.Ref:
        return ir.Ref(self.base, self.count, None if self.index is None else node(self.index))

    @property
    def target(self) -> Any:
        raise NotImplementedError

    @property
    def argument(self) -> Any:
        raise NotImplementedError

    def cost(self, amount: Number) -> ir.Expr:
        """An amount typed as a cost of this resource."""
        return ir.Cost(self.target, node(amount))


class PoolOf(Resource):
    """A pool in a program."""

    @property
    def target(self) -> ir.PoolTarget:
        return ir.PoolTarget(self.base, self.count)

    @property
    def argument(self) -> ir.PoolArg:
        return ir.PoolArg(self.ref)


class StageOf(Resource):
    """A stage in a program."""

    @property
    def target(self) -> ir.StageTarget:
        return ir.StageTarget(self.base, self.count)

    @property
    def argument(self) -> ir.StageArg:
        return ir.StageArg(self.ref)


# --------------------------------------------------------------------------- statements

Body = Sequence[Any]
TURN, END, JOIN = ir.Turn(), ir.End(), ir.Join()


@dataclass(frozen=True)
class Of:
    """A statement that is the workload's or the server's whatever the rule says."""

    side: ir.Side
    statement: Any


def client(statement: Any) -> Of:
    """A statement of the workload: the server's answer is out when it runs (R9.21)."""
    return Of("Workload", statement)


REFUSE = Of("Server", END)
"""The server's own ``end``: the turn has no response."""


def assign(attribute: Value, value: Number) -> ir.Set:
    return ir.Set(attribute.slot, node(value))


def hold(
    *takes: tuple[PoolOf, Number] | tuple[PoolOf, Number, Number],
    body: Body = (),
    reuse: Number | None = None,
    cache: Number | None = None,
    lease: tuple[PoolOf, Number] | None = None,
) -> Any:
    """A hold of pools: (pool, units) or (pool, units, reserve), in the order written."""
    targets = sorted({take[0].target for take in takes}, key=lambda target: target.base)
    target = targets[0] if len(targets) == 1 else ir.Joint(tuple(targets))

    def cost(x: Number | None) -> ir.Expr | None:
        return None if x is None else ir.Cost(target, node(x))

    return ir.Hold(
        pools=tuple(
            ir.Take(take[0].ref, take[0].cost(take[1]), take[0].cost(take[2]) if len(take) > 2 else None) for take in takes
        ),
        body=tuple(body),  # type: ignore[arg-type]  # ``build`` puts a block's index here
        reuse=cost(reuse),
        cache=cost(cache),
        lease=ir.Lease(lease[0].ref, node(lease[1])) if lease is not None else None,
    )


def run(stage: StageOf, work: Number, *, also: Sequence[StageOf] = (), share: ir.Share | None = None) -> ir.Run:
    """Work at a stage that is no engine; with ``also`` a flow."""
    if not also:
        return ir.Run(stage.ref, "Plain", stage.cost(work))
    targets = sorted((s.target for s in (stage, *also)), key=lambda target: target.base)
    work_of_all = ir.Cost(ir.Joint(tuple(targets)), node(work))
    return ir.Run(stage.ref, "Plain", work_of_all, also=tuple(s.ref for s in also), share=share or "MaxMin")


def prefill(stage: StageOf, tokens: Number, growing: PoolOf | None = None) -> ir.Run:
    return ir.Run(stage.ref, "Prefill", stage.cost(tokens), growing.ref if growing is not None else None)


def decode(stage: StageOf, tokens: Number, growing: PoolOf | None = None) -> ir.Run:
    return ir.Run(stage.ref, "Decode", stage.cost(tokens), growing.ref if growing is not None else None)


def grow(pool: PoolOf, units: Number) -> ir.Grow:
    return ir.Grow(pool.ref, pool.cost(units))


def shrink(pool: PoolOf, units: Number) -> ir.Shrink:
    return ir.Shrink(pool.ref, pool.cost(units))


def load(pool: PoolOf, units: Number) -> ir.Load:
    return ir.Load(pool.ref, pool.cost(units))


def drop(pool: PoolOf) -> ir.Drop:
    return ir.Drop(pool.ref)


def release(pool: PoolOf) -> ir.Release:
    return ir.Release(pool.ref)


def branch(guard: Number, then: Body = (), orelse: Body = ()) -> Any:
    return ir.Branch(node(guard), tuple(then), tuple(orelse))  # type: ignore[arg-type]  # as in ``hold``


def loop(body: Body) -> Any:
    return ir.Loop(tuple(body))  # type: ignore[arg-type]  # as in ``hold``


def repeat(guard: Number, body: Body) -> Any:
    """``while``."""
    return ir.While(node(guard), tuple(body))  # type: ignore[arg-type]  # as in ``hold``


def choose(attribute: Value, count: Number, *keys: Number) -> ir.Choose:
    return ir.Choose(attribute.slot, node(count), nodes(keys))


def fork(body: Body) -> Any:
    return ir.Fork(tuple(body))  # type: ignore[arg-type]  # as in ``hold``


# --------------------------------------------------------------------------- schedules


def serve(*, only: Number | None = None, by: Sequence[Number] | None = None) -> ir.Serve:
    return ir.Serve(None if only is None else node(only), None if by is None else nodes(by))


def admit(*, only: Number | None = None, gate: Number | None = None) -> ir.Admit:
    return ir.Admit(None if only is None else node(only), None if gate is None else node(gate))


def when(guard: Number, then: Sequence[Any], orelse: Sequence[Any] = ()) -> ir.SBranch:
    return ir.SBranch(node(guard), tuple(then), tuple(orelse))


def put(register: Value, value: Number) -> ir.SSet:
    assert isinstance(register.node, ir.Reg)
    return ir.SSet(register.node.index, node(value))


LIFO = (-ctx("Admission"),)
"""Preemption of the session admitted last."""
