"""Texts the grammar does not take: which error, where, and in which words (L13.2 to L13.6)."""

from __future__ import annotations

import re

import pytest

from grammar.diagnostics import ProgramError
from grammar.parser import parse_expression
from grammar.source import Source
from tests.cases import Case, cases
from tests.grammar.reading_errors import errors_of, marked, place

WORKLOAD = "workload { arrive batch(1); turn { set n = 3; } }"


def main(items: str) -> str:
    return f"fn main() {{ {items} }}"


def server(statements: str) -> str:
    return main(f"pool p {{ cap 9; }} stage s : delay; {WORKLOAD} server {{ {statements} }}")


def engine(items: str) -> str:
    return main(
        f"device gpu {{ t (x) = x; kv cap 100; }} engine e on gpu {{ {items} }} pool kv on gpu {{ }} {WORKLOAD} server {{ }}"
    )


def schedule(body: str) -> str:
    return engine(f"tokens cap 8; schedule {{ {body} }} execute (1);")


# ------------------------------------------------------------------ which error, and where

# The place marked is the reference's, measured on these texts, but for those below it.
AS_THE_REFERENCE = [
    ("E101", main("let x = 1 ▲$ 2;")),
    ("E101", main("let x = 1 ▲& 2;")),
    ("E101", main("let ▲² = 1;")),
    ("E101", main("let x = ▲٣;")),
    ("E101", "▲\ufefffn main() { }"),
    ("E102", "fn main() { ▲/* x }"),
    ("E104", main("let x = ▲1.2.3;")),
    ("E104", main("let x = ▲1..2;")),
    ("E105", main("let x = ▲.;")),
    ("E105", main("let x = 2▲em;")),
    ("E105", "use ▲std/args; fn main() { }"),
    ("E105", server("set y = ▲;")),
    ("E105", server("set y = 1 +▲;")),
    ("E105", server("set y = (1▲;")),
    ("E105", server('set y = ▲"a";')),
    ("E105", server('set y = min(▲"a", 1);')),
    ("E105", server("set x ▲== 1;")),
    ("E105", server("set x = 1;▲;")),
    ("E105", server("branch (1 < 2 ▲< 3) { }")),
    ("E105", server("branch (n ▲= 3) { }")),
    ("E105", server("set y = ~exp(1) ▲^ 2;")),
    ("E105", server("set y = n ▲and 1;")),
    ("E105", server("branch (n > 1) { } else ▲branch (n > 2) { }")),
    ("E105", server("▲else { }")),
    ("E105", server("▲if (n > 1) { set x = 1; }")),
    ("E105", server("▲let x = 1;")),
    ("E105", server("▲foo;")),
    ("E105", server("▲pool q { cap 1; }")),
    ("E105", server("▲5;")),
    ("E105", server("run s ▲cost(s, 1);")),
    ("E105", main("server { };").replace("};", "}▲;")),
    ("E105", main("stage s ▲;")),
    ("E105", main("workload { ▲foo; }")),
    ("E105", main("workload { arrive ▲weibull(2); }")),
    ("E105", "▲}"),
    ("E105", schedule("advance running▲, admit waiting;")),
    ("E105", schedule("advance running ▲foo;")),
    ("E105", schedule("advance running ▲while (1);")),
    ("E204", "fn main(▲x) { }"),
    ("E205", "fn main() { let x = 1;▲"),
    ("E202", "fn main() { } fn ▲main() { }"),
    ("E202", "fn main() { fn ▲main() { } }"),
    ("E206", "▲pool p { cap 1; }"),
    ("E206", "▲gauge g = 1; fn main() { }"),
    ("E207", "fn main() { } ▲let x = 1;"),
    ("E207", "fn main() { } ▲}"),
    ("E208", main("▲pol p { cap 1; }")),
    ("E208", main("▲horizon 10;")),
    ("E208", main("▲set x = 1;")),
    ("E208", main("▲request (a) { }")),
    ("E209", main("run ▲{ horizon 10; }")),
    ("E210", main("▲session { turn; }")),
    ("E211", main("share maxmin; ▲share maxmin;")),
    ("E214", main("workload { arrive batch(1); }") + "▲"),
    ("E214", main("server { }") + "▲"),
    ("E218", main("share ▲equal; workload { } server { }")),
    ("E219", '▲use "lib.sq"; fn main() { }'),
    ("E407", "def f(x) ▲= x; fn main() { }"),
    ("E413", "def ▲f(x) { set y = 1; x } fn main() { }"),
    ("E416", server("▲enter p (1) { }")),
    ("E416", server("▲request;")),
    ("E416", server("hold p (cost(p, 1)) ▲where (x = 1) { }")),
    ("E416", server("hold p (cost(p, 1)) ▲fits (1) { }")),
    ("E416", server("hold p (cost(p, 1)) { } ▲keep (1);")),
    ("E416", schedule("advance running; admit waiting ▲if (running.preempted == 0);")),
    ("E804", main("device d { a ▲= 1; }")),
    ("E804", main("device d { a ▲1; }")),
    ("E804", main("device d { ▲pool x; }")),
    ("E812", engine("▲budget 8; schedule { advance running; } execute (1);")),
    ("E816", engine("foo ▲cap2 8; schedule { advance running; } execute (1);")),
    ("E816", engine("▲pool p { }")),
    ("E817", main("stage e : ▲step { cost 1; }")),
    ("E821", main("stage e : ▲lifo;")),
    ("E821", main("queue q { nic▲; }")),
    ("E903", schedule("advance running; admit▲;")),
    ("E903", schedule("advance ▲waiting;")),
    ("E915", schedule("advance running each at most (4) ▲by (remaining);")),
    ("E915", schedule("advance running only (1) ▲only (1);")),
    ("E916", schedule("▲serve; admit waiting;")),
    ("E916", schedule("▲if (1) { advance running; }")),
    ("E1005", server("▲at admission { }")),
    ("E1005", server("▲cache (1);")),
    ("E1030", schedule("admit waiting taking ▲;")),
    ("E1208", main("claim c : ▲never (1);")),
    ("E1309", main("▲D pull P;")),
    ("E1312", main("queue q : prefill { device g { } engine ▲x on g { } }")),
]

