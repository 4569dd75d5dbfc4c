"""Builds the tables of a checked IR (``engine.codes``); runs nothing."""

from __future__ import annotations

from engine import client, workload
from engine.blocks import Blocks
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
from engine.expressions import Compiler, Function, constant, context_of, parts, reads_state, stands_still
from grammar import ir


def compile_program(program: ir.Program) -> ProgramCode:
    """The tables of a checked program."""
    compiler = Compiler()
    _Builder(program, compiler).build()
    compiler.finish(observe=workload.observe, close_turn=client.close_turn)
    return _Builder(program, compiler).build()


class _Builder(Blocks):
    """Builds the tables of one program; see ``Compiler`` for why it runs twice."""

    def __init__(self, program: ir.Program, compiler: Compiler) -> None:
        self.policies = _policies(program)
        super().__init__(program, compiler, frozenset(self.policies))
        self.chained = chained_pools(program)

    def build(self) -> ProgramCode:
        p = self.program
        blocks = tuple(self.block(i, block) for i, block in enumerate(p.blocks))
        closing = tuple(
            tuple(side == "Workload" and not isinstance(statement, ir.Turn) for side, statement in zip(sides, block, strict=True))
            for sides, block in zip(p.sides, p.blocks, strict=True)
        )
        straights = tuple(self.straights(i, block, closes) for i, (block, closes) in enumerate(zip(p.blocks, closing, strict=True)))
        opening = {i: self.straights(i, p.blocks[i], (False,) * len(p.blocks[i])) for i in sorted({p.init, p.turn})}
        natives, native_blocks = self.natives()
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
            policies=tuple(self.policies.get(i, True) for i in range(len(p.stages))),
            ticked=tuple(
                i
                for i, pool in enumerate(p.pools)
                if pool.queue_every is not None or (isinstance(pool.preempt, ir.Leases) and pool.preempt.every)
            ),
            chained=bool(self.chained),
        )

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


def _policies(program: ir.Program) -> dict[int, bool]:
    """R1.14: every stage that a run over several stages may name, and whether its flows share by max-min."""
    return {
        stage: statement.share != "Bottleneck"
        for block in program.blocks
        for statement in block
        if isinstance(statement, ir.Run) and statement.also
        for ref in (statement.stage, *statement.also)
        for stage in range(ref.base, ref.base + ref.count)
    }


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
