"""Random budgets, costs, chunks and schedules of an engine; knows no session."""

from __future__ import annotations

from typing import Any

from tests.engine.programs import (
    INF,
    Number,
    Value,
    admit,
    call,
    ctx,
    floor,
    maximum,
    minimum,
    put,
    sample,
    serve,
    when,
    where,
)
from tests.oracle.bench import Bench
from tests.oracle.dice import Leaf, asking, attributes, contexts

SERVE = "Now Nres Ndec Kvb Kvp Decoding Admission Remaining"


ONLY = "Nres Ndec Kvb Kvp Decoding Admission Remaining"


PLAN = "Ntok Ndec Npre Nres Kvb Kvp Admitted Preempted"


PLANNED = "Now Nres Ndec Kvb Kvp"


COST = "Now Ntok Ndec Npre Nres Kvb Kvp Attn"


def serve_keys(bench: Bench) -> tuple[Number, ...]:
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
        return serve(only=who, by=serve_keys(bench) if dice.chance(0.3) else None)

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
