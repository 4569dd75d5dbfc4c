"""Which random program a seed is; the families are in modules of their own."""

from __future__ import annotations

import random

from tests.oracle.generate_engines import engines
from tests.oracle.generate_pairs import pairs
from tests.oracle.generate_plain import plain
from tests.oracle.generated import Generated

# How many of ten programs are of each family: engines have the most that can go wrong.
FAMILIES = {"engines": engines, "pairs": pairs, "plain": plain}
WEIGHTS = {"engines": 5, "pairs": 2, "plain": 3}


def generate(seed: int, family: str | None = None) -> Generated:
    """The random program of a seed, of one family or of any."""
    chosen = family or random.Random(seed).choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    return FAMILIES[chosen](seed)
