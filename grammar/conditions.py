"""Reads a condition or a watched value: an expression about a run that is looked at, by the tables of the linker.

It reads what a gauge may read (L9.2) and, beyond that, the values of one engine as its clauses call them, the clock and
the counts of a claim. It knows no breakpoint.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from itertools import groupby
from typing import TypeVar

from grammar import ir, syntax
from grammar.constants import Constants
from grammar.declaring import dataclass
from grammar.definitions import Definitions
from grammar.diagnostics import Diagnostic, Note, ProgramError
from grammar.expansion import rebuilt
from grammar.expressions import POISON, Reader
from grammar.findings import Findings, hint, text_order
from grammar.parser import parse_expression
from grammar.reader import LOWER
from grammar.reads import Clause, Column
from grammar.scopes import Model, Pool, Register, Stage
from grammar.source import Source, Span
from grammar.vocabulary import CONTEXT, LISTS

M = TypeVar("M", ir.Pool, ir.Stage)

NAME = "condition"
"""What the typed text is called where a source has a name."""

WORDS = "a condition"

NOWHERE = Span(0, 0, 0, 0)
"""The place of what an IR declares: it has no text."""

_FOR_AUTHORS = ("let ", "`set`")

_FIELDS = {"running": ("count", "decoding", "kv_decode", "kv_prefill"), "waiting": ("count",), "batch": ("tokens", "prefilled")}
_BARE = ("now", "served", "arrived")

ENGINE_VALUES = tuple(f"{name}.{field}" for name, fields in _FIELDS.items() for field in fields)
"""The values of an engine that stand at every moment; the others of L5.17 exist only while an iteration is formed."""

RUN_VALUES = _BARE
"""The clock, the tokens an engine has served so far, the sessions that have arrived so far."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the names of a program stand for.

    Attributes:
        definitions: its definitions, None for an IR, which has none.
    """

    model: Model
    constants: Constants
    definitions: Definitions | None


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition lowered.

    Attributes:
        expr: what it is in the IR.
        of_engine: whether it reads values of the engine it was read for.
    """

    expr: ir.Expr
    of_engine: bool


@dataclass(frozen=True, slots=True)
class _Lowered(syntax.Node):
    """A piece of the tree whose IR is known already."""

    expr: ir.Expr


LOWER[_Lowered] = lambda reader, e, clause: e.expr


def parse_condition(text: str, program: ir.Program, known: Known, engine: int | None) -> Condition:
    """Read an expression about a run of a program.

    Args:
        text: what was typed.
        program: the program.
        known: what its names stand for.
        engine: the stage of the engine whose values ``running.…``, ``waiting.…`` and ``batch.…`` are; None in a program
            without an engine.

    Raises:
        ProgramError: it is no expression, or reads what cannot be read; the places are in ``text``.
    """
    source = Source(NAME, text)
    written = parse_expression(source)
    findings = Findings(source)
    model = replace(known.model, findings=findings)
    if known.definitions is not None:
        definitions = copy(known.definitions)
        definitions.findings = findings
        written = definitions.expression(written)
    values = _Values(findings, model, program, engine)
    tree = values.in_place(written)
    reader = Reader(findings, model, replace(known.constants, findings=findings))
    expr = reader.value(tree, Clause(Column.GAUGE, WORDS))  # type: ignore[arg-type]
    if findings.errors:
        raise ProgramError(tuple(_of_the_text(d) for d in sorted(findings.errors, key=text_order)), source)
    return Condition(expr, values.of_engine)