# Texts the reference places elsewhere, or nowhere, with the reason for our place.
ELSEWHERE = [
    ("E103", 'use ▲"std/args; fn main() { }', "a string is wrong where it opens; the reference points past the text"),
    ("E105", server("set x = 1▲"), "a missing `;` shows after what it should end (E105)"),
    ("E105", main("pool p { cap 1▲ }"), "a missing `;` shows after what it should end (E105)"),
    ("E105", server("set y = min(▲x = 1, 2);"), "the named argument, of which the reference points at the `=`"),
    ("E105", "def f(x) { x▲; } fn main() { }", "the reference reads no body of a definition that is not used"),
    ("E201", "let x = 1;▲", "the reference gives no place"),
    ("E201", "▲", "the reference gives no place"),
    ("E203", "fn ▲go() { }", "a declaration is pointed at by its name (L13.2); the reference points one past it"),
    ("E205", "fn main() { pool p { cap 1;▲\n\n", "the end of the text is after the last token (L13.2)"),
    (
        "E211",
        main("workload { } ▲workload { } server { }"),
        "the second `workload` by its word, as of the others; the reference at its `{`",
    ),
    ("E215", main("workload { ▲session { set x = 1; } } server { }"), "the session, not what follows the workload (L13.2)"),
    ("E701", main("pool p { ▲capp 9; }"), "the word that is no option; the reference points one past it"),
    ("E816", engine("▲tokns cap2 8; schedule { advance running; } execute (1);"), "the word that is misspelt, not what follows it"),
    ("E1131", server("Cost j = ▲{ };"), "the empty braces; the reference points at what follows"),
]


@pytest.mark.parametrize(("code", "text"), AS_THE_REFERENCE, ids=[f"{code}-{text[-40:]}" for code, text in AS_THE_REFERENCE])
def test_an_error_is_told_by_its_number_where_the_reference_tells_it(code: str, text: str) -> None:
    text, expected = marked(text)
    found = errors_of(text)[0]
    assert (found.id, place(found)) == (code, expected), found


@pytest.mark.parametrize(("code", "text", "reason"), ELSEWHERE, ids=[f"{code}-{text[-40:]}" for code, text, _ in ELSEWHERE])
def test_an_error_stands_elsewhere_than_in_the_reference_for_a_reason(code: str, text: str, reason: str) -> None:
    text, expected = marked(text)
    found = errors_of(text)[0]
    assert (found.id, place(found)) == (code, expected), reason


# ------------------------------------------------------------------ the recorded programs

