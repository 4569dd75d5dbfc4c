"""Lowers calls in expressions: functions, ``blocksize`` and ``cost``, each where it may be read (L9.7, L7.10)."""

from __future__ import annotations

from grammar import ir, syntax
from grammar.diagnostics import Note
from grammar.findings import are_given, hint
from grammar.homes import FUNCTION_FORMS
from grammar.names import DISTRIBUTIONS, FUNCTIONS
from grammar.reader import POISON, Reader, draws, joined
from grammar.reads import FUNCTION_READ, TABLE, Clause, Column, Read, may_read, where_read
from grammar.references import member, pool_of, pool_ref, stage_of
from grammar.scopes import Pool, Stage
from grammar.vocabulary import AGGREGATES, POOL_FUNCTIONS, PURE_FUNCTIONS, RETIRED_TODAY, STAGE_FUNCTIONS


def call(reader: Reader, e: syntax.CallExpr, clause: Clause) -> ir.Expr:
    """A call: of a function, or a cost; definitions are put in place before."""
    name = e.ref.text
    if len(e.ref.names) > 1 or e.ref.index is not None:
        return _no_function(reader, e, clause)
    if name == "cost":
        return _cost(reader, e, clause)
    if name in PURE_FUNCTIONS:
        return _pure(reader, e, name, clause)
    if name in STAGE_FUNCTIONS or name in POOL_FUNCTIONS or name in AGGREGATES or name == "blocksize":
        return _function(reader, e, name, clause)
    return _no_function(reader, e, clause)


def _no_function(reader: Reader, e: syntax.CallExpr, clause: Clause) -> ir.Expr:
    name = e.ref.text
    for device in reader.model.devices.values():
        if name in device.times and len(e.ref.names) == 1:
            reader.findings.error(
                "E616",
                e.ref.span,
                f"`{name}` is a time resource of device `{device.decl.name.text}`, read only in the `execute` of the engine on it",
                Note("it is declared here", device.times[name].name.span),
            )
            return POISON
    if name in RETIRED_TODAY:
        reader.findings.error(
            "E416", e.ref.span, f"`{name}` is written `{RETIRED_TODAY[name]}` today", suggestion=RETIRED_TODAY[name]
        )
        return POISON
    drawn = f"a draw is written `~{name}(…)`" if name in DISTRIBUTIONS else FUNCTION_FORMS.get(name)
    reader.findings.error(
        "E415",
        e.ref.span,
        f"there is no function and no definition `{name}`",
        suggestion=drawn or hint(name, _callable(reader, clause)),
    )
    return POISON


def _callable(reader: Reader, clause: Clause) -> list[str]:
    """What an expression may call: functions, definitions, and in ``execute`` the device's time resources."""
    definitions = [name for name, (kind, _) in reader.model.declared.items() if kind == "definition"]
    times = clause.engine.device.times if clause.column is Column.EXECUTE and clause.engine is not None else ()
    return [*FUNCTIONS, "cost", *definitions, *times]


def _arguments(reader: Reader, e: syntax.CallExpr, counts: tuple[int, ...], usage: str) -> tuple[syntax.Expr, ...] | None:
    args = [a for a in e.args if not isinstance(a, syntax.String | syntax.Named)]
    if len(args) == len(e.args) and len(args) in counts:
        return tuple(args)
    reader.findings.error(
        "E507", e.ref.span, f"`{e.ref.text}` is written `{usage}`, and {are_given(len(e.args))}", suggestion=usage
    )
    return None


def _pure(reader: Reader, e: syntax.CallExpr, name: str, clause: Clause) -> ir.Expr:
    if name == "floor" and len(e.args) == 2:
        return _floor_to(reader, e, clause)
    two = name in ("min", "max")
    usage = f"{name}(a, b)" if two else "floor(x)` or `floor(x, step)" if name == "floor" else f"{name}(x)"
    args = _arguments(reader, e, (2,) if two else (1,), usage)
    if args is None:
        return POISON
    return ir.Call(PURE_FUNCTIONS[name], tuple(reader.value(a, clause) for a in args))


def _floor_to(reader: Reader, e: syntax.CallExpr, clause: Clause) -> ir.Expr:
    """``floor(x, step)`` is ``floor(x / step) * step`` written out, so the step is read twice (L9.7)."""
    args = _arguments(reader, e, (2,), "floor(x, step)")
    if args is None:
        return POISON
    what, step = args
    if draws(step):
        reader.findings.error(
            "E517",
            e.ref.span,
            "the step of `floor` is read twice, and this one draws: it would be two numbers",
            Note("the draw is here", step.span),
            suggestion="`set` a name to the draw first",
        )
        return POISON
    quotient = ir.Binary("Div", reader.value(what, clause), reader.value(step, clause))
    return ir.Binary("Mul", ir.Call("Floor", (quotient,)), reader.value(step, clause))


