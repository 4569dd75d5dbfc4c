"""What random programs found: facts of the reference that no document states, each as the smallest program that shows it.

Every expected number was measured on pyserq 0.1.6; where that is installed, it is asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from grammar import ir
from grammar.ir_json import to_json
from tests.engine.programs import (
    JOIN,
    TURN,
    Model,
    Number,
    PoolOf,
    Value,
    aggregate,
    assign,
    branch,
    call,
    ctx,
    decode,
    floor,
    fork,
    grow,
    hold,
    load,
    node,
    now,
    prefill,
    put,
    run,
    sample,
    serial,
    serve,
    shrink,
    where,
)
from tests.oracle.finding import Found, observed
from tests.oracle.judging import ours
from tests.oracle.reference import Reference


def below_zero(x: Value) -> Value:
    """Whether a number is 0 with its sign set: its inverse tells."""
    return 1 / x < 0


# ------------------------------------------------------------------------------ the programs


def decoding(cost: Number, body: Any = None, registers: int = 0) -> ir.Program:
    """One session decodes one token; its time is what the iteration lasts."""
    model = Model()
    for k in range(registers):
        model.register(f"r{k}")
    engine = model.engine(cost=cost, body=body)
    model.session(TURN, decode(engine, 1), model.observe("done", now))
    return model.build(10)


def planning(name: str, *, served: bool = False) -> ir.Program:
    """A register notes, before or after the decode is served, whether a total is below zero."""
    register = Value(ir.Reg(0))
    note = put(register, below_zero(ctx(name)))
    return decoding(1 + register, [serve(), note] if served else [note, serve()], registers=1)


def only_preempting() -> ir.Program:
    """A growth that preempts itself and nothing else: the iteration has no tokens."""
    model = Model()
    kv = model.pool("kv", 2, preempt=(serial,))
    engine = model.engine(cost=where(below_zero(ctx("Ntok")), 3, 1), memory=kv)
    model.session(TURN, hold((kv, 1), body=[model.observe("begins", now), decode(engine, 4, kv)]))
    return model.build(8)


def shrinking(before: list[Any], by: float) -> Callable[[], ir.Program]:
    """A hold of 12 units that shrinks."""

    def program() -> ir.Program:
        model = Model()
        pool, wait = model.pool("p", 100), model.delay()
        steps = [step(pool) for step in before]
        body = [*steps, shrink(pool, by), model.observe("left", call("Allocated", pool)), run(wait, 1)]
        model.session(TURN, hold((pool, 12), body=body))
        return model.build(10)

    return program


def shrink_beside_a_queue() -> ir.Program:
    """Two decodes end with one iteration; the first session then asks for the pool the second shrinks."""
    model = Model()
    seat, pool = model.pool("seat", 1), model.pool("p", 10)
    engine = model.engine()
    waiting = [hold((seat, 1), body=[decode(engine, 2)]), hold((pool, 4))]
    shrinking = [hold((pool, 4), body=[decode(engine, 2), shrink(pool, 0), model.observe("used", call("Used", pool))])]
    model.session(TURN, branch(serial.equals(0), waiting, shrinking))
    model.batch(2)
    return model.build(10)


def beside_a_reserve(units: float) -> Callable[[], ir.Program]:
    """A hold of 8 of 40 units that reserves 16 shrinks by 4; another session asks for some."""

    def program() -> ir.Program:
        model = Model()
        pool, wait = model.pool("p", 40, reserve_held=True), model.delay()
        first = [hold((pool, 8, 16), body=[shrink(pool, 4), run(wait, 5)])]
        second = [run(wait, 1), hold((pool, units), body=[model.observe("admitted", now)])]
        model.session(TURN, branch(serial.equals(0), first, second))
        model.batch(2)
        return model.build(3)

    return program


def over_cap() -> ir.Program:
    """A hold that asks a member of an array for more than it can have waits for ever."""
    model = Model()
    pool, wait = model.pool("p", 4, members=2), model.delay()
    model.session(TURN, hold((pool[1], 5 + 0 * now), body=[run(wait, 1)]))
    return model.build(10)


def leg_in_its_own_way(units: float, reserve: float) -> Callable[[], ir.Program]:
    """A leg waits inside its hold of 4 of 6 units for more of the same pool; its session joins it."""

    def program() -> ir.Program:
        model = Model()
        pool, wait = model.pool("p", 6), model.delay()
        inner = hold((pool, units, reserve))
        model.session(TURN, run(wait, 1), model.observe("forks", now), fork([hold((pool, 4), body=[inner])]), JOIN)
        return model.build(5)

    return program


def greatest_of(number: Callable[[Value], Number]) -> Callable[[], ir.Program]:
    """An observation whose p99 is null exactly when the number, which is none, stands above every other."""

    def program() -> ir.Program:
        model = Model()
        zero = model.size("zero")
        model.session(TURN, model.observe("x", where(serial.equals(1), number(zero), 1)), run(model.delay(), 1))
        model.batch(3)
        return model.build(5)

    return program


def endless_capacity() -> ir.Program:
    """Three jobs of one instant on a stage of infinite capacity."""
    model = Model()
    wait, fast = model.delay(), model.ps("fast", float("inf"))
    model.session(TURN, run(wait, 0.125), run(fast, 0.125), run(fast, 0.125), model.observe("who", serial))
    model.batch(3)
    return model.build(1)


def leased(change: Callable[[PoolOf], Any], cap: float = 40) -> Callable[[], ir.Program]:
    """A lease of 8 units, of which a hold keeps all cached, that is changed after the hold."""

    def program() -> ir.Program:
        model = Model()
        pool, wait = model.pool("p", cap), model.delay()
        model.session(
            TURN,
            hold((pool, 8), body=[run(wait, 1)], cache=20, lease=(pool, 5)),
            change(pool),
            model.observe("allocated", call("Allocated", pool)),
            run(wait, 6),
            model.observe("cached", call("CachedIn", pool)),
        )
        return model.build(20)

    return program


def requesting(
    given: float,
    asked: float,
    units: Number,
    *,
    block: float | None = None,
    memory: bool = True,
    cache: Number | None = None,
    reuse: Number | None = None,
) -> Callable[[], ir.Program]:
    """Two requests, one after the other, of a session to an engine of one token an iteration."""

    def program() -> ir.Program:
        model = Model()
        kv = model.pool("kv", block=block)
        engine = model.engine(budget=1, memory=kv if memory else None)
        slots = [model.value(name).slot for name in ("admitted", "first", "reused", "prefilled")]
        records = ir.RequestRecords(model.observation("hit"), model.observation("prefill"), *slots)
        clause = ir.RequestClause(
            (ir.Take(kv.ref, node(units)),), records, None if reuse is None else node(reuse), None if cache is None else node(cache)
        )
        stage = model._stages[engine.base]
        assert isinstance(stage.kind, ir.Step)
        model._stages[engine.base] = replace(stage, kind=replace(stage.kind, request=clause))
        request = ir.Request(engine.ref, node(given), node(asked))
        after = [model.observe("done", now), model.observe("cached", call("CachedIn", kv))]
        model.session(TURN, run(model.delay(), 1), request, *after, request, *after)
        return model.build(40)

    return program


def loading(given: float, brought: float, moved: float) -> Callable[[], ir.Program]:
    """A request of which a connector brings some tokens in as many seconds and moves some into the memory."""

    def program() -> ir.Program:
        model = Model()
        kv, copies = model.pool("kv"), model.delay("copies")
        engine = model.engine(budget=1, memory=kv)
        slots = [model.value(name).slot for name in ("admitted", "first", "reused", "prefilled", "loaded", "saved", "done")]
        records = ir.RequestRecords(model.observation("hit"), model.observation("prefill"), *slots[:4])
        clause = ir.RequestClause((ir.Take(kv.ref, ir.Num(8.0)),), records, cache=ir.Num(20.0))
        connector = ir.Connector(slots[4], slots[5], slots[6], record=model.observation("brought"), load=(ir.Num(brought), 3))
        request = ir.Request(engine.ref, ir.Num(given), ir.Num(2.0))
        model.session(TURN, request, model.observe("done", now), model.observe("cached", call("CachedIn", kv)))
        built = model.build(40)
        stages = [
            replace(stage, kind=replace(stage.kind, request=clause, connector=connector))
            if isinstance(stage.kind, ir.Step)
            else stage
            for stage in built.stages
        ]
        fetch = (run(copies, brought), load(kv, moved))
        return replace(built, stages=tuple(stages), blocks=(*built.blocks, fetch), sides=(*built.sides, ("Server", "Server")))

    return program


def latency_beside_a_flow() -> ir.Program:
    """A flow runs alone; at 0.3 another run begins to wait, from 0.4 on they share."""
    model = Model()
    wait, link, other = model.delay(), model.ps("link", 1), model.ps("other", 1)
    flow = run(link, 1, also=[other])
    first = [flow, model.observe("done", now)]
    second = [run(wait, 0.3), replace(flow, latency=ir.Num(0.1))]
    model.session(TURN, branch(serial.equals(0), first, second))
    model.batch(2)
    return model.build(10)


FOUND: dict[str, Found] = {
    "the attention of a batch without a prefill is minus zero": Found(
        lambda: decoding(where(below_zero(ctx("Attn")), 3, 1)), {"done": [3.0]}
    ),
    "the tokens of a schedule that has served nobody are minus zero": Found(lambda: planning("Ntok"), {"done": [2.0]}),
    "the prefill tokens of a schedule that has served nobody are minus zero": Found(lambda: planning("Npre"), {"done": [2.0]}),
    "the prefill tokens of a schedule that has served a decode are minus zero": Found(
        lambda: planning("Npre", served=True), {"done": [2.0]}
    ),
    "the tokens of a schedule that has served a decode are its tokens": Found(
        lambda: planning("Ntok", served=True), {"done": [1.0]}
    ),
    "the tokens of an iteration that only preempted are minus zero": Found(only_preempting, {"begins": [0.0, 5.0]}),
    "a shrink stops at what is computed": Found(shrinking([lambda p: load(p, 8)], 9), {"left": [8.0]}),
    "a shrink of what is all computed changes nothing": Found(shrinking([lambda p: load(p, 12)], 3), {"left": [12.0]}),
    "a shrink, even by nothing, admits who waits": Found(shrink_beside_a_queue, {"used": [8.0]}),
    "a grow outside a hold grows the lease, of which no more is computed": Found(
        leased(lambda pool: grow(pool, 4)), {"allocated": [12.0], "cached": [8.0]}
    ),
    "a shrink outside a hold shrinks the lease and what of it is computed": Found(
        leased(lambda pool: shrink(pool, 3)), {"allocated": [5.0], "cached": [5.0]}
    ),
    "a shrink of a lease to nothing fails": Found(leased(lambda pool: shrink(pool, 8)), None),
    "a grow of a lease past the capacity fails": Found(leased(lambda pool: grow(pool, 4), cap=11), None),
    "a request that knows nothing decodes all it asks for": Found(
        requesting(0, 3, 4), {"hit": [0.0, 0.0], "prefill": [0.0, 0.0], "done": [4.0, 7.0], "cached": [0.0, 0.0]}
    ),
    "a request that ends knows all it generated": Found(
        requesting(4, 3, ctx("Known"), cache=ctx("Known")),
        {"hit": [0.0, 6.0], "prefill": [4.0, -2.0], "done": [7.0, 9.0], "cached": [6.0, 7.0]},
    ),
    "an engine without memory reuses nothing": Found(
        requesting(4, 1, ctx("Known"), memory=False, cache=4),
        {"hit": [0.0, 0.0], "prefill": [4.0, 4.0], "done": [5.0, 9.0], "cached": [4.0, 4.0]},
    ),
    # 4 units allocated and 12 - 4 still reserved leave 28.
    "a shrink gives as much of the reserve back": Found(beside_a_reserve(28), {"admitted": [1.0]}),
    "a shrink gives no more of the reserve back": Found(beside_a_reserve(29), {"admitted": []}),
    # 2 seconds for the copy, 2 tokens of the prefill, 1 decode; all 4 + 1 tokens computed are cached.
    "what a connector brings is not prefilled": Found(
        loading(4, 2, 2), {"hit": [0.0], "prefill": [2.0], "brought": [2.0], "done": [5.0], "cached": [5.0]}
    ),
    "a request that is brought all it knows and more still prefills its last token": Found(
        loading(4, 6, 6), {"hit": [0.0], "prefill": [1.0], "brought": [6.0], "done": [8.0], "cached": [5.0]}
    ),
    "what a connector brings and does not move is prefilled all the same": Found(
        loading(4, 2, 0), {"hit": [0.0], "prefill": [2.0], "brought": [2.0], "done": [7.0], "cached": [5.0]}
    ),
    "sessions that wait for room a reserve asks for are in no knot": Found(leg_in_its_own_way(1, 3), {"forks": [1.0]}),
    "sessions that wait for room their units ask for are in a knot": Found(leg_in_its_own_way(3, 3), None),
    # 0.4 + (1 - 0.3 - 0.1) / 0.5 in this order; with one step from 0 to 0.4 it would be 1.6.
    "the work flows have left is brought up to date when a latency begins": Found(
        latency_beside_a_flow, {"done": [1.5999999999999996]}
    ),
    "on a stage of infinite capacity the jobs that came later leave first": Found(endless_capacity, {"who": [1.0, 2.0, 0.0]}),
}

NO_NUMBERS: dict[str, tuple[Callable[[Value], Number], bool]] = {
    "0/0": (lambda zero: zero / zero, False),
    "the root of -1": (lambda zero: call("Sqrt", zero - 1), False),
    "the logarithm of -1": (lambda zero: call("Ln", zero - 1), True),
    "the root of -(0/0)": (lambda zero: call("Sqrt", -(zero / zero)), True),
    "the logarithm of -(0/0)": (lambda zero: call("Ln", -(zero / zero)), True),
    "(0/0) to the power of -1": (lambda zero: (zero / zero) ** -1.0, True),
    "(0/0) to the power of 2": (lambda zero: (zero / zero) ** 2.0, False),
}
"""What is no number, and whether it stands above all numbers in an order (else below)."""


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_holds(name: str) -> None:
    found = FOUND[name]
    assert observed(ours(to_json(found.program(), 14))) == found.observed


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_was_measured(name: str, reference: Reference) -> None:
    found = FOUND[name]
    assert observed(reference.run(to_json(found.program(), 14))) == found.observed


@pytest.mark.parametrize("name", NO_NUMBERS)
def test_what_is_no_number_has_the_reference_place_in_an_order(name: str, reference: Reference) -> None:
    number, above = NO_NUMBERS[name]
    data = to_json(greatest_of(number)(), 14)
    for result in (reference.run(data), ours(data)):
        assert (result["report"]["observes"]["x"]["p99"] is None) == above


def test_the_hit_of_a_request_is_not_rounded_to_blocks_where_reuse_bounds_it() -> None:
    # The first request takes 2 units from 1 to 3 and 4 from 3 to 5. The second reads a hit of 3, not of
    # 2, takes 2 + 3 units, 6 in blocks, from 5 to 7: 4 + 8 + 12 unit seconds of 40 seconds.
    result = ours(to_json(requesting(4, 1, 2 + ctx("Hit"), block=2, cache=4, reuse=3)(), 14))
    assert result["report"]["pools"][0]["mean_used"] == (4 + 8 + 12) / 40


def test_decodes_and_a_prefill_that_end_with_one_iteration_are_measured_in_the_order_served() -> None:
    # The running mean of the stays takes them one by one: another order gives other last digits.
    model = Model()
    tokens = model.size("tokens")
    engine = model.engine(budget=4, cost=0.25, serve=(where(ctx("Decoding"), 0, 1),))
    seat, wait = model.pool("seat"), model.delay()
    model.turn(assign(tokens, floor(sample("Uniform", 0, 16))))
    model.arrive(ir.Closed(4))
    model.session(run(wait, 0.125), TURN, hold((seat, 0), body=[decode(engine, tokens), prefill(engine, 1)]))
    result = ours(to_json(model.build(6.25), 14))
    assert result["report"]["stages"][0]["mean_service"] == 0.9078947368421051


@pytest.mark.parametrize(
    ("kind", "below"),
    [
        ("Total", True),
        ("PrefixTotal", True),
        ("Count", False),
        ("Largest", False),
        ("Smallest", False),
    ],
)
def test_the_sums_of_no_observation_are_minus_zero(kind: str, below: bool, reference: Reference) -> None:
    model = Model()
    observation = model.observation("nothing")
    model.claim("below", "AtEnd", below_zero(aggregate(kind, observation)))
    model.session(TURN)
    data = to_json(model.build(1), 14)
    for result in (reference.run(data), ours(data)):
        assert result["report"]["claims"][0]["result"] == ("holds" if below else "fails")


def test_a_head_that_asks_too_much_names_the_member_it_waits_at() -> None:
    result = ours(to_json(over_cap(), 14))
    assert result["report"]["pools"][1]["over_cap"] == {"queue": "p[1]", "need": 5}
