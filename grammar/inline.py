"""Writes out every call of a block: requests, entries, serving forms and bindings become plain statements.

What may stand in which block is checked on the way (L7.3, L7.4, L7.15). Knows no types and no IR.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum

from grammar import building, syntax
from grammar.declarations import KVT
from grammar.definitions import MOST_NODES
from grammar.diagnostics import Note
from grammar.entries import Localizer
from grammar.expansion import Use, size, walk
from grammar.findings import Findings, hint
from grammar.holds import bound
from grammar.names import FUNCTIONS, RETIRED
from grammar.requests import Request, called
from grammar.scopes import Engine, Model, Queue
from grammar.serving import after_link, second_tier, tool_run, transfer_run
from grammar.source import Span
from grammar.vocabulary import LISTS, RETIRED_TODAY


class Kind(Enum):
    """Whose statements a block has, in words."""

    INIT = "`init`"
    TURN = "`turn`"
    SESSION = "the session"
    SERVER = "the server"
    ROUTE = "a gateway's `route`"
    ENTRY = "a queue's entry"
    REQUEST = "a request"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands.

    Attributes:
        kind: whose statements they are.
        order: the place of the item they are written in, for what must stand above (L3.4).
        held: inside a hold.
        forked: inside a leg.
        engine: the engine whose request it is.
        queue: the queue whose entry it is.
    """

    kind: Kind
    order: int
    held: bool = False
    forked: bool = False
    engine: Engine | None = None
    queue: Queue | None = None


