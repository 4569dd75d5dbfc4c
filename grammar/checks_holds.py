"""What holds and the statements inside them may do (L7.21 to L7.30); knows no types and no text but places."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import field

from grammar import ir, syntax
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.expressions import Reader
from grammar.findings import Findings
from grammar.folding import constant
from grammar.source import Span
from grammar.standing import anchor
from grammar.statements import Lowered
from grammar.vocabulary import BUILT_IN_SLOTS
from grammar.walks import blocks_of, expressions_of, header_of, inside, slots_read

CACHED = BUILT_IN_SLOTS.index("cached")
COMPUTED = BUILT_IN_SLOTS.index("computed")


@dataclass(frozen=True, slots=True)
class Around:
    """The holds around a statement, outermost first."""

    holds: tuple[ir.Hold, ...] = ()
    preempting: bool = False

    def within(self, hold: ir.Hold, preempts: bool) -> Around:
        """The holds around the statements of a hold's body."""
        return Around((*self.holds, hold), self.preempting or preempts)

    def holding(self, ref: ir.Ref) -> bool:
        """Whether an enclosing hold takes this very reference (L7.27)."""
        return any(take.pool == ref for hold in self.holds for take in hold.pools)


@dataclass(slots=True)
class HoldRules:
    """Checks the holds of a program."""

    findings: Findings
    reader: Reader
    lowered: Lowered
    program: ir.Program
    leased: set[ir.Ref] = field(default_factory=set)

    def check(self) -> None:
        """Every rule of holds, over the session and all that is in it."""
        for block in self.lowered.blocks:
            for statement in block:
                if isinstance(statement, ir.Hold) and statement.lease is not None:
                    self.leased.add(statement.lease.pool)
        self._block(self.program.session, Around())

    def _block(self, number: int, around: Around) -> None:
        for index, statement in enumerate(self.lowered.blocks[number]):
            origin = self.lowered.origins[number, index]
            if isinstance(statement, ir.Hold) and isinstance(origin, syntax.Hold):
                self._hold(statement, origin, around)
            elif isinstance(statement, ir.Fork):
                if around.preempting:
                    self.findings.error(
                        "E1119",
                        origin.span,
                        "the hold around this `fork` may be preempted and run again, and would fork a second leg",
                        suggestion="fork above the hold",
                    )
                self._block(statement.body, Around())
            else:
                self._inside(statement, origin, around)
                for inner in blocks_of(statement):
                    self._block(inner, around)

    # ------------------------------------------------------------------ holds

    def _hold(self, hold: ir.Hold, origin: syntax.Hold, around: Around) -> None:
        at = origin.takes[0].pool.span
        inner = around.within(hold, any(self._preempts(t.pool) for t in hold.pools))
        seen: list[ir.Ref] = []
        for take, written in zip(hold.pools, origin.takes, strict=False):
            if take.pool in seen:
                self.findings.error("E1014", at, f"a hold takes each pool once, and this one names `{written.pool.text}` twice")
            seen.append(take.pool)
            self._amount(take.units, written.pool.span)
            self._fits(take, written)
            if take.pool.index is not None:
                self._index(take.pool.index, written.pool, hold, inner)
        if hold.lease is not None and origin.lease is not None and hold.lease.pool not in seen:
            there = ", ".join(f"`{t.pool.text}`" for t in origin.takes)
            self.findings.error("E1133", origin.lease.pool.span, f"a lease is of a pool the hold takes, and this one takes {there}")
        self._block(hold.body, inner)

    def _preempts(self, ref: ir.Ref) -> bool:
        return self.program.pools[ref.base].preempt is not None

    def _fits(self, take: ir.Take, written: syntax.Take) -> None:
        """Constant units or reserve above the cap, in whole blocks, would be rejected whenever they are reached (L7.29)."""
        pool = self.program.pools[take.pool.base]
        cap, block = pool.cap, pool.block
        for amount, what in ((take.units, "units"), (take.reserve, "a reserve")):
            value = None if amount is None else constant(amount)
            if value is not None and block is not None and math.isfinite(value):
                value = math.ceil(value / block) * block
            if value is not None and value > cap:
                self.findings.error(
                    "E713",
                    written.pool.span,
                    f"{what} of {value:g} are more than the {cap:g} of `{written.pool.text}`: "
                    "the hold would be rejected whenever it is reached",
                    Note("the pool is declared here", self.reader.model.pools[written.pool.text].span),
                )
                return

    def _index(self, index: ir.Expr, written: syntax.Ref, hold: ir.Hold, around: Around) -> None:
        """An index names the same member at the admission, inside, and after a preemption (L7.28)."""
        if around.preempting and not _fixed(index):
            self.findings.error(
                "E1135",
                written.span,
                "this hold may be preempted and is then admitted anew: its index is read again and may name another member",
                suggestion="`set` an attribute to the member above the hold and index with that",
            )
        changed = slots_read(index) & set(self._assigned(hold.body))
        for slot in sorted(changed):
            name = self.program.attrs[slot]
            self.findings.error(
                "E1110",
                written.span,
                f"the body of this hold sets `{name}`, which its index reads: it would name another member from there on",
                suggestion=f"set `{name}` above the hold, or use another name inside",
            )

    def _assigned(self, number: int) -> Iterator[int]:
        """The attributes the statements of a block set themselves; a leg sets its own copies."""
        for statement in self.lowered.blocks[number]:
            if isinstance(statement, ir.Set | ir.Choose):
                yield statement.slot
            if not isinstance(statement, ir.Fork):
                for inner in blocks_of(statement):
                    yield from self._assigned(inner)

    # ------------------------------------------------------------------ inside

    def _inside(self, s: ir.Statement, origin: syntax.Statement, around: Around) -> None:
        at = anchor(origin)
        if isinstance(s, ir.Grow | ir.Load):
            word = "grow" if isinstance(s, ir.Grow) else "load"
            self._held(s.pool, at, around, f"`{word}` acts on what an enclosing hold of the pool has")
            self._amount(s.units, at)
        elif isinstance(s, ir.Release):
            if s.pool not in self.leased:
                self._held(s.pool, at, around, "`release` gives back what an enclosing hold of the pool has, or a lease of it")
        elif isinstance(s, ir.Run):
            self._amount(s.work, at)
            if s.growing is not None and isinstance(origin, syntax.Run) and origin.growing is not None:
                note = Note("`growing` is here", origin.growing.span)
                self._held(s.growing, at, around, "`growing` grows what an enclosing hold of the pool has", note)

    def _held(self, ref: ir.Ref, at: Span, around: Around, why: str, *notes: Note) -> None:
        if not around.holding(ref):
            self.findings.error(
                "E1109",
                at,
                f"{why}, and no hold around this takes it, written with the same index",
                *notes,
                suggestion="hold POOL (units) { … }  around this",
            )
        elif ref.index is not None and not around.preempting and not _fixed(ref.index):
            self.findings.error(
                "E1135",
                at,
                "the index is read again here, and what it reads may have moved on since the admission: it may name another member",
                suggestion="`set` an attribute to the member above the hold and index with that",
            )

    def _amount(self, e: ir.Expr, at: Span) -> None:
        """A constant amount is a number and not below 0 (L7.16)."""
        value = constant(e)
        if value is None:
            return
        note = Note("the amount is here", self.reader.place(e, at))
        if math.isnan(value):
            self.findings.error("E307", at, "an amount is a number, and this one is none (0 / 0, inf - inf or the like)", note)
        elif value < 0:
            self.findings.error("E513", at, f"an amount is not negative, and this one is always {value:g}", note)


