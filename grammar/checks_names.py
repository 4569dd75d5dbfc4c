"""One name for one thing, once every attribute, observation and register is known (L3.5, L5.9, L6.6); knows no IR."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from grammar import syntax
from grammar.attributes import Assigned, assigned, blocks
from grammar.bodies import assignments
from grammar.constants import Constants
from grammar.diagnostics import Note
from grammar.findings import Findings
from grammar.holds import BoundSet
from grammar.names import BUILT_IN, RETIRED, SCHEDULER_SET, SUPPLIED
from grammar.scopes import Engine, Model
from grammar.source import Span
from grammar.values import values_read
from grammar.vocabulary import RETIRED_TODAY


def check_attributes(findings: Findings, model: Model, constants: Constants, found: Assigned) -> None:
    """No attribute bears the name of anything else (E311, E312)."""
    for side in (found.workload, found.server):
        for name, span in side.items():
            if "." not in name:
                _check(findings, model, constants, name, span, "attribute")
    for name, span in found.workload.items():
        if name in SCHEDULER_SET:
            findings.error(
                "E1103", span, f"`{name}` is set by the scheduler, and the workload cannot set it", suggestion="set another name"
            )
    for name, span in found.observes.items():
        _check(findings, model, constants, name, span, "observation")
        where = found.workload.get(name) or found.server.get(name)
        if where is not None or name in BUILT_IN:
            note = () if where is None else (Note("the attribute is set here", where),)
            findings.error(
                "E311",
                span,
                f"`{name}` is an attribute already and cannot name an observation",
                *note,
                suggestion="rename one of them",
            )


def _check(findings: Findings, model: Model, constants: Constants, name: str, span: Span, kind: str) -> None:
    article = f"an {kind}"
    if name in SUPPLIED:
        findings.error("E312", span, f"`{name}` is a name the language supplies and cannot name {article}", suggestion="rename it")
        return
    if name in RETIRED and kind == "attribute":
        findings.error("E416", span, f"`{name}` is a retired word and names nothing: today it is `{RETIRED_TODAY[name]}`")
        return
    taken = model.declared.get(name)
    if taken is None:
        return
    other, where = taken
    code = "E1204" if other in ("gauge", "claim") and kind == "observation" else "E414" if other == "definition" else "E311"
    later, first = (span, where) if (span.line, span.column) > (where.line, where.column) else (where, span)
    said = "is set" if kind == "attribute" else "is observed"
    findings.error(
        code,
        later,
        f"`{name}` is a {other} and also {article}: a name stands for one thing",
        Note(f"it {said} here" if later is where else f"the {other} is declared here", first),
        suggestion="rename one of them",
    )


def check_bindings(
    findings: Findings, model: Model, constants: Constants, bound: Mapping[str, Span], found: Assigned, own: set[str]
) -> None:
    """A binding's name is nobody else's (E1009); ``own`` are the names plain statements assign."""
    for name, span in bound.items():
        if name in SUPPLIED:
            findings.error(
                "E312", span, f"`{name}` is a name the language supplies and cannot name a binding", suggestion="rename it"
            )
            continue
        taken = model.declared.get(name)
        what = None
        note: tuple[Note, ...] = ()
        if name in constants.values:
            what, note = "a constant", (Note("the constant is declared here", constants.where[name]),)
        elif name in BUILT_IN:
            what = "a built-in attribute"
        elif name in own:
            where = found.workload.get(name) or found.server.get(name)
            what, note = "an attribute the program sets", () if where is None else (Note("it is set here", where),)
        elif taken is not None:
            what, note = f"a {taken[0]}", (Note("it is declared here", taken[1]),)
        if what is not None:
            findings.error("E1009", span, f"`{name}` is {what} and cannot name a binding", *note, suggestion="rename the binding")


def check_registers(findings: Findings, model: Model, constants: Constants, found: Assigned, engines: Iterable[Engine]) -> None:
    """A register's name is unlike that of every attribute, constant, pool, stage and other register (E913)."""
    first: dict[str, Span] = {}
    for engine in engines:
        for item in engine.decl.items:
            if isinstance(item, syntax.StateDecl) and not (engine.size is not None and engine.size > 1):
                _register(findings, model, constants, found, item.name, first)
                first.setdefault(item.name.text, item.name.span)


def _register(
    findings: Findings, model: Model, constants: Constants, found: Assigned, name: syntax.Name, first: Mapping[str, Span]
) -> None:
    text = name.text
    where = found.workload.get(text) or found.server.get(text)
    note: tuple[Note, ...] = ()
    if text in first:
        what, note = "a register already", (Note("the first is here", first[text]),)
    elif text in SUPPLIED:
        what = "a name the language supplies"
    elif text in BUILT_IN:
        what = "a built-in attribute"
    elif text in constants.values:
        what, note = "a constant", (Note("the constant is declared here", constants.where[text]),)
    elif where is not None:
        what, note = "an attribute", (Note("it is set here", where),)
    elif text in model.pools or text in model.stages:
        family = model.pools.get(text) or model.stages[text]
        what, note = "a pool" if text in model.pools else "a stage", (Note("it is declared here", family.span),)
    else:
        return
    findings.error("E913", name.span, f"`{text}` is {what} and cannot name a register", *note, suggestion="rename the register")


