"""Mistakes told by the place where they are made (L13.6); each function knows one and answers None to any other."""

from __future__ import annotations

from dataclasses import dataclass

from grammar.diagnostics import Diagnostic, Note
from grammar.homes import ENGINE_FORMS, HOMES, RETIRED_FORMS, STATEMENT_FORMS
from grammar.names import WORDS, nearest
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


# --------------------------------------------------------------------------- declarations


def declaration(t: Trouble) -> Finding | None:
    """Mistakes of a declaration's first words (E203, E204, E208 to E210, E407, E1309)."""
    first = t.word_at(t.start)
    if first == "fn":
        return _main_parameters(t)
    if first == "def":
        return _def_equals(t)
    if first == "share" and t.at == t.start + 1:
        help_ = _did_you_mean(t.word, ["maxmin", "bottleneck"])
        message = f"`share` takes `maxmin` or `bottleneck`, read {t.found}"
        return Finding(error("E218", message, t.span, help_))
    if first == "claim" and t.word_at(t.at - 1) in {":", "every", "some"}:
        message = f"a claim holds over `every iteration of E`, `some iteration of E` or `at end`; read {t.found}"
        return Finding(error("E1208", message, t.span, _did_you_mean(t.word, t.keywords(t.at))))
    if first == "stage" and (wrong := stage_kind(t)):
        return wrong
    if not (t.at <= t.start + 1 or called_block(t)) or not t.is_word(t.start) or first in t.keywords(t.start):
        return None
    span = t.lexemes[t.start].span
    second = t.word_at(t.start + 1)
    if first == "run" and second == "{":
        return _settings(t)
    if first == "session":
        help_ = "write it in `workload { … }`; what is done to a request is `server { … }`"
        return Finding(error("E210", "`session` belongs in the `workload`", span, help_))
    if second in {"pull", "push"}:
        return _relation(t)
    if first in HOMES:
        message = f"`{first}` begins no declaration"
        return Finding(error("E208", message, span, f"it stands {HOMES[first]}"))
    return Finding(*_unknown_first(t, "E208", f"`{first}` begins no declaration"))


def _main_parameters(t: Trouble) -> Finding | None:
    if t.at != t.start + 3 or t.word_at(t.at - 1) != "(" or t.at_end:
        return None
    if t.word_at(t.start + 1) != "main":
        return Finding(not_main(t.word_at(t.start + 1), t.lexemes[t.start + 1].span))
    name = t.word if t.is_word(t.at) else "x"
    help_ = f'an input is a constant in it: `let {name} = args.number("{name}", default);`'
    return Finding(error("E204", f"`main` takes no parameters, read {t.found}", t.span, help_))


def not_main(name: str, span: Span) -> Diagnostic:
    """``fn`` names something else than the entry point (E203)."""
    near = nearest(name, ["main"])
    help_ = "write `fn main()`" if near else f"something to use again is `def {name}(…) {{ … }}`"
    return error("E203", f"`fn` declares the program's one `main`, read `{name}`", span, help_)


def _def_equals(t: Trouble) -> Finding | None:
    if t.word != "=" or t.word_at(t.at - 1) != ")":
        return None
    end = next((i for i in range(t.at, len(t.lexemes)) if t.word_at(i) == ";"), None)
    body = t.between(t.at + 1, end - 1) if end is not None and end > t.at + 1 else "e"
    help_ = f"write `{t.between(t.start, t.at - 1)} {{ {body} }}`"
    return Finding(error("E407", f"the body of {t.head(t.start)} stands in braces, read `=`", t.span, help_))


