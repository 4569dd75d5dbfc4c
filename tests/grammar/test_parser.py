"""The parser takes every program of the language and says what was written (L1, L2)."""

from __future__ import annotations

import pytest

from grammar import syntax as s
from grammar.diagnostics import ProgramError
from grammar.parser import MAX_DEPTH, parse, parse_expression
from grammar.source import Source, Span
from grammar.structure import structure_errors
from tests.cases import Case, cases

ANY = Span(0, 0, 0, 0)


def expression(text: str) -> s.Expr:
    return parse_expression(Source("test", text))


def name(text: str) -> s.NameExpr:
    return s.NameExpr(ANY, s.Ref(ANY, (s.Name(ANY, text),)))


def number(value: float) -> s.Number:
    return s.Number(ANY, value, str(value))


def binary(op: str, left: s.Expr, right: s.Expr) -> s.Binary:
    return s.Binary(ANY, op, left, right)


def main_items(text: str) -> tuple[s.Item, ...]:
    (main,) = parse(Source("test", f"fn main() {{ {text} }}")).items
    assert isinstance(main, s.Main)
    return main.items


def statements(text: str) -> tuple[s.Statement, ...]:
    (server,) = main_items(f"server {{ {text} }}")
    assert isinstance(server, s.Server)
    return server.body.statements


@pytest.mark.parametrize("recorded", [*cases("corpus_ok"), *cases("corpus_runtime")], ids=str)
def test_every_accepted_program_is_read_and_has_a_sound_outline(recorded: Case) -> None:
    text = parse(Source(recorded.name, recorded.source))
    assert structure_errors(text) == ()


# ------------------------------------------------------------------ precedence (L2.2)

a, b, c = name("a"), name("b"), name("c")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a + b * c", binary("+", a, binary("*", b, c))),
        ("a - b - c", binary("-", binary("-", a, b), c)),
        ("a / b / c", binary("/", binary("/", a, b), c)),
        ("2 ^ 3 ^ 2", binary("^", number(2), binary("^", number(3), number(2)))),
        ("2 ^ -1", binary("^", number(2), s.Unary(ANY, "-", number(1)))),
        ("-a ^ 2", s.Unary(ANY, "-", binary("^", a, number(2)))),
        ("!a == b", binary("==", s.Unary(ANY, "!", a), b)),
        ("a || b && c", binary("||", a, binary("&&", b, c))),
        ("a < b && c", binary("&&", binary("<", a, b), c)),
        ("a ? b : c ? a : b", s.Conditional(ANY, a, b, s.Conditional(ANY, c, a, b))),
        ("~exp(a) * 2", binary("*", s.Draw(ANY, s.Name(ANY, "exp"), (a,)), number(2))),
    ],
)
def test_operators_bind_as_the_table_of_precedence_says(text: str, tree: s.Expr) -> None:
    assert expression(text) == tree


def test_parentheses_leave_no_node_but_widen_the_span_of_what_they_are_in() -> None:
    plain, grouped = expression("a + b"), expression("((a) + (b))")
    assert plain == grouped
    assert grouped.span == Span(1, 2, 1, 11)


def test_a_named_aggregate_and_a_function_of_the_same_name_part_at_the_next_word() -> None:
    assert expression("max j in 3 (a)") == s.Over(ANY, "max", s.Name(ANY, "j"), number(3), a)
    assert expression("max (a, b)") == s.CallExpr(ANY, s.Ref(ANY, (s.Name(ANY, "max"),)), (a, b))
    assert expression("max") == name("max")


# ------------------------------------------------------------------ numerals and names (L1.4, L1.5)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1.0), (".5", 0.5), ("3e5", 3e5), ("1e-5", 1e-5), ("1_024", 1024.0), ("2.", 2.0), ("1e999", float("inf"))],
)
def test_a_numeral_is_the_double_it_writes(text: str, value: float) -> None:
    assert expression(text) == number(value)


def test_a_letter_of_any_script_starts_a_name() -> None:
    assert expression("größe_2 + 名前") == binary("+", name("größe_2"), name("名前"))


def test_a_keyword_is_a_whole_word_where_only_a_keyword_may_stand() -> None:
    schedule = "device g {{ }} engine e on g {{ schedule {{ advance running{} (1); }} }}"
    assert main_items(schedule.format(" only"))
    with pytest.raises(ProgramError):
        main_items(schedule.format("only"))


def test_words_of_the_language_are_names_where_a_name_stands() -> None:
    """L1.9: a stage may be named ``prefill``, a pool ``link``, an attribute ``latency``."""
    stage, pool = main_items("stage prefill : delay; pool link { cap 1; }")
    assert isinstance(stage, s.Stage)
    assert stage.name.text == "prefill"
    assert isinstance(pool, s.Pool)
    assert pool.name.text == "link"
    (assigned,) = statements("set latency = 1;")
    assert isinstance(assigned, s.Set)
    assert assigned.name.text == "latency"


