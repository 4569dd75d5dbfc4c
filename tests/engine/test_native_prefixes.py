"""Cached prefixes that sessions share by chains of keys. All numbers are measured on the reference, IR 14."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.simulation import Simulation
from grammar import ir
from tests.engine.programs import INF, TURN, Model, Number, cached, call, hold, node, now, run, serial, turn_no, where
from tests.engine.watching import check_clones, finished, gauge, report, values
from tests.oracle.generator import generate


def chained(take: Any, chain: list[tuple[Number, float]], **options: Any) -> ir.Hold:
    """A hold with a chain of (key, length)."""
    return replace(hold(take, **options), prefix=tuple(ir.Segment(node(key), node(length)) for key, length in chain))


def _model(
    cap: float, chain: list[tuple[Number, float]], units: Number, cache: Number, *, sessions: int, turns: int, servers: int = 1
) -> Model:
    m = Model()
    kv, s = m.pool("kv", cap, block=2), m.fifo("s", servers)
    m.batch(sessions)
    m.gauge("used", call("Used", kv))
    one = [
        TURN,
        chained((kv, units), chain, body=[m.observe("c", cached), run(s, 1)], cache=cache),
        m.observe("in", call("CachedIn", kv)),
        m.observe("at", now),
    ]
    m.session(*one * turns)
    return m


OWN: list[tuple[Number, float]] = [(1, 4), (serial + 10, INF)]


def test_what_several_sessions_cache_under_one_key_is_cached_once() -> None:
    """6 and 8 units of which 4 are shared: 10 stay, from 2 to 6."""
    simulation = finished(_model(60, OWN, 6 + 2 * serial, 6 + 2 * serial, sessions=2, turns=1).build(6))
    assert simulation.report()["pools"][0]["mean_cached"] == pytest.approx((6 + 10 * 4) / 6)
    assert values(_model(60, OWN, 6, 6, sessions=1, turns=2).build(6), "c") == [0, 6]


def test_what_several_holds_use_of_a_chain_is_used_once() -> None:
    """Of 12, session 0 and session 1 hold 8 each from 1 on, 4 of them together; session 1 found these 4 at 1."""
    m = _model(12, OWN, 8, 8, sessions=2, turns=2, servers=9)
    assert values(m.build(8), "c") == [0, 4, 8, 8]
    assert gauge(finished(m.build(8)), "used") == [(0, 8), (1, 12), (2, 8), (3, 0)]


def test_a_hold_uses_no_more_of_a_chain_than_it_takes() -> None:
    units = where(turn_no.equals(1), 8, 4)
    assert values(_model(60, [(1, 8), (serial + 10, INF)], units, 8, sessions=1, turns=2).build(5), "c") == [0, 4]


def test_a_shorter_clause_takes_nothing_of_a_shared_chain_away() -> None:
    m = _model(60, OWN, 6, where(turn_no.equals(1), 6, 2), sessions=1, turns=2)
    assert values(m.build(5), "in") == [6, 6]


@pytest.mark.parametrize(("key", "third", "cached_at_the_end"), [(serial, 6, 10), (serial + 10, 8, 8)])
def test_what_a_hold_leaves_of_the_own_part_is_dead(key: Number, third: float, cached_at_the_end: float) -> None:
    """8, then 6, then 8 units: under the session's own serial the 2 that the second left cannot be used again."""
    m = _model(60, [(1, 4), (key, INF)], where(turn_no.equals(2), 6, 8), 99, sessions=1, turns=3)
    assert values(m.build(5), "c") == [0, 6, third]
    last = report(m.build(5))["pools"][0]["mean_cached"] * 5 - report(m.build(4))["pools"][0]["mean_cached"] * 4
    assert last == pytest.approx(cached_at_the_end)


@pytest.mark.parametrize("chain", [[(1, 4), (serial, 4)], [(1, 4), (serial, 2), (1, 2)]])
def test_an_own_part_that_ends_is_given_back_and_found_again(chain: list[tuple[Number, float]]) -> None:
    """8 of 10 units are in the chain; used again at 1, given back at 2, cached from then on."""
    m = _model(60, chain, 10, 10, sessions=1, turns=2)
    assert values(m.build(4), "c") == [0, 8]
    assert report(m.build(4))["pools"][0]["mean_cached"] == pytest.approx(8 * 2 / 4)


def test_a_clone_made_while_chains_are_used_goes_on_alike() -> None:
    check_clones(_model(16, OWN, 8 - 2 * (serial > 1), 8, sessions=3, turns=3, servers=2).build(30))


def test_a_snapshot_shows_what_is_cached_of_chains() -> None:
    simulation = Simulation(_model(60, OWN, 6 + 2 * serial, 6 + 2 * serial, sessions=2, turns=1).build(6))
    while not simulation.finished:
        simulation.step_event()
        (pool,) = simulation.snapshot().pools
        assert sum(entry.size for entry in pool.entries) == pool.cached
    assert sorted(entry.size for entry in simulation.snapshot().pools[0].entries) == [2, 4, 4]


@pytest.mark.parametrize("seed", range(30))
def test_what_holds_have_of_their_own_and_what_they_use_of_chains_sums_to_what_is_used(seed: int) -> None:
    """R1.12, beside chains: each piece that somebody uses counts once, each that nobody uses is cached."""
    simulation = Simulation(generate(seed, "chains").program)
    for _ in range(150):
        if simulation.finished:
            break
        simulation.advance()
        state = simulation.state
        pool = state.pools[0]
        tree = pool.tree
        if tree is None:
            return
        pieces = list(tree.nodes.values())
        allocated = 0.0
        for session in state.slots:
            if session is not None:
                allocated += sum(held.alloc for hold in session.holds for held in hold.pools)
                allocated += sum(lease.alloc for lease in session.leases)
        taken_over = sum(shared for _, shared, _, _ in tree.handles.values())
        in_use = sum(piece.size for piece in pieces if piece.users and not piece.own)
        assert pool.used == pytest.approx(allocated - taken_over + in_use, abs=1e-6)
        assert pool.cached == pytest.approx(sum(piece.size for piece in pieces if not piece.users), abs=1e-6)
        assert all(tree.nodes[piece.place] is piece for piece in pieces)
        assert all(following.before is piece for piece in pieces for following in piece.following.values())
        places = [piece.place for piece in pieces]
        assert len(set(places)) == len(places)
        assert not set(places) & set(pool.free_places)