def _function(reader: Reader, e: syntax.CallExpr, name: str, clause: Clause) -> ir.Expr:
    """A function of a pool, a stage or an observation (L9.7)."""
    of = "POOL" if name in POOL_FUNCTIONS or name == "blocksize" else "OBSERVATION" if name in AGGREGATES else "STAGE"
    if name == "budget_left":
        of = "ENGINE"
    price = name == "price"
    usage = f"{name}({of}, hit, extra)" if price else f"{name}({of})"
    args = _arguments(reader, e, (3,) if price else (1,), usage)
    if args is None:
        return POISON
    first = args[0]
    if not isinstance(first, syntax.NameExpr) or first.grouped:
        given = f"`({first.ref.text})`" if isinstance(first, syntax.NameExpr) else "an expression"
        reader.findings.error(
            "E508", e.ref.span, f"`{name}` takes the name of {_article(of)}, and {given} is given", suggestion=usage
        )
        return POISON
    if name in AGGREGATES:
        return _observed(reader, e, name, first.ref, clause)
    if name == "blocksize":
        return _blocksize(reader, first.ref, clause)
    if not _fixed_member(reader, first.ref, clause):
        return POISON
    ref = pool_ref(reader, first.ref, clause) if name in POOL_FUNCTIONS else _stage_argument(reader, name, first.ref, clause)
    if ref is None:
        return POISON
    if not _may_call(reader, e, name, first.ref, clause):
        return POISON
    if name in POOL_FUNCTIONS:
        return ir.Call(POOL_FUNCTIONS[name], (ir.PoolArg(ref),))
    rest = tuple(reader.value(a, clause) for a in args[1:])
    return ir.Call(STAGE_FUNCTIONS[name], (ir.StageArg(ref), *rest))


def _stage_argument(reader: Reader, name: str, ref: syntax.Ref, clause: Clause) -> ir.Ref | None:
    family = stage_of(reader, ref)
    if family is None:
        return None
    if clause.column in (Column.GAUGE, Column.ITERATION) and (
        family.role == "latency" or (family.role == "nic" and family.indexed)
    ):
        reader.findings.error(
            "E502", ref.names[-1].span if family.role == "nic" else ref.span, f"`{ref.text}` cannot be named in {clause.said}"
        )
        return None
    return member(reader, ref, family, clause)


def _may_call(reader: Reader, e: syntax.CallExpr, name: str, ref: syntax.Ref, clause: Clause) -> bool:
    """Whether the table lets a function stand here (L10.1), and the engine of ``budget_left`` (L10.3)."""
    read = FUNCTION_READ[name]
    span = e.ref.span
    column = clause.column
    if name == "budget_left":
        stage = reader.model.stages[ref.text]
        if stage.engine is None:
            reader.wrong(
                clause,
                "E610",
                span,
                f"`budget_left` is of an engine, and `{ref.text}` is a plain stage",
                *reader.model.note_of(ref.text),
            )
            return False
        if column is Column.SCHEDULE and stage.engine is not clause.engine:
            return True
    if may_read(read, column):
        return True
    if column is Column.RENEWAL:
        reader.wrong(clause, "E1203", span, f"a `renewal` gap reads constants and draws, and not `{name}(…)`")
    elif read is Read.WORK:
        why = (
            "a gauge is constant between events"
            if column is Column.GAUGE
            else "an engine waits for the next event, and the clock moving is none"
        )
        reader.wrong(clause, "E608", span, f"`work(…)` moves with the clock and cannot be read in {clause.said}: {why}")
    elif read is Read.BUDGET_LEFT:
        reader.wrong(
            clause,
            "E610",
            span,
            f"`budget_left(…)` plans an iteration and cannot be read in {clause.said}",
            suggestion="read it in a hold's header or in `taking`",
        )
    elif read is Read.CACHEDIN:
        reader.wrong(clause, "E611", span, f"`cachedin(…)` is of a session's own prefix, and in {clause.said} there is no session")
    else:
        reader.wrong(
            clause,
            "E1207",
            span,
            f"`{name}(…)` reads the deployment as it stands, which {clause.said} does not: it is read in {where_read(TABLE[read])}",
        )
    return False