def _settings(t: Trouble) -> Finding:
    """``run { horizon …; }`` of older models: the host gives what it says (L3.2)."""
    brace = t.start + 1
    end = t.closing(brace)
    given = []
    index = brace + 1
    while end is not None and index < end:
        stop = next((i for i in range(index, end) if t.word_at(i) == ";"), end)
        if stop > index + 1:
            given.append(f"--{t.word_at(index)} {t.between(index + 1, stop - 1)}")
        index = stop + 1
    message = "`run { … }` is no declaration: horizon, warmup, seed and arrivals are given outside the program"
    help_ = f"run it with `{' '.join(given) or '--horizon 100'}`"
    return Finding(error("E209", message, t.lexemes[brace].span, help_))


def _relation(t: Trouble) -> Finding:
    """The older ``D pull P`` and ``P push D`` (E1309)."""
    reader, verb, source = (t.word_at(t.start + offset) for offset in range(3))
    pair = f"{source}, {reader}" if verb == "pull" else f"{reader}, {source}"
    latency = ""
    if t.word_at(t.start + 3) == "latency" and t.start + 4 < len(t.lexemes):
        latency = f", latency = {t.word_at(t.start + 4)}"
    help_ = f'write `kvt.nixl_{verb} ({pair}{latency});` with `use "std/kvt";`, and `share maxmin;` once'
    message = f"`{reader} {verb} {source}` is written another way now"
    return Finding(error("E1309", message, t.lexemes[t.start].span, help_))


def stage_kind(t: Trouble) -> Finding | None:
    """A kind of stage that is none (E821), or the older ``step`` (E817); of a queue's ``serve`` and ``nic`` too."""
    if not t.accepted >= {"PS", "DELAY"}:
        return None
    name = t.word_at(t.start + 1) if t.word_at(t.start) == "stage" else ""
    if t.word == "step":
        engine = f"engine {name} on gpu" if name else "engine on gpu"
        form = f"device gpu {{ }} {engine} {{ tokens cap inf; schedule {{ … }} execute (…); }}"
        return Finding(error("E817", "a stage that iterates is an engine on a device, read `step`", t.span, f"write `{form}`"))
    message = f"expected `fifo`, `fifo(c)`, `ps(e)` or `delay` in {t.construct}, read {t.found}"
    return Finding(error("E821", message, t.span, _did_you_mean(t.word, ["fifo", "ps", "delay"])))


# --------------------------------------------------------------------------- pools, devices, engines, queues, workload


def pool_option(t: Trouble) -> Finding | None:
    """A word that is no option of a pool (E701)."""
    if t.at != t.start or not t.is_word(t.at):
        return None
    return Finding(*_unknown_first(t, "E701", f"{t.found} is no option of {t.construct}"))


def device_item(t: Trouble) -> Finding | None:
    """Neither a time nor a capacity (E804)."""
    if t.at > t.start + 1:
        return None
    name = t.word_at(t.start)
    span = t.span
    if t.is_word(t.start) and name in WORDS:
        span = t.lexemes[t.start].span
    shown = name if t.is_word(t.start) else "NAME"
    message = f"a device has times, `{shown} (x) = e;`, and capacities, `{shown} cap e;`; read `{t.between(t.start, t.at)}`"
    help_ = f"`{name}` stands {HOMES[name]}" if name in HOMES else None
    return Finding(error("E804", message, span, help_))


def engine_item(t: Trouble) -> Finding | None:
    """An option of the older step stage (E812), or an item of no form (E816)."""
    if t.at > t.start + 1 or not t.is_word(t.start):
        return None
    first = t.word_at(t.start)
    position = t.places[t.start]
    assert position is not None
    if t.at > t.start and position.terminal(t.lexemes[t.start]) != "NAME":
        return None
    span = t.lexemes[t.start].span
    if first in ENGINE_FORMS:
        end = next((i for i in range(t.at, len(t.lexemes)) if t.word_at(i) in {";", "{", "}"}), None)
        rest = t.between(t.at, end - 1) if end is not None and end > t.at else "e"
        help_ = ENGINE_FORMS[first].replace("{rest}", rest)
        return Finding(error("E812", f"an engine has no `{first}`", span, help_))
    if first in HOMES:
        return Finding(error("E816", f"`{first}` is no item of an engine", span, f"it stands {HOMES[first]}"))
    items = ["tokens", "granule", "state", "execute", "schedule", "request"]
    message = (
        f"`{t.between(t.start, t.at)}` begins no item of an engine: they are capacities, `{first} cap e;`, `tokens cap`, "
        "`granule`, `state`, `schedule`, `execute` and `request`"
    )
    return Finding(error("E816", message, t.span, _did_you_mean(first, items)))


