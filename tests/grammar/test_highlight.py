"""The lexer of the source pane gives every character of a program a colour."""

from __future__ import annotations

import pytest
from pygments.token import Comment, Error, Keyword, Name, Number, String, _TokenType

from grammar.highlight import SerqLexer
from tests.cases import cases


def tokens(text: str) -> list[tuple[_TokenType, str]]:
    return [(kind, value) for kind, value in SerqLexer(stripnl=False, ensurenl=False).get_tokens(text) if value.strip()]


def test_no_program_has_a_character_of_no_kind_and_none_is_lost() -> None:
    lexer = SerqLexer(stripnl=False, ensurenl=False)
    for case in cases("corpus_ok"):
        coloured = list(lexer.get_tokens(case.source))
        assert "".join(value for _, value in coloured) == case.source
        assert not [value for kind, value in coloured if kind in Error]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("pool link { }", [(Keyword.Declaration, "pool"), (Name.Class, "link")]),
        ("pool p { queue fifo; }", [(Keyword.Declaration, "pool"), (Name.Class, "p"), (Keyword, "queue"), (Keyword, "fifo")]),
        ("engine on gpu { }", [(Keyword, "engine"), (Keyword, "on"), (Name, "gpu")]),
        ("set latency = 1", [(Keyword, "set"), (Name.Variable, "latency"), (Number, "1")]),
        ("tokens cap inf", [(Keyword, "tokens"), (Keyword, "cap"), (Name.Builtin.Pseudo, "inf")]),
        ("running.count", [(Name.Builtin.Pseudo, "running"), (Name.Attribute, "count")]),
        ("maximum", [(Name, "maximum")]),
        ("~exp(n)", [(Name.Builtin, "exp"), (Name, "n")]),
        ('use "std/args"', [(Keyword.Declaration, "use"), (String, '"std/args"')]),
        ("/* a\nb */ x // c", [(Comment.Multiline, "/* a\nb */"), (Name, "x"), (Comment.Single, "// c")]),
    ],
)
def test_a_word_has_the_colour_of_what_it_is_in_its_place(text: str, kinds: list[tuple[_TokenType, str]]) -> None:
    told = [(kind, value) for kind, value in tokens(text) if value[0].isalnum() or value[0] in '"/']
    assert told == kinds
