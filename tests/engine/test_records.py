"""Records are frozen dataclasses, however they are made."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from typing import get_args

import pytest

from engine.decisions import Decision, Ended, Served
from engine.snapshot import Who

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
