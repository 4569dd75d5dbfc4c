"""Queues and holds: room, rejection, selection, admission, leases and what is given back (R4.1 to R4.10, R4.24)."""

from __future__ import annotations

from tests.engine.programs import (
    JOIN,
    TURN,
    Model,
    Number,
    assign,
    branch,
    cached,
    call,
    computed,
    ctx,
    fork,
    grow,
    hold,
    now,
    run,
    serial,
    where,
)
from tests.engine.watching import finished, report, samples, values

# --------------------------------------------------------------------------- room


def test_units_are_taken_in_whole_blocks() -> None:
    """R1.4, R4.2: 5 units of blocks of 4 are 8; 8 are 8."""
    m = Model()
    kv = m.pool("kv", 100, block=4)
    m.session(hold((kv, 5), body=[m.observe("five", call("Used", kv))]), hold((kv, 8), body=[m.observe("eight", call("Used", kv))]))
    simulation = finished(m.build())
    assert samples(simulation, "five")[0][3] == 8
    assert samples(simulation, "eight")[0][3] == 8


def test_infinitely_many_units_stay_infinite_in_whole_blocks() -> None:
    """R1.3, R1.4."""
    m = Model()
    kv = m.pool("kv", block=4)
    m.session(hold((kv, float("inf")), body=[m.observe("used", call("Used", kv))]))
    (used,) = values(m.build(), "used")
    assert used == "inf"


def test_three_tenths_fit_a_capacity_that_their_sum_rounds_past() -> None:
    """R4.1: 0.1 + 0.1 + 0.1 is 0.30000000000000004, within 1e-9 of the cap 0.3."""
    m = Model()
    mem = m.pool("mem", 0.3)
    dl = m.delay()
    m.batch(3)
    m.session(hold((mem, 0.1), body=[m.observe("adm", now), run(dl, 1)]))
    assert values(m.build(), "adm") == [0, 0, 0]


def test_a_need_above_the_capacity_is_refused_without_tolerance() -> None:
    """R4.6: 0.1 + 0.2 > 0.3 by a rounding; no 1e-9 here."""
    m = Model()
    x = m.size("x")
    mem = m.pool("mem", 0.3)
    m.sessions((x,), (0.1,))
    m.session(hold((mem, x + 0.2), body=[m.observe("adm", now)]))
    pool = report(m.build())["pools"][0]
    assert (pool["rejected"], pool["admissions"]) == (1, 0)


def test_a_tiny_negative_amount_counts_as_nothing() -> None:
    """R1.3: -1e-10 lies within the tolerance below 0."""
    m = Model()
    x = m.value("x")
    mem = m.pool("mem", 10)
    m.session(assign(x, -1e-10), hold((mem, x), body=[m.observe("used", call("Used", mem))]))
    assert values(m.build(), "used") == [0.0]


def test_every_pool_of_a_hold_must_have_room() -> None:
    """R4.3: the second pool is full until 3; both are taken together then."""
    m = Model()
    w = m.size("w")
    a, b = m.pool("a", 10), m.pool("b", 1)
    dl = m.delay()
    m.sessions((w,), (3,), (1,))
    m.session(hold((a, 1), (b, 1), body=[m.observe("adm", now), m.observe("a", call("Used", a)), run(dl, w)]))
    simulation = finished(m.build())
    assert [s[3] for s in samples(simulation, "adm")] == [0, 3]
    assert [s[3] for s in samples(simulation, "a")] == [1, 1]


def test_cached_units_never_stand_in_the_way_of_an_admission() -> None:
    """R4.1, R4.28: 8 cached of 10 give way to a need of 9, all 8 as there are no blocks."""
    m = Model()
    kv = m.pool("kv", 10)
    dl = m.delay()
    m.batch(2)
    look = [m.observe("adm", now), m.observe("cached", call("Free", kv))]
    m.session(run(dl, 1 + serial), hold((kv, 8 + serial), cache=8, body=look))
    simulation = finished(m.build())
    assert [s[3] for s in samples(simulation, "adm")] == [1, 2]
    assert simulation.report()["pools"][0]["evicted_units"] == 8


# --------------------------------------------------------------------------- reserves