def queue_item(t: Trouble) -> Finding | None:
    """A named engine in a queue (E1312), or a stage of no kind."""
    if t.word_at(t.start) == "engine" and t.at == t.start + 1 and t.is_word(t.at):
        device = t.word_at(t.at + 2) if t.word_at(t.at + 1) == "on" else "DEVICE"
        message = f"the engine of a queue bears the queue's name, read {t.found}"
        return Finding(error("E1312", message, t.span, f"write `engine on {device} {{ … }}`"), Edit(t.at, 1))
    if t.word_at(t.start) in {"serve", "nic"}:
        return stage_kind(t)
    return None


def workload_item(t: Trouble) -> Finding | None:
    """A word that is no item of the workload (E105)."""
    if t.at != t.start or not t.is_word(t.at):
        return None
    return Finding(*_unknown_first(t, "E105", f"expected {t.expected()} in `workload`, read {t.found}"))


# --------------------------------------------------------------------------- statements


def statement(t: Trouble) -> Finding | None:
    """Mistakes at the start of a statement (E413, E416, E1005) and unknown ones (E105)."""
    if (mixed := _expression_in_statements(t) or _ended_expression(t)) is not None:
        return mixed
    first = t.word_at(t.start)
    span = t.lexemes[t.start].span
    if first == "at" and t.word_at(t.start + 1) == "admission" and t.at == t.start + 2:
        help_ = "write `at admission { NAME = …; }`; the form with parentheses belongs to a `hold`"
        return Finding(error("E105", f"`at admission` of a request is a block, read {t.found}", span, help_))
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
    message = f"`{first}` begins no statement"
    if first in STATEMENT_FORMS:
        return Finding(error("E105", message, span, STATEMENT_FORMS[first]))
    if first in HOMES:
        return Finding(error("E105", message, span, f"it stands {HOMES[first]}"))
    if any(t.word_at(i) in {"def", "engine"} and t.word_at(i + 1) == first for i in range(t.at)):
        return Finding(
            error("E105", f"`{first}` is called with parentheses, read {t.found}", t.after_previous, f"write `{first} (…);`")
        )
    return Finding(*_unknown_first(t, "E105", message))


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
        units = t.group(t.start + 2)
        return f"write `hold {t.word_at(rest)} ({units}) {{ … }}`" if units else "write `hold POOL (units) { … }`"
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


# --------------------------------------------------------------------------- shared


def _unknown_first(t: Trouble, code: str, message: str) -> tuple[Diagnostic, Edit | None]:
    """A word that begins nothing at its place: the nearest that does, else the list of them."""
    lexeme = t.lexemes[t.start]
    known = sorted(t.keywords(t.start))
    near = nearest(lexeme.text, known)
    if near is not None:
        return error(code, message, lexeme.span, f"did you mean `{near}`?"), Edit(t.start, 1, (near,))
    if lexeme.text in HOMES:
        return error(code, message, lexeme.span, f"`{lexeme.text}` stands {HOMES[lexeme.text]}"), None
    place = t.place
    listed = ", ".join(f"`{word}`" for word in known if word not in {"max", "min", "sum"})
    return error(code, message, lexeme.span, f"{PLACE_WORDS[place] if place else 'it'} begins with one of {listed}"), None


def _did_you_mean(word: str, candidates: list[str]) -> str | None:
    near = nearest(word, candidates)
    return f"did you mean `{near}`?" if near else None
