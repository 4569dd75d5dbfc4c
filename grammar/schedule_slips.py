"""Mistakes made in the statements of a schedule (E903, E915, E916, E1030); knows no other place."""

from __future__ import annotations

from grammar.diagnostics import Note
from grammar.homes import HOMES, SCHEDULE_FORMS
from grammar.misreadings import Edit, Finding, error
from grammar.names import nearest
from grammar.statement_slips import retired_clause
from grammar.trouble import BRACKETS, Trouble

_STATEMENTS = {"advance": "running", "admit": "waiting", "exclusive": "prefill"}
_CLAUSES = {
    "advance": ("only", "order", "each at most"),
    "admit": ("only", "while", "each at most", "taking"),
    "exclusive": ("each at most",),
}
"""The clauses of a statement in their order (L2.17)."""

_CLAUSE_WORDS = {
    "only": "only",
    "admission": "order",
    "decode": "order",
    "by": "order",
    "while": "while",
    "each": "each at most",
    "taking": "taking",
}


_ORDER_FORMS = {
    "decode_first": "did you mean `decode first`?",
    "prefill": "prefills before decodes is `by (decoding)`",
    "prefill_first": "prefills before decodes is `by (decoding)`",
    "fifo": "requests stand in the order of their admission: drop it, or write `admission`",
    "fcfs": "requests stand in the order of their admission: drop it, or write `admission`",
    "lifo": "the last admitted first is `by (-admission)`",
    "at": "did you mean `each at most`?",
}
"""What an order of ``advance running`` is called here, for a word of other places (E105)."""


def schedule_statement(t: Trouble) -> Finding | None:
    """A mistake in a schedule's statement, by how far it was read."""
    first = t.word_at(t.start)
    if t.at == t.start:
        return _unknown(t)
    if first not in _STATEMENTS:
        return None
    if t.at == t.start + 1:
        return _other_list(t, first)
    if (retired := retired_clause(t)) is not None:
        return retired
    if t.word in _CLAUSE_WORDS and "SEMICOLON" in t.accepted:
        return _clause(t, first)
    if "taking" in {t.word_at(i) for i in range(t.start, t.at)}:
        return _taking(t, first)
    if (t.word == "," or t.is_word(t.at)) and "SEMICOLON" in t.accepted and not t.survives(t.here.take("SEMICOLON"), t.at):
        return _no_clause(t, first)
    return None


def _no_clause(t: Trouble, first: str) -> Finding:
    """Something that is no clause where one could stand (E105)."""
    message = f"expected `;` or a clause of {t.head(t.start)}, read {t.found}"
    if t.word == "," and t.word_at(t.at + 1) in _STATEMENTS:
        return Finding(error("E105", message, t.span, "statements end with `;`"), Edit(t.at, 1, (";",)))
    if t.word == ",":
        return Finding(error("E105", message, t.span, "clauses follow one another without a comma"), Edit(t.at, 1))
    if t.word in _ORDER_FORMS and first == "advance":
        return Finding(error("E105", message, t.span, _ORDER_FORMS[t.word]))
    near = nearest(t.word, [word for word, clause in _CLAUSE_WORDS.items() if clause in _CLAUSES[first]])
    if near:
        return Finding(error("E105", message, t.span, f"did you mean `{near}`?"), Edit(t.at, 1, (near,)))
    return Finding(error("E105", message, t.span, f"its clauses are {_clause_list(first)}"))


def _clause_list(first: str) -> str:
    return ", ".join(f"`{clause}`" if clause != "order" else "`decode first` or `by`" for clause in _CLAUSES[first])


def _unknown(t: Trouble) -> Finding | None:
    """Anything but the five statements (E916)."""
    if not t.is_word(t.at):
        return None
    known = ["advance", "admit", "exclusive", "branch", "set", "let"]
    near = nearest(t.word, known)
    edit = None
    if t.word in SCHEDULE_FORMS:
        help_ = SCHEDULE_FORMS[t.word]
        edit = Edit(t.at, 1, ("branch",)) if t.word == "if" and t.word_at(t.at + 1) == "(" else None
    elif near is not None:
        help_ = f"did you mean `{near}`?"
        edit = Edit(t.at, 1, (near,))
    elif t.word in HOMES:
        help_ = f"`{t.word}` stands {HOMES[t.word]}"
    else:
        help_ = "its statements are `advance running`, `admit waiting`, `exclusive prefill`, `branch` and `set`"
    return Finding(error("E916", f"{t.found} is no statement of a schedule", t.span, help_), edit)


def _other_list(t: Trouble, first: str) -> Finding | None:
    """``advance`` without ``running``, ``admit`` without ``waiting`` (E903)."""
    if first == "exclusive":
        return None
    full = f"{first} {_STATEMENTS[first]}"
    message = f"`{first}` takes `{_STATEMENTS[first]}`, read {t.found}"
    edit = Edit(t.at, 1 if t.is_word(t.at) else 0, (_STATEMENTS[first],))
    return Finding(error("E903", message, t.span, f"write `{full}`"), edit)


def _clause(t: Trouble, first: str) -> Finding:
    """A clause after a later one, or once more (E915), or of the other statement (E105)."""
    statement = f"{first} {_STATEMENTS[first]}"
    order = _CLAUSES[first]
    kind = _CLAUSE_WORDS[t.word]
    if kind not in order:
        message = f"`{statement}` has no `{t.word}`"
        return Finding(error("E105", message, t.span, f"its clauses are {_clause_list(first)}"))
    clauses = _clauses_written(t)
    if [name for name, _ in clauses].count(kind) > 1:
        return Finding(error("E915", f"`{statement}` has `{t.word}` twice", t.span, "join the two into one"))
    later = next(text for name, text in clauses if order.index(name) > order.index(kind))
    clauses.sort(key=lambda clause: order.index(clause[0]) if clause[0] in order else len(order))
    rewritten = " ".join([statement, *(written for _, written in clauses)])
    return Finding(error("E915", f"`{t.word}` belongs before `{later}` in `{statement}`", t.span, f"write `{rewritten};`"))


def _clauses_written(t: Trouble) -> list[tuple[str, str]]:
    """The clauses of the statement being read, each with its text, in the order written."""
    heads: list[int] = []
    depth = 0
    index = t.start + 2
    while index < len(t.lexemes) and t.word_at(index) not in {";", "}"}:
        word = t.word_at(index)
        depth += (word in BRACKETS) - (word in BRACKETS.values())
        if depth == 0 and word in _CLAUSE_WORDS:
            heads.append(index)
        index += 1
    ends = [*heads[1:], index]
    return [(_CLAUSE_WORDS[t.word_at(head)], t.between(head, end - 1)) for head, end in zip(heads, ends, strict=True)]


def _taking(t: Trouble, first: str) -> Finding | None:
    """``taking`` of no pool (E1030), or not a list of pools with their units (E105)."""
    clause = next(i for i in range(t.at - 1, t.start, -1) if t.word_at(i) == "taking")
    if first != "admit" or any(t.word_at(i) in {"(", "["} for i in t.open if i > clause):
        return None
    help_ = "write `taking POOL (units), … reuse (units)`, as in `taking reqs (1), kv (n) reserve (m)`"
    if t.at == clause + 1 and not t.is_word(t.at):
        return Finding(error("E1030", f"`taking` names the pools the admission takes, read {t.found}", t.span, help_))
    note = Note(f"read {t.found} after `{t.word_at(t.at - 1)}`", t.span)
    message = "each pool of `taking` has its units in parentheses, and `reuse` comes after the pools"
    return Finding(error("E105", message, t.lexemes[clause].span, help_, (note,)))