# By hand from the rule each program breaks.
RECORDED = {
    "E101": "004 019",
    "E102": "005",
    "E103": "006",
    "E104": "018",
    "E105": (
        "001 014 015 016 017 020 021 022 090 092 120 165 167 171 172 192 264 265 266 267 268 269 280 311 312 330 334 335 "
        "370 371 373 488"
    ),
    "E201": "023",
    "E202": "008",
    "E203": "007",
    "E204": "011",
    "E205": "002",
    "E206": "009",
    "E207": "003 010",
    "E208": "012 013",
    "E210": "322",
    "E211": "323 324 325 339",
    "E214": "326 327",
    "E215": "321",
    "E218": "340",
    "E219": "398",
    "E413": "244",
    "E416": "320",
    "E701": "270",
    "E804": "080",
    "E812": "050 051 052 053 054 055",
    "E816": "056",
    "E817": "057",
    "E821": "278",
    "E903": "086 087 088",
    "E915": "091",
    "E916": "084 085 089",
    "E1131": "351",
    "E1208": "386",
    "E1309": "442",
}
CODES = {number: code for code, numbers in RECORDED.items() for number in numbers.split()}
MOVED = {
    "001": ((6, 18), "a missing `;` is placed after the token before it"),
    "002": ((17, 4), "the end of the text is after its last token (L13.2)"),
    "006": ((13, 37), "a string is wrong where it opens; column 193 of the reference is past the line's end"),
    "007": ((1, 4), "a declaration is pointed at by its name (L13.2)"),
    "023": ((1, 1), "the reference gives no place; the text is empty"),
    "270": ((4, 22), "the word that is no option, not its value"),
    "321": ((13, 5), "the session that takes no turn, not what follows the workload"),
    "324": ((22, 3), "the second `workload` by its word"),
    "326": ((1, 61), "the end of the text is after its last token (L13.2)"),
    "327": ((1, 62), "the end of the text is after its last token (L13.2)"),
    "351": ((16, 28), "the empty braces, not the statement that follows"),
}


@pytest.mark.parametrize("recorded", [case for case in cases("corpus_bad") if case.name[:3] in CODES], ids=str)
def test_a_recorded_program_that_is_no_text_is_refused_once_and_where_it_is_wrong(recorded: Case) -> None:
    number = recorded.name[:3]
    found = errors_of(recorded.source)
    expected, reason = MOVED.get(number, ((recorded.data["line"], recorded.data["column"]), "as recorded"))
    assert [d.id for d in found] == [CODES[number]]
    assert place(found[0]) == expected, reason


@pytest.mark.parametrize("recorded", [case for case in cases("corpus_bad") if case.name[:3] not in CODES], ids=str)
def test_a_recorded_program_with_a_fault_of_another_kind_is_a_text(recorded: Case) -> None:
    assert errors_of(recorded.source) == ()


# ------------------------------------------------------------------ the words


