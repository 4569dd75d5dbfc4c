"""Mistakes made inside an expression (E105): what other languages write, and what binds otherwise here."""

from __future__ import annotations

import re

from grammar.homes import OPERATOR_FORMS, TIMES, UNITS
from grammar.misreadings import Edit, Finding, error
from grammar.scan import number_value
from grammar.trouble import BRACKETS, Trouble

_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_LOOSER = frozenset({"&&", "||", "?", ":", "=", ",", ";"})
"""What ends an operand of a comparison on its left."""


_COMMENTED_OUT = re.compile(r"[ \t]*//[ \t]*([\w.(][^\n]*[;)])[ \t]*$", re.MULTILINE)
_THOUSANDS = re.compile(r"\d{1,3},\d{3}")
_HEXADECIMAL = re.compile(r"x[0-9a-fA-F]+")
_TWO_WORDS = re.compile(r"[^\W\d]\w*\s+[^\W\d]")
"""A comment that reads like the rest of an expression, and one that reads like a remark."""


def expression_slip(t: Trouble) -> Finding | None:
    """What is wrong with the expression being read, None when nothing known is."""
    if t.at_end:
        return None
    for slip in (_assignment, _chain, _drawn_base, _spelt_operator, _thousands, _twice, _commented, _juxtaposed, _string):
        found = slip(t)
        if found is not None:
            return found
    return None


def _says(t: Trouble, help_: str, edit: Edit | None = None) -> Finding:
    construct = f" in {t.construct}" if t.construct else ""
    return Finding(error("E105", f"expected {t.expected()}{construct}, read {t.found}", t.span, help_), edit)


def _assignment(t: Trouble) -> Finding | None:
    """``=`` where a test is read."""
    if t.word == "=" and t.after_operand:
        return _says(t, "a test for equality is `==`", Edit(t.at, 1, ("==",)))
    if t.word == "==" and "EQUAL" in t.accepted:
        return _says(t, "a value is given with one `=`", Edit(t.at, 1, ("=",)))
    return None


def _chain(t: Trouble) -> Finding | None:
    """``a < b < c``: there is one comparison at most (L2.2)."""
    if t.word not in _COMPARISONS or not t.after_operand or "CMP" in t.accepted:
        return None
    first = t.at
    depth = 0
    compared = None
    while first > (0 if t.place is None else t.start + 1):
        word = t.word_at(first - 1)
        depth += (word in BRACKETS.values()) - (word in BRACKETS)
        if depth < 0 or (depth == 0 and word in _LOOSER):
            break
        if depth == 0 and word in _COMPARISONS:
            compared = first - 1
        first -= 1
    if compared is None or compared == first:
        return None
    help_ = f"compare twice: `{t.between(first, t.at - 1)} && {t.between(compared + 1, t.at - 1)} {t.word} …`"
    return _says(t, help_, Edit(t.at, 1, ("&&",)))


def _drawn_base(t: Trouble) -> Finding | None:
    """``~exp(1) ^ 2``: a draw is no base of a power (L2.2)."""
    if t.word == "^" and t.after_operand and "CIRCUMFLEX" not in t.accepted:
        return _says(t, "a draw is raised in parentheses: `(~…) ^ …`", Edit(t.at, 1, ("*",)))
    return None


def _spelt_operator(t: Trouble) -> Finding | None:
    """``and`` for ``&&`` and its like."""
    if t.word in OPERATOR_FORMS and t.after_operand:
        sign = OPERATOR_FORMS[t.word]
        return _says(t, f"write `{sign}`", Edit(t.at, 1, (sign,)) if sign != "!" else None)
    if t.word == "if" and t.after_operand and t.word_at(t.start) != "admit":
        return _says(t, "a choice is `test ? then : otherwise`")
    if t.word_at(t.at - 1) == "not" and t.after_operand and t.lexemes[t.at].kind != "mark":
        return _says(t, "the negation of a test is `!`", Edit(t.at - 1, 1, ("!",)))
    return None


def _thousands(t: Trouble) -> Finding | None:
    """``1,000`` for ``1_000``."""
    written = f"{t.word_at(t.at - 1)}{t.word}{t.word_at(t.at + 1)}"
    if t.word != "," or not _THOUSANDS.fullmatch(written) or not t.after_operand:
        return None
    return _says(t, f"write `{written.replace(',', '_')}`", Edit(t.at, 2))


def _twice(t: Trouble) -> Finding | None:
    """``**`` for ``^``."""
    if t.word == "*" and t.word_at(t.at - 1) == "*":
        return _says(t, "a power is `x ^ y`", Edit(t.at - 1, 2, ("^",)))
    return None


def _commented(t: Trouble) -> Finding | None:
    """``a // b``: a division of other languages, and a comment here (L1.8)."""
    comment = _COMMENTED_OUT.match(t.text, t.lexemes[t.at - 1].end) if t.at and t.after_operand else None
    if comment is None or _TWO_WORDS.search(comment[1]):
        return None
    message = f"expected {t.expected()}, read {t.found}"
    help_ = "`//` begins a comment, which took the rest of the line; a whole quotient is `floor(a / b)`"
    return Finding(error("E105", message, t.after_previous, help_))


def _juxtaposed(t: Trouble) -> Finding | None:
    """``2n`` for ``2 * n``."""
    if not t.is_word(t.at) or not t.after_operand or t.lexemes[t.at - 1].kind != "number":
        return None
    if t.lexemes[t.at - 1].end != t.lexemes[t.at].offset:
        return None
    numeral = t.word_at(t.at - 1)
    if numeral == "0" and _HEXADECIMAL.fullmatch(t.word):
        return _says(t, f"numbers are decimal: write `{int(numeral + t.word, 16)}`", Edit(t.at, 1))
    if t.word in {"e", "E"}:
        return _says(t, f"an exponent has digits, as in `{numeral}e3`", Edit(t.at, 1))
    value = number_value(numeral)
    declared = any(t.word_at(i) == "let" and t.word_at(i + 1) == t.word for i in range(len(t.lexemes)))
    if t.word in UNITS and value is not None and not declared:
        counted = "with times in seconds write" if t.word in TIMES else "write"
        return _says(t, f"a number has no unit: {counted} `{_plain(value * UNITS[t.word])}`", Edit(t.at, 1))
    return _says(t, f"write `{numeral} * {t.word}`", Edit(t.at, 0, ("*",)))


def _plain(value: float) -> str:
    """A number as one would write it: digits where they are few, else a power of ten."""
    digits = f"{value:.12g}"
    power = f"{value:e}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    mantissa, _, exponent = power.partition("e")
    return digits if len(digits) <= 9 else f"{float(mantissa):g}e{exponent}"


def _string(t: Trouble) -> Finding | None:
    """A string where a value is read (L2.15)."""
    if t.lexemes[t.at].kind != "string" or "NUMBER" not in t.accepted:
        return None
    return _says(t, "a string stands after `use`, after `trace` and first in `args.number`", Edit(t.at, 1, ("inf",)))
