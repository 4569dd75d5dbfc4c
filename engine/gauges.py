"""Gauges: values read whenever the clock moves (R9.16); changes nothing but their histories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine.statistics import interval, total_order

if TYPE_CHECKING:
    from engine.state import State

_WINDOWS: Final = 20
"""Windows of a gauge's confidence interval (R9.17)."""


def read(k: State) -> None:
    """A change point is added to each gauge whose value differs from its last one's."""
    for function, history in zip(k.code.gauges, k.gauges, strict=True):
        value = function(k, k.nobody, k.moment)
        last = history.last()
        if last is None or total_order(last[1]) != total_order(value):
            history.append((k.now, value))


def summary(points: list[tuple[float, float]], warmup: float, end: float) -> dict[str, Any]:
    """R9.17: a gauge's figures over [warmup, end]."""
    span = end - warmup
    if not (span > 0 and points):
        return {"mean": None, "ci": None, "min": None, "max": None}
    total = 0.0
    least, greatest = float("inf"), float("-inf")
    width = span / _WINDOWS
    sums = [0.0] * _WINDOWS
    edges = [warmup + w * width for w in range(_WINDOWS)] + [end]
    for (start, value), (stop, _) in zip(points, [*points[1:], (end, 0.0)], strict=True):
        low, high = max(start, warmup), min(stop, end)
        if not high > low:
            continue
        total += value * (high - low)
        least, greatest = min(least, value), max(greatest, value)
        # Only the windows that the segment may touch; one too many on each side costs nothing.
        first = max(int((low - warmup) / width) - 1, 0)
        last = min(int((high - warmup) / width) + 1, _WINDOWS - 1)
        for w in range(first, last + 1):
            overlap = min(high, edges[w + 1]) - max(low, edges[w])
            if overlap > 0:
                sums[w] += value * overlap
    return {"mean": total / span, "ci": interval([s / width for s in sums]), "min": least, "max": greatest}