def _reserve(held: bool, *rows: tuple[float, float], grows: Number = 0) -> list[float]:
    """When sessions with (units, reserve) are admitted to a cap of 10; each grows, then stays 5 seconds."""
    m = Model()
    u, r = m.size("u"), m.size("r")
    mem = m.pool("mem", 10, reserve_held=held)
    dl = m.delay()
    m.sessions((u, r), *rows)
    m.session(hold((mem, u, r), body=[m.observe("adm", now), grow(mem, grows), run(dl, 5)]))
    return values(m.build(), "adm")


def test_what_is_reserved_and_not_allocated_keeps_others_out() -> None:
    """R4.4: 3 allocated + 4 outstanding + 4 is above 10; a plain reserve forgets its 4."""
    assert _reserve(True, (3, 7), (1, 4)) == [0, 5]
    assert _reserve(False, (3, 7), (1, 4)) == [0, 0]


def test_a_growth_uses_up_the_reservation_of_its_own_hold_only() -> None:
    """R4.4: after growing by 4 the first has 7 allocated and nothing outstanding: 7 + 0 + 3 fit."""
    assert _reserve(True, (3, 7), (1, 3), grows=2) == [0, 0]


def test_a_growth_does_not_count_its_own_reservation() -> None:
    """R4.4, R4.16: 3 + 3 used, 4 of them still reserved by the one that grows by 4: 6 + 0 + 4 fit 10, at once."""
    m = Model()
    u, r, g = m.size("u"), m.size("r"), m.size("g")
    mem = m.pool("mem", 10, reserve_held=True)
    dl = m.delay()
    m.sessions((u, r, g), (3, 7, 4), (3, 3, 0))
    m.session(hold((mem, u, r), body=[run(dl, 1), grow(mem, g), m.observe("grown", now), run(dl, 5)]))
    assert values(m.build(), "grown") == [1, 1]


def test_a_reserve_below_the_units_does_not_lower_the_need() -> None:
    """R4.8: the need is the larger of the two: 6 + 6 are above 10."""
    assert _reserve(True, (6, 1), (6, 1)) == [0, 5]


def test_a_lease_reserves_nothing() -> None:
    """R4.4: 3 of 7 leased: nothing is outstanding, and 7 fit."""
    m = Model()
    mem = m.pool("mem", 10, reserve_held=True)
    dl = m.delay()
    m.batch(2)
    lease = hold((mem, 3, 7), lease=(mem, 9), body=[run(dl, 1)])
    m.session(branch(serial.equals(0), [lease, run(dl, 3)], [run(dl, 2), hold((mem, 7), body=[m.observe("adm", now)])]))
    assert values(m.build(), "adm") == [2]


def test_reservations_are_added_in_the_order_of_slots_and_the_slot_freed_last_is_taken_first() -> None:
    """R4.4, R1.6: legs in slots 1, 2, 3 end in this order, so the next three take 3, 2, 1.

    They reserve 1, 1 and 1e16, which in slot order is 1e16 + 1 + 1 = 1e16: a fourth's 1 still fits a cap
    of 1e16 + 2. Added as 1 + 1 + 1e16 it would be 1e16 + 2, and another 1 rounds to 1e16 + 4.
    """
    m = Model()
    mem = m.pool("mem", 1e16 + 2, reserve_held=True)
    dl = m.delay()

    def reserving(x: float) -> object:
        return fork([hold((mem, 0, x), body=[m.observe("adm", now), run(dl, 5)])])

    first = [fork([run(dl, t)]) for t in (1, 2, 3)]
    m.session(*first, JOIN, *(reserving(x) for x in (1.0, 1.0, 1e16, 1.0)), JOIN)
    assert values(m.build(), "adm") == [3, 3, 3, 3]


# --------------------------------------------------------------------------- rejection


