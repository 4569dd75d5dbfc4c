"""The report: warm-up, iteration shares, observations and gauges (R9.1 to R9.17)."""

from __future__ import annotations

from math import sqrt
from typing import Any

import pytest

from engine.gauges import summary
from tests.engine.programs import (
    LIFO,
    TURN,
    Model,
    branch,
    call,
    hold,
    now,
    run,
    serial,
    where,
)
from tests.engine.requests import Serving
from tests.engine.watching import finished, gauge, report, samples

# --------------------------------------------------------------------------- shape and warm-up


def test_a_report_has_its_fields_in_their_order() -> None:
    """R9.1, measured."""
    m = Model()
    q = m.fifo("q", members=2)
    m.pool("p", 1)
    m.session(m.observe("b", 1), m.observe("a", 1), run(q[0], 1))
    m.gauge("g", 1)
    figures = report(m.build())
    head = ["horizon", "end", "warmup", "seed", "events", "arrivals", "ended", "turns", "mean_live"]
    assert list(figures) == ["serq_version", *head, "observes", "client", "gauges", "stages", "pools"]
    assert list(figures["observes"]) == ["b", "a"]
    assert list(figures["client"]) == ["ttft", "tpot", "response"]
    assert [(stage["name"], stage["index"]) for stage in figures["stages"]] == [("q", 0), ("q", 1)]
    assert [(pool["name"], pool["index"]) for pool in figures["pools"]] == [("p", None)]


def test_claims_stand_before_the_stages_where_there_are_some() -> None:
    """R9.1, measured."""
    m = Model()
    m.session(m.observe("a", 1))
    m.claim("c", "AtEnd", 1)
    figures = report(m.build())
    assert list(figures)[-3:] == ["claims", "stages", "pools"]


def test_numbers_that_are_not_finite_do_not_stand_in_a_report() -> None:
    """R9.1: an infinite capacity in use makes infinite means."""
    m = Model()
    m.gauge("g", call("Free", m.pool("p")))
    m.session(m.observe("x", 1 / (serial * 0)))
    figures = report(m.build())
    assert figures["observes"]["x"]["mean"] is None
    assert figures["gauges"]["g"]["mean"] is None


def test_the_end_of_the_warm_up_is_an_event_like_any_other() -> None:
    """R2.2, R9.4: it is counted and comes first of its time, being scheduled first."""
    m = Model()
    m.session(run(m.delay(), 4), m.observe("x", now))
    figures = report(m.build(10, warmup=4.0))
    assert (figures["events"], figures["observes"]["x"]["count"]) == (2, 1)


def test_turns_and_ends_count_while_warm_and_arrivals_always() -> None:
    """R1.16: at 1 a turn and an end each, before and after the warm-up of 2."""
    m = Model()
    m.batch(2)
    m.session(run(m.delay(), 1 + 2 * serial), TURN)
    figures = report(m.build(10, warmup=2.0))
    assert (figures["arrivals"], figures["turns"], figures["ended"]) == (2, 1, 1)


def test_averages_over_the_iterations_are_reset_by_the_warm_up() -> None:
    """R9.4, R9.7: one decode an iteration from 1 to 4; the warm-up ends at 2.5: decoding 1.5 of 7.5 s; two started since."""
    s = Serving(((0, 2, 3),))
    stage = report(s.build(s.engine(), 10, warmup=2.5))["stages"][0]
    assert stage["decode_only"] == 1.5 / 7.5
    assert stage["mean_decodes"] == 1.5 / 7.5
    # Only the iteration of 3 started while warm.
    assert (stage["mean_decode_batch"], stage["mean_decode_step"], stage["iterations"]) == (1, 1, 4)


def test_the_kinds_of_iterations_share_the_time() -> None:
    """R9.7: 0 to 1 prefill only, 1 to 2 mixed, 2 to 4 decodes only, of 10; cost 1, decodes 1, 2, 1."""
    s = Serving(((0, 2, 3), (0.5, 2, 1)))
    stage = report(s.build(s.engine(), 10))["stages"][0]
    assert (stage["prefill_only"], stage["mixed"], stage["decode_only"]) == (0.1, 0.1, 0.2)
    assert stage["mean_decodes"] == (1 + 2 + 1) / 10
    assert stage["mean_decode_batch"] == 4 / 3


def test_an_iteration_that_only_preempted_is_of_no_kind() -> None:
    """R9.7: E15's tenth second and others: prefill, mixed, decode shares fall short of the busy time."""
    s = Serving(((0, 3, 2), (0, 3, 2)))
    s.kv(6, units=3, preempt=LIFO)
    # 0: both prefill; 1: session 1, served first, preempts itself; then session 0 decodes 2, session 1 starts over.
    stage = report(s.build(s.engine(serve=[-serial]), 20))["stages"][0]
    shares = stage["prefill_only"] + stage["mixed"] + stage["decode_only"]
    assert round(shares * 20) == stage["iterations"] - 1


def test_other_stages_have_no_iterations() -> None:
    """R9.6."""
    m = Model()
    m.session(run(m.fifo("q"), 1))
    stage = report(m.build())["stages"][0]
    numbers = ("iterations", "prefill_only", "decode_only", "mixed", "mean_decodes")
    assert {stage[name] for name in numbers} == {0}
    assert {stage[name] for name in ("mean_decode_batch", "mean_decode_step", "mean_itl", "itl_p50", "itl_p99")} == {None}
    assert stage["idle_with_work"] is False


