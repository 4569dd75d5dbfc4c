"""Expressions: operators, functions, and what they read of pools and stages (R7)."""

from __future__ import annotations

import math
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.expressions import Compiler
from engine.simulation import Simulation
from engine.state import Moment, State
from grammar import ir
from tests.engine.programs import (
    Model,
    Number,
    Value,
    call,
    maximum,
    minimum,
    negated,
    now,
    present,
    run,
    sample,
    where,
)
from tests.engine.watching import finished, samples, values

NAN = Value(ir.Num(0.0)) / 0.0


def evaluated(*expressions: Number) -> list[float]:
    """What expressions come to in a session of their own."""
    m = Model()
    m.session(*(m.observe(f"x{i}", e) for i, e in enumerate(expressions)))
    simulation = finished(m.build())
    return [_number(samples(simulation, f"x{i}")[0][3]) for i in range(len(expressions))]


def _number(x: float | str) -> float:
    return float(x)


def same(a: float, b: float) -> bool:
    """Equal with the sign of zero; a NaN equals a NaN."""
    return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))


def num(x: float) -> Value:
    return Value(ir.Num(float(x)))


# --------------------------------------------------------------------------- operators

CASES: list[tuple[str, Number, float]] = [
    # R7.3: IEEE arithmetic and C's pow.
    ("1 / 0", num(1) / 0, inf),
    ("-1 / 0", num(-1) / 0, -inf),
    ("1 / -0", num(1) / num(-0.0), -inf),
    ("0 / 0", num(0) / 0, nan),
    ("nan / 0", NAN / num(0), nan),
    ("inf - inf", num(inf) - inf, nan),
    ("6 / 4", num(6) / 4, 1.5),
    ("1 / inf", num(1) / inf, 0.0),
    ("0.1 + 0.2", num(0.1) + 0.2, 0.30000000000000004),
    ("2 ** 10", num(2) ** 10, 1024),
    ("0 ** 0", num(0) ** 0, 1),
    ("0 ** -1", num(0) ** -1, inf),
    ("-0 ** -1", num(-0.0) ** -1, -inf),
    ("-0 ** -2", num(-0.0) ** -2, inf),
    ("-2 ** 0.5", num(-2) ** 0.5, nan),
    ("10 ** 400", num(10) ** 400, inf),
    ("-10 ** 401", num(-10) ** 401, -inf),
    # R7.3: comparisons with a NaN are false, but for "not equal".
    ("nan < 1", NAN < 1, 0),
    ("nan >= 1", NAN >= 1, 0),
    ("nan == nan", NAN.equals(NAN), 0),
    ("nan != nan", NAN.differs(NAN), 1),
    ("-0 == 0", num(-0.0).equals(0), 1),
    ("2 <= 2", num(2) <= 2, 1),
    ("2 > 2", num(2) > 2, 0),
    # R7.2, R7.4: what is not 0 holds, a NaN too, and minus 0 does not.
    ("2 and 3", num(2).both(3), 1),
    ("nan and 1", NAN.both(1), 1),
    ("1 and -0", num(1).both(num(-0.0)), 0),
    ("0 or nan", num(0).either(NAN), 1),
    ("0 or 0", num(0).either(0), 0),
    ("not nan", negated(NAN), 0),
    ("not 0", negated(num(0)), 1),
    ("nan ? 1 : 2", where(NAN, 1, 2), 1),
    ("-0 ? 1 : 2", where(num(-0.0), 1, 2), 2),
    ("-(0)", -num(0), -0.0),
    # R7.5: a NaN is ignored; of equals the second is the result.
    ("min(nan, 3)", minimum(NAN, 3), 3),
    ("min(3, nan)", minimum(3, NAN), 3),
    ("max(nan, 3)", maximum(NAN, 3), 3),
    ("max(3, nan)", maximum(3, NAN), 3),
    ("min(0, -0)", minimum(0, num(-0.0)), -0.0),
    ("max(-0, 0)", maximum(num(-0.0), 0), 0.0),
    ("max(0, -0)", maximum(0, num(-0.0)), -0.0),
    # R7.6: roundings keep the sign of zero; infinities and NaN stay.
    ("floor(-1.5)", call("Floor", num(-1.5)), -2),
    ("floor(-0)", call("Floor", num(-0.0)), -0.0),
    ("floor(inf)", call("Floor", num(inf)), inf),
    ("floor(nan)", call("Floor", NAN), nan),
    ("ceil(1.5)", call("Ceil", num(1.5)), 2),
    ("ceil(-0.5)", call("Ceil", num(-0.5)), -0.0),
    ("ceil(-inf)", call("Ceil", num(-inf)), -inf),
    ("abs(-2)", call("Abs", num(-2)), 2),
    ("sqrt(2)", call("Sqrt", num(2)), 1.4142135623730951),
    ("sqrt(-1)", call("Sqrt", num(-1)), nan),
    ("exp(1)", call("Exp", num(1)), 2.718281828459045),
    ("exp(1000)", call("Exp", num(1000)), inf),
    ("ln(2)", call("Ln", num(2)), 0.6931471805599453),
    ("ln(0)", call("Ln", num(0)), -inf),
    ("ln(-1)", call("Ln", num(-1)), nan),
]


