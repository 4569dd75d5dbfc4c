"""One canonical layout: nothing but white space changes, and a second time not even that."""

from __future__ import annotations

import random

import pytest

from grammar.diagnostics import ProgramError
from grammar.formatter import WIDTH, format_text
from grammar.parser import parse
from grammar.scan import scan
from grammar.source import Source
from tests.cases import Case, cases

PROGRAMS = [case.source for case in cases("corpus_ok")]
GAPS = ["\n", "\n\n", "\t", "/* a */", "/* a\n   b */", "// c\n", "\n// d\n", "\n\n\n// e\n", "/**/\n"]


def formatted(text: str) -> str:
    return format_text(Source("test", text))


def written(text: str) -> list[str]:
    """The lexemes, the comments without the white space at their lines' ends."""
    return [lexeme.text.rstrip() for lexeme in scan(text)]


def check(text: str) -> None:
    result = formatted(text)
    assert parse(Source("test", result)) == parse(Source("test", text))
    assert written(result) == written(text)
    assert formatted(result) == result


@pytest.mark.parametrize("recorded", cases("corpus_ok"), ids=str)
def test_a_program_keeps_its_lexemes_and_tree_and_is_formatted_once_and_for_all(recorded: Case) -> None:
    check(recorded.source)
    assert all(len(line) <= WIDTH for line in formatted(recorded.source).split("\n"))


@pytest.mark.parametrize("seed", range(60))
def test_comments_and_line_ends_anywhere_change_no_lexeme_and_no_second_time(seed: int) -> None:
    """Between two lexemes stands whatever white space and comment may stand there."""
    draw = random.Random(seed)
    lexemes = [lexeme.text for lexeme in scan(draw.choice(PROGRAMS)) if not lexeme.text.startswith("//")]
    density = draw.choice([0.02, 0.1, 0.5])
    check("".join(f"{lexeme} {draw.choice(GAPS) if draw.random() < density else ''}" for lexeme in lexemes))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", ""),
        ("fn main ( ){}", "fn main() { }\n"),
        ("fn main() { stage s:delay; }", "fn main() {\n  stage s : delay;\n}\n"),
        ("def f( x,y ){x+y*2^-x}", "def f(x, y) { x + y * 2 ^ -x }\n"),
        ("def f(x) {\nset y=x;}", "def f(x) {\n  set y = x;\n}\n"),
        ("def f(x) { set y = cost(s,x) ; set z=!y; }", "def f(x) { set y = cost(s, x); set z = !y; }\n"),
        ("let a = 1; let b = 2;", "let a = 1;\nlet b = 2;\n"),
        ("let a = 1;\n\n\n\nlet b = 2;\n\n", "let a = 1;\n\nlet b = 2;\n"),
        ("let a = max (1,2)+max j in 3 (j);", "let a = max(1, 2) + max j in 3 (j);\n"),
    ],
)
def test_the_layout_is_two_spaces_an_entry_a_line_and_a_space_round_an_operator(text: str, result: str) -> None:
    assert formatted(text) == result


def test_a_block_stays_on_its_line_if_it_stood_on_one_and_fits() -> None:
    short = "fn main() {\n  pool p { cap 9; queue fifo; }\n}\n"
    assert formatted(short) == short
    broken = short.replace("{ cap 9; queue fifo; }", "{\n    cap 9;\n    queue fifo;\n  }")
    assert formatted(broken) == broken
    long = short.replace("queue fifo", f"queue by (n, {'x' * 80})")
    assert formatted(long) == broken.replace("queue fifo", f"queue by (n, {'x' * 80})")


def test_parentheses_stay_as_they_were_written() -> None:
    text = "let a = ((1 + 2)) * (3);\n"
    assert formatted(text) == text


def test_statements_have_their_parentheses_apart_and_expressions_against_their_name() -> None:
    text = (
        "fn main() {\n"
        "  workload { arrive batch(2); }\n"
        "  server {\n"
        "    hold p[0] (cost(p, n)) reserve (n + 1) { run s, t (cost(s, ~exp(3))); } cache (n) lease p (3);\n"
        "    tool [j] (3);\n"
        "    Cost c = { p: 1, s: 2 };\n"
        "    Q[j].prefill (n) from P to kv (n);\n"
        "    branch (x > 1) { end; } else { f (x); }\n"
        "  }\n"
        "}\n"
    )
    assert formatted(" ".join(text.replace("server {", "server {\n").split(" "))) == text


def test_a_line_too_long_breaks_before_a_clause_then_after_a_comma_then_at_the_loosest_operator() -> None:
    def engine(statement: str) -> str:
        return f"fn main() {{\n  device g {{ }}\n  engine e on g {{\n    schedule {{\n      {statement}\n    }}\n  }}\n}}\n"

    by_clause = (
        "admit waiting only (first) while (running.preempted == 0) each at most (4){}taking reqs (1), kv (min(n, budget_left(e)));"
    )
    assert formatted(engine(by_clause.format(" "))) == engine(by_clause.format("\n        "))
    by_operator = f"set x = {'a' * 30} + {'b' * 20} * {'c' * 20}{{}}+ {'d' * 10} * {'e' * 10};"
    assert formatted(engine(by_operator.format(" "))) == engine(by_operator.format("\n        "))


def test_comments_keep_their_side_and_those_of_neighbouring_lines_stand_in_a_column() -> None:
    text = (
        "// above\n"
        "let a = 1;// beside\n"
        "let long_name = 2; /* beside too */\n"
        "\n"
        "fn main() { // opens\n"
        "let x = 1 // in the middle\n"
        "+ 2;\n"
        "// last in the block\n"
        "}\n"
        "// last of all"
    )
    assert formatted(text) == (
        "// above\n"
        "let a = 1;          // beside\n"
        "let long_name = 2;  /* beside too */\n"
        "\n"
        "fn main() {  // opens\n"
        "  let x = 1  // in the middle\n"
        "    + 2;\n"
        "  // last in the block\n"
        "}\n"
        "// last of all\n"
    )


def test_a_text_that_is_no_program_is_not_formatted() -> None:
    with pytest.raises(ProgramError):
        formatted("fn main() {")
