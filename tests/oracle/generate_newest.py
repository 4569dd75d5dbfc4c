"""Random programs with what only version 14 has: ticks, preempted leases, shared prefixes, native requests; knows no text form.

The kernel's table does not cover these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from grammar import ir
from tests.engine.programs import (
    END,
    INF,
    TURN,
    Model,
    Number,
    PoolOf,
    StageOf,
    Value,
    assign,
    branch,
    cached,
    call,
    client,
    ctx,
    floor,
    grow,
    hold,
    load,
    loop,
    maximum,
    minimum,
    more,
    node,
    nodes,
    now,
    run,
    serial,
    turn_no,
)
from tests.oracle.bench import Bench, evict_keys, preemption, queue_keys, workload
from tests.oracle.dice import Dice, attributes, contexts
from tests.oracle.generate_plain import Plain
from tests.oracle.generated import Generated, gauges, settings_of
from tests.oracle.schedules import chunk_of, cost_of_iteration, schedule_body, token_budget

KNOWN, INPUT, OUTPUT, HIT = ctx("Known"), ctx("Input"), ctx("Output"), ctx("Hit")
LOADED, FINISHED, REQUEUED = ctx("Loaded"), ctx("Finished"), ctx("Requeued")


class Ticking(Plain):
    """Pools without an engine, some looked at at ticks only, some that take leases, some with shared prefixes."""

    chains = False

    def build(self, family: str) -> Generated:
        """The whole program."""
        generated = super().build(family)
        program = generated.program
        leased = {
            statement.lease.pool.base
            for block in program.blocks
            for statement in block
            if isinstance(statement, ir.Hold) and statement.lease is not None
        }
        pools = tuple(self._ticking(pool, k in leased) for k, pool in enumerate(program.pools))
        spilling = {k for k, pool in enumerate(pools) if pool.spill is not None} | {
            p.spill.to for p in pools if p.spill is not None
        }
        blocks = tuple(tuple(self._chained(statement, pools, spilling) for statement in block) for block in program.blocks)
        return replace(generated, program=replace(program, pools=pools, blocks=blocks))

    def _ticking(self, pool: ir.Pool, leased: bool) -> ir.Pool:
        dice = self.dice
        if dice.chance(0.4):
            pool = replace(pool, queue_every=dice.seconds(0.125, 2) or 0.5)
        if leased and pool.preempt is None and dice.chance(0.6):
            keys = nodes(dice.keys([*contexts("Admission Position Now"), *attributes([serial, self.size])], 2))
            every = None if pool.reserve_held or dice.chance(0.5) else dice.seconds(0.125, 2) or 0.5
            suspend = nodes((self.size, serial)) if every is not None and dice.chance(0.5) else None
            pool = replace(pool, preempt=ir.Leases(keys, every, suspend))
        return pool

    def _chained(self, statement: ir.Statement, pools: tuple[ir.Pool, ...], spilling: set[int]) -> ir.Statement:
        if not self.chains or not isinstance(statement, ir.Hold) or statement.cache is None or self.dice.chance(0.3):
            return statement
        bases = [take.pool.base for take in statement.pools]
        if any(base in spilling for base in bases) or all(not pools[base].block for base in bases):
            return statement
        return replace(statement, prefix=chain(self.dice, [self.size, self.other]))


def chain(dice: Dice, sizes: list[Value]) -> tuple[ir.Segment, ...]:
    """A prefix of one to three segments; the last one is the session's own, endless, more often than not."""
    keys: list[Number] = [1, 2, serial - 2 * floor(serial / 2), serial, *sizes]
    segments = [ir.Segment(node(dice.number(keys)), node(dice.number([4, 8, 3, 16, sizes[0]]))) for _ in range(dice.count(1, 2))]
    if dice.chance(0.7):
        segments.append(ir.Segment(node(dice.number([serial, serial + 100, turn_no])), ir.Num(INF)))
    return tuple(segments)


class Chained(Ticking):
    """The same with shared prefixes."""

    chains = True


def ticking(seed: int) -> Generated:
    """A random program of pools with ticks and preempted leases."""
    return Ticking(seed, newer=True).build("ticking")


def chained(seed: int) -> Generated:
    """A random program of pools or of native requests, with shared prefixes."""
    return Chained(seed, newer=True).build("chained") if seed % 2 else replace(requests(seed, chains=True), family="chained")


# -------------------------------------------------------------------------------- requests


