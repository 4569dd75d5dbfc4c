"""What random programs found about cached prefixes that sessions share.

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
    INF,
    JOIN,
    TURN,
    Model,
    Number,
    PoolOf,
    assign,
    branch,
    cached,
    call,
    ctx,
    drop,
    fork,
    hold,
    node,
    now,
    run,
    serial,
    turn_no,
)
from tests.oracle.finding import Found, observed
from tests.oracle.judging import ours
from tests.oracle.reference import Reference

Chain = list[tuple[Number, float]]
OWN: tuple[Number, float] = (serial, INF)


def chained(take: Any, chain: Chain, **options: Any) -> ir.Hold:
    """A hold with a chain of (key, length)."""
    made: ir.Hold = replace(hold(take, **options), prefix=tuple(ir.Segment(node(key), node(length)) for key, length in chain))
    return made


def in_turn(block: float, first: Chain, second: Chain) -> Callable[[], ir.Program]:
    """Session 0 leaves 12 units of a chain cached, session 1 12 of another; then each comes again: what each finds."""

    def program() -> ir.Program:
        model = Model()
        pool, wait = model.pool("p", 400, block=block), model.delay()

        def holding(chain: Chain) -> ir.Hold:
            return chained((pool, 12), chain, body=[model.observe("hit", cached), run(wait, 1)], cache=12)

        one = [holding(first), run(wait, 2), holding(first)]
        other = [run(wait, 1.5), holding(second), run(wait, 3), holding(second)]
        model.session(TURN, branch(serial.equals(0), one, other))
        model.batch(2)
        return model.build(10)

    return program


def one_after_another(*steps: Callable[[PoolOf, Callable[..., Any]], Any]) -> Callable[[], ir.Program]:
    """One session does some things to a pool; after each it reads its cached prefix."""

    def program() -> ir.Program:
        model = Model()
        pool, wait = model.pool("p", 400, block=1), model.delay()
        look = model.observe("in", call("CachedIn", pool))

        def holding(chain: Chain, lease: float | None = None) -> ir.Hold:
            body = [model.observe("hit", cached), look, run(wait, 1)]
            return chained((pool, 8), chain, body=body, cache=7, lease=None if lease is None else (pool, lease))

        body: list[Any] = []
        for step in steps:
            body += [step(pool, holding), look]
        model.session(TURN, *body)
        return model.build(20)

    return program


def parted_while_in_use() -> ir.Program:
    """A chain of 8 is used whole by a hold while another, whose chain goes on after 4 of it, leaves 12 cached."""
    model = Model()
    pool, wait = model.pool("p", 400, block=1), model.delay()
    long: Chain = [(1, 8)]
    short: Chain = [(1, 4), (2, 8)]
    look = model.observe("in", call("CachedIn", pool))
    one = [chained((pool, 8), long, body=[run(wait, 1)], cache=8), chained((pool, 8), long, body=[run(wait, 2)], cache=8)]
    other = [run(wait, 1.5), chained((pool, 12), short, cache=12), look, run(wait, 3), chained((pool, 12), short, cache=12), look]
    model.session(TURN, branch(serial.equals(0), one, other))
    model.batch(2)
    return model.build(10)


def orphaned(*, refused: bool) -> ir.Program:
    """A leg reads, in no hold, what its session left cached; once beside it, once after its session was refused."""
    model = Model()
    pool, wait, big = model.pool("p", 4, block=1), model.delay(), model.size("big")
    model.init(assign(big, 100))
    leg = [run(wait, 0.5), model.observe("in", call("CachedIn", pool)), run(wait, 1), model.observe("in", call("CachedIn", pool))]
    after = [hold((pool, big))] if refused else [run(wait, 1)]
    model.session(TURN, fork(leg), chained((pool, 2), [(1, 1)], cache=1), run(wait, 1), *after, JOIN)
    return model.build(10)


def beside_a_longer_segment(cap: float) -> Callable[[], ir.Program]:
    """From 1 to 3 a hold uses all 8 of a segment; at 1.5 another, that goes on after 4 of it, asks for 12 and may reuse 8."""

    def program() -> ir.Program:
        model = Model()
        pool, wait = model.pool("p", cap, block=1), model.delay()
        long: Chain = [(1, 8)]
        short: Chain = [(1, 4), (2, 4)]
        one = [
            run(wait, 0.5),
            chained((pool, 8), long, cache=8),
            run(wait, 0.5),
            chained((pool, 8), long, body=[run(wait, 2)], cache=8),
        ]
        admitted = [model.observe("at", now), model.observe("hit", cached)]
        other = [chained((pool, 8), short, cache=8), run(wait, 1.5), chained((pool, 12), short, body=admitted, cache=8)]
        model.session(TURN, branch(serial.equals(0), one, other))
        model.batch(2)
        return model.build(10)

    return program


def beside_a_reuse_of_less(cap: float) -> Callable[[], ir.Program]:
    """From 1 to 3 a hold uses all 8 of a segment; at 1.5 another asks for 12 of it and may reuse 5."""

    def program() -> ir.Program:
        model = Model()
        pool, wait = model.pool("p", cap, block=1), model.delay()
        chain: Chain = [(1, 8)]
        one = [
            chained((pool, 8), chain, cache=8),
            run(wait, 1),
            chained((pool, 8), chain, body=[run(wait, 2)], cache=8),
        ]
        admitted = [model.observe("at", now), model.observe("hit", cached)]
        other = [run(wait, 1.5), chained((pool, 12), chain, body=admitted, reuse=5, cache=8)]
        model.session(TURN, branch(serial.equals(0), one, other))
        model.batch(2)
        return model.build(10)

    return program


def outlived(*, chain_last: bool) -> Callable[[], ir.Program]:
    """A session leaves 3 units of its own cached and 2 of a chain, and is refused at 1; a leg of it reads at 0.5 and at 1.5."""

    def program() -> ir.Program:
        model = Model()
        pool, wait, big = model.pool("p", 8, block=1), model.delay(), model.size("big")
        model.init(assign(big, 100))
        look = model.observe("in", call("CachedIn", pool))
        left = [hold((pool, 3), cache=3), chained((pool, 2), [(1, 2)], cache=2)]
        model.session(
            TURN,
            fork([run(wait, 0.5), look, run(wait, 1), look]),
            *(left if chain_last else reversed(left)),
            run(wait, 1),
            hold((pool, big)),
            JOIN,
        )
        return model.build(10)

    return program


def left_by_an_orphan() -> ir.Program:
    """A session is refused at once; a leg of it leaves a chain cached and reads, and another leg reads while that one runs."""
    model = Model()
    pool, wait, big = model.pool("p", 4, block=1), model.delay(), model.size("big")
    model.init(assign(big, 100))
    look = call("CachedIn", pool)
    leaves = [run(wait, 1), chained((pool, 1), [(1, 1)], cache=1), model.observe("itself", look), run(wait, 2)]
    reads = [run(wait, 2), model.observe("another", look)]
    model.session(TURN, fork(leaves), fork(reads), hold((pool, big)), JOIN)
    return model.build(10)


def evicting(first: tuple[float, float], second: float, *, gone: bool) -> Callable[[], ir.Program]:
    """Two sessions left one chain cached, a third its own with a = 4; what has the least a goes.

    Args:
        first: the first session's a as it left the chain, and afterwards.
        second: the second session's a.
        gone: whether the first session ends before the eviction.
    """

    def program() -> ir.Program:
        model = Model()
        a, wait = model.value("a"), model.delay()
        pool = model.pool("p", 20, block=1, evict=[a])
        shared: Chain = [(1, 4), (2, 1)]
        one = [assign(a, first[0]), chained((pool, 5), shared, cache=5), run(wait, 1), assign(a, first[1])]
        another = [run(wait, 0.5), assign(a, second), chained((pool, 5), shared, cache=5), run(wait, 12)]
        third = [assign(a, 4), hold((pool, 6), cache=6), run(wait, 3), model.observe("in", call("CachedIn", pool))]
        taking = [run(wait, 2.5), hold((pool, 14))]
        lasting = [] if gone else [run(wait, 12)]
        rest = branch(serial.equals(1), another, [branch(serial.equals(2), third, taking)])
        model.session(TURN, branch(serial.equals(0), [*one, *lasting], [rest]))
        model.batch(4)
        return model.build(20)

    return program


def hit_of_a_request() -> ir.Program:
    """A request leaves 4 units cached of which 3 are shared; another takes 8 and as much as it may reuse, four times."""
    model = Model()
    kv, wait = model.pool("kv", 100, block=4), model.delay()
    engine = model.engine(budget=4, memory=kv)
    slots = [model.value(name).slot for name in ("admitted", "first", "reused", "prefilled")]
    records = ir.RequestRecords(model.observation("hit"), model.observation("prefill"), *slots)
    prefix = (ir.Segment(ir.Num(1.0), ir.Num(3.0)), ir.Segment(serial.node, ir.Num(INF)))
    takes = (ir.Take(kv.ref, node(8 + 4 * ctx("Hit"))),)
    clause = ir.RequestClause(takes, records, cache=ctx("Known").node, prefix=prefix)
    stage = model._stages[engine.base]
    assert isinstance(stage.kind, ir.Step)
    model._stages[engine.base] = replace(stage, kind=replace(stage.kind, request=clause))
    request = ir.Request(engine.ref, ir.Num(6.0), ir.Num(1.0))
    second = [run(wait, 20), request]
    third = [run(wait, 20.5), model.observe("used", call("Used", kv))]
    model.session(TURN, branch(serial.equals(0), [request], [branch(serial.equals(1), second, third)]))
    model.batch(3)
    return model.build(40)


def waiting(sign: int) -> Callable[[], ir.Program]:
    """Two wait: one who left a chain of 4 cached for a hold without, one who left nothing for a hold of that chain."""

    def program() -> ir.Program:
        model = Model()
        pool = model.pool("p", 26, block=1, queue=[sign * call("CachedIn", PoolOf(0, 1))])
        wait = model.delay()
        chain: Chain = [(1, 4)]
        body = [model.observe("who", serial), run(wait, 1)]
        taking = [chained((pool, 4), chain, body=[run(wait, 0.1)], cache=4), run(wait, 0.6), hold((pool, 20), body=[run(wait, 2)])]
        one = [
            run(wait, 0.2),
            chained((pool, 4), chain, body=[run(wait, 0.1)], cache=4),
            run(wait, 0.7),
            hold((pool, 12), body=body, cache=1),
        ]
        other = [run(wait, 1), chained((pool, 12), chain, body=body, cache=1)]
        model.session(TURN, branch(serial.equals(0), taking, [branch(serial.equals(1), one, other)]))
        model.batch(3)
        return model.build(20)

    return program


FOUND: dict[str, Found] = {
    "who waits sees along the chain of the hold it waits for": Found(waiting(-1), {"who": [2, 1]}),
    "who waits sees nothing of a chain its next hold does not name": Found(waiting(1), {"who": [1, 2]}),
    # The hits of session 0, of session 1, of session 0 again and of session 1 again.
    "segments of one key share what they have in common, however long they are": Found(
        in_turn(2, [(1, 4), OWN], [(1, 8), OWN]), {"hit": [0.0, 4.0, 12.0, 12.0]}
    ),
    "a segment that goes on is not one that starts anew under its key": Found(
        in_turn(2, [(1, 4), (1, 4), OWN], [(1, 8), OWN]), {"hit": [0.0, 4.0, 12.0, 12.0]}
    ),
    "of a segment that is no whole block the whole blocks are taken over": Found(
        in_turn(2, [(1, 3), OWN], [(1, 3), OWN]), {"hit": [0.0, 2.0, 12.0, 12.0]}
    ),
    "a block may reach over two segments": Found(
        in_turn(2, [(1, 3), (2, 3), OWN], [(1, 3), (2, 3), OWN]), {"hit": [0.0, 6.0, 12.0, 12.0]}
    ),
    "keys that read alike are two where their expressions are": Found(
        in_turn(2, [(turn_no, 4), OWN], [(1, 4), OWN]), {"hit": [0.0, 0.0, 12.0, 12.0]}
    ),
    "a chain that ends keeps no more than it names": Found(
        in_turn(4, [(1, 5), (2, 2)], [(1, 5), (2, 2)]), {"hit": [0.0, 4.0, 4.0, 4.0]}
    ),
    "a drop forgets what is the session's own in all its chains, and nothing that others may share": Found(
        one_after_another(
            lambda _, holding: holding([(1, 4), OWN]),
            lambda _, holding: holding([(2, 3), OWN]),
            lambda pool, _: drop(pool),
            lambda _, holding: holding([(1, 4), OWN]),
        ),
        {"hit": [0.0, 0.0, 4.0], "in": [0.0, 7.0, 0.0, 7.0, 3.0, 4.0, 7.0]},
    ),
    "a lease is no hold whose chain is seen": Found(
        one_after_another(
            lambda _, holding: holding([(1, 4), OWN]),
            lambda _, holding: holding([(2, 3), OWN], 2),
            lambda _, holding: holding([(1, 4), OWN]),
        ),
        {"hit": [0.0, 0.0, 7.0], "in": [0.0, 7.0, 0.0, 7.0, 4.0, 7.0]},
    ),
    "a request may reuse whole blocks of a chain": Found(
        hit_of_a_request, {"hit": [0.0, 0.0], "prefill": [6.0, 6.0], "used": [8.0]}
    ),
    # Nothing after the first 4 can be kept while the whole 8 are in use; later they are parted.
    "a segment in use is not parted": Found(parted_while_in_use, {"in": [4.0, 12.0]}),
    # 8 used, 12 asked for, of which 4 are in use: what the other uses beyond them is not this one's (R4.8).
    "what is in use of a segment after a chain has gone on needs room": Found(
        beside_a_longer_segment(15), {"at": [3.0], "hit": [8.0]}
    ),
    # 8 used, 12 asked for, of which 5 are in use: 15.
    "of what is in use only what is used again needs no room": Found(beside_a_reuse_of_less(14), {"at": [3.0], "hit": [5.0]}),
    "what is used again of what is in use needs no room": Found(beside_a_reuse_of_less(15), {"at": [1.5], "hit": [5.0]}),
    "what is in use of a chain needs no room": Found(beside_a_longer_segment(16), {"at": [1.5], "hit": [8.0]}),
    "a leg sees what its session left cached": Found(lambda: orphaned(refused=False), {"in": [1.0, 1.0]}),
    "a leg whose session was refused does not see a chain of it": Found(lambda: orphaned(refused=True), {"in": [1.0, 0.0]}),
    "a leg whose session was refused sees what was its session's own, whatever it left last": Found(
        outlived(chain_last=True), {"in": [2.0, 3.0]}
    ),
    "a leg whose session was refused goes on seeing what was its session's own": Found(
        outlived(chain_last=False), {"in": [3.0, 3.0]}
    ),
    "a leg whose session was refused sees the chain it left cached, which no other leg does": Found(
        left_by_an_orphan, {"itself": [1.0], "another": [0.0]}
    ),
    # 5 + 6 cached and 14 taken are 5 above the capacity of 20.
    "a shared prefix is evicted by what its first owner is now": Found(evicting((5, 5), 3, gone=False), {"in": [1.0]}),
    "a shared prefix goes when its first owner comes to less": Found(evicting((5, 2), 5, gone=False), {"in": [6.0]}),
    "without its first owner a shared prefix is evicted by who left it last": Found(evicting((5, 5), 3, gone=True), {"in": [6.0]}),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_of_chains_holds(name: str) -> None:
    found = FOUND[name]
    assert observed(ours(to_json(found.program(), 14))) == found.observed


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_of_chains_was_measured(name: str, reference: Reference) -> None:
    found = FOUND[name]
    assert observed(reference.run(to_json(found.program(), 14))) == found.observed
