"""What may be read where: one program for each read in each clause, against the table measured on the reference.

The rows below are what pyserq 0.1.5.dev92 makes of these very programs, run one by one; the one
cell that is ours alone is said beside it.
"""

from __future__ import annotations

import pytest

from grammar.reads import LIST_TABLE, TABLE, Column, Read, where_read
from tests.grammar.linking import errors

COLUMNS = "St Hd Qu Ev Pr Ps Tk Ea On By Sc Ex Ga Gi It En Re Co".split()

READS: dict[str, tuple[str, str]] = {
    "a constant": ("3", "+ + + + + + + + + + + + + + + + + +"),
    "an attribute": ("n", "+ + + + + - - - + + - - - + - - - -"),
    "a hidden attribute": ("o", "+ - - - - - - - - - - - - + - - - -"),
    "now": ("now", "+ + + + + + + + - + - + - - + + - -"),
    "waited": ("waited", "- - + - - - - - - - - - - - - - - -"),
    "size": ("size", "- - - + - - - - - - - - - - - - - -"),
    "present": ("present", "- - - - - + - - - - - - - - - - - -"),
    "decoding": ("decoding", "- - - - + - - - + + - - - - - - - -"),
    "remaining": ("remaining", "- - - - - - - - + + - - - - - - - -"),
    "position": ("position", "- - - - + - - - - - - - - - - - - -"),
    "computed": ("computed", "+ + + + - - - - + + - - - + - - - -"),
    "demand": ("demand", "- - - - - - - - - - - - - - + - - -"),
    "tokens": ("tokens", "- - - - - - - - - - - - - - + - - -"),
    "a register": ("reg", "- + + + + - + + + + + + + - + + - -"),
    "a pool function": ("used(side)", "+ + + + + + + + + + + + + - + - - -"),
    "an estimate": ("est_rho(x)", "+ + + + + + + + + + + + + - - - - -"),
    "work": ("work(x)", "+ + + + + + + + - + - + - - - - - -"),
    "cachedin": ("cachedin(side)", "+ + + + + + + + + + + + - - - - - -"),
    "budget_left": ("budget_left(e)", "+ + + + - + - - + + - + - - - - - -"),
    "a draw": ("~uniform(1, 2)", "+ - - + - + + + - - - + - - - - + -"),
    "a time resource": ("t(1)", "- - - - - - - - - - - + - - - - - -"),
    "an observation": ("total(z)", "- - - - - - - - - - - - - - - + - -"),
    # The reference takes it inside a drawn gap, and refuses it as the whole of one.
    "blocksize": ("blocksize(side)", "+ + + + + + + + + + + + + + + + - -"),
    "running.count": ("running.count", "- - - - - - + + + + + + - - - - - -"),
    "running.decoding": ("running.decoding", "- - - - - - + + + + + - - - - - - -"),
    "running.kv_decode": ("running.kv_decode", "- - - - - - + + + + + - - - - - - -"),
    "running.kv_prefill": ("running.kv_prefill", "- - - - - - + + + + + - - - - - - -"),
    "running.preempted": ("running.preempted", "- - - - - - - - - - + - - - - - - -"),
    "waiting.count": ("waiting.count", "- - - - - - + + + + + + - - - - - -"),
    "waiting.admitted": ("waiting.admitted", "- - - - - - - - - - + - - - - - - -"),
    "batch.tokens": ("batch.tokens", "- - - - - - - - - - + + - - - - - -"),
    "batch.prefilled": ("batch.prefilled", "- - - - - - - - - - + + - - - - - -"),
    "batch.decoding": ("batch.decoding", "- - - - - - - - - - - + - - - - - -"),
    "batch.kv_decode": ("batch.kv_decode", "- - - - - - - - - - - + - - - - - -"),
    "batch.kv_prefill": ("batch.kv_prefill", "- - - - - - - - - - - + - - - - - -"),
    "batch.attention": ("batch.attention", "- - - - - - - - - - - + - - - - - -"),
}

PLAIN = {column: "1" for column in COLUMNS} | {"Tk": "8", "Ea": "max(1, 2)", "Sc": "1"}