def test_a_job_of_an_engine_waits_nowhere_and_is_served_all_its_stay() -> None:
    """R9.6: two prefills of 4 under a budget of 4: stays of 1 and 2."""
    s = Serving(((0, 4, 0), (0, 4, 0)))
    stage = report(s.build(s.engine(budget=4)))["stages"][0]
    assert (stage["completed"], stage["mean_wait"], stage["mean_service"]) == (2, 0, 1.5)


def test_an_engine_is_busy_while_somebody_resides() -> None:
    """R9.3: also when it idles: 10 of 10 seconds, and one job."""
    s = Serving(((0, 4, 0),))
    stage = report(s.build(s.engine(budget=0), 10))["stages"][0]
    assert (stage["utilization"], stage["mean_number"], stage["idle_with_work"]) == (1, 1, True)


# --------------------------------------------------------------------------- observations


def _observed(count: int) -> dict[str, Any]:
    """The figures of the observed values 0, 1, 2 … count - 1."""
    m = Model()
    m.batch(count)
    m.session(m.observe("x", serial))
    return report(m.build())["observes"]["x"]


def test_an_observation_has_count_mean_variation_and_percentile() -> None:
    """R9.10, R9.5: 0, 1, 2, 3: mean 1.5, variance 5/3, cv2 that over 2.25; the 99th is the greatest."""
    figures = _observed(4)
    assert (figures["count"], figures["mean"], figures["p99"], figures["ci"]) == (4, 1.5, 3, None)
    assert figures["cv2"] == pytest.approx(5 / 3 / 2.25, rel=1e-15)


def test_from_forty_samples_on_an_observation_has_an_interval() -> None:
    """R9.10, R9.12: batches of 2: means 0.5, 2.5 … 38.5, spaced by 2: variance 4 * 20 * 21 / 12 = 140."""
    assert _observed(39)["ci"] is None
    assert _observed(40)["ci"] == pytest.approx(2.093 * sqrt(140 / 20), rel=1e-14)


def test_nothing_observed_has_no_figures() -> None:
    """R9.10."""
    m = Model()
    m.session(branch(serial, [m.observe("x", 1)]))
    assert report(m.build())["observes"]["x"] == {"count": 0, "mean": None, "ci": None, "cv2": None, "p99": None}


def test_a_sample_stands_with_its_time_session_and_turn() -> None:
    """R9.10; infinities and NaN are written as words."""
    m = Model()
    m.batch(2)
    m.session(TURN, run(m.delay(), 2), branch(serial, [m.observe("x", 1 / (serial - 1))], [m.observe("x", call("Ln", 0))]))
    assert samples(finished(m.build()), "x") == [(2, 0, 1, "-inf"), (2, 1, 1, "inf")]
    n = Model()
    n.session(n.observe("x", call("Ln", -1)))
    assert samples(finished(n.build()), "x") == [(0, 0, 0, "nan")]


# --------------------------------------------------------------------------- gauges


def test_a_gauge_is_read_when_the_clock_moves_and_kept_where_it_changed() -> None:
    """R9.16: holders at 0 (1), at 2 for no time, at 3 (2 of them), at 5 (0); what happens within an instant is not seen."""
    m = Model()
    mem = m.pool("mem", 9)
    dl = m.delay()
    m.gauge("g", call("Holders", mem))
    m.batch(3)
    m.session(run(dl, where(serial < 2, 3 * serial, 2)), hold((mem, 1), body=[branch(serial < 2, [run(dl, 5 - 3 * serial)])]))
    simulation = finished(m.build(10))
    assert gauge(simulation, "g") == [(0, 1), (3, 2), (5, 0)]


def test_the_figures_of_a_gauge_are_over_the_time_behind_the_warm_up() -> None:
    """R9.17: 1 in [0, 3), 2 in [3, 5), 0 to 10; warm from 2: (1*1 + 2*2) / 8.

    Twenty windows of 0.4 s: 1, 1, 1.5, then 2 four times, 1 once, and 0.
    """
    m = Model()
    mem = m.pool("mem", 9)
    dl = m.delay()
    m.gauge("g", call("Holders", mem))
    m.batch(2)
    m.session(run(dl, 3 * serial), hold((mem, 1), body=[run(dl, 5 - 3 * serial)]))
    figures = report(m.build(10, warmup=2.0))["gauges"]["g"]
    assert (figures["mean"], figures["min"], figures["max"]) == (5 / 8, 0, 2)
    means = [1, 1, 1.5, 2, 2, 2, 2, 1, *[0] * 12]
    middle = sum(means) / 20
    assert figures["ci"] == pytest.approx(2.093 * sqrt(sum((x - middle) ** 2 for x in means) / 19 / 20), rel=1e-12)


def test_a_gauge_over_no_time_has_no_figures() -> None:
    """R9.17."""
    assert summary([(0.0, 1.0)], 5.0, 5.0) == {"mean": None, "ci": None, "min": None, "max": None}
    assert summary([], 0.0, 5.0)["mean"] is None


def test_a_constant_gauge_is_one_point() -> None:
    """R9.16."""
    m = Model()
    m.gauge("g", 4)
    m.session(run(m.delay(), 1), run(m.delay("later"), 1))
    simulation = finished(m.build(10))
    assert gauge(simulation, "g") == [(0, 4)]
    assert simulation.report()["gauges"]["g"] == {"mean": 4, "ci": 0, "min": 4, "max": 4}


def test_a_gauge_that_is_no_number_keeps_one_point() -> None:
    """R9.16: the total order takes a NaN for equal to itself."""
    m = Model()
    m.gauge("g", call("Ln", -1))
    m.session(run(m.delay(), 1), run(m.delay("later"), 1))
    assert gauge(finished(m.build(10)), "g") == [(0, "nan")]