def requests(seed: int, *, chains: bool = False) -> Generated:
    """A random program whose engine is handed native requests.

    Args:
        seed: which one.
        chains: whether the clause may name a shared prefix.
    """
    dice = Dice(seed)
    model = Model()
    prompt, output, kept = model.size("prompt"), model.size("o"), model.size("K")
    bench = Bench(dice, model, [prompt, output, kept], [], model.value("v"))
    settings = settings_of(dice, 200.0)
    files = workload(bench, prompt, output, kept, settings)
    block = dice.pick([4.0, 8.0, 16.0])
    kv = model.pool(
        "kv",
        block * dice.count(3, 24),
        block=block,
        evict=evict_keys(bench) if dice.chance(0.3) else None,
        **preemption(bench),
        admit_via=1 if dice.chance(0.3) else None,
        reserve_held=dice.chance(0.2),
    )
    seats = model.pool("seats", dice.pick([1, 2, 4, INF]), queue=queue_keys(bench) if dice.chance(0.3) else None, admit_via=1)
    bench.pools = [kv, seats]
    home = model.delay("home")
    written = dice.chance(0.4)
    registers = [model.register("r0")] if written else []
    bench.registers = registers
    granule = dice.pick([2.0, 4.0]) if dice.chance(0.1) else None
    tiered = dice.chance(0.35)
    engine = model.engine(
        # How often a connector's admission plans the budget shows only where planning draws.
        budget=dice.number([4, 8, 16, INF]) if tiered else token_budget(bench),
        cost=cost_of_iteration(bench),
        chunk=0 if tiered else chunk_of(bench, granule),
        granule=granule,
        memory=kv,
        body=schedule_body(bench, registers) if written else None,
    )
    slots = [model.value(name) for name in ("admitted", "first", "reused", "prefilled")]
    clause = _clause(dice, model, kv, seats, engine, slots, tiered=tiered, chain_of=[prompt, kept] if chains else [])
    stage = model._stages[engine.base]
    assert isinstance(stage.kind, ir.Step)
    model._stages[engine.base] = replace(stage, kind=replace(stage.kind, request=clause))
    bench.stages = [engine, home]
    asked = ir.Request(engine.ref, node(maximum(1, prompt)), node(maximum(1, output)))
    rounds: list[Any] = [
        TURN,
        run(home, 0.125),
        asked,
        model.observe("done", now),
        model.observe("ttft", slots[1] - slots[0]),
        client(assign(kept, minimum(dice.pick([24, 60]), prompt + output))),
        client(branch(more.equals(0), [client(END)])),
    ]
    model.session(client(loop(rounds)))
    tier = _tier(dice, model, block, [model.value(name) for name in ("loaded", "saved", "load_done")]) if tiered else None
    gauges(dice, model, bench.pools, bench.stages, registers)
    program = model.build(**settings)
    return Generated("requests", program if tier is None else tier.connect(program, engine, kv), files)


@dataclass(frozen=True)
class Tier:
    """An engine's second tier: a pool, the stage copies run on, the slots and the observation of the connector."""

    dice: Dice
    pool: PoolOf
    copies: StageOf
    slots: tuple[Value, Value, Value]
    record: int
    saves: bool

    def connect(self, program: ir.Program, engine: StageOf, memory: PoolOf) -> ir.Program:
        """The program with a connector, whose blocks come after the others."""
        loaded, saved, done = self.slots
        first = len(program.blocks)
        missing = maximum(0, saved - cached)
        blocks = (
            (run(self.copies, loaded * 0.02), load(memory, loaded)),
            (replace(hold((self.pool, call("CachedIn", self.pool)), cache=saved), body=first + 2),),
            (grow(self.pool, missing), run(self.copies, missing * 0.01), load(self.pool, missing)),
        )
        held = minimum(call("CachedIn", self.pool), INPUT - 1) if self.saves else minimum(self.dice.count(1, 12), INPUT - 1)
        connector = ir.Connector(
            loaded=loaded.slot,
            saved=saved.slot,
            load_done=done.slot,
            record=self.record,
            load=(node(maximum(0, held - HIT)), first),
            save=(node(self.dice.number([INPUT + OUTPUT, INPUT, floor(KNOWN / 2)])), first + 1) if self.saves else None,
        )
        stage = program.stages[engine.base]
        assert isinstance(stage.kind, ir.Step)
        stages = list(program.stages)
        stages[engine.base] = replace(stage, kind=replace(stage.kind, connector=connector))
        used = blocks if self.saves else blocks[:1]
        return replace(
            program,
            stages=tuple(stages),
            blocks=(*program.blocks, *used),
            sides=(*program.sides, *(_servers(len(block)) for block in used)),
        )


def _servers(count: int) -> tuple[ir.Side, ...]:
    side: ir.Side = "Server"
    return (side,) * count


def _tier(dice: Dice, model: Model, block: float, slots: list[Value]) -> Tier:
    pool = model.pool("host", block * dice.count(2, 40), block=block)
    copies = model.fifo("copies", dice.count(1, 2)) if dice.chance(0.5) else model.ps("copies", dice.pick([1, 2.5]))
    return Tier(dice, pool, copies, (slots[0], slots[1], slots[2]), model.observation("brought"), dice.chance(0.6))


def _clause(
    dice: Dice,
    model: Model,
    kv: PoolOf,
    seats: PoolOf,
    engine: StageOf,
    slots: list[Value],
    *,
    tiered: bool,
    chain_of: list[Value],
) -> ir.RequestClause:
    known_there = maximum(HIT, LOADED) if tiered else HIT
    hit = minimum(KNOWN, known_there + call("BudgetLeft", engine))
    units = dice.number([hit, hit, KNOWN, minimum(KNOWN, 8), _where_requeued(hit)])
    reserve = node(dice.number([KNOWN, INPUT + OUTPUT, INPUT])) if tiered or dice.chance(0.4) else None
    takes = [ir.Take(seats.ref, ir.Num(1.0)), ir.Take(kv.ref, node(units), reserve)]
    cache = None
    reuse = None
    if dice.chance(0.8):
        kept = dice.number([INPUT + OUTPUT, INPUT, KNOWN, INPUT + OUTPUT - 1, floor(INPUT / 2), FINISHED * (INPUT + OUTPUT)])
        cache = node(kept)
        # Without a bound a cache longer than the next input is reused whole, which goes wrong in the reference itself.
        reuse = node(dice.number([INPUT - 1, maximum(0, INPUT - 1), floor(INPUT / 2)]))
    records = ir.RequestRecords(
        model.observation("hit"), model.observation("computed"), slots[0].slot, slots[1].slot, slots[2].slot, slots[3].slot
    )
    prefix = chain(dice, chain_of) if chain_of and cache is not None and dice.chance(0.5) else None
    return ir.RequestClause(tuple(takes), records, reuse, cache, prefix)


def _where_requeued(hit: Value) -> Value:
    """Everything known for a request that was preempted."""
    return Value(ir.Cond(REQUEUED.node, KNOWN.node, hit.node))
