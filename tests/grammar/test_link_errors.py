"""How the linker tells what is wrong: how much at once, in which order, where, and how it got there (L13.1 to L13.7)."""

from __future__ import annotations

import pytest

from grammar.diagnostics import Diagnostic
from grammar.findings import MOST_TOLD
from grammar.link import Settings, link
from grammar.source import Source
from tests.grammar.linking import errors

W = "workload { arrive batch(1); turn { set n = 3; } }"


def server(statements: str, items: str = "", above: str = "") -> str:
    return f"{above} fn main() {{ pool p {{ cap 9; }} stage s : delay; {items} {W} server {{ {statements} }} }}"


def at(text: str, found: Diagnostic) -> str:
    """The text an error points at."""
    assert found.span is not None
    assert found.span.line == found.span.end_line
    return text.split("\n")[found.span.line - 1][found.span.column - 1 : found.span.end_column - 1]


def shown(text: str) -> list[tuple[str, str]]:
    return [(found.id, at(text, found)) for found in errors(text)]


# ------------------------------------------------------------------ how much at once


def test_all_errors_of_a_phase_are_told_in_text_order() -> None:
    text = server("set a = firts; set b = used(q); set c = second; run s (cost(s, 1));")
    assert shown(text) == [("E504", "firts"), ("E502", "q"), ("E504", "second")]


def test_errors_of_a_later_phase_are_left_until_the_earlier_are_mended() -> None:
    # A name comes before who may read it, and that before types (L13.5).
    text = server("set a = unknown; set b = waited; run s (3);")
    assert shown(text) == [("E504", "unknown")]
    text = server("set b = waited; run s (3);")
    assert shown(text) == [("E601", "waited")]
    assert shown(server("run s (3);")) == [("E1104", "s")]


def test_unknown_names_of_a_request_are_told_with_those_of_every_other_place_in_text_order() -> None:
    text = f"""
    fn main() {{
      device gpu {{ kv cap 90; }} pool kv on gpu {{ }}
      engine e on gpu {{
        tokens cap 8; request (a) {{ set k = in_request; prefill (a + k); }}
        schedule {{ advance running by (in_order); admit waiting while (running.preempted == 0) taking kv (in_taking); }}
        execute (in_execute);
      }}
      queue q : prefill {{ serve fifo; prefill (p) {{ run (cost(q, in_entry)); }} }}
      {W}
      server {{ e (in_call); e (n); q.prefill (n); set y = used(in_server); observe z = e.in_mark; }}
      gauge g = in_gauge;
    }}
    """
    assert shown(text) == [
        ("E504", "in_request"),
        ("E504", "in_order"),
        ("E504", "in_taking"),
        ("E504", "in_execute"),
        ("E504", "in_entry"),
        ("E504", "in_call"),
        ("E502", "in_server"),
        ("E1020", "e.in_mark"),
        ("E504", "in_gauge"),
    ]


def test_a_call_of_nothing_is_told_without_the_names_it_would_have_set() -> None:
    text = f"""
    fn main() {{
      device gpu {{ }}
      engine e on gpu {{
        tokens cap 8; request (a) {{ prefill (a); mark first; }}
        schedule {{ advance running; admit waiting while (running.preempted == 0); }} execute (1);
      }}
      {W} server {{ set y = missing; ee (n); observe z = e.first; }}
    }}
    """
    assert shown(text) == [("E415", "ee")]
    assert shown(text.replace("ee (n)", "e (n)")) == [("E504", "missing")]


def test_at_most_twenty_errors_are_told() -> None:
    text = server("".join(f"set a{i} = unknown{i};" for i in range(30)) + "run s (cost(s, 1));")
    assert len(errors(text)) == MOST_TOLD


def test_an_unknown_pool_is_told_once_for_a_hold_and_its_amounts() -> None:
    text = server("hold q (cost(q, 1)) reserve (cost(q, 2)) { run s (cost(s, 1)); } cache (cost(q, 3))")
    assert shown(text) == [("E502", "q")]


def test_a_constant_that_is_wrong_is_not_told_again_where_it_is_read() -> None:
    text = server("set a = k; run s (cost(s, k));", above="let k = missing + 1; let l = k * 2;")
    assert shown(text) == [("E308", "missing")]


def test_what_stands_on_a_device_or_an_engine_that_is_wrong_is_not_told_as_well() -> None:
    engine = "tokens cap 8; schedule { advance running; } execute (1);"
    text = (
        f"fn main() {{ device engine {{ kv cap 3; }} engine e on engine {{ {engine} }} pool kv on engine {{ }} {W} server {{ }} }}"
    )
    assert shown(text) == [("E801", "engine")]


