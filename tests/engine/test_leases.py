"""Units given back: shrinking, releasing, and leases that outlive their hold (R3.6, R3.8, R4.24, R4.25)."""

from __future__ import annotations

import pytest

from engine.decisions import Blocked
from tests.engine.programs import (
    JOIN,
    Model,
    branch,
    call,
    fork,
    grow,
    hold,
    load,
    now,
    prefill,
    release,
    run,
    serial,
    shrink,
)
from tests.engine.watching import decisions, failed, finished, samples, values

# --------------------------------------------------------------------------- shrinking, releasing


def _shrunk(units: float, block: float | None, by: float) -> float:
    m = Model()
    kv = m.pool("kv", 100, block=block)
    m.session(hold((kv, units), body=[shrink(kv, by), m.observe("left", call("Used", kv) + call("Allocated", kv))]))
    (both,) = values(m.build(), "left")
    return both / 2


def test_a_hold_shrinks_in_whole_blocks_and_not_below_nothing() -> None:
    """R3.6, measured: 12 of blocks of 4 less 3, 4, 5; 10 without blocks less 40."""
    assert [_shrunk(12, 4, by) for by in (3, 4, 5)] == [12, 8, 8]
    assert _shrunk(10, None, 40) == 0


@pytest.mark.parametrize(("block", "left"), [(None, 5), (4, 8)])
def test_a_hold_does_not_shrink_below_what_is_computed(block: float | None, left: float) -> None:
    """R3.6, measured: of 12 units 5 are computed, in blocks of 4 two of them."""
    m = Model()
    kv = m.pool("kv", 100, block=block)
    m.session(hold((kv, 12), body=[load(kv, 5), shrink(kv, 10), m.observe("left", call("Allocated", kv))]))
    assert values(m.build(), "left") == [left]


def test_a_released_pool_leaves_its_hold_and_admits_others_at_once() -> None:
    """R3.8: pool a is given back at 1 although the hold goes on to 4; the one that waits enters at 1."""
    m = Model()
    a, b = m.pool("a", 1), m.pool("b", 1)
    dl = m.delay()
    m.batch(2)
    early = hold((a, 1), (b, 1), body=[run(dl, 1), release(a), run(dl, 3), m.observe("own", call("Allocated", b))])
    m.session(branch(serial.equals(0), [early], [hold((a, 1), body=[m.observe("adm", now)])]))
    simulation = finished(m.build())
    assert [s[3] for s in samples(simulation, "adm")] == [1]
    assert samples(simulation, "own") == [(4, 0, 0, 1)]


def test_releasing_takes_the_innermost_hold_first() -> None:
    """R3.8: outer 4, inner 3; the first release leaves the outer's 4, and a second one nothing."""
    m = Model()
    mem = m.pool("mem", 10)
    look = m.observe("own", call("Used", mem))
    m.session(hold((mem, 4), body=[hold((mem, 3), body=[release(mem), look, release(mem), look, release(mem), look])]), look)
    assert values(m.build(), "own") == [4, 0, 0, 0]


# --------------------------------------------------------------------------- leases


def test_a_lease_keeps_the_units_until_it_expires() -> None:
    """R4.24, R2.10: held from 0 to 1 and leased 3 seconds more; the next hold enters at 4."""
    m = Model()
    mem = m.pool("mem", 1)
    dl = m.delay()
    m.batch(2)
    leased = [hold((mem, 1), lease=(mem, 3), body=[run(dl, 1)]), m.observe("own", call("Allocated", mem)), run(dl, 9)]
    m.session(branch(serial.equals(0), leased, [hold((mem, 1), body=[m.observe("adm", now)])]))
    simulation = finished(m.build())
    assert [s[3] for s in samples(simulation, "own")] == [1]
    assert [s[3] for s in samples(simulation, "adm")] == [4]