def _fixed(index: ir.Expr) -> bool:
    """Whether an index reads nothing but numbers and attributes that no admission and no preemption sets (L7.28)."""
    for node in inside(index):
        if isinstance(node, ir.Attr):
            if node.slot in (CACHED, COMPUTED):
                return False
        elif isinstance(node, ir.Ctx | ir.Reg | ir.Sample | ir.Agg) or (
            isinstance(node, ir.Call) and any(isinstance(a, ir.PoolArg | ir.StageArg) for a in node.args)
        ):
            return False
    return True


# ------------------------------------------------------------------------------- what `cached` is


@dataclass(slots=True)
class CachedRules:
    """Where ``cached`` is another hold's, or nobody's (L7.25), and headers that read what was read too early (L7.26)."""

    findings: Findings
    reader: Reader
    lowered: Lowered
    program: ir.Program

    def check(self) -> None:
        """Both rules over the session."""
        self._cached(self.program.session, None, False)
        self._stale(self.program.session, {})

    def _cached(self, number: int, caching: bool | None, after: bool) -> bool:
        """Walk a block; ``caching`` is None outside holds and in legs, else whether the hold around has a ``cache``.

        Args:
            number: the block.
            caching: what is said above.
            after: whether a hold nested in the one around comes before.

        Returns:
            whether a nested hold's admission comes before what follows the block.
        """
        for index, statement in enumerate(self.lowered.blocks[number]):
            origin = self.lowered.origins[number, index]
            if isinstance(statement, ir.Hold):
                for e in header_of(statement):
                    self._reads_cached(e, anchor(origin), caching, after)
                self._reuse(statement, origin)
                self._cached(statement.body, statement.cache is not None, False)
                after = caching is not None
                continue
            for e in expressions_of(statement):
                self._reads_cached(e, anchor(origin), caching, after)
            if isinstance(statement, ir.Fork):
                self._cached(statement.body, None, False)
            elif isinstance(statement, ir.While | ir.Loop):
                once = self._cached(statement.body, caching, after)
                if once and not after:
                    self._cached(statement.body, caching, True)
                after = once
            elif isinstance(statement, ir.Branch):
                then = self._cached(statement.then, caching, after)
                orelse = self._cached(statement.orelse, caching, after)
                after = then or orelse
        return after

    def _reads_cached(self, e: ir.Expr, at: Span, caching: bool | None, after: bool) -> None:
        for node in inside(e):
            if not isinstance(node, ir.Attr) or node.slot != CACHED or caching is None:
                continue
            place = self.reader.place(node, at)
            if after:
                self.findings.error(
                    "E1113",
                    place,
                    "every admission sets `cached`, so here it is what the hold nested above found, not the hold around",
                    suggestion="set c = cached;  above the nested hold, and read `c` here",
                )
            elif not caching:
                self.findings.error(
                    "E1111",
                    place,
                    "the hold around has no `cache`, so it uses nothing of the session's cached prefix and `cached` is 0 in it",
                    suggestion="cache (0)  to use the prefix and keep nothing, or read `cached` above the hold",
                )

    def _reuse(self, hold: ir.Hold, origin: syntax.Statement) -> None:
        if hold.reuse is None or hold.cache is not None:
            return
        self.findings.error(
            "E1111",
            self.reader.place(hold.reuse, anchor(origin)),
            "`reuse` bounds what a hold uses of the session's cached prefix, and one without `cache` uses nothing",
            suggestion="cache (0)  to use the prefix and keep nothing",
        )

    def _stale(self, number: int, live: dict[int, tuple[Span, str]]) -> None:
        """A ``set`` of live state above a hold, read by name in its header or ``cache`` (E1114).

        Followed into the blocks of branches, loops and legs, not out of them, and not into a hold, whose own
        admission comes between.
        """
        live = dict(live)
        for index, statement in enumerate(self.lowered.blocks[number]):
            origin = self.lowered.origins[number, index]
            if isinstance(statement, ir.Set):
                state = _live(statement.expr)
                if state is None:
                    live.pop(statement.slot, None)
                else:
                    live[statement.slot] = (origin.span, state)
            elif isinstance(statement, ir.Choose):
                live.pop(statement.slot, None)
            elif isinstance(statement, ir.Hold):
                late = () if statement.cache is None else (statement.cache,)
                for e in (*header_of(statement), *late):
                    for slot in sorted(slots_read(e) & live.keys()):
                        self._read_too_early(slot, live[slot], self.reader.place(e, anchor(origin)))
            for inner in blocks_of(statement):
                self._stale(inner, {} if isinstance(statement, ir.Hold) else live)

    def _read_too_early(self, slot: int, found: tuple[Span, str], header: Span) -> None:
        where, state = found
        name = self.program.attrs[slot]
        self.findings.error(
            "E1114",
            where,
            f"`{name}` is `{state}` as it stands here, and a hold's header reads `{name}` when the session has waited its turn",
            Note("the header reads it here", header),
            suggestion=f"hold … at admission ({name} = …) {{ … }}",
        )


def _live(e: ir.Expr) -> str | None:
    """The pool or stage function an expression reads; the clock does not count."""
    for node in inside(e):
        if isinstance(node, ir.Call) and any(isinstance(a, ir.PoolArg | ir.StageArg) for a in node.args):
            return f"{_WRITTEN.get(node.fun, node.fun.lower())}(…)"
    return None


_WRITTEN = {
    "CachedIn": "cachedin",
    "BudgetLeft": "budget_left",
    "EstLambda": "est_lambda",
    "EstRho": "est_rho",
    "EstWait": "est_wait",
}
