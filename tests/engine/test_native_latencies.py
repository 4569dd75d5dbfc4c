"""Runs that wait for a latency before their job starts. All numbers are measured on the reference, IR 14."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from grammar import ir
from tests.engine.programs import (
    LIFO,
    Model,
    Number,
    StageOf,
    branch,
    call,
    grow,
    hold,
    node,
    now,
    run,
    sample,
    serial,
    where,
)
from tests.engine.watching import check_clones, failed, finished, gauge, report, samples, values


def late(stage: StageOf, work: Number, latency: Number, **options: Any) -> ir.Run:
    """A run with a latency."""
    return replace(run(stage, work, **options), latency=node(latency))


def test_a_job_waits_for_its_latency_at_its_stage_and_then_starts() -> None:
    m = Model()
    a, f = m.ps("a", 2), m.fifo("f")
    m.batch(3)
    m.session(late(a, 1 + serial, 0.75), m.observe("t1", now), late(f, 1, 0.5), m.observe("at", now))
    m.gauge("queue", call("Queue", a))
    m.gauge("busy", call("Busy", a))
    simulation = finished(m.build(20))
    assert [t for t, *_ in samples(simulation, "t1")] == [2.25, 3.25, 3.75]
    assert [t for t, *_ in samples(simulation, "at")] == [3.75, 4.75, 5.75]
    assert gauge(simulation, "queue") == [(0, 3), (2.25, 2), (3.25, 1), (3.75, 0)]
    assert gauge(simulation, "busy") == [(0, 0), (0.75, 3), (2.25, 2), (3.25, 1), (3.75, 0)]
    stages = simulation.report()["stages"]
    assert (stages[0]["mean_wait"], stages[0]["utilization"]) == (0.75, 0.15)
    assert (stages[1]["mean_number"], stages[1]["utilization"]) == (0.25, 0.15)


def test_jobs_join_a_fifo_queue_as_their_latencies_end() -> None:
    m = Model()
    d, f = m.delay("d"), m.fifo("f")
    m.batch(3)
    m.session(run(d, serial), late(f, 3, 3 - serial * 1.1), m.observe("at", now))
    assert [(round(t, 9), s) for t, s, *_ in samples(finished(m.build(20)), "at")] == [(5.8, 2), (8.8, 1), (11.8, 0)]


@pytest.mark.parametrize(("first", "order"), [(0, [1, 0]), (1, [0, 1])])
def test_a_job_with_a_latency_has_the_number_of_its_run(first: int, order: list[int]) -> None:
    """Two jobs of one finish tag: the one whose run was executed at 0 wins against the one of 1."""
    m = Model()
    p, d = m.ps("p", 1), m.delay("d")
    m.batch(2)
    m.session(branch(serial.equals(first), [run(d, 1), run(p, 2)], [late(p, 2, 1)]), m.observe("at", now))
    assert [(t, s) for t, s, *_ in samples(finished(m.build(20)), "at")] == [(5, s) for s in order]


def test_a_latency_without_work_is_counted_and_passes_a_queue_by() -> None:
    m = Model()
    f = m.fifo("f")
    m.batch(2)
    m.session(branch(serial.equals(0), [run(f, 3)], [late(f, 0, 1)]), m.observe("at", now))
    simulation = finished(m.build(20))
    assert [(t, s) for t, s, *_ in samples(simulation, "at")] == [(1, 1), (3, 0)]
    stage = simulation.report()["stages"][0]
    assert (stage["completed"], stage["mean_wait"], stage["mean_service"]) == (2, 0.5, 1.5)


def test_flows_share_without_those_that_wait() -> None:
    m = Model()
    a, b = m.ps("a", 2), m.ps("b", 1)
    m.batch(3)
    flow = late(a, 1 + serial, 1 + serial, also=[b], share="Bottleneck")
    m.session(flow, m.observe("t1", now), late(a, 1, 0.5), m.observe("at", now))
    simulation = finished(m.build(20))
    assert [t for t, *_ in samples(simulation, "t1")] == [2, 5, 7]
    assert [t for t, *_ in samples(simulation, "at")] == [3.75, 6.5, 8]
    assert simulation.report()["events"] == 16


def test_the_latency_is_read_after_the_work() -> None:
    """The first draw of the session's stream is the work, 0.1768…; the second the latency, 2.572…"""
    m = Model()
    f = m.fifo("f")
    m.session(late(f, sample("Exp", 1), sample("Exp", 1)), m.observe("at", now))
    assert values(m.build(20), "at") == [pytest.approx(0.176885 + 2.572400, abs=1e-5)]
    assert report(m.build(20))["stages"][0]["mean_wait"] == 2.5724002779949062


@pytest.mark.parametrize("kind", ["fifo", "ps"])
def test_a_preempted_session_leaves_its_latency_behind(kind: str) -> None:
    """Session 1 loses its hold at 1, while it waits; the end of that latency at 3 is an event that does nothing.

    R5.12: nor is it counted among those that wait any longer, which a ps stage leaves out of who shares.
    """
    m = Model()
    kv = m.pool("kv", 10, preempt=LIFO)
    s, f = m.delay("s"), m.fifo("f") if kind == "fifo" else m.ps("f", 1)
    m.batch(2)
    m.session(
        hold((kv, 4), body=[branch(serial.equals(0), [run(s, 1), grow(kv, 4), run(s, 1)], [late(f, 1, 3)])]), m.observe("at", now)
    )
    simulation = finished(m.build(20))
    assert [(t, s) for t, s, *_ in samples(simulation, "at")] == [(2, 0), (6, 1)]
    assert simulation.report()["events"] == 5


def test_a_ps_stage_is_shared_by_those_that_have_started() -> None:
    """R5.6: session 0 does 1 of its 2 alone until 1, then both do a half a second."""
    m = Model()
    p = m.ps("p", 1)
    m.batch(2)
    m.session(branch(serial.equals(0), [run(p, 2)], [late(p, 1, 1)]), m.observe("at", now))
    assert [(t, s) for t, s, *_ in samples(finished(m.build(20)), "at")] == [(3, 0), (3, 1)]


def test_who_waits_in_a_fifo_after_its_latency_has_not_started() -> None:
    """R5.12: session 1 is in the queue from 0.5 and preempted at 1; session 3, before it, goes on waiting for session 2."""
    m = Model()
    kv = m.pool("kv", 10, preempt=LIFO)
    s, f = m.delay("s"), m.fifo("f")
    m.batch(4)
    preempting = hold((kv, 4), body=[run(s, 1), grow(kv, 4), run(s, 1)])
    preempted = hold((kv, 4), body=[late(f, 1, 0.5)])
    others = branch(serial.equals(2), [run(f, 4)], [run(s, 0.25), run(f, 1)])
    m.session(branch(serial.equals(0), [preempting], [branch(serial.equals(1), [preempted], [others])]), m.observe("at", now))
    assert [(t, s) for t, s, *_ in samples(finished(m.build(20)), "at")] == [(2, 0), (4, 2), (5, 3), (6, 1)]


def test_a_latency_is_an_amount() -> None:
    m = Model()
    f = m.fifo("f")
    m.session(late(f, 1, where(serial.equals(0), -1, 1)))
    assert "latency" in failed(m.build(20)).failure.message  # type: ignore[union-attr]


def test_a_clone_made_during_a_latency_goes_on_alike() -> None:
    m = Model()
    a, b = m.ps("a", 2), m.ps("b", 1)
    m.batch(3)
    m.session(late(a, 1 + serial, 1 + serial, also=[b]), branch(serial > 0, [late(a, 1, 0.5)]), m.observe("at", now))
    check_clones(m.build(20))
