"""How far a text reads, and what may stand at a place in it; builds no tree and words no error.

A position of the parser that can be kept and tried from again: the error messages ask what could have stood
where something else did, and whether a text would go on with one word changed.
"""

from __future__ import annotations

from dataclasses import field
from functools import cache
from typing import Any

from lark.parsers.lalr_analysis import Shift

from grammar.declaring import dataclass
from grammar.scan import Lexeme
from grammar.table import literal, parser_table

END = "$END"

_KINDS = {"number": "NUMBER", "string": "STRING", "word": "NAME"}
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})

Stack = tuple[int, "Stack | None"]
"""The parser's states, the innermost first. Positions share what is below."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where the parser stands after some lexemes."""

    stack: Stack = field(repr=False)

    def read(self, lexeme: Lexeme) -> Position | None:
        """The position after one more lexeme, None where it may not stand."""
        return self.take(self.terminal(lexeme))

    def take(self, terminal: str) -> Position | None:
        """The position after a terminal, None where it may not stand."""
        states = _table().states
        stack = self.stack
        while True:
            entry = states[stack[0]].get(terminal)
            if entry is None:
                return None
            action, argument = entry
            if action is Shift:
                return Position((argument, stack))
            for _ in argument.expansion:
                below = stack[1]
                assert below is not None
                stack = below
            stack = (states[stack[0]][argument.origin.name][1], stack)
            if terminal == END and stack[0] in _table().ends:
                return Position(stack)

    def terminal(self, lexeme: Lexeme) -> str:
        """What a lexeme is here: a word is a keyword where the keyword may stand, else a name (L1.9, L2.6)."""
        if lexeme.kind not in {"word", "mark"}:
            return _KINDS.get(lexeme.kind, lexeme.kind)
        if lexeme.text in _COMPARISONS:
            return "CMP"
        terminal = terminals().get(lexeme.text, "NAME")
        if lexeme.kind == "word" and terminal not in _table().states[self.stack[0]]:
            return "NAME"
        return terminal

    def accepts(self) -> frozenset[str]:
        """Every terminal that may stand here, ``END`` for the end of the text."""
        candidates = [key for key in _table().states[self.stack[0]] if key.isupper()]
        return frozenset(terminal for terminal in candidates if self.take(terminal) is not None)


def first_position(start: str) -> Position:
    """Before the first lexeme of a text that is read as ``start``."""
    return Position((_table().starts[start], None))


@cache
def terminals() -> dict[str, str]:
    """The terminal of each keyword and mark, by its text."""
    return {text: terminal.name for terminal in parser_table().terminals if (text := literal(terminal)) is not None}


@cache
def texts() -> dict[str, str]:
    """The text of each keyword and mark, by its terminal."""
    return {name: text for text, name in terminals().items()}


@dataclass(frozen=True, slots=True)
class _Table:
    states: dict[int, dict[str, tuple[Any, Any]]]
    starts: dict[str, int]
    ends: frozenset[int]


@cache
def _table() -> _Table:
    table = parser_table().parse_interactive("", start="start").parser_state.parse_conf.parse_table
    return _Table(table.states, table.start_states, frozenset(table.end_states.values()))
