"""Takes in devices and engines (L4.9 to L4.17); knows no expressions but constants."""

from __future__ import annotations

import math

from grammar import syntax
from grammar.bodies import check_parameters
from grammar.constants import NotConstant
from grammar.declarations import Declarations
from grammar.diagnostics import Note
from grammar.expansion import walk
from grammar.findings import hint
from grammar.names import FUNCTIONS, WORDS, nearest
from grammar.scopes import Capacity, Device, Engine, Queue
from grammar.source import Span

REQUIRED = {
    "tokens": "tokens cap inf;",
    "schedule": "schedule { advance running; admit waiting while (running.preempted == 0); }",
    "execute": "execute (1);",
}
"""The items an engine must have, each with a line that supplies it (E809)."""


def declare_device(to: Declarations, decl: syntax.Device, queue: Queue | None = None) -> Device | None:
    """``device NAME [N] { … }``: time resources and capacities (L4.9)."""
    device = _declare_device(to, decl, queue)
    if device is None:
        to.broken.add(decl.name.text)
    return device


def _declare_device(to: Declarations, decl: syntax.Device, queue: Queue | None) -> Device | None:
    name = decl.name.text if queue is None else f"{queue.name}.{decl.name.text}"
    if queue is None:
        if not to.fit("device", decl.name, "E801", words=False, functions=True):
            return None
        size = to.size(decl.size)
    else:
        size = queue.size
        if decl.size is not None:
            to.findings.error(
                "E1316",
                Span(decl.name.span.end_line, decl.name.span.end_column, decl.size.span.end_line, decl.size.span.end_column + 1),
                f"a queue's device is the member's, one for each of `{queue.name}`, and takes no `[N]`",
                suggestion=f"device {decl.name.text} {{ … }}",
            )
    if not to.claim("device", decl.name, name):
        return None
    device = Device(name, decl, size, to.order, queue)
    seen: dict[str, Span] = {}
    for item in decl.items:
        text = item.name.text
        if text in seen:
            to.findings.error(
                "E802", item.name.span, f"`{text}` is written twice in device `{name}`", Note("the first is here", seen[text])
            )
            continue
        seen[text] = item.name.span
        if not _fit_resource(to, item, name):
            continue
        if isinstance(item, syntax.TimeResource):
            check_parameters(to.findings, item.params, f"`{text}`")
            _warn_unread(to, item)
            device.times[text] = item
        else:
            device.capacities[text] = Capacity(item.name, item.value)
    to.model.devices[name] = device
    return device


def _fit_resource(to: Declarations, item: syntax.TimeResource | syntax.Capacity, device: str) -> bool:
    """Whether a resource's name is free (E803); a time resource may bear a supplied or built-in name (L1.9)."""
    text = item.name.text
    taken = to.model.declared.get(text)
    if taken is not None and taken[0] == "definition":
        to.findings.error(
            "E803",
            item.name.span,
            f"`{text}` is a definition already and cannot name a resource of device `{device}`",
            Note("it is defined here", taken[1]),
            suggestion="rename one of them",
        )
        return False
    if isinstance(item, syntax.TimeResource):
        if text in WORDS or text in FUNCTIONS:
            to.findings.error(
                "E803", item.name.span, f"`{text}` is a word of the language and cannot name a resource", suggestion="rename it"
            )
            return False
        return True
    return to.fit("capacity", item.name, "E803", words=False, functions=False)


def _warn_unread(to: Declarations, item: syntax.TimeResource) -> None:
    read = {n.names[0].text for n in walk(item.value) if isinstance(n, syntax.Ref)}
    for param in item.params:
        if param.text not in read:
            to.findings.warning(
                "E805",
                param.span,
                f"the time resource `{item.name.text}` never reads its parameter `{param.text}`",
                suggestion="drop the parameter or use it",
            )


# ------------------------------------------------------------------------------- engines