def test_a_hold_that_can_never_fit_ends_its_session_without_a_response() -> None:
    """R4.6, R3.19, R9.21: 9 units of blocks of 4 are 12, above 10."""
    m = Model()
    kv = m.pool("kv", 10, block=4)
    n = m.size("n")
    m.sessions((n,), (9,), (8,))
    m.session(TURN, hold((kv, n), body=[m.observe("in", serial)]), m.observe("after", serial))
    simulation = finished(m.build())
    figures = simulation.report()
    assert figures["pools"][0]["rejected"] == 1
    assert figures["ended"] == 2
    assert [s[1] for s in samples(simulation, "in")] == [s[1] for s in samples(simulation, "after")] == [1]
    assert [s[1] for s in samples(simulation, "client.response")] == [1]


def test_a_reserve_that_can_never_fit_is_refused_too() -> None:
    """R4.6."""
    m = Model()
    mem = m.pool("mem", 10)
    m.session(hold((mem, 1, serial + 11), body=[m.observe("in", now)]))
    assert report(m.build())["pools"][0]["rejected"] == 1


def test_the_pool_that_refuses_is_the_first_too_small_one() -> None:
    """R4.6: pool by pool in the order written."""
    m = Model()
    a, b, c = m.pool("a", 10), m.pool("b", 10), m.pool("c", 10)
    n = m.size("n")
    m.sessions((n,), (11,))
    m.session(hold((a, 1), (b, n), (c, n)))
    assert [pool["rejected"] for pool in report(m.build())["pools"]] == [0, 1, 0]


def test_an_amount_that_moves_waits_above_the_capacity_and_is_reported() -> None:
    """R4.6, R9.29: units that read the clock are no rejection; they shrink below the cap at 2 s.

    A head that never fits is reported with its need, unrounded, and the queue it waits at.
    """
    m = Model()
    n = m.size("n")
    gate, kv = m.pool("gate", 5), m.pool("kv", 10, block=4)
    dl = m.delay()
    m.sessions((n,), (1,), (0,))
    shrinking = hold((kv, where(now < 2, 11, 3)), body=[m.observe("in", now)])
    never = hold((gate, 1), (kv, 9 + where(now < 0, 1, 0)), body=[m.observe("never", now)])
    m.session(branch(n, [shrinking], [run(dl, 2), never]))
    simulation = finished(m.build(50))
    figures = simulation.report()["pools"]
    assert [s[3] for s in samples(simulation, "in")] == [2]
    assert samples(simulation, "never") == []
    assert [pool["rejected"] for pool in figures] == [0, 0]
    assert [pool["over_cap"] for pool in figures] == [None, {"queue": "gate", "need": 9}]


def test_the_attributes_computed_and_cached_do_not_move() -> None:
    """R4.6: units of 11 + computed, 11 at the statement, are refused at once."""
    m = Model()
    mem = m.pool("mem", 10)
    m.session(hold((mem, 11 + computed + cached)))
    assert report(m.build())["pools"][0]["rejected"] == 1


# --------------------------------------------------------------------------- selection


def _order(queue: list[Number] | None, *rows: tuple[float, float]) -> list[int]:
    """In which order sessions (arrival, key) enter a pool of one place that is taken from 0 to 5."""
    m = Model()
    at, key = m.size("at"), m.size("key")
    place = m.pool("place", 1, queue=queue and [e(key) if callable(e) else e for e in queue])
    dl = m.delay()
    m.sessions((at, key), (0, 0), *rows)
    m.session(run(dl, at), hold((place, 1), body=[m.observe("adm", serial), run(dl, 5)]))
    return [int(x) for x in values(m.build(), "adm")][1:]


def test_without_keys_the_first_in_is_the_first_out() -> None:
    """R4.7."""
    assert _order(None, (1, 9), (2, 1), (3, 5)) == [1, 2, 3]


def test_the_least_keys_enter_first_and_ties_go_to_the_one_nearest_the_head() -> None:
    """R4.7."""
    assert _order([lambda key: key], (1, 9), (2, 5), (3, 5), (4, 1)) == [4, 2, 3, 1]  # type: ignore[list-item]


def test_a_second_key_decides_where_the_first_is_equal() -> None:
    """R4.7: the first key is whether the key is above 4, the second the time waited, longest first."""
    keys = [lambda key: key > 4, -ctx("Waited")]
    assert _order(keys, (1, 9), (2, 3), (3, 8), (4, 2)) == [2, 4, 1, 3]  # type: ignore[list-item]


