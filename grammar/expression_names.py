"""Lowers the names an expression reads, checking that each may be read where it stands (L3.8, L10.1)."""

from __future__ import annotations

import math

from grammar import ir, syntax
from grammar.diagnostics import Note
from grammar.findings import hint
from grammar.homes import FIELD_FORMS, VALUE_FORMS
from grammar.reader import POISON, Reader
from grammar.reads import (
    ENGINE_COLUMNS,
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
from grammar.scopes import Engine
from grammar.source import Span
from grammar.vocabulary import CONTEXT, LISTS, POOL_FUNCTIONS


def name(reader: Reader, e: syntax.NameExpr, clause: Clause) -> ir.Expr:
    """A name read as a value: index, attribute, constant, register, context variable, ``inf``, in this order (L3.8)."""
    ref = e.ref
    text = ref.text
    if len(ref.names) > 1:
        return _dotted(reader, ref, clause)
    if text in reader.indices and ref.index is None:
        return ir.Num(reader.indices[text])
    if ref.index is not None:
        return _not_a_value(reader, ref)
    slot = reader.model.attributes.get(text)
    if slot is not None:
        return _attribute(reader, text, slot, ref.span, clause)
    if text in reader.constants.values:
        return ir.Num(reader.constants.values[text])
    if text in reader.model.registers:
        return _register(reader, text, ref.span, clause)
    if text in CONTEXT:
        return _context(reader, text, ref.span, clause)
    if text == "inf":
        return ir.Num(math.inf)
    if text in clause.lets:
        reader.findings.error(
            "E617",
            ref.span,
            f"`{text}` is a schedule's `let`, whose value is taken as the iteration starts and is read only in `each at most`",
            suggestion=f"def {text}() {{ … }}  for a value read where it stands",
        )
        return POISON
    return _not_a_value(reader, ref)


def _attribute(reader: Reader, text: str, slot: int, span: Span, clause: Clause) -> ir.Expr:
    read = Read.COMPUTED if text == "computed" else Read.HIDDEN if text in reader.model.hidden else Read.ATTRIBUTE
    if may_read(read, clause.column):
        return ir.Attr(slot)
    if text == "computed" and clause.column is Column.PREEMPT:
        return reader.wrong(
            clause,
            "E618",
            span,
            "`computed` is where the request stood at its last preemption; a candidate's place now is `position`",
            suggestion="position",
        )
    if read is Read.HIDDEN and may_read(Read.ATTRIBUTE, clause.column):
        return reader.wrong(
            clause,
            "E613",
            span,
            f"`{text}` is hidden from the scheduler and cannot be read in {clause.said}",
            Note("it is hidden here", reader.model.hidden[text]),
            suggestion="read it in work, `cache`, `set` or `observe`, or predict it by an attribute that is not hidden",
        )
    code = "E1203" if clause.column is Column.RENEWAL else "E602"
    return reader.wrong(
        clause,
        code,
        span,
        f"`{text}` is a session attribute, and in {clause.said} there is no one session to ask",
        suggestion="read a constant, a pool or stage function, or a register",
    )


def _register(reader: Reader, text: str, span: Span, clause: Clause) -> ir.Expr:
    register = reader.model.registers[text]
    free = clause.column in (Column.GAUGE, Column.END)
    if may_read(Read.REGISTER, clause.column) and (free or clause.engine is register.engine):
        return ir.Reg(register.index)
    engine = register.engine.name
    return reader.wrong(
        clause,
        "E614",
        span,
        f"the register `{text}` of engine `{engine}` cannot be read in {clause.said}: it is read in the clauses, "
        f"schedule and iteration claims of `{engine}`, in the keys and the hold headers of the pools it admits, in gauges "
        "and in `at end` claims",
        Note("it is declared here", register.span),
    )


def _context(reader: Reader, text: str, span: Span, clause: Clause) -> ir.Expr:
    read = SUPPLIED_READ[text]
    if may_read(read, clause.column) and text not in NEVER_BARE:
        return ir.Ctx(CONTEXT[text])
    if clause.column in ENGINE_COLUMNS and text in KERNEL_TO_LIST:
        return _kernel_name(reader, text, span, clause)
    if clause.column is Column.RENEWAL:
        return reader.wrong(clause, "E1203", span, f"a `renewal` gap reads constants and draws, and not `{text}`")
    if read is Read.NOW:
        because = {
            Column.GAUGE: "a gauge is constant between events, and the clock is not",
            Column.GIVEN: "`given` is read when the session begins, of its attributes alone",
        }.get(clause.column, "an engine waits for the next event, and the clock moving is none")
        return reader.wrong(clause, "E608", span, f"`now` cannot be read in {clause.said}: {because}")
    columns = frozenset() if text in NEVER_BARE else TABLE[read]
    where = where_read(columns)
    if text in KERNEL_TO_LIST:
        lists = " and ".join(f"`{v}`" for v in KERNEL_TO_LIST[text])
        where += f"; an engine's clauses read it as {lists}"
    return reader.wrong(clause, "E601", span, f"`{text}` is read in {clause.said}, but it exists only in {where}")


def _kernel_name(reader: Reader, text: str, span: Span, clause: Clause) -> ir.Expr:
    fit = [v for v in KERNEL_TO_LIST[text] if clause.column in LIST_TABLE[v]]
    there = f"in {clause.said} it is `{fit[0]}`" if fit else f"{clause.said} does not read it"
    reader.findings.error(
        "E607",
        span,
        f"an engine's clauses read `running.…`, `waiting.…` and `batch.…`, not the bare `{text}`: {there}",
        suggestion=fit[0] if fit else None,
    )
    return POISON


def _not_a_value(reader: Reader, ref: syntax.Ref) -> ir.Expr:
    """A name nothing declares, or one that is no number (E504)."""
    text = ref.text
    model = reader.model
    if text in model.pools or text in model.stages:
        kind = "pool" if text in model.pools else "stage"
        there = [*POOL_FUNCTIONS] if kind == "pool" else ["queue", "busy", "work"]
        reader.findings.error(
            "E504",
            ref.span,
            f"`{text}` is a {kind} and no number; a {kind} is read by {', '.join(f'`{f}({text})`' for f in there)}",
            *model.note_of(text),
        )
        return POISON
    if ref.index is not None:
        reader.findings.error("E504", ref.span, f"`{text}` takes no index: only pools and stages do")
        return POISON
    if text in LISTS:
        fields = ", ".join(f"`{text}.{f}`" for f in LISTS[text])
        reader.findings.error("E504", ref.span, f"`{text}` is read by its fields: {fields}")
        return POISON
    candidates = [*reader.constants.values, *model.attributes, *model.registers, *CONTEXT]
    suggestion = hint(text, candidates)
    notes: tuple[Note, ...] = ()
    if suggestion is not None:
        near = suggestion.split("`")[1]
        span = reader.constants.where.get(near)
        notes = model.note_of(near) if span is None else (Note(f"the constant `{near}` is declared here", span),)
    if text in model.declared and model.declared[text][0] == "definition":
        suggestion = f"{text}(…)"
    elif text.lower() in VALUE_FORMS:
        suggestion, notes = VALUE_FORMS[text.lower()], ()
    reader.findings.error(
        "E504", ref.span, f"nothing is called `{text}`", *notes, suggestion=suggestion or f"let {text} = …;  or `set {text} = …;`"
    )
    return POISON


def _dotted(reader: Reader, ref: syntax.Ref, clause: Clause) -> ir.Expr:
    """A list value, a mark or a local of a queue, a field of a composite cost (L2.11)."""
    first, text = ref.names[0].text, ref.text
    if first in LISTS and ref.index is None:
        return _list_value(reader, ref, clause)
    model = reader.model
    slot = model.attributes.get(text)
    if slot is not None and ref.index is None:
        return _attribute(reader, text, slot, ref.span, clause)
    if slot is not None:
        reader.findings.error("E1318", ref.span, f"`{text}` is the request's and no member's", suggestion=text)
        return POISON
    if text in model.pools or text in model.stages:
        return _not_a_value(reader, ref)
    if first == "self":
        reader.findings.error("E504", ref.span, "`self` is a member's number and has no fields")
        return POISON
    known = [a for a in model.attributes if a.startswith(f"{first}.")]
    there = ", ".join(f"`{a}`" for a in known) or "none"
    if first in model.engines or first in model.queues:
        what = "marks" if first in model.engines else "marks and names of its entries"
        reader.findings.error(
            "E1020",
            ref.span,
            f"`{first}` marks no `{ref.names[-1].text}`; the {what} are: {there}",
            *model.note_of(first),
            suggestion=hint(text, known) or "a name a request sets is its own: `mark` a moment, or pass the value in",
        )
    elif known:
        reader.findings.error(
            "E504",
            ref.span,
            f"the composite cost `{first}` has no field `{ref.names[-1].text}`; its fields are: {there}",
            suggestion=hint(text, known),
        )
    else:
        lists = (f"{values}.{field}" for values in LISTS for field in LISTS[values])
        reader.findings.error("E504", ref.span, f"nothing is called `{text}`", suggestion=hint(text, [*model.attributes, *lists]))
    return POISON


def _list_value(reader: Reader, ref: syntax.Ref, clause: Clause) -> ir.Expr:
    """``running.…``, ``waiting.…`` and ``batch.…`` (L5.17)."""
    name = ref.names[0].text
    if clause.column not in ENGINE_COLUMNS:
        bare = ""
        kernel = None
        if clause.column is Column.ITERATION:
            bare = "; a claim over iterations reads the bare names `tokens`, `residents`, `decoders` and so on"
            named = (k for k, values in KERNEL_TO_LIST.items() if ref.text in values and k not in NEVER_BARE)
            kernel = next(named, None)
        elif clause.column is Column.HEADER:
            bare = "; a hold's header is read at admission"
        reader.findings.error(
            "E604",
            ref.span,
            f"`{name}.…` is read in an engine's `tokens cap`, schedule and `execute`, and not in {clause.said}{bare}",
            suggestion=kernel,
        )
        return POISON
    fields = LISTS[name]
    field = ref.names[1]
    if len(ref.names) > 2 or field.text not in fields:
        reader.findings.error(
            "E605",
            field.span,
            f"`{name}` has no `{field.text}`; it has {', '.join(f'`{name}.{f}`' for f in fields)}",
            suggestion=hint(field.text, fields) or _meant_field(field.text, name),
        )
        return POISON
    value = f"{name}.{field.text}"
    if clause.column not in LIST_TABLE[value]:
        return _wrong_list_value(reader, ref, value, clause)
    if value == "waiting.count":
        return _waiting_count(reader, clause.engine)
    return ir.Ctx(fields[field.text])


def _meant_field(field: str, name: str) -> str | None:
    """What another list, or another language, calls a field by a name that this list does not have."""
    meant = FIELD_FORMS.get(field, field)
    lists = [name, *(other for other in LISTS if other != name)]
    return next((f"{other}.{meant}" for other in lists if meant in LISTS[other]), None)


def _wrong_list_value(reader: Reader, ref: syntax.Ref, value: str, clause: Clause) -> ir.Expr:
    name, _, field = value.partition(".")
    if clause.column is Column.EXECUTE and name == "running":
        why, instead = "`execute` is read for the batch that was formed, not for all running requests", f"batch.{field}"
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
    reader.findings.error(
        "E606",
        ref.span,
        f"`{value}` cannot be read in {clause.said}: {why}; it is read in {where_read(LIST_TABLE[value])}",
        suggestion=instead or None,
    )
    return POISON


def _waiting_count(reader: Reader, engine: Engine | None) -> ir.Expr:
    """``waiting.count``: the queues the engine admits, added in the order their pools are declared (L5.20)."""
    assert engine is not None
    if engine.size is not None:
        reader.findings.error(
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
