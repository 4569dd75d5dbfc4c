"""Which random program a seed is; the families are in modules of their own."""

from __future__ import annotations

import random

from tests.oracle.generate_engines import engines
from tests.oracle.generate_newest import chained, requests, ticking
from tests.oracle.generate_pairs import Pair, pairs
from tests.oracle.generate_plain import Plain, plain
from tests.oracle.generated import Generated


def latencies(seed: int) -> Generated:
    """A program of pairs or of plain pools whose runs have latencies, which the table of the kernel does not know."""
    return (Plain if seed % 2 else Pair)(seed, newer=True).build("latencies")


FAMILIES = {
    "engines": engines,
    "pairs": pairs,
    "plain": plain,
    "latencies": latencies,
    "ticking": ticking,
    "requests": requests,
    "chained": chained,
}
# How many of seventeen programs are of each family: engines have the most that can go wrong. Of the
# chained ones our engine declines a quarter: what it does not do beside shared prefixes.
WEIGHTS = {"engines": 6, "pairs": 2, "plain": 3, "latencies": 1, "ticking": 1, "requests": 3, "chained": 1}


def generate(seed: int, family: str | None = None) -> Generated:
    """The random program of a seed, of one family or of any."""
    chosen = family or random.Random(seed).choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    return FAMILIES[chosen](seed)
