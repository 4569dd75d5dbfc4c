"""What a run measures of itself: averages and histograms; knows no program.

Sums run in the order the rules give and are never compensated (R1.1), so that every digit
of a report is the reference's.
"""

from __future__ import annotations

from math import ceil, copysign, exp, frexp, isfinite, log, log1p, sqrt
from typing import Final

_BUCKET: Final = log1p(0.01)
"""Width of a gap histogram's bucket on the logarithmic scale (R9.8)."""

_BATCHES: Final = 20
_STUDENT_19: Final = 2.093
"""Batches of the confidence interval, and Student's factor for them (R9.12)."""

_LEAST_SAMPLES: Final = 40
"""Below this an observation has no confidence interval (R9.10)."""


class TimeAverage:
    """The average of a signal over time (R9.2)."""

    __slots__ = ("integral", "last", "start", "value")

    def __init__(self) -> None:
        self.value = 0.0
        self.last = 0.0
        self.integral = 0.0
        self.start = 0.0

    def set(self, now: float, value: float) -> None:
        """The signal has ``value`` from ``now`` on."""
        if self.value == 0.0 and value == 0.0:
            # Nothing to add, and when it was last looked at matters to no other value.
            return
        self.integral += self.value * (now - self.last)
        self.last = now
        self.value = value

    def reset(self, now: float) -> None:
        """Forgets what was before ``now``; the value stays."""
        self.integral = 0.0
        self.last = now
        self.start = now

    def mean(self, end: float) -> float:
        """The average up to ``end``; the value itself over no time."""
        span = end - self.start
        if span <= 0:
            return self.value
        return (self.integral + self.value * (end - self.last)) / span

    def clone(self) -> TimeAverage:
        """A copy."""
        other = TimeAverage()
        other.value = self.value
        other.last = self.last
        other.integral = self.integral
        other.start = self.start
        return other


class RunningMean:
    """Mean and variance of samples, one at a time (Welford, R9.5)."""

    __slots__ = ("m2", "mean", "n")

    def __init__(self) -> None:
        self.n = 0
        self.mean = 0.0
        self.m2 = 0.0

    def add(self, x: float) -> None:
        """Takes a sample."""
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.m2 += d * (x - self.mean)

    def result(self) -> float | None:
        """The mean, None without samples."""
        return self.mean if self.n else None

    def cv2(self) -> float | None:
        """The squared coefficient of variation, None below two samples."""
        if self.n < 2:
            return None
        variance = self.m2 / (self.n - 1)
        square = self.mean * self.mean
        return variance / square if square else (float("nan") if variance == 0 or variance != variance else float("inf"))

    def clone(self) -> RunningMean:
        """A copy."""
        other = RunningMean()
        other.n = self.n
        other.mean = self.mean
        other.m2 = self.m2
        return other


class Mean:
    """The mean of samples, one at a time (R9.5)."""

    __slots__ = ("mean", "n")

    def __init__(self) -> None:
        self.n = 0
        self.mean = 0.0

    def add(self, x: float) -> None:
        """Takes a sample."""
        self.n += 1
        self.mean += (x - self.mean) / self.n

    def result(self) -> float | None:
        """The mean, None without samples."""
        return self.mean if self.n else None

    def clone(self) -> Mean:
        """A copy."""
        other = Mean()
        other.n = self.n
        other.mean = self.mean
        return other


class Bucket:
    """Gaps of one bucket of a histogram: how many, and the least and greatest."""

    __slots__ = ("count", "greatest", "least")

    def __init__(self, count: int, least: float, greatest: float) -> None:
        self.count = count
        self.least = least
        self.greatest = greatest

    def clone(self) -> Bucket:
        """A copy."""
        return Bucket(self.count, self.least, self.greatest)


