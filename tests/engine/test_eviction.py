"""Which cached prefixes give way, block by block, and where they spill (R4.28 to R4.33)."""

from __future__ import annotations

import pytest

from engine.decisions import Evicted
from engine.rng import EVICTION_SALT, Stream
from engine.simulation import Simulation
from grammar import ir
from tests.engine.programs import (
    TURN,
    Model,
    Number,
    PoolOf,
    assign,
    branch,
    cached,
    call,
    client,
    ctx,
    decode,
    drop,
    grow,
    hold,
    loop,
    minimum,
    now,
    prefill,
    run,
    sample,
    serial,
    where,
)
from tests.engine.watching import evictions, finished, report, samples, values

# --------------------------------------------------------------------------- evicting


def _three_entries(m: Model, kv: PoolOf, *sizes: float, need: float, at: float = 4) -> None:
    """Sessions 0, 1, 2 leave entries at 1, 2, 3 (sizes); session 3 takes ``need`` at ``at``."""
    dl = m.delay()
    size = m.size("size")
    m.sessions((size,), *((x,) for x in (*sizes, need)))
    leaves = [run(dl, 1 + serial), hold((kv, size), cache=size), run(dl, 90)]
    takes = [run(dl, at), hold((kv, size), body=[m.observe("adm", now), run(dl, 90)])]
    m.session(branch(serial < len(sizes), leaves, takes))


def test_without_blocks_the_least_recently_released_goes_whole() -> None:
    """R4.29: 4 + 4 + 4 cached of 12; 5 needed: two entries."""
    m = Model()
    kv = m.pool("kv", 12)
    _three_entries(m, kv, 4, 4, 4, need=5)
    program = m.build(50)
    assert evictions(program) == [(4, 0, 4, 0), (4, 1, 4, 0)]
    pool = report(program)["pools"][0]
    assert (pool["evicted_entries"], pool["evicted_units"]) == (2, 8)


def test_with_blocks_an_entry_loses_one_block_at_a_time_from_its_tail() -> None:
    """R4.29, R4.30: 4 too many in blocks of 2: twice from session 0's 4; one more would take session 1's."""
    m = Model()
    kv = m.pool("kv", 12, block=2)
    _three_entries(m, kv, 4, 4, 4, need=6)
    program = m.build(50)
    assert evictions(program) == [(4, 0, 2, 2), (4, 0, 2, 0), (4, 1, 2, 2)]
    assert report(program)["pools"][0]["evicted_entries"] == 1


def test_between_two_blocks_the_pool_stands_as_the_records_so_far_say() -> None:
    """R4.29: 12 cached in three entries of 4; 6 needed: after each block of 2 there are 10, 8, 6; two blocks end an entry."""
    m = Model()
    kv = m.pool("kv", 12, block=2)
    _three_entries(m, kv, 4, 4, 4, need=6)
    run = Simulation(m.build(50))
    while not any(isinstance(record, Evicted) for record in run.decided()):
        assert not run.finished
        run.advance()
    blocks = [i for i, record in enumerate(run.decided(), 1) if isinstance(record, Evicted)]
    pools = [run.inside(i).pools[0] for i in blocks]
    assert [(pool.cached, [(entry.owner, entry.size) for entry in pool.entries]) for pool in pools] == [
        (10, [(0, 2), (1, 4), (2, 4)]),
        (8, [(1, 4), (2, 4)]),
        (6, [(1, 2), (2, 4)]),
    ]


def test_an_entry_consumed_and_kept_again_is_the_most_recent() -> None:
    """R4.26: session 0 comes back at 3.5; session 1 is then the least recently released."""
    m = Model()
    kv = m.pool("kv", 8)
    dl = m.delay()
    m.batch(3)
    zero = [run(dl, 1), hold((kv, 4), cache=4), run(dl, 2.5), hold((kv, 4), cache=4), run(dl, 90)]
    one = [run(dl, 2), hold((kv, 4), cache=4), run(dl, 90)]
    m.session(branch(serial.equals(0), zero, [branch(serial.equals(1), one, [run(dl, 4), hold((kv, 4))])]))
    assert evictions(m.build(50)) == [(4, 1, 4, 0)]


def test_the_least_key_is_evicted_first_and_ties_go_by_release() -> None:
    """R4.29: by size, the smallest first: session 1 with 2, then of the two with 5 session 0."""
    m = Model()
    kv = m.pool("kv", 12, evict=[ctx("Size")])
    _three_entries(m, kv, 5, 2, 5, need=7)
    assert evictions(m.build(50)) == [(4, 1, 2, 0), (4, 0, 5, 0)]


def test_keys_are_read_again_after_every_block() -> None:
    """R4.30: the largest first, in blocks of 2: 6 and 4 become 4 and 4, then, by release, 2 and 4, then the other."""
    m = Model()
    kv = m.pool("kv", 12, block=2, evict=[-ctx("Size")])
    _three_entries(m, kv, 6, 4, need=8)
    assert evictions(m.build(50)) == [(4, 0, 2, 4), (4, 0, 2, 2), (4, 1, 2, 2)]


