"""Random programs around one engine: everything an iteration, a pool and a prefix cache can do; knows no flows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.engine.programs import (
    END,
    INF,
    LIFO,
    TURN,
    Model,
    Number,
    PoolOf,
    StageOf,
    Value,
    admit,
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
    forced,
    grow,
    hold,
    load,
    loop,
    maximum,
    minimum,
    more,
    new,
    now,
    out,
    prefill,
    put,
    release,
    run,
    sample,
    serial,
    serve,
    shrink,
    think,
    turn_no,
    when,
    where,
)
from tests.oracle.dice import Dice, Leaf, asking, attributes, contexts, queries
from tests.oracle.generated import Generated, arrive, claims, explicit, gauges, settings_of, trace

BLOCKS = (None, 1.0, 4.0, 4.0, 16.0)
SERVE = "Now Nres Ndec Kvb Kvp Decoding Admission Remaining"
ONLY = "Nres Ndec Kvb Kvp Decoding Admission Remaining"
PLAN = "Ntok Ndec Npre Nres Kvb Kvp Admitted Preempted"
PLANNED = "Now Nres Ndec Kvb Kvp"
COST = "Now Ntok Ndec Npre Nres Kvb Kvp Attn"


@dataclass
class Bench:
    """A program in the making: its parts, as far as they are declared."""

    dice: Dice
    model: Model
    sizes: list[Value]
    hidden: list[Value]
    value: Value
    pools: list[PoolOf] = field(default_factory=list)
    stages: list[StageOf] = field(default_factory=list)
    registers: list[Value] = field(default_factory=list)
    draws_evict: bool = False

    def session_leaves(self) -> list[Leaf]:
        """What a statement, or a key read for a session, may read of it."""
        seen = [size for size in self.sizes if size not in self.hidden]
        return [*attributes([serial, turn_no, cached, *seen, self.value])]

    def state_leaves(self) -> list[Leaf]:
        """What may be asked of pools and stages."""
        return queries(self.pools, self.stages)


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


# -------------------------------------------------------------------------------- workload


def workload(bench: Bench, prompt: Value, output: Value, kept: Value, settings: dict[str, Any]) -> dict[str, str]:
    """What sessions ask for: random sizes over several turns, explicit sessions, or a trace."""
    dice, model = bench.dice, bench.model
    tokens, generated = dice.pick([6, 12, 24]), dice.pick([3, 8, 20])
    model.init(assign(kept, 0), *([model.observe("begins", serial)] if dice.chance(0.2) else []))
    if dice.chance(0.12):
        arrive(dice, model, settings, dice.pick([0.5, 2.0, 6.0]))
        files = trace(dice, settings)
        model.turn(assign(prompt, kept + new), assign(output, 1 + out))
        return files
    if dice.chance(0.12):
        model.turn()
        explicit(dice, model, [prompt, output, kept])
        return {}
    arrive(dice, model, settings, dice.pick([0.5, 2.0, 6.0]))
    model.turn(
        assign(prompt, kept + dice.drawn_count(dice.pick([0, 1, 1]), tokens)),
        assign(output, dice.drawn_count(dice.pick([0, 1, 1]), generated)),
        assign(more, sample("Bernoulli", dice.pick([0.0, 0.4, 0.7]))),
        *([assign(think, dice.drawn_seconds(1.0))] if dice.chance(0.5) else []),
    )
    return {}


def plain_stage(bench: Bench, shape: str, name: str) -> StageOf:
    """A stage that is no engine."""
    dice, model = bench.dice, bench.model
    if shape == "fifo":
        return model.fifo(name, dice.count(1, 3))
    if shape == "delay":
        return model.delay(name)
    n = ctx("N")
    capacity = dice.number(
        [
            dice.seconds(0.5, 3),
            minimum(n, dice.count(1, 3)),
            n / (1 + n / 4),
            dice.seconds(0.5, 2) + sample("Uniform", 0, 1),
            where(n > 2, 2.5, 0.75),
            1 + now / 64,
            minimum(8, call("Abs", dice.expression([*contexts("Now N"), *queries(bench.pools, bench.stages)], 1))) + 0.25,
        ]
    )
    return model.ps(name, capacity)


# ----------------------------------------------------------------------------------- pools


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


def evict_keys(bench: Bench, *, allow_draws: bool = False) -> tuple[Number, ...]:
    """Keys of an eviction."""
    dice = bench.dice
    leaves = [*contexts("Now Size Age Last Queued"), *contexts("Size Age Last Queued"), *bench.session_leaves()]
    if allow_draws and dice.chance(0.2):
        bench.draws_evict = True
        leaves += [lambda: sample("Uniform", 0, 4)] * 3
    return dice.keys(leaves, 3)


def queue_keys(bench: Bench) -> tuple[Number, ...]:
    """Keys of a waiting queue."""
    dice = bench.dice
    waited = ctx("Waited")
    if dice.chance(0.4):
        return (bench.sizes[0] - dice.seconds(0, 4) * waited,)
    return dice.keys([*contexts("Now Waited Waited"), *bench.session_leaves(), *bench.session_leaves(), *bench.state_leaves()])


def spill_work(bench: Bench) -> Number:
    """The work of writing what was evicted."""
    dice, size = bench.dice, ctx("Size")
    return dice.number([dice.seconds(0, 2), size * 0.05, size / 8 - 0.25, dice.drawn_seconds(0.5)])


def spill_when(bench: Bench) -> Number:
    """Whether what was evicted is written."""
    dice, size = bench.dice, ctx("Size")
    return dice.number([1, size > 2, ctx("Queued"), sample("Bernoulli", 0.5), ctx("Age") > 1])


def preemption(bench: Bench) -> dict[str, Any]:
    """A policy of preemption."""
    dice = bench.dice
    kind = dice.pick(["none", "lifo", "lifo", "lifo", "keys", "keys", "position"])
    if kind == "none":
        return {}
    tail = dice.chance(0.3)
    if kind == "lifo":
        return {"preempt": LIFO, "tail": tail}
    if kind == "position":
        return {"preempt": (1 - ctx("Decoding"), ctx("Position"), -ctx("Admission")), "tail": tail}
    sizes = [size for size in bench.sizes if size not in bench.hidden]
    leaves = [*contexts("Decoding Admission Position Position Now"), *attributes([serial, turn_no, *sizes])]
    return {"preempt": dice.keys(leaves, 3), "tail": tail}


# ---------------------------------------------------------------------------------- engine


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
        keys = _serve_keys(bench)
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


def _serve_keys(bench: Bench) -> tuple[Number, ...]:
    dice = bench.dice
    leaves = [*contexts(SERVE), *contexts("Decoding Admission Remaining Remaining"), *bench.session_leaves()]
    return dice.keys([*leaves, *attributes(bench.registers)])


def token_budget(bench: Bench) -> Number:
    """A tokens cap."""
    dice = bench.dice
    base = dice.pick([2, 4, 8, 16, 32])
    nres, held = ctx("Nres"), ctx("Kvb")
    choices: list[Number] = [base, base, base, base, INF, base + 2 * nres, maximum(1, base - ctx("Ndec"))]
    choices += [maximum(2, base - floor(held / 8)), base + sample("Bernoulli", 0.5), floor(sample("Uniform", 0, 2 * base))]
    choices += [base + minimum(64, floor(call("Abs", dice.expression([*contexts(PLANNED), *attributes(bench.registers)], 1))))]
    return dice.pick(choices)


def cost_of_iteration(bench: Bench) -> Number:
    """How long an iteration lasts: always some time."""
    dice = bench.dice
    ntok, nres = ctx("Ntok"), ctx("Nres")
    base = dice.seconds(0.125, 1) or 0.25
    choices: list[Number] = [
        base,
        base + ntok * dice.seconds(0, 0.1),
        base + ctx("Npre") * 0.03 + ctx("Ndec") * 0.01 + ctx("Kvb") * 0.001 + ctx("Kvp") * 0.002,
        maximum(base, ctx("Attn") * 0.001 + nres * 0.02),
        base + sample("Exp", 0.1),
        base + minimum(2, call("Abs", dice.expression([*contexts(COST), *attributes(bench.registers)], 2))),
        where(ntok > 0, base, dice.number([0.5, where(sample("Bernoulli", 0.5), 0, 0.5)])),
        dice.pick([0.05, 0.0371]) + ntok * 0.0043,
    ]
    return dice.pick(choices)


def chunk_of(bench: Bench, granule: float | None) -> Number:
    """The most tokens of one resident."""
    dice = bench.dice
    least = 6 if granule is None or granule == INF else int(granule)
    nres = ctx("Nres")
    if granule == INF:
        return dice.number([0, where(nres > 2, 8, 0)])
    return dice.pick(
        [
            0,
            0,
            0,
            least,
            INF,
            where(nres > dice.count(0, 2), least, 0),
            maximum(least, floor(16 / maximum(1, nres))),
            least + sample("Bernoulli", 0.5) if granule is None else 0,
        ]
    )


def schedule_body(bench: Bench, registers: list[Value]) -> list[Any]:
    """A schedule: statements that serve, admit, branch and set, on every way at least one of the first two."""
    dice = bench.dice
    plan: list[Leaf] = [*contexts(PLAN), *contexts("Ntok Admitted Preempted Nres"), *attributes(registers), *attributes(registers)]
    counts = asking(("Used", "Queued", "Holders"), bench.pools)
    only: list[Leaf] = [*contexts(ONLY), *bench.session_leaves(), *attributes(registers)]
    gentle = 1 - minimum(1, ctx("Preempted"))

    def serving() -> Any:
        who = dice.pick(
            [None, None, ctx("Decoding"), 1 - ctx("Decoding"), where(ctx("Ndec") > 0, ctx("Decoding"), 1), dice.truth(only, 1)]
        )
        return serve(only=who, by=_serve_keys(bench) if dice.chance(0.3) else None)

    def admitting() -> Any:
        gate = dice.pick([None, gentle, gentle, ctx("Admitted") < dice.count(1, 2), dice.truth([*plan, *counts], 1)])
        return admit(only=dice.pick([None, None, dice.truth(only, 1)]), gate=gate)

    def setting() -> Any:
        register = dice.pick(registers)
        return put(
            register,
            dice.pick(
                [
                    register + 1,
                    ctx("Admitted") > 0,
                    maximum(0, register - 1),
                    where(ctx("Admitted") > 0, 2, maximum(0, register - 1)),
                    minimum(64, ctx("Ntok")),
                    1 - register if dice.chance(0.5) else ctx("Nres"),
                ]
            ),
        )

    def acting() -> list[Any]:
        shape = dice.pick(["default", "default", "admit first", "twice", "serve only", "branch"])
        if shape == "default":
            return [serving(), admitting()]
        if shape == "admit first":
            return [admitting(), serving()]
        if shape == "twice":
            return [serve(only=ctx("Decoding")), admitting(), serving()]
        if shape == "serve only":
            return [serving()]
        return [when(dice.truth([*plan, *counts], 1), [serving(), admitting()], [serving()])]

    body = acting()
    if dice.chance(0.5):
        body = [when(dice.truth([*plan, *counts], 1), body, acting())]
    for _ in range(dice.count(0, 2)):
        body.insert(dice.count(0, len(body)), setting())
    if dice.chance(0.3):
        body = [serve(), *body]
    return body


# --------------------------------------------------------------------------------- session


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
        units = dice.number([0, 4, minimum(prompt, 8)])
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


__all__ = ["BLOCKS", "Bench", "engines", "forced", "schedule_body"]