def declare_engine(to: Declarations, decl: syntax.Engine, queue: Queue | None = None) -> Engine | None:
    """``engine NAME [N] on DEVICE { … }`` (L4.12 to L4.17); in a queue it is named after the queue."""
    engine = _declare_engine(to, decl, queue)
    if engine is None:
        to.broken.add(queue.name if queue is not None else decl.name.text if decl.name is not None else "")
    return engine


def _declare_engine(to: Declarations, decl: syntax.Engine, queue: Queue | None) -> Engine | None:
    if queue is None:
        assert decl.name is not None
        name, where = decl.name.text, decl.name.span
        if not to.fit("engine", decl.name, "E801", words=False, functions=True):
            return None
        size = to.size(decl.size)
    else:
        name, where, size = queue.name, decl.span, queue.size
    device = _device_of(to, decl, queue)
    if device is None:
        return None
    if queue is None and not to.claim("engine", syntax.Name(where, name)):
        return None
    _check_device(to, device, name, where, size)
    stage = to.stage_family(name, where, size)
    engine = Engine(name, decl, stage, device, size, to.order, queue)
    stage.engine, stage.queue = engine, queue
    device.engine = device.engine or engine
    to.model.engines[name] = engine
    _Items(to, engine, where).take_in()
    return engine


def _device_of(to: Declarations, decl: syntax.Engine, queue: Queue | None) -> Device | None:
    if queue is None:
        found = to.model.devices.get(decl.device.text)
        if found is not None and found.queue is None:
            return found
        if decl.device.text in to.broken:
            return None
        near = [d for d in to.model.devices if "." not in d]
        to.findings.error(
            "E806",
            decl.device.span,
            f"no device `{decl.device.text}` is declared above this engine",
            *(to.model.note_of(decl.device.text) if decl.device.text in to.model.declared else ()),
            suggestion=hint(decl.device.text, near) or f"device {decl.device.text} {{ }} above it",
        )
        return None
    found = queue.devices.get(decl.device.text)
    if found is None and decl.device.text not in to.broken:
        to.findings.error(
            "E806",
            decl.device.span,
            f"no device `{decl.device.text}` is declared in queue `{queue.name}` above its engine",
            suggestion=hint(decl.device.text, queue.devices) or f"device {decl.device.text} {{ }} above the engine, in the queue",
        )
    return found


def _check_device(to: Declarations, device: Device, name: str, where: Span, size: int | None) -> None:
    if device.engine is not None:
        to.findings.error(
            "E808",
            where,
            f"device `{device.name}` runs engine `{device.engine.name}` already, and a device runs one engine",
            Note("that engine is declared here", device.engine.stage.span),
            suggestion=f"give `{name}` a device of its own",
        )
    elif device.size != size:
        of = "a single one" if device.size is None else f"a family of {device.size}"
        own = "a single one" if size is None else f"a family of {size}"
        written = name if device.size is None else f"{name}[{device.size}]"
        to.findings.error(
            "E807",
            where,
            f"engine `{name}` is {own} and its device `{device.name}` is {of}: there is one engine on each device",
            Note("the device is declared here", device.decl.name.span),
            suggestion=f"engine {written} on {device.decl.name.text} {{ … }}",
        )


