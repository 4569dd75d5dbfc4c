"""Every sign the screen is drawn with in ASCII, cell for cell; draws nothing."""

from __future__ import annotations

import unicodedata

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

#: What stands for a sign that has no likeness of its own here.
OTHER = "?"

#: Like for like: what says something keeps saying it, in one cell.
_LIKE = {
    "─━═╌╍┄┅┈┉‾": "-",
    "│┃║╎╏┆┇┊┋▏▎▌▐▕": "|",
    "┌┍┎┏┐┑┒┓└┕┖┗┘┙┚┛├┝┞┟┠┡┢┣┤┥┦┧┨┩┪┫┬┭┮┯┰┱┲┳┴┵┶┷┸┹┺┻┼┽┾┿╀╁╂╃╄╅╆╇╈╉╊╋╭╮╯╰╔╗╚╝╠╣╦╩╬": "+",
    "█": "#",
    "▓": "=",
    "▒": "%",
    "░": ".",
    "▁": "_",
    "▂▃": "-",
    "▄▅": "=",
    "▆▇": "#",
    "▶▸▷⟹→": ">",
    "←◀": "<",
    "↑▲": "^",
    "↓▼": "v",
    "■●": "*",
    "○": "o",
    "✗×": "X",
    "✓": "/",
    "·…": ".",
    "≠": "!",
    "–—−": "-",
    "’\N{LEFT SINGLE QUOTATION MARK}": "'",
    "“”": '"',
    "∞": "8",
    "µ": "u",
    "Δ": "D",
    "±": "~",
    "²": "2",
    "∧": "&",
    "\N{NO-BREAK SPACE}": " ",
}

TABLE = {ord(sign): like for signs, like in _LIKE.items() for sign in signs}


def in_ascii(text: str) -> str:
    """A text in ASCII, as wide as it was."""
    if text.isascii():
        return text
    text = text.translate(TABLE)
    if text.isascii():
        return text
    return "".join(sign if sign.isascii() else _plain(sign) for sign in text)


def _plain(sign: str) -> str:
    """A letter without its accent, a braille sign as dots, anything else as a question mark, each as wide as it was."""
    bare = unicodedata.normalize("NFKD", sign)[:1]
    if bare.isascii() and bare.isprintable() and bare:
        return bare + " " * (cell_len(sign) - 1)
    like = "*" if "BRAILLE" in unicodedata.name(sign, "") else OTHER
    return like * cell_len(sign)


class AsciiFilter(LineFilter):
    """Has everything the app draws drawn in ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """A line in ASCII."""
        return [
            segment if segment.text.isascii() else Segment(in_ascii(segment.text), segment.style, segment.control)
            for segment in segments
        ]
