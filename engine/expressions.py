"""IR expressions and straight statements as generated Python; knows what they read, not when they are read.

Each expression of a program becomes one Python function ``f(k, s, m)`` of the state, the
session at hand and the moment's context variables, and statements in a row that neither block
nor lead elsewhere one more, of their frame as well. The source is built from the checked
IR alone, never from a user's text. Generated code evaluates a seven-operator cost some
fifty times faster than a walk over the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from engine import queries
from grammar import ir

if TYPE_CHECKING:
    from engine.moment import Moment
    from engine.session_state import Session
    from engine.state import State

Function = Callable[["State", Any, "Moment"], float]
Straight = Callable[["State", "Session", "Moment", list[int]], None]
"""Statements in a row; the last argument is the frame they stand in, whose index they keep at the statement after theirs."""
StreamKind = Literal["session", "workload", "machine", "eviction", "arrival"]

_STREAMS: dict[str, str] = {
    "session": "s.stream",
    "workload": "s.workload",
    "machine": "k.machine_stream",
    "eviction": "k.eviction_stream",
    "arrival": "k.arrival_stream",
}
_ARITHMETIC = {"Add": "+", "Sub": "-", "Mul": "*"}
_COMPARISONS = {"Lt": "<", "Le": "<=", "Gt": ">", "Ge": ">=", "Eq": "==", "Ne": "!="}
_DRAWS = {
    "Exp": "exponential",
    "Det": "deterministic",
    "Uniform": "uniform",
    "Erlang": "erlang",
    "H2": "h2",
    "Bernoulli": "bernoulli",
}
_HELPERS = {"Sqrt": "square_root", "Exp": "exponential_of", "Ln": "logarithm", "Abs": "abs"}
_STAGE_QUERIES = {
    "Queue": "jobs_present",
    "Busy": "busy",
    "Work": "unfinished_work",
    "EstLambda": "est_lambda",
    "EstRho": "est_rho",
    "EstWait": "est_wait",
    "BudgetLeft": "budget_left",
    "Price": "price",
}
_POOL_QUERIES = {
    "Used": "used",
    "Free": "free",
    "CachedIn": "cached_in",
    "Allocated": "allocated",
    "Holders": "holders",
    "Queued": "queued",
}
_OF_A_SESSION = {"CachedIn", "Allocated"}
_FLAT_DEPTH = 60
"""Nesting up to which an expression is written as one; Python's own parser gives up near 90."""


def constant(expr: ir.Expr | None) -> float | None:
    """The value of a plain number, through cost wrappers; None for anything else."""
    while isinstance(expr, ir.Cost):
        expr = expr.expr
    return expr.value if isinstance(expr, ir.Num) else None


def fixed_member(ref: ir.Ref) -> int | None:
    """The pool or stage a reference names, where its text says which (R7.8); None where its index is to be read."""
    if ref.index is None:
        return ref.base
    fixed = constant(ref.index)
    return ref.base + int(fixed) if fixed is not None and fixed == fixed // 1.0 and 0 <= fixed < ref.count else None


def parts(expr: ir.Expr) -> Iterator[ir.Expr | ir.PoolArg | ir.StageArg]:
    """An expression and everything in it, references' indices included."""
    stack: list[ir.Expr | ir.PoolArg | ir.StageArg] = [expr]
    while stack:
        e = stack.pop()
        yield e
        match e:
            case ir.Cost(_, inner):
                stack.append(inner)
            case ir.Sample(_, args) | ir.Call(_, args):
                stack.extend(args)
            case ir.Unary(_, a):
                stack.append(a)
            case ir.Binary(_, a, b):
                stack += (a, b)
            case ir.Cond(t, a, b):
                stack += (t, a, b)
            case ir.PoolArg(ref) | ir.StageArg(ref):
                if ref.index is not None:
                    stack.append(ref.index)
            case _:
                pass


def moves(expr: ir.Expr) -> bool:
    """Whether an amount may change while its hold waits (R4.6); what a native request asks for may not (measured)."""
    return any(
        (isinstance(e, ir.Ctx) and e.name not in _OF_A_REQUEST)
        or isinstance(e, ir.Reg | ir.Sample)
        or (isinstance(e, ir.Call) and (e.fun in _STAGE_QUERIES or e.fun in _POOL_QUERIES))
        for e in parts(expr)
    )


