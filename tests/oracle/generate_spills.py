"""Random programs whose cached prefixes are spilled, most of them shared; knows no text form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from grammar import ir
from tests.engine.programs import (
    END,
    LIFO,
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
    drop,
    floor,
    hold,
    maximum,
    minimum,
    node,
    run,
    sample,
    serial,
    turn_no,
)
from tests.oracle.bench import Bench, evict_keys
from tests.oracle.dice import Dice
from tests.oracle.generate_newest import FINISHED, HIT, INPUT, KNOWN, OUTPUT, chain
from tests.oracle.generated import Generated


def spilled(seed: int) -> Generated:
    """A program of native requests and of holds beside them, in pools small enough to evict all the time."""
    dice = Dice(seed)
    model = Model()
    prompt, output = model.size("prompt"), model.size("o")
    bench = Bench(dice, model, [prompt, output], [], model.value("v"))
    block = dice.pick([1.0, 2.0, 4.0])
    model.turn(
        assign(prompt, 1 + floor(sample("Exp", dice.pick([3, 6])))),
        assign(output, 1 + floor(sample("Exp", 1))),
    )
    kv = model.pool(
        "kv",
        block * dice.count(4, 10),
        block=block,
        evict=evict_keys(bench, allow_draws=True) if dice.chance(0.4) else None,
        preempt=LIFO if dice.chance(0.5) else None,
    )
    shelf = model.pool(
        "shelf",
        block * dice.count(3, 8),
        block=dice.pick([block, block, 1.0, 3.0, None]),
        evict=evict_keys(bench, allow_draws=True) if dice.chance(0.4) else None,
    )
    home, disk = model.delay("home"), model.fifo("disk")
    engine = model.engine(cost=0.125, memory=kv)
    _spill(dice, model, kv, shelf, disk, prompt)
    _clause(dice, model, kv, shelf, engine, [prompt, output])
    request = ir.Request(engine.ref, node(prompt), node(output))
    look = [model.observe("in kv", call("CachedIn", kv)), model.observe("in shelf", call("CachedIn", shelf))]
    rounds: list[Any] = [request, *look]
    for pool in (kv, shelf):
        if dice.chance(0.8):
            taken = minimum(dice.pick([2 * block, 3 * block]), dice.number([prompt, prompt, output, 8]))
            caches = dice.number([taken, taken, taken, 4, 0]) if dice.chance(0.85) else None
            reuse = dice.number([4, output, 0]) if caches is not None and dice.chance(0.3) else None
            body = [model.observe("there", cached), run(home, 0.25)]
            rounds.append(hold((pool, taken), body=body, cache=caches, reuse=reuse))
        if dice.chance(0.15):
            rounds.append(drop(pool))
    dice.rng.shuffle(rounds)
    session: list[Any] = []
    for _ in range(dice.count(1, 3)):
        session += [TURN, run(home, dice.pick([0.125, 0.5])), *rounds]
    model.session(*session, client(branch(serial.equals(0), [client(END)])))
    model.arrive(dice.pick([ir.Poisson(1.0), ir.Batch(dice.count(2, 6)), ir.Closed(dice.count(1, 3))]))
    return Generated("spilled", model.build(dice.pick([10.0, 30.0]), seed=dice.rng.getrandbits(32)))


def _spill(dice: Dice, model: Model, kv: PoolOf, shelf: PoolOf, disk: StageOf, prompt: Value) -> None:
    source, target = (kv, shelf) if dice.chance(0.6) else (shelf, kv)
    size = ctx("Size")
    work: Number = dice.pick([size * 0.01, 0.125, prompt * 0.01])
    when: Number = 1 if dice.chance(0.7) else dice.pick([size > 2, prompt > 4, ctx("Queued"), ctx("Age") > 1])
    spill = ir.Spill(target.base, disk.base, node(work), node(when))
    model._pools[source.base] = replace(model._pools[source.base], spill=spill)


def _clause(dice: Dice, model: Model, kv: PoolOf, shelf: PoolOf, engine: StageOf, sizes: list[Value]) -> None:
    takes = [ir.Take(kv.ref, node(dice.number([KNOWN, KNOWN, minimum(KNOWN, HIT + 4)])))]
    if dice.chance(0.3):
        takes.append(ir.Take(shelf.ref, node(dice.number([1, OUTPUT, minimum(INPUT, 4)]))))
    kept = node(dice.number([INPUT + OUTPUT, INPUT, KNOWN, floor(INPUT / 2), FINISHED * (INPUT + OUTPUT)]))
    reuse = node(dice.number([INPUT - 1, maximum(0, INPUT - 1), floor(INPUT / 2)]))
    slots = [model.value(name).slot for name in ("admitted", "first", "reused", "prefilled")]
    records = ir.RequestRecords(model.observation("hit"), model.observation("computed"), *slots)
    own = (ir.Segment(serial.node, node(dice.count(1, 6))), ir.Segment(node(dice.number([1, turn_no])), node(dice.count(1, 9))))
    prefix = None if dice.chance(0.1) else own if dice.chance(0.15) else chain(dice, sizes)
    clause = ir.RequestClause(tuple(takes), records, reuse, kept, prefix)
    stage = model._stages[engine.base]
    assert isinstance(stage.kind, ir.Step)
    model._stages[engine.base] = replace(stage, kind=replace(stage.kind, request=clause))
