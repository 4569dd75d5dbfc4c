"""Lowers a schedule: its statements, the cap per run and the granule (L5.11 to L5.15, L11.12 to L11.15)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from grammar import ir, syntax
from grammar.constants import Constants
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.expansion import Substitution, walk
from grammar.expressions import Reader
from grammar.findings import Findings, hint
from grammar.folding import constant
from grammar.reads import Clause, Column
from grammar.schedule import Schedule, Serving, all_items, form_of
from grammar.scopes import Model
from grammar.source import Span

DECODE_FIRST = ir.Cond(ir.Ctx("Decoding"), ir.Num(0.0), ir.Num(1.0))
NOT_PREEMPTED = ir.Unary("Not", ir.Ctx("Preempted"))


@dataclass(slots=True)
class LoweredSchedule:
    """What a schedule becomes: ``serve`` is None for exclusive prefill, ``iteration`` for the default procedure (L5.15)."""

    serve: ir.By | None
    iteration: tuple[ir.ScheduleStatement, ...] | None
    chunk: ir.Expr
    places: dict[tuple[int, ...], Span]


@dataclass(slots=True)
class ScheduleReader:
    """Lowers the schedule of one engine."""

    model: Model
    findings: Findings
    constants: Constants
    reader: Reader
    schedule: Schedule
    capped: bool = True

    def lower(self) -> LoweredSchedule:
        """The schedule in the form it has (L5.15, L11.12 to L11.15)."""
        body = self.schedule.body
        places: dict[tuple[int, ...], Span] = {}
        told = len(self.findings.errors)
        chunk = self._chunk()
        self.capped = len(self.findings.errors) == told
        form = form_of(self.schedule)
        if form == "explicit":
            return LoweredSchedule(ir.By(), self._statements(body, (), places), chunk, places)
        first, second = body
        for path, item in (((0,), first), ((1,), second)):
            places[path] = item.span
        if form == "exclusive":
            return LoweredSchedule(None, None, chunk, places)
        assert isinstance(first, syntax.Advance)
        keys = self._order(first.order)
        serve = ir.By(() if keys is None else keys)
        if first.only is None:
            return LoweredSchedule(serve, None, chunk, places)
        only = self._read(first.only, Column.ONLY)
        return LoweredSchedule(serve, (ir.Serve(only), ir.Admit(only, NOT_PREEMPTED)), chunk, places)

    def _read(self, e: syntax.Expr, column: Column) -> ir.Expr:
        lets = frozenset() if column is Column.EACH else frozenset(self.schedule.lets)
        return self.reader.value(e, Clause(column, engine=self.schedule.engine, lets=lets))

    def _order(self, order: syntax.Order | None) -> tuple[ir.Expr, ...] | None:
        if order is None:
            return None
        if order.word == "admission":
            return ()
        if order.word == "decode first":
            return (DECODE_FIRST,)
        return tuple(self._read(k, Column.BY) for k in order.keys)

    def _statements(
        self, items: Sequence[syntax.ScheduleItem], path: tuple[int, ...], places: dict[tuple[int, ...], Span]
    ) -> tuple[ir.ScheduleStatement, ...]:
        lowered: list[ir.ScheduleStatement] = []
        for item in items:
            here = (*path, len(lowered))
            places[here] = item.span
            if isinstance(item, syntax.Advance):
                only = None if item.only is None else self._read(item.only, Column.ONLY)
                lowered.append(ir.Serve(only, self._order(item.order)))
            elif isinstance(item, syntax.AdmitWaiting):
                only = None if item.only is None else self._read(item.only, Column.ONLY)
                gate = None if item.gate is None else self._guard(item.gate)
                lowered.append(ir.Admit(only, gate))
            elif isinstance(item, syntax.SBranch):
                guard = self._guard(item.guard)
                then = self._statements(item.then.items, (*here, 0), places)
                orelse = self._statements(() if item.orelse is None else item.orelse.items, (*here, 1), places)
                lowered.append(ir.SBranch(guard, then, orelse))
            elif isinstance(item, syntax.SSet):
                value = self._read(item.value, Column.SCHEDULE)
                register = self.model.registers.get(item.name.text)
                if register is None or register.engine is not self.schedule.engine:
                    self._no_register(item)
                else:
                    lowered.append(ir.SSet(register.index, value))
        return tuple(lowered)

    def _guard(self, guard: syntax.Expr) -> ir.Expr:
        """A condition; a constant one that is neither 0 nor 1 links and stops the run (D15)."""
        value = self.constants.maybe(guard)
        if value is not None and value not in (0.0, 1.0):
            self.findings.warning(
                "E917", guard.span, f"this condition is always {value:g}, and a run stops at a condition that is neither 0 nor 1"
            )
        return self._read(guard, Column.SCHEDULE)

    def _no_register(self, item: syntax.SSet) -> None:
        text = item.name.text
        engine = self.schedule.engine
        other = self.model.registers.get(text)
        if other is not None:
            message = f"`{text}` is a register of engine `{other.engine.name}`"
        else:
            message = f"engine `{engine.name}` has no register `{text}`"
        notes = () if other is None else (Note("it is declared here", other.span),)
        there = ", ".join(f"`{r}`" for r in engine.states) or "none"
        self.findings.error(
            "E911",
            item.name.span,
            f"{message}: a schedule sets its own engine's registers, here {there}",
            *notes,
            suggestion=hint(text, engine.states) or f"state {text} = 0;  in the engine",
        )

    # -------------------------------------------------------------- the cap per run

    def _chunk(self) -> ir.Expr:
        """``each at most``: one cap for the whole iteration, its ``let``s put in (L5.11, L5.12)."""
        serving = [i for i in all_items(self.schedule.body) if isinstance(i, Serving)]
        put = Substitution(self.schedule.lets)
        caps = [None if s.cap is None else put.node(s.cap.value) for s in serving]
        first = next((c for c in caps if c is not None), None)
        if first is None:
            return ir.Num(0.0)
        for statement, cap in zip(serving, caps, strict=True):
            if cap != first:
                other = next(s for s in serving if s.cap is not None)
                span = statement.span if statement.cap is None else statement.cap.span
                self.findings.error(
                    "E904",
                    span,
                    "the cap on a run is one for the whole iteration: "
                    + (
                        "this statement has no `each at most`, and another has"
                        if statement.cap is None
                        else "this one differs from another"
                    ),
                    Note("the other is here", other.cap.span if other.cap is not None else other.span),
                    suggestion="write the same `each at most` on every statement, or name it with a `let`",
                )
                return ir.Num(0.0)
        engine = self.schedule.engine
        if not engine.admits and engine.size is None:
            # No queue to count is the number 0 (L5.20), and outcomes and their conditions fold where they are constant.
            first = Substitution({"waiting.count": syntax.Number(first.span, 0.0, "0")}).node(first)
        return self._outcomes(first)

    def _outcomes(self, e: syntax.Expr) -> ir.Expr:
        """A tree of ``? :`` whose leaves are outcomes; a constant condition chooses its arm (L5.12, L11.15)."""
        if isinstance(e, syntax.Conditional):
            if _mentions_inf(e.test):
                return self._infinite(e.test, "a condition")
            test = self.constants.maybe(e.test)
            if test is not None:
                return self._outcomes(e.then if test != 0 else e.orelse)
            return ir.Cond(self._read(e.test, Column.EACH), self._outcomes(e.then), self._outcomes(e.orelse))
        value = self.constants.maybe(e)
        if value is not None:
            return self._constant_outcome(e, value)
        if isinstance(e, syntax.CallExpr) and e.ref.text == "max" and len(e.args) == 2:
            return self._floored(e)
        told = len(self.findings.errors)
        lowered = self._read(e, Column.EACH)
        if len(self.findings.errors) > told:
            return lowered
        if _mentions_inf(e):
            return self._infinite(e, "an outcome's arithmetic")
        inner = _inner_conditional(e)
        self.findings.error(
            "E906",
            e.span,
            "an outcome of `each at most` is `inf`, a constant above 0, or `max(k, e)` with a constant k above 0"
            + (": the conditional stands outermost" if inner else ": what follows the iteration could give a run nothing"),
            suggestion="TEST ? max(k, …) : max(k, …)" if inner else "max(1, …)  around it",
        )
        return lowered

    def _constant_outcome(self, e: syntax.Expr, value: float) -> ir.Expr:
        if value == math.inf and isinstance(e, syntax.NameExpr):
            return ir.Num(0.0)
        if _mentions_inf(e):
            return self._infinite(e, "an outcome's arithmetic")
        if value == math.inf:
            return ir.Num(0.0)
        if not value > 0:
            self.findings.error(
                "E905",
                e.span,
                f"`each at most` {value:g} would give a run nothing, so no request could ever move",
                suggestion="a number above 0, or `inf` for no cap",
            )
        return ir.Num(value)

    def _floored(self, e: syntax.CallExpr) -> ir.Expr:
        """``max(k, e)``: a floor and what follows the iteration."""
        args = [a for a in e.args if not isinstance(a, syntax.String | syntax.Named)]
        values = [self.constants.maybe(a) for a in args]
        k = next((v for v in values if v is not None), None)
        told = len(self.findings.errors)
        lowered = self._read(e, Column.EACH)
        if len(self.findings.errors) > told:
            return lowered
        if any(_mentions_inf(a) for a in args):
            return self._infinite(e, "`max`")
        if k is None:
            self.findings.error(
                "E906",
                e.span,
                "an outcome `max(k, e)` of `each at most` has a constant k above 0, below which it never falls",
                suggestion="max(1, …)",
            )
        elif not (k > 0 and math.isfinite(k)):
            self.findings.error(
                "E907",
                e.span,
                f"with `max({k:g}, …)` a run could be given {k:g} tokens, and no request could ever move",
                suggestion="max(1, …)",
            )
        return lowered

    def _infinite(self, e: syntax.Expr, where: str) -> ir.Expr:
        found = next((n for n in walk(e) if isinstance(n, syntax.NameExpr) and n.ref.text == "inf"), e)
        self.findings.error(
            "E908",
            found.span,
            f"`inf` cannot stand inside {where} of `each at most`: no cap is `inf` as a whole outcome",
            suggestion="TEST ? max(k, …) : inf",
        )
        return ir.Num(0.0)

    def granule(self, chunk: ir.Expr) -> float | None:
        """``granule c``: positive, not above a cap that is one constant or floored by one, not with exclusive prefill (L5.13)."""
        written = self.schedule.engine.granule
        if written is None:
            return None
        value = self.constants.number(written.value)
        if value is None:
            return None
        why = None
        if not value > 0:
            why = f"a granule is above 0, and this is {value:g}: a prefill could never be given a multiple of it"
        elif form_of(self.schedule) == "exclusive":
            why = "`granule` cannot stand with `exclusive prefill`"
        else:
            limit = _limit(chunk) if self.capped else None
            if limit is not None and value > limit:
                why = f"a granule of {value:g} is more than the {limit:g} tokens a run is given at most: no prefill could move"
        if why is not None:
            self.findings.error("E914", written.value.span, why)
        return value


def _limit(chunk: ir.Expr) -> float | None:
    """The constant a cap is, or the constant it is floored by."""
    if isinstance(chunk, ir.Num):
        return chunk.value if chunk.value > 0 else None
    if isinstance(chunk, ir.Call) and chunk.fun == "Max":
        values = [constant(a) for a in chunk.args if not isinstance(a, ir.PoolArg | ir.StageArg)]
        return next((v for v in values if v is not None), None)
    return None


def _mentions_inf(e: syntax.Expr) -> bool:
    return any(isinstance(n, syntax.NameExpr) and n.ref.text == "inf" for n in walk(e))


def _inner_conditional(e: syntax.Expr) -> bool:
    return any(isinstance(n, syntax.Conditional) for n in walk(e))