class GapHistogram:
    """Gaps between tokens in seconds, in buckets one per cent wide (R9.8)."""

    __slots__ = ("_bucket", "_own", "buckets", "n", "total")

    def __init__(self) -> None:
        self.buckets: dict[int, Bucket] = {}
        self.n = 0
        self.total = 0.0
        self._bucket: Bucket | None = None
        """The bucket taken last."""
        self._own: set[int] = set()
        """The buckets that no clone has, too: a gap that falls into another one gets a copy of it first."""

    def add(self, gap: float) -> None:
        """Takes a gap."""
        self.n += 1
        self.total += gap
        last = self._bucket
        if last is not None and last.least <= gap <= last.greatest:
            # Most gaps are much like the one before: no logarithm again.
            last.count += 1
            return
        k = (
            _LOWEST
            if not gap > 0
            else int(max(-2147483648, min(2147483647, log(gap) / _BUCKET // 1.0)))
            if isfinite(gap)
            else 2147483647
        )
        bucket = self.buckets.get(k)
        if bucket is None:
            bucket = self.buckets[k] = Bucket(1, gap, gap)
            self._own.add(k)
        else:
            if k not in self._own:
                bucket = self.buckets[k] = bucket.clone()
                self._own.add(k)
            bucket.count += 1
            if gap < bucket.least:
                bucket.least = gap
            if gap > bucket.greatest:
                bucket.greatest = gap
        self._bucket = bucket

    def add_many(self, gap: float, n: int) -> None:
        """Takes a gap ``n`` times."""
        if n <= 0:
            return
        self.add(gap)
        if n == 1:
            return
        self.n += n - 1
        self.total = add_repeatedly(self.total, gap, n - 1)
        assert self._bucket is not None
        self._bucket.count += n - 1

    def span(self) -> tuple[float, float]:
        """The least and greatest gap of the bucket taken last: any gap between them is its own."""
        return (self._bucket.least, self._bucket.greatest) if self._bucket is not None else (1.0, 0.0)

    def take(self, total: float, n: int) -> None:
        """Takes ``n`` gaps of the bucket taken last, already added into ``total``."""
        if n:
            assert self._bucket is not None
            self._bucket.count += n
            self.n += n
            self.total = total

    def mean(self) -> float | None:
        """The mean gap, None without one."""
        return self.total / self.n if self.n else None

    def quantile(self, q: float) -> float | None:
        """The gap at a quantile, to a bucket's width; None without one."""
        if not self.n:
            return None
        rank = min(max(ceil(q * self.n), 1), self.n)
        seen = 0.0
        for k in sorted(self.buckets):
            bucket = self.buckets[k]
            seen += bucket.count
            if seen >= rank:
                middle = 0.0 if k == _LOWEST else exp((k + 0.5) * _BUCKET)
                return min(max(middle, bucket.least), bucket.greatest)
        raise AssertionError("the buckets hold all n gaps")

    def clone(self) -> GapHistogram:
        """A copy; of the buckets only those are copied that a gap falls into from here on."""
        other = GapHistogram()
        other.buckets = self.buckets.copy()
        self._own = set()
        self._bucket = None
        other.n = self.n
        other.total = self.total
        return other


def add_repeatedly(total: float, x: float, n: int) -> float:
    """``total`` after adding ``x`` to it ``n`` times, bit for bit as a loop of additions.

    While a sum stays within one power of two its last place has one worth, so from the
    second addition on each adds the same rounded amount (a tie rounds to an even sum, from
    which the next tie rounds the same way again), and multiples of the last place add up
    exactly. Where the sum leaves its power of two the loop is walked.
    """
    if n > _WORTH_JUMPING and x > 0.0 and 0.0 < total < _HUGE:
        first = total + x
        each = (first + x) - first
        jumped = first + (n - 1) * each
        if frexp(total)[1] == frexp(jumped)[1]:
            return jumped
    for _ in range(n):
        total += x
    return total


_WORTH_JUMPING: Final = 6
"""Additions below which the loop is as fast."""

_HUGE: Final = 2.0**1000
"""Sums above it are left to the loop, far from overflow."""

_LOWEST: Final = -(1 << 40)
"""The bucket of gaps that are not above 0, below every other."""


def half_width(samples: list[float]) -> float:
    """The half-width of the confidence interval by batch means (R9.12)."""
    size = len(samples) // _BATCHES
    means = []
    for i in range(_BATCHES):
        total = 0.0
        for x in samples[i * size : (i + 1) * size]:
            total += x
        means.append(total / size)
    return interval(means)


def interval(means: list[float]) -> float:
    """The half-width over the twenty batches' means (R9.12)."""
    total = 0.0
    for m in means:
        total += m
    middle = total / _BATCHES
    squares = 0.0
    for m in means:
        squares += (m - middle) * (m - middle)
    variance = squares / (_BATCHES - 1)
    return _STUDENT_19 * sqrt(variance / _BATCHES) if variance == variance and variance < float("inf") else variance


def confidence(samples: list[float]) -> float | None:
    """The half-width of an observation's interval, None for too few samples (R9.10)."""
    return half_width(samples) if len(samples) >= _LEAST_SAMPLES else None


def ninety_ninth(samples: list[float]) -> float | None:
    """The sample at rank ceil(0.99 n) of the samples sorted, None without samples (R9.10)."""
    if not samples:
        return None
    n = len(samples)
    return sorted(samples, key=total_order)[min(max(ceil(0.99 * n), 1), n) - 1]


def total_order(x: float) -> tuple[int, float, float]:
    """A sort key for the IEEE total order (R1.2): -0.0 before 0.0, NaN at the ends."""
    if x < 0 or x > 0:
        return (0, x, 0.0)
    sign = copysign(1.0, x)
    return (0, 0.0, sign) if x == 0 else (int(sign), 0.0, 0.0)
