"""What was found about prefixes that are spilled in pieces, shared ones among them, and about leases that are set aside.

Every expected number was measured on pyserq 0.1.6; where that is installed, it is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from grammar import ir
from grammar.ir_json import to_json
from tests.engine.programs import (
    INF,
    TURN,
    Model,
    Number,
    PoolOf,
    Value,
    assign,
    branch,
    cached,
    call,
    ctx,
    grow,
    hold,
    minimum,
    node,
    run,
    serial,
    where,
)
from tests.oracle.finding import Found, observed
from tests.oracle.judging import ours
from tests.oracle.reference import Reference

Chain = Sequence[tuple[Number, float]]


def _segments(chain: Chain) -> tuple[ir.Segment, ...]:
    return tuple(ir.Segment(node(key), node(length)) for key, length in chain)


def _serving(model: Model, memory: PoolOf, **clause: Any) -> Callable[[Number], ir.Request]:
    """An engine whose requests take what they know of its memory and keep it; makes a request of so many tokens."""
    engine = model.engine(memory=memory)
    slots = [model.value(name).slot for name in ("admitted", "first", "reused", "prefilled")]
    records = ir.RequestRecords(model.observation("hit"), model.observation("prefill"), *slots)
    takes = (ir.Take(memory.ref, clause.pop("units", ctx("Known")).node),)
    request = ir.RequestClause(takes, records, **clause)
    stage = model._stages[engine.base]
    assert isinstance(stage.kind, ir.Step)
    model._stages[engine.base] = replace(stage, kind=replace(stage.kind, request=request))
    return lambda tokens: ir.Request(engine.ref, node(tokens), ir.Num(1.0))


def spilled_as_whose() -> ir.Program:
    """Two sessions leave one chain of 4 units cached, a third one's hold takes all room: each looks into the tier."""
    model = Model()
    memory, tier = model.pool("m", 10, block=1, spill=(1, 0, 0.25, 1)), model.pool("tier", block=1)
    disk, wait = model.fifo("disk"), model.delay()
    assert disk.base == 0
    ask = _serving(model, memory, cache=ctx("Known").node, prefix=_segments([(1, 4)]))
    look = model.observe("in", call("CachedIn", tier))
    other = [run(wait, 3), ask(6), run(wait, 21), look]
    third = [run(wait, 5), hold((memory, 10))]
    model.session(TURN, branch(serial.equals(0), [ask(6), run(wait, 20), look], [branch(serial.equals(1), other, third)]))
    model.batch(3)
    return model.build(40)


def spilled_to_an_own_part() -> ir.Program:
    """A request leaves 4 units of its session's and 4 after them cached; 4 more are spilled there; two holds use what they find."""
    model = Model()
    memory, pool = model.pool("m", 30, block=1), model.pool("p", 10, block=1, spill=(0, 0, 0.25, 1))
    disk = model.fifo("disk")
    assert disk.base == 0
    ask = _serving(model, memory, cache=ctx("Known").node, prefix=_segments([(serial, 4), (2, 4)]))
    using = hold((memory, 12), body=[model.observe("used", cached)], cache=0)
    look = model.observe("in", call("CachedIn", memory))
    model.session(TURN, ask(8), hold((pool, 6), cache=6), hold((pool, 8)), using, look, using, look)
    return model.build(40)


def dead_and_spilled() -> ir.Program:
    """8 units in two segments are dead and spilled, another session's 6 as well; in the tier the smallest goes for 1 more."""
    model = Model()
    memory = model.pool("m", 20, block=1, spill=(1, 0, 0.25, 1))
    tier = model.pool("tier", 20, block=1, evict=[ctx("Size")])
    disk, wait = model.fifo("disk"), model.delay()
    assert disk.base == 0
    again = model.value("again")
    ask = _serving(
        model,
        memory,
        cache=where(again, 0, 8).node,
        reuse=where(again, 0, 99).node,
        prefix=_segments([(serial, 4), (2, 4)]),
    )
    one = [ask(8), assign(again, 1), ask(8), run(wait, 1), hold((memory, 20)), hold((tier, 7))]
    other = [hold((memory, 6), cache=6), run(wait, 9), model.observe("in", call("CachedIn", tier))]
    model.session(TURN, branch(serial.equals(0), one, other))
    model.batch(2)
    return model.build(40)


def spilled_in_other_blocks(keep: float, reuse: float | None = None) -> Callable[[], ir.Program]:
    """8 units in blocks of 4 are spilled into a pool of blocks of 3, and used there: by one that keeps so much, by another."""

    def program() -> ir.Program:
        model = Model()
        pool, tier = model.pool("p", 10, block=4, spill=(1, 0, 0.25, 1)), model.pool("tier", block=3)
        disk = model.fifo("disk")
        assert disk.base == 0
        hit, look = model.observe("hit", cached), model.observe("in", call("CachedIn", tier))
        first = hold((tier, 9), body=[hit], cache=keep, reuse=reuse)
        second = hold((tier, 9), body=[hit], cache=9)
        model.session(TURN, hold((pool, 8), cache=8), hold((pool, 8)), look, first, look, second, look)
        return model.build(40)

    return program


