"""Random programs of several engines: arrays routed at run time, leases handed on over links, legs; knows no schedule bodies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from grammar import ir
from tests.engine.programs import (
    END,
    INF,
    JOIN,
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
    choose,
    client,
    computed,
    ctx,
    decode,
    drop,
    floor,
    fork,
    hold,
    load,
    loop,
    maximum,
    minimum,
    more,
    node,
    now,
    prefill,
    release,
    repeat,
    run,
    sample,
    serial,
    turn_no,
)
from tests.oracle.bench import Bench, queue_keys
from tests.oracle.dice import Dice, Leaf, attributes, queries
from tests.oracle.generated import Generated, arrive, claims, explicit, gauges, settings_of
from tests.oracle.schedules import cost_of_iteration, token_budget


class Pair:
    """A prefill array, a decode array and the links between them, in the making."""

    def __init__(self, seed: int, *, newer: bool = False) -> None:
        self.dice = dice = Dice(seed)
        self.newer = newer
        self.model = model = Model()
        self.settings = settings_of(dice, 150.0)
        self.prompt, self.output = model.size("prompt"), model.size("o")
        self.i, self.j = model.value("i"), model.value("j")
        self.value = model.value("v")
        self.bench = Bench(dice, model, [self.prompt, self.output], [], self.value)
        self.draws_cache = dice.chance(0.25)

    def build(self, family: str) -> Generated:
        """The whole program."""
        dice, model = self.dice, self.model
        self._workload()
        self._deploy()
        self._session()
        bench = self.bench
        gauges(dice, model, bench.pools, bench.stages)
        if dice.chance(0.3):
            engines = [StageOf(self.source.base), StageOf(self.target.base)]
            plain = [pool for pool in bench.pools if pool.count == 1]
            claims(dice, model, plain, engines, [(engine, ()) for engine in engines], len(model._observes), [self.prompt])
        return Generated(family, model.build(**self.settings))

    # --------------------------------------------------------------------- workload

    def _workload(self) -> None:
        dice, model = self.dice, self.model
        tokens = dice.pick([6, 16, 30])
        model.init(assign(self.prompt, 4), assign(self.output, 3))
        if dice.chance(0.25):
            model.turn()
            explicit(dice, model, [self.prompt, self.output])
            return
        arrive(dice, model, self.settings, dice.pick([0.4, 1.5, 5.0]))
        model.turn(
            assign(self.prompt, dice.drawn_count(1, tokens)),
            assign(self.output, dice.drawn_count(1, dice.pick([3, 10]))),
            assign(more, sample("Bernoulli", dice.pick([0.0, 0.3, 0.6]))),
        )

    # -------------------------------------------------------------------- deployment

    def _deploy(self) -> None:
        dice, model = self.dice, self.model
        self.n, self.m = dice.count(1, 3), dice.count(1, 3)
        order = dice.shuffled(["source", "target", "out", "in", "wait"])
        stage_base, base = {}, 0
        for name in order:
            stage_base[name] = base
            base += {"source": self.n, "target": self.m, "out": self.n, "in": self.m, "wait": 1}[name]
        block = dice.pick([None, 4.0, 8.0])
        unit = block or 1
        self.source_kv = self._memory("pkv", self.n, unit * dice.count(4, 24), block)
        self.target_kv = self._memory("dkv", self.m, unit * dice.count(4, 24), block)
        self.source_seats = self._seats("pseats", self.n, stage_base["source"])
        self.target_seats = self._seats("dseats", self.m, stage_base["target"])
        self.fabric_share: ir.Share = dice.pick(["MaxMin", "Bottleneck"])
        made: dict[str, StageOf] = {}
        for name in order:
            if name == "source":
                made[name] = self._engines("P", self.source_kv, self.n)
            elif name == "target":
                made[name] = self._engines("D", self.target_kv, self.m)
            elif name == "wait":
                made[name] = model.delay("wait") if dice.chance(0.5) else model.fifo("wait", dice.count(1, 2))
            else:
                made[name] = model.ps(name, dice.pick([2, 8, 20, 33.3]), members=self.n if name == "out" else self.m)
        self.source, self.target = made["source"], made["target"]
        self.out, self.inward, self.wait = made["out"], made["in"], made["wait"]
        self.bench.pools = [*self._members(self.source_kv), *self._members(self.target_kv), *self._members(self.target_seats)]
        self.bench.stages = [*self._members(self.source), *self._members(self.target), self.wait]

    def _members(self, resource: Any) -> list[Any]:
        return [resource[k] if resource.count > 1 else resource for k in range(resource.count)]

    def _memory(self, name: str, members: int, cap: float, block: float | None) -> PoolOf:
        dice, model = self.dice, self.model
        preempt = dice.pick([None, LIFO, LIFO, (ctx("Position"), -ctx("Admission")), (serial,)])
        return model.pool(
            name,
            cap,
            members=members if members > 1 or dice.chance(0.5) else None,
            block=block,
            preempt=preempt,
            tail=preempt is not None and dice.chance(0.25),
            evict=dice.pick([None, None, (ctx("Size"),), (ctx("Queued"), ctx("Age"))]),
            reserve_held=dice.chance(0.15),
        )

    def _seats(self, name: str, members: int, engine: int) -> PoolOf:
        dice, model = self.dice, self.model
        queue = queue_keys(Bench(dice, model, [self.prompt, self.output], [], self.value)) if dice.chance(0.3) else None
        base = len(model._pools)
        cap = dice.pick([1, 2, 4, INF])
        for k in range(members):
            model.pool(name, cap, queue=queue, admit_via=engine + k)
            model._pools[-1] = replace(model._pools[-1], index=k)
        return PoolOf(base, members)

    def _engines(self, name: str, memory: PoolOf, members: int) -> StageOf:
        """Engines that are alike but for their memory."""
        dice, model = self.dice, self.model
        base = len(model._stages)
        budget, cost = token_budget(self.bench), cost_of_iteration(self.bench)
        chunk = dice.pick([0, 0, 4])
        serve: tuple[Number, ...] = dice.pick([(), (), (1 - ctx("Decoding"),), (ctx("Remaining"),)])
        for k in range(members):
            model.engine(name, budget=budget, cost=cost, chunk=chunk, serve=serve, memory=PoolOf(memory.base + k))
            model._stages[-1] = replace(model._stages[-1], index=k)
        return StageOf(base, members)

    # ----------------------------------------------------------------------- session

    def _route(self, slot: Value, count: int, pool: PoolOf, stage: StageOf) -> Any:
        dice = self.dice
        leaves: list[Leaf] = [
            lambda: call("Queued", pool[slot]),
            lambda: call("Used", pool[slot]),
            lambda: call("Free", pool[slot]),
            lambda: call("Holders", pool[slot]),
            lambda: call("CachedIn", pool[slot]),
            lambda: call("Queue", stage[slot]),
            lambda: call("Busy", stage[slot]),
            lambda: call("BudgetLeft", stage[slot]),
            lambda: call("Work", stage[slot]),
            lambda: call("EstWait", stage[slot]),
            lambda: call("EstRho", stage[slot]),
            lambda: call("EstLambda", stage[slot]),
            lambda: call("Price", stage[slot], cached, self.prompt),
            lambda: sample("Uniform", 0, 1),
            lambda: slot,
            lambda: -slot,
        ]
        return choose(slot, count, *dice.keys(leaves, 3))

    def _session(self) -> None:
        dice, model = self.dice, self.model
        i, j, n, m = self.i, self.j, self.n, self.m
        rounds: list[Any] = [TURN, run(self.wait, dice.number([0.125, sample("Exp", 0.3), 0.0625]))]
        rounds.append(
            self._route(i, n, self.source_kv, self.source) if dice.chance(0.8) else assign(i, floor(sample("Uniform", 0, n)))
        )
        rounds.append(
            self._route(j, m, self.target_kv, self.target) if dice.chance(0.8) else assign(j, serial - m * floor(serial / m))
        )
        if dice.chance(0.1):
            # One number too many now and then: the run fails with an index out of range.
            rounds.append(assign(j, j + sample("Bernoulli", 0.02)))
        shape = dice.pick(["pull", "pull", "push", "plain", "nested"])
        rounds += {"pull": self._pull, "push": self._push, "plain": self._plain, "nested": self._nested}[shape]()
        rounds.append(model.observe("done", now))
        rounds.append(model.observe("at", i + 10 * j))
        if dice.chance(0.4):
            rounds += self._legs()
        rounds.append(client(branch(more.equals(0), [client(END)])))
        rounds += self._links_used(rounds)
        model.session(client(loop(rounds)))

    def _links_used(self, rounds: list[Any]) -> list[Any]:
        """Every stage is run: what is left is run here, for a moment."""
        flow = self._flow(1)
        return [flow, run(self.wait, 0.125 + self.prompt / 64)]

    def _flow(self, work: Number) -> Any:
        """A transfer over both links, or over one of them."""
        dice = self.dice
        stages = [
            self.out[self.i] if self.out.count > 1 else self.out,
            self.inward[self.j] if self.inward.count > 1 else self.inward,
        ]
        statement = run(stages[0], work, also=[stages[1]], share=self.fabric_share)
        if self.newer and dice.chance(0.7):
            latency = node(dice.number([0.0, 0.125, dice.seconds(0, 1), dice.drawn_seconds(0.2)]))
            statement = replace(statement, latency=latency, poster=dice.pick([None, 0, 1]))
        return statement

    def _at(self, resource: Any, slot: Value) -> Any:
        return resource[slot] if resource.count > 1 else resource

    def _cache(self, amount: Number) -> Number | None:
        dice = self.dice
        if dice.chance(0.4):
            return None
        if self.draws_cache:
            return minimum(amount, dice.drawn_count(0, 10))
        return dice.pick([amount, floor(amount / 2) if isinstance(amount, Value) else amount])

    def _lease_time(self) -> Number:
        dice = self.dice
        return dice.number([INF, INF, INF, dice.seconds(0, 3), dice.drawn_seconds(1.5)])

    def _prefill(self, lease: Number | None, body: list[Any] | None = None) -> Any:
        kv, seats, engine = self._at(self.source_kv, self.i), self._at(self.source_seats, self.i), self._at(self.source, self.i)
        known = maximum(self.prompt, computed + 1) if self.dice.chance(0.5) else self.prompt
        start = self.dice.pick(
            [self.prompt, minimum(known, call("BudgetLeft", engine) + call("CachedIn", kv)), minimum(self.prompt, 8)]
        )
        growing = kv if start is not self.prompt or self.dice.chance(0.5) else None
        inner = [
            prefill(engine, maximum(0, self.prompt - cached) if self.dice.chance(0.5) else self.prompt, growing),
            *(body or []),
        ]
        return hold(
            (seats, 1), (kv, start), body=inner, cache=self._cache(self.prompt), lease=None if lease is None else (kv, lease)
        )

    def _decode(self, before: list[Any], *, whole: bool) -> Any:
        kv, seats, engine = self._at(self.target_kv, self.j), self._at(self.target_seats, self.j), self._at(self.target, self.j)
        body = [*before, decode(engine, self.output, kv)]
        reserve = self.dice.pick([None, None, self.prompt + self.output])
        take = (kv, self.prompt) if reserve is None else (kv, self.prompt, reserve)
        del whole
        return hold((seats, 1), take, body=body, cache=self._cache(self.prompt + self.output))

    def _pull(self) -> list[Any]:
        """The decoder takes its room and then fetches what the prefiller leased."""
        amount = maximum(0, self.prompt - cached) if self.dice.chance(0.4) else self.prompt
        kv = self._at(self.target_kv, self.j)
        source = self._at(self.source_kv, self.i)
        fetch: list[Any] = [self._flow(amount)]
        if self.dice.chance(0.8):
            fetch.append(load(kv, minimum(amount, self.prompt) if self.dice.chance(0.9) else self.prompt + 1))
        fetch.append(release(source))
        return [self._prefill(self._lease_time()), self._decode(fetch, whole=True)]

    def _push(self) -> list[Any]:
        """The decoder takes its room first; a leg prefills and sends."""
        source = self._at(self.source_kv, self.i)
        leg = fork([self._prefill(self.dice.pick([None, 2.0, INF]), [self._flow(self.prompt)])])
        inner: list[Any] = [leg, JOIN]
        if self.dice.chance(0.5):
            inner.append(release(source)) if any(self._leases(leg)) else None
        kv = self._at(self.target_kv, self.j)
        if self.model._pools[self.target_kv.base].preempt is not None:
            return [leg, JOIN, self._decode([load(kv, minimum(self.prompt, 4))], whole=False)]
        return [self._decode(inner, whole=False)]

    def _leases(self, leg: Any) -> list[Any]:
        return [statement for statement in leg.body if getattr(statement, "lease", None) is not None]

    def _plain(self) -> list[Any]:
        """Prefill and decode on the two arrays, with nothing between."""
        rounds: list[Any] = [self._prefill(None)]
        if self.dice.chance(0.5):
            rounds.append(self._flow(self.prompt))
        rounds.append(self._decode([], whole=False))
        if self.dice.chance(0.2):
            rounds.append(drop(self._at(self.target_kv, self.j)))
        return rounds

    def _nested(self) -> list[Any]:
        """The decode inside the prefiller's hold."""
        return [self._prefill(None, [self._flow(self.prompt), self._decode([], whole=False)])]

    def _legs(self) -> list[Any]:
        """Legs with holds, draws and leases of their own."""
        dice, model = self.dice, self.model
        legs: list[Any] = []
        for _ in range(dice.count(1, 3)):
            work = dice.number([0.5, sample("Exp", 0.5), self.prompt / 16])
            body: list[Any] = [assign(self.value, sample("Uniform", 0, 4)), run(self.wait, work), model.observe("leg", self.value)]
            if dice.chance(0.4):
                kv = self._at(self.source_kv, self.i)
                lease = dice.pick([None, (kv, 0.5), (kv, INF), (kv, sample("Exp", 1.0))])
                units = dice.number([2, 4, self.prompt, self.prompt + 40])
                body.append(hold((kv, units), body=[run(self.wait, dice.seconds(0, 1))], lease=lease, cache=self._cache(4)))
            if dice.chance(0.2):
                body.append(repeat(self.value > 1, [run(self.wait, 0.25), assign(self.value, self.value - 1)]))
            if dice.chance(0.2):
                body.append(decode(self._at(self.target, self.j), dice.count(0, 4)))
            legs.append(fork(body))
        if dice.chance(0.2):
            legs.append(run(self.wait, 0.3))
        return [*legs, JOIN]


def pairs(seed: int) -> Generated:
    """A random program of prefillers, decoders and links."""
    return Pair(seed).build("pairs")


__all__ = ["Pair", "attributes", "pairs", "queries", "turn_no"]
