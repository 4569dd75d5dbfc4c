"""What random programs found about pools: units that go back, and what is cached of shared chains.

Every expected number was measured on pyserq 0.1.6; where that is installed, it is asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from grammar import ir
from grammar.ir_json import to_json
from tests.engine.programs import INF, TURN, Model, Number, branch, cached, call, grow, hold, node, now, run, serial, shrink
from tests.oracle.finding import Found, observed
from tests.oracle.judging import ours
from tests.oracle.reference import Reference


def chained(take: Any, chain: list[tuple[Number, float]], **options: Any) -> ir.Hold:
    """A hold with a chain of (key, length)."""
    made: ir.Hold = replace(hold(take, **options), prefix=tuple(ir.Segment(node(key), node(length)) for key, length in chain))
    return made


def freeing(*, by_shrink: bool, leased: bool = False) -> Callable[[], ir.Program]:
    """Some units of p1 come back at 5: a growth in it waits for them, and a hold of p0 and p1, of another queue."""

    def program() -> ir.Program:
        model = Model()
        other, pool, wait = model.pool("p0", 6), model.pool("p1", 6), model.delay()
        freed = [shrink(pool, 2), run(wait, 5)] if by_shrink else []
        if leased:
            first = [hold((pool, 4), body=[run(wait, 5)], lease=(pool, INF)), *freed]
        else:
            first = [hold((pool, 4), body=[run(wait, 5), *freed])]
        second = [run(wait, 1), hold((pool, 2), body=[grow(pool, 2), model.observe("grew", now), run(wait, 3)])]
        asked = 2 if by_shrink else 4
        third = [run(wait, 2), hold((other, 1), (pool, asked), body=[model.observe("admitted", now), run(wait, 3)])]
        model.session(TURN, branch(serial.equals(0), first, [branch(serial.equals(1), second, third)]))
        model.batch(3)
        return model.build(20)

    return program


def spilled_over(every: float | None, *, cache: bool, leased: bool) -> Callable[[], ir.Program]:
    """A spill at 1.5 puts 4 units into a tier of 1, of which a hold has all until 1.75, or a lease until 4.75."""

    def program() -> ir.Program:
        model = Model()
        pool, tier, copies, wait = model.pool("p", 4, spill=(1, 0, 1, 1)), model.pool("tier", 1), model.delay("c"), model.delay()
        del copies
        model._pools[tier.base] = replace(model._pools[tier.base], preempt=ir.Leases((ir.Num(1.0),), every))
        inner = hold((pool, 3), body=[run(wait, 0.25)])
        lease = (tier, 3) if leased else None
        spilling = [run(wait, 1.5), hold((tier, 1), body=[inner], cache=1 if cache else None, lease=lease), run(wait, 8)]
        reads = [model.observe("in", call("CachedIn", tier)), run(wait, 0.4), model.observe("in", call("CachedIn", tier))]
        owner = [hold((pool, 4), cache=4, body=[run(wait, 1)]), run(wait, 0.625), *reads, run(wait, 6), reads[2]]
        # Nobody else leases: a pool that no hold leases may not take leases.
        leasing = [hold((tier, 1), lease=(tier, 1))]
        model.session(TURN, branch(serial.equals(0), owner, [branch(serial.equals(1), spilling, leasing)]))
        model.batch(2)
        return model.build(20)

    return program


def grown_past(every: float | None, *, suspend: bool, victim: Number) -> Callable[[], ir.Program]:
    """Leases of 4 and 3 beside a hold of 2 of 10 units: at 0.5 the first grows by 3; who has the least gives way.

    Used and what the first session has are observed at 0.5, at 1.25 and at 5.25.
    """

    def program() -> ir.Program:
        model = Model()
        pool, wait = model.pool("p", 10), model.delay()
        keys = (node(victim),)
        policy = ir.Leases(keys, every, keys if suspend else None)
        model._pools[pool.base] = replace(model._pools[pool.base], preempt=policy)
        look = [model.observe("used", call("Used", pool)), model.observe("has", call("Allocated", pool))]
        first = [
            hold((pool, 4), lease=(pool, INF)),
            run(wait, 0.5),
            grow(pool, 3),
            *look,
            run(wait, 0.75),
            *look,
            run(wait, 4),
            *look,
        ]
        second = [run(wait, 0.125), hold((pool, 3), lease=(pool, INF)), run(wait, 6)]
        third = [hold((pool, 2), body=[run(wait, 2.5)]), run(wait, 6)]
        model.session(TURN, branch(serial.equals(0), first, [branch(serial.equals(1), second, third)]))
        model.batch(3)
        return model.build(20)

    return program


CHAIN: list[tuple[Number, float]] = [(1, 2), (serial, INF)]


def after_a_chain(second: Callable[[Any, Any], ir.Hold]) -> Callable[[], ir.Program]:
    """A session leaves 2 + 2 units of a chain cached; what a second hold finds, what it sees, what a third finds."""

    def program() -> ir.Program:
        model = Model()
        pool, wait = model.pool("p", 40, block=1), model.delay()

        def reads() -> list[Any]:
            return [model.observe("in", call("CachedIn", pool)), model.observe("used", call("Used", pool))]

        hit = model.observe("hit", cached)
        first = chained((pool, 5), CHAIN, body=[run(wait, 1), hit], cache=4)
        between = second((pool, 4), [*reads(), hit, run(wait, 1)])
        model.session(TURN, first, between, *reads(), run(wait, 1), first)
        return model.build(20)

    return program


def dead_beside_its_chain(depth: int, others: int) -> Callable[[], ir.Program]:
    """A session's own part is dead as a whole, then one unit has to go: its own, or one of what it stood on.

    Before, as many others as said cached a chain each and lost it, which decides whose place is the lower.
    """

    def program() -> ir.Program:
        model = Model()
        pool, wait = model.pool("p", 200, block=1), model.delay()
        chain: list[tuple[Number, float]] = [*((10 + i, 4.0) for i in range(depth)), (serial, INF)]
        total = depth * 4 + 4
        leaving = chained((pool, total), chain, cache=total)
        reusing = chained((pool, total), chain, cache=0, reuse=depth * 4)
        owner = [run(wait, 1), leaving, reusing, run(wait, 2), model.observe("in", call("CachedIn", pool)), run(wait, 2)]
        taking = [run(wait, 2.5), hold((pool, 200 - total + 1))]
        other = chained((pool, 3), [(serial + 50, 1), (serial, INF)], body=[run(wait, 0.1)], cache=3)
        passing = [other, run(wait, 0.2), hold((pool, 200))]
        model.session(TURN, branch(serial.equals(0), owner, [branch(serial.equals(1), taking, passing)]))
        model.batch(2 + others)
        return model.build(20)

    return program


FOUND: dict[str, Found] = {
    "a shrink offers what went back to the growths of its pool before all others": Found(
        freeing(by_shrink=True), {"grew": [5.0], "admitted": [8.0]}
    ),
    "a shrink of a lease offers what went back to the growths of its pool before all others": Found(
        freeing(by_shrink=True, leased=True), {"grew": [5.0], "admitted": [8.0]}
    ),
    "the end of a scope offers what went back pool by pool": Found(freeing(by_shrink=False), {"grew": [8.0], "admitted": [5.0]}),
    # Read at 1.625, at 2.025 and at 8.025.
    "what a spill puts over the capacity stays where no leases come back": Found(
        spilled_over(None, cache=True, leased=False), {"in": [4.0, 4.0, 4.0]}
    ),
    "where leases come back it gives way when units go back": Found(
        spilled_over(8.0, cache=True, leased=False), {"in": [4.0, 0.0, 0.0]}
    ),
    "where leases come back it gives way when units go back and leave nothing cached": Found(
        spilled_over(8.0, cache=False, leased=False), {"in": [4.0, 0.0, 0.0]}
    ),
    "where leases come back it gives way at a tick": Found(spilled_over(2.0, cache=True, leased=True), {"in": [4.0, 0.0, 0.0]}),
    "where leases come back it gives way when a lease ends": Found(
        spilled_over(8.0, cache=True, leased=True), {"in": [4.0, 4.0, 0.0]}
    ),
    # 4 + 3 + 2 used, and 3 asked for.
    "a lease that grows may be taken itself, and then grows no more": Found(
        grown_past(None, suspend=False, victim=serial), {"used": [5.0, 5.0, 3.0], "has": [0.0, 0.0, 0.0]}
    ),
    "a lease that grows takes another": Found(
        grown_past(None, suspend=False, victim=-serial), {"used": [9.0, 9.0, 7.0], "has": [7.0, 7.0, 7.0]}
    ),
    "where leases have ticks a lease grows past the capacity, and at the tick leases are taken": Found(
        grown_past(1.0, suspend=False, victim=serial), {"used": [12.0, 5.0, 3.0], "has": [7.0, 0.0, 0.0]}
    ),
    "where leases have ticks another lease may be taken at the tick": Found(
        grown_past(1.0, suspend=False, victim=-serial), {"used": [12.0, 9.0, 7.0], "has": [7.0, 7.0, 7.0]}
    ),
    # From 2.5 on it has room again, with all it grew by.
    "a lease that grew past the capacity comes back as it grew": Found(
        grown_past(1.0, suspend=True, victim=serial), {"used": [12.0, 5.0, 10.0], "has": [7.0, 0.0, 7.0]}
    ),
    "a hold with a chain and without a cache takes nothing over and is seen as its chain": Found(
        after_a_chain(lambda take, body: chained(take, CHAIN, body=body)),
        {"in": [4.0, 4.0], "used": [4.0, 0.0], "hit": [0.0, 0.0, 4.0]},
    ),
    "a hold without a chain beside chains has a prefix of its own": Found(
        after_a_chain(lambda take, body: hold(take, body=body, cache=3)),
        {"in": [0.0, 3.0], "used": [4.0, 0.0], "hit": [0.0, 0.0, 4.0]},
    ),
    "a hold without a cache beside chains hides the chain its session left": Found(
        after_a_chain(lambda take, body: hold(take, body=body)),
        {"in": [0.0, 4.0], "used": [4.0, 0.0], "hit": [0.0, 0.0, 4.0]},
    ),
    # The places are 0 for the chain and 1 for what is dead of it.
    "of what was released at once the lowest place goes first": Found(dead_beside_its_chain(1, 0), {"in": [3.0]}),
    # Three chains of two places each were lost: those freed last, 5, 6 and 3, are taken first, and what is dead has 3.
    "a place freed before is taken again, the last one first": Found(dead_beside_its_chain(2, 3), {"in": [8.0]}),
    "a place freed before is taken again along the whole chain": Found(dead_beside_its_chain(3, 3), {"in": [11.0]}),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_about_pools_holds(name: str) -> None:
    found = FOUND[name]
    assert observed(ours(to_json(found.program(), 14))) == found.observed


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_about_pools_was_measured(name: str, reference: Reference) -> None:
    found = FOUND[name]
    assert observed(reference.run(to_json(found.program(), 14))) == found.observed
