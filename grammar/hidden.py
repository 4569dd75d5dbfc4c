"""The flow rule of hidden attributes: nothing is decided by one before a run reveals it (L7.34)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grammar import ir, syntax
from grammar.diagnostics import Note
from grammar.expressions import Reader
from grammar.findings import Findings
from grammar.inline import anchor
from grammar.scopes import Model
from grammar.source import Span
from grammar.statements import Lowered
from grammar.walks import inside, refs_of

Origins = dict[int, frozenset[int]]
"""For each attribute the hidden attributes its value may come from; one that is missing comes from none."""


@dataclass(slots=True)
class HiddenRules:
    """Follows hidden attributes through the server's statements."""

    model: Model
    findings: Findings
    reader: Reader
    lowered: Lowered
    program: ir.Program

    def check(self) -> None:
        """Follow them in the order the session runs; its own statements are the client's and are not checked."""
        if self.program.hidden:
            self._block(self.program.session, {slot: frozenset((slot,)) for slot in self.program.hidden})

    def _block(self, number: int, before: Origins) -> Origins:
        state = dict(before)
        for index, statement in enumerate(self.lowered.blocks[number]):
            if isinstance(statement, ir.Turn):
                state.update({slot: frozenset((slot,)) for slot in self.program.hidden})
            checked = self.lowered.sides[number][index] == "Server"
            origin = self.lowered.origins[number, index]
            state = self._statement(statement, origin, state, checked)
        return state

    def _statement(self, s: ir.Statement, origin: syntax.Statement, state: Origins, checked: bool) -> Origins:
        if checked:
            self._decided(s, origin, state)
        if isinstance(s, ir.Set):
            return _with(state, s.slot, self._origins(s.expr, state))
        if isinstance(s, ir.Choose):
            return _with(state, s.slot, frozenset())
        if isinstance(s, ir.Run):
            return _revealed(state, _always_read(s.work, state))
        if isinstance(s, ir.Hold):
            return self._block(s.body, state)
        if isinstance(s, ir.Branch):
            return _united(self._block(s.then, state), self._block(s.orelse, state))
        if isinstance(s, ir.While | ir.Loop):
            return self._loop(s.body, state)
        if isinstance(s, ir.Fork):
            self._block(s.body, state)
        return state

    def _loop(self, body: int, state: Origins) -> Origins:
        """A loop's body may not run: iterate until nothing more flows in. Sets only grow, so this ends."""
        while True:
            joined = _united(state, self._block(body, state))
            if joined == state:
                return state
            state = joined

    def _origins(self, e: ir.Expr, state: Origins) -> frozenset[int]:
        found: set[int] = set()
        for node in inside(e):
            if isinstance(node, ir.Attr):
                found |= state.get(node.slot, frozenset())
        return frozenset(found)

    # ------------------------------------------------------------------ decisions

    def _decided(self, s: ir.Statement, origin: syntax.Statement, state: Origins) -> None:
        """What the server decides by: tests, choices, growths, members, leases and headers (L7.34, 1)."""
        at = anchor(origin)
        for e, what in _decisions(s):
            self._plain(e, what, self.reader.place(e, at), state)
        if isinstance(s, ir.Hold) and isinstance(origin, syntax.Hold):
            for take, written in zip(s.pools, origin.takes, strict=False):
                self._plain(take.units, HEADER, written.pool.span, state)
                if take.reserve is not None:
                    self._plain(take.reserve, HEADER, written.pool.span, state)
            if s.reuse is not None:
                self._plain(s.reuse, HEADER, self.reader.place(s.reuse, at), state)

    def _plain(self, e: ir.Expr, what: str, at: Span, state: Origins) -> None:
        for node in inside(e):
            if not isinstance(node, ir.Attr) or not state.get(node.slot):
                continue
            source = min(state[node.slot])
            name, hidden = self.program.attrs[node.slot], self.program.attrs[source]
            place = self.reader.place(node, at)
            set_from = "is hidden" if node.slot == source else f"is set from `{hidden}`, which is hidden"
            amount = what not in _SELF
            notes = [Note(f"`{hidden}` is hidden here", self.model.hidden[hidden])]
            if amount and place != at:
                notes.insert(0, Note("it is read here", place))
            self.findings.error(
                "E1125",
                at if amount else place,
                f"`{name}` {set_from}, and {what} cannot go by it before a run has revealed it",
                *notes,
                suggestion="read it in a run's work, in `cache`, in `set` or in `observe`",
            )
            return


HEADER = "a hold's header"
_SELF = frozenset({"a test", "a choice", "the choice of a member", "how long a lease lasts"})
"""Decisions whose expression is the whole of it: the error points at the name read, else at the amount or its pool."""


def _decisions(s: ir.Statement) -> Iterable[tuple[ir.Expr, str]]:
    for ref in refs_of(s):
        if ref.index is not None:
            yield ref.index, "the choice of a member"
    if isinstance(s, ir.Branch | ir.While):
        yield s.guard, "a test"
    elif isinstance(s, ir.Choose):
        yield s.count, "a choice"
        for key in s.keys:
            yield key, "a choice"
    elif isinstance(s, ir.Grow):
        yield s.units, "the amount of a growth"
    elif isinstance(s, ir.Load):
        yield s.units, "the amount of a load"
    elif isinstance(s, ir.Hold) and s.lease is not None:
        yield s.lease.seconds, "how long a lease lasts"


def _always_read(e: ir.Expr, state: Origins) -> frozenset[int]:
    """The origins an amount reads on every evaluation (L7.34, 2): those a run reveals."""
    if isinstance(e, ir.Attr):
        return state.get(e.slot, frozenset())
    if isinstance(e, ir.Cond):
        both = _always_read(e.then, state) & _always_read(e.orelse, state)
        return _always_read(e.test, state) | both
    if isinstance(e, ir.Binary):
        left = _always_read(e.left, state)
        return left if e.op in ("And", "Or") else left | _always_read(e.right, state)
    if isinstance(e, ir.Cost):
        return _always_read(e.expr, state)
    if isinstance(e, ir.Unary):
        return _always_read(e.operand, state)
    found: frozenset[int] = frozenset()
    if isinstance(e, ir.Sample):
        for arg in e.args:
            found |= _always_read(arg, state)
    elif isinstance(e, ir.Call):
        for given in e.args:
            if not isinstance(given, ir.PoolArg | ir.StageArg):
                found |= _always_read(given, state)
    return found


def _with(state: Origins, slot: int, origins: frozenset[int]) -> Origins:
    changed = {k: v for k, v in state.items() if k != slot}
    if origins:
        changed[slot] = origins
    return changed


def _revealed(state: Origins, revealed: frozenset[int]) -> Origins:
    """A revealed origin is removed from every attribute's set."""
    if not revealed:
        return state
    return {slot: left for slot, origins in state.items() if (left := origins - revealed)}


def _united(a: Origins, b: Origins) -> Origins:
    """After a branch what may be hidden on either path is; what both paths revealed is in neither."""
    return {slot: a.get(slot, frozenset()) | b.get(slot, frozenset()) for slot in {*a, *b}}
