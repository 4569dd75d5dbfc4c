"""What is wrong with a text the grammar does not take, in the words of the text; builds no tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from grammar.declaration_slips import declaration, device_item, engine_item, pool_option, queue_item, workload_item
from grammar.diagnostics import Diagnostic, Note
from grammar.expression_slips import expression_slip
from grammar.misreadings import Edit, Finding, end_of_text, error, longer, missing_brace, stray
from grammar.names import WORDS, nearest
from grammar.reading import END, Position, first_position, terminals
from grammar.scan import COMMENTS, Lexeme, lexical_errors, scan
from grammar.schedule_slips import schedule_statement
from grammar.source import Source, Span
from grammar.statement_slips import binding, retired_clause, statement
from grammar.trouble import BRACKETS, SURVIVAL, SURVIVAL_OF_AN_END, Place, Trouble

MOST_TOLD = 20
"""How many errors are told at once (L13.5)."""

_MISSING = (";", ")", ");", "]", "}", "{", ",", "=")
"""Marks whose absence is told where they should have stood, the likeliest first."""

_ENDINGS = frozenset({";", ")", "]", "}"})
"""Marks that end something: their lack shows at once after it, not at what follows."""

_CONTINUES_BLOCK = frozenset({"else", "cache", "lease", ";"})
"""What may follow the block of a construct and still belong to it."""

_BY_PLACE: dict[Place, Callable[[Trouble], Finding | None]] = {
    "declaration": declaration,
    "pool": pool_option,
    "device": device_item,
    "engine": engine_item,
    "schedule": schedule_statement,
    "queue": queue_item,
    "workload": workload_item,
    "statement": statement,
    "binding": binding,
}
"""What knows the mistakes of a place (L13.6)."""


def syntax_errors(source: Source, start: str) -> tuple[Diagnostic, ...]:
    """Every error that can honestly be told of a text the parser refused, at most twenty (L13.5).

    Lexical errors come first and alone. After a syntax error the text is read on only where the change that makes
    it go on is plain: one word added, dropped or replaced, or a construct left out whole; an error that follows at
    the same place is the same error and ends the telling.
    """
    lexemes = scan(source.text)
    lexical = lexical_errors(lexemes)
    if lexical:
        return lexical[:MOST_TOLD]
    words = [lexeme for lexeme in lexemes if lexeme.kind not in COMMENTS]
    places: list[Position | None] = [first_position(start)]
    found: list[Diagnostic] = []
    told_to = -1
    while len(found) < MOST_TOLD:
        at = _read_on(words, places)
        if at == len(words) and (position := places[at]) is not None and position.take(END) is not None:
            break
        offset = words[at].offset if at < len(words) else len(source.text)
        if offset <= told_to:
            break
        told_to = offset
        trouble = Trouble(source.text, words, places, at)
        finding = _explain(trouble)
        if _is_empty(finding.diagnostic.span):
            break  # it is about a lexeme an edit made, which nobody wrote
        notes = tuple(note for note in finding.diagnostic.notes if not _is_empty(note.span))
        found.append(replace(finding.diagnostic, notes=notes))
        edit = finding.edit or _skip(trouble)
        if edit is None or at == len(words):
            break
        words = _edited(words, edit)
        del places[edit.index + 1 :]
    return tuple(sorted(found, key=lambda d: (d.span.line, d.span.column) if d.span else (0, 0)))


def _is_empty(span: Span | None) -> bool:
    return span is not None and (span.line, span.column) == (span.end_line, span.end_column)


def _read_on(words: list[Lexeme], places: list[Position | None]) -> int:
    """Read lexemes from the last place on; the index of the first that may not stand where it does."""
    while len(places) <= len(words):
        position = places[-1]
        following = position.read(words[len(places) - 1]) if position is not None else None
        if following is None:
            break
        places.append(following)
    return len(places) - 1


def _edited(words: list[Lexeme], edit: Edit) -> list[Lexeme]:
    """The lexemes with an edit's made ones among them, which take up no room in the text."""
    removed = words[edit.index : edit.index + edit.remove]
    if removed:
        offset, span = removed[0].offset, removed[0].span
    elif edit.index < len(words):
        offset, span = words[edit.index].offset, words[edit.index].span
    else:
        offset, span = words[-1].end, words[-1].span
    span = Span(span.line, span.column, span.line, span.column)
    made = [Lexeme("word" if text.isalpha() else "mark", text, offset, span) for text in edit.insert]
    return [*words[: edit.index], *made, *words[edit.index + edit.remove :]]


def _explain(t: Trouble) -> Finding:
    """The first explanation that fits, from the particular to the general."""
    found = end_of_text(t) or stray(t) or missing_brace(t)
    if found is None and t.place is not None and t.start < len(t.lexemes):
        found = _BY_PLACE[t.place](t) if t.place in _BY_PLACE else None
    return (
        found
        or retired_clause(t)
        or _else(t)
        or expression_slip(t)
        or _nearest_word(t)
        or _parentheses(t)
        or _missing_mark(t)
        or _wrong_mark(t)
        or _otherwise(t)
    )


