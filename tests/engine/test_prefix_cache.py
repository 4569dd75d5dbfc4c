"""Cached prefixes: what is consumed, and what is kept when units are given back (R4.9, R4.20, R4.26, R4.27)."""

from __future__ import annotations

from grammar import ir
from tests.engine.programs import (
    INF,
    REFUSE,
    Model,
    Number,
    branch,
    cached,
    call,
    drop,
    hold,
    load,
    prefill,
    release,
    run,
    serial,
    shrink,
    where,
)
from tests.engine.watching import evictions, finished, report, samples, values

# --------------------------------------------------------------------------- consuming


def test_a_hit_saves_computation_and_no_memory() -> None:
    """R4.9: the second hold finds 8 of its 12 cached: it starts at position 8 with all 12 allocated and nothing cached."""
    m = Model()
    kv = m.pool("kv", 100, block=4)
    look = [m.observe("found", cached), m.observe("used", call("Used", kv)), m.observe("left", call("CachedIn", kv))]
    # A load of 4 from position 8 reaches 12; one of 5 would go past the allocation.
    m.session(hold((kv, 8), cache=8), hold((kv, 12), cache=12, body=[*look, load(kv, 4)]))
    simulation = finished(m.build())
    assert [samples(simulation, name)[0][3] for name in ("found", "used", "left")] == [8, 12, 0]


def test_a_hold_without_a_clause_neither_finds_nor_touches_the_prefix() -> None:
    """R4.10."""
    m = Model()
    kv = m.pool("kv", 100)
    inside = [m.observe("found", cached), m.observe("own", call("CachedIn", kv))]
    m.session(hold((kv, 8), cache=8), hold((kv, 12), body=inside), m.observe("own", call("CachedIn", kv)))
    simulation = finished(m.build())
    assert samples(simulation, "found")[0][3] == 0
    assert [s[3] for s in samples(simulation, "own")] == [8, 8]


def test_the_attribute_cached_is_the_largest_hit_of_the_pools() -> None:
    """R4.9.4: whichever pool comes first."""
    for in_a, in_b in ((3, 5), (5, 3)):
        m = Model()
        a, b = m.pool("a", 100), m.pool("b", 100)
        both = hold((a, 9), (b, 9), cache=9, body=[m.observe("found", cached)])
        m.session(hold((a, in_a), cache=9), hold((b, in_b), cache=9), both)
        assert values(m.build(), "found") == [5]


def test_a_hold_begins_at_the_prefix_it_found() -> None:
    """R4.9.2e: 8 found and 2 loaded: 10 are computed of 12 and can stay."""
    m = Model()
    kv = m.pool("kv", 100)
    again = hold((kv, 12), cache=99, body=[load(kv, 2)])
    m.session(hold((kv, 8), cache=8), again, m.observe("kept", call("CachedIn", kv)))
    assert values(m.build(), "kept") == [10]


def _bounded(reuse: Number) -> tuple[float, float, float]:
    """(found, pool's cached meanwhile, own meanwhile) of a hold of 12 with 8 cached in blocks of 4."""
    m = Model()
    kv = m.pool("kv", 100, block=4)
    m.gauge("cached", call("Free", kv))
    body = [m.observe("found", cached), m.observe("own", call("CachedIn", kv))]
    m.session(hold((kv, 8), cache=8), hold((kv, 12), reuse=reuse, cache=0, body=[*body, run(m.delay(), 1)]))
    simulation = finished(m.build(2))
    mean_cached = simulation.report()["pools"][0]["mean_cached"]
    return samples(simulation, "found")[0][3], mean_cached, samples(simulation, "own")[0][3]


def test_a_reuse_bound_is_rounded_down_and_leaves_the_rest_dead() -> None:
    """R4.9 2c: 7 is 4 in blocks; 4 of 8 stay in the pool and belong to nobody."""
    assert _bounded(7) == (4, 4, 0)


def test_a_reuse_bound_above_the_prefix_bounds_nothing() -> None:
    """R4.9 2c."""
    assert _bounded(9) == (8, 0, 0)
    assert _bounded(8) == (8, 0, 0)


def test_a_reuse_bound_below_a_block_leaves_everything_dead() -> None:
    """R4.9.1, 2c: negative counts as 0."""
    assert _bounded(3) == (0, 8, 0)
    assert _bounded(0 - serial - 5) == (0, 8, 0)


def test_a_dead_entry_keeps_its_last_release() -> None:
    """R4.9 2c: session 0's dead 4, released at 1, go before session 1's entry, released at 2, though cut off at 3."""
    m = Model()
    kv = m.pool("kv", 20, block=4)
    dl = m.delay()
    m.batch(3)
    zero = [run(dl, 1), hold((kv, 8), cache=8), run(dl, 2), hold((kv, 4), reuse=4, cache=0, body=[run(dl, 90)])]
    one = [run(dl, 2), hold((kv, 8), cache=8), run(dl, 90)]
    two = [run(dl, 4), hold((kv, 8), body=[run(dl, 90)])]
    m.session(branch(serial.equals(0), zero, [branch(serial.equals(1), one, two)]))
    # At 4: 4 used, 4 dead and 8 cached, 8 needed of 20: one block too many.
    assert evictions(m.build(50)) == [(4, None, 4, 0)]


def test_reuse_is_read_before_any_pool_is_taken() -> None:
    """R3.4, R4.9.1: the bound reads what is free before its own hold: 20, all 8 may be reused."""
    m = Model()
    kv = m.pool("kv", 20)
    m.session(
        hold((kv, 8), cache=8), hold((kv, 12), reuse=where(call("Free", kv) > 10, 8, 0), cache=0, body=[m.observe("found", cached)])
    )
    assert values(m.build(), "found") == [8]


