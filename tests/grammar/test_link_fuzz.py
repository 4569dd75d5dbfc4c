"""Whatever a text means, it links or has errors with places in it: never another exception.

The texts are recorded programs in which pieces have changed places, so that most of them parse
and the linker has something to say.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable

import pytest

from engine.simulation import Simulation
from grammar.diagnostics import ProgramError
from grammar.findings import MOST_TOLD
from grammar.formatter import format_text
from grammar.ir_json import from_json, to_json
from grammar.link import Settings, link
from grammar.parser import MAX_DEPTH
from grammar.source import Source, Span
from grammar.validate import read_program
from tests.cases import cases
from tests.grammar.astray import changed

PROGRAMS = [case.source for case in cases("corpus_ok")]

# FUZZ_PROGRAMS=100000 tries so many, others each time; the suite tries the same few each time.
DRAWN = os.environ.get("FUZZ_PROGRAMS")
SEEDS = range(int(DRAWN or 12))
A_SEED = 25
"""Programs tried with one seed, so that a failure names few."""


def check_places(source: Source, spans: list[Span | None]) -> None:
    lines = source.lines
    for span in spans:
        if span is not None:
            assert 1 <= span.line <= span.end_line <= len(lines)
            assert 1 <= span.column <= len(lines[span.line - 1]) + 1


@pytest.mark.parametrize("seed", SEEDS)
def test_a_program_with_pieces_astray_links_or_has_errors_with_places(seed: int) -> None:
    dice = random.Random(seed if DRAWN is None else None)
    for _ in range(A_SEED):
        source = Source("fuzz", changed(dice, dice.choice(PROGRAMS)))
        try:
            result = link(source, Settings(100.0))
        except ProgramError as error:
            assert 1 <= len(error.diagnostics) <= MOST_TOLD
            check_places(source, [d.span for d in error.diagnostics])
            check_places(source, [note.span for d in error.diagnostics for note in d.notes])
            continue
        check_places(source, [w.span for w in result.warnings])
        assert from_json(to_json(result.program, 14)) == result.program


def _nested(wrap: Callable[[str], str], depth: int) -> str:
    text = "n"
    for _ in range(depth):
        text = wrap(text)
    return text


@pytest.mark.parametrize(
    ("wrap", "depth"),
    [
        # A call and its arguments are two levels, so is a `branch` and its block; the statement around takes seven more.
        (lambda e: f"max(1, {e})", (MAX_DEPTH - 10) // 2),
        (lambda e: f"(1 ? 2 : {e})", MAX_DEPTH - 10),
        (lambda e: f"-{e}", MAX_DEPTH - 10),
        (lambda e: f"(serial + {e})", MAX_DEPTH - 10),
    ],
)
def test_what_the_parser_takes_is_not_too_deep_for_the_linker_and_the_engine(wrap: Callable[[str], str], depth: int) -> None:
    # The parser's own limit is told by the parser; whatever is below it links, is written, read back and carried out.
    runs_through(f"set y = {_nested(wrap, depth)};")


def test_what_the_parser_takes_is_not_too_deep_in_branches() -> None:
    # dev92 takes a thousand of either, as measured.
    inside = (MAX_DEPTH - 10) // 2
    runs_through("branch (serial > 1) {" * inside + "set y = n;" + "}" * inside)
    runs_through("branch (serial > 1) { set y = 1; } else {" * inside + "set y = n;" + "}" * inside)


def runs_through(statements: str) -> None:
    text = (
        "fn main() { stage s : delay; workload { arrive batch(1); turn { set n = 3; } } "
        f"server {{ {statements} run s (cost(s, 1)); }} }}"
    )
    program = link(Source("deep", text), Settings(10.0)).program
    assert read_program(json.loads(json.dumps(to_json(program, 14)))) == program
    simulation = Simulation(program)
    simulation.run()
    assert simulation.failure is None
    layout = format_text(Source("deep", text))
    assert format_text(Source("deep", layout)) == layout
