"""Numbers as text."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.snapshot import Who
from serq_tui import format as text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (128.0, "128"),
        (99_999.0, "99999"),
        (100_000.0, "100k"),
        (123_456.0, "123k"),
        (999_600.0, "1.00M"),  # 999.6 thousand would round to a fourth digit
        (1_600_000.0, "1.60M"),
        (2.5, "2.50"),
        (1e-9, "<0.01"),
        (-3.0, "−3"),
        (math.inf, "∞"),
        (math.nan, "?"),
    ],
)
def test_amounts_are_written_out_up_to_five_digits_and_then_shortened(value: float, shown: str) -> None:
    assert text.amount(value) == shown


@given(st.floats(min_value=0, max_value=1e14))
def test_an_amount_never_takes_more_than_the_six_cells_of_its_column(value: float) -> None:
    assert len(text.amount(value)) <= 6


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0, "0 s"),
        (0.0214, "21.4 ms"),
        (0.00084, "840 µs"),
        (1.0, "1.00 s"),
        (0.9996, "1.00 s"),  # 999.6 ms would round to 1000 ms
        (119.9, "120 s"),
        (123.0, "2 m 03 s"),
        (7_500.0, "2 h 05 m"),
        (math.inf, "∞"),
    ],
)
def test_a_duration_is_three_digits_in_the_unit_that_suits_it(seconds: float, shown: str) -> None:
    assert text.duration(seconds) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"), [(7.0, "7.000 s"), (3.4821, "3.4821 s"), (0.3948812, "0.394881 s"), (math.inf, "∞ s")]
)
def test_a_clock_has_three_places_and_up_to_six_where_it_needs_them(seconds: float, shown: str) -> None:
    assert text.clock(seconds) == shown


def test_a_change_carries_its_sign_and_no_change_says_nothing() -> None:
    assert (text.change(14), text.change(-16), text.change(0)) == ("+14", "−16", "")


def test_a_long_list_of_requests_is_counted_after_the_first_few() -> None:
    many = tuple(Who(serial) for serial in range(5))
    assert text.requests(many, 3) == "r0, r1, r2 and 2 more"
    assert text.requests(many[:3], 3) == "r0, r1, r2"


def test_one_of_a_thing_is_singular() -> None:
    assert (text.plural(1, "token"), text.plural(2, "token"), text.plural(2, "query", "queries")) == (
        "1 token",
        "2 tokens",
        "2 queries",
    )
