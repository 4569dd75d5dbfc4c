"""Builds the tables of a program's statements (``engine.statement_codes``); runs nothing."""

from __future__ import annotations

from engine.expressions import Compiler, Function, StreamKind, falls, fixed_member, moves
from engine.statement_codes import (
    AmountCode,
    BranchCode,
    ChooseCode,
    ConnectorCode,
    DropCode,
    EndCode,
    ForkCode,
    HoldCode,
    JoinCode,
    LoopCode,
    MemberCode,
    NativeCode,
    NativeStepCode,
    ObserveCode,
    ReleaseCode,
    RequestCode,
    RunCode,
    SetCode,
    StatementCode,
    StraightCode,
    TakeCode,
    TurnCode,
    WhileCode,
)
from grammar import ir

_LONGEST_ROW = 64
"""Statements compiled as one: more of them gain nothing and keep Python's compiler busy."""


class Blocks:
    """The tables of the blocks of one program.

    Args:
        program: a checked program.
        compiler: compiles its expressions.
        shared: the stages that runs over several stages name.
    """

    def __init__(self, program: ir.Program, compiler: Compiler, shared: frozenset[int]) -> None:
        self.program = program
        self.compiler = compiler
        self.shared = shared
        self.names: dict[ir.Expr, int] = {}
        """The expressions of the chains' keys, numbered."""

    def function(self, expr: ir.Expr, stream: StreamKind = "session") -> Function:
        """The function of an expression; ``stream`` is which of the streams of R8.5 its draws read."""
        return self.compiler.function(expr, stream)

    def optional(self, expr: ir.Expr | None, stream: StreamKind = "session") -> Function | None:
        """That of an expression that may be left out."""
        return self.function(expr, stream) if expr is not None else None

    def keys(self, exprs: tuple[ir.Expr, ...], stream: StreamKind = "session") -> tuple[Function, ...]:
        """Those of keys, in order."""
        return tuple(self.function(e, stream) for e in exprs)

    def member(self, ref: ir.Ref, stream: StreamKind = "session") -> MemberCode:
        """What a reference to a pool or stage means (R7.8)."""
        fixed = fixed_member(ref)
        if fixed is not None:
            return MemberCode(fixed, ref.base, ref.count, None)
        assert ref.index is not None
        return MemberCode(-1, ref.base, ref.count, self.function(ref.index, stream))

    def _stream(self, block: int) -> StreamKind:
        return "workload" if block in (self.program.init, self.program.turn) else "session"

    def block(self, i: int, block: tuple[ir.Statement, ...]) -> tuple[StatementCode, ...]:
        """The statements of the block of an index."""
        stream = self._stream(i)
        return tuple(self._statement(s, (i, j), stream) for j, s in enumerate(block))

    def straights(self, i: int, block: tuple[ir.Statement, ...], closing: tuple[bool, ...]) -> tuple[StraightCode | None, ...]:
        """Per statement that begins assignments and observations in a row those, in pieces that Python compiles at once."""
        found: list[StraightCode | None] = []
        while len(found) < len(block):
            row: list[ir.Set | ir.Observe] = []
            for statement in block[len(found) : len(found) + _LONGEST_ROW]:
                if not isinstance(statement, ir.Set | ir.Observe):
                    break
                row.append(statement)
            if not row:
                found.append(None)
                continue
            first = len(found)
            function = self.compiler.straight(row, closing[first : first + len(row)], first, self._stream(i))
            found += [StraightCode(len(row), function), *[None] * (len(row) - 1)]
        return tuple(found)

    def _statement(self, statement: ir.Statement, place: tuple[int, int], stream: StreamKind) -> StatementCode:
        match statement:
            case ir.Turn():
                return TurnCode()
            case ir.End():
                return EndCode(self.program.sides[place[0]][place[1]] == "Server")
            case ir.Join():
                return JoinCode()
            case ir.Set(slot, expr):
                return SetCode(slot, self.function(expr, stream))
            case ir.Observe(observe, expr):
                return ObserveCode(observe, self.function(expr, stream))
            case ir.Hold():
                return self._hold(statement, place)
            case ir.Grow(pool, units):
                return AmountCode("grow", self.member(pool), self.function(units))
            case ir.Shrink(pool, units):
                return AmountCode("shrink", self.member(pool), self.function(units))
            case ir.Load(pool, units):
                return AmountCode("load", self.member(pool), self.function(units))
            case ir.Drop(pool):
                return DropCode(self.member(pool))
            case ir.Release(pool):
                return ReleaseCode(self.member(pool))
            case ir.Run():
                return self._run(statement)
            case ir.Branch(guard, then, orelse):
                return BranchCode(self.function(guard), then, orelse)
            case ir.Loop(body):
                return LoopCode(body)
            case ir.While(guard, body):
                return WhileCode(self.function(guard), body)
            case ir.Choose(slot, count, keys):
                return ChooseCode(slot, self.function(count), self.keys(keys))
            case ir.Fork(body):
                return ForkCode(body)
            case ir.Request(stage, tokens, output):
                return RequestCode(place, self.member(stage), self.function(tokens), self.function(output))

    def natives(self) -> tuple[dict[int, NativeCode], tuple[tuple[StatementCode, ...], ...]]:
        """What the engines do with native requests; each such engine has a block of its own after the program's."""
        asked: set[int] = set()
        for block in self.program.blocks:
            for statement in block:
                if isinstance(statement, ir.Request):
                    asked.update(range(statement.stage.base, statement.stage.base + statement.stage.count))
        natives: dict[int, NativeCode] = {}
        blocks: list[tuple[StatementCode, ...]] = []
        for i in sorted(asked):
            step = self.program.stages[i].kind
            assert isinstance(step, ir.Step)
            at = len(self.program.blocks) + len(blocks)
            clause = step.request
            hold, records, growing = None, None, -1
            if clause is not None:
                hold = self._native_hold(clause, i, at)
                records = clause.records
                taken = {take.pool.base for take in clause.pools}
                growing = step.memory if step.memory is not None and step.memory in taken else -1
            connector = self._connector(step.connector) if step.connector is not None else None
            natives[i] = NativeCode(hold, at, -1 if step.memory is None else step.memory, growing, records, connector)
            blocks.append(tuple(NativeStepCode(what) for what in ("admitted", "prefill", "decode", "save")))
        return natives, tuple(blocks)

    def _connector(self, connector: ir.Connector) -> ConnectorCode:
        load, save = connector.load, connector.save
        return ConnectorCode(
            connector,
            self.function(load[0]) if load is not None else None,
            load[1] if load is not None else -1,
            self.function(save[0]) if save is not None else None,
            save[1] if save is not None else -1,
        )

    def _native_hold(self, clause: ir.RequestClause, stage: int, block: int) -> HoldCode:
        return HoldCode(
            statement=(block, 0),
            takes=tuple(self._take(take, stage) for take in clause.pools),
            body=block,
            reuse=self.optional(clause.reuse),
            cache=self.optional(clause.cache),
            prefix=self._prefix(clause.prefix),
            lease=None,
            seconds=None,
            native=True,
        )

    def _prefix(self, segments: tuple[ir.Segment, ...] | None) -> tuple[tuple[int, Function | None, Function], ...] | None:
        """A chain: per segment the number of its key's expression, its key, None where it is the session's own, and its length."""
        if segments is None:
            return None
        own = ir.Attr(self.program.slots.serial)
        return tuple(
            (
                self.names.setdefault(segment.key, len(self.names)),
                self.function(segment.key) if segment.key != own else None,
                self.function(segment.length),
            )
            for segment in segments
        )

    def _take(self, take: ir.Take, admitter: int | None) -> TakeCode:
        return TakeCode(
            self.member(take.pool),
            self.function(take.units),
            moves(take.units),
            self.optional(take.reserve),
            take.reserve is not None and moves(take.reserve),
            falls(take.units, admitter) and (take.reserve is None or falls(take.reserve, admitter)),
        )

    def _hold(self, hold: ir.Hold, place: tuple[int, int]) -> HoldCode:
        first = hold.pools[0].pool
        admitter = self.program.pools[first.base].admit_via if first.count == 1 else None
        return HoldCode(
            statement=place,
            takes=tuple(self._take(take, admitter) for take in hold.pools),
            body=hold.body,
            reuse=self.optional(hold.reuse),
            cache=self.optional(hold.cache),
            prefix=self._prefix(hold.prefix),
            lease=self.member(hold.lease.pool) if hold.lease is not None else None,
            seconds=self.function(hold.lease.seconds) if hold.lease is not None else None,
        )

    def _run(self, run: ir.Run) -> RunCode:
        return RunCode(
            stage=self.member(run.stage),
            decode=run.mode == "Decode",
            work=self.function(run.work),
            growing=self.member(run.growing) if run.growing is not None else None,
            also=tuple(self.member(ref) for ref in run.also),
            shared=run.stage.base in self.shared,
            latency=self.optional(run.latency),
        )
