"""Builds the tables of a checked IR (``engine.codes``); runs nothing."""

from __future__ import annotations

from engine import client, workload
from engine.chained_pools import chained_pools
from engine.codes import (
    AdmitCode,
    ClaimCode,
    GuardCode,
    LeasesCode,
    Path,
    PoolCode,
    ProgramCode,
    RegisterCode,
    ScheduleCode,
    ServeCode,
    SlotsCode,
    SpillCode,
    StageCode,
    StepCode,
)
from engine.expressions import Compiler, Function, StreamKind, constant, context_of, falls, moves, parts, reads_state, stands_still
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


def compile_program(program: ir.Program) -> ProgramCode:
    """The tables of a checked program."""
    compiler = Compiler()
    _Builder(program, compiler).build()
    compiler.finish(observe=workload.observe, close_turn=client.close_turn)
    return _Builder(program, compiler).build()


class _Builder:
    """Builds the tables of one program; see ``Compiler`` for why it runs twice."""

    def __init__(self, program: ir.Program, compiler: Compiler) -> None:
        self.program = program
        self.compiler = compiler
        self.policies = [True] * len(program.stages)
        self.shared = self._shared_stages()
        self.chained = chained_pools(program)
        self.names: dict[ir.Expr, int] = {}
        """The expressions of the chains' keys, numbered."""

    def build(self) -> ProgramCode:
        p = self.program
        blocks = tuple(self._block(i, block) for i, block in enumerate(p.blocks))
        closing = tuple(
            tuple(side == "Workload" and not isinstance(statement, ir.Turn) for side, statement in zip(sides, block, strict=True))
            for sides, block in zip(p.sides, p.blocks, strict=True)
        )
        straights = tuple(
            self._straights(i, block, closes) for i, (block, closes) in enumerate(zip(p.blocks, closing, strict=True))
        )
        opening = {i: self._straights(i, p.blocks[i], (False,) * len(p.blocks[i])) for i in sorted({p.init, p.turn})}
        natives, native_blocks = self._natives()
        return ProgramCode(
            program=p,
            pools=tuple(self._pool(i, pool) for i, pool in enumerate(p.pools)),
            stages=tuple(self._stage(i, stage) for i, stage in enumerate(p.stages)),
            blocks=blocks + native_blocks,
            closing=closing + tuple((False,) * len(block) for block in native_blocks),
            straights=straights + tuple((None,) * len(block) for block in native_blocks),
            opening={i: tuple(code for code in codes if code is not None) for i, codes in opening.items()},
            gauges=tuple(self.function(gauge.expr, "machine") for gauge in p.gauges),
            end_claims=tuple((i, self.function(c.expr, "machine")) for i, c in enumerate(p.claims) if c.kind == "AtEnd"),
            givens=tuple((i, self.function(c.given)) for i, c in enumerate(p.claims) if c.given is not None),
            gap=self.function(p.arrival.gap, "arrival") if isinstance(p.arrival, ir.Renewal) else None,
            engines=tuple(i for i, stage in enumerate(p.stages) if isinstance(stage.kind, ir.Step)),
            slots=SlotsCode(p.slots.turn, p.slots.cached, p.slots.computed),
            natives=natives,
            works=self.compiler.works,
            joins=any(isinstance(s, ir.Join) for block in p.blocks for s in block),
            loops={},
            policies=tuple(self.policies),
            ticked=tuple(
                i
                for i, pool in enumerate(p.pools)
                if pool.queue_every is not None or (isinstance(pool.preempt, ir.Leases) and pool.preempt.every)
            ),
            chained=bool(self.chained),
        )

    def function(self, expr: ir.Expr, stream: StreamKind = "session") -> Function:
        return self.compiler.function(expr, stream)

    def optional(self, expr: ir.Expr | None, stream: StreamKind = "session") -> Function | None:
        return self.function(expr, stream) if expr is not None else None

    def keys(self, exprs: tuple[ir.Expr, ...], stream: StreamKind = "session") -> tuple[Function, ...]:
        return tuple(self.function(e, stream) for e in exprs)

    def member(self, ref: ir.Ref, stream: StreamKind = "session") -> MemberCode:
        fixed = constant(ref.index)
        if ref.index is None:
            return MemberCode(ref.base, ref.base, ref.count, None)
        if fixed is not None and fixed == fixed // 1.0 and 0 <= fixed < ref.count:
            return MemberCode(ref.base + int(fixed), ref.base, ref.count, None)
        return MemberCode(-1, ref.base, ref.count, self.function(ref.index, stream))

    def _shared_stages(self) -> frozenset[int]:
        """R1.14: every stage that a run over several stages may name."""
        shared: set[int] = set()
        for block in self.program.blocks:
            for statement in block:
                if isinstance(statement, ir.Run) and statement.also:
                    for ref in (statement.stage, *statement.also):
                        shared.update(range(ref.base, ref.base + ref.count))
                        for stage in range(ref.base, ref.base + ref.count):
                            self.policies[stage] = statement.share != "Bottleneck"
        return frozenset(shared)

    def _pool(self, i: int, pool: ir.Pool) -> PoolCode:
        spill = pool.spill
        by = pool.preempt if isinstance(pool.preempt, ir.Preempt) else None
        taking = pool.preempt if isinstance(pool.preempt, ir.Leases) else None
        engines = tuple(
            j for j, stage in enumerate(self.program.stages) if isinstance(stage.kind, ir.Step) and stage.kind.memory == i
        )
        return PoolCode(
            index=i,
            name=pool.name,
            label=pool.index,
            cap=pool.cap,
            block=pool.block or 0.0,
            evict=self.keys(pool.evict.keys, "eviction") if pool.evict is not None else None,
            preempt=self.keys(by.keys) if by is not None else None,
            tail=by is not None and by.tail,
            leases=LeasesCode(
                self.keys(taking.keys),
                taking.every or 0.0,
                self.keys(taking.suspend) if taking.suspend is not None else None,
            )
            if taking is not None
            else None,
            keys=self.keys(pool.queue) if pool.queue is not None else None,
            spill=SpillCode(spill.to, spill.via, self.function(spill.work, "eviction"), self.function(spill.when, "eviction"))
            if spill is not None
            else None,
            admit_via=pool.admit_via if pool.admit_via is not None else -1,
            reserve_held=pool.reserve_held,
            every=pool.queue_every or 0.0,
            shared=i in self.chained,
            engines=engines,
            bulk=bool(pool.block)
            and (pool.block or 0.0) % 1.0 == 0.0
            and pool.evict is None
            and i not in self.chained
            and pool.spill is None
            # A tier's entries come in the blocks of another pool.
            and not any(p.spill is not None and p.spill.to == i for p in self.program.pools),
            apart=by is not None and all(stands_still(key, frozenset(("Admission", "Decoding", "Position"))) for key in by.keys),
            latest=by is not None and by.keys == (ir.Unary("Neg", ir.Ctx("Admission")),) and bool(engines),
        )

    def _stage(self, i: int, stage: ir.Stage) -> StageCode:
        match stage.kind:
            case ir.Fifo(servers):
                return StageCode(i, stage.name, stage.index, "fifo", servers, None, 0.0, None)
            case ir.Ps(capacity):
                if i in self.shared:
                    return StageCode(i, stage.name, stage.index, "shared", 0, None, constant(capacity) or 0.0, None)
                if capacity == ir.Ctx("N"):
                    return StageCode(i, stage.name, stage.index, "delay", 0, None, 0.0, None)
                return StageCode(i, stage.name, stage.index, "ps", 0, self.function(capacity, "machine"), 0.0, None)
            case ir.Step() as step:
                code = self._step(i, step)
                return StageCode(i, stage.name, stage.index, "step", 0, None, 0.0, code, code.steady and self._leaps(step))
        raise AssertionError(stage.kind)

    def _leaps(self, step: ir.Step) -> bool:
        """Whether nothing a leap moves is read each iteration but by the cost, and by it only what the loop knows."""
        counts = frozenset(("Nres", "Ndec"))
        batch = counts | {"Ntok", "Npre", "Kvb", "Kvp", "Attn", "Now"}
        return (
            stands_still(step.budget, counts)
            and stands_still(step.chunk, counts)
            and stands_still(step.cost, batch)
            and step.iteration is None
            and all(stands_still(gauge.expr, frozenset()) for gauge in self.program.gauges)
        )

    def _step(self, i: int, step: ir.Step) -> StepCode:
        claims = [c for c in self.program.claims if c.stage == i]
        first = context_of(step.budget, step.chunk)
        last = context_of(step.cost, *(c.expr for c in claims))
        budget, chunk = constant(step.budget), constant(step.chunk)
        serve = step.serve.keys if step.serve is not None else ()
        body = self._schedule(step.iteration, ()) if step.iteration is not None else None
        serving = context_of(*serve) | _schedule_context(step.iteration or ())
        keys = self.keys(serve)
        return StepCode(
            budget=self.function(step.budget, "machine"),
            cost=self.function(step.cost, "machine"),
            chunk=self.function(step.chunk, "machine"),
            limits=(budget, chunk) if budget is not None and chunk is not None else None,
            granule=step.granule or 0.0,
            by=keys,
            still=not any(reads_state(e) for e in serve),
            exclusive=step.serve is None,
            memory=step.memory if step.memory is not None else -1,
            body=body,
            queues=tuple(j for j, pool in enumerate(self.program.pools) if pool.admit_via == i),
            registers=tuple(j for j, r in enumerate(self.program.registers) if r.stage == i),
            claims=tuple(
                ClaimCode(j, c.kind == "EveryIteration", self.function(c.expr, "machine"))
                for j, c in enumerate(self.program.claims)
                if c.stage == i
            ),
            steady=_serves_first(step)
            and not claims
            and not any(isinstance(e, ir.Sample) for x in (step.budget, step.chunk) for e in parts(x))
            and not any(pool.reserve_held for pool in self.program.pools),
            first_keys=self._first_keys(keys, body),
            totals_first=bool(first & {"Kvb", "Kvp"}),
            totals_batch=bool(last & {"Kvb", "Kvp"}),
            attention="Attn" in last,
            serving_totals=bool(serving & {"Kvb", "Kvp", "Nres", "Ndec"}),
            serving_memory=bool(serving & {"Kvb", "Kvp"}),
            demand="Demand" in last,
            clocked="Now" in context_of(step.cost),
        )

    @staticmethod
    def _first_keys(keys: tuple[Function, ...], body: tuple[ScheduleCode, ...] | None) -> tuple[Function, ...]:
        first = body[0] if body else None
        return first.by if isinstance(first, ServeCode) and first.by is not None else keys

    def _schedule(self, statements: tuple[ir.ScheduleStatement, ...], prefix: Path) -> tuple[ScheduleCode, ...]:
        return tuple(self._schedule_statement(s, (*prefix, i)) for i, s in enumerate(statements))

    def _schedule_statement(self, statement: ir.ScheduleStatement, path: Path) -> ScheduleCode:
        match statement:
            case ir.Serve(only, by):
                still = by is not None and not any(reads_state(e) for e in by)
                return ServeCode(path, self.optional(only), self.keys(by) if by is not None else None, still)
            case ir.Admit(only, gate):
                return AdmitCode(path, self.optional(only), self.optional(gate, "machine"))
            case ir.SBranch(guard, then, orelse):
                function = self.function(guard, "machine")
                return GuardCode(path, function, self._schedule(then, (*path, 0)), self._schedule(orelse, (*path, 1)))
            case ir.SSet(register, expr):
                return RegisterCode(path, register, self.function(expr, "machine"))

    def _stream(self, block: int) -> StreamKind:
        return "workload" if block in (self.program.init, self.program.turn) else "session"

    def _block(self, i: int, block: tuple[ir.Statement, ...]) -> tuple[StatementCode, ...]:
        stream = self._stream(i)
        return tuple(self._statement(s, (i, j), stream) for j, s in enumerate(block))

    def _straights(self, i: int, block: tuple[ir.Statement, ...], closing: tuple[bool, ...]) -> tuple[StraightCode | None, ...]:
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

    def _natives(self) -> tuple[dict[int, NativeCode], tuple[tuple[StatementCode, ...], ...]]:
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


def _schedule_context(statements: tuple[ir.ScheduleStatement, ...]) -> frozenset[str]:
    names: frozenset[str] = frozenset()
    for statement in statements:
        match statement:
            case ir.Serve(only, by):
                names |= context_of(only, *(by or ()))
            case ir.Admit(only, gate):
                names |= context_of(only, gate)
            case ir.SBranch(guard, then, orelse):
                names |= context_of(guard) | _schedule_context(then) | _schedule_context(orelse)
            case ir.SSet(_, expr):
                names |= context_of(expr)
    return names


def _serves_first(step: ir.Step) -> bool:
    """Whether an iteration first serves everybody, in an order that depends on the mode alone."""
    if step.serve is None:
        return False
    keys = step.serve.keys
    if step.iteration is not None:
        first = step.iteration[0] if step.iteration else None
        if not isinstance(first, ir.Serve) or first.only is not None:
            return False
        keys = first.by if first.by is not None else keys
    return not any(
        isinstance(e, ir.Attr | ir.Reg | ir.Sample | ir.PoolArg | ir.StageArg) or (isinstance(e, ir.Ctx) and e.name != "Decoding")
        for key in keys
        for e in parts(key)
    )