def test_the_server_s_statements_are_told_once_however_many_turns_a_session_takes() -> None:
    text = (
        "fn main() { stage s : delay; workload { arrive batch(1); session { turn; turn; turn; } } "
        "server { set a = unknown; run s (cost(s, 1)); } }"
    )
    assert shown(text) == [("E504", "unknown")]


# ------------------------------------------------------------------ by which way


def test_an_error_in_a_definition_points_into_it_and_says_where_it_was_used() -> None:
    text = "def inner(x) { x + unknown }\ndef outer(x) { inner(x) * 2 }\n" + server("set a = outer(n); run s (cost(s, 1));")
    (found,) = errors(text)
    assert (found.id, at(text, found)) == ("E504", "unknown")
    # Innermost first (L13.3).
    assert [(note.message, note.span and note.span.line) for note in found.notes] == [
        ("in `inner`, used at 2:16", 2),
        (f"in `outer`, used at 3:{text.split(chr(10))[2].index('outer') + 1}", 3),
    ]


def test_an_error_in_an_argument_points_at_the_argument() -> None:
    text = "def twice(x) { 2 * x }\n" + server("set a = twice(unknown); run s (cost(s, 1));")
    (found,) = errors(text)
    assert (at(text, found), found.notes) == ("unknown", ())


def test_an_error_in_a_time_resource_says_which_execute_reads_it() -> None:
    text = (
        "fn main() { device g { pass (t) = t * running.decoding; } "
        "engine e on g { tokens cap 8; schedule { advance running; } execute (pass(batch.tokens)); } "
        f"{W} server {{ run e prefill (cost(e, 1)); }} }}"
    )
    (found,) = errors(text)
    assert (found.id, at(text, found)) == ("E606", "running.decoding")
    assert [note.message[:10] for note in found.notes] == ["in `pass`,"]


# ------------------------------------------------------------------ what to write instead


@pytest.mark.parametrize(
    ("statements", "suggestion"),
    [
        ("set y = nn + 1; run s (cost(s, 1));", "did you mean `n`?"),
        ("set y = usd(p); run s (cost(s, 1));", "did you mean `used`?"),
        ("run t (cost(t, 1));", "did you mean `s`?"),
        ("set y = ~unifrom(1, 2); run s (cost(s, 1));", "did you mean `uniform`?"),
        ("run s (3);", "cost(s, …)"),
        ("turn; run s (cost(s, 1));", None),
        ("set y = pow(n, 2); run s (cost(s, 1));", "x ^ y"),
        ("set y = uniform(1, 2); run s (cost(s, 1));", "a draw is written `~uniform(…)`"),
        ("set y = len(n); run s (cost(s, 1));", "the requests of an engine are `running.count` and `waiting.count`"),
        ("set y = log(n); run s (cost(s, 1));", "ln(x)"),
        ("set y = n > 1 ? True : 0; run s (cost(s, 1));", "1"),
        ("print(n); run s (cost(s, 1));", "a value is recorded with `observe NAME = …;`"),
        ("wait(3);", "time passes in a `run`: `stage wait : delay;` above and `run wait (cost(wait, …));` here"),
        ("set y = min(n); run s (cost(s, 1));", "min(a, b)"),
    ],
)
def test_the_nearest_name_or_todays_form_is_suggested(statements: str, suggestion: str | None) -> None:
    assert errors(server(statements))[0].suggestion == suggestion


def engine(execute: str = "1", gate: str = "running.preempted == 0", budget: str = "tokens cap 8;", taking: str = "kv (n)") -> str:
    return f"""fn main() {{
      device gpu {{ kv cap 100; }} engine e on gpu {{ {budget}
        request (n, o) {{ prefill (n) growing kv; decode (o) growing kv; }}
        schedule {{ advance running; admit waiting while ({gate}) taking {taking}; }} execute ({execute}); }}
      pool kv on gpu {{ }} {W} server {{ e (n, 2); }} }}"""


