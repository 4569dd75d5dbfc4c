"""What is warned of links, is truly so, and is warned of nowhere else: each warning with its near misses.

The programs are the smallest that have what the warning is about. Where a warning says what a run will do, the run
is made.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from engine.simulation import Simulation
from grammar.diagnostics import Diagnostic
from grammar.link import link
from grammar.settings import Settings
from grammar.source import Source
from serq_tui.report_json import report_json
from tests.cases import cases
from tests.grammar.linking import linked

EXAMPLES = Path(__file__).parent.parent.parent / "serq_tui" / "examples"


def warnings(text: str, settings: Settings | None = None) -> tuple[Diagnostic, ...]:
    return link(Source("test", text), settings or Settings(100.0)).warnings


def warned(text: str, settings: Settings | None = None) -> list[tuple[str, str]]:
    """Each warning's number and the piece it points at."""
    lines = text.split("\n")
    found = []
    for warning in warnings(text, settings):
        span = warning.span
        assert span is not None
        assert span.line == span.end_line
        found.append((warning.id, lines[span.line - 1][span.column - 1 : span.end_column - 1]))
    return found


def idle_with_work(text: str) -> bool:
    """Whether a run of the program ends with its first stage idle and somebody waiting or running."""
    simulation = Simulation(link(Source("test", text), Settings(100.0)).program)
    simulation.run()
    simulation.close()
    idle: bool = report_json(simulation.report())["stages"][0]["idle_with_work"]
    return idle


# ------------------------------------------------------------------------------- empty engines


def engine(
    schedule: str,
    *,
    states: str = "",
    on: str = "llm",
    server: str = "hold reqs (cost(reqs, 1)) { run llm prefill (cost(llm, 8)); }",
) -> str:
    """Three requests of one iteration each, on an engine of one place."""
    capacity = "reqs cap 1;"
    return f"""
    fn main() {{
      device gpu {{ {capacity if on == "gpu" else ""} }}
      engine llm on gpu {{
        {capacity if on == "llm" else ""}
        tokens cap 8;
        {states}
        schedule {{ {schedule} }}
        execute (1);
      }}
      pool reqs on {on} {{ }}
      workload {{ arrive batch(3); }}
      server {{ {server} }}
    }}
    """


JUST = "state just = 0;"
LATCH = "advance running; branch (just == 0) { admit waiting; } set just = waiting.admitted > 0;"
PAUSE = "advance running; branch (pause == 0) { admit waiting; } set pause = waiting.admitted > 0 ? 3 : max(0, pause - 1);"

SHUT = {
    "a register that an iteration leaves closed": (LATCH, JUST, "just == 0"),
    "a condition of the admission itself": (
        "advance running; admit waiting while (just == 0); set just = waiting.admitted > 0;",
        JUST,
        "just == 0",
    ),
    "a register that counts down only while somebody runs": (PAUSE, "state pause = 0;", "pause == 0"),
    "a register that counts up to a limit": (
        "advance running; admit waiting while (seen < 2); set seen = seen + (waiting.admitted > 0);",
        "state seen = 0;",
        "seen < 2",
    ),
    "an admission in the other arm": (
        "branch (just == 1) { advance running; } else { advance running; admit waiting; } set just = waiting.admitted > 0;",
        JUST,
        "just == 1",
    ),
    "a register that another one follows": (
        "advance running; branch (b == 0) { admit waiting; } set b = a; set a = waiting.admitted > 0 || a;",
        "state a = 0; state b = 0;",
        "b == 0",
    ),
    "a condition that also asks for something unknown": (
        "advance running; branch (just == 0 && waiting.count > 0) { admit waiting; } set just = waiting.admitted > 0;",
        JUST,
        "just == 0 && waiting.count > 0",
    ),
}


@pytest.mark.parametrize("case", SHUT)
def test_a_register_that_can_shut_an_empty_engine_is_warned_of_and_does(case: str) -> None:
    # One place and one iteration a request: the engine is empty after each iteration.
    schedule, states, condition = SHUT[case]
    text = engine(schedule, states=states)
    assert warned(text) == [("E1503", condition)]
    assert idle_with_work(text)


@pytest.mark.parametrize("case", SHUT)
def test_what_is_suggested_lets_an_empty_engine_admit(case: str) -> None:
    schedule, states, condition = SHUT[case]
    (warning,) = warnings(engine(schedule, states=states))
    assert warning.suggestion is not None
    statement = warning.suggestion.split("  ")[0]
    mended = schedule.replace(f"{statement.split()[0]} ({condition})", statement)
    assert mended != schedule
    text = engine(mended, states=states)
    assert warned(text) == []
    assert not idle_with_work(text)


