"""What is said of a mistake and how to read on after it, and the mistakes made with braces; knows no place."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grammar.diagnostics import Diagnostic, Note
from grammar.homes import HOMES
from grammar.names import SHORT_NAME, nearest
from grammar.source import Span
from grammar.trouble import PLACE_WORDS, Trouble


@dataclass(frozen=True)
class Edit:
    """How to read on: at an index, so many lexemes away and these words in."""

    index: int
    remove: int = 0
    insert: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """What to say, and with what change the rest of the text can honestly be read; None skips the construct."""

    diagnostic: Diagnostic
    edit: Edit | None = None


def error(code: str, message: str, span: Span, help_: str | None = None, notes: tuple[Note, ...] = ()) -> Diagnostic:
    """A diagnostic of severity error."""
    return Diagnostic(code, "error", message, span, notes, help_)


# --------------------------------------------------------------------------- the end, and braces


def end_of_text(t: Trouble) -> Finding | None:
    """The text ends inside ``main`` (E205)."""
    if not t.at_end or not t.open or t.word_at(0) == "":
        return None
    outermost = t.start_before(t.open[0])
    if t.word_at(t.open[0]) != "{" or t.word_at(outermost) != "fn":
        return None
    inner = [i for i in t.open[1:] if t.word_at(i) == "{"]
    notes = tuple(Note(f"{t.head(t.start_before(i))} is still open here", t.lexemes[i].span) for i in reversed(inner))
    help_ = f"write `{'}' * (1 + len(inner))}`"
    message = "`fn main() {` is not closed: the text ends before its `}`"
    return Finding(error("E205", message, t.after_previous, help_, (*notes, *_misaligned(t))))


def _misaligned(t: Trouble) -> tuple[Note, ...]:
    """Where braces do not match: the first whose ``}`` does not stand under the line it closes."""
    if t.misaligned is None:
        return ()
    opening, closing = t.misaligned
    head = t.head(t.start_before(opening))
    return (Note(f"this `}}` closes {head}, but stands further out", t.lexemes[closing].span),)


def missing_brace(t: Trouble) -> Finding | None:
    """A word that begins something further out: the ``}`` before it is missing (E105)."""
    if t.at > t.start + 1 or not t.is_word(t.start) or t.place is None:
        return None
    texts = [lexeme.text for lexeme in t.lexemes]
    if texts.count("{") <= texts.count("}"):
        return None
    position = t.places[t.start]
    assert position is not None
    if t.at > t.start and position.terminal(t.lexemes[t.start]) != "NAME":
        return None
    for closed, brace in enumerate(reversed([i for i in t.open if t.word_at(i) == "{"]), start=1):
        after = position.take("RBRACE")
        if after is None:
            return None
        position = after
        if position.terminal(t.lexemes[t.start]) != "NAME" and t.survives(position, t.start):
            head = t.head(t.start_before(brace))
            previous = t.lexemes[t.start - 1].span
            span = Span(previous.end_line, previous.end_column, previous.end_line, previous.end_column + 1)
            note = Note(f"{head} opens here", t.lexemes[brace].span)
            message = f"expected `{'}' * closed}` of {head}, read {t.shown(t.start)}"
            return Finding(error("E105", message, span, None, (note, *_misaligned(t))), Edit(t.start, insert=("}",) * closed))
    return None


def called_block(t: Trouble) -> bool:
    """Whether ``word (…) {`` was read: the form of a call, but of something that has a block."""
    return t.word == "{" and t.is_word(t.start) and t.closing(t.start + 1) == t.at - 1 and t.word_at(t.start + 1) == "("


def stray(t: Trouble) -> Finding | None:
    """A ``}`` that closes nothing (E207 after ``main``), a ``;`` that ends nothing (L2.4)."""
    if t.at != t.start or t.place is None:
        return None
    if t.word == ";":
        message = f"expected {t.expected()}, read `;`: nothing stands before it"
        return Finding(
            error("E105", message, t.span, "drop it: there is no empty statement, and a block needs no `;`"), Edit(t.at, 1)
        )
    if t.word != "}" or t.open:
        return None
    main = next((i for i in range(t.at) if t.word_at(i) == "fn" and t.place_at(i) == "declaration"), None)
    closing = None if main is None else next((t.closing(i) for i in range(main, t.at) if t.word_at(i) == "{"), None)
    if closing is None:
        return Finding(error("E105", "expected a declaration, read `}`: nothing is open", t.span, "drop it"), Edit(t.at, 1))
    note = Note("`main` ends here", t.lexemes[closing].span)
    after = t.lexemes[closing + 1]
    message = f"read `{after.text}` after `main` has ended: nothing may follow it"
    return Finding(error("E207", message, after.span, "one `}` is too many, here or above", (note,)), Edit(t.at, 1))


# --------------------------------------------------------------------------- shared


def unknown_first(t: Trouble, code: str, message: str) -> tuple[Diagnostic, Edit | None]:
    """A word that begins nothing at its place: the nearest that does, else the list of them."""
    lexeme = t.lexemes[t.start]
    known = sorted(t.keywords(t.start))
    near = nearest(lexeme.text, known) or longer(lexeme.text, known)
    if near is not None and (edit := replaced(t, near)) is not None:
        return error(code, message, lexeme.span, f"did you mean `{near}`?"), edit
    if lexeme.text in HOMES:
        return error(code, message, lexeme.span, f"`{lexeme.text}` stands {HOMES[lexeme.text]}"), None
    place = t.place
    listed = ", ".join(f"`{word}`" for word in known if word not in {"max", "min", "sum"})
    return error(code, message, lexeme.span, f"{PLACE_WORDS[place] if place else 'it'} begins with one of {listed}"), None


def longer(word: str, known: list[str]) -> str | None:
    """The one keyword that a word goes on from, or that goes on from it: ``block_size``, ``sched``."""
    alike = [k for k in known if min(len(k), len(word)) > SHORT_NAME and (word.startswith(k) or k.startswith(word))]
    return alike[0] if len(alike) == 1 else None


def replaced(t: Trouble, near: str) -> Edit | None:
    """The edit that puts a keyword in place of the first word, if the next lexeme can follow it."""
    position = t.places[t.start]
    assert position is not None
    made = position.read(replace(t.lexemes[t.start], text=near, kind="word"))
    return Edit(t.start, 1, (near,)) if t.survives(made, t.start + 1, 1) else None


def did_you_mean(word: str, candidates: list[str]) -> str | None:
    """The help that names the nearest of some words, None without one near enough."""
    near = nearest(word, candidates)
    return f"did you mean `{near}`?" if near else None