_OF_A_REQUEST = frozenset(("Input", "Output", "Known", "Requeued"))
"""Context variables of a native request that stay as they are while it waits."""


def context_of(*exprs: ir.Expr | None) -> frozenset[str]:
    """The context variables that some expressions read."""
    return frozenset(e.name for expr in exprs if expr is not None for e in parts(expr) if isinstance(e, ir.Ctx))


def reads_state(expr: ir.Expr) -> bool:
    """Whether an expression reads anything that growths, preemptions or the clock may change."""
    fixed = {"Decoding", "Admission", "Remaining"}
    return any(
        (isinstance(e, ir.Ctx) and e.name not in fixed)
        or isinstance(e, ir.Reg | ir.Sample)
        or (isinstance(e, ir.Call) and (e.fun in _STAGE_QUERIES or e.fun in _POOL_QUERIES))
        for e in parts(expr)
    )


def falls(expr: ir.Expr, admitter: int | None) -> bool:
    """Whether an amount of a waiting hold can only fall while pools fill up and cached prefixes give way.

    Such an amount reads nothing that moves but ``CachedIn``, in which it never falls as that
    rises, and ``BudgetLeft`` of the engine that admits it, which is given then.

    Args:
        expr: the amount.
        admitter: the engine that admits the hold, None where none does.
    """
    match expr:
        case ir.Cost(_, inner):
            return falls(inner, admitter)
        case ir.Call("CachedIn", (ir.PoolArg(ref),)):
            return ref.index is None
        case ir.Call("BudgetLeft", (ir.StageArg(ref),)):
            return ref.index is None and ref.base == admitter
        case ir.Ctx("Hit"):
            return True
        case ir.Call("Min" | "Max" | "Floor" | "Ceil", args):
            return all(not isinstance(a, ir.PoolArg | ir.StageArg) and falls(a, admitter) for a in args)
        case ir.Binary("Add", a, b):
            return falls(a, admitter) and falls(b, admitter)
        case ir.Binary("Sub", a, b):
            return falls(a, admitter) and not moves(b)
        case ir.Binary("Mul", a, b):
            return (falls(a, admitter) and (constant(b) or 0.0) > 0) or (falls(b, admitter) and (constant(a) or 0.0) > 0)
        case ir.Binary("Div", a, b):
            return falls(a, admitter) and (constant(b) or 0.0) > 0
        case _:
            return not moves(expr)


def stands_still(expr: ir.Expr, context: frozenset[str]) -> bool:
    """Whether an expression reads nothing that a leap moves, but these context variables; no draws."""
    return all(
        not isinstance(e, ir.Sample)
        and (not isinstance(e, ir.Ctx) or e.name in context)
        and (not isinstance(e, ir.Call) or e.fun not in _MOVED_BY_DECODING)
        for e in parts(expr)
    )


_MOVED_BY_DECODING = frozenset(
    ("Used", "Free", "CachedIn", "Allocated", "Work", "EstLambda", "EstRho", "EstWait", "BudgetLeft", "Price")
)
"""Queries whose value decoding moves, or that are read too rarely to tell."""


def expression_text(expr: ir.Expr) -> str:
    """An expression as Python text, its context variables as ``m.NAME`` and the clock as ``k.now``."""
    return _Writer(Compiler(), "machine").value(expr, 0)


