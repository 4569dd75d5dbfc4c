"""The static rules one by one: what may be read where, and which single changes of a program break it."""

from __future__ import annotations

import pytest

from grammar.validate import InvalidIR, check, read_program
from tests.grammar.readable import PLACES, READABLE, READS, reading
from tests.grammar.rich_ir import program
from tests.grammar.rule_changes import CHANGES, LOADED


def is_refused(data: object) -> bool:
    """Whether an IR is none."""
    try:
        read_program(data)
    except InvalidIR:
        return True
    return False


def test_the_program_that_is_changed_is_a_program() -> None:
    check(read_program(program()))


@pytest.mark.parametrize("place", PLACES)
def test_a_place_reads_what_its_moment_has_and_nothing_else(place: str) -> None:
    # R6.24, and for what is no context variable the reference, which was asked for every pair.
    read = [name for name in READS if not is_refused(reading(place, name))]
    assert ", ".join(read) == READABLE[place]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_breaks_the_program_where_the_reference_says_so(change: str) -> None:
    data = program()
    CHANGES[change](data)
    assert is_refused(data) == (change not in LOADED)