@pytest.mark.parametrize(
    ("key", "first"),
    [
        (ctx("Age"), 2),  # 4 - 3: the least age
        (-ctx("Age"), 0),
        (ctx("Last"), 0),  # released at 1
        (-ctx("Last"), 2),
        (now * 0 - ctx("Size"), 1),
        (ctx("Queued"), 0),
        (-serial, 2),  # an attribute of the session
    ],
)
def test_an_eviction_key_reads_the_entry_and_its_session(key: Number, first: int) -> None:
    """R4.31: sizes 3, 5, 4, released at 1, 2, 3 and read at 4."""
    m = Model()
    kv = m.pool("kv", 12, evict=[key])
    _three_entries(m, kv, 3, 5, 4, need=1)
    assert evictions(m.build(50))[0][1] == first


def test_a_waiting_session_protects_its_entry_where_the_key_says_so() -> None:
    """R4.31: Queued. Session 0 waits for `gate` when session 2 needs room: session 1's entry goes."""
    m = Model()
    kv, gate = m.pool("kv", 8, evict=[ctx("Queued")]), m.pool("gate", 1)
    dl = m.delay()
    m.batch(4)
    zero = [hold((kv, 4), cache=4), run(dl, 1), hold((gate, 1))]
    one = [hold((kv, 4), cache=4), run(dl, 90)]
    two = [run(dl, 2), hold((kv, 2), body=[run(dl, 90)])]
    m.session(branch(serial < 2, [branch(serial < 1, zero, one)], [branch(serial < 3, two, [hold((gate, 1), body=[run(dl, 90)])])]))
    assert evictions(m.build(50)) == [(2, 1, 4, 0)]


def test_the_attributes_are_those_of_the_living_session_else_those_of_its_last_release() -> None:
    """R4.31: session 0 lives and has set x to 9 since; session 1 has set x to 9 and ended: its snapshot says 1."""
    m = Model()
    x = m.value("x")
    kv = m.pool("kv", 8, evict=[x])
    dl = m.delay()
    m.batch(3)
    leaves = [assign(x, 1), hold((kv, 4), cache=4), assign(x, 9), branch(serial.equals(0), [run(dl, 90)])]
    m.session(branch(serial < 2, leaves, [run(dl, 1), hold((kv, 2), body=[run(dl, 90)])]))
    assert evictions(m.build(50)) == [(1, 1, 4, 0)]


def test_a_dead_entry_reads_the_attributes_it_was_cut_off_with() -> None:
    """R4.31, R4.9 2c: x is 5 when session 0's rest dies, and 1 afterwards; session 1's entry has 3 and goes first."""
    m = Model()
    x = m.value("x")
    kv = m.pool("kv", 12, block=4, evict=[x])
    dl = m.delay()
    m.batch(3)
    zero = [hold((kv, 8), cache=8), assign(x, 5), hold((kv, 4), reuse=4, cache=0), assign(x, 1), run(dl, 90)]
    one = [assign(x, 3), hold((kv, 4), cache=4), run(dl, 90)]
    m.session(branch(serial < 2, [branch(serial < 1, zero, one)], [run(dl, 1), hold((kv, 8), body=[run(dl, 90)])]))
    assert evictions(m.build(50)) == [(1, 1, 4, 0)]


# --------------------------------------------------------------------------- spilling


def _spilling(when: Number = 1, work: Number = 1, *, tier_cap: float = 100) -> ir.Program:
    """Session 0 leaves 8 in the memory, in blocks of 2; at 1 session 1 takes 5 = 6, so three blocks spill to the tier."""
    m = Model()
    kv = m.pool("kv", 8, block=2, spill=(1, 0, work, when))
    tier = m.pool("tier", tier_cap, block=2)
    m.fifo("disk")
    dl = m.delay()
    m.batch(2)
    zero = [hold((kv, 8), cache=8), run(dl, 5), hold((tier, 2), cache=8, body=[m.observe("found", cached)]), run(dl, 90)]
    m.session(branch(serial.equals(0), zero, [run(dl, 1), hold((kv, 5), body=[run(dl, 90)])]))
    return m.build(50)


def test_evicted_units_are_written_to_the_tier_by_jobs_of_nobody() -> None:
    """R4.32: three blocks of 2 make 6 units of session 0 in the tier, three spills and three jobs of 1 second."""
    simulation = finished(_spilling())
    assert [s[3] for s in samples(simulation, "found")] == [6]
    figures = simulation.report()
    assert (figures["pools"][0]["spills"], figures["pools"][0]["evicted_units"]) == (3, 6)
    disk = figures["stages"][0]
    # One server: waits of 0, 1 and 2 seconds.
    assert (disk["completed"], disk["mean_wait"], disk["mean_service"]) == (3, 1, 1)


