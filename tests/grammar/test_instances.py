"""An instance file gives values to inputs and settings to a run, and every mistake in it is told where it is (L3.18)."""

from __future__ import annotations

import math
import random

import pytest

from grammar.diagnostics import ProgramError
from grammar.findings import Findings
from grammar.instances import Instance, read_instance
from grammar.link import link
from grammar.settings import Settings
from grammar.source import Source, Written


def read(text: str) -> Instance:
    return read_instance(Source("run.sq", text))


def numbers(text: str) -> tuple[dict[str, float], dict[str, float]]:
    """The inputs and the settings of a file."""
    instance = read(text)
    return {name: let.value for name, let in instance.lets.items()}, {name: setting.value for name, setting in instance.run.items()}


def refused(text: str) -> list[tuple[str, str]]:
    """The number of each error and the piece it points at."""
    source = Source("run.sq", text)
    with pytest.raises(ProgramError) as caught:
        read_instance(source)
    found = []
    for error in caught.value.diagnostics:
        assert error.source is source
        assert error.span is not None
        line = source.lines[error.span.line - 1]
        found.append((error.id, line[error.span.column - 1 : error.span.end_column - 1]))
    return found


def test_an_instance_has_values_of_inputs_and_settings_of_a_run() -> None:
    text = """
    // a busy day
    let users = 12;
    let rate = 2.5; /* requests a second */
    run { horizon 1e3; warmup 100; seed 7; arrivals 5_000; }
    """
    assert numbers(text) == ({"users": 12, "rate": 2.5}, {"horizon": 1000, "warmup": 100, "seed": 7, "arrivals": 5000})


@pytest.mark.parametrize("text", ["", "// nothing\n", "run { }"])
def test_an_instance_may_say_nothing(text: str) -> None:
    assert numbers(text) == ({}, {})


def test_a_value_is_a_constant_expression_of_numbers_and_the_values_above_it() -> None:
    lets, run = numbers("let a = 2 ^ 3 - 1; let b = max(a, 3) * -1; let c = inf; run { horizon a * 10; }")
    assert lets == {"a": 7, "b": -7, "c": math.inf}
    assert run == {"horizon": 70}


def test_a_seed_of_64_bits_is_exact() -> None:
    # A double has 53 bits; the next one to this is 2 ** 64.
    assert numbers("run { seed 18446744073709551615; }")[1] == {"seed": 2**64 - 1}
    assert refused("run { seed 18446744073709551616; }") == [("E1405", "seed")]


@pytest.mark.parametrize("seed", ["-1", "1.5", "inf"])
def test_a_seed_is_a_whole_number_from_0(seed: str) -> None:
    assert refused(f"run {{ seed {seed}; }}") == [("E1405", "seed")]


@pytest.mark.parametrize("item", ["pool p { cap 1; }", "def f(x) { x }", "fn main() { }", "set x = 1;", "horizon 3;", "}", "3;"])
def test_an_instance_holds_nothing_else(item: str) -> None:
    assert refused(item) == [("E1404", item.replace("(", " ").replace(";", " ").split()[0])]


def test_what_follows_something_else_is_read_on() -> None:
    assert refused("pool p { cap 1; } let a = ;") == [("E1404", "pool"), ("E105", ";")]
    assert refused("run { horizn 3; warmup 1; seed 0.5; }") == [("E1404", "horizn"), ("E1405", "seed")]


@pytest.mark.parametrize(
    ("text", "twice"),
    [
        ("let a = 1; let a = 2;", "a"),
        ("run { seed 1; seed 2; }", "seed"),
        ("run { seed 1; } run { horizon 2; }", "run"),
    ],
)
def test_each_value_is_given_once(text: str, twice: str) -> None:
    assert refused(text) == [("E1404", twice)]


