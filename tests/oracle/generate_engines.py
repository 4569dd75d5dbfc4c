"""Random programs around one engine: everything an iteration, a pool and a prefix cache can do; knows no flows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    computed,
    ctx,
    decode,
    drop,
    floor,
    grow,
    hold,
    load,
    loop,
    maximum,
    minimum,
    more,
    now,
    prefill,
    release,
    run,
    serial,
    shrink,
    think,
    where,
)
from tests.oracle.bench import Bench, evict_keys, plain_stage, preemption, queue_keys, spill_when, spill_work, workload
from tests.oracle.dice import Dice
from tests.oracle.generated import Generated, claims, gauges, settings_of
from tests.oracle.schedules import chunk_of, cost_of_iteration, schedule_body, serve_keys, token_budget

BLOCKS = (None, 1.0, 4.0, 4.0, 16.0)


def engines(seed: int) -> Generated:
    """A random program around one engine."""
    dice = Dice(seed)
    model = Model()
    prompt, output, kept = model.size("prompt"), model.size("o"), model.size("K")
    bench = Bench(dice, model, [prompt, output, kept], [], model.value("v"))
    settings = settings_of(dice, 200.0)
    if dice.chance(0.3):
        bench.hidden.append(output)
        settings["hidden"] = (output.slot,)
    files = workload(bench, prompt, output, kept, settings)
    shapes = dice.shuffled(["engine", *(dice.pick(["fifo", "ps", "delay", "delay"]) for _ in range(dice.count(1, 3)))])
    where_engine = shapes.index("engine")
    memory, seats, tier = _pools(bench, where_engine, plain_stage=0 if where_engine else 1)
    engine: StageOf | None = None
    plain: list[StageOf] = []
    for i, shape in enumerate(shapes):
        if shape == "engine":
            engine = _engine(bench, memory)
        else:
            plain.append(plain_stage(bench, shape, f"s{i}"))
    assert engine is not None
    home = model.delay("home")
    bench.stages = [engine, *plain]
    _session(bench, engine, plain, home, memory, seats, tier, prompt, output, kept)
    gauges(dice, model, bench.pools, bench.stages, bench.registers)
    if dice.chance(0.3):
        claims(dice, model, bench.pools, bench.stages, [(engine, bench.registers)], len(model._observes), [prompt, kept])
    return Generated("engines", model.build(**settings), files)


def _pools(bench: Bench, engine: int, plain_stage: int) -> tuple[PoolOf, PoolOf | None, PoolOf | None]:
    dice, model = bench.dice, bench.model
    block = dice.pick(BLOCKS)
    unit = block or 1.0
    cap = float(dice.pick([INF, unit * dice.count(3, 8), unit * dice.count(8, 30), 40, 80, 160]))
    order = dice.shuffled(["kv", "seats", "tier"])
    indices = {name: i for i, name in enumerate(order)}
    spills = dice.chance(0.3)
    made: dict[str, PoolOf] = {}
    for name in order:
        if name == "kv":
            made[name] = model.pool(
                "kv",
                cap,
                block=block,
                evict=evict_keys(bench, allow_draws=True) if dice.chance(0.4) else None,
                **preemption(bench),
                queue=queue_keys(bench) if dice.chance(0.3) else None,
                spill=(indices["tier"], plain_stage, spill_work(bench), spill_when(bench)) if spills else None,
                admit_via=engine if dice.chance(0.35) else None,
                reserve_held=dice.chance(0.2),
            )
        elif name == "seats":
            made[name] = model.pool(
                "seats",
                dice.pick([1, 2, 3, 5, 8, INF]),
                queue=queue_keys(bench) if dice.chance(0.4) else None,
                admit_via=engine if dice.chance(0.8) else None,
                reserve_held=dice.chance(0.1),
            )
        else:
            made[name] = model.pool("tier", dice.pick([16, 40, 200]), block=dice.pick([None, block]))
        bench.pools.append(made[name])
    return made["kv"], made["seats"] if dice.chance(0.85) else None, made["tier"] if dice.chance(0.6) else None


def _engine(bench: Bench, memory: PoolOf) -> StageOf:
    dice, model = bench.dice, bench.model
    exclusive = dice.chance(0.12)
    body = not exclusive and dice.chance(0.4)
    if body:
        bench.registers = [model.register(f"r{i}", float(dice.pick([0, 0, 1, 2.0]))) for i in range(dice.count(1, 2))]
    granule = dice.pick([2.0, 4.0, 6.0, INF]) if not exclusive and dice.chance(0.15) else None
    order = dice.pick(["admission", "admission", "decode first", "keys"])
    keys: tuple[Number, ...] | None = ()
    if exclusive:
        keys = None
    elif order == "decode first":
        keys = (where(ctx("Decoding"), 0, 1),)
    elif order == "keys":
        keys = serve_keys(bench)
    schedule = schedule_body(bench, bench.registers) if body else None
    return model.engine(
        "llm",
        budget=token_budget(bench),
        cost=cost_of_iteration(bench),
        chunk=chunk_of(bench, granule),
        serve=keys,
        memory=memory if dice.chance(0.9) else None,
        granule=granule,
        body=schedule,
    )


def _session(
    bench: Bench,
    engine: StageOf,
    plain: list[StageOf],
    home: StageOf,
    memory: PoolOf,
    seats: PoolOf | None,
    tier: PoolOf | None,
    prompt: Value,
    output: Value,
    kept: Value,
) -> None:
    dice, model = bench.dice, bench.model
    rounds: list[Any] = [TURN]
    if dice.chance(0.3):
        rounds.append(run(dice.pick(plain), plain_work(bench)))
    if dice.chance(0.5):
        rounds.append(assign(bench.value, dice.expression([*bench.session_leaves(), *bench.state_leaves(), lambda: now], 2)))
        rounds.append(model.observe("v", bench.value))
    rounds.append(engine_hold(bench, engine, plain, memory, seats, tier, prompt, output))
    rounds.append(model.observe("left", now))
    if dice.chance(0.1):
        rounds.append(drop(memory))
    if dice.chance(0.3):
        rounds.append(client(run(home, plain_work(bench))))
    rounds.append(client(assign(kept, minimum(dice.pick([24, 60]), prompt + output))))
    rounds.append(client(branch(more.equals(0) if dice.chance(0.9) else more < 1, [client(END)])))
    used = {statement.stage.base for statement in flattened(rounds) if hasattr(statement, "stage")}
    rounds += [run(stage, plain_work(bench)) for stage in plain if stage.base not in used]
    rounds.append(client(run(home, 0.25 + abs_value(bench))))
    # A closed population whose sessions can be refused at once would never let time pass.
    model.session(client(run(home, 0.125 + serial / 64)), client(loop(rounds)))


def abs_value(bench: Bench) -> Value:
    """A small amount of time that may be 0."""
    return minimum(2, call("Abs", bench.sizes[0] / 16))


def flattened(body: Any) -> list[Any]:
    """The statements of a body and of the bodies in it."""
    found: list[Any] = []
    for item in body:
        statement = getattr(item, "statement", item)
        found.append(statement)
        for name in ("body", "then", "orelse"):
            inner = getattr(statement, name, None)
            if isinstance(inner, tuple):
                found += flattened(inner)
    return found


def plain_work(bench: Bench) -> Number:
    """Work at a stage that is no engine."""
    dice = bench.dice
    return dice.number([dice.seconds(0, 2), dice.drawn_seconds(0.7), think, 0, minimum(3, bench.sizes[0] / 8)])


def engine_hold(
    bench: Bench,
    engine: StageOf,
    plain: list[StageOf],
    memory: PoolOf,
    seats: PoolOf | None,
    tier: PoolOf | None,
    prompt: Value,
    output: Value,
) -> Any:
    """The hold of a request and what runs in it."""
    dice = bench.dice
    shape = dice.pick(["page", "page", "page", "whole", "start", "moving"])
    known = maximum(prompt, computed + 1) if dice.chance(0.5) else prompt
    budget = call("BudgetLeft", engine)
    hit = call("CachedIn", memory)
    reserve: Number | None = None
    if shape == "page":
        units: Number = minimum(known, hit + budget)
    elif shape == "whole":
        units = prompt + (output if output not in bench.hidden else 4)
    elif shape == "start":
        units = dice.number([0, 3, minimum(prompt, 8)])
    else:
        units = minimum(prompt, floor(call("Abs", dice.expression([*bench.state_leaves(), *bench.session_leaves()], 1))))
    if dice.chance(0.4):
        seen = output if output not in bench.hidden else dice.count(0, 8)
        reserve = dice.pick([known, prompt + seen, prompt, maximum(prompt, hit)])
    cache: Number | None = None
    reuse: Number | None = None
    if dice.chance(0.7):
        cache = dice.number(
            [prompt + output, prompt, floor(prompt / 2), 0, where(output > 2, prompt + output, 4), prompt + output - 1]
        )
        if dice.chance(0.1):
            cache = minimum(prompt, dice.drawn_count(0, 8))
        if dice.chance(0.4):
            reuse = dice.number([maximum(0, prompt - 1), floor(prompt / 2), 8, 4 * floor((prompt - 1) / 4)])
    growing = memory if dice.chance(0.85) else None
    take: list[Any] = [(memory, units, reserve)] if reserve is not None else [(memory, units)]
    if seats is not None:
        take.insert(0 if dice.chance(0.85) else 1, (seats, 1))
    lease = None
    if dice.chance(0.15):
        lease = (memory, dice.number([dice.seconds(0, 4), dice.drawn_seconds(2.0), INF, -1, think]))
    body = _inside(bench, engine, plain, memory, tier, prompt, output, growing)
    return hold(*take, body=body, reuse=reuse, cache=cache, lease=lease)


def _inside(
    bench: Bench,
    engine: StageOf,
    plain: list[StageOf],
    memory: PoolOf,
    tier: PoolOf | None,
    prompt: Value,
    output: Value,
    growing: PoolOf | None,
) -> list[Any]:
    dice, model = bench.dice, bench.model
    known = maximum(prompt, computed + 1)
    left = dice.pick([maximum(0, known - cached), maximum(0, prompt - cached), prompt, maximum(0, prompt - cached)])
    body: list[Any] = []
    if dice.chance(0.4):
        body.append(model.observe("hit", cached))
    if dice.chance(0.1):
        body.append(run(dice.pick(plain), plain_work(bench)))
    prefilled = prefill(engine, left, growing)
    decoded = decode(engine, dice.pick([output, maximum(0, output - 1), output + floor(prompt / 8)]), growing)
    if tier is not None and dice.chance(0.3):
        inner: list[Any] = [prefilled, *([grow(tier, 1)] if dice.chance(0.4) else []), *([decoded] if dice.chance(0.5) else [])]
        if dice.chance(0.3):
            inner.append(shrink(tier, dice.count(0, 4)))
        if dice.chance(0.2):
            inner.append(load(tier, dice.count(0, 1)))
        nested = hold(
            (tier, dice.count(1, 8)), body=inner, cache=dice.pick([None, 4]), lease=(tier, 1.5) if dice.chance(0.3) else None
        )
        body.append(nested)
    else:
        body += [prefilled, decoded]
    extras: list[Callable[[], Any]] = [
        lambda: grow(memory, dice.count(0, 6)),
        lambda: run(dice.pick(plain), plain_work(bench)),
        lambda: release(memory),
        lambda: drop(memory),
        lambda: decode(engine, dice.count(0, 3), growing),
        lambda: model.observe("mid", call("Allocated", memory)),
        lambda: prefill(engine, dice.count(0, 5), growing),
        lambda: branch(dice.truth([lambda: output, lambda: now], 0), [decode(engine, 2, growing)], []),
        lambda: assign(bench.value, bench.value + 1),
    ]
    for _ in range(dice.pick([0, 0, 1, 2])):
        body.append(dice.pick(extras)())
    released = [i for i, statement in enumerate(body) if type(statement).__name__ == "Release"]
    return body[: released[0] + 1] if released else body