@pytest.mark.parametrize(
    ("text", "message", "suggestion"),
    [
        (server("set x = 1"), "expected `;` in `set x`, read `}`", "write `;` after `1`"),
        (server("set x = (1;"), "expected `)` in `set x`, read `;`", "write `)` after `1`"),
        (server("run s (cost(s, 1) run s (cost(s, 2));"), "expected `);` in `run s`, read `run`", "write `);` after `)`"),
        (server("set y = ;"), "expected an expression in `set y`, read `;`", None),
        (server("observe 3 = 1;"), "expected a name in `observe`, read `3`", None),
        (server("branch (1 < n < 3) { }"), None, "compare twice: `1 < n && n < …`"),
        (server("set y = 2n;"), None, "write `2 * n`"),
        (server("set y = n and 1;"), None, "write `&&`"),
        (server("set y = n ** 2;"), None, "a power is `x ^ y`"),
        (server("set y = 5ms;"), None, "a number has no unit: with times in seconds write `0.005`"),
        (server("set y = 80GB;"), None, "a number has no unit: write `8e10`"),
        (main("let ms = 0.001; let y = 5ms;"), None, "write `5 * ms`"),
        (
            main("let y = 90% * 4;"),
            "`%` starts no word, number or operator of the language",
            "a share is a number below 1, such as `0.9`; the rest of a division is `x - floor(x, y)`",
        ),
        (
            server("set y = min(n, n // 2);\n set z = 1;"),
            "expected `)`, `=`, `,` or an operator, read `set`",
            "`//` begins a comment, which took the rest of the line; a whole quotient is `floor(a / b)`",
        ),
        (server("set y = (n // the sizes;\n set z = 1;"), "expected `);` in `set y`, read `set`", "write `);` after `n`"),
        (main("let y = 0x10;"), None, "numbers are decimal: write `16`"),
        (main("let y = 1,000;"), "expected `;` or an operator in `let y`, read `,`", "write `1_000`"),
        (main("let y = 1e;"), None, "an exponent has digits, as in `1e3`"),
        (server("set y = 1 if n > 3 else 2;"), None, "a choice is `test ? then : otherwise`"),
        (
            server("hold p (1) { run s (1) grow p; }"),
            "expected `;` or `growing` in `run s`, read `grow`",
            "did you mean `growing`?",
        ),
        (main("engine e { }"), "expected `on` in `engine e`, read `{`", "an engine runs on a device: write `engine e on DEVICE {`"),
        (main("engine e : g { }"), None, "an engine runs on a device: write `engine e on g {`"),
        (
            engine("request (a) { at admission { set x = a; } }"),
            "expected a binding, read `set`",
            "`at admission` binds by the name alone: write `x = …;`",
        ),
        (server("y += n;"), "expected a statement, read `y +=`", "write `set y = y + …;`"),
        (server("while true { end; }"), "expected `(` in `while`, read `true`", "what has no end is `loop { … }`"),
        ("def f(x): x\n fn main() { }", "the body of `def f` stands in braces, read `:`", "write `def f(x) { … }`"),
        (main("stage s = delay;"), "expected `:` in `stage s`, read `=`", "write `:`"),
        (engine("tokens cap = 8;"), "expected an expression in `tokens cap`, read `=`", "drop it"),
        ("fn main { }", "expected `()` in `fn main`, read `{`", "write `fn main() {`"),
        ("{ }", "expected a declaration or the end of the text, read `{`", "a program's declarations stand in `fn main() { … }`"),
        (main("import args;"), None, 'what there is to use is `use "std/args";` and `use "std/kvt";`'),
        (main("class Main { }"), None, "a program declares devices, engines, pools and stages in `fn main() { … }`"),
        (engine("max_num_batched_tokens = 2 * 8;"), None, "write `tokens cap 2 * 8;`"),
        (
            engine("max_num_seqs 8;"),
            "`max_num_seqs` is no item of an engine",
            "it is a capacity: `reqs cap 8;`, and below the engine `pool reqs on e { }`",
        ),
        (engine("scheduel { advance running; }"), "`scheduel` is no item of an engine", "did you mean `schedule`?"),
        (main("pool p { block_size 8; }"), "`block_size` is no option of `pool p`", "did you mean `block`?"),
        (main("pool p { evict LRU; }"), None, "did you mean `lru`?"),
        (schedule("advance running prefill first;"), None, "prefills before decodes is `by (decoding)`"),
        (schedule("advance running decode_first;"), None, "did you mean `decode first`?"),
        (schedule("advance running at most (4);"), None, "did you mean `each at most`?"),
        (server("y = 1;"), "expected a statement, read `y =`", "write `set y = 1;`"),
        (server("obsrve y = 1;"), "`obsrve` begins no statement", "did you mean `observe`?"),
        (server("run s refill (1);"), None, "did you mean `prefill`?"),
        (server("run s cost(s, 1);"), "expected `(` in `run s`, read `cost`", "write `(cost(s, 1))`"),
        (server("keep (n);"), None, "write `cache (…)`"),
        (server("hold p (1) where (x = n + 1) { }"), None, "write `at admission (x = n + 1)`"),
        (main("pol p { cap 1; }"), "`pol` begins no declaration", "did you mean `pool`?"),
        (main("advance running;"), "`advance` begins no declaration", "it stands in the `schedule` of an engine"),
        (main("run { horizon 10; seed 3; }"), None, "run it with `--horizon 10 --seed 3`"),
        (
            main("dec pull pre latency 0.1;"),
            None,
            'write `kvt.nixl_pull (pre, dec, latency = 0.1);` with `use "std/kvt";`, and `share maxmin;` once',
        ),
        (main("pool p { evict mru; }"), "expected `by` or `lru` in `evict`, read `mru`", "did you mean `lru`?"),
        (engine("budget 2 * 8;"), "an engine has no `budget`", "write `tokens cap 2 * 8;`"),
        (schedule("advance running each at most (4) by (size);"), None, "write `advance running by (size) each at most (4);`"),
        ("def f(x) = x + 1; fn main() { }", None, "write `def f(x) { x + 1 }`"),
        ("use “std/args”; fn main() { }", "`“` starts no word, number or operator of the language", 'write `"`'),
    ],
)
def test_a_message_says_what_was_read_and_a_help_writes_it_as_it_should_be(
    text: str, message: str | None, suggestion: str | None
) -> None:
    found = errors_of(text)[0]
    assert message is None or found.message == message
    assert found.suggestion == suggestion


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, text in AS_THE_REFERENCE if code == "E105"])
def test_an_unexpected_token_is_named_and_at_most_five_things_are_expected_instead(code: str, text: str) -> None:
    text, (line, column) = marked(text)
    message = errors_of(text)[0].message
    read = re.match(r'\w+|"[^"]*"|\S', text.splitlines()[line - 1][column - 1 :])
    assert read is not None
    assert f"`{read.group()}" in message
    expected = re.match("expected (.*?)(?: in `.*)?, read", message)
    assert expected is None or len(re.split(", | or ", expected.group(1))) <= 5