def reading(column: str, read: str) -> str:
    """A program that reads something in one clause, and nothing anywhere else."""
    wrapped = {
        "Ea": f"max(1, {read})",
        "Sc": f"({read}) == 1",
        "Tk": f"8 + ({read})",
        "Ps": f"2 + ({read})",
        "Re": read if read.startswith("~") else f"~exp(1) + ({read})",
    }
    c = PLAIN | {column: wrapped.get(column, read)}
    return f"""
    fn main() {{
      device gpu {{ t (a) = a; kv cap 100; }}
      let c = {c["Co"]};
      stage x : delay;
      pool side {{ cap 9; block 3; }}
      engine e on gpu {{
        reqs cap 4;
        tokens cap {c["Tk"]};
        state reg = 1;
        schedule {{
          advance running only ({c["On"]}) by ({c["By"]}) each at most ({c["Ea"]});
          branch ({c["Sc"]}) {{ admit waiting each at most ({c["Ea"]}); }}
          set reg = 1;
        }}
        execute ({c["Ex"]});
      }}
      pool kv on gpu {{ }}
      pool reqs on e {{ queue by ({c["Qu"]}); evict by ({c["Ev"]}); preempt by ({c["Pr"]}); }}
      stage flow : ps({c["Ps"]});
      workload {{ arrive renewal({c["Re"]}); hidden o; turn {{ set n = 3; set o = 2; }} }}
      server {{
        observe z = 1;
        set v = {c["St"]};
        hold reqs (cost(reqs, {c["Hd"]})) {{ run e prefill (cost(e, 1)); run flow (cost(flow, 1)); }} cache (cost(reqs, 1))
      }}
      gauge g = {c["Ga"]};
      claim a given (({c["Gi"]}) > 0) : every iteration of e (({c["It"]}) > 0);
      claim b : at end (({c["En"]}) > 0);
    }}
    """


CELLS = [(name, read, column, may) for name, (read, row) in READS.items() for column, may in zip(COLUMNS, row.split(), strict=True)]


@pytest.mark.parametrize(("name", "read", "column", "may"), CELLS, ids=[f"{n} in {c}" for n, _, c, _ in CELLS])
def test_a_value_is_read_where_the_table_says_and_nowhere_else(name: str, read: str, column: str, may: str) -> None:
    assert (errors(reading(column, read)) == ()) == (may == "+")


def test_every_clause_reads_something_and_everything_is_read_somewhere() -> None:
    assert {column for columns in TABLE.values() for column in columns} == set(Column)
    assert set(TABLE) == set(Read)
    assert all(TABLE.values())
    assert all(LIST_TABLE.values())


def test_the_clauses_of_a_value_are_said_in_words() -> None:
    assert where_read(frozenset({Column.ONLY, Column.BY})) == "`only` or `by`"
    assert where_read(frozenset()) == "no clause"


@pytest.mark.parametrize(
    ("column", "read", "code"),
    [
        ("Hd", "tokens", "E601"),
        ("Ps", "n", "E602"),
        ("Hd", "~exp(1)", "E603"),
        ("St", "running.count", "E604"),
        ("Sc", "running.size", "E605"),
        ("Tk", "batch.tokens", "E606"),
        ("Ex", "residents", "E607"),
        ("Sc", "now", "E608"),
        ("Ga", "work(x)", "E608"),
        ("Tk", "budget_left(e)", "E610"),
        ("It", "cachedin(side)", "E611"),
        ("By", "o", "E613"),
        ("St", "reg", "E614"),
        ("St", "total(z)", "E615"),
        ("Tk", "t(1)", "E616"),
        ("Pr", "computed", "E618"),
        ("Gi", "used(side)", "E1207"),
        ("Re", "n", "E1203"),
        ("Co", "n", "E308"),
        ("Co", "~exp(1)", "E309"),
        ("Co", "used(side)", "E310"),
    ],
)
def test_a_read_that_may_not_stand_has_the_error_of_its_kind(column: str, read: str, code: str) -> None:
    # One error each, by L10.2: what may not be read, told once.
    assert [found.id for found in errors(reading(column, read))] == [code]
