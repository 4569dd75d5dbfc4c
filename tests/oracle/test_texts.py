"""A fixed set of edited programs, read by our front end and by the reference's, and judged alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.oracle.reference import Reference, python_of
from tests.oracle.texts import PATIENCE, compare, judge

SEEDS = range(8)  # 200 texts; ``make fuzz`` reads as many as one likes

SAME_ONLY = """
def decodes(k) {{ decoding }}
fn main() {{
  device gpu {{ }}
  engine e on gpu {{
    tokens cap 8;
    schedule {{ advance running only (decodes({0})); admit waiting only (decodes({0})) while (running.preempted == 0); }}
    execute (1);
  }}
  workload {{ arrive batch(1); turn {{ set n = 3; }} }}
  server {{ run e prefill (cost(e, n)); }}
}}
"""


@pytest.fixture(scope="module")
def reference() -> Iterator[Reference]:
    """The reference that reads texts, where it is installed."""
    if python_of("dev92") is None:
        pytest.skip("the reference is not installed")
    with Reference("dev92", PATIENCE) as running:
        yield running


def test_edited_programs_are_judged_as_by_the_reference(reference: Reference) -> None:
    tally = compare(SEEDS, reference)
    assert tally.found == []
    # Some of either kind, or nothing was compared.
    assert tally.kinds["equal"] > 20
    assert tally.kinds["both refuse"] > 20


def test_an_unknown_name_in_a_binding_that_nothing_reads_is_refused_here(reference: Reference) -> None:
    # A name nothing declares is E504 (L3.8), in a request that is never called too; the reference drops the binding unread.
    request = "request (n) { at admission { x = missing; } prefill (n); }"
    text = f"""
    fn main() {{
      device gpu {{ }}
      engine e on gpu {{
        reqs cap 4; tokens cap 8; {request}
        schedule {{ advance running; admit waiting while (running.preempted == 0) taking reqs (1); }} execute (1);
      }}
      pool reqs on e {{ }}
      workload {{ arrive batch(1); turn {{ set n = 3; }} }}
      server {{ e (n); }}
    }}
    """
    verdict = judge(text, reference)
    assert verdict.kind == "only ours refuses"
    assert "[E504] nothing is called `missing`" in verdict.where


def test_a_dropped_argument_does_not_part_two_predicates_that_are_one(reference: Reference) -> None:
    # L5.15 compares what is left when definitions are put in place, and a dropped argument is not (L3.24). The reference
    # goes by this for a number, and for nothing else.
    assert judge(SAME_ONLY.format("1"), reference).kind == "equal"
    assert judge(SAME_ONLY.format("serial"), reference).kind == "equal but for a gate"
