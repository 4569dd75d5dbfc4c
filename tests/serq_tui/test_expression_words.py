"""Expressions of the IR in the language's words."""

from __future__ import annotations

import pytest

from grammar import ir
from serq_tui.decision_words import Names
from serq_tui.expression_words import expression

NAMES = Names({0: "kv"}, {0: "llm"}, ("pause",), ())

ONE = ir.Num(1.0)


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (ir.Ctx("Preempted"), "running.preempted"),
        (ir.Ctx("Admitted"), "waiting.admitted"),
        (ir.Ctx("Ntok"), "batch.tokens"),
        (ir.Ctx("Now"), "now"),
        (ir.Binary("Eq", ir.Reg(0), ir.Num(0.0)), "pause == 0"),
        (ir.Unary("Not", ir.Ctx("Nres")), "!running.count"),
        (ir.Binary("Or", ir.Binary("Gt", ir.Ctx("Nres"), ONE), ir.Reg(0)), "(running.count > 1) || pause"),
        (ir.Call("Free", (ir.PoolArg(ir.Ref(0)),)), "free(kv)"),
        (ir.Call("BudgetLeft", (ir.StageArg(ir.Ref(0)),)), "budget_left(llm)"),
        (ir.Call("Max", (ONE, ir.Unary("Neg", ONE))), "max(1, -1)"),
        (ir.Cond(ir.Reg(0), ONE, ir.Num(2.5)), "pause ? 1 : 2.5"),
    ],
)
def test_an_expression_is_said_as_one_would_write_it(expr: ir.Expr, text: str) -> None:
    assert expression(expr, NAMES) == text
