"""The lexemes of a program as nested blocks of entries, with its comments where they stood; lays nothing out.

An entry is what ends with ``;`` or with the ``}`` of its last block: a declaration, an option, a statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from grammar.scan import COMMENTS, Lexeme

_HOLD_GOES_ON = frozenset({"cache", "lease", ";"})


@dataclass(frozen=True)
class Comment:
    """A comment before a lexeme, on lines of its own."""

    lexeme: Lexeme
    after_blank: bool


@dataclass
class Piece:
    """A lexeme with what stands around it.

    Attributes:
        lexeme: the lexeme; at the end of the text an empty one.
        above: the comments before it on lines of their own.
        after_blank: whether a line is left blank right before it.
        beside: the comments after it on its line.
    """

    lexeme: Lexeme
    above: list[Comment] = field(default_factory=list)
    after_blank: bool = False
    beside: list[Lexeme] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The lexeme's text."""
        return self.lexeme.text


@dataclass
class Block:
    """Braces with entries in them; ``on_one_line`` as it was written."""

    opening: Piece
    entries: list[list[Piece | Block]]
    closing: Piece

    @property
    def on_one_line(self) -> bool:
        """Whether the braces stood on one line."""
        return self.opening.lexeme.span.line == self.closing.lexeme.span.line


Entry = list[Piece | Block]


def pieces_of(lexemes: Sequence[Lexeme], end: Lexeme) -> list[Piece]:
    """The lexemes with their comments; the last piece is the end of the text, after which nothing stands."""
    pieces: list[Piece] = []
    above: list[Comment] = []
    line = 0
    for lexeme in [*lexemes, end]:
        after_blank = lexeme.span.line > line + 1 and line > 0
        if lexeme.kind not in COMMENTS:
            pieces.append(Piece(lexeme, above, after_blank))
            above = []
        elif pieces and not above and lexeme.span.line == line:
            pieces[-1].beside.append(lexeme)
        else:
            above.append(Comment(lexeme, after_blank))
        line = lexeme.span.end_line
    return pieces


def outline_of(pieces: Sequence[Piece]) -> list[Entry]:
    """The entries of a text, without its end.

    The text is a program, so braces match. It is read without recursion into a stack of open blocks: what nests is
    the text's to decide.
    """
    entries: list[Entry] = [[]]
    open_blocks: list[tuple[Piece, list[Entry]]] = []
    record = 0
    for index, piece in enumerate(pieces[:-1]):
        following = pieces[index + 1].text
        if piece.text == "{" and (record or _opens_record(entries[-1])):
            record += 1
            entries[-1].append(piece)
        elif piece.text == "}" and record:
            record -= 1
            entries[-1].append(piece)
        elif piece.text == "{":
            open_blocks.append((piece, entries))
            entries = [[]]
        elif piece.text == "}":
            opening, outer = open_blocks.pop()
            outer[-1].append(Block(opening, [entry for entry in entries if entry], piece))
            entries = outer
            if not _goes_on(entries[-1], following):
                entries.append([])
        else:
            entries[-1].append(piece)
            if piece.text == ";":
                entries.append([])
    return [entry for entry in entries if entry]


def _opens_record(entry: Entry) -> bool:
    """Whether the next brace of an entry is that of ``Cost x = { … }``, whose fields are no entries."""
    return bool(entry) and isinstance(entry[-1], Piece) and entry[-1].text == "="


def _goes_on(entry: Entry, following: str) -> bool:
    """Whether what follows a block still belongs to its entry (L2.3, L2.4)."""
    first = entry[0]
    is_hold = isinstance(first, Piece) and first.text == "hold"
    return following == "else" or (is_hold and following in _HOLD_GOES_ON)
