"""Fifos, delays and processors (R5.1 to R5.7, R5.11)."""

from __future__ import annotations

import pytest

from engine.rng import MACHINE_SALT, Stream
from tests.engine.programs import (
    INF,
    Model,
    Number,
    StageOf,
    branch,
    call,
    minimum,
    now,
    present,
    run,
    sample,
    serial,
    where,
)
from tests.engine.watching import finished, report, samples, values


def _done(declare: str, argument: Number, *rows: tuple[float, float], horizon: float = 100) -> list[tuple[float, int]]:
    """(time, session) of the ends of jobs that arrive at (time, with work) at a stage."""
    m = Model()
    at, work = m.size("at"), m.size("work")
    dl = m.delay("arrive")
    stage: StageOf = getattr(m, declare)("s", argument) if declare != "delay" else m.delay("s")
    m.sessions((at, work), *rows)
    m.session(run(dl, at), run(stage, work), m.observe("done", now))
    return [(time, session) for time, session, _, _ in samples(finished(m.build(horizon)), "done")]


# --------------------------------------------------------------------------- fifo, delay


def test_a_fifo_serves_in_order_with_as_many_servers_as_it_has() -> None:
    """R5.2: two servers, jobs of 4, 1, 2, 1: the third starts at 1, the fourth at 3."""
    assert _done("fifo", 2, (0, 4), (0, 1), (0, 2), (0, 1)) == [(1, 1), (3, 2), (4, 0), (4, 3)]


def test_a_fifo_without_a_server_never_starts() -> None:
    """R5.2."""
    assert _done("fifo", 0, (0, 1)) == []


def test_a_fifo_without_a_server_is_never_busy() -> None:
    """R9.3: measured: a job is present and none is in service, and the utilization is 0."""
    m = Model()
    q = m.fifo("q", 0)
    m.session(run(q, 1))
    stage = report(m.build())["stages"][0]
    assert (stage["mean_number"], stage["utilization"]) == (1, 0)


def test_a_job_of_no_work_is_through_at_once_and_counted_nowhere() -> None:
    """R5.1, R3.10: it passes the busy server."""
    m = Model()
    q = m.fifo("q")
    m.batch(2)
    m.session(run(q, 3 - 3 * serial), m.observe("done", now))
    simulation = finished(m.build())
    assert [s[:2] for s in samples(simulation, "done")] == [(0, 1), (3, 0)]
    assert simulation.report()["stages"][0]["completed"] == 1


def test_a_stage_counts_what_completes_with_its_wait_and_its_service() -> None:
    """R5.11, R9.6: one server, jobs of 4 and 1: waits 0 and 4, services 4 and 1, over 10 seconds."""
    m = Model()
    q = m.fifo("q")
    m.batch(2)
    m.session(run(q, 4 - 3 * serial))
    stage = report(m.build(10))["stages"][0]
    assert (stage["completed"], stage["mean_wait"], stage["mean_service"], stage["throughput"]) == (2, 2, 2.5, 0.2)
    # 2 jobs from 0 to 4, 1 to 5; somebody there for 5 of 10 seconds (R9.3).
    assert (stage["mean_number"], stage["utilization"]) == (0.9, 0.5)


def test_a_delay_holds_any_number_side_by_side() -> None:
    """R5.3, R1.14."""
    assert _done("delay", 0, (0, 4), (1, 1), (1, 4)) == [(2, 1), (4, 0), (5, 2)]


def test_infinite_work_never_ends() -> None:
    """R1.3: an amount may be infinite; the job behind it waits for ever."""
    m = Model()
    q = m.fifo("q")
    m.batch(2)
    m.session(run(q, where(serial.equals(0), INF, 1)), m.observe("done", now))
    program = m.build()
    assert values(program, "done") == []
    assert report(program)["stages"][0]["mean_number"] == 2


# --------------------------------------------------------------------------- processor sharing


def test_a_processor_shares_its_capacity_equally() -> None:
    """R5.4 to R5.6: capacity 1: jobs of 2 at 0 and 2 at 1. From 1 on each at 1/2: the first ends at 3, the second at 4."""
    assert _done("ps", 1, (0, 2), (1, 2)) == [(3, 0), (4, 1)]


def test_a_capacity_may_depend_on_the_jobs_present() -> None:
    """R5.6, R1.14: min(N, 2) is no delay: three jobs of 2 at 2/3 each end at 3 together."""
    assert _done("ps", minimum(present, 2), (0, 2), (0, 2), (0, 2)) == [(3, 0), (3, 1), (3, 2)]


def test_a_capacity_that_is_not_exactly_the_jobs_present_is_processor_sharing() -> None:
    """R1.14: N * 1 shares, at rate 1 each: like a delay, but removed and counted as a processor."""
    assert _done("ps", present * 1, (0, 4), (1, 1)) == [(2, 1), (4, 0)]


