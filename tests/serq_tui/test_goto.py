"""Moments by the names people give them."""

from __future__ import annotations

import pytest

from engine.snapshot import Position
from engine.targets import AtIteration, AtPosition, AtTime, Target
from serq_tui.goto import NoSuchMoment, moment_named

ENGINES = {"vllm": 0, "tgi[1]": 3}


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("812", AtIteration(0, 812)),
        ("iteration 812", AtIteration(0, 812)),
        ("  iteration   812 ", AtIteration(0, 812)),
        ("vllm 812", AtIteration(0, 812)),
        ("vllm iteration 812", AtIteration(0, 812)),
        ("iteration vllm 812", AtIteration(0, 812)),
        ("tgi[1] 7", AtIteration(3, 7)),
        ("@120", AtPosition(Position(120))),
        ("@120.1", AtPosition(Position(120, 1))),
        ("@120.1.7", AtPosition(Position(120, 1, 7))),
        ("t=3.25", AtTime(3.25)),
        ("t = 3.25 s", AtTime(3.25)),
        ("t 1e-3", AtTime(0.001)),
    ],
)
def test_a_moment_is_an_iteration_a_position_or_a_time(text: str, target: Target) -> None:
    assert moment_named(text, ENGINES, "vllm") == target


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", "nothing is typed yet"),
        ("vlm 812", "there is no engine vlm; did you mean vllm?"),
        ("vllm", "which iteration of vllm? Type vllm 812"),
        ("soon", "'soon' names no moment"),
        ("1 2 3", "'1 2 3' names no moment"),
        ("-3", "'-3' names no moment"),
        ("@x", "'@x' is no position: it is written @120, or @120.1 for an attempt within it"),
        ("t=soon", "'soon' is no time: it is a number of seconds, such as t=3.25"),
        ("t=-1", "a time is a number of seconds from 0 on, not -1"),
        ("t=inf", "a time is a number of seconds from 0 on, not inf"),
    ],
)
def test_what_names_none_gets_one_sentence(text: str, answer: str) -> None:
    with pytest.raises(NoSuchMoment) as no:
        moment_named(text, ENGINES, "vllm")
    assert str(no.value) == answer


def test_a_program_without_an_engine_has_no_iterations() -> None:
    with pytest.raises(NoSuchMoment, match="no engine"):
        moment_named("812", {}, None)
    assert moment_named("@3", {}, None) == AtPosition(Position(3))
