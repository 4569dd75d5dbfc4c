"""A fixed set of random programs, on our engine and on the reference, equal to the last bit."""

from __future__ import annotations

from collections import Counter

import pytest

from grammar.ir_json import from_json, to_json
from grammar.validate import check
from tests.oracle.fuzz import Tally, fuzz
from tests.oracle.generator import FAMILIES, WEIGHTS, generate
from tests.oracle.reference import Reference
from tests.oracle.shrink import shrink

PROGRAMS = 40  # of each family; ``make fuzz`` tries as many as one likes
MET = {
    "engines": ("preemptions", "evictions", "spills", "rejections", "register undos"),
    "pairs": ("preemptions", "rejections", "leases expired", "flows shared"),
    "plain": ("evictions", "rejections", "leases expired", "flows shared"),
    "latencies": ("rejections", "flows shared"),
    "ticking": ("evictions", "rejections", "leases expired"),
    "requests": ("preemptions", "evictions", "register undos"),
    "chained": ("evictions", "rejections"),
    "leases": ("evictions", "leases expired"),
    "chains": ("evictions", "leases expired"),
    "spilled": ("evictions", "spills"),
    "set aside": ("evictions", "leases expired"),
}
"""What so few programs of a family meet already."""


@pytest.mark.parametrize("family", WEIGHTS)
def test_random_programs_run_as_on_the_reference(family: str, reference: Reference) -> None:
    tally: Tally = fuzz(iter(range(PROGRAMS)), reference, family)
    assert tally.differences == []
    assert tally.verdicts["equal"] > PROGRAMS * 0.6
    assert all(tally.counts[name] for name in MET[family]), tally.counts


@pytest.mark.parametrize("family", FAMILIES)
def test_a_seed_is_one_program_and_a_valid_one(family: str) -> None:
    refused = Counter[str]()
    for seed in range(PROGRAMS):
        program = generate(seed, family).program
        assert program == generate(seed, family).program
        assert from_json(to_json(program, 14)) == program
        try:
            check(program)
        except ValueError as error:
            refused[str(error)] += 1
    assert sum(refused.values()) < PROGRAMS * 0.05, refused


def test_shrinking_keeps_what_is_looked_for_and_drops_the_rest() -> None:
    # The seeds from 0 on hold a program that has a spill; what is left of it is the spill and what it cannot go without.
    found = next(seed for seed in range(100) if any(pool.spill for pool in generate(seed, "engines").program.pools))
    data = to_json(generate(found, "engines").program, 14)

    def spills(candidate: dict[str, object]) -> bool:
        return any(pool["spill"] is not None for pool in candidate["pools"])  # type: ignore[attr-defined]

    small = shrink(data, spills, 800)
    assert spills(small)
    assert sum(len(block) for block in small["blocks"]) <= 4
    assert "gauges" not in small
