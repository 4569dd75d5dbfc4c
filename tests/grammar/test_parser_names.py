"""The nearest of several names (L13.4)."""

from __future__ import annotations

import pytest

from grammar.names import edit_distance, nearest


@pytest.mark.parametrize(
    ("one", "other", "edits"),
    [
        ("pool", "pool", 0),
        ("pol", "pool", 1),
        ("stag", "stage", 1),
        ("frist", "first", 1),
        ("unknwon", "unknown", 1),
        ("sever", "serve", 2),
    ],
)
def test_an_edit_adds_drops_changes_or_swaps_a_letter(one: str, other: str, edits: int) -> None:
    assert edit_distance(one, other, 3) == edits
    assert edit_distance(other, one, 3) == edits


def test_a_name_two_edits_away_is_near_only_to_one_of_four_letters_or_more() -> None:
    assert nearest("flot", ["floor"]) == "floor"
    assert nearest("flr", ["floor"]) is None
    assert nearest("pol", ["pool"]) == "pool"


def test_of_two_equally_near_neither_is_meant() -> None:
    assert nearest("rate", ["rates", "grate"]) is None
    assert nearest("rate", ["rates", "ratio"]) == "rates"


def test_a_name_is_not_near_itself() -> None:
    assert nearest("pool", ["pool"]) is None