@pytest.mark.parametrize(("expression", "value"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_an_operator_is_that_of_ieee_and_c(expression: Number, value: float) -> None:
    """R7.2 to R7.6; measured on the reference but for the plain arithmetic."""
    (got,) = evaluated(expression)
    assert same(got, value), got


def test_a_logical_operator_reads_its_right_side_only_when_the_left_leaves_it_open() -> None:
    """R7.4: a draw that is not read does not advance the stream."""
    draw = sample("Uniform", 0, 1)
    first, *_ = evaluated(draw)
    assert evaluated(num(0).both(draw), draw)[1] == first
    assert evaluated(num(1).either(draw), draw)[1] == first
    assert evaluated(where(1, 5, draw), draw)[1] == first
    assert evaluated(num(1).both(draw), draw)[1] != first
    assert evaluated(num(0).either(draw), draw)[1] != first


def test_operands_are_read_from_left_to_right() -> None:
    """R7.1: two draws of one stream, in the order written, whatever the operator."""
    draw = sample("Uniform", 0, 1)
    first, second = evaluated(draw, draw)
    assert evaluated(draw - draw) == [first - second]
    assert evaluated(draw / draw) == [first / second]
    assert evaluated(where(1, draw, 0) - draw) == [first - second]
    assert evaluated(minimum(draw, draw + 1)) == [first]
    assert evaluated(sample("Uniform", draw, draw + 1) - 0)[0] != first


def test_an_attribute_without_a_session_is_no_number() -> None:
    """R7.1: a processor's capacity has no session; the rate min(NaN, 2) is 2, so 4 units last 2 seconds."""
    m = Model()
    m.size("x")
    ps = m.ps("ps", minimum(NAN, 2) * present / present)
    m.session(run(ps, 4), m.observe("done", now))
    assert values(m.build(), "done") == [2.0]


# --------------------------------------------------------------------------- against a plain walk over the tree

FINITE = st.floats(-1e6, 1e6, allow_nan=False, width=32)
LEAVES = st.one_of(
    FINITE.map(ir.Num),
    st.sampled_from([0.0, -0.0, 1.0, inf, -inf]).map(ir.Num),
    st.integers(0, 2).map(lambda i: ir.Attr(9 + i)),
    st.just(ir.Binary("Div", ir.Num(0.0), ir.Num(0.0))),
)
ARITHMETIC = ["Add", "Sub", "Mul", "Div", "Lt", "Le", "Gt", "Ge", "Eq", "Ne", "And", "Or"]
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(ir.Binary, st.sampled_from(ARITHMETIC), inner, inner),
        st.builds(ir.Unary, st.sampled_from(["Neg", "Not"]), inner),
        st.builds(ir.Cond, inner, inner, inner),
        st.builds(lambda f, a, b: ir.Call(f, (a, b)), st.sampled_from(["Min", "Max"]), inner, inner),
        st.builds(lambda f, a: ir.Call(f, (a,)), st.sampled_from(["Floor", "Ceil", "Abs", "Sqrt", "Ln"]), inner),
        st.builds(lambda a: ir.Cost(ir.PoolTarget(0, 1), a), inner),
    ),
    max_leaves=25,
)