# --------------------------------------------------------------------------- keeping


def _kept(clause: Number, *, units: float = 10, block: float | None = None, computed: float | None = None) -> float:
    """What stays cached of a hold; with ``computed`` it is grown to that position by a load."""
    m = Model()
    kv = m.pool("kv", 100, block=block)
    body = [] if computed is None else [load(kv, computed)]
    m.session(hold((kv, units), cache=clause, body=body), m.observe("own", call("CachedIn", kv)))
    return values(m.build(), "own")[0]


def test_a_clause_keeps_no_more_than_it_says_and_in_whole_blocks() -> None:
    """R4.26: down(min(want, computed)): 7 of 12 in blocks of 4 are 4; a negative want is none."""
    assert _kept(7, units=12, block=4) == 4
    assert _kept(12, units=12, block=4) == 12
    assert _kept(serial - 3) == 0
    assert _kept(INF) == 10


def test_without_a_growing_run_all_that_is_allocated_can_stay() -> None:
    """R1.10, R4.27."""
    assert _kept(99) == 10


def test_a_loaded_hold_keeps_what_is_computed() -> None:
    """R1.10, R3.9: after a load of 6 it is 6, after a load of 0 nothing."""
    assert _kept(99, computed=6) == 6
    assert _kept(99, computed=0) == 0


def test_a_growing_run_makes_the_position_count() -> None:
    """R4.27, E5: 10 allocated, 3 prefilled growing: 3; without growing the allocation counts, 10."""
    for growing, kept in ((True, 3), (False, 10)):
        m = Model()
        kv = m.pool("kv", 100)
        llm = m.engine(memory=kv)
        m.session(hold((kv, 10), cache=99, body=[prefill(llm, 3, kv if growing else None)]), m.observe("own", call("CachedIn", kv)))
        assert values(m.build(), "own") == [kept]


def test_shrinking_limits_what_can_stay() -> None:
    """R3.6: the allocation left."""
    m = Model()
    kv = m.pool("kv", 100)
    m.session(hold((kv, 10), cache=99, body=[shrink(kv, 4)]), m.observe("own", call("CachedIn", kv)))
    assert values(m.build(), "own") == [6]


def test_the_clause_is_read_after_the_units_are_given_back() -> None:
    """R4.26: free(kv) is all of 20 by then, so min(20, 8) = 8 stay."""
    m = Model()
    kv = m.pool("kv", 20)
    m.session(hold((kv, 8), cache=where(call("Free", kv) >= 20, 99, 1)), m.observe("own", call("CachedIn", kv)))
    assert values(m.build(), "own") == [8]


def test_a_new_entry_replaces_the_one_that_stands_there() -> None:
    """R4.26: of nested holds the inner keeps 3, then the outer 5: the session has one entry, of 5."""
    m = Model()
    kv = m.pool("kv", 20)
    look = m.observe("own", call("CachedIn", kv))
    m.session(hold((kv, 5), cache=5, body=[hold((kv, 3), cache=3), look]), look, run(m.delay(), 1))
    program = m.build(1)
    assert values(program, "own") == [3, 5]
    assert report(program)["pools"][0]["mean_cached"] == 5


def test_keeping_nothing_leaves_the_entry_that_stands_there() -> None:
    """R4.26: as above, but the outer clause keeps 0."""
    m = Model()
    kv = m.pool("kv", 20)
    m.session(hold((kv, 5), cache=0, body=[hold((kv, 3), cache=3)]), m.observe("own", call("CachedIn", kv)))
    assert values(m.build(), "own") == [3]


def test_a_consumed_prefix_that_is_not_kept_again_is_gone() -> None:
    """R4.9 2b."""
    m = Model()
    kv = m.pool("kv", 20)
    m.session(hold((kv, 8), cache=8), hold((kv, 8), cache=0), m.observe("own", call("CachedIn", kv)))
    assert values(m.build(), "own") == [0]


def test_a_release_caches_under_the_clause_of_its_hold() -> None:
    """R3.8."""
    m = Model()
    kv = m.pool("kv", 20)
    look = m.observe("own", call("CachedIn", kv))
    m.session(hold((kv, 8), cache=5, body=[release(kv), look]), look)
    assert values(m.build(), "own") == [5, 5]


def test_the_end_of_a_session_caches_too_and_its_entry_stays() -> None:
    """R3.16: `end` inside a hold keeps its prefix; the pool has 6 cached units for good."""
    m = Model()
    kv = m.pool("kv", 20)
    m.session(hold((kv, 8), cache=6, body=[REFUSE]))
    assert report(m.build())["pools"][0]["mean_cached"] == 6


def test_dropping_forgets_the_own_entry_only() -> None:
    """R3.7: session 1's entry of 3 stays; dropping nothing is nothing."""
    m = Model()
    kv = m.pool("kv", 20)
    m.batch(2)
    m.session(
        hold((kv, 2 + serial), cache=9),
        branch(serial.equals(0), [drop(kv), drop(kv)]),
        m.observe("own", call("CachedIn", kv)),
        run(m.delay(), 1),
    )
    program = m.build(1)
    assert values(program, "own") == [0, 3]
    assert report(program)["pools"][0]["mean_cached"] == 3


def test_a_session_gone_leaves_its_entry_to_nobody() -> None:
    """R3.16, R4.20: keyed by session: the next session of a closed population does not find it."""
    m = Model()
    kv = m.pool("kv", 20)
    m.arrive(ir.Closed(1))
    m.session(hold((kv, 4), cache=4, body=[m.observe("found", cached), run(m.delay(), 1)]))
    program = m.build(3)
    assert values(program, "found") == [0, 0, 0, 0]
