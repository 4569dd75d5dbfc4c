"""One canonical layout for a program's text; changes white space alone and knows no rules of the language.

Two spaces of indentation, an entry a line, a space where two words or operators meet, a trailing comment two spaces
behind. What the author decides is kept: blank lines, of several one, and whether a block stands on one line, as long
as it fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from grammar.outline import Block, Entry, Piece, outline_of, pieces_of
from grammar.parser import parse
from grammar.scan import COMMENTS, Lexeme, scan
from grammar.source import Source, Span
from grammar.spacing import Spacing, spacing_of

WIDTH = 100
"""Columns of a line; the programs the language is shown with keep to it."""

INDENT = 2

COMMENT_GAP = 2
"""Spaces between a line and the comment beside it."""


def format_text(source: Source) -> str:
    """A program in its canonical layout: the same lexemes and comments in the same order.

    Formatting the result again changes nothing, and its tree is the tree of the program.

    Raises:
        ProgramError: the text is not one the grammar takes.
    """
    tree = parse(source)
    lexemes = scan(source.text)
    last = lexemes[-1].span.end_line if lexemes else 1
    end = Lexeme("other", "", len(source.text), Span(last + 1, 1, last + 1, 1))
    pieces = pieces_of(lexemes, end)
    layout = _Layout(spacing_of(tree, [lexeme for lexeme in lexemes if lexeme.kind not in COMMENTS]))
    layout.entries(outline_of(pieces), 0)
    layout.above(pieces[-1], 0)
    return layout.text()


@dataclass
class _Line:
    indent: int
    code: str
    comment: str = ""


class _Layout:
    """Lines as they are written, from the first entry to the last."""

    def __init__(self, spacing: Spacing) -> None:
        self.spacing = spacing
        self.lines: list[_Line] = []

    def text(self) -> str:
        """The lines joined, the comments beside neighbouring ones under one another."""
        rows: list[str] = []
        for (beside, _), group in groupby(self.lines, key=lambda line: (bool(line.code and line.comment), line.indent)):
            neighbours = list(group)
            column = max(line.indent + len(line.code) for line in neighbours) if beside else 0
            for line in neighbours:
                code = " " * line.indent + line.code
                gap = " " * (column - len(code) + COMMENT_GAP) if beside else ""
                rows.append(f"{code}{gap}{line.comment}".rstrip())
        return "".join(f"{row}\n" for row in rows)

    # ------------------------------------------------------------------ entries

    def entries(self, entries: Sequence[Entry], indent: int) -> None:
        """Entries one below the other."""
        for index, entry in enumerate(entries):
            first = _first(entry)
            self.above(first, indent, keep_blank=index > 0)
            if first.after_blank and (index > 0 or first.above):
                self._blank()
            self.entry(entry, indent)

    def above(self, piece: Piece, indent: int, *, keep_blank: bool = True) -> None:
        """The comments before a piece, each on its line."""
        for index, comment in enumerate(piece.above):
            if comment.after_blank and (keep_blank or index > 0):
                self._blank()
            self._comment(comment.lexeme, indent)

    def entry(self, entry: Entry, indent: int) -> None:
        """One entry, on one line where it fits and nothing in it keeps it from that."""
        flat = self._flat(entry)
        if flat is not None and indent + len(flat) <= WIDTH:
            self.lines.append(_Line(indent, flat, _comments(_last(entry))))
            return
        run: list[Piece] = []
        for piece in entry:
            if isinstance(piece, Piece) and piece.text == "else" and (piece.above or _ends_line(run[-1])):
                self._run(run, indent)
                self.above(piece, indent, keep_blank=False)
                run = [piece]
            elif isinstance(piece, Piece):
                run.append(piece)
            elif not piece.entries and not piece.closing.above and not _ends_line(piece.opening):
                run += [piece.opening, piece.closing]
            else:
                self._run([*run, piece.opening], indent)
                self.entries(piece.entries, indent + INDENT)
                self.above(piece.closing, indent + INDENT, keep_blank=bool(piece.entries))
                run = [piece.closing]
        if run:
            self._run(run, indent)

    def _flat(self, entry: Entry) -> str | None:
        """The entry on one line; None with a block or a comment that keeps it from that."""
        if _first(entry).text == "fn" and any(isinstance(piece, Block) and piece.entries for piece in entry):
            return None
        pieces: list[Piece] = []
        for piece in _flattened(entry):
            # A row of more pieces than columns fits on no line, and what nests deep would be laid out once a level.
            if piece is None or len(pieces) == WIDTH:
                return None
            pieces.append(piece)
        if any(piece.above for piece in pieces[1:]) or any(_ends_line(piece) for piece in pieces[:-1]):
            return None
        parts: list[str] = []
        for index, piece in enumerate(pieces):
            if index:
                parts.append(self._between(pieces[index - 1], piece))
            parts.append(piece.text)
            if index < len(pieces) - 1:
                parts += [f" {comment.text}" for comment in piece.beside]
        flat = "".join(parts)
        return flat if "\n" not in flat else None

    def _between(self, left: Piece, right: Piece) -> str:
        return " " if left.beside else self.spacing.between(left.lexeme, right.lexeme)

    # ------------------------------------------------------------------ runs

    def _run(self, run: Sequence[Piece], indent: int) -> None:
        """Pieces without blocks, over as many lines as they need; those after the first a step further in."""
        levels = self.spacing.breaks([piece.lexeme for piece in run])
        start = 0
        for index, piece in enumerate(run):
            if index and piece.above:
                self._wrapped(run, start, index, levels, indent)
                start = index
                self.above(piece, indent + INDENT, keep_blank=False)
            elif index and _ends_line(run[index - 1]):
                self._wrapped(run, start, index, levels, indent)
                start = index
        self._wrapped(run, start, len(run), levels, indent)

    def _wrapped(self, run: Sequence[Piece], start: int, end: int, levels: Sequence[int | None], indent: int) -> None:
        """The pieces from one to another, broken where the line is full at the best place there is."""
        while start < end:
            inset = indent if start == 0 else indent + INDENT
            code = run[start].text
            best: int | None = None
            index = start + 1
            while index < end:
                left, piece = run[index - 1], run[index]
                inline = "".join(f" {comment.text}" for comment in left.beside)
                grown = code + inline + self._between(left, piece) + piece.text
                level = levels[index]
                if level is not None and (best is None or level <= (levels[best] or 0)):
                    best = index
                if inset + len(grown) > WIDTH and best is not None:
                    break
                code = grown
                index += 1
            stop = end if index == end else (best or end)
            self._write(run[start:stop], inset)
            start = stop

    def _write(self, pieces: Sequence[Piece], indent: int) -> None:
        parts = [pieces[0].text]
        for left, piece in pairwise(pieces):
            parts += [f" {comment.text}" for comment in left.beside]
            parts += [self._between(left, piece), piece.text]
        self.lines.append(_Line(indent, "".join(parts), _comments(pieces[-1])))

    # ------------------------------------------------------------------ lines

    def _blank(self) -> None:
        if self.lines and (self.lines[-1].code or self.lines[-1].comment):
            self.lines.append(_Line(0, ""))

    def _comment(self, lexeme: Lexeme, indent: int) -> None:
        self.lines.append(_Line(indent, "", lexeme.text.rstrip()))


def _first(entry: Entry) -> Piece:
    piece = entry[0]
    return piece if isinstance(piece, Piece) else piece.opening


def _last(entry: Entry) -> Piece:
    piece = entry[-1]
    return piece if isinstance(piece, Piece) else piece.closing


def _flattened(entry: Entry) -> Iterator[Piece | None]:
    """The pieces of an entry in their order; None at a block that does not stand on one line."""
    for piece in entry:
        if isinstance(piece, Piece):
            yield piece
            continue
        if piece.entries and not piece.on_one_line:
            yield None
        yield piece.opening
        for below in piece.entries:
            yield from _flattened(below)
        yield piece.closing


def _ends_line(piece: Piece) -> bool:
    """Whether nothing can follow a piece on its line, for a comment beside it goes to the line's end."""
    return any(comment.kind == "line_comment" or "\n" in comment.text for comment in piece.beside)


def _comments(piece: Piece) -> str:
    return " ".join(comment.text.rstrip() for comment in piece.beside)