class Compiler:
    """Compiles the expressions of a program in one go.

    A program's tables are built twice by the same code: the first pass collects the
    expressions (``function`` hands out a stand-in), ``finish`` compiles them, and in the
    second pass ``function`` hands out the compiled functions in the same order. So the
    tables hold bare functions and a call costs no indirection.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._count = 0
        self._apart = 0
        self.works = False
        """Whether some expression reads the unfinished work of a stage."""
        self._functions: dict[str, Any] | None = None

    def function(self, expr: ir.Expr, stream: StreamKind = "session") -> Function:
        """The function of an expression.

        Args:
            expr: the expression; a missing session reads its attributes as NaN (R7.1).
            stream: which of the streams of R8.5 its draws read.
        """
        name = self._next()
        if self._functions is not None:
            function: Function = self._functions[name]
            return function
        self._write(name, expr, stream)
        return _collected

    def straight(
        self, statements: Sequence[ir.Set | ir.Observe], closing: Sequence[bool], first: int, stream: StreamKind
    ) -> Straight:
        """The function of statements in a row that neither block nor lead elsewhere.

        Args:
            statements: assignments and observations.
            closing: per statement whether it is the client's (R9.21).
            first: the index of the first of them in its block.
            stream: which of the streams of R8.5 their draws read.
        """
        name = self._next()
        if self._functions is not None:
            straight: Straight = self._functions[name]
            return straight
        lines = [f"def {name}(k, s, m, frame):", "    a = s.attrs"]
        for i, (statement, closes) in enumerate(zip(statements, closing, strict=True), start=first + 1):
            # Where an expression fails the frame tells which statement did.
            lines.append(f"    frame[1] = {i}")
            if closes:
                lines.append("    if s.client is not None: close_turn(k, s)")
            text = _Writer(self, stream).value(statement.expr, 0)
            lines.append(
                f"    a[{statement.slot}] = {text}"
                if isinstance(statement, ir.Set)
                else f"    observe(k, s, {statement.observe}, {text})"
            )
        self._lines += lines
        return _collected_straight

    def _next(self) -> str:
        self._count += 1
        return f"f{self._count}"

    def apart(self, expr: ir.Expr, stream: StreamKind) -> str:
        """The name of a function for a piece of an expression."""
        name = f"part{self._apart}"
        self._apart += 1
        self._write(name, expr, stream)
        return name

    def _write(self, name: str, expr: ir.Expr, stream: StreamKind) -> None:
        text = _Writer(self, stream).value(expr, 0)
        self.works = self.works or any(isinstance(e, ir.Call) and e.fun == "Work" for e in parts(expr))
        self._lines.append(f"def {name}(k, s, m):")
        if any(isinstance(e, ir.Attr) for e in parts(expr)):
            self._lines.append("    a = s.attrs")
        self._lines.append(f"    return {text}")

    def finish(self, **acts: Callable[..., None]) -> None:
        """Compiles everything collected; the second pass begins.

        Args:
            acts: what statements do beyond reading, by name: ``observe`` and ``close_turn``.
        """
        namespace = {**queries.NAMESPACE, **acts}
        # The source is built above from a checked IR only: numbers, slots and fixed names.
        exec(compile("\n".join(self._lines), "<expressions>", "exec"), namespace)
        self._functions = namespace
        self._count = 0
        self._lines.clear()


def _collected(k: State, s: Any, m: Moment) -> float:
    raise AssertionError("the expressions are collected, not yet compiled")


def _collected_straight(k: State, s: Session, m: Moment, frame: list[int]) -> None:
    raise AssertionError("the statements are collected, not yet compiled")


class _Writer:
    """Writes one expression as Python text."""

    def __init__(self, compiler: Compiler, stream: StreamKind) -> None:
        self.compiler = compiler
        self.stream = stream
        self.names = 0

    def fresh(self) -> str:
        self.names += 1
        return f"t{self.names}"

    def value(self, e: ir.Expr, depth: int) -> str:
        """The text of an expression as a number."""
        if depth > _FLAT_DEPTH:
            return self._apart(e)
        d = depth + 1
        match e:
            case ir.Num(x):
                return _number(x)
            case ir.Attr(slot):
                return f"a[{slot}]"
            case ir.Ctx("Now"):
                return "k.now"
            case ir.Ctx(name):
                return f"m.{name}"
            case ir.Reg(index):
                return f"k.registers[{index}]"
            case ir.Cost(_, inner):
                return self.value(inner, depth)
            case ir.Unary("Neg", a):
                return f"(-{self.value(a, d)})"
            case ir.Binary(op, a, b) if op in _ARITHMETIC:
                return f"({self.value(a, d)} {_ARITHMETIC[op]} {self.value(b, d)})"
            case ir.Binary("Div", a, b):
                divisor = constant(b)
                if divisor is not None and divisor != 0:
                    return f"({self.value(a, d)} / {_number(divisor)})"
                return f"divide({self.value(a, d)}, {self.value(b, d)})"
            case ir.Binary("Pow", a, b):
                return f"power({self.value(a, d)}, {self.value(b, d)})"
            case ir.Cond(t, a, b):
                return f"({self.value(a, d)} if {self.test(t, d)} else {self.value(b, d)})"
            case ir.Unary("Not", _) | ir.Binary():
                return f"(1.0 if {self.test(e, d)} else 0.0)"
            case ir.Sample(dist, args):
                return f"{_DRAWS[dist]}({', '.join([_STREAMS[self.stream], *(self.value(x, d) for x in args)])})"
            case ir.Agg(kind, observe):
                return f"aggregate(k, {kind!r}, {observe})"
            case ir.Call(fun, args):
                return self._call(fun, args, d)
        raise AssertionError(f"not an expression: {e!r}")

    def test(self, e: ir.Expr, depth: int) -> str:
        """The text of an expression as a condition: it holds where the value is not 0 (R7.2)."""
        d = depth + 1
        if depth <= _FLAT_DEPTH:
            match e:
                case ir.Binary(op, a, b) if op in _COMPARISONS:
                    return f"({self.value(a, d)} {_COMPARISONS[op]} {self.value(b, d)})"
                case ir.Binary("And", a, b):
                    return f"({self.test(a, d)} and {self.test(b, d)})"
                case ir.Binary("Or", a, b):
                    return f"({self.test(a, d)} or {self.test(b, d)})"
                case ir.Unary("Not", a):
                    return f"(not {self.test(a, d)})"
                case _:
                    pass
        return f"({self.value(e, d)} != 0.0)"

    def _apart(self, e: ir.Expr) -> str:
        """A deep piece as a function of its own, so that Python's parser can take the rest."""
        return f"{self.compiler.apart(e, self.stream)}(k, s, m)"

    def _call(self, fun: str, args: tuple[ir.Expr | ir.PoolArg | ir.StageArg, ...], d: int) -> str:
        texts = []
        for arg in args:
            if isinstance(arg, ir.PoolArg | ir.StageArg):
                texts.append(self._member(arg.ref, d))
            else:
                texts.append(self.value(arg, d))
        if fun in ("Min", "Max"):
            x, y = self.fresh(), self.fresh()
            sign = "<" if fun == "Min" else ">"
            # R7.5: a NaN is ignored, and of equal operands the second is the result.
            return f"({x} if ({x} := {texts[0]}) {sign} ({y} := {texts[1]}) else ({y} if {y} == {y} else {x}))"
        if fun == "Floor":
            x = self.fresh()
            return f"({x} // 1.0 if -inf < ({x} := {texts[0]}) < inf else {x})"
        if fun == "Ceil":
            x = self.fresh()
            return f"(-(-{x} // 1.0) if -inf < ({x} := {texts[0]}) < inf else {x})"
        if fun in _HELPERS:
            return f"{_HELPERS[fun]}({texts[0]})"
        if fun in _STAGE_QUERIES:
            return f"{_STAGE_QUERIES[fun]}(k, {', '.join(texts)})"
        if fun in _OF_A_SESSION:
            return f"{_POOL_QUERIES[fun]}(k, s, {texts[0]})"
        return f"{_POOL_QUERIES[fun]}(k, {texts[0]})"

    def _member(self, ref: ir.Ref, d: int) -> str:
        """The index of a pool or stage (R7.8)."""
        fixed = fixed_member(ref)
        if fixed is not None:
            return str(fixed)
        assert ref.index is not None
        return f"member({ref.base}, {ref.count}, {self.value(ref.index, d)})"


def _number(x: float) -> str:
    if x != x:
        return "nan"
    if x in (float("inf"), float("-inf")):
        return "inf" if x > 0 else "(-inf)"
    return repr(x) if x >= 0 and repr(x)[0] != "-" else f"({x!r})"
