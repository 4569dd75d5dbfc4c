"""From a source text to the kernel IR: the passes of the linker, in order (L13.5)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from grammar import attributes, ir, syntax, workload
from grammar.bodies import assignments
from grammar.calls import uncalled
from grammar.checks_entries import EntryRules, check_outside
from grammar.checks_flow import FlowRules
from grammar.checks_holds import CachedRules, HoldRules
from grammar.checks_names import (
    check_attributes,
    check_bindings,
    check_declared_reads,
    check_privacy,
    check_records,
    check_registers,
    check_scopes_of_bindings,
    plainly_assigned,
)
from grammar.checks_requests import RequestRules
from grammar.claims import claims, gauges
from grammar.conditions import Known
from grammar.constants import Constants
from grammar.declarations import Declarations
from grammar.declaring import dataclass
from grammar.definitions import Definitions
from grammar.deployment import declare_device, declare_engine
from grammar.diagnostics import Diagnostic, ProgramError
from grammar.dropped import clause_of
from grammar.expansion import plain, walk
from grammar.expressions import Reader
from grammar.findings import Findings, text_order
from grammar.hidden import HiddenRules
from grammar.inline import Inliner
from grammar.lints import lint
from grammar.lower import Deploying, Deployment
from grammar.names import BUILT_IN, SCHEDULER_SET
from grammar.owned_pools import check_capacities, declare_owned_pool
from grammar.parser import parse
from grammar.places import closing_brace, server_word, source_map
from grammar.queues import declare_queue
from grammar.reads import Clause, Column
from grammar.relations import check_share, declare_relation
from grammar.requests import Request, taken_apart
from grammar.schedule import Schedule, reads_of_any_request, take_apart
from grammar.scopes import Model, Register
from grammar.settings import Settings, check_arrivals, check_times
from grammar.source import Source, Span
from grammar.standing import Kind, Place
from grammar.statements import Lowered, Statements
from grammar.structure import structure_errors
from grammar.types import Types

__all__ = ["Linked", "Settings", "link"]


@dataclass(frozen=True, slots=True)
class Linked:
    """A program with where its statements stand in the text.

    Attributes:
        program: the IR.
        places: the text of each statement.
        warnings: what links and is likely wrong, in text order.
        inputs: for each declared input its name, its default and the value used, in order.
        known: what its names stand for.
    """

    program: ir.Program
    places: ir.SourceMap
    warnings: tuple[Diagnostic, ...]
    inputs: tuple[tuple[str, float, float], ...]
    known: Known


def link(source: Source, settings: Settings) -> Linked:
    """Read, check and lower a program.

    Args:
        source: the text.
        settings: how it is run.

    Returns:
        The program with its places and warnings.

    Raises:
        ProgramError: with every error that can honestly be told at once (L13.5).
    """
    linking = _Linking(source, settings)
    try:
        return linking.link()
    except RecursionError:
        raise ProgramError((linking.too_deep(),), source) from None


DEEP_TERMS = 200
"""Terms of an aggregate that can always be followed: Python's 1000 frames end at about 450, a few of them the caller's."""


class _Linking:
    """One linking; each method is a pass and leaves what it made for those after it."""

    def __init__(self, source: Source, settings: Settings) -> None:
        self.source = source
        self.settings = settings
        self.findings = Findings(source)
        self.model = Model(self.findings)
        self.constants = Constants(self.findings)
        self.declarations = Declarations(self.findings, self.model, self.constants, settings.sets)
        self.reader = Reader(self.findings, self.model, self.constants)
        self.schedules: dict[str, Schedule] = {}
        self.requests: dict[str, Request] = {}
        self.definitions: Definitions | None = None
        self.text: syntax.Text | None = None

    def too_deep(self) -> Diagnostic:
        """What to say where definitions in definitions nest deeper than the walks over them can follow (L3.27)."""
        terms, largest = max(self._aggregates(), key=lambda found: found[0], default=(0.0, None))
        if largest is not None and terms > DEEP_TERMS:
            return Diagnostic(
                "E512",
                "error",
                f"this aggregate writes out {terms:g} terms, each around the ones before, and so many are too deep to follow",
                plain(largest.span),
                suggestion=f"add up parts of {DEEP_TERMS} members each: `j`, then `j + {DEEP_TERMS}`, and so on",
            )
        latest = None if self.definitions is None else self.definitions.latest
        return Diagnostic(
            "E418",
            "error",
            "definitions and calls are nested too deep here to be written out",
            Span(1, 1, 1, 2) if latest is None else plain(latest),
            suggestion="compute the inner part first with a `set` and read its name",
        )

    def _aggregates(self) -> Iterator[tuple[float, syntax.Over]]:
        """The aggregates of the text with how many terms each has."""
        for node in () if self.text is None else walk(self.text):
            if isinstance(node, syntax.Over):
                yield self.constants.maybe(node.count) or 0.0, node

    def link(self) -> Linked:
        check_times(self.findings, self.settings)
        self.findings.stop_if_any()
        text = self.text = parse(self.source)
        outline = structure_errors(text)
        if outline:
            raise ProgramError(outline, self.source)
        items = self._definitions(text)
        self._declare(items)
        self.findings.stop_if_any()
        self._engines()
        self._rules()
        self.findings.stop_unless_unknown()
        load, blocks = self._write_out()
        self.findings.stop_unless_unknown()
        program, lowered, deployment = self._lower(load, blocks)
        self.findings.stop_if_any()
        types = Types(self.model, self.findings, self.reader, lowered, self.assigned.workload)
        types.check(program)
        self._checks(program, lowered)
        self.findings.stop_if_any()
        program = replace(program, attr_types=types.attr_types())
        lint(self.findings, text, self.settings, self.model, self.constants, self.schedules, lowered, program)
        return Linked(
            program,
            source_map(lowered, deployment, load.arrival),
            tuple(sorted(self.findings.warnings, key=text_order)),
            tuple((i.name, i.default, i.value) for i in self.constants.inputs.values()),
            Known(self.model, self.constants, self.definitions),
        )

    def _checks(self, program: ir.Program, lowered: Lowered) -> None:
        """The rules that are told from the lowered statements."""
        HoldRules(self.findings, self.reader, lowered, program).check()
        FlowRules(self.findings, self.model, lowered, program, self.declarations.parts.share).check()
        HiddenRules(self.model, self.findings, self.reader, lowered, program).check()
        CachedRules(self.findings, self.reader, lowered, program).check()

    # ------------------------------------------------------------------ passes

    def _definitions(self, text: syntax.Text) -> list[tuple[syntax.Item, bool]]:
        """Every definition put in place of its uses; the items that are left, and whether each stands in ``main``."""
        flat = list(_flat(text))
        self.written = [item for item, _ in flat]
        definitions = self.definitions = Definitions(self.findings, self.written, self.settings.defs)
        left = []
        for item, in_main in flat:
            if isinstance(item, syntax.Def):
                definitions.declared(item)
                self.declarations.definition(item)
            else:
                left.append((definitions.item(item), in_main))
        self.dropped = definitions.dropped
        return left

    def _declare(self, items: list[tuple[syntax.Item, bool]]) -> None:
        to = self.declarations
        to.lets(item for item, _ in items)
        for order, (item, in_main) in enumerate(items, 1):
            to.order = order
            if isinstance(item, syntax.Let):
                to.let(item, in_main=in_main)
            else:
                to.stray_inputs(walk(item))
                self._declare_one(item)
        if not self.findings.errors:
            check_capacities(to)
            check_share(to)
        to.unknown_inputs(self.settings)
        to.named_args()

    def _declare_one(self, item: syntax.Item) -> None:
        to = self.declarations
        parts = to.parts
        if isinstance(item, syntax.Use):
            parts.uses.add(item.path.value)
        elif isinstance(item, syntax.Pool):
            if item.owner is None:
                to.plain_pool(item)
            else:
                declare_owned_pool(to, item)
        elif isinstance(item, syntax.Stage):
            to.plain_stage(item)
        elif isinstance(item, syntax.Device):
            declare_device(to, item)
        elif isinstance(item, syntax.Engine):
            declare_engine(to, item)
        elif isinstance(item, syntax.Queue):
            declare_queue(to, item)
        elif isinstance(item, syntax.Relation):
            declare_relation(to, item)
        elif isinstance(item, syntax.Workload):
            parts.workload, parts.workload_order = item, to.order
        elif isinstance(item, syntax.Server):
            parts.server, parts.server_order = item, to.order
        elif isinstance(item, syntax.ShareDecl):
            parts.share = item
        elif isinstance(item, syntax.GaugeDecl):
            to.measured("gauge", item.name)
            parts.gauges.append(item)
        elif isinstance(item, syntax.ClaimDecl):
            to.measured("claim", item.name)
            parts.claims.append(item)

    def _engines(self) -> None:
        """Schedules and requests taken apart, registers numbered, names that entries set collected."""
        for engine in self.model.engines.values():
            self.schedules[engine.name] = take_apart(self.declarations, engine)
            for name, state in engine.states.items():
                if name not in self.model.registers:
                    index = len(self.model.registers)
                    self.model.registers[name] = Register(name, engine, index, state.name.span)
            if engine.request is not None:
                self.requests[engine.name] = taken_apart(self.findings, engine.request)
                marks = (n.name for n in walk(engine.request) if isinstance(n, syntax.Mark))
                engine.marks = {f"{engine.name}.{m.text}": m.span for m in marks}
        for queue in self.model.queues.values():
            for (verb, _), entry in queue.entries.items():
                if verb != "route":
                    queue.marks.update((n.name.text, n.name.span) for n in walk(entry.body) if isinstance(n, syntax.Mark))

    def _rules(self) -> None:
        """What requests and entries may say, as written and whether called or not."""
        parts = self.declarations.parts
        outside: list[syntax.Node] = [n for n in (parts.workload, parts.server) if n is not None]
        outside.extend(e.body for q in self.model.queues.values() for (v, _), e in q.entries.items() if v == "route")
        session = frozenset(name.text for node in outside for name in assignments(node)) | BUILT_IN
        workload_items = () if parts.workload is None else parts.workload.items
        hidden = frozenset(n.text for i in workload_items if isinstance(i, syntax.Hidden) for n in i.names)
        for engine in self.model.engines.values():
            if engine.name in self.requests:
                request = self.requests[engine.name]
                engine.privates = {n.text: n.span for n in assignments(request.decl) if n.text not in SCHEDULER_SET}
                RequestRules(self.declarations, engine, request, session - engine.privates.keys(), hidden).check()
        for queue in self.model.queues.values():
            for (verb, _), entry in queue.entries.items():
                if verb != "route":
                    EntryRules(self.declarations, queue, entry, session, hidden).check()
        texts = [("", node) for node in outside]
        texts.extend((name, request.decl) for name, request in self.requests.items())
        for _, node in texts:
            check_outside(self.findings, self.model, node)
        check_privacy(self.findings, self.model.engines.values(), texts)

    def _write_out(self) -> tuple[workload.Load, _Blocks]:
        """Every call written out, every attribute numbered."""
        parts = self.declarations.parts
        load = workload.take_in(self.findings, parts.workload)
        inliner = Inliner(self.model, self.findings, self.requests, parts.uses)
        here = parts.workload_order
        init = inliner.statements(_statements(load.init), Place(Kind.INIT, here))
        turn = inliner.statements(_statements(load.turn), Place(Kind.TURN, here))
        session: tuple[syntax.Statement, ...] = (syntax.Turn(server_word(parts.server)),)
        if load.session is not None:
            session = inliner.statements(load.session.statements, Place(Kind.SESSION, here))
        elif parts.workload is None:
            session = ()
        body = None if parts.server is None else parts.server.body
        server = inliner.statements(_statements(body), Place(Kind.SERVER, parts.server_order))
        last = load.session or body
        end = server_word(None) if last is None else closing_brace(last.span)
        uncalled(inliner)
        blocks = _Blocks(init, turn, session, server, end, tuple(inliner.dropped))
        self.assigned = attributes.number(self.model, init, turn, session, server)
        check_attributes(self.findings, self.model, self.constants, self.assigned)
        own = plainly_assigned((*init, *turn, *session, *server))
        check_records(self.findings, self.model, self.constants, (*session, *server), own)
        check_bindings(self.findings, self.model, self.constants, inliner.bound, self.assigned, own)
        check_registers(self.findings, self.model, self.constants, self.assigned, self.model.engines.values())
        if not self.findings.errors:
            bound = {n: s for n, s in inliner.bound.items() if n in self.model.attributes and n not in own}
            check_scopes_of_bindings(self.findings, (*session, *server), bound)
            served = (node for schedule in self.schedules.values() for node in reads_of_any_request(schedule))
            check_declared_reads(self.findings, (*self.model.outside_holds(), *served, *init, *turn), bound)
        self.hidden = workload.hidden_slots(self.findings, self.model, load.hidden)
        for name in load.hidden:
            self.model.hidden.setdefault(name.text, name.span)
        return load, blocks

    def _lower(self, load: workload.Load, blocks: _Blocks) -> tuple[ir.Program, Lowered, Deployment]:
        parts = self.declarations.parts
        deployment = Deploying(self.model, self.findings, self.constants, self.reader, self.schedules).lower()
        arrival = workload.arrival(self.findings, self.constants, self.reader, load.arrival)
        check_arrivals(self.findings, self.settings, arrival)
        statements = Statements(self.model, self.findings, self.constants, self.reader, blocks.server)
        init = statements.block(blocks.init, "Workload")
        turn = statements.block(blocks.turn, "Workload")
        session = statements.block(blocks.session, "Workload", session=None if parts.workload is None else blocks.end)
        for unread in self.dropped:
            self.reader.look_up(unread, clause_of(unread, self.written, self.model.engines))
        for unread in blocks.dropped:
            self.reader.look_up(unread, Clause(Column.STATEMENT))
        measured = gauges(self.reader, parts.gauges), claims(self.reader, parts.claims)
        lowered = statements.lowered
        settings = self.settings
        trace = settings.trace if settings.trace is not None else None if load.trace is None else load.trace.path.value
        share = None if parts.share is None else _SHARES[parts.share.policy.text]
        program = ir.Program(
            attrs=tuple(self.model.attributes),
            attr_types=(),
            sides=tuple(lowered.sides),
            observes=tuple(self.model.observes),
            pools=tuple(deployment.pools),
            stages=tuple(deployment.stages),
            arrival=arrival,
            init=init,
            turn=turn,
            session=session,
            blocks=tuple(_shared(block, share) for block in lowered.blocks),
            horizon=math.inf if settings.horizon is None else settings.horizon,
            warmup=settings.warmup,
            seed=settings.seed,
            arrivals=settings.arrivals,
            trace=trace,
            trace_ordered=load.trace is not None and load.trace.ordered,
            hidden=self.hidden,
            gauges=measured[0],
            claims=measured[1],
            registers=tuple(deployment.registers),
        )
        return program, lowered, deployment


@dataclass(frozen=True, slots=True)
class _Blocks:
    """The program's statements with every call written out.

    ``end`` is where the session ends, ``dropped`` are pieces of arguments that stand nowhere in the statements.
    """

    init: tuple[syntax.Statement, ...]
    turn: tuple[syntax.Statement, ...]
    session: tuple[syntax.Statement, ...]
    server: tuple[syntax.Statement, ...]
    end: Span
    dropped: tuple[syntax.NameExpr, ...]


_SHARES: dict[str, ir.Share] = {"maxmin": "MaxMin", "bottleneck": "Bottleneck"}


def _shared(block: tuple[ir.Statement, ...], share: ir.Share | None) -> tuple[ir.Statement, ...]:
    """The block with the program's policy in each run over several stages (version 14's place for it)."""
    return tuple(replace(s, share=share) if isinstance(s, ir.Run) and s.also else s for s in block)


def _flat(text: syntax.Text) -> Iterator[tuple[syntax.Item, bool]]:
    """The items in order, those of ``main`` in its place (L3.1)."""
    for item in text.items:
        if isinstance(item, syntax.Main):
            yield from ((inner, True) for inner in item.items)
        else:
            yield item, False


def _statements(block: syntax.Block | None) -> tuple[syntax.Statement, ...]:
    return () if block is None else block.statements
