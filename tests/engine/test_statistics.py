"""Averages, histograms and confidence intervals (R9.2 to R9.12), by hand."""

from __future__ import annotations

from math import ceil, exp, inf, log, log1p, nan, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.statistics import GapHistogram, RunningMean, TimeAverage, confidence, half_width, interval, ninety_ninth, total_order

# --------------------------------------------------------------------------- time averages (R9.2)


def test_a_time_average_weighs_each_value_by_how_long_it_stood() -> None:
    """R9.2: 2 from 0 to 3, then 5 to 4: (2*3 + 5*1) / 4."""
    signal = TimeAverage()
    signal.set(0.0, 2.0)
    signal.set(3.0, 5.0)
    assert signal.mean(4.0) == 11 / 4


def test_a_reset_forgets_the_past_and_keeps_the_value() -> None:
    """R9.2, R9.4: after a reset at 4 with the value 5, 1 from 6 on: (5*2 + 1*2) / 4."""
    signal = TimeAverage()
    signal.set(1.0, 5.0)
    signal.reset(4.0)
    signal.set(6.0, 1.0)
    assert signal.mean(8.0) == 12 / 4


def test_over_no_time_the_average_is_the_value() -> None:
    """R9.2."""
    signal = TimeAverage()
    signal.set(0.0, 7.0)
    assert signal.mean(0.0) == 7.0
    signal.reset(3.0)
    assert signal.mean(3.0) == 7.0
    assert signal.mean(2.0) == 7.0


# --------------------------------------------------------------------------- running means (R9.5)


def test_a_running_mean_is_updated_sample_by_sample() -> None:
    """R9.5: 2, 4, 9: mean 5, squares of distances 9 + 1 + 16 = 26, variance 13, cv2 13/25."""
    running = RunningMean()
    assert running.result() is None
    for x in (2.0, 4.0, 9.0):
        running.add(x)
    assert running.result() == 5.0
    assert running.cv2() == pytest.approx(13 / 25, rel=1e-15)


def test_one_sample_has_no_variance() -> None:
    """R9.5."""
    running = RunningMean()
    assert running.cv2() is None
    running.add(3.0)
    assert running.cv2() is None


def test_a_mean_of_zero_has_no_finite_variation() -> None:
    """R9.5: 1 and -1 have variance 2 over a mean of 0; two zeros divide 0 by 0."""
    running = RunningMean()
    running.add(1.0)
    running.add(-1.0)
    assert running.cv2() == inf
    zeros = RunningMean()
    zeros.add(0.0)
    zeros.add(0.0)
    variation = zeros.cv2()
    assert variation is not None
    assert variation != variation


def test_sums_are_not_compensated() -> None:
    """R1.1: 0.1, 0.2, 0.3 by Welford's steps, written out."""
    running = RunningMean()
    mean = 0.0
    for n, x in enumerate((0.1, 0.2, 0.3), start=1):
        running.add(x)
        mean += (x - mean) / n
    assert running.result() == mean


# --------------------------------------------------------------------------- gaps between tokens (R9.8)

WIDTH = log1p(0.01)


def test_gaps_fall_into_buckets_one_per_cent_wide() -> None:
    """R9.8: 1 and 1.005 share bucket 0, 1.02 lies in bucket 1."""
    gaps = GapHistogram()
    for gap in (1.0, 1.005, 1.02):
        gaps.add(gap)
    assert sorted(gaps.buckets) == [0, 1]
    bucket = gaps.buckets[0]
    assert (bucket.count, bucket.least, bucket.greatest) == (2, 1.0, 1.005)
    assert gaps.mean() == (1.0 + 1.005 + 1.02) / 3


def test_a_quantile_is_the_middle_of_its_bucket_within_what_was_seen() -> None:
    """R9.8: of 1, 1.005 and 1.02 the median has rank 2, in bucket 0, whose middle exp(0.5 w) lies between 1 and 1.005.

    The 99th has rank 3 in bucket 1, whose middle exp(1.5 w) = 1.01504 is raised to the least gap there.
    """
    gaps = GapHistogram()
    for gap in (1.0, 1.005, 1.02):
        gaps.add(gap)
    assert gaps.quantile(0.5) == exp(0.5 * WIDTH)
    assert gaps.quantile(0.99) == 1.02


def test_equal_gaps_have_themselves_as_every_quantile() -> None:
    """R9.8: least and greatest clamp the bucket's middle."""
    gaps = GapHistogram()
    for _ in range(5):
        gaps.add(0.3)
    assert (gaps.mean(), gaps.quantile(0.5), gaps.quantile(0.99)) == (1.5 / 5, 0.3, 0.3)


