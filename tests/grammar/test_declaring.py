"""Dataclasses whose methods are written when first called: what the standard ones do, they do."""

import copy
import dataclasses
import itertools
import pickle
from dataclasses import FrozenInstanceError, field, fields, replace

import pytest

from grammar.declaring import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A place."""

    line: int
    column: int = 1
    note: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Named(Place):
    """A place with a name."""

    name: str = "here"


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """Two numbers in order."""

    major: int
    minor: int


@dataclass(slots=True)
class Basket:
    """What is gathered."""

    things: list[int] = field(default_factory=list)


def test_fields_are_given_by_position_by_name_and_by_default() -> None:
    assert (Place(3).line, Place(3).column, Place(3).note) == (3, 1, "")
    assert (Place(3, column=4).column, Place(line=2, note="n").note) == (4, "n")
    with pytest.raises(TypeError, match=r"Place\.__init__\(\) missing 1 required positional argument: 'line'"):
        Place()  # type: ignore[call-arg]  # that is what is tried
    with pytest.raises(TypeError, match="unexpected keyword argument 'row'"):
        Place(1, row=2)  # type: ignore[call-arg]  # that is what is tried


def test_what_a_factory_makes_is_made_anew_for_each_instance() -> None:
    one, other = Basket(), Basket()
    one.things.append(1)
    assert (one.things, other.things, Basket([7]).things) == ([1], [], [7])


def test_a_frozen_instance_refuses_to_be_changed_from_the_first_one_on() -> None:
    for place in (Place(1), Place(2), Named(3)):
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'line'"):
            place.line = 9  # type: ignore[misc]  # that is what is tried
        with pytest.raises(FrozenInstanceError, match="cannot delete field 'line'"):
            del place.line
        with pytest.raises(FrozenInstanceError):
            place.other = 9  # type: ignore[attr-defined]  # that is what is tried
        assert not hasattr(place, "__dict__")


def test_instances_are_equal_by_class_and_compared_fields() -> None:
    assert Place(1, 2, "a") == Place(1, 2, "b")
    assert Place(1, 2) != Place(1, 3)
    assert Place(1, 2) != Named(1, 2)
    assert Place(1, 2) != (1, 2)
    assert hash(Place(1, 2, "a")) == hash(Place(1, 2, "b"))
    assert len({Place(1), Place(1), Place(2)}) == 2


def test_what_can_change_has_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Basket())


def test_ordered_instances_sort_as_their_tuples_do() -> None:
    pairs = list(itertools.product(range(3), range(3)))
    assert [(v.major, v.minor) for v in sorted(Version(*pair) for pair in reversed(pairs))] == pairs
    assert (Version(1, 2) < Version(1, 2), Version(1, 2) <= Version(1, 2)) == (False, True)
    assert (Version(2, 0) > Version(1, 9), Version(1, 9) >= Version(2, 0)) == (True, False)
    with pytest.raises(TypeError):
        _ = Place(1) < Place(2)  # type: ignore[operator]  # that is what is tried


def test_a_derived_class_has_the_fields_of_both_and_is_itself() -> None:
    named = Named(1, name="there")
    assert type(named) is Named
    assert (named.line, named.column, named.name) == (1, 1, "there")
    assert isinstance(named, Place)


def test_the_standard_functions_take_them_for_dataclasses() -> None:
    place = Place(1, 2)
    assert dataclasses.is_dataclass(place)
    assert [one.name for one in fields(Named)] == ["line", "column", "note", "name"]
    assert replace(place, column=7) == Place(1, 7)
    assert dataclasses.astuple(Named(1)) == (1, 1, "", "here")
    match place:
        case Place(line, column):
            assert (line, column) == (1, 2)


def test_a_copy_is_equal_and_as_frozen() -> None:
    named = Named(1, 2, "n", "there")
    for twin in (copy.copy(named), copy.deepcopy(named), pickle.loads(pickle.dumps(named))):
        assert (type(twin), dataclasses.astuple(twin)) == (Named, (1, 2, "n", "there"))
        with pytest.raises(FrozenInstanceError):
            twin.name = "away"


def test_the_text_of_an_instance_is_how_it_is_made() -> None:
    assert repr(Named(1, 2, "hidden")) == "Named(line=1, column=2, name='here')"


def test_no_method_is_written_before_it_is_called() -> None:
    @dataclass(frozen=True, slots=True)
    class Fresh:
        """Never made before."""

        value: int

    def written(name: str) -> bool:
        return bool(Fresh.__dict__[name].__code__.co_filename == "<string>")

    assert [written(name) for name in ("__init__", "__eq__", "__hash__")] == [False, False, False]
    one = Fresh(1)
    assert [written(name) for name in ("__init__", "__eq__", "__hash__")] == [True, False, False]
    assert one == Fresh(1)
    assert [written(name) for name in ("__init__", "__eq__", "__hash__")] == [True, True, False]