def test_a_lease_ends_with_its_session() -> None:
    """R3.16: the session ends at 2, its lease of 100 seconds with it."""
    m = Model()
    mem = m.pool("mem", 1)
    dl = m.delay()
    m.batch(2)
    leased = [hold((mem, 1), lease=(mem, 100), body=[run(dl, 1)]), run(dl, 1)]
    m.session(branch(serial.equals(0), leased, [hold((mem, 1), body=[m.observe("adm", now)])]))
    assert values(m.build(), "adm") == [2]


def test_a_lease_without_end_schedules_nothing_and_can_be_released() -> None:
    """R4.24, R3.8: an infinite lease is given back by hand at 3; no event is its end."""
    m = Model()
    mem = m.pool("mem", 1)
    dl = m.delay()
    m.session(
        hold((mem, 1), lease=(mem, float("inf")), body=[run(dl, 1)]), run(dl, 2), release(mem), m.observe("used", call("Used", mem))
    )
    simulation = finished(m.build())
    assert samples(simulation, "used") == [(3, 0, 0, 0)]
    assert simulation.report()["events"] == 2


def test_a_negative_lease_ends_at_once_but_by_an_event() -> None:
    """R4.24: the duration is at least 0; until its event the units are the session's."""
    m = Model()
    mem = m.pool("mem", 1)
    dl = m.delay()
    m.session(
        hold((mem, 1), lease=(mem, -5), body=[]),
        m.observe("own", call("Used", mem)),
        run(dl, 1),
        m.observe("own", call("Used", mem)),
    )
    simulation = finished(m.build())
    assert [s[3] for s in samples(simulation, "own")] == [1, 0]
    # Held for no time: the clock does not go back to the lease's end.
    assert simulation.report()["pools"][0]["mean_used"] == 0


def test_the_end_of_a_lease_that_was_released_does_nothing() -> None:
    """R2.10: its event finds no lease of its number, though the session has made another meanwhile."""
    m = Model()
    mem = m.pool("mem", 9)
    dl = m.delay()
    lease = [hold((mem, 1), lease=(mem, 3), body=[])]
    m.session(
        *lease,
        run(dl, 1),
        release(mem),
        *lease,
        run(dl, 2.5),
        m.observe("used", call("Used", mem)),
        run(dl, 1),
        m.observe("used", call("Used", mem)),
    )
    assert values(m.build(), "used") == [1, 0]


def test_a_lease_caches_what_was_computed_when_it_ends() -> None:
    """R4.25, R1.11: 5 of 9 computed when the lease began; its end at 1 + 3 keeps min(7, 5)."""
    m = Model()
    kv = m.pool("kv", 20)
    llm = m.engine(memory=kv)
    dl = m.delay()
    look = m.observe("cached", call("CachedIn", kv))
    m.session(hold((kv, 9), cache=7, lease=(kv, 3), body=[prefill(llm, 5, kv)]), look, run(dl, 4), look)
    assert values(m.build(), "cached") == [0, 5]


def test_only_the_leased_pool_of_a_hold_outlives_it() -> None:
    """R4.24."""
    m = Model()
    a, b = m.pool("a", 9), m.pool("b", 9)
    dl = m.delay()
    look = [m.observe("a", call("Used", a)), m.observe("b", call("Used", b))]
    m.session(hold((a, 2), (b, 3), lease=(b, 5), body=[run(dl, 1)]), *look)
    simulation = finished(m.build())
    assert (samples(simulation, "a")[0][3], samples(simulation, "b")[0][3]) == (0, 3)


def test_a_moved_lease_is_found_by_its_session() -> None:
    """R2.10, R3.17: a leg leases at 1 and ends; the lease passes to its session and expires there at 4."""
    m = Model()
    mem = m.pool("mem", 9)
    dl = m.delay()
    look = m.observe("own", call("Allocated", mem))
    m.session(fork([hold((mem, 2), lease=(mem, 3), body=[run(dl, 1)])]), JOIN, look, run(dl, 3.5), look)
    assert values(m.build(), "own") == [2, -0.0]


