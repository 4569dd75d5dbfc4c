"""From a source text to the kernel IR: the passes of the linker, in order (L13.5)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from grammar import attributes, ir, syntax, workload
from grammar.claims import claims, gauges
from grammar.constants import Constants
from grammar.declarations import Declarations
from grammar.definitions import Definitions, assignments
from grammar.deployment import check_capacities, declare_device, declare_engine, declare_owned_pool
from grammar.diagnostics import Diagnostic, ProgramError
from grammar.expansion import walk
from grammar.expressions import Reader
from grammar.findings import Findings, text_order
from grammar.inline import Inliner, Kind, Place
from grammar.lower import Deploying, Deployment
from grammar.parser import parse
from grammar.queues import check_share, check_sources, declare_queue, declare_relation
from grammar.requests import Request, taken_apart
from grammar.schedule import Schedule, take_apart
from grammar.scopes import Model, Register
from grammar.source import Source, Span
from grammar.statements import Lowered, Statements
from grammar.structure import structure_errors
from grammar.types import Types


@dataclass(frozen=True, slots=True)
class Settings:
    """How a program is run, given from outside the text (L3.2).

    Attributes:
        horizon: seconds of the program's clock the run lasts; None where none is chosen yet, which leaves it infinite.
        warmup: seconds at the start that the report leaves out.
        seed: of the random streams.
        arrivals: how many sessions arrive, of an open workload only.
        trace: the file that stands for the workload's trace.
        sets: values of the program's inputs.
        defs: bodies of expression definitions.
    """

    horizon: float | None
    warmup: float = 0.0
    seed: int = 1
    arrivals: int | None = None
    trace: str | None = None
    sets: Mapping[str, float | str] = field(default_factory=dict)
    defs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Linked:
    """A program with where its statements stand in the text.

    Attributes:
        program: the IR.
        places: the text of each statement.
        warnings: what links and is likely wrong, in text order.
        inputs: for each declared input its name, its default and the value used, in order.
    """

    program: ir.Program
    places: ir.SourceMap
    warnings: tuple[Diagnostic, ...]
    inputs: tuple[tuple[str, float, float], ...]


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
    return _Linking(source, settings).link()


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

    def link(self) -> Linked:
        text = parse(self.source)
        outline = structure_errors(text)
        if outline:
            raise ProgramError(outline, self.source)
        items = self._definitions(text)
        self._declare(items)
        self.findings.stop_if_any()
        self._engines()
        self.findings.stop_if_any()
        load, blocks = self._write_out()
        self.findings.stop_if_any()
        program, lowered, deployment = self._lower(load, blocks)
        self.findings.stop_if_any()
        types = Types(self.model, self.findings, self.reader, lowered, self.assigned.workload)
        types.check(program)
        self.findings.stop_if_any()
        program = replace(program, attr_types=types.attr_types())
        return Linked(
            program,
            _places(lowered, deployment),
            tuple(sorted(self.findings.warnings, key=text_order)),
            tuple((i.name, i.default, i.value) for i in self.constants.inputs.values()),
        )

    # ------------------------------------------------------------------ passes

    def _definitions(self, text: syntax.Text) -> list[tuple[syntax.Item, bool]]:
        """Every definition put in place of its uses; the items that are left, and whether each stands in ``main``."""
        flat = list(_flat(text))
        definitions = Definitions(self.findings, [item for item, _ in flat], self.settings.defs)
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
        check_capacities(to)
        check_share(to)
        to.unknown_inputs(self.settings.sets)

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
            if item.name.text in self.model.queues:
                check_sources(to, self.model.queues[item.name.text])
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
        for queue in self.model.queues.values():
            for (verb, _), entry in queue.entries.items():
                if verb != "route":
                    for name in assignments(entry.body):
                        queue.locals.setdefault(name.text, name.span)

    def _write_out(self) -> tuple[workload.Load, _Blocks]:
        """Every call written out, every attribute numbered."""
        parts = self.declarations.parts
        load = workload.take_in(self.findings, parts.workload)
        inliner = Inliner(self.model, self.findings, self.requests, parts.uses, [])
        here = parts.workload_order
        init = inliner.statements(_statements(load.init), Place(Kind.INIT, here))
        turn = inliner.statements(_statements(load.turn), Place(Kind.TURN, here))
        session = (syntax.Turn(_span(parts.server)),)
        if load.session is not None:
            session = inliner.statements(load.session.statements, Place(Kind.SESSION, here))
        elif parts.workload is None:
            session = ()
        server = () if parts.server is None else inliner.statements(parts.server.body.statements, Place(Kind.SERVER, parts.server_order))
        end = _span(parts.server) if load.session is None else load.session.span
        blocks = _Blocks(init, turn, session, server, end)
        self.assigned = attributes.number(self.model, init, turn, session, server)
        self.hidden = workload.hidden_slots(self.findings, self.model, load.hidden)
        for name in load.hidden:
            self.model.hidden.setdefault(name.text, name.span)
        return load, blocks

    def _lower(self, load: workload.Load, blocks: _Blocks) -> tuple[ir.Program, Lowered, Deployment]:
        parts = self.declarations.parts
        deployment = Deploying(self.model, self.findings, self.constants, self.reader, self.schedules).lower()
        arrival = workload.arrival(self.findings, self.constants, self.reader, load.arrival)
        statements = Statements(self.model, self.findings, self.constants, self.reader, blocks.server)
        init = statements.block(blocks.init, "Workload")
        turn = statements.block(blocks.turn, "Workload")
        session = statements.block(blocks.session, "Workload", session=blocks.end)
        measured = gauges(self.reader, parts.gauges), claims(self.reader, parts.claims)
        lowered = statements.lowered
        settings = self.settings
        trace = settings.trace if settings.trace is not None else None if load.trace is None else load.trace.path.value
        share = None if parts.share is None else _SHARES[parts.share.policy.text]
        program = ir.Program(
            attrs=tuple(self.model.attributes),
            attr_types=("Value",) * len(self.model.attributes),
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
    """The program's statements with every call written out; ``end`` is where the session ends."""

    init: tuple[syntax.Statement, ...]
    turn: tuple[syntax.Statement, ...]
    session: tuple[syntax.Statement, ...]
    server: tuple[syntax.Statement, ...]
    end: Span


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


def _span(server: syntax.Server | None) -> Span:
    return Span(1, 1, 1, 1) if server is None else server.span


def _places(lowered: Lowered, deployment: Deployment) -> ir.SourceMap:
    """The side table from statements to the text."""
    places = ir.SourceMap()
    for key in lowered.origins:
        places.statements[key] = lowered.place(*key)
    for stage, paths in deployment.schedules.items():
        for path, span in paths.items():
            places.schedule[stage, path] = _place(span)
    for stage, span in deployment.execute.items():
        places.execute[stage] = _place(span)
    for stage, span in deployment.tokens_cap.items():
        places.tokens_cap[stage] = _place(span)
    return places


def _place(span: Span) -> ir.Place:
    return ir.Place(span.line, span.column, span.end_line, span.end_column)
