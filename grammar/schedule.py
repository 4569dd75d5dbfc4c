"""An engine's ``schedule``: its rules, the cap per run, and which form it lowers to (L5.3 to L5.16)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grammar import ir, syntax
from grammar.constants import Constants
from grammar.declarations import Declarations
from grammar.diagnostics import Note
from grammar.expansion import Substitution, walk
from grammar.expressions import Reader
from grammar.findings import Findings, hint
from grammar.folding import constant
from grammar.names import WORDS
from grammar.reads import Clause, Column
from grammar.scopes import Engine, Model
from grammar.source import Span

Serving = syntax.Advance | syntax.AdmitWaiting | syntax.Exclusive
EXCLUSIVE_FORM = "exclusive prefill …; admit waiting while (running.preempted == 0) …;"
DECODE_FIRST = ir.Cond(ir.Ctx("Decoding"), ir.Num(0.0), ir.Num(1.0))
NOT_PREEMPTED = ir.Unary("Not", ir.Ctx("Preempted"))


@dataclass(slots=True)
class Schedule:
    """A schedule taken apart: its ``let``s with the earlier put into the later, and its statements."""

    engine: Engine
    written: syntax.Schedule
    lets: dict[str, syntax.Expr]
    body: tuple[syntax.ScheduleItem, ...]

    @property
    def span(self) -> Span:
        """The word."""
        return self.written.span


@dataclass(slots=True)
class LoweredSchedule:
    """What a schedule becomes: ``serve`` is None for exclusive prefill, ``iteration`` for the default procedure (L5.15)."""

    serve: ir.By | None
    iteration: tuple[ir.ScheduleStatement, ...] | None
    chunk: ir.Expr
    places: dict[tuple[int, ...], Span]


# ------------------------------------------------------------------------------- as written


def take_apart(to: Declarations, engine: Engine) -> Schedule:
    """The ``let``s and the statements of a schedule, with the rules about their places (L5.7, L5.14)."""
    written = engine.schedule
    assert written is not None
    findings = to.findings
    lets: dict[str, syntax.Expr] = {}
    where: dict[str, Span] = {}
    body: list[syntax.ScheduleItem] = []
    for item in written.block.items:
        if not isinstance(item, syntax.SLet):
            body.append(item)
        elif body:
            _misplaced_let(findings, item)
        elif _let_fits(to, item, where):
            lets[item.name.text] = Substitution(lets).node(item.value)
            where[item.name.text] = item.name.span
    for item in body:
        for inner in _branches(item):
            for nested in inner.items:
                if isinstance(nested, syntax.SLet):
                    _misplaced_let(findings, nested)
    schedule = Schedule(engine, written, lets, tuple(body))
    if not body:
        findings.error(
            "E901",
            written.block.span,
            "this schedule does nothing: it says what an iteration does",
            suggestion="advance running; admit waiting while (running.preempted == 0);",
        )
    elif not any(isinstance(n, syntax.Exclusive) for n in _all_items(schedule.body)):
        _check_paths(findings, schedule)
    _check_exclusive(findings, schedule)
    _check_taking(findings, schedule)
    _check_registers(findings, schedule)
    return schedule


def _branches(item: syntax.ScheduleItem) -> Iterator[syntax.ScheduleBlock]:
    if isinstance(item, syntax.SBranch):
        for block in (item.then, item.orelse):
            if block is not None:
                yield block
                for inner in block.items:
                    yield from _branches(inner)


def _all_items(items: Iterable[syntax.ScheduleItem]) -> Iterator[syntax.ScheduleItem]:
    for item in items:
        yield item
        if isinstance(item, syntax.SBranch):
            yield from _all_items(item.then.items)
            if item.orelse is not None:
                yield from _all_items(item.orelse.items)


def _misplaced_let(findings: Findings, item: syntax.SLet) -> None:
    findings.error(
        "E902",
        item.span,
        "a schedule's `let` stands at the top, before its statements: its value is taken as the iteration starts",
        suggestion=f"move `let {item.name.text}` to the top, or write a `def` for a value read where it stands",
    )


def _let_fits(to: Declarations, item: syntax.SLet, where: dict[str, Span]) -> bool:
    """The name of a schedule's ``let`` (E918)."""
    text = item.name.text
    taken = to.constants.where.get(text)
    note: tuple[Note, ...] = ()
    if text in where:
        why, note = "a `let` of this schedule already", (Note("the first is here", where[text]),)
    elif text in WORDS or text == "self":
        why = "a word of the language"
    elif taken is not None:
        why, note = "a constant of the program", (Note("the constant is declared here", taken),)
    else:
        return to.fit("schedule let", item.name, "E918", words=True, functions=True) or True
    to.findings.error("E918", item.name.span, f"`{text}` is {why} and cannot name a schedule's `let`", *note, suggestion="rename it")
    return False


def _check_paths(findings: Findings, schedule: Schedule) -> None:
    """Every path through a schedule reaches an ``advance running`` or an ``admit waiting`` (L5.7)."""
    idle = _idle_path(schedule.body)
    if idle is None:
        return
    if isinstance(idle, syntax.SBranch):
        arm = "`else`" if idle.orelse is None or _idle_path(idle.then.items) is None else "first arm"
        message = (
            f"on the path through the {arm} of the branch at line {idle.span.line} the iteration reaches no `advance running` and no "
            "`admit waiting`"
        )
        findings.error("E909", idle.guard.span, message, suggestion="advance running;  on that path")
    else:
        findings.error(
            "E909", schedule.span, "this schedule reaches no `advance running` and no `admit waiting`", suggestion="advance running;"
        )


