"""Growths that take leases, and leases set aside that come back. All numbers are measured on the reference, IR 14."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.decisions import LeaseReturned, LeaseTaken
from grammar import ir
from tests.engine.programs import (
    INF,
    JOIN,
    Model,
    Number,
    PoolOf,
    assign,
    branch,
    call,
    ctx,
    fork,
    grow,
    hold,
    nodes,
    now,
    release,
    run,
    serial,
    shrink,
    where,
)
from tests.engine.watching import check_clones, decisions, finished, gauge, report, samples


def taking(program: ir.Program, keys: list[Number], every: float | None = None, suspend: list[Number] | None = None) -> ir.Program:
    """A program whose first pool's growths take leases."""
    policy = ir.Leases(nodes(keys), every, None if suspend is None else nodes(suspend))
    return replace(program, pools=(replace(program.pools[0], preempt=policy), *program.pools[1:]))


def by_session(program: ir.Program, name: str) -> dict[int, float]:
    """The latest value observed under a name, by session."""
    return {s: v for _, s, _, v in samples(finished(program), name)}


# --------------------------------------------------------------------------- whose lease is taken


def _three() -> tuple[Model, Any]:
    """Three leases of 2 of 10, admitted in the order 2, 0, 1, begun in the order 1, 0, 2; session 3 grows from 4 by 1 at 5."""
    m = Model()
    kv = m.pool("kv", 10, block=1)
    s, a = m.delay("s"), m.delay("a")
    m.batch(4)
    starts, lasts = (
        where(serial.equals(2), 0.1, where(serial.equals(0), 0.2, 0.3)),
        where(serial.equals(1), 1, where(serial.equals(0), 2, 3)),
    )
    leaser = [
        run(a, starts),
        hold((kv, 2), body=[run(s, lasts)], cache=1 + serial, lease=(kv, INF)),
        run(a, 20 - starts - lasts),
        m.observe("left", call("Allocated", kv)),
    ]
    m.session(branch(serial < 3, leaser, [hold((kv, 4), body=[run(s, 5), grow(kv, 1), run(s, 1)])]))
    return m, kv


@pytest.mark.parametrize(
    ("key", "loser"),
    [
        (0.0, 1),
        (ctx("Admission"), 2),
        (-ctx("Admission"), 1),
        (-ctx("Position"), 1),
        (ctx("Admission").equals(2) * -1, 1),
        (serial, 0),
    ],
)
def test_the_least_keys_lose_and_of_equals_the_last_admitted(key: Number, loser: int) -> None:
    m, _ = _three()
    left = by_session(taking(m.build(30), [key]), "left")
    assert {session for session, units in left.items() if units == 0} == {loser}


@pytest.mark.parametrize(("first", "second", "position"), [(3, 1, 1), (1, 3, 3)])
def test_a_session_with_two_leases_stands_with_its_latest_and_loses_its_first(first: int, second: int, position: int) -> None:
    m = Model()
    kv = m.pool("kv", 10, block=1)
    s, a = m.delay("s"), m.delay("a")
    m.batch(3)
    after = [run(a, 1), hold((kv, second), body=[run(s, 1)], cache=9, lease=(kv, INF))]
    leaser = [
        run(a, 0.1 + serial * 0.1),
        hold((kv, where(serial.equals(0), first, 2)), body=[run(s, 1)], cache=1, lease=(kv, INF)),
        branch(serial.equals(0), after),
        run(a, 15),
        m.observe("left", call("Allocated", kv)),
    ]
    m.session(branch(serial < 2, leaser, [hold((kv, 4), body=[run(s, 5), grow(kv, 1), run(s, 1)])]))
    chosen = by_session(taking(m.build(30), [1 - ctx("Position").equals(position), -serial]), "left")
    assert chosen[0] == second
    other = by_session(taking(m.build(30), [1 - ctx("Position").equals(9), -serial]), "left")
    assert other == {0: first + second, 1: 0}