def hit_without_a_clause() -> ir.Program:
    """A hold leaves 5 units cached in the memory of an engine whose requests keep nothing: what such a one reads as its hit."""
    model = Model()
    memory, wait = model.pool("m", 30, block=1), model.delay()
    ask = _serving(model, memory, units=1 + ctx("Hit"))
    watching = [run(wait, 1.5), model.observe("used", call("Used", memory))]
    model.session(TURN, branch(serial.equals(0), [hold((memory, 5), cache=5), run(wait, 1), ask(2)], watching))
    model.batch(2)
    return model.build(40)


def _taking(units: Number, growth: float, stays: float, pool: PoolOf, wait: Any) -> ir.Hold:
    held: ir.Hold = hold((pool, units), body=[grow(pool, growth), run(wait, stays)])
    return held


def set_aside(
    make: Callable[[PoolOf, Any], list[list[Any]]], times: Sequence[float], key: Number = 1, back: Number = 1
) -> Callable[[], ir.Program]:
    """Sessions lease a pool of 20 with ticks every second, growths set leases aside; another reads what is used at some times."""

    def program() -> ir.Program:
        model = Model()
        pool, wait = model.pool("p", 20, block=1), model.delay()
        watching: list[Any] = []
        for before, time in zip((0.0, *times), times, strict=False):
            watching += [run(wait, time - before), model.observe("used", call("Used", pool))]
        body = watching
        sessions = make(pool, wait)
        for i, steps in reversed(list(enumerate(sessions))):
            body = [branch(serial.equals(i), steps, body)]
        model.session(TURN, *body)
        model.batch(len(sessions) + 1)
        built = model.build(30)
        policy = ir.Leases((node(key),), 1.0, (node(back),))
        return replace(built, pools=(replace(built.pools[0], preempt=policy),))

    return program


def _chained(take: Any, chain: Chain, **options: Any) -> ir.Hold:
    held: ir.Hold = replace(hold(take, **options), prefix=_segments(chain))
    return held


def sharing(pool: PoolOf, wait: Any) -> list[list[Any]]:
    """Two leases use 4 units of a chain together, one of them 2 of its own; a hold grows to 16 at 3.5, until 4.5."""
    chain: Chain = [(1, 4), (serial, INF)]
    one = [
        _chained((pool, 6), chain, body=[run(wait, 1)], cache=6),
        _chained((pool, 8), chain, body=[run(wait, 1)], cache=8, lease=(pool, INF)),
        run(wait, 8),
    ]
    other = [run(wait, 1.2), _chained((pool, 4), chain, body=[run(wait, 1)], cache=4, lease=(pool, INF)), run(wait, 6)]
    return [one, other, [run(wait, 3.5), _taking(8, 8, 1, pool, wait)]]


def retaken(pool: PoolOf, wait: Any) -> list[list[Any]]:
    """A session leases 4, then 6; both are set aside at 1.5, one comes back at 3 and is set aside again at 3.2, until 3.7."""
    leased = [hold((pool, n), body=[run(wait, 0.2)], cache=n, lease=(pool, INF)) for n in (4, 6)]
    return [
        [*leased, run(wait, 18)],
        [run(wait, 1.5), _taking(5, 15, 1.3, pool, wait)],
        [run(wait, 3.2), _taking(5, 15, 0.5, pool, wait)],
    ]


def ranked(pool: PoolOf, wait: Any) -> list[list[Any]]:
    """At 3.4 a session has a lease of 4 in force and one of 6 set aside, another a lease of 5; a growth to 13 needs one."""
    leased = [hold((pool, n), body=[run(wait, 0.2)], cache=n, lease=(pool, INF)) for n in (4, 6)]
    return [
        [*leased, run(wait, 18)],
        [run(wait, 1.5), _taking(5, 15, 1.3, pool, wait)],
        [run(wait, 3.1), hold((pool, 5), body=[run(wait, 0.05)], cache=5, lease=(pool, INF)), run(wait, 16)],
        [run(wait, 3.4), _taking(5, 8, 0.5, pool, wait)],
    ]


def over_at_a_tick(pool: PoolOf, wait: Any) -> list[list[Any]]:
    """A lease of 1 is set aside at 0.3 until 0.6; a lease of 2 grows to 5 beside one of 16 at 0.8, past the capacity."""
    leased = [hold((pool, n), body=[run(wait, 0.1)], cache=n, lease=(pool, INF)) for n in (1, 16, 2)]
    return [
        [leased[0], run(wait, 8)],
        [leased[1], run(wait, 8)],
        [leased[2], run(wait, 0.7), grow(pool, 3), run(wait, 8)],
        [run(wait, 0.2), hold((pool, 1), body=[run(wait, 0.1), grow(pool, 1), run(wait, 0.3)]), run(wait, 1)],
    ]


