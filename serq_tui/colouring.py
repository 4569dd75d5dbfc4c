"""The words of a program text by kind, for its colours; knows no grammar beyond how words look."""

from __future__ import annotations

import re

from serq_tui.pieces import Line, Piece, Role

#: Words that open or join clauses. A word missing here is only less colourful.
_KEYWORDS = frozenset(
    """
    admission admit advance also arrive at batch block branch by cache cap capacity closed decode def delay device
    each else end engine evict exclusive execute fifo first fn gauge given granule growing held hidden hold if in init
    let lifo loop lru mark most none observe on only poisson pool preempt prefill queue release renewal request
    reserve reuse run running schedule server session set shared stage state taking tokens tool trace turn use
    waiting while with workload
    """.split()
)

_WORDS = re.compile(
    r"""
    (?P<comment>//.*|/\*.*?(?:\*/|$))
  | (?P<string>"[^"]*"?)
  | (?P<number>\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\b|\binf\b)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<space>\s+)
  | (?P<sign>.)
    """,
    re.VERBOSE,
)


def coloured(lines: tuple[str, ...]) -> tuple[Line, ...]:
    """Each line in pieces; a block comment runs on over its lines."""
    inside = False
    done: list[Line] = []
    for line in lines:
        if inside:
            end = line.find("*/")
            if end < 0:
                done.append((Piece(line, "comment"),))
                continue
            done.append((Piece(line[: end + 2], "comment"), *_line(line[end + 2 :])))
            inside = False
            continue
        pieces = _line(line)
        done.append(pieces)
        last = pieces[-1] if pieces else Piece("")
        inside = last.role == "comment" and last.text.startswith("/*") and not last.text.endswith("*/")
    return tuple(done)


def _line(line: str) -> Line:
    pieces: list[Piece] = []
    for match in _WORDS.finditer(line):
        text, role = match.group(), _role(match)
        if pieces and pieces[-1].role == role:
            text = pieces.pop().text + text
        pieces.append(Piece(text, role))
    return tuple(pieces)


def _role(match: re.Match[str]) -> Role:
    if match.lastgroup == "comment":
        return "comment"
    if match.lastgroup == "string":
        return "string"
    if match.lastgroup == "number":
        return "number"
    if match.lastgroup == "word":
        return "keyword" if match.group() in _KEYWORDS else "name"
    return "plain"
