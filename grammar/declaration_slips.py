"""Mistakes in declarations and in what stands in them (L13.6); each function knows a few and answers None to any other."""

from __future__ import annotations

from grammar.diagnostics import Diagnostic
from grammar.homes import DECLARATION_FORMS, ENGINE_FORMS, HOMES, SETTING_FORMS
from grammar.misreadings import Edit, Finding, called_block, did_you_mean, error, replaced, unknown_first
from grammar.names import WORDS, nearest
from grammar.source import Span
from grammar.trouble import Trouble


def declaration(t: Trouble) -> Finding | None:
    """Mistakes of a declaration's first words (E203, E204, E208 to E210, E407, E1309)."""
    first = t.word_at(t.start)
    if first == "fn":
        return _main_parameters(t)
    if first == "def":
        return _def_equals(t) or _def_colon(t)
    if first == "{" and t.at == t.start:
        message = f"expected {t.expected()}, read `{{`"
        return Finding(error("E105", message, t.span, "a program's declarations stand in `fn main() { … }`"))
    if first == "share" and t.at == t.start + 1:
        help_ = did_you_mean(t.word, ["maxmin", "bottleneck"])
        message = f"`share` takes `maxmin` or `bottleneck`, read {t.found}"
        return Finding(error("E218", message, t.span, help_))
    if first == "claim" and t.word_at(t.at - 1) in {":", "every", "some"}:
        message = f"a claim holds over `every iteration of E`, `some iteration of E` or `at end`; read {t.found}"
        return Finding(error("E1208", message, t.span, did_you_mean(t.word, t.keywords(t.at))))
    if (engine := engine_on(t)) is not None:
        return engine
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
    if first in HOMES or first in DECLARATION_FORMS:
        help_ = DECLARATION_FORMS[first] if first in DECLARATION_FORMS else f"it stands {HOMES[first]}"
        return Finding(error("E208", f"`{first}` begins no declaration", span, help_))
    return Finding(*unknown_first(t, "E208", f"`{first}` begins no declaration"))


def _main_parameters(t: Trouble) -> Finding | None:
    if t.at == t.start + 2 and t.word == "{" and t.word_at(t.start + 1) == "main":
        edit = Edit(t.at, insert=("(", ")"))
        return Finding(error("E105", f"expected `()` in {t.construct}, read `{{`", t.span, "write `fn main() {`"), edit)
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


def _def_colon(t: Trouble) -> Finding | None:
    """``def f(x):``: another language's definition."""
    if t.word != ":" or t.word_at(t.at - 1) != ")":
        return None
    message = f"the body of {t.head(t.start)} stands in braces, read `:`"
    return Finding(error("E105", message, t.span, f"write `{t.between(t.start, t.at - 1)} {{ … }}`"))


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
    return Finding(error("E821", message, t.span, did_you_mean(t.word, ["fifo", "ps", "delay"])))


def engine_on(t: Trouble) -> Finding | None:
    """``engine E {`` without its device."""
    if t.word_at(t.start) != "engine" or "ON" not in t.accepted or t.is_word(t.at):
        return None
    name = t.between(t.start, t.at - 1)
    given = t.word != "{" and t.is_word(t.at + 1)
    device = t.word_at(t.at + 1) if given else "DEVICE"
    edit = Edit(t.at, 2 if given else 0, ("on", device))
    message = f"expected `on` in {t.construct}, read {t.found}"
    return Finding(error("E105", message, t.span, f"an engine runs on a device: write `{name} on {device} {{`"), edit)


# --------------------------------------------------------------------------- pools, devices, engines, queues, workload


def pool_option(t: Trouble) -> Finding | None:
    """A word that is no option of a pool (E701)."""
    if t.at != t.start or not t.is_word(t.at):
        return None
    return Finding(*unknown_first(t, "E701", f"{t.found} is no option of {t.construct}"))


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
    if first in SETTING_FORMS:
        end = next((i for i in range(t.at, len(t.lexemes)) if t.word_at(i) in {";", "{", "}"}), t.at)
        given = t.at + 1 if t.word == "=" else t.at
        form = SETTING_FORMS[first].replace("{rest}", t.between(given, end - 1) if end > given else "e")
        form = form.replace("{engine}", "ENGINE" if t.block is None else t.word_at(t.start_before(t.block) + 1))
        return Finding(error("E816", f"`{first}` is no item of an engine", span, form))
    near = nearest(first, ["tokens", "granule", "state", "execute", "schedule", "request"])
    if near is not None:
        return Finding(error("E816", f"`{first}` is no item of an engine", span, f"did you mean `{near}`?"), replaced(t, near))
    message = (
        f"`{t.between(t.start, t.at)}` begins no item of an engine: they are capacities, `{first} cap e;`, `tokens cap`, "
        "`granule`, `state`, `schedule`, `execute` and `request`"
    )
    return Finding(error("E816", message, t.span))


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
    return Finding(*unknown_first(t, "E105", f"expected {t.expected()} in `workload`, read {t.found}"))
