"""Our validation beside the reference's: the recorded judgements are its own, and it agrees on random changes."""

from __future__ import annotations

import copy
import random

import pytest

from grammar.validate import InvalidIR, read_program
from tests.cases import cases
from tests.grammar.readable import PLACES, READABLE, READS, reading
from tests.grammar.rich_ir import program
from tests.grammar.rule_changes import CHANGES, LOADED
from tests.oracle.mutations import mutated
from tests.oracle.reference import Late, Panic, Reference

CHANGED = 1500  # random changes a run of the tests asks about; each takes 3 ms
SEED = 14


@pytest.mark.parametrize("place", PLACES)
def test_what_can_be_read_was_measured(place: str, reference: Reference) -> None:
    assert ", ".join(name for name in READS if reference.refusal(reading(place, name)) is None) == READABLE[place]


def test_which_changes_load_was_measured(reference: Reference) -> None:
    loaded = set()
    for name, change in CHANGES.items():
        data = program()
        change(data)
        if reference.refusal(data) is None:
            loaded.add(name)
    assert loaded == LOADED


def test_random_changes_are_refused_exactly_when_the_reference_refuses_them(reference: Reference) -> None:
    rng = random.Random(SEED)
    valid = [case.data["ir"] for case in cases("oracle") if case.data["expected"].get("error", {}).get("kind") != "validation"]
    judged = accepted = 0
    differing: list[str] = []
    for _ in range(CHANGED):
        data, what = mutated(copy.deepcopy(rng.choice(valid)) if rng.random() < 0.8 else program(), rng)
        if data.get("version") == 13:
            continue  # the reference reads one version, we read three
        try:
            theirs = reference.refusal(data)
        except (Late, Panic):
            continue  # it broke down, which is no judgement
        try:
            read_program(data)
            ours = None
        except InvalidIR as refused:
            ours = str(refused)
        judged, accepted = judged + 1, accepted + (theirs is None)
        if (ours is None) != (theirs is None):
            differing.append(f"{what}: ours {ours}, theirs {theirs}")
    assert differing == []
    assert judged > CHANGED * 0.9
    # Both answers are common, or the agreement would say little.
    assert 0.2 < accepted / judged < 0.8
