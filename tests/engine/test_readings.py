"""Values read around a moment, and stops as somebody set them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.breakpoints import Armed, OnIdle
from engine.conditions import Value
from engine.readings import Interrupted, around, at, recent
from engine.simulation import Simulation
from engine.snapshot import Position
from engine.targets import AtIteration
from engine.timeline import Timeline
from grammar import ir
from grammar.link import link
from grammar.settings import Settings
from grammar.source import Source

EXAMPLE = Path(__file__).parents[2] / "serq_tui" / "examples" / "preemption.sq"
VLLM = 0

USED = Value("used(kv)", ir.Call("Used", (ir.PoolArg(ir.Ref(1)),)))
RUNNING = Value("running.count", ir.Ctx("Nres"), VLLM)


def program() -> ir.Program:
    return link(Source(str(EXAMPLE), EXAMPLE.read_text(encoding="utf-8")), Settings(horizon=None)).program


def straight(attempts: int) -> list[tuple[Position, float, float]]:
    """After each of the first attempts: where the run stands, units of kv in use, requests running; from snapshots."""
    run = Simulation(program())
    seen: list[tuple[Position, float, float]] = []
    while len(seen) < attempts:
        if run.advance() is not None:
            now = run.snapshot()
            kv = next(pool for pool in now.pools if pool.name == "kv")
            seen.append((now.position, kv.used, float(len(now.engines[0].running))))
    return seen


def test_values_are_read_at_this_moment_and_at_the_one_before() -> None:
    timeline = Timeline(Simulation(program()))
    assert around(timeline, USED.read) == (0.0, None)
    seen = straight(20)
    timeline.seek(AtIteration(VLLM, 20))
    assert around(timeline, USED.read) == (seen[19][1], seen[18][1])
    assert at(timeline, seen[4][0], RUNNING.read) == seen[4][2]


def test_within_a_step_the_moment_before_is_the_decision_before() -> None:
    timeline = Timeline(Simulation(program()))
    # the first decision admits r0, whose first chunk is 18 tokens: two blocks of 16
    timeline.step_decision()
    assert around(timeline, USED.read) == (32.0, 0.0)


def test_recent_figures_are_those_of_the_latest_attempts() -> None:
    seen = straight(40)
    timeline = Timeline(Simulation(program()))
    timeline.seek(AtIteration(VLLM, 40))
    used, running = recent(timeline, (USED, RUNNING), 12)
    assert used == tuple(kv for _, kv, _ in seen[-12:])
    assert running == tuple(count for _, _, count in seen[-12:])


def test_there_are_fewer_recent_figures_near_the_start() -> None:
    timeline = Timeline(Simulation(program()))
    assert recent(timeline, (USED,), 12) == ((),)
    timeline.seek(AtIteration(VLLM, 3))
    assert recent(timeline, (USED,), 12) == (tuple(kv for _, kv, _ in straight(3)),)


def test_reading_stays_where_it_is_and_can_be_interrupted() -> None:
    timeline = Timeline(Simulation(program()))
    timeline.seek(AtIteration(VLLM, 200))
    here, snapshot = timeline.position, timeline.snapshot()
    around(timeline, USED.read)
    with pytest.raises(Interrupted):
        recent(timeline, (USED,), 100, interrupt=lambda: True)
    assert timeline.position == here
    assert timeline.snapshot() == snapshot


def test_a_stop_lets_its_first_hits_pass() -> None:
    stop = Armed((OnIdle(),), after=2)
    assert [stop.ends(hits) for hits in (1, 2, 3)] == [False, False, True]
    assert stop.hit(2).ends(1)


def test_a_stop_for_once_is_disabled_by_the_hit_that_ends_a_run() -> None:
    stop = Armed((OnIdle(),), once=True, after=1)
    assert stop.hit(1) == replace(stop, hits=1)
    assert stop.hit(2) == replace(stop, hits=2, enabled=False)


def test_a_disabled_stop_ends_no_run() -> None:
    assert not Armed((OnIdle(),), enabled=False).ends(5)
