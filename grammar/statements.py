"""Lowers statements to the blocks of the IR (L11.3, L11.9); knows nothing of how calls were written out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from grammar import ir, syntax
from grammar.attributes import field_of
from grammar.constants import Constants
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.expansion import plain
from grammar.expression_calls import target_of
from grammar.expressions import Reader, joined
from grammar.findings import Findings
from grammar.reads import Clause, Column
from grammar.references import pool_ref, stage_ref
from grammar.scopes import Model
from grammar.source import Span


@dataclass(slots=True)
class Lowered:
    """The blocks of a program, and for each statement the syntax it comes from.

    ``origins`` is keyed like the source map: by block and index.
    """

    blocks: list[tuple[ir.Statement, ...]] = field(default_factory=list)
    sides: list[tuple[ir.Side, ...]] = field(default_factory=list)
    origins: dict[tuple[int, int], syntax.Statement] = field(default_factory=dict)

    def place(self, block: int, index: int) -> ir.Place:
        """Where a statement stands in the text."""
        span = plain(self.origins[block, index].span)
        return ir.Place(span.line, span.column, span.end_line, span.end_column)


@dataclass(slots=True)
class Statements:
    """Lowers blocks, numbering each when the statement that holds it is reached (L11.3)."""

    model: Model
    findings: Findings
    constants: Constants
    reader: Reader
    server: Sequence[syntax.Statement]
    lowered: Lowered = field(default_factory=Lowered)

    def block(self, statements: Sequence[syntax.Statement], side: ir.Side, *, session: Span | None = None) -> int:
        """Lower a block.

        Args:
            statements: its statements, every call written out.
            side: whose they are.
            session: the session's own place, for the block that ends with the session (L11.3).

        Returns:
            the block's number.
        """
        number = len(self.lowered.blocks)
        self.lowered.blocks.append(())
        self.lowered.sides.append(())
        out = _Out(number, self.lowered, [], [])
        for node in statements:
            self._statement(node, side, out)
        if session is not None and not (out.statements and isinstance(out.statements[-1], ir.End)):
            out.add(ir.End(), side, syntax.End(session))
        self.lowered.blocks[number] = tuple(out.statements)
        self.lowered.sides[number] = tuple(out.sides)
        return number

    def _statement(self, node: syntax.Statement, side: ir.Side, out: _Out) -> None:
        if isinstance(node, syntax.Turn):
            out.add(ir.Turn(), side, node)
            for inner in self.server:
                self._statement(inner, "Server", out)
        elif isinstance(node, syntax.CostRecord):
            for statement in self._record(node):
                out.add(statement, side, node)
        else:
            lowered = self._lower(node, side)
            if lowered is not None:
                out.add(lowered, side, node)

    def _lower(self, node: syntax.Statement, side: ir.Side) -> ir.Statement | None:
        """One statement; None after an error in what it names."""
        plainly = Clause(Column.STATEMENT)
        value = self.reader.value
        if isinstance(node, syntax.Set | syntax.SizeDecl | syntax.CostDecl):
            return ir.Set(self.model.attributes[node.name.text], value(node.value, plainly))
        if isinstance(node, syntax.Observe):
            return ir.Observe(self.model.observes[node.name.text], value(node.value, plainly))
        if isinstance(node, syntax.End):
            return ir.End()
        if isinstance(node, syntax.Join):
            return ir.Join()
        if isinstance(node, syntax.Hold):
            return self._hold(node, side)
        if isinstance(node, syntax.Run):
            return self._run(node)
        if isinstance(node, syntax.Branch):
            guard = value(node.guard, plainly)
            then = self.block(node.then.statements, side)
            orelse = self.block(() if node.orelse is None else node.orelse.statements, side)
            return ir.Branch(guard, then, orelse)
        if isinstance(node, syntax.While):
            return ir.While(value(node.guard, plainly), self.block(node.body.statements, side))
        if isinstance(node, syntax.Loop):
            return ir.Loop(self.block(node.body.statements, side))
        if isinstance(node, syntax.Fork):
            return ir.Fork(self.block(node.body.statements, side))
        if isinstance(node, syntax.Choose):
            count = value(node.count, plainly)
            return ir.Choose(self.model.attributes[node.var.text], count, tuple(value(k, plainly) for k in node.keys))
        return self._pool_statement(node)

    def _pool_statement(self, node: syntax.Statement) -> ir.Statement | None:
        """``grow``, ``drop``, ``release`` and ``load``."""
        assert isinstance(node, syntax.Grow | syntax.Drop | syntax.Release | syntax.Load)
        clause = Clause(Column.STATEMENT, anchor=node.pool.span)
        ref = pool_ref(self.reader, node.pool, clause)
        if ref is None:
            return None
        if isinstance(node, syntax.Grow | syntax.Load):
            return self._grown(node, ref, self.reader.value(node.units, clause))
        self.reader.mark(ref, node.pool)
        return ir.Drop(ref) if isinstance(node, syntax.Drop) else ir.Release(ref)

    def _grown(self, node: syntax.Grow | syntax.Load, ref: ir.Ref, units: ir.Expr) -> ir.Statement:
        self.reader.mark(ref, node.pool)
        return ir.Grow(ref, units) if isinstance(node, syntax.Grow) else ir.Load(ref, units)

    def _record(self, node: syntax.CostRecord) -> list[ir.Statement]:
        """``Cost x = { R: e, … };``: one attribute for each field, in the order written (L7.15)."""
        made: list[ir.Statement] = []
        clause = Clause(Column.STATEMENT)
        for ref, amount in node.fields:
            target = target_of(self.reader, ref, clause)
            units = self.reader.value(amount, clause)
            if target is None:
                continue
            slot = self.model.attributes[field_of(node.name.text, ref)]
            made.append(ir.Set(slot, self.reader.mark(ir.Cost(joined([target]), units), amount)))
        return made

    # ------------------------------------------------------------------ runs and holds

    def _run(self, node: syntax.Run) -> ir.Statement | None:
        clause = Clause(Column.STATEMENT, anchor=node.stages[0].span)
        refs = [stage_ref(self.reader, stage, clause) for stage in node.stages]
        growing = None if node.growing is None else pool_ref(self.reader, node.growing, clause)
        known = [ref for ref in refs if ref is not None]
        if len(known) < len(refs) or (node.growing is not None and growing is None) or not self._mode_fits(node):
            return None
        work = self.reader.value(node.work, clause)
        for ref, written in zip(known, node.stages, strict=True):
            self.reader.mark(ref, written)
        if growing is not None and node.growing is not None:
            self.reader.mark(growing, node.growing)
        mode: ir.Mode = "Plain" if node.mode is None else "Prefill" if node.mode.text == "prefill" else "Decode"
        return ir.Run(known[0], mode, work, growing, tuple(known[1:]))

    def _mode_fits(self, node: syntax.Run) -> bool:
        """A mode is of an engine's run, which has one; ``growing`` too (E818, E820)."""
        first = node.stages[0]
        stage = self.model.stages[first.text]
        mode = None if node.mode is None else node.mode.text
        note = Note(f"`{stage.name}` is declared here", stage.span)
        if stage.engine is not None and mode is None and len(node.stages) == 1:
            self.findings.error(
                "E818",
                first.span,
                f"`{stage.name}` is an engine, and a run on it says `prefill` or `decode`",
                note,
                suggestion=f"run {first.text} prefill (…);",
            )
            return False
        if stage.engine is None and mode is not None:
            self.findings.error(
                "E818",
                first.span,
                f"`{mode}` is of a run on an engine, and `{stage.name}` is none",
                note,
                suggestion=f"run {first.text} (…);",
            )
            return False
        if stage.engine is None and node.growing is not None:
            self.findings.error(
                "E820", first.span, f"`growing` is of a run on an engine, and `{stage.name}` is none", note, suggestion="drop it"
            )
            return False
        return True

    def _hold(self, node: syntax.Hold, side: ir.Side) -> ir.Statement | None:
        """The header is read at every attempt to admit, the rest as a statement is (L7.22)."""
        first = self.model.pools.get(node.takes[0].pool.text)
        admits = None if first is None else first.admitted_by
        takes = [self._take(take, Clause(Column.HEADER, engine=admits, anchor=take.pool.span)) for take in node.takes]
        anchor = node.takes[0].pool.span
        header = Clause(Column.HEADER, engine=admits, anchor=anchor)
        after = Clause(Column.STATEMENT, words="a hold's `cache` or `lease`", anchor=anchor)
        whole = None not in takes
        reuse = None if node.reuse is None or not whole else self.reader.value(node.reuse, header)
        body = self.block(node.body.statements, side)
        cache = None if node.cache is None or not whole else self.reader.value(node.cache, after)
        lease = None
        if node.lease is not None:
            leased = pool_ref(self.reader, node.lease.pool, after) if self._taken(node, node.lease.pool) else None
            seconds = self.reader.value(node.lease.seconds, after)
            if leased is not None:
                lease = ir.Lease(self.reader.mark(leased, node.lease.pool), seconds)
        known = tuple(take for take in takes if take is not None)
        return ir.Hold(known, body, reuse, cache, lease) if known else None

    def _taken(self, node: syntax.Hold, leased: syntax.Ref) -> bool:
        """A lease is of a pool the hold takes (L7.30)."""
        if any(take.pool.text == leased.text for take in node.takes):
            return True
        there = ", ".join(f"`{take.pool.text}`" for take in node.takes)
        self.findings.error("E1133", leased.span, f"a lease is of a pool the hold takes, and this one takes {there}")
        return False

    def _take(self, take: syntax.Take, clause: Clause) -> ir.Take | None:
        index_clause = Clause(Column.STATEMENT, words="a hold's index", anchor=take.pool.span)
        ref = pool_ref(self.reader, take.pool, index_clause)
        if ref is None:
            return None  # its amounts name it again and need not be told again
        units = self.reader.value(take.units, clause)
        reserve = None if take.reserve is None else self.reader.value(take.reserve, clause)
        return ir.Take(self.reader.mark(ref, take.pool), units, reserve)


@dataclass(slots=True)
class _Out:
    number: int
    lowered: Lowered
    statements: list[ir.Statement]
    sides: list[ir.Side]

    def add(self, statement: ir.Statement, side: ir.Side, origin: syntax.Statement) -> None:
        self.lowered.origins[self.number, len(self.statements)] = origin
        self.statements.append(statement)
        self.sides.append(side)