@pytest.mark.parametrize(
    ("text", "told", "suggestion"),
    [
        (engine(gate="running.length < 3"), [("E605", "length")], "running.count"),
        (engine(execute="running.tokens"), [("E605", "tokens")], "batch.tokens"),
        (engine(gate="true"), [("E504", "true")], "1"),
        (engine(gate="runing.preempted == 0"), [("E504", "runing.preempted")], "did you mean `running.preempted`?"),
        (engine(budget="token cap 8;"), [("E809", "e")], "tokens cap inf;"),
        (engine(taking="vk (n)"), [("E1030", "vk")], "did you mean `kv`?"),
        (engine(taking="kv (nn)"), [("E504", "nn")], "did you mean `n`?"),
        (engine().replace("growing kv; decode", "growing kvv; decode"), [("E1029", "kvv")], "did you mean `kv`?"),
        (
            engine(execute="pase(batch.tokens)").replace("kv cap", "pace (t) = t; kv cap"),
            [("E415", "pase")],
            "did you mean `pace`?",
        ),
        (
            engine().replace("server", "claim q : every iteration of e (batch.tokens <= 8); server"),
            [("E604", "batch.tokens")],
            "tokens",
        ),
    ],
)
def test_a_slip_in_an_engine_is_told_once_with_what_was_meant(text: str, told: list[tuple[str, str]], suggestion: str) -> None:
    assert shown(text) == told
    assert errors(text)[0].suggestion == suggestion


def test_of_one_hidden_name_in_a_header_is_told_once() -> None:
    # Units and `reserve` both read what is bound from it at admission.
    text = (
        server(
            "hold p (cost(p, x)) reserve (cost(p, 2 * x)) at admission (x = h) { run s (cost(s, 1)); }",
        )
        .replace("turn { set n = 3; }", "hidden o; turn { set n = 3; set o = 2; }")
        .replace("hold p", "set h = o; hold p", 1)
    )
    assert [code for code, _ in shown(text)] == ["E1125"]


def test_of_two_names_equally_near_none_is_suggested() -> None:
    (found,) = errors(server("set y = value3; run s (cost(s, 1));", above="let value1 = 1; let value2 = 2;"))
    assert found.suggestion is not None
    assert "did you mean" not in found.suggestion


def test_a_suggested_name_is_pointed_out_where_it_is_declared() -> None:
    text = server("set y = widht; run s (cost(s, 1));", above="let width = 3;")
    (found,) = errors(text)
    (note,) = found.notes
    assert note.span is not None
    assert (note.span.line, note.span.column) == (1, text.index("width") + 1)


# ------------------------------------------------------------------ the host


def test_the_constant_of_an_input_is_no_input_and_the_input_is_named() -> None:
    text = server("run s (cost(s, gap));").replace("pool p", 'let gap = args.number("pause", 1); pool p')
    (found,) = errors(f'use "std/args"; {text}', Settings(10.0, sets={"gap": 2}))
    assert found.message == "the program declares no input `gap` (it is the constant of the input `pause`); its inputs are: `pause`"
    assert found.suggestion == "did you mean `pause`?"


@pytest.mark.parametrize(
    ("settings", "code", "words"),
    [
        (Settings(10.0, sets={"rat": 1}), "E315", "did you mean `rate`?"),
        (Settings(10.0, sets={"rate": "0 / 0"}), "E316", "not a number"),
        (Settings(10.0, sets={"rate": "2 +"}), "E316", "no expression: expected an expression, read the end of the text"),
        (Settings(10.0, sets={"rate": "~exp(1)"}), "E316", "cannot draw"),
        (Settings(10.0, sets={"wide": 2}), "E314", "input given from outside"),
        (Settings(10.0, defs={"g": "1"}), "E318", "`f`"),
        (Settings(10.0, defs={"f": "x +"}), "E318", "no expression: expected an expression, read the end of the text"),
        (Settings(10.0, warmup=10.0), "E1402", "not below"),
        (Settings(float("inf")), "E1402", "finite"),
        (Settings(-3.0), "E1402", "`--horizon` is a time after 0, and -3 is none"),
        (Settings(10.0, defs={"f": "foo + x"}), "E504", "in `--def f=foo + x`: nothing is called `foo`"),
        (Settings(10.0, arrivals=0), "E1403", "above 0"),
    ],
)
def test_what_the_host_gives_wrongly_names_the_option(settings: Settings, code: str, words: str) -> None:
    text = (
        'use "std/args"; def f(x) { x } fn main() { let rate = args.number("rate", 2); let wide = args.number("wide", 2); '
        "stage s[wide] : fifo; workload { arrive poisson(rate); turn { set n = f(1); } } server { run s[0] (cost(s, n)); } }"
    )
    (found,) = errors(text, settings)
    assert found.id == code
    assert words in found.message + (found.suggestion or "")
    assert found.span is None or code == "E314"


def test_what_is_wrong_in_a_supplied_definition_is_told_once_and_points_nowhere_in_the_text() -> None:
    text = (
        "def f(x) { x } def g(x) { f(x) + f(x + 1) } fn main() { "
        "stage s : delay; workload { arrive batch(1); turn { set n = f(1) + g(2); } } server { run s (cost(s, f(n))); } }"
    )
    (found,) = errors(text, Settings(10.0, defs={"f": "foo + x"}))
    assert (found.id, found.span) == ("E504", None)
    assert found.message == "in `--def f=foo + x`: nothing is called `foo`"
    both = errors(text, Settings(10.0, defs={"f": "foo + bar", "h": "1", "i": "1"}))
    assert [error.message.split("…")[0] for error in both] == ["`--def h=", "`--def i="], "each option that is none is told"