def test_the_warning_says_which_register_has_which_value() -> None:
    (warning,) = warnings(engine(PAUSE, states="state pause = 0;"))
    assert "`pause` is 3" in warning.message


def test_a_condition_in_a_definition_is_pointed_at_where_it_is_written() -> None:
    text = "def open() { just == 0 }" + engine(LATCH.replace("just == 0", "open()"), states=JUST)
    (warning,) = warnings(text)
    assert (warning.id, warning.span and warning.span.line) == ("E1503", 1)
    assert warning.notes[-1].message.startswith("in `open`, used at")


@pytest.mark.parametrize(
    ("schedule", "states", "condition"),
    [
        ("advance running; admit waiting while (batch.tokens > 0);", "", "batch.tokens > 0"),
        ("advance running; branch (running.count > 0) { admit waiting; }", "", "running.count > 0"),
        ("advance running; admit waiting while (running.decoding >= 1);", "", "running.decoding >= 1"),
        ("advance running; branch (open == 1) { admit waiting; } set open = open;", "state open = 0;", "open == 1"),
    ],
)
def test_a_condition_that_no_empty_engine_meets_is_warned_of_and_nobody_is_admitted(
    schedule: str, states: str, condition: str
) -> None:
    text = engine(schedule, states=states)
    assert warned(text) == [("E1504", condition)]
    assert idle_with_work(text)


def test_a_schedule_without_any_admission_is_warned_of_where_somebody_waits() -> None:
    text = engine("advance running;")
    assert warned(text) == [("E1504", "schedule")]
    assert idle_with_work(text)


@pytest.mark.parametrize(
    ("schedule", "states"),
    [
        ("advance running; branch (just == 0 || running.count == 0) { admit waiting; } set just = waiting.admitted > 0;", JUST),
        ("advance running; admit waiting while (running.preempted == 0);", ""),
        ("advance running; admit waiting while (waiting.admitted < 2);", ""),
        ("advance running; admit waiting while (batch.tokens < 8);", ""),
        # Whatever the register is, the second statement admits.
        ("branch (just == 0) { admit waiting; } advance running; admit waiting; set just = waiting.admitted > 0;", JUST),
        # What is not known of an empty engine may be so that it admits: the pool, the queue.
        ("advance running; admit waiting while (free(reqs) > 0);", ""),
        ("advance running; branch (waiting.count > 1 || just == 0) { admit waiting; } set just = waiting.admitted > 0;", JUST),
        # The register holds what is not known.
        ("advance running; admit waiting while (k < 5); set k = running.count;", "state k = 0;"),
        # Set within the attempt, before it is asked.
        ("advance running; set just = 0; branch (just == 0) { admit waiting; } set just = waiting.admitted > 0;", JUST),
        # Never closed: the branch that would close it is never taken.
        ("advance running; branch (just == 0) { admit waiting; } branch (just == 1) { set just = 1; }", JUST),
    ],
)
def test_an_engine_that_can_admit_when_empty_is_not_warned_of(schedule: str, states: str) -> None:
    assert warned(engine(schedule, states=states)) == []


def test_an_engine_that_others_fill_may_wait_for_them() -> None:
    held = "hold reqs (cost(reqs, 1)) { run llm prefill (cost(llm, 8)); }"
    others = f"branch (serial > 0) {{ {held} }} else {{ run llm prefill (cost(llm, 80)); }}"
    assert warned(engine("advance running; admit waiting while (batch.tokens > 0);", server=others)) == []


def test_an_engine_for_which_nobody_waits_has_nobody_to_admit() -> None:
    # `on gpu`: the pool admits as soon as there is room, past the schedule.
    assert warned(engine(LATCH, states=JUST, on="gpu")) == []


def test_a_register_of_more_states_than_are_looked_at_is_not_warned_of() -> None:
    counted = "advance running; branch (k < 1000) { admit waiting; } set k = k + 1;"
    assert warned(engine(counted, states="state k = 0;")) == []
    # Three registers of sixteen values each: 4096 states after one attempt.
    sixteen = (
        " + ".join(f"{2**n} * (running.count > {n})" for n in range(3)) + " + 8 * (running.decoding > 0) * (running.count < 4)"
    )
    several = "advance running; branch (a < 99) { admit waiting; } " + " ".join(f"set {r} = {sixteen};" for r in "abc")
    assert warned(engine(several, states="state a = 0; state b = 0; state c = 0;")) == []


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
