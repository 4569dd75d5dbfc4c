"""Which random program a seed is; the families are in modules of their own."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from grammar.ir_json import from_json
from tests.oracle.generate_aside import set_aside
from tests.oracle.generate_engines import engines
from tests.oracle.generate_newest import chained, requests, ticking
from tests.oracle.generate_pairs import Pair, pairs
from tests.oracle.generate_plain import Plain, plain
from tests.oracle.generate_spills import spilled
from tests.oracle.generated import Generated
from tests.oracle.native_programs import chains, ticks_and_leases


def latencies(seed: int) -> Generated:
    """A program of pairs or of plain pools whose runs have latencies, which the table of the kernel does not know."""
    return (Plain if seed % 2 else Pair)(seed, newer=True).build("latencies")


def _written(family: str, make: Callable[[int], Any]) -> Callable[[int], Generated]:
    """A family of programs that are made as IR 14."""
    return lambda seed: Generated(family, from_json(make(seed)))


FAMILIES = {
    "engines": engines,
    "pairs": pairs,
    "plain": plain,
    "latencies": latencies,
    "ticking": ticking,
    "requests": requests,
    "chained": chained,
    "spilled": spilled,
    "leases": _written("leases", ticks_and_leases),
    "chains": _written("chains", chains),
    "set aside": set_aside,
}
# How many of twenty-two programs are of each family: engines have the most that can go wrong.
WEIGHTS = {
    "engines": 6,
    "pairs": 2,
    "plain": 3,
    "latencies": 1,
    "ticking": 1,
    "requests": 3,
    "chained": 1,
    "leases": 1,
    "chains": 2,
    "spilled": 1,
    "set aside": 1,
}


def generate(seed: int, family: str | None = None) -> Generated:
    """The random program of a seed, of one family or of any."""
    chosen = family or random.Random(seed).choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    return FAMILIES[chosen](seed)