def test_equal_tags_end_in_the_order_of_job_numbers() -> None:
    """R5.6: both have the tag 2; the finish events come one after the other at 4."""
    assert _done("ps", 1, (0, 2), (0, 2)) == [(4, 0), (4, 1)]


@pytest.mark.parametrize("capacity", [0, -1])
def test_a_processor_without_capacity_stands_still(capacity: float) -> None:
    """R5.6."""
    assert _done("ps", capacity, (0, 1)) == []


def test_a_capacity_is_read_when_the_jobs_change_and_not_between() -> None:
    """R5.7: 1 + now: read at 0 (1) and at 2 (3, for two jobs 1.5 each).

    The job of 5 has 3 left at 2; the one of 3 that arrives ends with it, at 4.
    """
    assert _done("ps", 1 + now, (0, 5), (2, 3)) == [(4, 0), (4, 1)]


def test_a_stale_finish_event_is_counted_and_does_nothing() -> None:
    """R5.6, R2.9: the finish set at 0 for 2 is stale when a job arrives at 1, and so on.

    Events: the arrival's delay at 1; the stale finish at 2; at 3 the first, which makes the second's of
    4 anew; 4. In all 4 events, the finish at 1's new rate being the one of 3.
    """
    m = Model()
    at = m.size("at")
    ps, dl = m.ps("ps", 1), m.delay()
    m.sessions((at,), (0,), (1,))
    m.session(run(dl, at), run(ps, 2), m.observe("done", now))
    simulation = finished(m.build())
    assert [s[0] for s in samples(simulation, "done")] == [3, 4]
    assert simulation.report()["events"] == 4


def test_processors_are_rescheduled_in_stage_order() -> None:
    """R2.6 3, R8.5: both change at 0; the capacity of the first stage draws first, though the second had its job first."""
    m = Model()
    a, b = m.ps("a", 1 + sample("Uniform", 0, 1)), m.ps("b", 1 + sample("Uniform", 0, 1))
    m.batch(2)
    m.session(branch(serial.equals(0), [run(b, 6)], [run(a, 6)]), m.observe("done", now))
    machine = Stream(1 ^ MACHINE_SALT)
    at_a, at_b = 6 / (1 + machine.unit()), 6 / (1 + machine.unit())
    assert {s[1]: s[3] for s in samples(finished(m.build()), "done")} == {1: at_a, 0: at_b}


def test_the_jobs_of_a_processor_count_as_busy() -> None:
    """R9.3, R7.9: present 2 then 1: mean_number over 10 s: 2 * 3 + 1 * 1."""
    m = Model()
    at = m.size("at")
    ps, dl = m.ps("ps", 1), m.delay()
    m.sessions((at,), (0,), (0,))
    m.session(run(dl, at), run(ps, 2 + 0 * call("Queue", ps)), m.observe("busy", call("Busy", ps)))
    stage = report(m.build(10))["stages"][0]
    assert (stage["mean_number"], stage["utilization"]) == (0.8, 0.4)


def test_a_wait_that_was_never_served_is_measured_from_its_queue() -> None:
    """R5.11 at a processor: no start, so the wait is 0 and the service the whole stay: 3 and 3."""
    m = Model()
    ps = m.ps("ps", 1)
    m.batch(2)
    m.session(run(ps, 1 + serial))
    stage = report(m.build(10))["stages"][0]
    # Jobs of 1 and 2 at 1/2 each: the first ends at 2, the second at 3.
    assert (stage["completed"], stage["mean_wait"], stage["mean_service"]) == (2, 0, 2.5)


def test_a_member_of_an_array_of_stages_is_chosen_when_the_run_starts() -> None:
    """R3.10: both sessions of member 0 share it, the third has member 1 alone."""
    m = Model()
    k = m.size("k")
    q = m.fifo("q", members=2)
    m.sessions((k,), (0,), (0,), (1,))
    m.session(run(q[k], 2), m.observe("done", now))
    assert values(m.build(), "done") == [2, 2, 4]


def test_a_stage_measures_only_while_warm() -> None:
    """R5.11, R9.4: jobs end at 2 and 6; the warm-up ends at 4; throughput over 10 - 4."""
    m = Model()
    q = m.fifo("q")
    m.batch(2)
    m.session(run(q, 2 + 2 * serial))
    stage = report(m.build(10, warmup=4.0))["stages"][0]
    assert (stage["completed"], stage["mean_wait"], stage["mean_service"], stage["throughput"]) == (1, 2, 4, 1 / 6)


def test_the_virtual_time_reaches_the_tag_of_the_job_that_ends() -> None:
    """R5.5, measured: without it the rounding of the second end would stay, and the last would be at 1.1."""
    done = _done("ps", 1, (0.3, 0.7), (0.1, 0.2), (0.1, 0.1))
    assert done == [(0.30000000000000004, 2), (0.5, 1), (1.0999999999999999, 0)]