def test_a_gap_repeated_after_another_is_counted_in_its_own_bucket() -> None:
    gaps = GapHistogram()
    for gap in (2.0, 2.0, 5.0, 5.0, 2.0):
        gaps.add(gap)
    assert sorted(bucket.count for bucket in gaps.buckets.values()) == [2, 3]
    assert gaps.quantile(0.5) == 2.0


def test_gaps_that_are_not_above_zero_share_the_lowest_bucket() -> None:
    """R9.8: the quantile there is 0, clamped to what was seen: -1 and 0 give 0, and -1 alone gives -1."""
    gaps = GapHistogram()
    gaps.add(0.0)
    gaps.add(-1.0)
    gaps.add(8.0)
    assert gaps.quantile(0.5) == 0.0
    alone = GapHistogram()
    alone.add(-1.0)
    assert alone.quantile(0.5) == -1.0


def test_a_rank_is_at_least_one_and_at_most_all() -> None:
    """R9.8."""
    gaps = GapHistogram()
    gaps.add(1.0)
    gaps.add(2.0)
    assert gaps.quantile(0.0) == 1.0
    assert gaps.quantile(1.0) == 2.0


def test_a_histogram_of_nothing_says_nothing() -> None:
    """R9.8."""
    gaps = GapHistogram()
    assert gaps.mean() is None
    assert gaps.quantile(0.5) is None


def test_a_bucket_is_the_floor_of_the_scaled_logarithm() -> None:
    """R9.8: below 1 the logarithm is negative, and floor goes down: ln(0.995) / w = -0.503, bucket -1."""
    gaps = GapHistogram()
    gaps.add(0.995)
    assert list(gaps.buckets) == [-1]
    assert log(0.995) / WIDTH > -1


def test_a_cloned_histogram_counts_on_by_itself() -> None:
    gaps = GapHistogram()
    gaps.add(1.0)
    copy = gaps.clone()
    gaps.add(1.0)
    copy.add(4.0)
    assert [(k, bucket.count) for k, bucket in gaps.buckets.items()] == [(0, 2)]
    assert (copy.n, copy.total) == (2, 5.0)


# --------------------------------------------------------------------------- intervals and percentiles


def test_a_half_width_comes_from_the_means_of_twenty_batches() -> None:
    """R9.12: forty samples 0, 1, 0, 1 ... for the first ten batches, then 2s: batch means 0.5 and 2, ten each.

    m = 1.25, the squares sum to 20 * 0.75**2, the variance is that / 19.
    """
    samples = [0.0, 1.0] * 10 + [2.0] * 20
    assert half_width(samples) == pytest.approx(2.093 * sqrt(20 * 0.75**2 / 19 / 20), rel=1e-14)


def test_what_does_not_fill_a_batch_is_ignored() -> None:
    """R9.12: 59 samples make batches of 2; the last 19 do not count."""
    samples = [0.0, 1.0] * 10 + [2.0] * 20
    assert half_width(samples + [1e9] * 19) == half_width(samples)


def test_an_observation_needs_forty_samples_for_an_interval() -> None:
    """R9.10."""
    assert confidence([1.0] * 39) is None
    assert confidence([1.0] * 40) == 0.0


def test_an_interval_of_means_that_are_no_numbers_is_none_either() -> None:
    """R9.12: infinite means have no variance."""
    width = interval([inf] * 20)
    assert width != width


def test_the_ninety_ninth_is_the_sample_at_its_rank() -> None:
    """R9.10: of 100 samples the 99th, of 101 the 100th (ceil of 99.99), of one itself."""
    assert ninety_ninth([float(x) for x in range(100, 0, -1)]) == 99.0
    assert ninety_ninth([float(x) for x in range(101, 0, -1)]) == 100.0
    assert ninety_ninth([5.0]) == 5.0
    assert ninety_ninth([]) is None


# --------------------------------------------------------------------------- the total order (R1.2)


def test_floats_are_ordered_with_zeros_and_nans_in_place() -> None:
    """R1.2."""
    ordered = [-nan, -inf, -1.0, -0.0, 0.0, 1e-300, 1.0, inf, nan]
    ranks = [total_order(x) for x in ordered]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_the_total_order_agrees_with_less_than(x: float, y: float) -> None:
    """R1.2."""
    if x < y:
        assert total_order(x) < total_order(y)


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=50), st.floats(0.01, 0.99))
def test_a_quantile_lies_within_a_bucket_of_the_sample_at_its_rank(xs: list[float], q: float) -> None:
    """R9.8."""
    gaps = GapHistogram()
    for x in xs:
        gaps.add(x)
    exact = sorted(xs)[min(max(ceil(q * len(xs)), 1), len(xs)) - 1]
    found = gaps.quantile(q)
    assert found is not None
    assert exact / 1.0101 <= found <= exact * 1.0101
