"""Where a text stops being a program: what was read, what is open, what could have stood; words no error.

The parser has read ``lexemes[: at]``; it cannot take the next one. A *place* is where one of a list of like things
may begin: a declaration, a pool option, a statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from grammar.reading import END, Position, texts
from grammar.scan import Lexeme
from grammar.source import Span

Place = Literal["declaration", "pool", "device", "engine", "schedule", "queue", "workload", "statement", "binding"]

_MARKERS: dict[Place, str] = {
    "declaration": "GAUGE",
    "pool": "EVICT",
    "engine": "GRANULE",
    "schedule": "EXCLUSIVE",
    "queue": "NIC",
    "workload": "ARRIVE",
    "statement": "OBSERVE",
}
"""A terminal that may stand at this place and at no other."""

PLACE_WORDS: dict[Place, str] = {
    "declaration": "a declaration",
    "pool": "a pool option",
    "device": "a time or a capacity",
    "engine": "an item of the engine",
    "schedule": "a statement of the schedule",
    "queue": "an item of the queue",
    "workload": "an item of the workload",
    "statement": "a statement",
    "binding": "a binding",
}

BRACKETS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(BRACKETS.values())
_OPERATORS = frozenset({"PLUS", "MINUS", "STAR", "SLASH", "CIRCUMFLEX", "CMP", "QMARK", "__ANON_0", "__ANON_1"})
_OPERANDS = frozenset({"NUMBER", "NAME", "LPAR", "MINUS", "BANG", "TILDE", "MAX", "MIN", "SUM", "STRING"})
_AFTER_NAME = frozenset({"LPAR", "LSQB", "DOT"})
_CONTINUES_NAME = frozenset({"LSQB", "DOT"})
"""Any name may go on with these; saying so of each would hide what the construct needs."""
_ENDS_FIRST = (";", ")", "]", "}", "{", "(", "=", ":", ",")
MOST_EXPECTED = 5
"""More alternatives than this say no more than "something else"."""

SURVIVAL = 6
"""A change of one word is believed if so many lexemes read on after it. Fewer would believe a change whose effect only
shows a little later; a statement of average length has eight."""

SURVIVAL_OF_AN_END = 3
"""The same for a ``;`` or a bracket put in: it must stand before what may follow it, and more would hide it where
the next statement is wrong too."""


@dataclass(frozen=True)
class Trouble:
    """One place where reading stopped.

    Attributes:
        text: the whole text.
        lexemes: its lexemes without comments.
        places: the parser's position before each lexeme up to ``at``; None for lexemes that were passed over.
        at: the index of the lexeme that cannot stand there; their number at the end of the text.
    """

    text: str
    lexemes: Sequence[Lexeme]
    places: Sequence[Position | None]
    at: int

    @property
    def here(self) -> Position:
        """The position at which the unexpected lexeme was met."""
        position = self.places[self.at]
        assert position is not None
        return position

    @property
    def at_end(self) -> bool:
        """Whether it is the end of the text that was not expected."""
        return self.at == len(self.lexemes)

    @property
    def word(self) -> str:
        """The unexpected lexeme, nothing at the end."""
        return self.word_at(self.at)

    def word_at(self, index: int) -> str:
        """A lexeme's text, nothing outside the text."""
        return self.lexemes[index].text if 0 <= index < len(self.lexemes) else ""

    def is_word(self, index: int) -> bool:
        """Whether a lexeme is a word."""
        return 0 <= index < len(self.lexemes) and self.lexemes[index].kind == "word"

    @property
    def found(self) -> str:
        """The unexpected lexeme as a message shows it."""
        if self.at_end:
            return "the end of the text"
        return self.shown(self.at)

    def shown(self, index: int) -> str:
        """A lexeme between backquotes."""
        return f"`{self.word_at(index)}`"

    def group(self, index: int) -> str | None:
        """The text in the parentheses that open at a lexeme, on one line."""
        end = self.closing(index)
        if self.word_at(index) != "(" or end is None:
            return None
        return self.between(index + 1, end - 1) if end > index + 1 else ""

    def closing(self, index: int) -> int | None:
        """The index of the bracket that closes the one at an index, None where they do not match."""
        stack: list[str] = []
        for i in range(index, len(self.lexemes)):
            word = self.word_at(i)
            if word in BRACKETS:
                stack.append(BRACKETS[word])
            elif word in _CLOSING and (not stack or stack.pop() != word):
                return None
            if not stack:
                return i
        return None

    def between(self, first: int, last: int) -> str:
        """The text from one lexeme to another, both included, on one line and without comments."""
        parts: list[str] = []
        made = False  # by an edit, and so without room of its own in the text
        end = self.lexemes[first].offset
        for lexeme in self.lexemes[first : last + 1]:
            parts += [" " if lexeme.offset > end or made else "", lexeme.text]
            end = lexeme.end
            made = not self.text.startswith(lexeme.text, lexeme.offset)
        return "".join(parts)

    # ------------------------------------------------------------------ places in the text

    @property
    def span(self) -> Span:
        """The unexpected lexeme, or after the last one (L13.2)."""
        return self.after_previous if self.at_end else self.lexemes[self.at].span

    @property
    def after_previous(self) -> Span:
        """The column after the lexeme before, where something is missing (E105)."""
        if self.at == 0:
            return Span(1, 1, 1, 2)
        span = self.lexemes[self.at - 1].span
        return Span(span.end_line, span.end_column, span.end_line, span.end_column + 1)

    # ------------------------------------------------------------------ what is open

    @cached_property
    def open(self) -> list[int]:
        """The indices of the brackets that are open, the innermost last."""
        stack: list[int] = []
        for index, lexeme in enumerate(self.lexemes[: self.at]):
            if self.places[index] is None:
                continue
            if lexeme.text in BRACKETS:
                stack.append(index)
            elif stack and lexeme.text == BRACKETS[self.lexemes[stack[-1]].text]:
                stack.pop()
        return stack

    @cached_property
    def misaligned(self) -> tuple[int, int] | None:
        """The first ``{`` and its ``}`` of which the latter begins a line further out than the former's line begins."""
        stack: list[int] = []
        begins: dict[int, int] = {}
        for index, lexeme in enumerate(self.lexemes[: self.at]):
            first_on_line = begins.setdefault(lexeme.span.line, lexeme.span.column) == lexeme.span.column
            if lexeme.text == "{":
                stack.append(index)
            elif lexeme.text == "}" and stack:
                opening = stack.pop()
                if first_on_line and lexeme.span.column < begins[self.lexemes[opening].span.line]:
                    return opening, index
        return None

    @cached_property
    def start(self) -> int:
        """The index of the lexeme that begins what is being read."""
        return self.start_before(self.at + 1)

    def start_before(self, index: int) -> int:
        """The nearest lexeme before an index that stands at a place."""
        return next((i for i in range(index - 1, -1, -1) if self.place_at(i) is not None), 0)

    def place_at(self, index: int) -> Place | None:
        """The place before a lexeme."""
        position = self.places[index]
        if position is None:
            return None
        for place, marker in _MARKERS.items():
            if position.take(marker) is not None:
                return place
        if self.word_at(index - 1) in {"{", ";"} and position.take("NAME") is not None and position.take("RBRACE") is not None:
            return "device" if position.take("NAME").take("LPAR") is not None else "binding"  # type: ignore[union-attr]
        return None

    @property
    def place(self) -> Place | None:
        """The place at which what is being read began."""
        return self.place_at(self.start)

    @property
    def block(self) -> int | None:
        """The index of the innermost open brace."""
        return next((i for i in reversed(self.open) if self.word_at(i) == "{"), None)

    def head(self, index: int) -> str:
        """The first words of what begins at an index: ``pool p``, ``advance running``, ``set x``."""
        last = index + 1 if self.is_word(index) and self.is_word(index + 1) and index + 1 < self.at else index
        return f"`{self.between(index, last)}`"

    @property
    def construct(self) -> str | None:
        """What is being read, by its first words; of a place not yet begun the block it is in."""
        if self.place is None:
            return None
        if self.start < self.at:
            return self.head(self.start)
        return None if self.block is None else self.head(self.start_before(self.block))

    # ------------------------------------------------------------------ what could have stood

    @cached_property
    def accepted(self) -> frozenset[str]:
        """The terminals that may stand here."""
        return self.here.accepts()

    @property
    def after_operand(self) -> bool:
        """Whether an expression was read to where it could end or go on."""
        return "PLUS" in self.accepted and "NUMBER" not in self.accepted

    def expected(self) -> str:
        """What may stand here in the words of the text, at most five (E105)."""
        accepted = set(self.accepted)
        said: list[str] = []
        place = self.place_at(self.at)
        if place is not None:
            said.append(PLACE_WORDS[place])
            accepted &= {"RBRACE", END}
        elif "NUMBER" in accepted:
            said.append("an expression")
            accepted -= _OPERANDS
        elif _OPERATORS & accepted:
            said.append("an operator")
            accepted -= _OPERATORS | _AFTER_NAME
        elif "NAME" in accepted:
            said.append("a name")
            accepted -= {"NAME", "MAX", "MIN", "SUM"}
        elif "STRING" in accepted:
            said.append("a string")
        if len(accepted) > 1:
            accepted -= _CONTINUES_NAME
        words = sorted(f"`{texts()[terminal]}`" for terminal in accepted if terminal in texts())
        words.sort(key=lambda word: _ENDS_FIRST.index(word[1:-1]) if word[1:-1] in _ENDS_FIRST else len(_ENDS_FIRST))
        if END in accepted:
            words.append("the end of the text")
        if "an operator" in said:
            said = [*words, *said]
        else:
            said += words
        return one_of(said[:MOST_EXPECTED])

    def keywords(self, index: int) -> list[str]:
        """The keywords that may stand before a lexeme."""
        position = self.places[index]
        assert position is not None
        return [text for terminal in position.accepts() if (text := texts().get(terminal, "")).isalpha()]

    def survives(self, position: Position | None, index: int, lexemes: int = SURVIVAL) -> bool:
        """Whether so many lexemes from an index on, or all there are, can be read from a position."""
        for lexeme in self.lexemes[index : index + lexemes]:
            if position is None:
                return False
            position = position.read(lexeme)
        return position is not None


def one_of(words: Sequence[str]) -> str:
    """``a``, ``a or b``, ``a, b or c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