def less_than_nothing(pool: PoolOf, wait: Any) -> list[list[Any]]:
    """A lease of 2 that found 8 is set aside from 0.3 to 0.6: it is -6; leases of 14 and 5 grow by 3 at 0.76."""
    return [
        [
            hold((pool, 8), body=[run(wait, 0.05)], cache=8),
            hold((pool, 2), body=[run(wait, 0.05)], cache=2, lease=(pool, INF)),
            run(wait, 8),
        ],
        [run(wait, 0.3), _taking(11, 8, 0.3, pool, wait), run(wait, 1)],
        [run(wait, 0.65), hold((pool, 14), body=[run(wait, 0.01)], cache=14, lease=(pool, INF)), run(wait, 8)],
        [
            run(wait, 0.65),
            hold((pool, 5), body=[run(wait, 0.01)], cache=5, lease=(pool, INF)),
            run(wait, 0.1),
            grow(pool, 3),
            run(wait, 8),
        ],
    ]


def three_of_a_kind(pool: PoolOf, wait: Any) -> list[list[Any]]:
    """Leases of 8, 4 and 3 are set aside at 0.3; from 0.65 on there is room for 5."""
    sizes = (8, 4, 3)
    return [
        *(
            [run(wait, 0.01 * i), hold((pool, n), body=[run(wait, 0.1)], cache=n, lease=(pool, INF)), run(wait, 8)]
            for i, n in enumerate(sizes)
        ),
        [run(wait, 0.3), _taking(1, 19, 0.3, pool, wait), run(wait, 1)],
        [run(wait, 0.65), hold((pool, 15), body=[run(wait, 5)])],
    ]


POSITION: Value = ctx("Position")
FOUND: dict[str, Found] = {
    "a piece that sessions share is spilled as that of who cached it first": Found(
        spilled_as_whose, {"hit": [0, 4], "prefill": [6, 2], "in": [4, 0]}
    ),
    "what is spilled goes on the end of the own part, beside what stands there": Found(
        spilled_to_an_own_part, {"hit": [0], "prefill": [8], "used": [8, 4], "in": [8, 8]}
    ),
    # One dead entry of 8 is larger than the 6; were it two of 4, the 6 would stay.
    "what died together is one where it is spilled to": Found(dead_and_spilled, {"hit": [0, 0], "prefill": [8, 8], "in": [5]}),
    "of what was spilled in other blocks the rest of a block stays behind those used": Found(
        spilled_in_other_blocks(0), {"hit": [6, 6], "in": [6, 6, 9]}
    ),
    "the release of what was spilled in other blocks replaces the rest of a block, too": Found(
        spilled_in_other_blocks(3), {"hit": [6, 3], "in": [6, 3, 9]}
    ),
    "a bound leaves dead what was spilled in other blocks": Found(spilled_in_other_blocks(0, 3), {"hit": [3, 0], "in": [6, 0, 9]}),
    "a request that keeps nothing reads what is cached as its hit": Found(
        hit_without_a_clause, {"hit": [0], "prefill": [2], "used": [6]}
    ),
    # At 3.5 the first lease gives 2 only, as the 4 are used by the second; that gives them: 16. At 4 the first has 2 left.
    "what leases set aside used together stays cached, and they come back without it": Found(
        set_aside(sharing, (3.4, 3.6, 4.1, 4.6)), {"used": [8, 16, 18, 2]}
    ),
    "a lease that comes back has the place among its session's leases that it had": Found(
        set_aside(retaken, (3.1, 3.3, 3.9, 4.1)), {"used": [4, 20, 0, 4]}
    ),
    # The 5 are taken where the 6 that are set aside count: 4 + 13 are used.
    "a session is ranked by its latest lease, be it set aside": Found(set_aside(ranked, (3.3, 3.5), POSITION), {"used": [9, 17]}),
    # 16 are taken at 1; the 1 that would fit then comes back at 2.
    "where leases are taken at a tick none comes back at it": Found(
        set_aside(over_at_a_tick, (0.9, 1.1, 2.1), serial), {"used": [21, 5, 6]}
    ),
    "leases come back before any is taken": Found(set_aside(less_than_nothing, (0.9, 1.1), serial), {"used": [22, 16]}),
    # The 8 do not fit. Of the other two, ranked anew, the first is the least; were they still the second and third, the last.
    "who comes back is ranked anew each time": Found(
        set_aside(three_of_a_kind, (0.9, 1.1), serial, minimum(ctx("Admission"), 1)), {"used": [15, 19]}
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_of_spills_and_leases_holds(name: str) -> None:
    found = FOUND[name]
    assert observed(ours(to_json(found.program(), 14))) == found.observed


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_of_spills_and_leases_was_measured(name: str, reference: Reference) -> None:
    found = FOUND[name]
    assert observed(reference.run(to_json(found.program(), 14))) == found.observed
