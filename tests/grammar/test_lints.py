"""What is warned of links, is truly so, and is warned of nowhere else: each warning with its near misses.

The programs are the smallest that have what the warning is about.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from grammar.link import link
from grammar.settings import Settings
from grammar.source import Source
from tests.cases import cases
from tests.grammar.linking import linked
from tests.grammar.warning import engine, idle_with_work, warned, warnings

EXAMPLES = Path(__file__).parent.parent.parent / "serq_tui" / "examples"


# ------------------------------------------------------------------------------- chunked holds


def chunked(
    units: str = "min(n, budget_left(llm))", reserve: str = "", pool: str = "preempt lifo;", run: str = "growing kv", cap: str = "8"
) -> str:
    return f"""
    fn main() {{
      device gpu {{ kv cap {cap}; }}
      engine llm on gpu {{ tokens cap 4; schedule {{ advance running; admit waiting; }} execute (1); }}
      pool kv on llm.gpu {{ {pool} }}
      workload {{ arrive batch(2); turn {{ set n = 6; }} }}
      server {{ hold kv (cost(kv, {units})) {reserve} {{ run llm prefill (cost(llm, n)) {run}; }} }}
    }}
    """


def test_a_hold_of_the_first_chunk_alone_that_grows_in_a_pool_that_preempts_is_warned_of() -> None:
    assert warned(chunked()) == [("E1505", "kv")]
    assert warned(chunked(pool="preempt by (n);")) == [("E1505", "kv")]


@pytest.mark.parametrize(
    "text",
    [
        chunked(reserve="reserve (cost(kv, n))"),
        chunked(units="n"),
        chunked(pool=""),
        chunked(pool="preempt none;"),
        chunked(run=""),
        chunked(cap="inf"),
    ],
    ids=["with reserve", "of the whole", "a growth waits", "a growth waits, said", "it does not grow", "room for all"],
)
def test_a_hold_that_cannot_be_preempted_for_its_size_is_not_warned_of(text: str) -> None:
    assert warned(text) == []


def test_a_first_chunk_named_in_a_binding_is_one_too() -> None:
    text = (
        chunked(units="first")
        .replace(") {  run", "{ run")
        .replace("cost(kv, first))", "cost(kv, first)) at admission (first = min(n, budget_left(llm)))")
    )
    assert warned(text) == [("E1505", "kv")]


def test_a_request_called_twice_is_warned_of_once() -> None:
    text = """
    fn main() {
      device gpu { kv cap 8; }
      engine llm on gpu {
        tokens cap 4;
        request (n) { prefill (n) growing kv; }
        schedule { advance running; admit waiting taking kv (min(n, budget_left(llm))); }
        execute (1);
      }
      pool kv on llm.gpu { preempt lifo; }
      workload { arrive batch(2); turn { set size_ = 6; } }
      server { llm (size_); llm (2 * size_); }
    }
    """
    assert warned(text) == [("E1505", "kv")]


# ------------------------------------------------------------------------------- what nothing reads


def plain(*items: str, before: str = "", server: str = "run s (cost(s, 1));") -> str:
    return f"{before} fn main() {{ {' '.join(items)} stage s : delay; workload {{ arrive batch(1); }} server {{ {server} }} }}"


def test_a_constant_nothing_reads_is_warned_of() -> None:
    assert warned(plain("let a = 1;")) == [("E1506", "a")]
    # `b` reads `a`; nothing reads `b`.
    assert warned(plain("let a = 1; let b = a;")) == [("E1506", "b")]


@pytest.mark.parametrize(
    "text",
    [
        plain("let a = 1; stage t : fifo(a);"),
        plain("let a = 2; pool p[a] { cap 1; }"),
        plain("stage t : fifo(a); let a = 1;"),
        plain("let a = 1;", server="run s (cost(s, a));"),
        plain("let a = 1; gauge g = busy(s) + a;"),
        plain("let a = 1; pool p[2] { cap 1; } gauge g = used(p[a]);"),
        plain("let a = 2; gauge g = sum k in a (k);"),
        plain("let _a = 1;"),
        # A definition nobody uses is read all the same.
        plain("let a = 1;", before="def f(x) { x + a }"),
    ],
)
def test_a_constant_that_is_read_anywhere_is_not_warned_of(text: str) -> None:
    assert warned(text) == []


def test_a_parameter_or_an_index_of_the_name_is_another_one() -> None:
    assert warned(plain("let a = 1;", before="def f(a) { a }", server="run s (cost(s, f(1)));")) == [("E1506", "a")]


def test_a_constant_that_only_a_value_from_outside_reads_is_read() -> None:
    text = 'use "std/args";' + plain('let base = 3; let n = args.number("n", 1); stage t : fifo(n);')
    assert warned(text) == [("E1506", "base")]
    assert warned(text, Settings(100.0, sets={"n": "2 * base"})) == []


def test_an_input_nothing_reads_is_said_to_change_nothing() -> None:
    (warning,) = warnings('use "std/args";' + plain('let rate = args.number("lambda", 1);'))
    assert (warning.id, "the input `rate`" in warning.message) == ("E1506", True)


def test_a_let_of_a_schedule_is_read_in_the_cap_or_in_another_let() -> None:
    capped = "let c = 4; let d = c + 1; advance running each at most (max(1, d)); admit waiting each at most (max(1, d));"
    assert warned(engine(capped)) == []
    assert warned(engine("let c = 4; advance running; admit waiting;")) == [("E1506", "c")]


def test_a_parameter_nothing_reads_is_warned_of() -> None:
    assert warned(plain(before="def f(a, b) { a }", server="run s (cost(s, f(1, 2)));")) == [("E1507", "b")]
    assert warned(plain(before="def f(a, _b) { a }", server="run s (cost(s, f(1, 2)));")) == []
    assert warned(plain(before="def f(st, w) { run st (cost(st, w)); }", server="f (s, 1);")) == []


def test_a_parameter_that_an_index_hides_is_not_read_there() -> None:
    assert warned(plain(before="def f(j) { sum j in 2 (j) }", server="run s (cost(s, f(1)));")) == [("E1507", "j")]


def test_a_parameter_of_a_request_is_read_in_it_or_in_its_taking() -> None:
    def program(takes: str, work: str) -> str:
        return f"""
        fn main() {{
          device gpu {{ kv cap 8; }}
          engine llm on gpu {{
            tokens cap 4;
            request (n, m) {{ prefill ({work}); }}
            schedule {{ advance running; admit waiting taking kv ({takes}); }}
            execute (1);
          }}
          pool kv on llm.gpu {{ }}
          workload {{ arrive batch(2); }}
          server {{ llm (3, 4); }}
        }}
        """

    assert warned(program("n", "m")) == []
    assert warned(program("1", "n")) == [("E1507", "m")]


def test_a_parameter_of_an_entry_is_there_for_its_role() -> None:
    # L8.3: `prefill` has one parameter, read or not.
    text = """
    fn main() {
      queue q : prefill { serve fifo; prefill (p) { run (cost(q, 1)); } }
      workload { arrive batch(1); }
      server { q.prefill (1); }
    }
    """
    assert warned(text) == []


# ------------------------------------------------------------------------------- granules


def granule(size: str, cap: str, tokens: str = "16") -> str:
    return f"""
    fn main() {{
      let few = 4;
      device gpu {{ }}
      engine llm on gpu {{
        tokens cap {tokens};
        granule {size};
        schedule {{ let c = {cap}; advance running each at most (c); admit waiting each at most (c); }}
        execute (few);
      }}
      workload {{ arrive batch(1); }}
      server {{ run llm prefill (cost(llm, 20)); }}
    }}
    """


@pytest.mark.parametrize(
    ("cap", "pieces"),
    [
        ("running.count > 1 ? 4 : inf", ["4"]),
        ("running.count > 1 ? few : 2", ["few", "2"]),
        ("running.count > 1 ? max(4, 8 - running.count) : inf", ["max(4, 8 - running.count)"]),
        ("running.count > 1 ? inf : (running.count > 0 ? 8 : 7)", ["7"]),
    ],
)
def test_an_outcome_below_the_granule_is_warned_of(cap: str, pieces: list[str]) -> None:
    assert warned(granule("8", cap)) == [("E1508", piece) for piece in pieces]


@pytest.mark.parametrize(
    "cap", ["running.count > 1 ? 8 : inf", "running.count > 1 ? max(8, running.count) : 9", "0 > 1 ? 4 : 8", "inf"]
)
def test_an_outcome_that_a_granule_fits_into_is_not_warned_of(cap: str) -> None:
    assert warned(granule("8", cap)) == []


def test_a_whole_prefill_or_none_does_not_fit_under_a_cap_but_under_a_budget() -> None:
    # `granule inf` beside a budget is the language's own way to say "not in pieces".
    assert warned(granule("inf", "inf")) == []
    assert warned(granule("inf", "running.count > 1 ? 4 : inf")) == [("E1508", "4")]


def test_a_granule_above_the_budget_is_warned_of_and_nothing_moves() -> None:
    text = granule("8", "inf", tokens="few")
    assert warned(text) == [("E1508", "few")]
    assert idle_with_work(text)
    assert not idle_with_work(granule("4", "inf", tokens="few"))


# ------------------------------------------------------------------------------- registers, and what was warned of before


def test_a_register_that_an_explicit_schedule_never_sets_is_warned_of() -> None:
    limited = "advance running; admit waiting while (waiting.admitted < k);"
    assert warned(engine(limited, states="state k = 4;")) == [("E1509", "k")]
    assert warned(engine(f"{limited} branch (waiting.admitted > 2) {{ set k = 2; }}", states="state k = 4;")) == []


def test_what_is_written_twice_counts_once() -> None:
    # the recorded `granule 4; granule 3;` runs with 3
    twice = "granule 4; granule 3;"
    assert warned(engine("advance running; admit waiting;", states=twice)) == [("E222", "granule 3;")]
    assert warned(plain("pool p { cap 3; cap 4; }")) == [("E222", "cap 4;")]


def test_a_constant_written_again_replaces_the_earlier_one() -> None:
    # L3.12: one of the two stages reads it, both have four servers.
    assert warned(plain("let w = 3; stage a : fifo(w); let w = 4; stage b : fifo(w);")) == [("E1501", "w")]


# ------------------------------------------------------------------------------- no false alarms

LOOKED_AT = {
    # Each of these was read: the schedule shuts an empty engine, or never opens it.
    "E1503": {"040-register-undone", "099-queue-engine-register", "282-register-rollback-with-holds"},
    "E1504": {"043-idle-latched"},
    "E1508": {"177-accepted-granule-conditional", "178-accepted-granule-conditional-max", "180-accepted-granule-above-budget"},
    "E1509": set[str](),
    # No accepted program has a constant that nothing reads.
    "E1506": set[str](),
}


@cache
def _alarms() -> dict[str, set[str]]:
    alarms: dict[str, set[str]] = {}
    for case in cases("corpus_ok"):
        for warning in linked(case).warnings:
            alarms.setdefault(warning.id, set()).add(case.name)
    return alarms


@pytest.mark.parametrize("number", LOOKED_AT)
def test_of_the_accepted_programs_those_are_warned_of_that_are_so(number: str) -> None:
    assert _alarms().get(number, set()) == LOOKED_AT[number]


def test_the_accepted_programs_with_an_unread_parameter_say_so_in_its_name() -> None:
    # All but one name it `unused_arg`; the `pace` of the last is there to be replaced by `--def`.
    told = _alarms()["E1507"]
    assert "313-defs-override-engine" in told
    assert {case.name for case in cases("corpus_ok") if "unused_arg" in case.source} == told - {"313-defs-override-engine"}


def test_every_chunked_hold_warned_of_reads_the_budget_and_has_no_reserve() -> None:
    for case in cases("corpus_ok"):
        if case.name in _alarms()["E1505"]:
            assert "budget_left" in case.source
            assert "reserve (" not in case.source
            assert "preempt" in case.source


def test_of_the_examples_one_is_about_a_shut_engine() -> None:
    told = {
        path.name: {d.id for d in link(Source(path.name, path.read_text(encoding="utf-8")), Settings(100.0)).warnings}
        for path in EXAMPLES.glob("*.sq")
    }
    assert {name for name, numbers in told.items() if numbers & {"E1503", "E1504"}} == {"latched.sq"}
    assert set().union(*told.values()) <= {"E1503", "E1505"}