def check_records(
    findings: Findings, model: Model, constants: Constants, statements: Iterable[syntax.Statement], scalars: set[str]
) -> None:
    """A composite cost has families as its fields, each once, and is declared alike each time (L7.15, E1131).

    Args:
        findings: where errors are told.
        model: the program's names.
        constants: its constants.
        statements: every statement, calls written out.
        scalars: the names that other statements assign.
    """
    first: dict[str, syntax.CostRecord] = {}
    for node in every(statements):
        if not isinstance(node, syntax.CostRecord):
            continue
        name = node.name.text
        _record_fields(findings, node)
        before = first.setdefault(name, node)
        if [r.text for r, _ in before.fields] != [r.text for r, _ in node.fields]:
            findings.error(
                "E1131",
                node.name.span,
                f"the composite cost `{name}` is declared again with other fields, or in another order",
                Note("the first is here", before.name.span),
            )
        elif name in scalars or name in constants.values or name in model.declared:
            findings.error(
                "E1131", node.name.span, f"`{name}` is a composite cost here and a plain name elsewhere", suggestion="rename it"
            )


def _record_fields(findings: Findings, node: syntax.CostRecord) -> None:
    seen: dict[str, Span] = {}
    for ref, _ in node.fields:
        if ref.index is not None:
            findings.error("E1131", ref.span, "a composite cost names families, without an index", suggestion=ref.text)
        elif ref.text in seen:
            findings.error(
                "E1131",
                ref.span,
                f"the composite cost `{node.name.text}` names `{ref.text}` twice",
                Note("the first is here", seen[ref.text]),
            )
        seen.setdefault(ref.text, ref.span)


def every(statements: Iterable[syntax.Statement]) -> Iterable[syntax.Statement]:
    """The statements and all in their blocks, in order."""
    for node in statements:
        yield node
        for block in blocks(node):
            yield from every(block.statements)


def plainly_assigned(statements: Iterable[syntax.Statement]) -> set[str]:
    """The names that statements assign other than by a binding put at the top of its hold."""
    return {name.text for node in every(statements) if not isinstance(node, BoundSet) for name in assigned(node)}


def check_scopes_of_bindings(
    findings: Findings, statements: Iterable[syntax.Statement], bound: Mapping[str, Span], scope: frozenset[str] = frozenset()
) -> None:
    """A binding is read only in the hold that binds it (L7.24)."""
    here = scope
    for node in statements:
        if isinstance(node, BoundSet):
            here = here | {node.name.text}
        inner = tuple(blocks(node))
        for read in values_read(_without_blocks(node)):
            if read.text in bound and read.text not in here:
                _outside(findings, read, bound)
        for block in inner:
            check_scopes_of_bindings(findings, block.statements, bound, here)


def check_declared_reads(findings: Findings, nodes: Iterable[syntax.Node], bound: Mapping[str, Span]) -> None:
    """What stands outside every hold reads no binding (L7.24)."""
    for node in nodes:
        for read in values_read(node):
            if read.text in bound:
                _outside(findings, read, bound)


def _outside(findings: Findings, read: syntax.Ref, bound: Mapping[str, Span]) -> None:
    findings.error(
        "E1027",
        bound[read.text],
        f"`{read.text}` is bound for one hold and read outside it",
        Note("it is read here", read.span),
        suggestion="`set` a name in the hold and read that",
    )


def _without_blocks(node: syntax.Statement) -> syntax.Node:
    empty = {f: syntax.Block(node.span, ()) for f in ("body", "then", "orelse") if isinstance(getattr(node, f, None), syntax.Block)}
    return replace(node, **empty) if empty else node  # type: ignore[arg-type]


def check_privacy(findings: Findings, engines: Iterable[Engine], text: Iterable[tuple[str, syntax.Node]]) -> None:
    """What a request sets or binds is its own: nobody else reads or sets it (E1027).

    Args:
        findings: where errors are told.
        engines: the engines, whose ``privates`` are known.
        text: every other piece of the program that has statements, with the engine it is the request of, if any.
    """
    owner: dict[str, Engine] = {}
    for engine in engines:
        for name, span in engine.privates.items():
            if name in owner:
                findings.error(
                    "E1027",
                    span,
                    f"`{name}` is set by the requests of `{owner[name].name}` and of `{engine.name}`: each has names of its own",
                    Note("the other is here", owner[name].privates[name]),
                    suggestion="rename one of them",
                )
            owner.setdefault(name, engine)
    if not owner:
        return
    for of, node in text:
        for read in values_read(node):
            mine = owner.get(read.text)
            if mine is not None and mine.name != of:
                _private(findings, read.text, mine, read.span, "read")
        for target in assignments(node):
            mine = owner.get(target.text)
            if mine is not None and mine.name != of:
                _private(findings, target.text, mine, target.span, "set")


def _private(findings: Findings, name: str, engine: Engine, span: Span, done: str) -> None:
    findings.error(
        "E1027",
        span,
        f"`{name}` belongs to the request of engine `{engine.name}` and cannot be {done} outside it",
        Note("the request sets it here", engine.privates[name]),
        suggestion="rename it here, or `mark` a moment in the request and read that",
    )