def _idle_path(items: Sequence[syntax.ScheduleItem]) -> syntax.SBranch | syntax.ScheduleBlock | None | bool:
    """The branch that makes a path without a serving statement, True where there is no branch to blame, None without one."""
    last: syntax.SBranch | None = None
    for item in items:
        if isinstance(item, Serving):
            return None
        if isinstance(item, syntax.SBranch):
            then = _idle_path(item.then.items)
            orelse = True if item.orelse is None else _idle_path(item.orelse.items)
            if then is None and orelse is None:
                return None
            last = item
    return last if last is not None else True


def _check_exclusive(findings: Findings, schedule: Schedule) -> None:
    """``exclusive prefill`` stands only in its one form (L5.6)."""
    exclusive = [i for i in _all_items(schedule.body) if isinstance(i, syntax.Exclusive)]
    if exclusive and form_of(schedule) != "exclusive":
        findings.error(
            "E910",
            exclusive[0].span,
            f"`exclusive prefill` takes back decodes already chosen, so it stands only in the form `{EXCLUSIVE_FORM}`",
            suggestion=EXCLUSIVE_FORM,
        )


def _check_registers(findings: Findings, schedule: Schedule) -> None:
    """A register that a schedule of a form without ``set`` could not set keeps its first value (L5.10)."""
    if form_of(schedule) == "explicit":
        return
    for name, state in schedule.engine.states.items():
        findings.error(
            "E912",
            state.name.span,
            f"nothing sets the register `{name}`, which keeps its first value",
            suggestion=f"let {name} = …;  for a constant, or `set {name} = …;` in the schedule",
        )


def _check_taking(findings: Findings, schedule: Schedule) -> None:
    """Every ``admit waiting`` has the same ``taking``, as written; it belongs to a ``request`` (L6.4)."""
    engine = schedule.engine
    admits = [i for i in _all_items(schedule.body) if isinstance(i, syntax.AdmitWaiting)]
    takings = [a.taking for a in admits if a.taking is not None]
    if not takings:
        return
    first = takings[0]
    if engine.queue is not None:
        findings.error("E1026", first.span, "a queue's engine has no `request`, so its schedule has no `taking`")
        return
    if engine.request is None:
        findings.error(
            "E1010",
            first.span,
            f"engine `{engine.name}` has no `request` for this `taking` to be of",
            suggestion="give the engine a `request (…) { … }`, or hold the pools in the server",
        )
        return
    for admit in admits:
        if admit.taking != first:
            findings.error(
                "E1012",
                first.span if admit.taking is None else admit.taking.span,
                "every `admit waiting` of a schedule says the same `taking`: what an admission takes does not depend on where it is made",
                Note("another `admit waiting` is here", admit.span if admit.taking is None else first.span),
            )
            engine.taking_wrong = True
            break
    engine.taking = first


# ------------------------------------------------------------------------------- forms


def never_preempted(gate: syntax.Expr | None) -> bool:
    """Whether a condition is one of the three spellings of "nothing was preempted" (L5.15)."""
    if isinstance(gate, syntax.Unary) and gate.op == "!":
        return _is_preempted(gate.operand)
    if isinstance(gate, syntax.Binary) and gate.op == "==":
        return (_is_preempted(gate.left) and _is_zero(gate.right)) or (_is_zero(gate.left) and _is_preempted(gate.right))
    return False


def _is_preempted(e: syntax.Expr) -> bool:
    return isinstance(e, syntax.NameExpr) and e.ref.text == "running.preempted" and e.ref.index is None


def _is_zero(e: syntax.Expr) -> bool:
    return isinstance(e, syntax.Number) and e.value == 0


def form_of(schedule: Schedule) -> str:
    """Which of the four forms a schedule lowers to: default, only, exclusive or explicit (L5.15)."""
    if len(schedule.body) != 2:
        return "explicit"
    first, second = schedule.body
    if not isinstance(second, syntax.AdmitWaiting) or not never_preempted(second.gate):
        return "explicit"
    if isinstance(first, syntax.Exclusive):
        return "exclusive" if second.only is None else "explicit"
    if isinstance(first, syntax.Advance) and first.only == second.only:
        return "default" if first.only is None else "only"
    return "explicit"


# ------------------------------------------------------------------------------- lowering


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
            message, notes = f"`{text}` is a register of engine `{other.engine.name}`", (Note("it is declared here", other.span),)
        else:
            message, notes = f"engine `{engine.name}` has no register `{text}`", ()
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
        serving = [i for i in _all_items(self.schedule.body) if isinstance(i, Serving)]
        put = Substitution(self.schedule.lets)
        caps = [None if s.cap is None else put.node(s.cap.value) for s in serving]
        first = next((c for c in caps if c is not None), None)
        unread = self.schedule.lets if first is None else {}
        for let in self._unread_lets(first) if first is not None else unread.values():
            self._read(let, Column.EACH)
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
                    + ("this statement has no `each at most`, and another has" if statement.cap is None else "this one differs from another"),
                    Note("the other is here", other.cap.span if other.cap is not None else other.span),
                    suggestion="write the same `each at most` on every statement, or name it with a `let`",
                )
                return ir.Num(0.0)
        return self._outcomes(first)

    def _unread_lets(self, cap: syntax.Expr) -> list[syntax.Expr]:
        """The ``let``s whose text does not stand in the cap, which are checked all the same."""
        inside = {id(n) for n in walk(cap)}
        return [e for e in self.schedule.lets.values() if id(e) not in inside]

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
            "E908", found.span, f"`inf` cannot stand inside {where} of `each at most`: no cap is `inf` as a whole outcome", suggestion="TEST ? max(k, …) : inf"
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
                why = f"a granule of {value:g} is more than the {limit:g} tokens a run is given at most: a prefill that long could never move"
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
