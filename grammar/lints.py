"""Warns of what links and is almost surely not meant; every warning is of the whole program and stops nothing.

A lint runs where the program has no error, so it may take everything it looks at to be well-formed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from grammar import ir, syntax
from grammar.constants import Constants
from grammar.diagnostics import Note
from grammar.expansion import Substitution, walk
from grammar.findings import Findings
from grammar.folding import constant
from grammar.ir_walk import nodes, statements
from grammar.lints_empty import warn_of_shut_engines
from grammar.lints_unread import warn_of_unread
from grammar.schedule import Schedule, Serving
from grammar.scopes import Engine, Model
from grammar.settings import Settings
from grammar.statements import Lowered


def lint(
    findings: Findings,
    text: syntax.Text,
    settings: Settings,
    model: Model,
    constants: Constants,
    schedules: Mapping[str, Schedule],
    lowered: Lowered,
    program: ir.Program,
) -> None:
    """Warn of a program that links (E1503 to E1509).

    Args:
        findings: takes the warnings.
        text: the program as written.
        settings: what the host gives.
        model: what the program declares.
        constants: what its constants are worth.
        schedules: the schedule of each engine.
        lowered: its statements, with the syntax each comes from.
        program: its IR.
    """
    warn_of_unread(findings, text, settings)
    warn_of_shut_engines(findings, model, schedules, program)
    _warn_of_chunked_holds(findings, lowered, program)
    for engine in model.engines.values():
        schedule = schedules[engine.name]
        _warn_of_granule(findings, constants, engine, schedule, program)
        _warn_of_unset_registers(findings, engine, schedule)


# ------------------------------------------------------------------------------- holds


def _warn_of_chunked_holds(findings: Findings, lowered: Lowered, program: ir.Program) -> None:
    """A hold of what the iteration's budget leaves, without ``reserve``, that grows where growing preempts (E1505)."""
    for (block, index), origin in lowered.origins.items():
        hold = program.blocks[block][index]
        if not isinstance(hold, ir.Hold) or not isinstance(origin, syntax.Hold):
            continue
        for take, written in zip(hold.pools, origin.takes, strict=True):
            pool = program.pools[take.pool.base]
            preempts = pool.preempt is not None and math.isfinite(pool.cap)
            if preempts and take.reserve is None and _reads_budget(take.units) and _grows(program, hold.body, take.pool):
                findings.warning(
                    "E1505",
                    written.pool.span,
                    f"`{pool.name}` is asked for the first chunk alone: a request that does not fit as a whole is admitted all the "
                    "same, and preempts as it grows",
                    Note("this is its first chunk", _number_of(written.units).span),
                    suggestion="reserve (…)  of what the whole request needs, after the units",
                )


def _number_of(units: syntax.Expr) -> syntax.Node:
    """The amount as written, which a `cost` put around it by a request has at its end."""
    return units.args[-1] if isinstance(units, syntax.CallExpr) and units.ref.text == "cost" else units


def _grows(program: ir.Program, block: int, pool: ir.Ref) -> bool:
    """Whether something in a hold's body makes its part of a pool grow."""
    for _, _, statement in statements(program, block):
        grown = statement.growing if isinstance(statement, ir.Run) else statement.pool if isinstance(statement, ir.Grow) else None
        if grown is not None and grown.base == pool.base:
            return True
    return False


def _reads_budget(units: ir.Expr) -> bool:
    return any(isinstance(node, ir.Call) and node.fun == "BudgetLeft" for node, _ in nodes(units, ""))


# ------------------------------------------------------------------------------- granules


def _warn_of_granule(findings: Findings, constants: Constants, engine: Engine, schedule: Schedule, program: ir.Program) -> None:
    """A granule above what an iteration may give a run: a longer prefill is given nothing then (E1508, L5.2, L5.13)."""
    step = program.stages[engine.stage.base].kind
    if engine.granule is None or not isinstance(step, ir.Step) or step.granule is None:
        return
    granule = step.granule
    note = Note(f"the granule of {granule:g} is here", engine.granule.value.span)
    first = next((n.cap for n in walk(schedule.written) if isinstance(n, Serving) and n.cap is not None), None)
    if first is not None:
        for outcome in _outcomes(constants, Substitution(schedule.lets).node(first.value)):
            limit = _limit(constants, outcome)
            if limit is not None and limit < granule:
                starved = f"a prefill of more than {limit:g} gets nothing, and nobody is admitted after it"
                findings.warning(
                    "E1508",
                    outcome.span,
                    f"a run given at most {limit:g} tokens cannot be given a granule of {granule:g}: with this cap {starved}",
                    note,
                    suggestion=f"max({granule:g}, …)" if math.isfinite(granule) else "inf",
                )
    budget = constant(step.budget)
    if budget is not None and budget < granule < math.inf and engine.tokens is not None:
        starved = f"a prefill of more than {budget:g} never moves"
        findings.warning(
            "E1508",
            engine.tokens.value.span,
            f"an iteration of {budget:g} tokens cannot give a run a granule of {granule:g}: {starved}",
            note,
            suggestion=f"tokens cap {granule:g};",
        )


def _outcomes(constants: Constants, cap: syntax.Expr) -> Iterator[syntax.Expr]:
    """What a cap may come to, the arms of constant conditions chosen (L5.12)."""
    if not isinstance(cap, syntax.Conditional):
        yield cap
        return
    test = constants.maybe(cap.test)
    for arm, chosen in ((cap.then, test != 0), (cap.orelse, test is None or test == 0)):
        if chosen:
            yield from _outcomes(constants, arm)


def _limit(constants: Constants, outcome: syntax.Expr) -> float | None:
    """The number an outcome is, or the floor of ``max(k, e)``; None for no cap."""
    value = constants.maybe(outcome)
    if value is None and isinstance(outcome, syntax.CallExpr):
        floors = [constants.maybe(a) for a in outcome.args if not isinstance(a, syntax.String | syntax.Named)]
        value = next((floor for floor in floors if floor is not None), None)
    return value if value is not None and math.isfinite(value) else None


# ------------------------------------------------------------------------------- registers


def _warn_of_unset_registers(findings: Findings, engine: Engine, schedule: Schedule) -> None:
    """A register that no ``set`` touches keeps its first value (E1509, L5.10)."""
    set_here = {n.name.text for n in walk(schedule.written) if isinstance(n, syntax.SSet)}
    for name, state in engine.states.items():
        if name not in set_here:
            findings.warning(
                "E1509",
                state.name.span,
                f"nothing sets the register `{name}`, which keeps its first value",
                suggestion=f"let {name} = …;  for a constant, or `set {name} = …;` in the schedule",
            )
