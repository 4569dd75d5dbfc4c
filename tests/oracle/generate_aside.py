"""Random programs whose growths set leases aside, in a pool whose cached prefixes are shared; knows no text form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from grammar import ir
from tests.engine.programs import (
    END,
    INF,
    JOIN,
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
    drop,
    floor,
    fork,
    grow,
    hold,
    nodes,
    release,
    run,
    sample,
    serial,
    shrink,
)
from tests.oracle.dice import Dice, attributes, contexts
from tests.oracle.generate_newest import chain
from tests.oracle.generated import Generated


def set_aside(seed: int) -> Generated:
    """A program of one pool: sessions lease what they cached and stay, while others grow."""
    dice = Dice(seed)
    model = Model()
    size, stay = model.size("n"), model.size("w")
    block = dice.pick([1.0, 2.0, 4.0])
    model.turn(assign(size, 1 + floor(sample("Exp", 2 * block))), assign(stay, sample("Exp", 0.7)))
    pool, home = model.pool("p", block * dice.count(5, 11), block=block), model.delay("home")
    usual = chain(dice, [size])

    def one(kind: str) -> list[Any]:
        return _step(dice, model, pool, home, (size, stay), usual, kind)

    session: list[Any] = [TURN, *one("leased")]
    for _ in range(dice.count(1, 3)):
        session += [TURN, *one(dice.pick(["leased", "grower", "grower", "other"]))]
    if dice.chance(0.2):
        session = [TURN, fork(one("leased")), *session, JOIN]
    model.session(*session, run(home, dice.pick([0.5, 2])), client(branch(serial.equals(0), [client(END)])))
    model.arrive(dice.pick([ir.Poisson(1.0), ir.Batch(dice.count(3, 6)), ir.Closed(dice.count(2, 5))]))
    model.gauge("used", call("Used", pool))
    policy = ir.Leases(_keys(dice, pool, size), dice.seconds(0.1, 2) or 0.5, _keys(dice, pool, size))
    program = model.build(20.0, seed=dice.rng.getrandbits(32))
    return Generated("set aside", replace(program, pools=(replace(program.pools[0], preempt=policy),)))


def _keys(dice: Dice, pool: PoolOf, size: Value) -> tuple[ir.Expr, ...]:
    leaves = [*contexts("Admission Position Decoding Now"), *attributes([size, serial])]
    asked: list[Number] = [call(name, pool) for name in ("Allocated", "CachedIn", "Used")]
    return nodes(dice.keys([*leaves, lambda: dice.pick(asked)], 2))


def _step(
    dice: Dice, model: Model, pool: PoolOf, home: StageOf, sizes: tuple[Value, Value], usual: tuple[ir.Segment, ...], kind: str
) -> list[Any]:
    """A hold that becomes a lease and a stay, a hold that grows, or what else may happen to leases."""
    size, stay = sizes
    if kind == "other":
        change = dice.pick([grow(pool, 2), shrink(pool, 1), release(pool), drop(pool)])
        # Only who holds the pool or leases it may grow it, so the check of programs wants a hold around.
        held = hold((pool, 1), body=[change, run(home, 0.125)], cache=dice.pick([None, 1]))
        return [held, run(home, stay), dice.pick([release(pool), drop(pool), model.observe("in", call("CachedIn", pool))])]
    lease = None if kind == "grower" else (pool, dice.pick([INF, INF, 3, size]))
    body: list[Any] = [model.observe("hit", cached), run(home, 0.125)]
    if kind == "grower" or dice.chance(0.1):
        body += [grow(pool, dice.count(2, 12)), run(home, 0.5)]
    keeps = dice.number([size, size, size + 3, 4, 0]) if dice.chance(0.9) else None
    reuse = dice.number([size, 2, 4]) if keeps is not None and dice.chance(0.2) else None
    held = hold((pool, size), body=body, cache=keeps, reuse=reuse, lease=lease)
    if keeps is not None and dice.chance(0.8):
        held = replace(held, prefix=usual if dice.chance(0.7) else chain(dice, [size]))
    return [held, run(home, stay), model.observe("in", call("CachedIn", pool))]
