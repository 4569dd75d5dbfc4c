"""Constants of a text, and the text with others."""

from __future__ import annotations

import pytest

from grammar.retouching import NoSuchConstant, constants, with_constants
from grammar.source import Source

TEXT = """\
fn main() {
  let users = 2 + 6; let half = users / 2;  // eight
  let rate = args.number("rate", 3);
  engine llm on gpu { schedule { let limit = 4; advance running; } }
  let half = (users
    - 1);
  workload { arrive closed(users); }
}
"""


def source() -> Source:
    return Source("model.sq", TEXT)


def test_constants_are_lets_of_plain_arithmetic_outside_a_schedule_the_second_of_a_name_numbered() -> None:
    assert [(c.name, c.text) for c in constants(source())] == [
        ("users", "2 + 6"),
        ("half", "users / 2"),
        ("half:2", "users\n    - 1"),
    ]


def test_other_values_stand_where_the_old_ones_stood_and_nothing_else_moves() -> None:
    made = with_constants(source(), {"users": "12", "half": "1", "half:2": "users - 2"})
    assert made.text == TEXT.replace("2 + 6", "12").replace("users / 2", "1").replace("users\n    - 1", "users - 2")
    assert made.name == "model.sq"


def test_a_name_the_text_has_not_is_told_with_the_nearest() -> None:
    with pytest.raises(NoSuchConstant, match="no constant usres; did you mean users"):
        with_constants(source(), {"usres": "1"})


@pytest.mark.parametrize("value", ["2 +", "1; let x = 2", "1\n2"])
def test_what_is_no_expression_is_no_value(value: str) -> None:
    with pytest.raises(NoSuchConstant):
        with_constants(source(), {"users": value})
