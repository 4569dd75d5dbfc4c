"""Size, Value and Cost: the type of every attribute and amount (L7.9 to L7.14); knows no names but those it quotes."""

from __future__ import annotations

from collections.abc import Iterable

from grammar import ir, syntax
from grammar.costs import Type, Typing, parts
from grammar.diagnostics import Note
from grammar.expressions import Reader, joined
from grammar.findings import Findings
from grammar.names import SCHEDULER_SET
from grammar.scopes import Model
from grammar.source import Span
from grammar.standing import anchor
from grammar.statements import Lowered
from grammar.vocabulary import BUILT_IN_SLOTS
from grammar.walks import deployment_expressions, inside


class Types:
    """Infers the types of a program's attributes and checks every amount."""

    def __init__(self, model: Model, findings: Findings, reader: Reader, lowered: Lowered, sizes: Iterable[str]) -> None:
        self.model = model
        self.findings = findings
        self.reader = reader
        self.lowered = lowered
        self.names = list(model.attributes)
        self.sizes = {model.attributes[n] for n in sizes} | {
            slot for slot, n in enumerate(BUILT_IN_SLOTS) if n not in SCHEDULER_SET
        }
        self.typing = Typing(model, findings, reader, self.sizes)
        self.known = self.typing.known
        self.used: set[tuple[str, int]] = set()
        self.turn_blocks: set[int] = set()

    def attr_types(self) -> tuple[ir.AttrType, ...]:
        """The type of each attribute in slot order (L11.1)."""
        made: list[ir.AttrType] = []
        for slot in range(len(self.names)):
            made.append("Size" if slot in self.sizes else self.known.types.get(slot, "Value"))
        return tuple(made)

    # ------------------------------------------------------------------ the walk

    def check(self, program: ir.Program) -> None:
        """Check the blocks in the order they run, then everything outside them, which takes plain numbers only."""
        self._collect_server(program)
        self._infer()
        self.turn_blocks = {program.init, program.turn}
        assigned: set[int] = set()
        for block in (program.init, program.turn, program.session):
            self._block(block, assigned)
        self._outside(program)

    def _infer(self) -> None:
        """Find the cost attributes first: one may be read above its assignment, in the text or in a loop."""
        quiet = Typing(self.model, Findings(self.findings.source), self.reader, self.sizes, self.known)
        found = -1
        while found < len(self.known.types):
            found = len(self.known.types)
            for number, block in enumerate(self.lowered.blocks):
                for index, s in enumerate(block):
                    if isinstance(s, ir.Set) and self.lowered.sides[number][index] == "Server" and s.slot not in self.sizes:
                        at = anchor(self.lowered.origins[number, index])
                        made = quiet.typed(s.expr, at)
                        if not isinstance(made, str) and s.slot not in self.known.types:
                            self.known.types[s.slot], self.known.given[s.slot] = made, at

    def _collect_server(self, program: ir.Program) -> None:
        """What the server runs and holds, which the session does not (L7.14)."""
        for number, block in enumerate(self.lowered.blocks):
            for index, statement in enumerate(block):
                if self.lowered.sides[number][index] != "Server":
                    continue
                if isinstance(statement, ir.Run):
                    self.used.update(("stage", r.base) for r in (statement.stage, *statement.also))
                elif isinstance(statement, ir.Hold):
                    self.used.update(("pool", t.pool.base) for t in statement.pools)
                elif isinstance(statement, ir.Grow | ir.Load):
                    self.used.add(("pool", statement.pool.base))

    def _block(self, number: int, assigned: set[int]) -> None:
        for index, statement in enumerate(self.lowered.blocks[number]):
            side = self.lowered.sides[number][index]
            self._statement(statement, self.lowered.origins[number, index], side, assigned, number)

    def _statement(self, s: ir.Statement, origin: syntax.Statement, side: ir.Side, assigned: set[int], block: int) -> None:
        at = anchor(origin)
        workload = side == "Workload"
        if isinstance(s, ir.Set):
            self._set(s, origin, workload, assigned, block)
        elif isinstance(s, ir.Observe):
            self._read(self.typing.typed(s.expr, self.reader.place(s.expr, at)), s.expr, at, assigned, workload, block)
        elif isinstance(s, ir.Run):
            self._run(s, at, workload, assigned)
        elif isinstance(s, ir.Hold):
            self._hold(s, origin, at, workload, assigned)
        elif isinstance(s, ir.Grow | ir.Load):
            self._amount(s.units, ir.PoolTarget(s.pool.base, s.pool.count), at, assigned)
            self._index(s.pool, at, assigned)
        elif isinstance(s, ir.Release | ir.Drop):
            self._index(s.pool, at, assigned)
        elif isinstance(s, ir.Branch):
            self._plain(s.guard, "a condition", self.reader.place(s.guard, at), assigned)
            then, orelse = set(assigned), set(assigned)
            self._block(s.then, then)
            self._block(s.orelse, orelse)
            assigned |= then & orelse
        elif isinstance(s, ir.While):
            self._plain(s.guard, "a condition", self.reader.place(s.guard, at), assigned)
            self._block(s.body, set(assigned))
        elif isinstance(s, ir.Loop):
            self._block(s.body, assigned)
        elif isinstance(s, ir.Fork):
            self._block(s.body, set(assigned))
        elif isinstance(s, ir.Choose):
            self._choose(s, origin, workload, assigned)

    def _choose(self, s: ir.Choose, origin: syntax.Statement, workload: bool, assigned: set[int]) -> None:
        at = anchor(origin)
        if not workload and s.slot in self.sizes:
            self._size_set(s.slot, origin.var.span if isinstance(origin, syntax.Choose) else at)
            return
        self._plain(s.count, "a `choose` count", self.reader.place(s.count, at), assigned)
        for key in s.keys:
            self._plain(key, "a `choose` key", self.reader.place(key, at), assigned)
        self._conflict(s.slot, "Plain", at)

    def _set(self, s: ir.Set, origin: syntax.Statement, workload: bool, assigned: set[int], block: int) -> None:
        at = anchor(origin)
        name = self.names[s.slot]
        value = self.reader.place(s.expr, at)
        made = self.typing.typed(s.expr, value)
        self._read(made, s.expr, value, assigned, workload, block)
        if workload:
            if not isinstance(made, str):
                self._workload_cost(s.expr, made, value, block in self.turn_blocks)
            return
        if s.slot in self.sizes:
            self._size_set(s.slot, at)
            return
        if isinstance(origin, syntax.CostDecl) and made == "Plain":
            self.findings.error(
                "E1131", value, f"`Cost {name}` is a cost of a resource, and this is a plain number", suggestion="cost(R, …)"
            )
            return
        self._conflict(s.slot, made, at)
        if made == "Wrong" and s.slot not in self.known.types:
            self.known.wrong.add(s.slot)
        if s.slot in self.known.types:
            assigned.add(s.slot)

    def _size_set(self, slot: int, at: Span) -> None:
        self.findings.error(
            "E1103",
            at,
            f"`{self.names[slot]}` is what the workload says of a request, which the server reads and cannot set",
            suggestion="set another name",
        )

    def _conflict(self, slot: int, made: Type, at: Span) -> None:
        """One type for each attribute (E1130)."""
        if made == "Wrong" or slot in self.sizes:
            return
        known = self.known
        cost = known.types.get(slot)
        if cost is None or cost == made:
            return
        later, first = (at, known.given[slot]) if _after(at, known.given[slot]) else (known.given[slot], at)
        self.findings.error(
            "E1130",
            later,
            f"`{self.names[slot]}` is assigned {self.typing.say(made)} and {self.typing.say(cost)}: an attribute has one type",
            Note("the other assignment is here", first),
            suggestion="use two names",
        )

    def _workload_cost(self, expr: ir.Expr, made: ir.Target, at: Span, describes: bool) -> None:
        """The workload prices no resource of the server, and `init` and `turn` price none at all (L7.14)."""
        if describes:
            self.findings.error(
                "E1107",
                at,
                "`init` and `turn` say what a request needs; the server turns it into costs",
                suggestion="set the plain number",
            )
        elif any(self._servers(part) for part in parts(made)):
            self.findings.error("E1107", at, f"the session makes {self.typing.say(made)}, and the server prices what it uses")

    def _servers(self, part: ir.PoolTarget | ir.StageTarget) -> bool:
        return (("pool" if isinstance(part, ir.PoolTarget) else "stage"), part.base) in self.used

    def _run(self, s: ir.Run, at: Span, workload: bool, assigned: set[int]) -> None:
        refs = (s.stage, *s.also)
        for ref in refs:
            self._index(ref, at, assigned)
        target = joined([ir.StageTarget(r.base, r.count) for r in refs])
        if workload and any(("stage", r.base) in self.used for r in refs):
            self.findings.error(
                "E1107",
                at,
                f"the session runs `{self.typing.stage_name(s.stage.base)}`, which the server runs: a client has stages of its own",
                suggestion="let the server run it, or give the session a stage of its own",
            )
            return
        self._amount(s.work, target, at, assigned)
        if s.growing is not None:
            self._index(s.growing, at, assigned)

    def _hold(self, s: ir.Hold, origin: syntax.Statement, at: Span, workload: bool, assigned: set[int]) -> None:
        assert isinstance(origin, syntax.Hold)
        for take, written in zip(s.pools, origin.takes, strict=False):
            place = written.pool.span
            if workload and ("pool", take.pool.base) in self.used:
                self.findings.error(
                    "E1107",
                    place,
                    f"the session holds `{self.typing.pool_name(take.pool.base)}`, which the server holds",
                    suggestion="let the server hold it, or give the session a pool of its own",
                )
                return
            target = ir.PoolTarget(take.pool.base, take.pool.count)
            self._amount(take.units, target, place, assigned)
            if take.reserve is not None:
                self._amount(take.reserve, target, place, assigned)
            self._index(take.pool, place, assigned)
        whole = joined([ir.PoolTarget(t.pool.base, t.pool.count) for t in s.pools])
        if s.reuse is not None:
            self._amount(s.reuse, whole, at, assigned)
        before = set(assigned)
        self._block(s.body, assigned)
        if s.cache is not None:
            self._amount(s.cache, whole, at, before)
        if s.lease is not None:
            seconds = self.typing.typed(s.lease.seconds, at)
            if not isinstance(seconds, str):
                self.findings.error(
                    "E1127",
                    at,
                    "a lease lasts some time, a plain number of the clock's units, and this is a cost",
                    Note("the time is here", self.reader.place(s.lease.seconds, at)),
                )
            self._assigned_before(s.lease.seconds, at, before)

    # ------------------------------------------------------------------ amounts and reads

    def _amount(self, e: ir.Expr, target: ir.Target, at: Span, assigned: set[int]) -> None:
        """An amount is a cost of its resource (E1104)."""
        made = self.typing.typed(e, at)
        if made == "Wrong":
            return
        if made != target:
            told = "a plain number" if isinstance(made, str) else self.typing.say(made)
            inner = "…" if isinstance(made, str) else "the quantity"
            self.findings.error(
                "E1104",
                at,
                f"{self.typing.say(target)} is needed here, and the amount is {told}",
                Note("the amount is here", self.reader.place(e, at)),
                suggestion=f"cost({self.typing.resources(target)}, {inner})",
            )
            return
        self._assigned_before(e, at, assigned)

    def _assigned_before(self, e: ir.Expr, at: Span, assigned: set[int]) -> None:
        """A cost attribute is assigned on every path before it is read (E1108)."""
        for node in inside(e):
            if (
                isinstance(node, ir.Attr)
                and node.slot in self.known.types
                and node.slot not in assigned
                and node.slot not in self.sizes
            ):
                self.findings.error(
                    "E1108",
                    at,
                    f"`{self.names[node.slot]}` is a cost, and not every path here has set it",
                    Note("it is set here", self.known.given[node.slot]),
                    suggestion="set it on every path above",
                )
                return

    def _read(self, made: Type, e: ir.Expr, at: Span, assigned: set[int], workload: bool, block: int) -> None:
        if made == "Wrong":
            return
        if workload and any(isinstance(n, ir.Attr) and n.slot in self.known.types for n in inside(e)):
            self.findings.error("E1107", at, "the session reads a cost that the server set")
            return
        self._assigned_before(e, at, assigned)

    def _plain(self, e: ir.Expr, what: str, at: Span, assigned: set[int]) -> None:
        made = self.typing.typed(e, at)
        if not isinstance(made, str):
            self.findings.error("E1132", at, f"{what} is a plain number, and this is {self.typing.say(made)}")
        else:
            self._assigned_before(e, at, assigned)

    def _index(self, ref: ir.Ref, at: Span, assigned: set[int]) -> None:
        if ref.index is not None:
            self._plain(ref.index, "an index", at, assigned)

    # ------------------------------------------------------------------ outside the blocks

    def _outside(self, program: ir.Program) -> None:
        """The deployment, the gauges and the claims use ordinary quantities (L7.14)."""
        for expr in deployment_expressions(program):
            for node in inside(expr):
                if isinstance(node, ir.Cost):
                    place = self.reader.places.get(id(node))
                    self.findings.error(
                        "E1132",
                        None if place is None else place[1],
                        "what is declared outside the server's statements takes plain numbers, not costs",
                        suggestion="drop `cost(…)`",
                    )
                    break


def _after(one: Span, other: Span) -> bool:
    return (one.line, one.column) > (other.line, other.column)