# ------------------------------------------------------------------ what the grammar leaves to position (L2.3 to L2.16)


def test_an_entry_may_be_named_as_a_mode_after_another_entry() -> None:
    """L2.6: after ``}`` the word ``decode`` is a keyword wherever one may follow, so the rule lists it."""
    (queue,) = main_items("queue q : prefill, decode { serve fifo; prefill (p) { } decode (p) from P { } }")
    assert isinstance(queue, s.Queue)
    entries = [item for item in queue.items if isinstance(item, s.Entry)]
    assert [(entry.verb.text, entry.source and entry.source.text) for entry in entries] == [("prefill", None), ("decode", "P")]


def test_an_entry_without_parentheses_differs_from_one_without_parameters() -> None:
    (queue,) = main_items("queue q : gateway { route { } route () { } }")
    assert isinstance(queue, s.Queue)
    assert [entry.params for entry in queue.items if isinstance(entry, s.Entry)] == [None, ()]


def test_a_cache_after_a_hold_is_the_holds_unless_a_semicolon_ends_it() -> None:
    """L2.3."""
    request = "device g {{ }} engine e on g {{ request (n) {{ hold p (1) {{ }}{} cache (n); }} }}"
    (_, taken) = main_items(request.format(""))
    (_, left) = main_items(request.format(";"))
    assert isinstance(taken, s.Engine)
    assert isinstance(left, s.Engine)
    (hold,) = taken.items[0].items  # type: ignore[union-attr]
    assert isinstance(hold, s.Hold)
    assert hold.cache == name("n")
    hold, cache = left.items[0].items  # type: ignore[union-attr]
    assert isinstance(hold, s.Hold)
    assert hold.cache is None
    assert isinstance(cache, s.RequestCache)


def test_a_definition_is_an_expression_or_statements_by_its_semicolons() -> None:
    """L2.16: ``{ }`` is no statements."""
    for body, kind in (("{ x }", s.NameExpr), ("{ set y = x; }", s.Block), ("{ }", s.Block)):
        (definition,) = parse(Source("test", f"def f(x) {body}")).items
        assert isinstance(definition, s.Def)
        assert isinstance(definition.body, kind)


def test_a_reference_keeps_its_index_and_its_dotted_names() -> None:
    (call,) = statements("Q[j].verb (1) from P to R (2);")
    assert isinstance(call, s.CallStatement)
    assert call.ref.text == "Q.verb"
    assert call.ref.index == name("j")
    assert call.source is not None
    assert call.dest is not None
    assert (call.source.text, call.dest.text, call.units) == ("P", "R", number(2))


# ------------------------------------------------------------------ spans (L1.1)


def test_spans_count_lines_and_columns_from_one_in_characters() -> None:
    (main,) = parse(Source("test", "fn main() {\n\tlet größe = 12;\n}")).items
    assert isinstance(main, s.Main)
    (let,) = main.items
    assert isinstance(let, s.Let)
    assert main.name.span == Span(1, 4, 1, 8)
    assert let.span == Span(2, 2, 2, 17)
    assert (let.name.span, let.value.span) == (Span(2, 6, 2, 11), Span(2, 14, 2, 16))


def test_a_schedules_span_is_its_word() -> None:
    _, engine = main_items("device g { } engine e on g { schedule { advance running; } }")
    assert isinstance(engine, s.Engine)
    assert engine.items[0].span == Span(1, 42, 1, 50)


# ------------------------------------------------------------------ depth


def test_parentheses_leave_nothing_in_the_tree_and_may_be_as_many_as_one_likes() -> None:
    # The reference takes 3,000 of them and ends without an answer at 10,000, as measured.
    assert isinstance(expression("(" * 10_000 + "1" + ")" * 10_000), s.Number)


@pytest.mark.parametrize("text", ["max(1, " * 5000 + "1" + ")" * 5000, "-" * 5000 + "1", "+".join(["1"] * 5000)])
def test_a_text_nested_beyond_measure_gets_a_diagnostic(text: str) -> None:
    with pytest.raises(ProgramError) as caught:
        expression(text)
    assert [d.id for d in caught.value.diagnostics] == ["E105"]
    assert f"{MAX_DEPTH}" in caught.value.diagnostics[0].message


def test_no_accepted_program_comes_near_the_greatest_depth() -> None:
    def depth(node: object) -> int:
        if isinstance(node, tuple):
            return max(map(depth, node), default=0)
        if not isinstance(node, s.Node):
            return 0
        fields = [getattr(node, field) for field in node.__dataclass_fields__ if field != "span"]
        return 1 + max(map(depth, fields), default=0)

    deepest = max(depth(parse(Source(recorded.name, recorded.source))) for recorded in cases("corpus_ok"))
    assert deepest < MAX_DEPTH / 4