def test_a_spill_reads_the_units_just_removed() -> None:
    """R4.32: Size is 2 each time, not what is left; so each job works 2 * 3."""
    program = _spilling(work=ctx("Size") * 3)
    assert report(program)["stages"][0]["mean_service"] == 6


def test_what_is_not_worth_it_is_not_spilled() -> None:
    """R4.32: `when` is 0."""
    program = _spilling(when=ctx("Size") > 2)
    figures = report(program)
    assert (figures["pools"][0]["spills"], figures["stages"][0]["completed"]) == (0, 0)


def test_a_spill_of_no_work_is_written_and_makes_no_job() -> None:
    """R4.32, R3.10: negative work counts as 0."""
    program = _spilling(work=0 - ctx("Size"))
    figures = report(program)
    assert (figures["pools"][0]["spills"], figures["stages"][0]["completed"]) == (3, 0)


def test_a_tier_may_exceed_its_capacity_until_something_makes_room() -> None:
    """R4.32: cap 4 holds 6 after the third spill: room is made for nothing before, when 4 stood there."""
    program = _spilling(tier_cap=4)
    simulation = finished(program)
    assert simulation.report()["pools"][1]["evicted_units"] == 0
    assert [s[3] for s in samples(simulation, "found")] == [6]


def test_a_spill_into_a_tier_above_its_capacity_makes_room_first() -> None:
    """R4.32: cap 3: after 2 and 4 in blocks of 2, the third spill finds 4 > 3 and evicts one block before it writes."""
    program = _spilling(tier_cap=3)
    assert report(program)["pools"][1]["evicted_units"] == 2


# --------------------------------------------------------------------------- places and draws


def test_an_entry_that_replaces_another_takes_over_its_place() -> None:
    """R4.33.3: session 0's inner hold leaves place 0, session 1 place 1; the outer hold's entry stands at place 0 again.

    So the first of the two draws is session 0's, whatever the seed.
    """
    m = Model()
    kv = m.pool("kv", 8, evict=[sample("Uniform", 0, 1)])
    dl = m.delay()
    m.batch(3)
    nested = [hold((kv, 4), cache=4, body=[hold((kv, 3), cache=3), run(dl, 2)]), run(dl, 90)]
    other = [run(dl, 1), hold((kv, 1), cache=1), run(dl, 90)]
    m.session(branch(serial < 1, nested, [branch(serial < 2, other, [run(dl, 3), hold((kv, 4), body=[run(dl, 90)])])]))
    for seed in range(1, 7):
        stream = Stream(seed ^ EVICTION_SALT)
        first, second = stream.unit(), stream.unit()
        assert evictions(m.build(9, seed=seed))[0][:2] == (3, 0 if first < second else 1)


def test_drawn_eviction_keys_are_read_place_by_place() -> None:
    """R4.33, R8.5: the order of evictions under drawn keys, measured on the reference as the prefixes still found.

    Twelve sessions come back again and again; a place is taken, kept, handed over and freed in every way.
    """
    m = Model()
    n = m.size("n")
    kv = m.pool("kv", 40, block=4, evict=[sample("Uniform", 0, 1)])
    dl = m.delay()
    m.turn(assign(n, 4 + 4 * call("Floor", sample("Uniform", 0, 3))))
    m.batch(12)
    visit = [
        TURN,
        run(dl, sample("Uniform", 0, 4)),
        hold(
            (kv, n),
            reuse=minimum(n, 8),
            cache=n * where(sample("Uniform", 0, 1) < 0.8, 1, 0),
            lease=None,
            body=[m.observe("found", cached), run(dl, 0.2)],
        ),
        branch(sample("Bernoulli", 0.1), [drop(kv)]),
    ]
    m.session(client(loop(visit)))
    program = m.build(12, seed=5)
    pool = report(program)["pools"][0]
    assert (pool["evicted_entries"], pool["evicted_units"], pool["mean_cached"]) == (27, 204, 23.146180375699583)
    hits = {visit: int(found) for visit, found in enumerate(values(program, "found")) if found}
    assert hits == {20: 4, 22: 4, 27: 4, 29: 4, 40: 4, 43: 4, 44: 8, 48: 8, 52: 8}


def test_growing_a_hold_evicts_for_its_growth() -> None:
    """R4.16, R4.28: 6 cached, 4 allocated of 10, decode by decode: at the first growth the whole entry goes."""
    m = Model()
    kv = m.pool("kv", 10)
    llm = m.engine(memory=kv)
    dl = m.delay()
    m.batch(2)
    m.session(
        branch(
            serial.equals(0),
            [hold((kv, 6), cache=6), run(dl, 90)],
            [run(dl, 1), hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, 2, kv), grow(kv, 1)])],
        )
    )
    assert evictions(m.build(50)) == [(2, 0, 6, 0)]