class _Values:
    """Puts the values of an engine and of the run in place of their names."""

    def __init__(self, findings: Findings, model: Model, program: ir.Program, engine: int | None) -> None:
        self.findings = findings
        self.model = model
        self.program = program
        self.engine = engine
        self.of_engine = False

    def in_place(self, node: syntax.Node) -> syntax.Node:
        """The tree with everything this class knows lowered."""
        if isinstance(node, syntax.NameExpr) and node.ref.index is None:
            names = [name.text for name in node.ref.names]
            if names[0] in LISTS and len(names) > 1:
                return _Lowered(node.span, self._of_engine(node.ref))
            if len(names) > 1 and not self._declared(node.ref) and hint(node.ref.text, ENGINE_VALUES) is not None:
                self.findings.error(
                    "E504", node.ref.span, f"nothing is called `{node.ref.text}`", suggestion=hint(node.ref.text, ENGINE_VALUES)
                )
                return _Lowered(node.span, POISON)
            if len(names) == 1 and names[0] in _BARE:
                self.of_engine |= names[0] == "served"
                return _Lowered(node.span, ir.Ctx(CONTEXT[names[0]]))
        if isinstance(node, syntax.CallExpr) and node.ref.text == "budget_left":
            self.findings.error("E610", node.ref.span, f"`budget_left(…)` plans an iteration and cannot be read in {WORDS}")
            return _Lowered(node.span, POISON)
        return rebuilt(node, self.in_place)

    def _declared(self, ref: syntax.Ref) -> bool:
        return ref.text in self.model.attributes or ref.text in self.model.pools or ref.text in self.model.stages

    def _of_engine(self, ref: syntax.Ref) -> ir.Expr:
        name, field = ref.names[0].text, ref.names[-1].text
        fields = _FIELDS[name]
        if len(ref.names) > 2 or field not in fields:
            there = ", ".join(f"`{name}.{f}`" for f in fields)
            why = "exists only while an iteration is formed" if field in LISTS[name] else "is nothing"
            self.findings.error(
                "E606" if field in LISTS[name] else "E605",
                ref.names[-1].span,
                f"`{ref.text}` {why}; {WORDS} reads {there}",
                suggestion=hint(field, fields),
            )
            return POISON
        if self.engine is None:
            self.findings.error("E604", ref.span, f"`{ref.text}` is of an engine, and this program has none")
            return POISON
        self.of_engine = True
        return self._waiting_count(self.engine) if name == "waiting" else ir.Ctx(LISTS[name][field])

    def _waiting_count(self, engine: int) -> ir.Expr:
        """The queues the engine admits, added in the order of their pools (L5.20)."""
        total: ir.Expr | None = None
        for index, pool in enumerate(self.program.pools):
            if pool.admit_via == engine:
                term = ir.Call("Queued", (ir.PoolArg(ir.Ref(index)),))
                total = term if total is None else ir.Binary("Add", total, term)
        return ir.Num(0.0) if total is None else total


def known_of(program: ir.Program) -> Known:
    """What the names of an IR stand for: its pools, stages and registers; its text, and so its constants, is gone."""
    findings = Findings(Source(NAME, ""))
    model = Model(findings)
    for pool, base, count in _families(program.pools):
        family = Pool(pool.name, base, count, pool.index is not None, NOWHERE, 0, cap=pool.cap, block=pool.block)
        model.pools.setdefault(pool.name, family)
    for stage, base, count in _families(program.stages):
        model.stages.setdefault(stage.name, Stage(stage.name, base, count, stage.index is not None, NOWHERE, 0))
    for index, register in enumerate(program.registers):
        # A condition reads a register whatever engine it is of, so nothing asks for that.
        model.registers.setdefault(register.name, Register(register.name, None, index, NOWHERE))  # type: ignore[arg-type]
    model.attributes.update((name, slot) for slot, name in enumerate(program.attrs))
    model.observes.update((name, index) for index, name in enumerate(program.observes))
    return Known(model, Constants(findings), None)


def _families(members: tuple[M, ...]) -> Iterator[tuple[M, int, int]]:
    """The first member of each family with its number and how many there are: neighbours of one name."""
    base = 0
    for _, group in groupby(enumerate(members), key=lambda m: (m[1].name, m[0] if m[1].index is None else -1)):
        family = [member for _, member in group]
        yield family[0], base, len(family)
        base += len(family)


def _of_the_text(found: Diagnostic) -> Diagnostic:
    """A diagnostic whose only place is in the typed text: what is declared in the program is told by its line.

    Advice to declare or to set something is for a program's author, and no answer to who asks about a run.
    """
    notes = []
    for note in found.notes:
        if note.span is None:
            notes.append(note)
        elif note.span.line:
            notes.append(Note(f"{note.message}, in line {note.span.line} of the program"))
    advice = found.suggestion
    if advice is not None and advice.startswith(_FOR_AUTHORS):
        advice = None
    return replace(found, notes=tuple(notes), suggestion=advice)
