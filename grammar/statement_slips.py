"""Mistakes in statements and in older forms of them (L13.6); each function knows one and answers None to any other."""

from __future__ import annotations

from grammar.homes import HOMES, RETIRED_FORMS, STATEMENT_FORMS
from grammar.misreadings import Edit, Finding, called_block, error, unknown_first
from grammar.trouble import Trouble


def statement(t: Trouble) -> Finding | None:
    """Mistakes at the start of a statement (E413, E416, E1005) and unknown ones (E105)."""
    if (mixed := _expression_in_statements(t) or _ended_expression(t)) is not None:
        return mixed
    if (main := _def_main(t)) is not None:
        return main
    first = t.word_at(t.start)
    span = t.lexemes[t.start].span
    if first == "while" and t.at == t.start + 1 and t.word in {"true", "True", "1"}:
        message = f"expected `(` in `while`, read {t.found}"
        return Finding(error("E105", message, t.span, "what has no end is `loop { … }`"), Edit(t.start, 2, ("loop",)))
    if first == "at" and t.word_at(t.start + 1) == "admission" and t.at == t.start + 2:
        help_ = "write `at admission { NAME = …; }`; the form with parentheses belongs to a `hold`"
        end = t.closing(t.at)
        edit = Edit(t.at, 1, ("{",)) if end is None else Edit(t.start, end + 1 - t.start)
        return Finding(error("E105", f"`at admission` of a request is a block, read {t.found}", span, help_), edit)
    if first == "cache" and t.word == ")" and t.at == t.start + 2:
        message = "expected an expression in `cache ()`, read `)`: what the request leaves cached"
        return Finding(error("E105", message, span, "write `cache (0);` to leave nothing"))
    if first == "Cost" and t.word == "}" and t.word_at(t.at - 1) == "{":
        span = t.lexemes[t.at - 1].span.to(t.span)
        return Finding(error("E1131", f"{t.construct} names no resource", span, "write `{ RESOURCE: e, … }`"))
    if not (t.at <= t.start + 1 or called_block(t)) or not t.is_word(t.start) or first in t.keywords(t.start):
        return None
    if first == "at":
        help_ = "write it in the `request` itself; a `hold` has `at admission (NAME = …)` before its body"
        return Finding(error("E1005", "`at admission` is an item of an engine's request, not of a block", span, help_))
    if first in RETIRED_FORMS:
        return Finding(error("E416", f"`{first}` is a word of an older form", span, _retired_statement(t)))
    if t.word == "=":
        end = next((i for i in range(t.at, len(t.lexemes)) if t.word_at(i) == ";"), t.at)
        help_ = f"write `set {t.between(t.start, end)}`"
        return Finding(error("E105", f"expected a statement, read `{first} =`", span, help_), Edit(t.start, 0, ("set",)))
    if t.word in {"+", "-", "*", "/"} and t.word_at(t.at + 1) == "=":
        message = f"expected a statement, read `{first} {t.word}=`"
        edit = Edit(t.start, 3, ("set", first, "=", first, t.word))
        return Finding(error("E105", message, span, f"write `set {first} = {first} {t.word} …;`"), edit)
    message = f"`{first}` begins no statement"
    if first in STATEMENT_FORMS:
        return Finding(error("E105", message, span, STATEMENT_FORMS[first]))
    if first in HOMES:
        return Finding(error("E105", message, span, f"it stands {HOMES[first]}"))
    if any(t.word_at(i) in {"def", "engine"} and t.word_at(i + 1) == first for i in range(t.at)):
        return Finding(
            error("E105", f"`{first}` is called with parentheses, read {t.found}", t.after_previous, f"write `{first} (…);`")
        )
    return Finding(*unknown_first(t, "E105", message))


def binding(t: Trouble) -> Finding | None:
    """``set x = e;`` or ``let x = e;`` among the bindings of ``at admission``."""
    if t.at != t.start + 1 or t.word_at(t.start) not in {"set", "let"} or not t.is_word(t.at):
        return None
    message = f"expected a binding, read `{t.word_at(t.start)}`"
    help_ = f"`at admission` binds by the name alone: write `{t.word} = …;`"
    return Finding(error("E105", message, t.lexemes[t.start].span, help_), Edit(t.start, 1))


def _expression_in_statements(t: Trouble) -> Finding | None:
    """A statement definition that ends with an expression (E413)."""
    brace = t.block
    if brace is None or t.word_at(t.start_before(brace)) != "def" or t.start < brace:
        return None
    end = t.closing(brace)
    if end is None or t.start == brace + 1 or any(t.word_at(i) == ";" for i in range(t.start, end)):
        return None
    name = t.start_before(brace) + 1
    expression = t.between(t.start, end - 1)
    message = f"{t.shown(name)} is either one expression or statements; its statements end with the expression `{expression}`"
    help_ = "keep the value with `set NAME = …;`, or make the definition one expression"
    return Finding(error("E413", message, t.lexemes[name].span, help_), Edit(t.start, end - t.start))


def _def_main(t: Trouble) -> Finding | None:
    """``def main() {`` with declarations in it: the entry point is a ``fn``."""
    if t.block is None or t.at > t.start + 1 or t.word_at(t.start) not in HOMES:
        return None
    head = t.start_before(t.block)
    if t.word_at(head) != "def" or t.word_at(head + 1) != "main":
        return None
    message = "`main` is the program's entry point, and read as a definition here"
    return Finding(error("E203", message, t.lexemes[head].span, "write `fn main() {`"), Edit(head, 1, ("fn",)))


def _ended_expression(t: Trouble) -> Finding | None:
    """An expression definition whose expression ends with ``;`` (L2.16)."""
    if t.word != ";" or t.block is None or t.start != t.block + 1 or t.word_at(t.start_before(t.block)) != "def":
        return None
    if "RBRACE" not in t.accepted:
        return None
    message = f"expected `}}` in {t.head(t.start_before(t.block))}, read `;`"
    return Finding(error("E105", message, t.span, "a definition of one expression takes no `;`"), Edit(t.at, 1))


def _retired_statement(t: Trouble) -> str:
    first, rest = t.word_at(t.start), t.start + 1
    if first == "request":
        return "write `turn;` in the session; what happens to a request is the `server`'s"
    if first == "enter":
        pool, units = t.word_at(rest), t.group(t.start + 2)
        if not units:
            return "write `hold POOL (cost(POOL, units)) { … }`"
        amount = units if units.startswith("cost") else f"cost({pool}, {units})"
        return f"write `hold {pool} ({amount}) {{ … }}`"
    return _retired_clause(first, t.group(rest))


def _retired_clause(word: str, content: str | None) -> str:
    if word == "fit":
        return "drop it: the pools of the `hold` are the condition"
    return f"write `{RETIRED_FORMS[word]} ({content or '…'})`"


def retired_clause(t: Trouble) -> Finding | None:
    """A clause of an older form after a hold or an ``admit`` (E416)."""
    if t.word in {"fit", "fits", "keep", "where"}:
        help_ = _retired_clause(t.word, t.group(t.at + 1))
        return Finding(error("E416", f"{t.found} is a word of an older form", t.span, help_))
    if t.word == "if" and t.word_at(t.start) == "admit":
        help_ = f"write `while ({t.group(t.at + 1) or '…'})`"
        return Finding(error("E416", "`if` is a word of an older form of `admit`", t.span, help_))
    return None