def test_growth_of_a_hold_over_its_reserve_is_recorded_as_blocked_with_its_numbers() -> None:
    """R4.8: the record of a hold that did not fit says of what it is short, what it needs and the room."""
    m = Model()
    u = m.size("u")
    a, b = m.pool("a", 10, block=4), m.pool("b", 10)
    dl = m.delay()
    m.sessions((u,), (5,), (2,))
    m.session(hold((b, 1), (a, u, u + 1), body=[run(dl, 1)]))
    # It is tried twice in the first settling: before and after session 0 has run.
    blocked, again = decisions(m.build(), Blocked)
    assert isinstance(blocked, Blocked)
    assert again == blocked
    # 8 of 10 are allocated; 2 + 1 in whole blocks is 4.
    assert (blocked.pool, blocked.short_of, blocked.need, blocked.room, blocked.who.serial) == (1, 0, 4, 2, 1)


# --------------------------------------------------------------------------- growing and shrinking what outlived its hold


def test_without_a_hold_the_first_lease_of_the_pool_grows_and_shrinks() -> None:
    """R3.5, R3.6, measured: 6 and 5 leased; + 3 makes the first 9; its release leaves 5."""
    m = Model()
    kv = m.pool("kv", 30)
    look = m.observe("own", call("Allocated", kv))
    first, second = hold((kv, 6), lease=(kv, 50)), hold((kv, 5), lease=(kv, 50))
    m.session(first, second, grow(kv, 3), look, shrink(kv, 1), look, release(kv), look)
    assert values(m.build(), "own") == [14, 13, 5]


def test_a_lease_grows_and_shrinks_by_whole_blocks() -> None:
    """R3.6, measured: 12 less 3 is 12, less 4 is 8, and 1 more is 12, in blocks of 4."""
    m = Model()
    kv = m.pool("kv", 30, block=4)
    look = m.observe("own", call("Allocated", kv))
    m.session(hold((kv, 12), lease=(kv, 50)), shrink(kv, 3), look, shrink(kv, 4), look, grow(kv, 1), look)
    assert values(m.build(), "own") == [12, 8, 12]


def test_what_a_lease_can_keep_does_not_grow_and_shrinks_with_it() -> None:
    """R1.11, measured: 5 of 6 computed: grown to 9 it keeps 5, shrunk to 3 it keeps 3."""
    for change, kept in ((grow, 5), (shrink, 3)):
        m = Model()
        kv = m.pool("kv", 30)
        leased = hold((kv, 6), cache=20, lease=(kv, 50), body=[load(kv, 5)])
        m.session(leased, change(kv, 3), release(kv), m.observe("kept", call("CachedIn", kv)))
        assert values(m.build(), "kept") == [kept]


def test_a_growth_of_a_lease_waits_or_preempts_like_any_other() -> None:
    """R4.16, measured: 4 leased + 3 beside 5 of 10: it waits until 3, or takes the holder at once."""
    for preempt, at in ((None, 3), ([-serial], 0)):
        m = Model()
        kv = m.pool("kv", 10, preempt=preempt)
        dl = m.delay()
        m.batch(2)
        grows = [hold((kv, 4), lease=(kv, 50)), grow(kv, 3), m.observe("at", now), run(dl, 1)]
        m.session(branch(serial.equals(0), grows, [hold((kv, 5), body=[run(dl, 3)])]))
        assert values(m.build(20), "at") == [at]


@pytest.mark.parametrize("change", ["grow", "shrink"])
def test_a_lease_grown_past_its_pool_or_shrunk_to_nothing_fails_the_run(change: str) -> None:
    """Measured: 11 of a cap of 10, and 9 off 4: the second is said to be what `release` is for."""
    m = Model()
    kv = m.pool("kv", 10)
    m.session(hold((kv, 4), lease=(kv, 50)), grow(kv, 7) if change == "grow" else shrink(kv, 9))
    assert "outside" not in failed(m.build()).failure.message  # type: ignore[union-attr]