def test_a_block_left_open_is_told_where_the_word_of_an_outer_place_is_read() -> None:
    text, expected = marked("fn main() {\n  pool p {\n    cap 9;▲\n  stage s : delay;\n  stage t : delay;\n}\n")
    (found,) = errors_of(text)
    assert (found.id, place(found), found.message) == ("E105", expected, "expected `}` of `pool p`, read `stage`")
    assert [(note.message, note.span and note.span.line) for note in found.notes] == [("`pool p` opens here", 2)]


def test_a_brace_that_stands_further_out_than_what_it_closes_is_noted_where_braces_do_not_match() -> None:
    text, expected = marked("fn main() {\n  server {\n    branch (1) {\n      end;\n  }\n}▲\n")
    (found,) = errors_of(text)
    assert (found.id, place(found)) == ("E205", expected)
    assert [(note.message, note.span and (note.span.line, note.span.column)) for note in found.notes] == [
        ("this `}` closes `branch`, but stands further out", (5, 3))
    ]


def test_an_expression_of_the_host_is_told_without_a_construct() -> None:
    with pytest.raises(ProgramError) as caught:
        parse_expression(Source("--set x", "1 2"))
    (found,) = caught.value.diagnostics
    assert (found.id, found.message, place(found)) == ("E105", "expected the end of the text or an operator, read `2`", (1, 3))


# ------------------------------------------------------------------ several at once (L13.5)


def test_a_program_whose_entry_is_called_a_definition_is_told_so_once() -> None:
    text, expected = marked("▲def main() { stage s : delay; workload { arrive batch(1); } server { run s (cost(s, 1)); } }")
    (found,) = errors_of(text)
    assert (found.id, place(found), found.suggestion) == ("E203", expected, "write `fn main() {`")


@pytest.mark.parametrize("bindings", ["(x = a, y = 2)", "(x = a; y = 2; }"])
def test_bindings_of_a_request_in_parentheses_are_told_once(bindings: str) -> None:
    (found,) = errors_of(engine(f"request (a) {{ at admission {bindings} prefill (a); }}"))
    assert found.suggestion == "write `at admission { NAME = …; }`; the form with parentheses belongs to a `hold`"


def test_a_test_of_another_language_is_told_once() -> None:
    (found,) = errors_of(schedule("if running.count > 0: advance running;"))
    assert (found.id, found.suggestion) == ("E916", "write `branch (…) { … }`")


def test_every_lexical_error_is_told_and_no_other() -> None:
    found = errors_of('fn main() {\n  let x = 1 $ 2;\n  let y = 1.2.3;\n  let z = ;\n  use "std/args;\n}')
    assert [(d.id, place(d)[0]) for d in found] == [("E101", 2), ("E104", 3), ("E103", 5)]


def test_errors_in_separate_constructs_are_told_together_in_text_order() -> None:
    text = main(
        "pol p { cap 1; capp 2; } stag s : delay; run { horizon 3; }\n"
        "workload { setup { } arrive batch(1); turn { set n = ; set o = 3 } }\n"
        "server { obsrve t = now; run s (cost(s, n); branch (n < o < 3) { } }\n"
    )
    found = errors_of(text)
    assert [d.id for d in found] == ["E208", "E701", "E208", "E209", "E105", "E105", "E105", "E105", "E105", "E105"]
    assert [place(d) for d in found] == sorted(place(d) for d in found)


def test_at_most_twenty_errors_are_told() -> None:
    assert len(errors_of(main("zzz; " * 30))) == 20
    assert len(errors_of(main("let x = 1 $ 2; " * 30))) == 20
