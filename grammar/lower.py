"""Lowers the deployment: pools, stages, engines and registers (L11.4, L11.5, L11.12); knows no statements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field

from grammar import ir, syntax
from grammar.constants import Constants
from grammar.declaring import dataclass
from grammar.expressions import Reader
from grammar.findings import Findings, hint
from grammar.lower_schedule import LoweredSchedule, ScheduleReader
from grammar.reads import Clause, Column
from grammar.schedule import Schedule
from grammar.scopes import Engine, Family, Model, Pool, Stage
from grammar.source import Span
from grammar.times import Times

LIFO = ir.Preempt((ir.Unary("Neg", ir.Ctx("Admission")),))
DELAY = ir.Ps(ir.Ctx("N"))
"""Each job at rate 1, whatever the others do."""


@dataclass(slots=True)
class Deployment:
    """The lowered deployment, with the places of what the debugger steps through."""

    pools: list[ir.Pool] = field(default_factory=list)
    stages: list[ir.Stage] = field(default_factory=list)
    registers: list[ir.Register] = field(default_factory=list)
    schedules: dict[int, dict[tuple[int, ...], Span]] = field(default_factory=dict)
    execute: dict[int, Span] = field(default_factory=dict)
    tokens_cap: dict[int, Span] = field(default_factory=dict)


@dataclass(slots=True)
class Deploying:
    """Lowers one program's deployment."""

    model: Model
    findings: Findings
    constants: Constants
    reader: Reader
    schedules: Mapping[str, Schedule]
    made: Deployment = field(default_factory=Deployment)

    def lower(self) -> Deployment:
        """Everything, in the order of the numbers given when it was declared."""
        for pool in sorted(self.model.pools.values(), key=lambda p: p.base):
            self._cap_and_block(pool)
        for pool in sorted(self.model.pools.values(), key=lambda p: p.base):
            self._pool(pool)
        for stage in sorted(self.model.stages.values(), key=lambda s: s.base):
            self._stage(stage)
        for register in sorted(self.model.registers.values(), key=lambda r: r.index):
            init = self.constants.number(register.engine.states[register.name].value)
            value = 0.0 if init is None else init
            if not math.isfinite(value):
                self.findings.error(
                    "E913",
                    register.span,
                    f"the register `{register.name}` starts at {value:g}, and a register holds a finite number",
                )
            self.made.registers.append(ir.Register(register.name, register.engine.stage.base, value))
        return self.made

    # ------------------------------------------------------------------ pools

    def _cap_and_block(self, pool: Pool) -> None:
        """The constants of a pool, before anything reads its block size."""
        cap = pool.options.get("cap")
        if pool.owner is not None:
            assert pool.decl is not None
            written = pool.owner.capacities[pool.decl.name.text].value
        elif cap is not None and cap.value is not None:
            written = cap.value
        else:
            written = None
        if written is not None:
            value = self.constants.number(written)
            pool.cap = math.inf if value is None else value
        block = pool.options.get("block")
        if block is not None and block.value is not None:
            pool.block = self.constants.number(block.value)
            if pool.block is not None and not pool.block > 0:
                self.findings.error("E702", block.value.span, f"`block` is above 0, and this is {pool.block:g}")

    def _pool(self, pool: Pool) -> None:
        options = pool.options
        evict = options.get("evict")
        queue = options.get("queue")
        engine = pool.admitted_by
        evict_by = None
        if evict is not None and evict.word is None:
            evict_by = ir.By(self._keys(evict.keys, Column.EVICT, engine))
        keys = None if queue is None or queue.word is not None else self._keys(queue.keys, Column.QUEUE, engine)
        preempt = self._preempt(options.get("preempt"), engine)
        spill = self._spill(options.get("spill"), engine)
        for j in range(pool.count):
            via = None
            if engine is not None:
                via = engine.stage.base + (j if engine.stage.count > 1 else 0)
            self.made.pools.append(
                ir.Pool(
                    pool.name,
                    pool.cap,
                    j if pool.indexed else None,
                    None if pool.block == math.inf else pool.block,
                    evict_by,
                    preempt,
                    keys,
                    spill,
                    via,
                    "reserve_held" in options,
                )
            )

    def _keys(self, keys: tuple[syntax.Expr, ...], column: Column, engine: Engine | None) -> tuple[ir.Expr, ...]:
        clause = Clause(column, engine=engine)
        return tuple(self.reader.value(key, clause) for key in keys)

    def _preempt(self, option: syntax.PoolOption | None, engine: Engine | None) -> ir.Preempt | None:
        if option is None or option.word == "none":
            return None
        if option.word == "lifo":
            return LIFO
        return ir.Preempt(self._keys(option.keys, Column.PREEMPT, engine), option.requeue == "tail")

    def _spill(self, option: syntax.PoolOption | None, engine: Engine | None) -> ir.Spill | None:
        """``spill POOL via STAGE (work) when (test)``: one pool and one stage, told by number (L4.1)."""
        if option is None:
            return None
        assert option.to is not None and option.via is not None and option.value is not None and option.when is not None
        clause = Clause(Column.EVICT, engine=engine)
        to = self._tier(self.model.pools.get(option.to.text), option.to, "pool", "to")
        via = self._tier(self.model.stages.get(option.via.text), option.via, "stage", "via")
        work = self.reader.value(option.value, clause)
        when = self.reader.value(option.when, clause)
        return None if to is None or via is None else ir.Spill(to, via, work, when)

    def _tier(self, family: Family | None, ref: syntax.Ref, kind: str, word: str) -> int | None:
        """What a spill goes to or via, by its name alone: of a family, its first member."""
        if family is None:
            names = [*(self.model.pools if kind == "pool" else self.model.stages)]
            self.findings.error(
                "E502", ref.span, f"there is no {kind} `{ref.text}` to spill {word}", suggestion=hint(ref.text, names)
            )
            return None
        if ref.index is not None:
            self.findings.error("E506", ref.span, f"a spill names its {kind} without an index", suggestion=ref.text)
            return None
        return family.base

    # ------------------------------------------------------------------ stages

    def _stage(self, stage: Stage) -> None:
        if stage.engine is not None:
            self._engine(stage, stage.engine)
            return
        kind = DELAY if stage.kind is None else self._kind(stage.kind)
        for j in range(stage.count):
            self.made.stages.append(ir.Stage(stage.name, kind, j if stage.indexed else None))

    def _kind(self, kind: syntax.StageKind) -> ir.Fifo | ir.Ps:
        if kind.word == "delay":
            return DELAY
        if kind.word == "ps":
            assert kind.value is not None
            return ir.Ps(self.reader.value(kind.value, Clause(Column.PS)))
        if kind.value is None:
            return ir.Fifo(1)
        servers = self.constants.number(kind.value)
        if servers is None:
            return ir.Fifo(1)
        if not (servers >= 1 and math.isfinite(servers) and servers == math.floor(servers)):
            self.findings.error(
                "E821", kind.value.span, f"a `fifo` stage has a whole number of servers from 1, and this is {servers:g}"
            )
            return ir.Fifo(1)
        return ir.Fifo(int(servers))

    def _engine(self, stage: Stage, engine: Engine) -> None:
        """``engine E[N]`` is N step stages, equal but for their memory (L11.12, L11.16)."""
        assert engine.tokens is not None and engine.execute is not None
        budget = self.reader.value(engine.tokens.value, Clause(Column.TOKENS, engine=engine))
        reading = ScheduleReader(self.model, self.findings, self.constants, self.reader, self.schedules[engine.name])
        schedule = reading.lower()
        granule = reading.granule(schedule.chunk)
        clause = Clause(Column.EXECUTE, engine=engine)
        times = Times(engine, self.findings)
        cost = self.reader.value(times.execute(), clause)
        for unread in times.dropped:
            self.reader.look_up(unread, clause)
        for j in range(stage.count):
            memory = None if engine.memory is None else engine.memory.base + j
            step = ir.Step(budget, cost, schedule.chunk, schedule.serve, memory, granule, schedule.iteration)
            self.made.stages.append(ir.Stage(stage.name, step, j if stage.indexed else None))
            self._places(stage.base + j, engine, schedule)

    def _places(self, number: int, engine: Engine, schedule: LoweredSchedule) -> None:
        assert engine.tokens is not None and engine.execute is not None
        self.made.schedules[number] = schedule.places
        self.made.execute[number] = engine.execute.span
        self.made.tokens_cap[number] = engine.tokens.span
