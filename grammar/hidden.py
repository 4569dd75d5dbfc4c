"""The flow rule of hidden attributes: nothing is decided by one before a run reveals it (L7.34)."""

from __future__ import annotations

from collections.abc import Iterable

from grammar import ir, syntax
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.expressions import Reader
from grammar.findings import Findings
from grammar.scopes import Model
from grammar.source import Span
from grammar.standing import anchor
from grammar.statements import Lowered
from grammar.walks import inside, refs_of


@dataclass(frozen=True, slots=True)
class From:
    """The hidden attributes a value may come from, and those it comes from whatever path was taken."""

    may: frozenset[int]
    must: frozenset[int]


NONE = From(frozenset(), frozenset())
Origins = dict[int, From]
"""Where each attribute's value comes from; one that is missing comes from no hidden attribute."""


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
            hidden = {slot: _itself(slot) for slot in self.program.hidden}
            self._block(self.program.session, self._block(self.program.init, hidden))

    def _block(self, number: int, before: Origins) -> Origins:
        """Walk a block. A turn hides anew what its ``turn`` block draws, and with its answer the client knows everything."""
        state = dict(before)
        serving = False
        for index, statement in enumerate(self.lowered.blocks[number]):
            server = self.lowered.sides[number][index] == "Server"
            if serving and not server:
                state, serving = {}, False
            if isinstance(statement, ir.Turn):
                state.update({slot: _itself(slot) for slot in self.program.hidden})
                state, serving = self._block(self.program.turn, state), True
            else:
                state = self._statement(statement, self.lowered.origins[number, index], state, server)
        return {} if serving else state

    def _statement(self, s: ir.Statement, origin: syntax.Statement, state: Origins, checked: bool) -> Origins:
        if checked:
            self._decided(s, origin, state)
        if isinstance(s, ir.Set):
            own = _itself(s.slot) if s.slot in self.program.hidden else NONE
            found = self._origins(s.expr, state)
            return _with(state, s.slot, From(found.may | own.may, found.must | own.must))
        if isinstance(s, ir.Choose):
            return _with(state, s.slot, NONE)
        if isinstance(s, ir.Run):
            return _revealed(state, self._always_read(s.work, state))
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

    def _origins(self, e: ir.Expr, state: Origins) -> From:
        found: set[int] = set()
        for node in inside(e):
            if isinstance(node, ir.Attr):
                found |= state.get(node.slot, NONE).may
        return From(frozenset(found), self._always_read(e, state))

    # ------------------------------------------------------------------ decisions

    def _decided(self, s: ir.Statement, origin: syntax.Statement, state: Origins) -> None:
        """What the server decides by: tests, choices, growths, members, leases and headers (L7.34, 1)."""
        at = anchor(origin)
        for e, what in _decisions(s):
            self._plain(e, what, self.reader.place(e, at), state)
        if isinstance(s, ir.Hold) and isinstance(origin, syntax.Hold):
            amounts = [
                (amount, written.pool.span)
                for take, written in zip(s.pools, origin.takes, strict=False)
                for amount in (take.units, take.reserve)
                if amount is not None
            ]
            if s.reuse is not None:
                amounts.append((s.reuse, at))
            for amount, where in amounts:
                if self._plain(amount, HEADER, self.reader.place(amount, where), state):
                    break  # a name bound at admission is read by several amounts: told of the first, a person mends them all

    def _plain(self, e: ir.Expr, what: str, at: Span, state: Origins) -> bool:
        """Tell of the first hidden origin an amount has; whether it has one."""
        for node in inside(e):
            if not isinstance(node, ir.Attr) or not state.get(node.slot, NONE).may:
                continue
            source = min(state[node.slot].may)
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
            return True
        return False

    def _always_read(self, e: ir.Expr, state: Origins) -> frozenset[int]:
        """The origins an amount reads on every evaluation (L7.34, 2): those a run reveals."""
        if id(e) in self.reader.written_out:
            return frozenset()
        if isinstance(e, ir.Attr):
            return state.get(e.slot, NONE).must
        if isinstance(e, ir.Cond):
            both = self._always_read(e.then, state) & self._always_read(e.orelse, state)
            return self._always_read(e.test, state) | both
        if isinstance(e, ir.Binary):
            left = self._always_read(e.left, state)
            return left if e.op in ("And", "Or") else left | self._always_read(e.right, state)
        if isinstance(e, ir.Cost):
            return self._always_read(e.expr, state)
        if isinstance(e, ir.Unary):
            return self._always_read(e.operand, state)
        found: frozenset[int] = frozenset()
        if isinstance(e, ir.Sample):
            for arg in e.args:
                found |= self._always_read(arg, state)
        elif isinstance(e, ir.Call):
            for given in e.args:
                if not isinstance(given, ir.PoolArg | ir.StageArg):
                    found |= self._always_read(given, state)
        return found


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


def _itself(slot: int) -> From:
    return From(frozenset((slot,)), frozenset((slot,)))


def _with(state: Origins, slot: int, origins: From) -> Origins:
    changed = {k: v for k, v in state.items() if k != slot}
    if origins.may:
        changed[slot] = origins
    return changed


def _revealed(state: Origins, revealed: frozenset[int]) -> Origins:
    """A revealed origin is removed from every attribute's set."""
    if not revealed:
        return state
    return {slot: From(left, o.must - revealed) for slot, o in state.items() if (left := o.may - revealed)}


def _united(a: Origins, b: Origins) -> Origins:
    """After a branch what may be hidden on either path is; what both paths revealed is in neither."""
    made: Origins = {}
    for slot in {*a, *b}:
        one, other = a.get(slot, NONE), b.get(slot, NONE)
        must = frozenset(o for o in one.must | other.must if _comes_from(one, o, a) and _comes_from(other, o, b))
        made[slot] = From(one.may | other.may, must)
    return made


def _comes_from(value: From, origin: int, state: Origins) -> bool:
    """Whether on this path a value comes from an origin for sure, or the origin is hidden no more."""
    return origin in value.must or origin not in state.get(origin, NONE).may