def test_a_value_for_an_input_that_stands_above_main_is_not_told_as_one_for_no_input() -> None:
    text = server("run s (cost(s, x));", above='use "std/args"; let x = args.number("y", 2);')
    for name in ("x", "y"):
        assert [found.id for found in errors(text, Settings(10.0, sets={name: "3"}))] == ["E302"]
    assert [found.id for found in errors(text, Settings(10.0, sets={"z": "3"}))] == ["E315", "E302"]


def test_an_input_that_makes_an_engine_idle_is_the_host_s_business() -> None:
    # Measured on the reference: a constant `tokens cap` of 0 is refused, one that the host sets to 0 is not.
    text = (
        'use "std/args"; fn main() { let b = args.number("b", 8); device g { } '
        "engine e on g { tokens cap b; schedule { advance running; } execute (1); } "
        "workload { arrive batch(1); } server { run e prefill (cost(e, 1)); } }"
    )
    assert errors(text, Settings(10.0, sets={"b": 0})) == ()
    assert [found.id for found in errors(text.replace('"b", 8', '"b", 0'))] == ["E811"]


# ------------------------------------------------------------------ limits


def doubling(depth: int) -> str:
    """Definitions that double, each using the one before twice."""
    chain = "".join(f"def f{i}(x) {{ f{i - 1}(x) + f{i - 1}(x) }} " for i in range(1, depth))
    return server(f"set y = f{depth - 1}(1); run s (cost(s, 1));", above="def f0(x) { x + x } " + chain)


def test_definitions_that_double_are_stopped_where_the_reference_stops_them() -> None:
    # Measured on the reference: eleven deep links, twelve deep does not (L3.27).
    assert errors(doubling(11)) == ()
    assert [found.id for found in errors(doubling(12))] == ["E418"]


def test_definitions_too_deep_to_follow_are_an_error_and_no_crash() -> None:
    chain = "".join(f"def f{i}(x) {{ f{i - 1}(x) + 1 }} " for i in range(1, 600))
    found = errors(server("set y = f599(1); run s (cost(s, 1));", above="def f0(x) { x } " + chain))
    assert [d.id for d in found] == ["E418"]


def test_an_aggregate_too_deep_to_follow_is_told_where_it_stands() -> None:
    def text(terms: int) -> str:
        return server(f"set y = sum j in {terms} (n + j); run s (cost(s, 1));")

    assert errors(text(300)) == ()
    (found,) = errors(text(3000))
    assert (found.id, at(text(3000), found)) == ("E512", "sum j in 3000 (n + j)")
    parts = " + ".join(f"(sum j in 200 (n + j + {start}))" for start in range(0, 3000, 200))
    assert errors(server(f"set y = {parts}; run s (cost(s, 1));")) == ()


def test_calls_that_double_are_stopped() -> None:
    queues = "".join(
        f"queue q{i} : prefill {{ serve fifo; prefill (p) {{ {f'q{i - 1}.prefill (p); q{i - 1}.prefill (p);' if i else ''} "
        f"run (cost(q{i}, p)); }} }} "
        for i in range(20)
    )
    text = f"fn main() {{ {queues} workload {{ arrive batch(1); }} server {{ q19.prefill (1); }} }}"
    assert [found.id for found in errors(text)] == ["E418"]


# ------------------------------------------------------------------ warnings


def test_a_warning_never_stops_a_program() -> None:
    text = server("run s (cost(s, k));", items="let k = 2; pool q { cap 3; cap 4; }", above="let k = 1;")
    result = link(Source("test", text), Settings(10.0))
    assert {(w.id, w.severity) for w in result.warnings} >= {("E1501", "warning"), ("E222", "warning")}
    assert result.program.pools[1].cap == 4.0


def test_a_constant_guard_of_a_schedule_that_is_no_test_is_a_warning() -> None:
    schedule = "branch (2) { advance running; } else { admit waiting; }"
    text = (
        f"fn main() {{ device g {{ }} engine e on g {{ tokens cap 8; schedule {{ {schedule} }} execute (1); }} "
        "workload { arrive batch(1); } server { run e prefill (cost(e, 1)); } }"
    )
    assert "E917" in {w.id for w in link(Source("test", text), Settings(10.0)).warnings}
