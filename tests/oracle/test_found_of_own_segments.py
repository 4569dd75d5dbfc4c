"""What was found about segments of a chain that are a session's own, ended ones and what comes after them.

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
    TURN,
    Model,
    Number,
    PoolOf,
    StageOf,
    assign,
    branch,
    cached,
    call,
    drop,
    hold,
    node,
    run,
    serial,
)
from tests.oracle.finding import Found, observed
from tests.oracle.judging import ours
from tests.oracle.reference import Reference

Chain = list[tuple[Number, float]]
Step = Callable[[Model, PoolOf, StageOf], Any]

# Two units shared, then the session's own: four and a key after them, or four only, or without an end.
LONG: Chain = [(1, 2), (serial, 4), (2, 4)]
SHORT: Chain = [(1, 2), (serial, 4)]
ENDLESS: Chain = [(1, 2), (serial, INF)]
OTHER: Chain = [(1, 2), (serial, 4), (3, 4)]


def visit(chain: Chain | None, units: float, keep: float | None = None, *steps: Step, reuse: float | None = None) -> Step:
    """A hold that observes its hit, does some steps and keeps what it takes, or so much."""

    def made(model: Model, pool: PoolOf, wait: StageOf) -> Any:
        body = [model.observe("hit", cached), *(step(model, pool, wait) for step in steps), run(wait, 1)]
        held = hold((pool, units), body=body, cache=units if keep is None else keep, reuse=reuse)
        if chain is not None:
            held = replace(held, prefix=tuple(ir.Segment(node(key), node(length)) for key, length in chain))
        return held

    return made


def taking(units: float) -> Step:
    """A hold that keeps nothing and finds nothing: it only needs room."""
    return lambda _model, pool, wait: hold((pool, units), body=[run(wait, 1)])


def forgetting(_model: Model, pool: PoolOf, _wait: StageOf) -> Any:
    return drop(pool)


def looking(model: Model, pool: PoolOf, _wait: StageOf) -> Any:
    return model.observe("in", call("CachedIn", pool))


def in_turn(*steps: Step, cap: float = 400, others: tuple[Step, ...] = ()) -> Callable[[], ir.Program]:
    """One session does some things to a pool; another one does others at 100."""

    def program() -> ir.Program:
        model = Model()
        pool, wait = model.pool("p", cap, block=1), model.delay()
        one = [step(model, pool, wait) for step in steps]
        other = [run(wait, 100), *(step(model, pool, wait) for step in others)]
        model.session(TURN, branch(serial.equals(0), one, other) if others else one[0], *([] if others else one[1:]))
        model.batch(2 if others else 1)
        return model.build(200)

    return program


def left_with_attributes() -> ir.Program:
    """Of 4 units left at a = 3 the first 2 are used while others come in their place: dead; a drop takes the rest, a is 9 then.

    Another session left 6 at a = 5. Of 8 cached 2 have to go, and what has the least a goes.
    """
    model = Model()
    a, wait = model.value("a"), model.delay()
    pool = model.pool("p", 20, block=1, evict=[a])
    short: Chain = [(serial, 2)]
    inner = hold((pool, 2), cache=2)
    one = [
        assign(a, 3),
        hold((pool, 4), cache=4),
        assign(a, 9),
        replace(hold((pool, 2), body=[inner, run(wait, 1)], cache=0), prefix=tuple(ir.Segment(node(k), node(n)) for k, n in short)),
        drop(pool),
        run(wait, 9),
    ]
    other = [assign(a, 5), hold((pool, 6), cache=6), run(wait, 5), model.observe("in", call("CachedIn", pool))]
    third = [run(wait, 3), hold((pool, 14))]
    model.session(TURN, branch(serial.equals(0), one, [branch(serial.equals(1), other, third)]))
    model.batch(3)
    return model.build(30)


FOUND: dict[str, Found] = {
    "an own segment that ends is followed by others": Found(in_turn(*[visit(LONG, 12)] * 3), {"hit": [0, 10, 10]}),
    "what follows an own segment is nobody else's": Found(
        in_turn(visit(LONG, 12), others=(visit(LONG, 12), visit(LONG, 12))), {"hit": [0, 2, 10]}
    ),
    "an own segment is one with the own prefix": Found(
        in_turn(visit(None, 12), visit([(serial, 4)], 12, 0), visit(None, 12)), {"hit": [0, 4, 12]}
    ),
    "the release of an own segment replaces it from the tail": Found(
        in_turn(visit(LONG, 10), visit(LONG, 10, 7), visit(LONG, 10, 3), visit(LONG, 10, 0), visit(LONG, 10)),
        {"hit": [0, 10, 7, 3, 2]},
    ),
    "what another of the session's chains stands on stays": Found(
        in_turn(visit(LONG, 10), visit(SHORT, 10, 0), visit(ENDLESS, 10, 8), visit(LONG, 20, 10), visit(ENDLESS, 20)),
        {"hit": [0, 6, 6, 10, 8]},
    ),
    "what is not used of the own part for a bound is dead with what stands on it": Found(
        in_turn(visit(LONG, 10), visit(OTHER, 10), visit(LONG, 10, 10, reuse=5), visit(OTHER, 20, 0), visit(LONG, 20)),
        {"hit": [0, 6, 5, 6, 10]},
    ),
    "a bound at the end of a segment leaves what goes on another way": Found(
        in_turn(visit(LONG, 10), visit(OTHER, 10), visit(LONG, 10, 0, reuse=6), visit(OTHER, 20, 10), visit(LONG, 20)),
        {"hit": [0, 6, 6, 10, 6]},
    ),
    "a bound that holds back nothing of what is found leaves the rest of the part": Found(
        in_turn(visit(ENDLESS, 10), visit(SHORT, 10, 0, reuse=6), visit(ENDLESS, 10)), {"hit": [0, 6, 10]}
    ),
    "what is the session's own and in use is found by no other hold of it": Found(
        in_turn(visit(LONG, 10), visit(LONG, 10, 10, visit(LONG, 10, 5), looking), looking, visit(LONG, 20)),
        {"hit": [0, 10, 2, 10], "in": [5, 10]},
    ),
    "what stands on an own segment in use is not found while a newer one stands in its place": Found(
        in_turn(visit(LONG, 10), visit(SHORT, 10, 0, visit(SHORT, 10)), visit(LONG, 20)), {"hit": [0, 6, 2, 6]}
    ),
    # 2 shared, 4 of the newer segment, and 4 that are dead; 12 units taken of 20 leave room for 8 of them.
    "an own segment that was replaced while in use is dead where something stood on it": Found(
        in_turn(visit(LONG, 10), visit(LONG, 10, 0, visit(SHORT, 10)), taking(12), visit(LONG, 20), cap=20), {"hit": [0, 10, 2, 6]}
    ),
    "an own segment that was replaced while in use is dead also where the newer one is gone by then": Found(
        in_turn(
            visit(LONG, 10),
            visit(SHORT, 10, 0, visit(SHORT, 8), forgetting),
            visit(LONG, 20),
        ),
        {"hit": [0, 6, 2, 2]},
    ),
    "a drop forgets what stands on an own segment in use": Found(
        in_turn(visit(LONG, 10), visit(SHORT, 10, 10, forgetting), visit(LONG, 20)), {"hit": [0, 6, 6]}
    ),
    "a chain that is one's own alone and ends is bounded by what is taken": Found(
        in_turn(visit([(serial, 4)], 4), visit([(serial, 4)], 2, 0), visit([(serial, 4)], 4)), {"hit": [0, 2, 0]}
    ),
    "a segment of no units is none": Found(
        in_turn(visit([(1, 2), (3, 0), (2, 4)], 6), others=(visit([(1, 2), (2, 4)], 6),)), {"hit": [0, 6]}
    ),
    "an own segment of no units makes nothing one's own": Found(
        in_turn(visit([(1, 2), (serial, 0), (2, 4)], 6), forgetting, others=(visit([(1, 2), (2, 4)], 6),)), {"hit": [0, 6]}
    ),
    "beside segments of no units the own prefix may be longer than what is taken": Found(
        in_turn(visit(None, 8), visit([(1, 0), (serial, INF)], 3)), {"hit": [0, 8]}
    ),
    "a dead part is evicted by the attributes it was left with": Found(left_with_attributes, {"in": [6]}),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_of_own_segments_holds(name: str) -> None:
    found = FOUND[name]
    assert observed(ours(to_json(found.program(), 14))) == found.observed


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_of_own_segments_was_measured(name: str, reference: Reference) -> None:
    found = FOUND[name]
    assert observed(reference.run(to_json(found.program(), 14))) == found.observed
