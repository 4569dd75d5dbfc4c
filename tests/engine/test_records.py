"""Records are frozen dataclasses, however they are made."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from itertools import pairwise
from typing import get_args

import pytest

from engine.decisions import Attempted, Decision, Ended, Grew, Preempted, Served
from engine.snapshot import Position, Who
from tests.engine.test_divergence import timeline

SERVED = Served(1.5, 0, (1,), Who(3), "prefill", 4.0, 9.0, "budget")

OF_THEIR_KIND = {
    "who": Who(1),
    "path": (1,),
    "lit": (0,),
    "executed": ((0,), (1,)),
    "outcome": "iteration",
    "mode": "decode",
    "cut": "chunk",
}
"""Values of fields that are no numbers: compiled, the records made most often take nothing else."""


def test_a_record_cannot_be_changed_once_it_is_made() -> None:
    with pytest.raises(FrozenInstanceError):
        SERVED.tokens = 5.0  # type: ignore[misc]  # that is what is tried
    with pytest.raises(FrozenInstanceError):
        del SERVED.tokens  # type: ignore[misc]  # the same


def test_a_record_takes_its_fields_by_place_and_by_name_and_nothing_else() -> None:
    assert Ended(2.0, who=Who(1)) == Ended(time=2.0, who=Who(1))
    with pytest.raises(TypeError):
        Ended(2.0)  # type: ignore[call-arg]  # that is what is tried
    with pytest.raises(TypeError):
        Ended(2.0, Who(1), other=1)  # type: ignore[call-arg]  # the same


def test_records_compare_by_kind_and_fields_and_can_be_copied_and_kept() -> None:
    assert replace(SERVED, tokens=5.0).tokens == 5.0
    assert replace(SERVED, tokens=5.0) != SERVED
    for same in (copy.copy(SERVED), copy.deepcopy(SERVED), pickle.loads(pickle.dumps(SERVED)), replace(SERVED)):
        assert same == SERVED
        assert hash(same) == hash(SERVED)
        assert type(same) is Served
    assert repr(Ended(2.0, Who(1))) == "Ended(time=2.0, who=Who(serial=1, leg=None))"


@pytest.mark.parametrize("kind", get_args(Decision))
def test_every_kind_of_decision_is_made_by_its_fields(kind: type) -> None:
    assert is_dataclass(kind)
    names = [field.name for field in fields(kind)]
    values = [OF_THEIR_KIND.get(name, number) for number, name in enumerate(names)]
    made = kind(*values)
    assert [getattr(made, name) for name in names] == values
    assert not hasattr(made, "__dict__")


class Reversed(list[Decision]):
    """Takes the latest decision down first."""

    def append(self, record: Decision, /) -> None:
        """Takes the next decision."""
        self.insert(0, record)


def _recorded(records: list[Decision]) -> list[Decision]:
    """What the first 200 events of a run decided, all kinds that are made most often among them."""
    run = timeline().past.now.anew()
    run.listen(records)
    while run.position < Position(200):
        run.advance()
    return records


def test_what_is_more_than_a_list_takes_every_decision_in_its_own_way() -> None:
    plain = _recorded([])
    assert {Attempted, Grew, Preempted, Served} < {type(record) for record in plain}
    assert _recorded(Reversed()) == plain[::-1]


def test_attempts_in_a_row_that_executed_the_same_keep_it_once() -> None:
    attempts = [record for record in _recorded([]) if isinstance(record, Attempted)]
    pairs = [(a.executed, b.executed) for a, b in pairwise(attempts)]
    assert any(a == b for a, b in pairs)
    assert any(a != b for a, b in pairs)
    assert all((a is b) == (a == b) for a, b in pairs)