def _else(t: Trouble) -> Finding | None:
    """``else branch``: an ``else`` is followed by a block (L2.5)."""
    if t.word_at(t.at - 1) != "else" or t.word not in {"branch", "if"}:
        return None
    message = f"expected `{{` after `else`, read {t.found}"
    return Finding(error("E105", message, t.span, "write `else { branch (…) { … } }`"))


def _in_construct(t: Trouble) -> str:
    return f" in {t.construct}" if t.construct else ""


def _parentheses(t: Trouble) -> Finding | None:
    """An expression without the parentheses it stands in here: the longest with which the text reads on."""
    opened = t.here.take("LPAR")
    if opened is None or t.at_end or t.after_operand:
        return None
    position: Position | None = opened
    end = None
    index = t.at
    while position is not None and index < len(t.lexemes) and t.word_at(index) not in {";", "{", "}"}:
        position = position.read(t.lexemes[index])
        index += 1
        if position is not None and t.survives(position.take("RPAR"), index):
            end = index
    if end is None:
        return None
    message = f"expected `(`{_in_construct(t)}, read {t.found}"
    return Finding(error("E105", message, t.span, f"write `({t.between(t.at, end - 1)})`"))


def _missing_mark(t: Trouble) -> Finding | None:
    """A mark with which the text reads on is missing after the lexeme before (E105)."""
    if t.at_end:
        return None
    for mark in _MISSING:
        after: Position | None = t.here
        for sign in mark:
            after = after.take(terminals()[sign]) if after is not None else None
        lexemes = SURVIVAL_OF_AN_END if mark[-1] in _ENDINGS else SURVIVAL
        if after is None or not t.survives(after, t.at, lexemes):
            continue
        if mark in {"{", "}"} and not _braces_lack(t, mark):
            continue
        if t.word in WORDS and after.terminal(t.lexemes[t.at]) == "NAME":
            continue
        message = f"expected `{mark}`{_in_construct(t)}, read {t.found}"
        span = t.after_previous if mark[-1] in _ENDINGS else t.span
        return Finding(error("E105", message, span, f"write `{mark}` after `{t.word_at(t.at - 1)}`"), Edit(t.at, 0, tuple(mark)))
    return None


def _wrong_mark(t: Trouble) -> Finding | None:
    """A mark in another's place, or one too many: with the change the text reads on (E105)."""
    last = t.at + 1 >= len(t.lexemes)  # nothing follows that could read on
    if last or t.lexemes[t.at].kind != "mark" or t.word in BRACKETS or t.word in BRACKETS.values():
        return None
    message = f"expected {t.expected()}{_in_construct(t)}, read {t.found}"
    for mark in (":", "=", ",", ";"):
        if mark != t.word and t.survives(t.here.take(terminals()[mark]), t.at + 1):
            return Finding(error("E105", message, t.span, f"write `{mark}`"), Edit(t.at, 1, (mark,)))
    if t.survives(t.here, t.at + 1):
        return Finding(error("E105", message, t.span, "drop it"), Edit(t.at, 1))
    return None


def _braces_lack(t: Trouble, mark: str) -> bool:
    """Whether the text has fewer of one brace than of the other."""
    texts = [lexeme.text for lexeme in t.lexemes]
    other = "}" if mark == "{" else "{"
    return texts.count(mark) < texts.count(other)


def _nearest_word(t: Trouble) -> Finding | None:
    """A keyword misspelt in the middle of a construct."""
    if not t.is_word(t.at):
        return None
    near = longer(t.word, t.keywords(t.at)) if t.word in WORDS else nearest(t.word, t.keywords(t.at))
    if near is None:
        return None
    message = f"expected {t.expected()}{_in_construct(t)}, read {t.found}"
    return Finding(error("E105", message, t.span, f"did you mean `{near}`?"), Edit(t.at, 1, (near,)))


def _otherwise(t: Trouble) -> Finding:
    """What was read and what was expected, no more."""
    notes: tuple[Note, ...] = ()
    if t.at_end and t.open:
        opened = t.open[-1]
        notes = (Note(f"`{t.word_at(opened)}` opens here", t.lexemes[opened].span),)
    return Finding(error("E105", f"expected {t.expected()}{_in_construct(t)}, read {t.found}", t.span, None, notes))


def _skip(t: Trouble) -> Edit | None:
    """Leave out the construct being read, where its end is plain; None where brackets do not match."""
    if t.place is None:
        return None
    stack: list[str] = []
    index = t.start
    while index < len(t.lexemes):
        word = t.word_at(index)
        if word in BRACKETS:
            if word == "{" and stack and stack[-1] != "}":
                return None
            stack.append(BRACKETS[word])
        elif word in BRACKETS.values():
            if not stack:
                return Edit(t.start, index - t.start) if word == "}" and index > t.at else None
            if stack.pop() != word:
                return None
            if word == "}" and not stack and t.word_at(index + 1) not in _CONTINUES_BLOCK and index >= t.at:
                return Edit(t.start, index + 1 - t.start)
        elif word == ";" and "}" not in stack and index >= t.at:
            return Edit(t.start, index + 1 - t.start)
        index += 1
    return None