@pytest.mark.parametrize(("word", "near"), [("horizn", "horizon"), ("arrival", "arrivals"), ("wramup", "warmup")])
def test_a_misspelt_setting_is_told_the_nearest(word: str, near: str) -> None:
    with pytest.raises(ProgramError) as caught:
        read(f"run {{ {word} 3; }}")
    (error,) = caught.value.diagnostics
    assert error.suggestion == f"did you mean `{near}`?"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("let a = b + 1;", ("E308", "b")),
        ("let a = ~exp(1);", ("E309", "exp")),
        ("let a = used(kv);", ("E310", "used")),
        ("let a = 0 / 0;", ("E316", "0 / 0")),
        ("let a = 1 $ 2;", ("E101", "$")),
        ("let a = 1.2.3;", ("E104", "1.2.3")),
        ("/* let a = 1;", ("E102", "/*")),
        ("run { arrivals 2.5; }", ("E1403", "arrivals")),
    ],
)
def test_a_value_that_is_none_is_told_where_it_stands(text: str, error: tuple[str, str]) -> None:
    (code, piece) = error
    ((found, at),) = refused(text)
    assert found == code
    assert at.startswith(piece)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        # What is missing is missing right after what was read.
        ("let a = 1 let b = 2;", 10),
        ("let a = 1", 10),
        ("let a", 6),
        ("run { seed 1 }", 13),
        ("run { seed 1;", 14),
        # What is wrong is wrong where it stands.
        ("let 3 = 1;", 5),
        ("let a 1;", 7),
        ("let a = (1 + ;", 14),
        ("let a = 1 + * 2;", 13),
        ("run seed 1;", 5),
    ],
)
def test_a_mistake_of_form_is_told_once_at_its_place(text: str, column: int) -> None:
    with pytest.raises(ProgramError) as caught:
        read(text)
    (error,) = caught.value.diagnostics
    assert error.id == "E105"
    assert error.span is not None
    assert (error.span.line, error.span.column) == (1, column)


def test_a_mistake_below_is_told_in_its_line_and_column() -> None:
    with pytest.raises(ProgramError) as caught:
        read("let a = 1;\n\n  let b = 2 +\n    nothing;\n")
    (error,) = caught.value.diagnostics
    assert error.span is not None
    assert (error.id, error.span.line, error.span.column) == ("E308", 4, 5)


def test_a_value_that_is_wrong_is_not_told_of_again_where_it_is_read() -> None:
    assert refused("let a = nothing; let b = a / 2;") == [("E308", "nothing")]


@pytest.mark.parametrize("text", ["let", "let a =", "run", "run {", "run { seed", "{", ";;", "run { run { } }", "\ufeff"])
def test_whatever_is_written_is_an_instance_or_errors_in_it(text: str) -> None:
    assert refused(text)


WORDS = """
let run { } ; = a b 1 2.5 horizon seed warmup arrivals ( ) + - * ~ exp used "x" $ /* inf ? : max sum 1.2.3
""".split()


def test_words_in_any_order_are_an_instance_or_errors_in_it() -> None:
    draw = random.Random(1)
    for _ in range(1000):
        text = " ".join(draw.choice(WORDS) for _ in range(draw.randrange(1, 14)))
        try:
            read(text)
        except ProgramError as error:
            spans = [diagnostic.span for diagnostic in error.diagnostics]
            assert spans
            assert all(span is not None and span.line == 1 and span.column <= len(text) + 1 for span in spans)


# ------------------------------------------------------------------------------- what the linker says of it

OPEN = """
use "std/args";
fn main() {
  let r = args.number("rate", 2);
  stage s : delay;
  workload { arrive poisson(r); }
  server { run s (cost(s, 1)); }
}
"""


def told(**given: object) -> tuple[str, Written | None]:
    """The one error of a program whose settings stand in a file, and where it points."""
    source = Source("run.sq", "let rat = 3;\nrun { horizon 1; warmup 2; arrivals 0; }\n")
    instance = read_instance(source)
    places = {"let rat": instance.lets["rat"].span, **{name: setting.span for name, setting in instance.run.items()}}
    written = {name: Written(source, span) for name, span in places.items()}
    with pytest.raises(ProgramError) as caught:
        link(Source("model.sq", OPEN), Settings(**{"horizon": 100.0, "written": written, **given}))  # type: ignore[arg-type]
    (error,) = caught.value.diagnostics
    assert error.span is not None
    assert error.source is not None
    return error.id, Written(error.source, error.span)


@pytest.mark.parametrize(
    ("given", "code", "place"),
    [
        ({"sets": {"rat": "3"}}, "E315", (1, 5)),
        ({"horizon": math.inf}, "E1402", (2, 7)),
        ({"horizon": 1.0, "warmup": 2.0}, "E1402", (2, 18)),
        ({"arrivals": 0}, "E1403", (2, 28)),
    ],
)
def test_what_the_linker_refuses_of_an_instance_points_into_it(given: dict[str, object], code: str, place: tuple[int, int]) -> None:
    found, written = told(**given)
    assert found == code
    assert written is not None
    assert written.source.name == "run.sq"
    assert (written.span.line, written.span.column) == place


def test_what_the_command_line_gives_has_no_place() -> None:
    findings = Findings(Source("model.sq", OPEN))
    findings.outside("E315", None, "no input `rat`")
    assert [(error.span, error.source) for error in findings.errors] == [(None, None)]
