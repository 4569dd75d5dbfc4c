"""Lowers expressions to the IR, checking that each thing may be read where it stands; knows no statements and no types."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from grammar import ir, syntax
from grammar.constants import Constants, NotConstant
from grammar.diagnostics import Note
from grammar.expansion import walk
from grammar.findings import Findings, hint
from grammar.names import BUILT_IN, DISTRIBUTIONS, FUNCTIONS
from grammar.reads import (
    ENGINE_COLUMNS,
    FUNCTION_READ,
    KERNEL_TO_LIST,
    LIST_TABLE,
    NEVER_BARE,
    SUPPLIED_READ,
    TABLE,
    Clause,
    Column,
    Read,
    may_read,
    where_read,
)
from grammar.references import member, pool_of, pool_ref, stage_of, stage_ref
from grammar.scopes import Engine, Model, Pool, Stage
from grammar.source import Span
from grammar.vocabulary import (
    AGGREGATES,
    CONTEXT,
    DISTRIBUTION_NAMES,
    LISTS,
    POOL_FUNCTIONS,
    PURE_FUNCTIONS,
    RETIRED_TODAY,
    STAGE_FUNCTIONS,
)

BINARY = {
    "+": "Add",
    "-": "Sub",
    "*": "Mul",
    "/": "Div",
    "^": "Pow",
    "<": "Lt",
    "<=": "Le",
    ">": "Gt",
    ">=": "Ge",
    "==": "Eq",
    "!=": "Ne",
    "&&": "And",
    "||": "Or",
}
"""The operators with their IR names (L11.7)."""

POISON = ir.Num(math.nan)
"""What stands for an expression that has been told to be wrong; the later passes say no more about it."""


class Reader:
    """Lowers expressions of one program.

    Attributes:
        indices: the values of the aggregate indices in scope.
        places: where each lowered expression is written, by the identity of the IR node, which is kept with it
            so that its identity stays its own.
        written_out: the identities of the expressions that aggregates were written out to.
    """

    def __init__(self, findings: Findings, model: Model, constants: Constants) -> None:
        self.findings = findings
        self.model = model
        self.constants = constants
        self.indices: dict[str, float] = {}
        self.places: dict[int, tuple[object, Span]] = {}
        self.written_out: set[int] = set()

    # ------------------------------------------------------------------ places

    def mark(self, node: Any, written: syntax.Node) -> Any:
        """Remember where an IR node is written."""
        self.places[id(node)] = (node, written.span)
        return node

    def place(self, node: object, otherwise: Span) -> Span:
        """Where an IR node is written, or ``otherwise`` for one this reader did not make."""
        found = self.places.get(id(node))
        return otherwise if found is None else found[1]

    def wrong(
        self, clause: Clause, code: str, span: Span, message: str, *notes: Note, suggestion: str | None = None
    ) -> ir.Expr:
        """Tell that something may not stand in a clause: at the pool or stage the amount is of, where there is one."""
        if clause.anchor is not None:
            notes = (Note("it is read here", span), *notes)
        self.findings.error(code, clause.anchor or span, message, *notes, suggestion=suggestion)
        return POISON

    # ------------------------------------------------------------------ expressions

    def value(self, e: syntax.Expr, clause: Clause) -> ir.Expr:
        """The IR of an expression read in a clause (L11.7)."""
        lowered = _LOWER[e.__class__](self, e, clause)
        self.places[id(lowered)] = (lowered, e.span)
        return lowered

    def look_up(self, e: syntax.Expr) -> None:
        """Tell of names that nothing declares in an expression that stands nowhere in the program (L3.24)."""
        if isinstance(e, syntax.NameExpr) and (e.ref.text in self.model.pools or e.ref.text in self.model.stages):
            return
        told = len(self.findings.errors)
        self.value(e, Clause(Column.STATEMENT))
        unknown = ("E415", "E502", "E504")
        self.findings.errors[told:] = [d for d in self.findings.errors[told:] if d.id in unknown]

    def _number(self, e: syntax.Number, clause: Clause) -> ir.Expr:
        return ir.Num(e.value)

    def _unary(self, e: syntax.Unary, clause: Clause) -> ir.Expr:
        return ir.Unary("Neg" if e.op == "-" else "Not", self.value(e.operand, clause))

    def _binary(self, e: syntax.Binary, clause: Clause) -> ir.Expr:
        return ir.Binary(BINARY[e.op], self.value(e.left, clause), self.value(e.right, clause))

    def _conditional(self, e: syntax.Conditional, clause: Clause) -> ir.Expr:
        return ir.Cond(self.value(e.test, clause), self.value(e.then, clause), self.value(e.orelse, clause))

    def _draw(self, e: syntax.Draw, clause: Clause) -> ir.Expr:
        name = e.dist.text
        if name not in DISTRIBUTIONS:
            return self._bad_draw(e, f"there is no distribution `{name}`")
        if len(e.args) != len(DISTRIBUTIONS[name]):
            wanted = ", ".join(DISTRIBUTIONS[name])
            return self._bad_draw(e, f"`~{name}` takes ({wanted}), and {len(e.args)} are given")
        args = tuple(self.value(a, clause) for a in e.args)
        if not may_read(Read.DRAW, clause.column):
            again = "is read again and again, so what it draws would change"
            reason = f"{clause.said} {again}" if clause.column is not Column.GIVEN else "`given` is read once a session and draws nothing"
            return self.wrong(
                clause, "E603", e.dist.span, f"a draw cannot stand here: {reason}", suggestion="`set` an attribute to the draw and read that"
            )
        return ir.Sample(DISTRIBUTION_NAMES[name], args)

    def _bad_draw(self, e: syntax.Draw, message: str) -> ir.Expr:
        there = ", ".join(f"~{n}({', '.join(p)})" for n, p in DISTRIBUTIONS.items())
        self.findings.error(
            "E509", e.dist.span, f"{message}; the distributions are {there}", suggestion=hint(e.dist.text, DISTRIBUTIONS)
        )
        return POISON

    def _over(self, e: syntax.Over, clause: Clause) -> ir.Expr:
        """``max j in n (e)``: written out for j = 0 … n-1 and folded left (L9.5)."""
        name = e.var.text
        taken = self._taken(name)
        if taken is not None:
            where = self.model.declared.get(name)
            note = () if where is None else (Note("the other is declared here", where[1]),)
            self.findings.error(
                "E511", e.span, f"the index `{name}` of this aggregate is also {taken}", *note, suggestion="give the index a name of its own"
            )
            return POISON
        try:
            count = self.constants.count_of(e, self.constants.evaluate(e.count, self.indices))
        except NotConstant as why:
            code = why.code if why.code in ("E511", "E512") else "E512"
            self.findings.error(code, e.span, why.message, *why.notes, suggestion=why.suggestion)
            return POISON
        folded: ir.Expr | None = None
        for j in range(count):
            self.indices[name] = float(j)
            term = self.value(e.body, clause)
            if folded is None:
                folded = term
            elif e.agg == "sum":
                folded = ir.Binary("Add", folded, term)
            else:
                folded = ir.Call("Max" if e.agg == "max" else "Min", (folded, term))
        self.indices.pop(name, None)
        assert folded is not None
        self.written_out.add(id(folded))
        return folded

    def _taken(self, name: str) -> str | None:
        """What else an aggregate's index would be (E511)."""
        if name in self.model.declared and self.model.declared[name][0] != "definition":
            return f"a {self.model.declared[name][0]}"
        if name in self.model.attributes or name in BUILT_IN:
            return "a session attribute"
        if name in CONTEXT or name in LISTS or name in ("inf", "self"):
            return "a name the language supplies"
        return "a register" if name in self.model.registers else None

    # ------------------------------------------------------------------ names

    def _name(self, e: syntax.NameExpr, clause: Clause) -> ir.Expr:
        ref = e.ref
        text = ref.text
        if len(ref.names) > 1:
            return self._dotted(ref, clause)
        if text in self.indices and ref.index is None:
            return ir.Num(self.indices[text])
        if ref.index is not None:
            return self._not_a_value(ref)
        slot = self.model.attributes.get(text)
        if slot is not None:
            return self._attribute(text, slot, ref.span, clause)
        if text in self.constants.values:
            return ir.Num(self.constants.values[text])
        if text in self.model.registers:
            return self._register(text, ref.span, clause)
        if text in CONTEXT:
            return self._context(text, ref.span, clause)
        if text == "inf":
            return ir.Num(math.inf)
        if text in clause.lets:
            self.findings.error(
                "E617",
                ref.span,
                f"`{text}` is a schedule's `let`, whose value is taken as the iteration starts and is read only in `each at most`",
                suggestion=f"def {text}() {{ … }}  for a value read where it stands",
            )
            return POISON
        return self._not_a_value(ref)

    def _attribute(self, text: str, slot: int, span: Span, clause: Clause) -> ir.Expr:
        read = Read.COMPUTED if text == "computed" else Read.HIDDEN if text in self.model.hidden else Read.ATTRIBUTE
        if may_read(read, clause.column):
            return ir.Attr(slot)
        if text == "computed" and clause.column is Column.PREEMPT:
            return self.wrong(
                clause,
                "E618",
                span,
                "`computed` is where the request stood at its last preemption; a candidate's place now is `position`",
                suggestion="position",
            )
        if read is Read.HIDDEN and may_read(Read.ATTRIBUTE, clause.column):
            return self.wrong(
                clause,
                "E613",
                span,
                f"`{text}` is hidden from the scheduler and cannot be read in {clause.said}",
                Note("it is hidden here", self.model.hidden[text]),
                suggestion="read it in work, `cache`, `set` or `observe`, or predict it by an attribute that is not hidden",
            )
        code = "E1203" if clause.column is Column.RENEWAL else "E602"
        return self.wrong(
            clause,
            code,
            span,
            f"`{text}` is a session attribute, and in {clause.said} there is no one session to ask",
            suggestion="read a constant, a pool or stage function, or a register",
        )

    def _register(self, text: str, span: Span, clause: Clause) -> ir.Expr:
        register = self.model.registers[text]
        free = clause.column in (Column.GAUGE, Column.END)
        if may_read(Read.REGISTER, clause.column) and (free or clause.engine is register.engine):
            return ir.Reg(register.index)
        engine = register.engine.name
        return self.wrong(
            clause,
            "E614",
            span,
            f"the register `{text}` of engine `{engine}` cannot be read in {clause.said}: it is read in the clauses, schedule and "
            f"iteration claims of `{engine}`, in the keys and the hold headers of the pools it admits, in gauges and in `at end` claims",
            Note("it is declared here", register.span),
        )

    def _context(self, text: str, span: Span, clause: Clause) -> ir.Expr:
        read = SUPPLIED_READ[text]
        if may_read(read, clause.column) and text not in NEVER_BARE:
            return ir.Ctx(CONTEXT[text])
        if clause.column in ENGINE_COLUMNS and text in KERNEL_TO_LIST:
            return self._kernel_name(text, span, clause)
        if clause.column is Column.RENEWAL:
            return self.wrong(clause, "E1203", span, f"a `renewal` gap reads constants and draws, and not `{text}`")
        if read is Read.NOW:
            because = {
                Column.GAUGE: "a gauge is constant between events, and the clock is not",
                Column.GIVEN: "`given` is read when the session begins, of its attributes alone",
            }.get(clause.column, "an engine waits for the next event, and the clock moving is none")
            return self.wrong(clause, "E608", span, f"`now` cannot be read in {clause.said}: {because}")
        columns = frozenset() if text in NEVER_BARE else TABLE[read]
        where = where_read(columns)
        if text in KERNEL_TO_LIST:
            lists = " and ".join(f"`{v}`" for v in KERNEL_TO_LIST[text])
            where += f"; an engine's clauses read it as {lists}"
        return self.wrong(clause, "E601", span, f"`{text}` is read in {clause.said}, but it exists only in {where}")

    def _kernel_name(self, text: str, span: Span, clause: Clause) -> ir.Expr:
        fit = [v for v in KERNEL_TO_LIST[text] if clause.column in LIST_TABLE[v]]
        there = f"in {clause.said} it is `{fit[0]}`" if fit else f"{clause.said} does not read it"
        self.findings.error(
            "E607", span, f"an engine's clauses read `running.…`, `waiting.…` and `batch.…`, not the bare `{text}`: {there}",
            suggestion=fit[0] if fit else None,
        )
        return POISON

    def _not_a_value(self, ref: syntax.Ref) -> ir.Expr:
        """A name nothing declares, or one that is no number (E504)."""
        text = ref.text
        model = self.model
        if text in model.pools or text in model.stages:
            kind = "pool" if text in model.pools else "stage"
            there = [*POOL_FUNCTIONS] if kind == "pool" else ["queue", "busy", "work"]
            self.findings.error(
                "E504",
                ref.span,
                f"`{text}` is a {kind} and no number; a {kind} is read by {', '.join(f'`{f}({text})`' for f in there)}",
                *model.note_of(text),
            )
            return POISON
        if ref.index is not None:
            self.findings.error("E504", ref.span, f"`{text}` takes no index: only pools and stages do")
            return POISON
        if text in LISTS:
            fields = ", ".join(f"`{text}.{f}`" for f in LISTS[text])
            self.findings.error("E504", ref.span, f"`{text}` is read by its fields: {fields}")
            return POISON
        candidates = [*self.constants.values, *model.attributes, *model.registers, *CONTEXT]
        suggestion = hint(text, candidates)
        notes: tuple[Note, ...] = ()
        if suggestion is not None:
            near = suggestion.split("`")[1]
            span = self.constants.where.get(near)
            notes = model.note_of(near) if span is None else (Note(f"the constant `{near}` is declared here", span),)
        if text in model.declared and model.declared[text][0] == "definition":
            suggestion = f"{text}(…)"
        self.findings.error(
            "E504", ref.span, f"nothing is called `{text}`", *notes, suggestion=suggestion or f"let {text} = …;  or `set {text} = …;`"
        )
        return POISON

    def _dotted(self, ref: syntax.Ref, clause: Clause) -> ir.Expr:
        """A list value, a mark or a local of a queue, a field of a composite cost (L2.11)."""
        first, text = ref.names[0].text, ref.text
        if first in LISTS and ref.index is None:
            return self._list_value(ref, clause)
        model = self.model
        slot = model.attributes.get(text)
        if slot is not None and ref.index is None:
            return self._attribute(text, slot, ref.span, clause)
        if slot is not None:
            self.findings.error(
                "E1318", ref.span, f"`{text}` is the request's and no member's", suggestion=text
            )
            return POISON
        if text in model.pools or text in model.stages:
            return self._not_a_value(ref)
        if first == "self":
            self.findings.error("E504", ref.span, "`self` is a member's number and has no fields")
            return POISON
        known = [a for a in model.attributes if a.startswith(f"{first}.")]
        there = ", ".join(f"`{a}`" for a in known) or "none"
        if first in model.engines or first in model.queues:
            what = "marks" if first in model.engines else "marks and names of its entries"
            self.findings.error(
                "E1020",
                ref.span,
                f"`{first}` marks no `{ref.names[-1].text}`; the {what} are: {there}",
                *model.note_of(first),
                suggestion=hint(text, known) or "a name a request sets is its own: `mark` a moment, or pass the value in",
            )
        elif known:
            self.findings.error(
                "E504", ref.span, f"the composite cost `{first}` has no field `{ref.names[-1].text}`; its fields are: {there}",
                suggestion=hint(text, known),
            )
        else:
            self.findings.error("E504", ref.span, f"nothing is called `{text}`", suggestion=hint(text, model.attributes))
        return POISON

    def _list_value(self, ref: syntax.Ref, clause: Clause) -> ir.Expr:
        """``running.…``, ``waiting.…`` and ``batch.…`` (L5.17)."""
        name = ref.names[0].text
        if clause.column not in ENGINE_COLUMNS:
            bare = ""
            if clause.column is Column.ITERATION:
                bare = "; a claim over iterations reads the bare names `tokens`, `residents`, `decoders` and so on"
            elif clause.column is Column.HEADER:
                bare = "; a hold's header is read at admission"
            self.findings.error(
                "E604",
                ref.span,
                f"`{name}.…` is read in an engine's `tokens cap`, schedule and `execute`, and not in {clause.said}{bare}",
            )
            return POISON
        fields = LISTS[name]
        field = ref.names[1]
        if len(ref.names) > 2 or field.text not in fields:
            self.findings.error(
                "E605",
                field.span,
                f"`{name}` has no `{field.text}`; it has {', '.join(f'`{name}.{f}`' for f in fields)}",
                suggestion=hint(field.text, fields),
            )
            return POISON
        value = f"{name}.{field.text}"
        if clause.column not in LIST_TABLE[value]:
            return self._wrong_list_value(ref, value, clause)
        if value == "waiting.count":
            return self._waiting_count(clause.engine)
        return ir.Ctx(fields[field.text])

    def _wrong_list_value(self, ref: syntax.Ref, value: str, clause: Clause) -> ir.Expr:
        name, _, field = value.partition(".")
        if clause.column is Column.EXECUTE and name == "running":
            why, instead = "`execute` is read for the batch that was formed, not for all residents", f"batch.{field}"
            if instead not in LIST_TABLE:
                instead = ""
        elif name == "batch" and Column.SCHEDULE in LIST_TABLE[value]:
            why, instead = "the batch is not formed yet when it is read", ""
        elif name == "batch":
            why, instead = "it is of the formed batch, which `execute` alone reads", f"running.{field}"
            if instead not in LIST_TABLE or clause.column not in LIST_TABLE[instead]:
                instead = ""
        else:
            why, instead = "it is what the schedule did so far, which only the schedule's own statements read", ""
        self.findings.error(
            "E606",
            ref.span,
            f"`{value}` cannot be read in {clause.said}: {why}; it is read in {where_read(LIST_TABLE[value])}",
            suggestion=instead or None,
        )
        return POISON

    def _waiting_count(self, engine: Engine | None) -> ir.Expr:
        """``waiting.count``: the queues the engine admits, added in the order their pools are declared (L5.20)."""
        assert engine is not None
        if engine.size is not None:
            self.findings.error(
                "E815",
                engine.stage.span,
                f"`{engine.name}` is a family, and its `waiting.count` would read every member's queues",
                suggestion="count a member's own with `queued(POOL[i])` where there is an index",
            )
            return POISON
        total: ir.Expr | None = None
        for pool in engine.admits:
            for j in range(pool.count):
                index = ir.Num(float(j)) if pool.indexed else None
                term = ir.Call("Queued", (ir.PoolArg(ir.Ref(pool.base, pool.count, index)),))
                total = term if total is None else ir.Binary("Add", total, term)
        return ir.Num(0.0) if total is None else total

    # ------------------------------------------------------------------ calls

    def _call(self, e: syntax.CallExpr, clause: Clause) -> ir.Expr:
        name = e.ref.text
        if len(e.ref.names) > 1 or e.ref.index is not None:
            return self._no_function(e, clause)
        if name == "cost":
            return self._cost(e, clause)
        if name in PURE_FUNCTIONS:
            return self._pure(e, name, clause)
        if name in STAGE_FUNCTIONS or name in POOL_FUNCTIONS or name in AGGREGATES or name == "blocksize":
            return self._function(e, name, clause)
        return self._no_function(e, clause)

    def _no_function(self, e: syntax.CallExpr, clause: Clause) -> ir.Expr:
        name = e.ref.text
        for device in self.model.devices.values():
            if name in device.times and len(e.ref.names) == 1:
                self.findings.error(
                    "E616",
                    e.ref.span,
                    f"`{name}` is a time resource of device `{device.decl.name.text}`, read only in the `execute` of the engine on it",
                    Note("it is declared here", device.times[name].name.span),
                )
                return POISON
        if name in RETIRED_TODAY:
            self.findings.error("E416", e.ref.span, f"`{name}` is written `{RETIRED_TODAY[name]}` today", suggestion=RETIRED_TODAY[name])
            return POISON
        self.findings.error(
            "E415", e.ref.span, f"there is no function and no definition `{name}`", suggestion=hint(name, [*FUNCTIONS, "cost"])
        )
        return POISON

    def _arguments(self, e: syntax.CallExpr, counts: tuple[int, ...], usage: str) -> tuple[syntax.Expr, ...] | None:
        args = [a for a in e.args if not isinstance(a, syntax.String | syntax.Named)]
        if len(args) == len(e.args) and len(args) in counts:
            return tuple(args)
        self.findings.error(
            "E507", e.ref.span, f"`{e.ref.text}` is written `{usage}`, and {len(e.args)} arguments are given", suggestion=usage
        )
        return None

    def _pure(self, e: syntax.CallExpr, name: str, clause: Clause) -> ir.Expr:
        if name == "floor" and len(e.args) == 2:
            return self._floor_to(e, clause)
        two = name in ("min", "max")
        usage = f"{name}(a, b)" if two else "floor(x)` or `floor(x, step)" if name == "floor" else f"{name}(x)"
        args = self._arguments(e, (2,) if two else (1,), usage)
        if args is None:
            return POISON
        return ir.Call(PURE_FUNCTIONS[name], tuple(self.value(a, clause) for a in args))

    def _floor_to(self, e: syntax.CallExpr, clause: Clause) -> ir.Expr:
        """``floor(x, step)`` is ``floor(x / step) * step`` written out, so the step is read twice (L9.7)."""
        args = self._arguments(e, (2,), "floor(x, step)")
        if args is None:
            return POISON
        what, step = args
        if draws(step):
            self.findings.error(
                "E517",
                e.ref.span,
                "the step of `floor` is read twice, and this one draws: it would be two numbers",
                Note("the draw is here", step.span),
                suggestion="`set` a name to the draw first",
            )
            return POISON
        quotient = ir.Binary("Div", self.value(what, clause), self.value(step, clause))
        return ir.Binary("Mul", ir.Call("Floor", (quotient,)), self.value(step, clause))

    def _function(self, e: syntax.CallExpr, name: str, clause: Clause) -> ir.Expr:
        """A function of a pool, a stage or an observation (L9.7)."""
        of = "POOL" if name in POOL_FUNCTIONS or name == "blocksize" else "OBSERVATION" if name in AGGREGATES else "STAGE"
        if name == "budget_left":
            of = "ENGINE"
        price = name == "price"
        usage = f"{name}({of}, hit, extra)" if price else f"{name}({of})"
        args = self._arguments(e, (3,) if price else (1,), usage)
        if args is None:
            return POISON
        first = args[0]
        if not isinstance(first, syntax.NameExpr):
            self.findings.error(
                "E508", e.ref.span, f"`{name}` takes the name of {_article(of)}, and an expression is given", suggestion=usage
            )
            return POISON
        if name in AGGREGATES:
            return self._observed(e, name, first.ref, clause)
        if name == "blocksize":
            return self._blocksize(first.ref, clause)
        if not self._fixed_member(first.ref, clause):
            return POISON
        ref = pool_ref(self, first.ref, clause) if name in POOL_FUNCTIONS else self._stage_argument(name, first.ref, clause)
        if ref is None:
            return POISON
        if not self._may_call(e, name, first.ref, clause):
            return POISON
        if name in POOL_FUNCTIONS:
            return ir.Call(POOL_FUNCTIONS[name], (ir.PoolArg(ref),))
        rest = tuple(self.value(a, clause) for a in args[1:])
        return ir.Call(STAGE_FUNCTIONS[name], (ir.StageArg(ref), *rest))

    def _stage_argument(self, name: str, ref: syntax.Ref, clause: Clause) -> ir.Ref | None:
        family = stage_of(self, ref)
        if family is None:
            return None
        if clause.column in (Column.GAUGE, Column.ITERATION) and (family.role == "latency" or (family.role == "nic" and family.indexed)):
            self.findings.error(
                "E502", ref.names[-1].span if family.role == "nic" else ref.span, f"`{ref.text}` cannot be named in {clause.said}"
            )
            return None
        return member(self, ref, family, clause)

    def _may_call(self, e: syntax.CallExpr, name: str, ref: syntax.Ref, clause: Clause) -> bool:
        """Whether the table lets a function stand here (L10.1), and the engine of ``budget_left`` (L10.3)."""
        read = FUNCTION_READ[name]
        span = e.ref.span
        column = clause.column
        if name == "budget_left":
            stage = self.model.stages[ref.text]
            if stage.engine is None:
                self.wrong(clause, "E610", span, f"`budget_left` is of an engine, and `{ref.text}` is a plain stage", *self.model.note_of(ref.text))
                return False
            if column is Column.SCHEDULE and stage.engine is not clause.engine:
                return True
        if may_read(read, column):
            return True
        if column is Column.RENEWAL:
            self.wrong(clause, "E1203", span, f"a `renewal` gap reads constants and draws, and not `{name}(…)`")
        elif read is Read.WORK:
            why = "a gauge is constant between events" if column is Column.GAUGE else "an engine waits for the next event, and the clock moving is none"
            self.wrong(clause, "E608", span, f"`work(…)` moves with the clock and cannot be read in {clause.said}: {why}")
        elif read is Read.BUDGET_LEFT:
            self.wrong(
                clause,
                "E610",
                span,
                f"`budget_left(…)` plans an iteration and cannot be read in {clause.said}",
                suggestion="read it in a hold's header or in `taking`",
            )
        elif read is Read.CACHEDIN:
            self.wrong(clause, "E611", span, f"`cachedin(…)` is of a session's own prefix, and in {clause.said} there is no session")
        else:
            self.wrong(
                clause,
                "E1207",
                span,
                f"`{name}(…)` reads the deployment as it stands, which {clause.said} does not: it is read in {where_read(TABLE[read])}",
            )
        return False

    def _fixed_member(self, ref: syntax.Ref, clause: Clause) -> bool:
        """A gauge or a claim names a member by a number (E612)."""
        if clause.column not in (Column.GAUGE, Column.ITERATION) or ref.index is None:
            return True
        if self.constants.maybe(ref.index, self.indices) is not None:
            return True
        self.findings.error(
            "E612",
            ref.index.span,
            f"{clause.said} names a member of `{ref.text}` by a number",
            suggestion="a number, or `max k in N (…)` over all of them",
        )
        return False

    def _observed(self, e: syntax.CallExpr, name: str, ref: syntax.Ref, clause: Clause) -> ir.Expr:
        index = self.model.observes.get(ref.text)
        if index is None:
            self.findings.error(
                "E615", ref.span, f"`{name}({ref.text})`: the program observes no `{ref.text}`", suggestion=hint(ref.text, self.model.observes)
            )
            return POISON
        if not may_read(Read.OBSERVED, clause.column):
            return self.wrong(
                clause, "E615", e.ref.span, f"`{name}(…)` is of the whole run's observations and is read only in a claim `at end`"
            )
        return ir.Agg(AGGREGATES[name], index)

    def _blocksize(self, ref: syntax.Ref, clause: Clause) -> ir.Expr:
        """``blocksize(p)`` is the number itself (L9.7)."""
        family = pool_of(self, ref)
        if family is None:
            return POISON
        if not may_read(Read.BLOCKSIZE, clause.column):
            return self.wrong(clause, "E1203", ref.span, "a `renewal` gap reads constants and draws, and not `blocksize(…)`")
        if family.block is None:
            self.findings.error(
                "E510",
                ref.span,
                f"pool `{family.name}` has no `block`, so it has no block size",
                Note("it is declared here", family.span),
                suggestion="block n;  in the pool",
            )
            return POISON
        return ir.Num(family.block)

    def _cost(self, e: syntax.CallExpr, clause: Clause) -> ir.Expr:
        """``cost(R, …, e)``: a number typed as a cost of the resources named (L7.10)."""
        args = [a for a in e.args if not isinstance(a, syntax.String | syntax.Named)]
        if len(args) < 2 or len(args) != len(e.args):
            self.findings.error(
                "E1106", e.ref.span, "a cost is of a resource: the pools or stages come first, then the amount", suggestion="cost(R, e)"
            )
            return POISON
        targets: list[ir.PoolTarget | ir.StageTarget] = []
        for arg in args[:-1]:
            if not isinstance(arg, syntax.NameExpr):
                self.findings.error("E1106", arg.span, "a pool or a stage is named here, and the amount comes last", suggestion="cost(R, e)")
                return POISON
            target = self.target(arg.ref, clause)
            if target is None:
                return POISON
            targets.append(target)
        return ir.Cost(joined(targets), self.value(args[-1], clause))

    def target(self, ref: syntax.Ref, clause: Clause) -> ir.PoolTarget | ir.StageTarget | None:
        """What a cost is of; an index is checked and is no part of the type (L7.10)."""
        pool, stage = self.model.pools.get(ref.text), self.model.stages.get(ref.text)
        family: Pool | Stage | None = pool or stage
        if family is None:
            self.findings.error(
                "E502", ref.span, f"there is no pool and no stage `{ref.text}`", suggestion=hint(ref.text, [*self.model.pools, *self.model.stages])
            )
            return None
        if ref.index is not None:
            if draws(ref.index):
                self.findings.error(
                    "E603", ref.span, "the index of a cost's resource cannot draw", suggestion="`set` an attribute to the draw and read that"
                )
                return None
            if member(self, ref, family, clause) is None:
                return None
        return ir.PoolTarget(family.base, family.count) if pool is not None else ir.StageTarget(family.base, family.count)


def joined(targets: list[ir.PoolTarget | ir.StageTarget]) -> ir.Target:
    """One cost's target: the resources once each, pools before stages, by base (L7.10)."""
    distinct = sorted(set(targets), key=lambda t: (isinstance(t, ir.StageTarget), t.base))
    return distinct[0] if len(distinct) == 1 else ir.Joint(tuple(distinct))


def draws(e: syntax.Node) -> bool:
    """Whether an expression draws anywhere."""
    return any(isinstance(n, syntax.Draw) for n in walk(e))


def _article(word: str) -> str:
    return f"an {word.lower()}" if word[0] in "AEIOU" else f"a {word.lower()}"


_LOWER: dict[type, Callable[[Reader, Any, Clause], ir.Expr]] = {
    syntax.Number: Reader._number,
    syntax.NameExpr: Reader._name,
    syntax.Unary: Reader._unary,
    syntax.Binary: Reader._binary,
    syntax.Conditional: Reader._conditional,
    syntax.Draw: Reader._draw,
    syntax.CallExpr: Reader._call,
    syntax.Over: Reader._over,
}
