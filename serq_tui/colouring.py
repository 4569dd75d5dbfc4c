"""The words of a program text by kind, for its colours; knows no grammar: the language's own lexer tells the words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pygments.token import Comment, Keyword, Name, Number, String  # type: ignore[import-untyped]

from grammar.highlight import SerqLexer
from serq_tui.pieces import Line, Piece, Role

#: Roles of the kinds of words, the first that holds one; the names of the language look like those of the program.
_ROLES: tuple[tuple[Any, Role], ...] = (
    (Comment, "comment"),
    (String, "string"),
    (Number, "number"),
    (Keyword, "keyword"),
    (Name, "name"),
)

_LEXER = SerqLexer(stripnl=False, stripall=False, ensurenl=False)


def coloured(lines: Iterable[str]) -> tuple[Line, ...]:
    """Each line in pieces; what runs over several lines, such as a comment, keeps its colour on each of them."""
    done: list[Line] = []
    line: list[Piece] = []
    for kind, text in _LEXER.get_tokens("\n".join(lines)):
        role = _role(kind)
        for index, part in enumerate(text.split("\n")):
            if index:
                done.append(tuple(line))
                line = []
            if not part:
                continue
            before = line.pop().text if line and line[-1].role == role else ""
            line.append(Piece(before + part, role))
    done.append(tuple(line))
    return tuple(done)


def _role(kind: object) -> Role:
    for word, role in _ROLES:
        if kind in word:
            return role
    return "plain"