def _fixed_member(reader: Reader, ref: syntax.Ref, clause: Clause) -> bool:
    """A gauge or a claim names a member by a number (E612)."""
    if clause.column not in (Column.GAUGE, Column.ITERATION) or ref.index is None:
        return True
    if reader.constants.maybe(ref.index, reader.indices) is not None or _is_block_size(ref.index):
        return True
    reader.findings.error(
        "E612",
        ref.index.span,
        f"{clause.said} names a member of `{ref.text}` by a number",
        suggestion="a number, or `max k in N (…)` over all of them",
    )
    return False


def _is_block_size(index: syntax.Expr) -> bool:
    """``blocksize(p)`` is a number too, though no constant to write elsewhere."""
    return isinstance(index, syntax.CallExpr) and index.ref.text == "blocksize"


def _observed(reader: Reader, e: syntax.CallExpr, name: str, ref: syntax.Ref, clause: Clause) -> ir.Expr:
    index = reader.model.observes.get(ref.text)
    if index is None:
        reader.findings.error(
            "E615",
            ref.span,
            f"`{name}({ref.text})`: the program observes no `{ref.text}`",
            suggestion=hint(ref.text, reader.model.observes),
        )
        return POISON
    if not may_read(Read.OBSERVED, clause.column):
        return reader.wrong(
            clause, "E615", e.ref.span, f"`{name}(…)` is of the whole run's observations and is read only in a claim `at end`"
        )
    return ir.Agg(AGGREGATES[name], index)


def _blocksize(reader: Reader, ref: syntax.Ref, clause: Clause) -> ir.Expr:
    """``blocksize(p)`` is the number itself (L9.7)."""
    family = pool_of(reader, ref)
    if family is None:
        return POISON
    if not may_read(Read.BLOCKSIZE, clause.column):
        return reader.wrong(clause, "E1203", ref.span, "a `renewal` gap reads constants and draws, and not `blocksize(…)`")
    if family.block is None:
        reader.findings.error(
            "E510",
            ref.span,
            f"pool `{family.name}` has no `block`, so it has no block size",
            Note("it is declared here", family.span),
            suggestion="block n;  in the pool",
        )
        return POISON
    return ir.Num(family.block)


def _cost(reader: Reader, e: syntax.CallExpr, clause: Clause) -> ir.Expr:
    """``cost(R, …, e)``: a number typed as a cost of the resources named (L7.10)."""
    args = [a for a in e.args if not isinstance(a, syntax.String | syntax.Named)]
    if len(args) < 2 or len(args) != len(e.args):
        reader.findings.error(
            "E1106", e.ref.span, "a cost is of a resource: the pools or stages come first, then the amount", suggestion="cost(R, e)"
        )
        return POISON
    targets: list[ir.PoolTarget | ir.StageTarget] = []
    for arg in args[:-1]:
        if not isinstance(arg, syntax.NameExpr) or arg.grouped:
            reader.findings.error(
                "E1106", arg.span, "a pool or a stage is named here, and the amount comes last", suggestion="cost(R, e)"
            )
            return POISON
        target = target_of(reader, arg.ref, clause)
        if target is None:
            return POISON
        targets.append(target)
    return ir.Cost(joined(targets), reader.value(args[-1], clause))


def target_of(reader: Reader, ref: syntax.Ref, clause: Clause) -> ir.PoolTarget | ir.StageTarget | None:
    """What a cost is of; an index is checked and is no part of the type (L7.10)."""
    pool, stage = reader.model.pools.get(ref.text), reader.model.stages.get(ref.text)
    family: Pool | Stage | None = pool or stage
    if family is None:
        reader.findings.error(
            "E502",
            ref.span,
            f"there is no pool and no stage `{ref.text}`",
            suggestion=hint(ref.text, [*reader.model.pools, *reader.model.stages]),
        )
        return None
    if ref.index is not None:
        if draws(ref.index):
            reader.findings.error(
                "E603",
                ref.span,
                "the index of a cost's resource cannot draw",
                suggestion="`set` an attribute to the draw and read that",
            )
            return None
        if member(reader, ref, family, clause) is None:
            return None
    return ir.PoolTarget(family.base, family.count) if pool is not None else ir.StageTarget(family.base, family.count)


def _article(word: str) -> str:
    return f"an {word.lower()}" if word[0] in "AEIOU" else f"a {word.lower()}"