def test_the_grower_and_whoever_holds_the_pool_lose_no_lease() -> None:
    """Session 1 has a lease of 4 and grows its hold of 4 by 4: only session 0's 2 are taken, and the growth waits for ever."""
    m = Model()
    kv = m.pool("kv", 10, block=1)
    s, a = m.delay("s"), m.delay("a")
    m.batch(2)
    first = [run(a, 0.1), hold((kv, 2), body=[run(s, 1)], lease=(kv, INF)), run(a, 18.9), m.observe("left", call("Allocated", kv))]
    second = [hold((kv, 4), body=[run(s, 1)], lease=(kv, INF)), hold((kv, 4), body=[run(s, 5), grow(kv, 4)])]
    m.session(branch(serial.equals(0), first, second))
    program = taking(m.build(30), [-serial])
    assert by_session(program, "left") == {0: 0}
    pool = report(program)["pools"][0]
    assert (pool["preemptions"], pool["growing_at_end"]) == (1, 1)


def test_a_lease_of_a_leg_stands_with_its_sessions_own_attributes() -> None:
    """The leg leases with z = 5, its session goes on with z = 0: under -z session 1 with z = 3 loses."""
    m = Model()
    z = m.value("z")
    kv = m.pool("kv", 10, block=1)
    s, a = m.delay("s"), m.delay("a")
    m.batch(3)
    leg = [fork([assign(z, 5), hold((kv, 3), body=[run(s, 1)], lease=(kv, INF)), run(a, 2)]), JOIN]
    own = [assign(z, 3), hold((kv, 3), body=[run(s, 1)], lease=(kv, INF))]
    tail = [run(a, 18), m.observe("left", call("Allocated", kv))]
    grower = [hold((kv, 4), body=[run(s, 5), grow(kv, 1), run(s, 1)])]
    m.session(branch(serial.equals(0), [*leg, *tail], [branch(serial.equals(1), [*own, *tail], grower)]))
    assert by_session(taking(m.build(30), [-z]), "left") == {0: 3, 1: 0}


def test_a_growth_that_waits_takes_no_lease_made_later_and_an_admission_takes_none() -> None:
    m = Model()
    kv = m.pool("kv", 10, block=1)
    s, a = m.delay("s"), m.delay("a")
    m.batch(3)
    leaser = [hold((kv, 6), body=[run(s, 2.2)], cache=2, lease=(kv, INF)), run(a, 10)]
    grower = [hold((kv, 2), body=[run(s, 1), grow(kv, 4), m.observe("grown", now), run(s, 1)])]
    waiter = [run(a, 3), hold((kv, 5), body=[m.observe("adm", now), run(s, 1)])]
    m.session(branch(serial.equals(0), leaser, [branch(serial.equals(1), grower, waiter)]))
    simulation = finished(taking(m.build(20), [serial], 1.5))
    assert [t for t, *_ in samples(simulation, "grown")] == [12.2]
    assert all(t >= 12.2 for t, *_ in samples(simulation, "adm"))


# --------------------------------------------------------------------------- what becomes of it


def _one(cached: float, leased: float, grown: float = 9, back: float = 8, *, then: list[Any] | None = None) -> Model:
    """Session 0 caches some and leases some at 1.5; session 1 grows at 5 and gives back at 7; at 7.75 session 0 is asked."""
    m = Model()
    kv = m.pool("kv", 10, block=1)
    s, a = m.delay("s"), m.delay("a")
    m.batch(2)
    m.gauge("used", call("Used", kv))
    own = [
        hold((kv, cached), body=[run(s, 0.5)], cache=9),
        hold((kv, leased), body=[run(s, 1)], cache=9, lease=(kv, INF)),
        run(a, 4),
        m.observe("taken", call("Allocated", kv)),
        *(then or []),
        run(a, 2.25),
        m.observe("back", call("Allocated", kv)),
        release(kv),
        m.observe("kept", call("CachedIn", kv)),
        run(a, 5),
    ]
    other = [run(a, 0.05), hold((kv, 1), body=[run(s, 4.95), grow(kv, grown), run(s, 2), shrink(kv, back), run(s, 9)])]
    m.session(branch(serial.equals(0), own, other))
    return m


