"""Random programs without an engine: pools, holds, legs, flows, choices and expressions; knows no iteration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from grammar import ir
from tests.engine.programs import (
    END,
    INF,
    JOIN,
    LIFO,
    REFUSE,
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
    choose,
    client,
    computed,
    ctx,
    drop,
    floor,
    fork,
    grow,
    hold,
    load,
    loop,
    maximum,
    minimum,
    more,
    node,
    now,
    release,
    repeat,
    run,
    sample,
    serial,
    shrink,
    turn_no,
)
from tests.oracle.bench import Bench, evict_keys, plain_stage, queue_keys, spill_when, spill_work
from tests.oracle.dice import Dice, Leaf, attributes, contexts, queries
from tests.oracle.generated import Generated, arrive, claims, explicit, gauges, settings_of

MOST_DEPTH = 3


class Plain:
    """A program of pools and plain stages in the making."""

    def __init__(self, seed: int, *, newer: bool = False) -> None:
        self.dice = dice = Dice(seed)
        self.newer = newer
        self.model = model = Model()
        self.settings = settings_of(dice, 60.0)
        self.size, self.other = model.size("a"), model.size("b")
        self.value, self.count, self.spare = model.value("v"), model.value("n"), model.value("w")
        self.bench = Bench(dice, model, [self.size, self.other], [], self.value)
        # A pool whose units are counted in fractions caches nothing: tokens are whole (IR 14).
        self.whole = dice.chance(0.6)
        self.in_leg = False
        self.preempted = False
        self.held: list[PoolOf] = []
        self.leased: list[PoolOf] = []
        self.forked = False

    def build(self, family: str) -> Generated:
        """The whole program."""
        dice, model, bench = self.dice, self.model, self.bench
        self._workload()
        self._deploy()
        body = self.body(0, self.dice.count(2, 5))
        rest = [run(stage, 0.125) for stage in self._unused(body)]
        rounds = [TURN, run(self.home, 0.125 + self.size / 64), *body, *rest, model.observe("done", now)]
        if dice.chance(0.1):
            rounds.append(branch(call("Queued", dice.pick(bench.pools)) > 2, [REFUSE]))
        if dice.chance(0.3):
            rounds.append(client(assign(self.other, dice.drawn_count(0, 4))))
        rounds.append(client(branch(more.equals(0), [client(END)])))
        model.session(client(loop(rounds)))
        gauges(dice, model, [pool for pool in bench.pools if pool.count == 1], [s for s in bench.stages if s.count == 1])
        if dice.chance(0.3):
            claims(dice, model, bench.pools[:1], [], [], len(model._observes), [self.size])
        return Generated(family, model.build(**self.settings))

    def _workload(self) -> None:
        dice, model = self.dice, self.model
        model.init(assign(self.other, dice.count(0, 3)), assign(self.size, 1 + serial - 4 * floor(serial / 4)))
        if dice.chance(0.2):
            model.turn()
            explicit(dice, model, [self.size, self.other])
            return
        arrive(dice, model, self.settings, dice.pick([0.3, 1.0, 3.0]))
        drawn = dice.drawn_count(0, 5) if self.whole else dice.drawn_seconds(3.0)
        model.turn(assign(self.size, drawn), assign(more, sample("Bernoulli", dice.pick([0.0, 0.4, 0.7]))))

    def _deploy(self) -> None:
        dice, model, bench = self.dice, self.model, self.bench
        spills = dice.chance(0.3)
        n = dice.count(1, 3)
        for k in range(n):
            bench.pools.append(self._pool(f"p{k}", spill=(n, 0) if spills and k == 0 else None))
        # A tier with blocks of another size keeps tails of blocks, which the reference counts in a way of its own.
        block = model._pools[0].block if spills else dice.pick([None, 4.0]) if self.whole else None
        bench.pools.append(model.pool("tier", dice.pick([8, 20, 60]), block=block))
        shapes = [dice.pick(["fifo", "ps", "delay"]) for _ in range(dice.count(1, 3))]
        bench.stages = [plain_stage(bench, shape, f"s{k}") for k, shape in enumerate(shapes)]
        self.links: list[StageOf] = []
        self.share: ir.Share = dice.pick(["MaxMin", "Bottleneck"])
        if dice.chance(0.5):
            self.links = [model.ps(f"l{k}", dice.pick([1, 2, 0.7, 4])) for k in range(dice.count(2, 4))]
        self.home = model.delay("home")

    def _pool(self, name: str, spill: tuple[int, int] | None) -> PoolOf:
        dice, bench = self.dice, self.bench
        block = dice.pick([None, None, 2.0, 4.0]) if self.whole else None
        kind = dice.pick(["none", "none", "lifo", "keys"])
        preempt: tuple[Number, ...] | None = None
        if kind == "lifo":
            preempt = LIFO
        elif kind == "keys":
            preempt = dice.keys([*contexts("Admission Position Decoding Now"), *attributes([serial, self.size])], 2)
        return self.model.pool(
            name,
            dice.pick([8, 8, 12, 20, 7.5 if not self.whole else 9, INF]),
            block=block,
            evict=evict_keys(bench, allow_draws=True) if dice.chance(0.4) else None,
            preempt=preempt,
            tail=preempt is not None and dice.chance(0.3),
            queue=queue_keys(bench) if dice.chance(0.35) else None,
            spill=None if spill is None else (*spill, spill_work(bench), spill_when(bench)),
            reserve_held=dice.chance(0.15),
        )

    # ------------------------------------------------------------------------ bodies

    def _unused(self, body: list[Any]) -> list[StageOf]:
        used: set[int] = set()

        def visit(items: Any) -> None:
            for item in items:
                statement = getattr(item, "statement", item)
                if isinstance(statement, ir.Run):
                    used.update(ref.base for ref in (statement.stage, *statement.also))
                for field in ("body", "then", "orelse"):
                    if isinstance(getattr(statement, field, None), tuple):
                        visit(getattr(statement, field))

        visit(body)
        return [stage for stage in [*self.bench.stages, *self.links] if stage.base not in used]

    def leaves(self) -> list[Leaf]:
        """What a statement may read."""
        own: list[Leaf] = attributes([self.size, self.other, self.value, self.spare, serial, turn_no, cached, computed])
        return [*own, *own, lambda: now, *queries(self.bench.pools, self.bench.stages)]

    def amount(self, high: int = 6) -> Number:
        """Units of a pool, or seconds of work: never below 0."""
        dice = self.dice
        if self.whole:
            return dice.pick(
                [dice.count(0, high), self.size, minimum(high, self.size), self.other, dice.count(1, high), self._any_whole()]
            )
        return dice.number([dice.seconds(0, high), self.size, minimum(2.5, self.size), dice.seconds(0, high)])

    def _any_whole(self) -> Number:
        return minimum(8, maximum(0, floor(self.dice.expression(attributes([self.size, self.other, serial, turn_no]), 1))))

    def work(self) -> Number:
        """Work at a plain stage."""
        dice = self.dice
        drawn = call("Abs", dice.expression(self.leaves(), 1))
        return dice.number(
            [dice.seconds(0, 2), dice.drawn_seconds(0.6), 0, minimum(3, self.size / 4), minimum(2, maximum(0, drawn))]
        )

    def body(self, depth: int, length: int) -> list[Any]:
        """Statements for a block."""
        choices: list[tuple[int, Callable[[int], list[Any]]]] = [
            (4, self._run),
            (4, self._hold),
            (2, self._assign),
            (2, self._observe),
            (1, self._branch),
            (1, self._while),
            (1, self._choose),
            (1, self._drop),
            (2 if self.links else 0, self._flow),
            (3 if self.held else 0, self._grow),
            (2 if self.held else 0, self._shrink),
            (1 if self.held else 0, self._load),
            (1 if self.held else 0, self._release),
            (1 if self.leased else 0, self._lease),
            (0 if self.in_leg or self.preempted or depth >= MOST_DEPTH else 1, self._legs),
        ]
        weights = [weight for weight, _ in choices]
        found: list[Any] = []
        for _ in range(length):
            make = self.dice.rng.choices([make for _, make in choices], weights)[0]
            found += make(depth)
        return found

    def _run(self, _: int) -> list[Any]:
        statement = run(self.dice.pick(self.bench.stages), self.work())
        if self.newer and self.dice.chance(0.3):
            statement = replace(statement, latency=node(self.dice.number([0.25, 0, self.dice.drawn_seconds(0.3)])))
        return [statement]

    def _flow(self, _: int) -> list[Any]:
        dice = self.dice
        if dice.chance(0.25):
            return [run(dice.pick(self.links), self.amount())]
        stages = dice.shuffled(self.links)[: dice.count(2, len(self.links))]
        statement = run(stages[0], dice.pick([self.amount(), self.work()]), also=stages[1:], share=self.share)
        if self.newer and dice.chance(0.5):
            statement = replace(statement, latency=node(dice.seconds(0, 0.5)), poster=dice.pick([None, 0, 1]))
        return [statement]

    def _assign(self, _: int) -> list[Any]:
        if self.dice.chance(0.3):
            return [assign(self.spare, self.dice.pick([sample("Bernoulli", 0.5), self.dice.drawn_seconds(1.0), self.spare + 1]))]
        return [assign(self.value, self.dice.expression(self.leaves(), 3))]

    def _observe(self, _: int) -> list[Any]:
        name = f"o{self.dice.count(0, 3)}"
        return [self.model.observe(name, self.dice.expression(self.leaves(), self.dice.count(0, 3)))]

    def _branch(self, depth: int) -> list[Any]:
        dice = self.dice
        if depth >= MOST_DEPTH:
            return []
        guard = sample("Bernoulli", 0.5) if dice.chance(0.3) else dice.truth(self.leaves(), 2)
        if dice.chance(0.03):
            guard = self.spare  # which may be neither 0 nor 1: the run fails
        return [branch(guard, self.body(depth + 1, dice.count(0, 2)), self.body(depth + 1, dice.count(0, 2)))]

    def _while(self, depth: int) -> list[Any]:
        dice = self.dice
        if depth >= MOST_DEPTH:
            return []
        timed = run(self.home if not self.in_leg else dice.pick(self.bench.stages), 0.25 + self.size / 32)
        body = [*self.body(depth + 1, dice.count(0, 2)), timed, assign(self.count, self.count - 1)]
        return [assign(self.count, dice.count(0, 3)), repeat(self.count > 0, body)]

    def _choose(self, _: int) -> list[Any]:
        leaves = [*self.leaves(), lambda: self.spare, lambda: self.spare, lambda: sample("Uniform", 0, 1)]
        return [choose(self.spare, self.dice.count(0, 4), *self.dice.keys(leaves, 3)), self.model.observe("chosen", self.spare)]

    def _drop(self, _: int) -> list[Any]:
        return [drop(self.dice.pick(self.bench.pools))]

    def _grow(self, _: int) -> list[Any]:
        return [grow(self.dice.pick(self.held), self.amount(4))]

    def _shrink(self, _: int) -> list[Any]:
        return [shrink(self.dice.pick(self.held), self.amount(4))]

    def _load(self, _: int) -> list[Any]:
        if not self.whole:
            return []
        pool = self.dice.pick(self.held)
        room = call("Allocated", pool)
        return [load(pool, self.dice.number([0, 1, minimum(1, maximum(0, room - 4))]))]

    def _release(self, _: int) -> list[Any]:
        return [release(self.dice.pick(self.held))]

    def _lease(self, depth: int) -> list[Any]:
        """A lease of before grows, shrinks or ends; where there is none the run would fail."""
        free = [pool for pool in self.leased if pool not in self.held]
        if depth >= MOST_DEPTH or not free:
            return []
        pool = self.dice.pick(free)
        change = self.dice.pick([grow(pool, self.dice.count(0, 3)), shrink(pool, self.dice.count(0, 2)), release(pool)])
        return [branch(call("Allocated", pool) > 2, [change], [])]

    def _hold(self, depth: int) -> list[Any]:
        dice = self.dice
        if depth >= MOST_DEPTH:
            return []
        pools = dice.shuffled(self.bench.pools)[: dice.pick([1, 1, 2])]
        takes: list[Any] = []
        for pool in pools:
            cap = self._fitting(pool)
            units: Number = minimum(cap, self.amount()) if dice.chance(0.7) else dice.count(0, 3)
            if dice.chance(0.08):
                units = self.size + dice.count(0, 12)
            if dice.chance(0.1):
                units = minimum(4, call(dice.pick(["Used", "Queued", "Holders"]), dice.pick(self.bench.pools)))
                units = floor(units) if self.whole else units
            take: tuple[Any, ...] = (pool, units)
            if dice.chance(0.3):
                take = (
                    pool,
                    units,
                    minimum(cap, dice.pick([units + dice.count(0, 4) if isinstance(units, Value) else 4, self.size + 1])),
                )
            takes.append(take)
        cache = reuse = None
        if self.whole and dice.chance(0.6):
            cache = dice.number([self.size, 4, self.size + self.other, dice.drawn_count(0, 6), 0])
            reuse = dice.number([2, self.size, maximum(0, self.size - 1)]) if dice.chance(0.6) else None
        lease = None
        if dice.chance(0.3):
            lease = (pools[0], dice.number([0, 0.5, dice.seconds(0, 3), dice.drawn_seconds(1.0), INF]))
        outer, before = self.held, self.preempted
        self.held = [*outer, *pools]
        self.preempted = before or any(self.model._pools[pool.base].preempt is not None for pool in pools)
        body = self.body(depth + 1, dice.count(1, 3))
        self.held, self.preempted = outer, before
        if lease is not None:
            self.leased.append(pools[0])
        return [hold(*takes, body=body, cache=cache, reuse=reuse, lease=lease)]

    def _fitting(self, pool: PoolOf) -> float:
        """The whole blocks of a pool: constant units above them can never fit and are refused before a run."""
        code = self.model._pools[pool.base]
        return code.cap // code.block * code.block if code.block and code.cap < INF else code.cap

    def _legs(self, depth: int) -> list[Any]:
        dice = self.dice
        held, self.held, self.in_leg = self.held, [], True
        leased, self.leased = self.leased, []
        legs = [fork(self.body(depth + 1, dice.count(1, 3))) for _ in range(dice.count(1, 3))]
        self.held, self.in_leg = held, False
        self.leased = [*leased, *self.leased]
        between = self.body(MOST_DEPTH, dice.count(0, 1))
        return [*legs, *between, JOIN]


def plain(seed: int) -> Generated:
    """A random program of pools and plain stages."""
    return Plain(seed).build("plain")


__all__ = ["Plain", "ctx", "plain"]