def walk(e: Any, attrs: list[float]) -> float:
    """The rules once more, as a walk over the tree and in the plainest words."""
    match e:
        case ir.Num(x):
            return x
        case ir.Attr(slot):
            return attrs[slot]
        case ir.Cost(_, inner):
            return walk(inner, attrs)
        case ir.Cond(test, then, orelse):
            return walk(then if walk(test, attrs) != 0 else orelse, attrs)
        case ir.Unary(op, inner):
            x = walk(inner, attrs)
            return -x if op == "Neg" else float(x == 0)
        case ir.Binary("And", a, b):
            return float(walk(a, attrs) != 0 and walk(b, attrs) != 0)
        case ir.Binary("Or", a, b):
            return float(walk(a, attrs) != 0 or walk(b, attrs) != 0)
        case ir.Binary(op, a, b):
            return _binary(op, walk(a, attrs), walk(b, attrs))
        case ir.Call(fun, args):
            return _call(fun, [walk(arg, attrs) for arg in args])
    raise AssertionError(e)


def _binary(op: str, x: float, y: float) -> float:
    if op == "Div":
        if y != 0:
            return x / y
        return nan if x == 0 or x != x else math.copysign(inf, x) * math.copysign(1.0, y)
    simple = {"Add": x + y, "Sub": x - y, "Mul": x * y, "Lt": x < y, "Le": x <= y, "Gt": x > y, "Ge": x >= y, "Eq": x == y}
    return float(simple[op]) if op in simple else float(x != y)


def _call(fun: str, args: list[float]) -> float:
    x = args[0]
    if fun in ("Min", "Max"):
        y = args[1]
        if x != x or y != y:
            return y if x != x else x
        if x == y:
            return y
        return min(x, y) if fun == "Min" else max(x, y)
    if fun in ("Floor", "Ceil"):
        if not math.isfinite(x):
            return x
        return math.copysign(float(math.floor(x) if fun == "Floor" else math.ceil(x)), x)
    if fun == "Abs":
        return abs(x)
    if fun == "Sqrt":
        return math.sqrt(x) if x >= 0 else nan
    return nan if not x >= 0 else -inf if x == 0 else math.log(x)


@given(TREES, st.lists(FINITE, min_size=3, max_size=3))
def test_a_compiled_expression_is_worth_what_a_walk_over_its_tree_finds(tree: ir.Expr, attributes: list[float]) -> None:
    """R7: the compiler keeps precedence, order and every special value, signs of zero among them."""
    attrs = [0.0] * 9 + attributes
    assert same(_compiled(tree, attrs), walk(tree, attrs))


def _compiled(tree: ir.Expr, attrs: list[float]) -> float:
    compiler = Compiler()
    compiler.function(tree)
    compiler.finish()
    function = compiler.function(tree)
    session = Simulation(Model().build()).state.nobody
    session.attrs = attrs
    state: State = None  # type: ignore[assignment]  # these trees read no state
    return function(state, session, Moment())


def test_an_expression_may_be_as_deep_as_it_likes() -> None:
    """Deeper than Python's own parser takes it: four hundred nested additions, three hundred nested negations."""
    total: Value = num(0)
    for _ in range(400):
        total = total + 1
    test: Value = num(1)
    for _ in range(300):
        test = negated(test)
    assert evaluated(total, where(test, 7, 8)) == [400, 7]