@pytest.mark.parametrize(("cached", "back"), [(0, 4), (2, 2), (4, 0), (5, -1)])
def test_a_lease_comes_back_less_what_its_hold_took_over_from_the_cache(cached: float, back: float) -> None:
    program = taking(_one(cached, 4).build(30), [0], 1.5, [0])
    assert by_session(program, "taken") == {0: 0}
    assert by_session(program, "back") == {0: back}
    assert by_session(program, "kept") == {0: 4}


def test_a_taken_lease_ends_and_leaves_cached_what_its_clause_says() -> None:
    program = taking(_one(0, 4, grown=6).build(6), [0])
    assert by_session(program, "taken") == {0: 0}
    # 4 are given back and 4 cached; the growth to 7 needs one of them.
    assert report(program)["pools"][0]["evicted_units"] == 1
    assert report(taking(_one(0, 4, grown=6).build(6), [0], 1.5, [0]))["pools"][0]["evicted_units"] == 0


def test_a_release_of_a_lease_set_aside_leaves_nothing() -> None:
    program = taking(_one(0, 4, then=[release(PoolOf(0, 1))]).build(30), [0], 1.5, [0])
    assert (by_session(program, "back"), by_session(program, "kept")) == ({0: 0}, {0: 0})


def _several(sizes: list[float]) -> Model:
    """Leases of 10 units in all, taken at 3 by session 3, which gives back 3 at 5, 8 and 11."""
    m = Model()
    kv = m.pool("kv", 10, block=1)
    s, a = m.delay("s"), m.delay("a")
    m.batch(4)
    m.gauge("used", call("Used", kv))
    size = where(serial.equals(0), sizes[0], where(serial.equals(1), sizes[1], sizes[2]))
    leaser = [hold((kv, size), body=[run(s, 1 + serial * 0.5)], cache=9, lease=(kv, INF)), run(a, 20)]
    back = [run(s, 2), shrink(kv, 3), run(s, 3), shrink(kv, 3), run(s, 3), shrink(kv, 3), run(s, 3)]
    m.session(branch(serial < 3, leaser, [hold((kv, 1), body=[run(s, 3), grow(kv, 9), *back])]))
    return m


@pytest.mark.parametrize(
    ("sizes", "key", "points"),
    [
        ([2, 3, 4], serial, [(5, 7), (6, 9), (8, 6), (9, 9)]),
        ([2, 3, 4], -serial, [(5, 7), (6, 10), (8, 7), (9, 9)]),
        ([4, 3, 2], serial, [(5, 7), (6, 10), (8, 7), (9, 9)]),
    ],
)
def test_leases_come_back_at_ticks_by_their_keys_and_pass_over_who_does_not_fit(
    sizes: list[float], key: Number, points: list[tuple[float, float]]
) -> None:
    simulation = finished(taking(_several(sizes).build(30), [serial], 1.5, [key]))
    assert gauge(simulation, "used")[1:5] == points


def test_what_is_decided_about_leases_is_recorded() -> None:
    records = decisions(taking(_one(2, 4).build(30), [serial], 1.5, [0]), LeaseTaken, LeaseReturned)
    taken, returned = records
    assert isinstance(taken, LeaseTaken) and isinstance(returned, LeaseReturned)
    assert (taken.time, taken.who.serial, taken.grower.serial, taken.units, taken.set_aside) == (5, 0, 1, 4, True)
    assert (returned.time, returned.who.serial, returned.units) == (7.5, 0, 2)


def test_ticks_go_on_from_the_first_lease_to_a_tick_that_finds_none() -> None:
    """A lease from 1 to 1.25 of period 1.5: one tick at 1.5, and the two finishes and the lease's end."""
    m = Model()
    kv, s = m.pool("kv", 10), m.delay("s")
    m.session(hold((kv, 2), body=[run(s, 1)], lease=(kv, 0.25)), run(s, 1))
    assert report(taking(m.build(30), [0], 1.5))["events"] == 4


def test_a_clone_made_while_leases_are_set_aside_goes_on_alike() -> None:
    check_clones(taking(_several([2, 3, 4]).build(30), [serial], 1.5, [-serial]))