class _Items:
    """The items of one engine, each at most once where it says so (L4.13)."""

    def __init__(self, to: Declarations, engine: Engine, where: Span) -> None:
        self.to = to
        self.engine = engine
        self.where = where
        self.seen: dict[str, Span] = {}

    def take_in(self) -> None:
        engine = self.engine
        told = len(self.to.findings.errors)
        for item in engine.decl.items:
            if isinstance(item, syntax.Capacity):
                self._capacity(item)
            elif isinstance(item, syntax.StateDecl):
                self._state(item)
            elif isinstance(item, syntax.TokensCap):
                if self._once("tokens", "`tokens cap`", item.span, "E810"):
                    engine.tokens = item
            elif isinstance(item, syntax.Execute):
                if self._once("execute", "`execute`", item.span, "E810"):
                    engine.execute = item
            elif isinstance(item, syntax.Schedule):
                if self._once("schedule", "`schedule`", item.span, "E810"):
                    engine.schedule = item
            elif isinstance(item, syntax.Granule):
                if engine.granule is not None:
                    first = Note("the first is here", engine.granule.span)
                    message = f"`granule` is written twice in engine `{engine.name}`; the last one counts"
                    self.to.findings.warning("E222", item.span, message, first)
                engine.granule = item
            else:
                self._request(item)
        missing = [word for word in REQUIRED if getattr(engine, word) is None]
        if missing and len(self.to.findings.errors) == told:
            words = " and no ".join(f"`{'tokens cap' if w == 'tokens' else w}`" for w in missing)
            named = {i.name.text: i.name.span for i in engine.decl.items if isinstance(i, syntax.Capacity)}
            near = nearest("tokens", named) if "tokens" in missing else None
            notes = () if near is None else (Note(f"`{near}` is a capacity of the program's own here", named[near]),)
            self.to.findings.error(
                "E809",
                self.where,
                f"engine `{engine.name}` has no {words}",
                *notes,
                suggestion=" ".join(REQUIRED[w] for w in missing),
            )
        self._check_budget()

    def _once(self, key: str, words: str, span: Span, code: str) -> bool:
        if key in self.seen:
            self.to.findings.error(
                code, span, f"engine `{self.engine.name}` has {words} twice", Note("the first is here", self.seen[key])
            )
            return False
        self.seen[key] = span
        return True

    def _capacity(self, item: syntax.Capacity) -> None:
        engine, to = self.engine, self.to
        text = item.name.text
        if text in engine.capacities:
            to.findings.error(
                "E802",
                item.name.span,
                f"engine `{engine.name}` has the capacity `{text}` twice",
                Note("the first is here", engine.capacities[text].name.span),
            )
            return
        if not to.fit("capacity", item.name, "E803", words=False, functions=True):
            return
        lanes = to.size(item.size)
        if lanes is not None and engine.queue is not None and engine.size is None:
            to.findings.error(
                "E814",
                item.name.span,
                f"`{text}[N]` in queue `{engine.name}`'s engine: an entry names its own pool without an index and could pick none",
                suggestion=f"{text} cap …;",
            )
        elif lanes is not None and engine.size is not None and (engine.size > 1 or engine.queue is not None):
            to.findings.error(
                "E814",
                item.name.span,
                f"`{text}[N]` in a family of engines: each member would admit N queues",
                suggestion=f"{text} cap …;  gives each member its own `{text}`",
            )
        engine.capacities[text] = Capacity(item.name, item.value, lanes)

    def _state(self, item: syntax.StateDecl) -> None:
        """A register (L5.9); its name against all others is checked when every name is known."""
        engine = self.engine
        if engine.size is not None and engine.size > 1:
            self.to.findings.error(
                "E913",
                item.name.span,
                f"`{engine.name}` is a family, and each member would need a register `{item.name.text}` of its own",
            )
            return
        engine.states.setdefault(item.name.text, item)

    def _request(self, item: syntax.RequestDecl) -> None:
        engine, to = self.engine, self.to
        if engine.queue is not None:
            to.findings.error(
                "E1026",
                item.span,
                f"a `request` in queue `{engine.name}`'s engine: a queue says in its entries what it does with a request",
                suggestion="write it as the body of an entry",
            )
        elif engine.size is not None:
            to.findings.error(
                "E1018",
                item.span,
                f"`{engine.name}` is a family, and a call of its `request` would pick no member",
                suggestion="one engine on one device, or a `hold` and `run` in the server that name the member",
            )
        elif self._once("request", "`request`", item.span, "E1001"):
            engine.request = item

    def _check_budget(self) -> None:
        """A constant budget at or below 0 (E811), by the defaults of the inputs: the host may set one to 0."""
        tokens = self.engine.tokens
        if tokens is None:
            return
        try:
            value = self.to.constants.evaluate(tokens.value, by_default=True)
        except NotConstant:
            return
        if value <= 0 and not math.isnan(value):
            self.to.findings.error(
                "E811",
                tokens.value.span,
                f"`tokens cap` is {value:g}: an engine without a budget serves nobody",
                suggestion="tokens cap inf;  for no cap",
            )