@dataclass(slots=True)
class Inliner:
    """Writes out the calls of a program's blocks."""

    model: Model
    findings: Findings
    requests: dict[str, Request]
    uses: set[str]
    stack: list[str] = field(default_factory=list)
    bound: dict[str, Span] = field(default_factory=dict)
    called: set[tuple[str, bool]] = field(default_factory=set)
    written: int = 0

    def block(self, block: syntax.Block, place: Place) -> syntax.Block:
        """A block with every call written out."""
        return replace(block, statements=self.statements(block.statements, place))

    def statements(self, statements: Iterable[syntax.Statement], place: Place) -> tuple[syntax.Statement, ...]:
        """Statements with every call written out, in order."""
        return tuple(new for old in statements for new in self._statement(old, place))

    # ------------------------------------------------------------------ one statement

    def _statement(self, node: syntax.Statement, place: Place) -> tuple[syntax.Statement, ...]:
        if place.kind in (Kind.INIT, Kind.TURN) and not isinstance(node, syntax.Set | syntax.Observe | syntax.SizeDecl):
            return self._not_described(node, place)
        if isinstance(node, syntax.CallStatement):
            return self._call(node, place)
        if isinstance(node, syntax.Hold):
            return (self._hold(node, place),)
        if isinstance(node, syntax.Branch):
            orelse = None if node.orelse is None else self.block(node.orelse, place)
            guard: syntax.Expr = node.guard
            if node.drawn:
                guard = syntax.Draw(guard.span, building.name(guard.span, "bernoulli"), (guard,))
            return (replace(node, drawn=False, guard=guard, then=self.block(node.then, place), orelse=orelse),)
        if isinstance(node, syntax.While | syntax.Loop):
            return (replace(node, body=self.block(node.body, place)),)
        if isinstance(node, syntax.Fork):
            self._in_leg(node, place, "fork")
            return (replace(node, body=self.block(node.body, replace(place, forked=True))),)
        if isinstance(node, syntax.Tool):
            return tool_run(self.model, self.findings, node, place.order, in_session=place.kind is Kind.SESSION)
        if isinstance(node, syntax.Transfer):
            return transfer_run(self.model, self.findings, node, place.order)
        return self._plain(node, place)

    def _plain(self, node: syntax.Statement, place: Place) -> tuple[syntax.Statement, ...]:
        """A statement that stands for itself, where it may stand at all."""
        tell = self.findings.error
        if isinstance(node, syntax.Turn):
            if place.forked:
                self._in_leg(node, place, "turn")
            elif place.kind is not Kind.SESSION:
                tell("E1101", node.span, f"the next turn is the session's decision: `turn;` cannot stand in {place.kind.value}")
                return ()
        elif isinstance(node, syntax.Join):
            self._in_leg(node, place, "join")
        elif isinstance(node, syntax.End):
            self._end(node, place)
        elif isinstance(node, syntax.Mark):
            tell(
                "E1022",
                node.span,
                "`mark` is of a request or a queue's entry",
                suggestion=f"set {node.name.text} = now;",
            )
            return ()
        elif isinstance(node, syntax.ModeRun):
            word = node.mode.text
            tell(
                "E1021",
                node.mode.span,
                f"`{word} (…)` by itself stands only in an engine's `request`, which knows its engine",
                suggestion=f"run ENGINE {word} (cost(ENGINE, …));",
            )
            return ()
        elif isinstance(node, syntax.Run) and not node.stages:
            tell("E1137", node.work.span, "`run` without a stage stands only in a queue's entry", suggestion="run STAGE (…);")
            return ()
        elif isinstance(node, syntax.SizeDecl) and place.kind not in (Kind.INIT, Kind.TURN, Kind.SESSION):
            tell(
                "E1131",
                node.name.span,
                "a `Size` is what the workload says of a request; the server declares none",
                suggestion=f"set {node.name.text} = …;",
            )
        return (node,)

    def _in_leg(self, node: syntax.Statement, place: Place, word: str) -> None:
        if place.forked:
            self.findings.error("E1117", node.span, f"a leg is part of the request and cannot `{word}`")

    def _end(self, node: syntax.End, place: Place) -> None:
        if place.forked:
            self._in_leg(node, place, "end")
        elif place.kind in (Kind.ENTRY, Kind.REQUEST, Kind.ROUTE):
            self.findings.error(
                "E1128", node.span, f"`end;` refuses a request, which the server does and {place.kind.value} cannot"
            )
        elif place.kind is Kind.SERVER and place.held:
            self.findings.error(
                "E1128", node.span, "`end;` inside a hold would refuse a request that is admitted already", suggestion="refuse above the hold"
            )

    def _not_described(self, node: syntax.Statement, place: Place) -> tuple[syntax.Statement, ...]:
        if isinstance(node, syntax.CallStatement) and node.ref.text in self.model.engines:
            self._engine_in_workload(node, place)
            return ()
        if isinstance(node, syntax.CostDecl | syntax.CostRecord):
            self.findings.error(
                "E1107",
                node.value.span if isinstance(node, syntax.CostDecl) else node.name.span,
                f"{place.kind.value} says what a request needs, and the server makes costs of it",
                suggestion=f"Size {node.name.text} = …;",
            )
            return ()
        self.findings.error(
            "E1126", anchor(node), f"{place.kind.value} describes the request: it may `set`, `observe` and declare a `Size`, nothing else"
        )
        return ()

    def _hold(self, node: syntax.Hold, place: Place) -> syntax.Hold:
        for binding in node.bindings or ():
            self.bound.setdefault(binding.name.text, binding.name.span)
        inside = replace(node, body=self.block(node.body, replace(place, held=True)))
        return bound(self.findings, inside, live=frozenset({"cached", "now", *self.model.registers}))

    # ------------------------------------------------------------------ calls

    def _call(self, node: syntax.CallStatement, place: Place) -> tuple[syntax.Statement, ...]:
        first = node.ref.names[0].text
        if len(node.ref.names) > 1:
            if first == "kvt":
                return self._second_tier(node, place)
            if first in self.model.queues:
                return self._entry(node, self.model.queues[first], place)
        elif first in self.model.engines:
            return self._request(node, self.model.engines[first], place)
        return self._unknown(node)

    def _unknown(self, node: syntax.CallStatement) -> tuple[syntax.Statement, ...]:
        text = node.ref.text
        if text in RETIRED_TODAY:
            self.findings.error("E416", node.ref.span, f"`{text}` is written `{RETIRED_TODAY[text]}` today", suggestion=RETIRED_TODAY[text])
            return ()
        what = "is a function and gives a value" if text in FUNCTIONS and text not in RETIRED else "is nothing that can be called"
        candidates = [*self.model.engines, *(n for n, (k, _) in self.model.declared.items() if k == "definition")]
        self.findings.error(
            "E415", node.ref.span, f"`{text}` {what}: no statement, definition, engine or entry", suggestion=hint(text, candidates)
        )
        return ()

    def _second_tier(self, node: syntax.CallStatement, place: Place) -> tuple[syntax.Statement, ...]:
        if KVT not in self.uses:
            self.findings.error(
                "E1313", node.ref.span, f'`{node.ref.text}` needs `use "{KVT}";` at the top of the program', suggestion=f'use "{KVT}";'
            )
            return ()
        return self.statements(second_tier(self.model, self.findings, node, place.order), place)

    def _engine_in_workload(self, node: syntax.CallStatement, place: Place) -> None:
        self.findings.error(
            "E1017", node.ref.span, f"{place.kind.value} asks with `turn;`; the server calls the engine", suggestion="turn;"
        )

    def _request(self, node: syntax.CallStatement, engine: Engine, place: Place) -> tuple[syntax.Statement, ...]:
        """``E (a, …);`` (L6.5, L6.10, L6.12)."""
        name = engine.name
        span = node.ref.span
        if place.kind is Kind.SESSION:
            self._engine_in_workload(node, place)
            return ()
        if place.kind is Kind.REQUEST:
            self.findings.error("E1311", span, "a request cannot call an engine's request, its own or another's")
            return ()
        if node.ref.index is not None or name not in self.requests:
            self.findings.error(
                "E1016",
                span,
                f"engine `{name}` has no `request` to call",
                Note("the engine is declared here", engine.stage.span),
                suggestion=f"run {name} prefill (cost({name}, …));  or give it a `request`",
            )
            return ()
        if engine.order >= place.order:
            self.findings.error(
                "E1016", span, f"engine `{name}` is declared below this call", Note("it is declared here", engine.stage.span)
            )
            return ()
        request = self.requests[name]
        args = self._arguments(node, request.decl.params, f"engine `{name}`'s request", engine.stage.span)
        if args is None:
            return ()
        if node.source is not None or node.dest is not None:
            self.findings.error("E1325", span, f"a call of `{name}` takes no `from` and no `to`")
            return ()
        self.called.add((name, False))
        statements = called(engine, request, args, node)
        self._count(statements, span)
        inside = replace(place, kind=Kind.REQUEST, order=engine.order, engine=engine)
        return self.statements(statements, inside)

    def _arguments(
        self, node: syntax.CallStatement, params: tuple[syntax.Name, ...], of: str, where: Span
    ) -> list[syntax.Expr] | None:
        args = [a for a in node.args if not isinstance(a, syntax.Named | syntax.String)]
        if len(args) != len(params) or len(args) != len(node.args):
            names = ", ".join(p.text for p in params)
            self.findings.error(
                "E1015",
                node.ref.span,
                f"{of} takes {len(params)} argument{'' if len(params) == 1 else 's'} ({names}), and {len(node.args)} are given",
                Note("it is declared here", where),
                suggestion=f"{node.ref.text} ({names});",
            )
            return None
        for param, arg in zip(params, args, strict=True):
            for inner in walk(arg):
                if isinstance(inner, syntax.Draw):
                    self.findings.error(
                        "E1019",
                        node.ref.span,
                        f"the argument for `{param.text}` draws, and it is read wherever the parameter stands",
                        Note("the draw is here", inner.span),
                        suggestion="`set` a name to the draw and pass that",
                    )
                    return None
                if isinstance(inner, syntax.Ref) and len(inner.names) > 1 and inner.names[0].text in LISTS:
                    self.findings.error(
                        "E604", inner.span, f"`{inner.text}` is read in an engine's clauses, and not in an argument of a call"
                    )
                    return None
                if isinstance(inner, syntax.CallExpr) and inner.ref.text == "cost":
                    self.findings.error("E1023", inner.ref.span, f"the argument for `{param.text}` is a plain number, not a cost")
                    return None
        return args

    def _count(self, statements: Iterable[syntax.Statement], span: Span) -> None:
        self.written += sum(size(s) for s in statements)
        if self.written > MOST_NODES:
            self.findings.error(
                "E418", span, f"with this call the calls of the program write out more than {MOST_NODES:,} pieces"
            )
            self.findings.stop_if_any()

    def uncalled(self) -> None:
        """Write out, to see whether it can be, every request and entry that no statement calls; nothing of it is kept."""
        for name, request in self.requests.items():
            if (name, False) not in self.called:
                engine = self.model.engines[name]
                span = engine.stage.span
                args = tuple(_stand_in(span) for _ in request.decl.params)
                call = syntax.CallStatement(span, building.ref(span, name), args)
                self._request(call, engine, Place(Kind.SERVER, engine.order + 1))
        for queue in self.model.queues.values():
            for (verb, _), entry in queue.entries.items():
                if (f"{queue.name}.{verb}", entry.source is not None) not in self.called:
                    self._stand_in_call(queue, verb, entry)

    def _stand_in_call(self, queue: Queue, verb: str, entry: syntax.Entry) -> None:
        span = entry.verb.span
        source = dest = units = None
        if entry.source is not None:
            of = self.model.queues[entry.source.text]
            source = building.ref(span, of.name, None if of.size is None else _stand_in(span))
        elif verb == "transfer":
            source = dest = building.ref(span, queue.name)
            units = _stand_in(span)
        args = tuple(_stand_in(span) for _ in entry.params or ())
        index = None if queue.size is None else _stand_in(span)
        called_as = building.ref(span, f"{queue.name}.{verb}", index)
        call = syntax.CallStatement(span, called_as, args, source, dest, units)
        self._entry(call, queue, Place(Kind.SERVER, queue.order + 1))

    # ------------------------------------------------------------------ entries

    def _entry(self, node: syntax.CallStatement, queue: Queue, place: Place) -> tuple[syntax.Statement, ...]:
        """``Q[i].verb (a, …) [from S[k]] [to P (m)];`` (L8.5)."""
        span, shown = node.ref.span, node.ref.text
        tell = self.findings.error
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
            forms = " and ".join(f"`{verb} (…){' from …' if s else ''}{' from … to …' if links else ''}`" for (v, s) in queue.entries if v == verb)
            tell("E1325", span, f"`{shown}` is called as its entries say: queue `{queue.name}` has {forms}")
            return ()
        source = self._source(node, entry)
        if entry.source is not None and source is None:
            return ()
        args = self._arguments(node, entry.params or (), f"`{queue.name}.{verb}`", entry.verb.span)
        if args is None:
            return ()
        key = f"{queue.name}.{verb}{' from' if entry.source else ''}"
        if key in self.stack:
            cycle = " calls ".join(f"`{k}`" for k in (*self.stack[self.stack.index(key) :], key))
            tell("E1311", span, f"entries cannot call each other in a cycle: {cycle}")
            return ()
        self.called.add((f"{queue.name}.{verb}", entry.source is not None))
        localizer = Localizer(
            self.findings,
            queue,
            node.ref.index,
            {p.text: a for p, a in zip(entry.params or (), args, strict=True)},
            source,
            Use(f"`{queue.name}.{verb}`", span),
            verb == "route",
        )
        statements = localizer.statements(entry.body)
        self._count(statements, span)
        self.stack.append(key)
        kind = Kind.ROUTE if verb == "route" else Kind.ENTRY
        inside = replace(place, kind=kind, order=queue.order if kind is Kind.ENTRY else place.order, queue=queue)
        result = self.statements(statements, inside)
        self.stack.pop()
        return (*result, *after_link(node)) if links else result

    def _source(self, node: syntax.CallStatement, entry: syntax.Entry) -> tuple[Queue, syntax.Expr | None] | None:
        """The queue a ``from`` names, and its member."""
        if entry.source is None or node.source is None:
            return None
        name = node.source.names[0].text
        queue = self.model.queues.get(name)
        if queue is None or name != entry.source.text:
            self.findings.error(
                "E1325",
                node.source.span,
                f"this entry takes the KV `from {entry.source.text}`, not from `{name}`",
                Note("the entry is declared here", entry.verb.span),
                suggestion=f"from {entry.source.text}",
            )
            return None
        if (node.source.index is None) != (queue.size is None):
            self.findings.error(
                "E1307",
                node.source.span,
                f"`{name}` is {'a family' if queue.size else 'one queue'} and is named {'with' if queue.size else 'without'} an index",
            )
            return None
        return queue, node.source.index


def _stand_in(span: Span) -> syntax.Number:
    return syntax.Number(span, 0.0, "0")


def anchor(node: syntax.Statement) -> Span:
    """The piece of a statement that an error about the whole of it points at: what it names or decides by."""
    if isinstance(node, syntax.Run):
        return node.stages[0].span if node.stages else node.work.span
    if isinstance(node, syntax.Hold):
        return node.takes[0].pool.span
    if isinstance(node, syntax.Grow | syntax.Drop | syntax.Release | syntax.Load):
        return node.pool.span
    if isinstance(node, syntax.Branch | syntax.While):
        return node.guard.span
    if isinstance(node, syntax.Choose):
        return node.count.span
    if isinstance(node, syntax.Set | syntax.Observe | syntax.SizeDecl | syntax.CostDecl | syntax.CostRecord):
        return node.name.span
    if isinstance(node, syntax.CallStatement):
        return node.ref.span
    return node.span
