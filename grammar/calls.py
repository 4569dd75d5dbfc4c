"""What the calls of the server stand for: requests, entries and the statements of std/kvt (L6.10, L6.12, L8.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from grammar import building, syntax
from grammar.bodies import assignments
from grammar.declarations import KVT
from grammar.definitions import MOST_TOKENS
from grammar.diagnostics import Note
from grammar.entries import Localizer
from grammar.expansion import Use, size, walk
from grammar.findings import are_given, hint
from grammar.holds import names_read
from grammar.homes import CALL_FORMS
from grammar.names import FUNCTIONS, RETIRED
from grammar.requests import Request, called
from grammar.scopes import Engine, Queue
from grammar.serving import after_link, second_tier
from grammar.source import Span
from grammar.standing import Kind, Place
from grammar.vocabulary import LISTS, RETIRED_TODAY

if TYPE_CHECKING:
    from grammar.inline import Inliner

CALL = 20
"""What a call counts besides what it writes out: about as much work as that many pieces, so that calls that double
are stopped within a second too."""


def call(inliner: Inliner, node: syntax.CallStatement, place: Place) -> tuple[syntax.Statement, ...]:
    """The statements that a call stands for; none after telling that it stands for nothing."""
    first = node.ref.names[0].text
    if len(node.ref.names) > 1:
        if first == "kvt":
            return _second_tier(inliner, node, place)
        if first in inliner.model.queues:
            return _entry(inliner, node, inliner.model.queues[first], place)
    elif first in inliner.model.engines:
        return _request(inliner, node, inliner.model.engines[first], place)
    return _unknown(inliner, node)


def _unknown(inliner: Inliner, node: syntax.CallStatement) -> tuple[syntax.Statement, ...]:
    text = node.ref.text
    if text in RETIRED_TODAY:
        inliner.findings.error(
            "E416", node.ref.span, f"`{text}` is written `{RETIRED_TODAY[text]}` today", suggestion=RETIRED_TODAY[text]
        )
        return ()
    what = "is a function and gives a value" if text in FUNCTIONS and text not in RETIRED else "is nothing that can be called"
    candidates = [*inliner.model.engines, *(n for n, (k, _) in inliner.model.declared.items() if k == "definition")]
    inliner.findings.error(
        "E415",
        node.ref.span,
        f"`{text}` {what}: no statement, definition, engine or entry",
        suggestion=hint(text, candidates) or CALL_FORMS.get(text),
    )
    return ()


def _second_tier(inliner: Inliner, node: syntax.CallStatement, place: Place) -> tuple[syntax.Statement, ...]:
    if KVT not in inliner.uses:
        inliner.findings.error(
            "E1313", node.ref.span, f'`{node.ref.text}` needs `use "{KVT}";` at the top of the program', suggestion=f'use "{KVT}";'
        )
        return ()
    return inliner.statements(second_tier(inliner.model, inliner.findings, node, place.order), place)


def engine_in_workload(inliner: Inliner, node: syntax.CallStatement, place: Place) -> None:
    """Tell that the workload calls no engine (L6.12)."""
    inliner.findings.error(
        "E1017", node.ref.span, f"{place.kind.value} asks with `turn;`; the server calls the engine", suggestion="turn;"
    )


def _request(inliner: Inliner, node: syntax.CallStatement, engine: Engine, place: Place) -> tuple[syntax.Statement, ...]:
    """``E (a, …);`` (L6.5, L6.10, L6.12)."""
    name = engine.name
    span = node.ref.span
    if place.kind is Kind.SESSION:
        engine_in_workload(inliner, node, place)
        return ()
    if place.kind is Kind.REQUEST:
        inliner.findings.error("E1311", span, "a request cannot call an engine's request, its own or another's")
        return ()
    if node.ref.index is not None or name not in inliner.requests:
        inliner.findings.error(
            "E1016",
            span,
            f"engine `{name}` has no `request` to call",
            Note("the engine is declared here", engine.stage.span),
            suggestion=f"run {name} prefill (cost({name}, …));  or give it a `request`",
        )
        return ()
    if engine.order >= place.order:
        inliner.findings.error(
            "E1016", span, f"engine `{name}` is declared below this call", Note("it is declared here", engine.stage.span)
        )
        return ()
    request = inliner.requests[name]
    args = _arguments(inliner, node, request.decl.params, f"engine `{name}`'s request", engine.stage.span)
    if args is None:
        return ()
    if node.source is not None or node.dest is not None:
        inliner.findings.error("E1325", span, f"a call of `{name}` takes no `from` and no `to`")
        return ()
    inliner.called.add((name, False))
    _note_unread(inliner, engine, request, args)
    statements = called(engine, request, args, node)
    _count(inliner, statements, span)
    inside = replace(place, kind=Kind.REQUEST, order=engine.order, engine=engine)
    return inliner.statements(statements, inside)


def _arguments(
    inliner: Inliner, node: syntax.CallStatement, params: tuple[syntax.Name, ...], of: str, where: Span
) -> list[syntax.Expr] | None:
    args = [a for a in node.args if not isinstance(a, syntax.Named | syntax.String)]
    if len(args) != len(params) or len(args) != len(node.args):
        names = ", ".join(p.text for p in params)
        inliner.findings.error(
            "E1015",
            node.ref.span,
            f"{of} takes {len(params)} argument{'' if len(params) == 1 else 's'} ({names}), and {are_given(len(node.args))}",
            Note("it is declared here", where),
            suggestion=f"{node.ref.text} ({names});",
        )
        return None
    for param, arg in zip(params, args, strict=True):
        for inner in walk(arg):
            if isinstance(inner, syntax.Draw):
                inliner.findings.error(
                    "E1019",
                    node.ref.span,
                    f"the argument for `{param.text}` draws, and it is read wherever the parameter stands",
                    Note("the draw is here", inner.span),
                    suggestion="`set` a name to the draw and pass that",
                )
                return None
            if isinstance(inner, syntax.Ref) and len(inner.names) > 1 and inner.names[0].text in LISTS:
                inliner.findings.error(
                    "E604", inner.span, f"`{inner.text}` is read in an engine's clauses, and not in an argument of a call"
                )
                return None
            if isinstance(inner, syntax.CallExpr) and inner.ref.text == "cost":
                inliner.findings.error("E1023", inner.ref.span, f"the argument for `{param.text}` is a plain number, not a cost")
                return None
    return args


def _note_unread(inliner: Inliner, engine: Engine, request: Request, args: Sequence[syntax.Expr]) -> None:
    """Keep ``self`` and the dotted names of arguments that the request does not read, to be looked up.

    Measured on the reference: it knows of these before it puts the arguments in place, and of other names after that.
    """
    read = names_read(request.decl) | (set() if engine.taking is None else names_read(engine.taking))
    for param, arg in zip(request.decl.params, args, strict=True):
        if param.text not in read:
            names = (node for node in walk(arg) if isinstance(node, syntax.NameExpr))
            inliner.dropped.extend(n for n in names if n.ref.text == "self" or len(n.ref.names) > 1)


def _count(inliner: Inliner, statements: Iterable[syntax.Statement], span: Span) -> None:
    inliner.written += CALL + sum(size(s) for s in statements)
    if inliner.written > MOST_TOKENS:
        inliner.findings.error("E418", span, f"with this call the calls of the program write out more than {MOST_TOKENS:,} pieces")
        inliner.findings.stop_if_any()


def uncalled(inliner: Inliner) -> None:
    """Write out, to see whether it can be, every request and entry that no statement calls; nothing of it is kept."""
    for name, request in inliner.requests.items():
        if (name, False) not in inliner.called:
            engine = inliner.model.engines[name]
            span = engine.stage.span
            args = tuple(_stand_in(span) for _ in request.decl.params)
            call = syntax.CallStatement(span, building.ref(span, name), args)
            _request(inliner, call, engine, Place(Kind.SERVER, engine.order + 1))
    for queue in inliner.model.queues.values():
        for (verb, _), entry in queue.entries.items():
            if (f"{queue.name}.{verb}", entry.source is not None) not in inliner.called:
                _stand_in_call(inliner, queue, verb, entry)


def _stand_in_call(inliner: Inliner, queue: Queue, verb: str, entry: syntax.Entry) -> None:
    span = entry.verb.span
    source = dest = units = None
    if entry.source is not None:
        of = inliner.model.queues[entry.source.text]
        source = building.ref(span, of.name, None if of.size is None else _stand_in(span))
    elif verb == "transfer":
        source = dest = building.ref(span, queue.name)
        units = _stand_in(span)
    args = tuple(_stand_in(span) for _ in entry.params or ())
    index = None if queue.size is None else _stand_in(span)
    called_as = building.ref(span, f"{queue.name}.{verb}", index)
    call = syntax.CallStatement(span, called_as, args, source, dest, units)
    _entry(inliner, call, queue, Place(Kind.SERVER, queue.order + 1))


def _entry(inliner: Inliner, node: syntax.CallStatement, queue: Queue, place: Place) -> tuple[syntax.Statement, ...]:
    """``Q[i].verb (a, …) [from S[k]] [to P (m)];`` (L8.5)."""
    span, shown = node.ref.span, node.ref.text
    tell = inliner.findings.error
    if place.kind is Kind.SESSION:
        tell("E1102", span, "a queue's entries are called in the server; a session asks with `turn;`", suggestion="turn;")
        return ()
    verb = node.ref.names[-1].text
    links = "link" in queue.roles and verb == "transfer"
    found = [e for (v, _), e in queue.entries.items() if v == verb and len(node.ref.names) == 2]
    if not found:
        there = ", ".join(f"`{queue.name}.{v}`" for v, _ in queue.entries) or "none"
        tell(
            "E415",
            span,
            f"queue `{queue.name}` has no entry `{verb}`; its entries are: {there}",
            Note("the queue is declared here", queue.decl.name.span),
        )
        return ()
    if (node.ref.index is None) != (queue.size is None):
        said = f"a family of {queue.size}" if queue.size else "one queue"
        tell(
            "E1307",
            span,
            f"`{queue.name}` is {said}, and an entry of it is called {'with' if queue.size else 'without'} an index",
            suggestion=f"{queue.name}[i].{verb} (…);" if queue.size else f"{queue.name}.{verb} (…);",
        )
        return ()
    entry = queue.entries.get((verb, node.source is not None and not links))
    if entry is None or (node.dest is not None) != links or (links and node.source is None):
        forms = " and ".join(
            f"`{verb} (…){' from …' if s else ''}{' from … to …' if links else ''}`" for (v, s) in queue.entries if v == verb
        )
        tell("E1325", span, f"`{shown}` is called as its entries say: queue `{queue.name}` has {forms}")
        return ()
    source = _source(inliner, node, entry)
    if entry.source is not None and source is None:
        return ()
    args = _arguments(inliner, node, entry.params or (), f"`{queue.name}.{verb}`", entry.verb.span)
    if args is None:
        return ()
    key = f"{queue.name}.{verb}{' from' if entry.source else ''}"
    if key in inliner.stack:
        cycle = " calls ".join(f"`{k}`" for k in (*inliner.stack[inliner.stack.index(key) :], key))
        tell("E1311", span, f"entries cannot call each other in a cycle: {cycle}")
        return ()
    inliner.called.add((f"{queue.name}.{verb}", entry.source is not None))
    localizer = Localizer(
        inliner.findings,
        queue,
        node.ref.index,
        {p.text: a for p, a in zip(entry.params or (), args, strict=True)},
        source,
        Use(f"`{queue.name}.{verb}`", span),
        frozenset() if verb == "route" else frozenset(name.text for name in assignments(entry.body)),
    )
    statements = localizer.statements(entry.body)
    _count(inliner, statements, span)
    inliner.stack.append(key)
    kind = Kind.ROUTE if verb == "route" else Kind.ENTRY
    inside = replace(place, kind=kind, order=queue.order if kind is Kind.ENTRY else place.order, queue=queue)
    result = inliner.statements(statements, inside)
    inliner.stack.pop()
    return (*result, *after_link(node)) if links else result


def _source(inliner: Inliner, node: syntax.CallStatement, entry: syntax.Entry) -> tuple[Queue, syntax.Expr | None] | None:
    """The queue a ``from`` names, and its member."""
    if entry.source is None or node.source is None:
        return None
    name = node.source.names[0].text
    queue = inliner.model.queues.get(name)
    if queue is None or name != entry.source.text:
        inliner.findings.error(
            "E1325",
            node.source.span,
            f"this entry takes the KV `from {entry.source.text}`, not from `{name}`",
            Note("the entry is declared here", entry.verb.span),
            suggestion=f"from {entry.source.text}",
        )
        return None
    if (node.source.index is None) != (queue.size is None):
        inliner.findings.error(
            "E1307",
            node.source.span,
            f"`{name}` is {'a family' if queue.size else 'one queue'} and is named {'with' if queue.size else 'without'} an index",
        )
        return None
    return queue, node.source.index


def _stand_in(span: Span) -> syntax.Number:
    return syntax.Number(span, 0.0, "0")