def test_the_selected_hold_blocks_the_others_also_under_keys() -> None:
    """R4.8: the key selects the hold of 8, which does not fit beside 5; the 2 behind it must wait."""
    m = Model()
    u, at = m.size("u"), m.size("at")
    mem = m.pool("mem", 10, queue=[-u])
    dl = m.delay()
    m.sessions((u, at), (5, 0), (8, 1), (2, 1))
    m.session(run(dl, at), hold((mem, u), body=[m.observe("adm", now), run(dl, 4)]))
    assert values(m.build(), "adm") == [0, 4, 4]


def test_a_hold_waits_in_the_queue_of_its_first_pool_only() -> None:
    """R4.8: holds of (a, b), from 1 s, and of (b), from 2 s: the first waits at a for room in b; the second passes it at b."""
    m = Model()
    kind = m.size("kind")
    a, b = m.pool("a", 1), m.pool("b", 2)
    dl = m.delay()
    m.sessions((kind,), (0,), (1,), (2,))
    both = hold((a, 1), (b, 2), body=[m.observe("both", now)])
    one = hold((b, 1), body=[m.observe("one", now)])
    m.session(run(dl, kind), branch(kind < 1, [hold((b, 1), body=[run(dl, 5)])], [branch(kind < 2, [both], [one])]))
    simulation = finished(m.build())
    assert [s[3] for s in samples(simulation, "both")] == [5]
    assert [s[3] for s in samples(simulation, "one")] == [2]
    assert simulation.report()["pools"][0]["mean_wait"] == 4


def test_units_are_read_again_at_every_attempt() -> None:
    """R3.4, R4.8: half of what is free, read at 0 (5 of 10) and again for the second (2.5 of 5)."""
    m = Model()
    mem = m.pool("mem", 10)
    dl = m.delay()
    m.batch(2)
    m.session(hold((mem, call("Free", mem) / 2), body=[m.observe("own", call("Allocated", mem)), run(dl, 1)]))
    assert values(m.build(), "own") == [5, 2.5]


def test_the_queues_are_tried_in_the_order_of_the_pools() -> None:
    """R2.6 1b: heads of two queues wait for the same room, which goes to the queue of the pool declared first."""
    m = Model()
    kind = m.size("kind")
    a, b, room = m.pool("a", 5), m.pool("b", 5), m.pool("room", 1)
    dl = m.delay()
    m.sessions((kind,), (0,), (1,), (2,))
    hold_room = hold((room, 1), body=[run(dl, 3)])
    first, second = (hold((pool, 1), (room, 1), body=[m.observe("adm", kind), run(dl, 1)]) for pool in (a, b))
    # The session that waits at b queues before the one at a.
    m.session(branch(kind < 1, [hold_room], [branch(kind < 2, [run(dl, 1), second], [run(dl, 2), first])]))
    assert values(m.build(), "adm") == [2, 1]


# --------------------------------------------------------------------------- admission


def test_an_admission_counts_at_every_pool_and_its_wait_at_the_first() -> None:
    """R4.9, R9.9: two sessions; the second waits 3 seconds."""
    m = Model()
    a, b = m.pool("a", 1), m.pool("b", 9)
    dl = m.delay()
    m.batch(2)
    m.session(hold((a, 1), (b, 1), body=[run(dl, 3)]))
    first, second = report(m.build())["pools"]
    assert (first["admissions"], second["admissions"]) == (2, 2)
    assert (first["mean_wait"], second["mean_wait"]) == (1.5, None)


def test_one_session_may_hold_a_pool_twice() -> None:
    """R1.9, R9.3: an inner hold adds to the outer one; the session is one holder."""
    m = Model()
    mem = m.pool("mem", 10)
    dl = m.delay()
    inner = hold((mem, 3), body=[m.observe("own", call("Allocated", mem)), m.observe("holders", call("Holders", mem)), run(dl, 1)])
    m.session(hold((mem, 4), body=[inner, m.observe("own", call("Allocated", mem))]))
    simulation = finished(m.build())
    assert [s[3] for s in samples(simulation, "own")] == [7, 4]
    assert [s[3] for s in samples(simulation, "holders")] == [1]
