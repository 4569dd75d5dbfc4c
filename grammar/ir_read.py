"""From the JSON of a kernel IR, version 12, 13 or 14, to ``ir.Program``; checks its form and nothing else."""

from __future__ import annotations

from grammar import ir
from grammar.ir_node import SHAPE, InvalidIR, Node
from grammar.ir_read_expressions import OLDEST, ExpressionReader

VERSIONS = (12, 13, 14)
SHARE_IN_RUNS = 14  # from this version on only the runs say how flows share
MODES: tuple[ir.Mode, ...] = ("Plain", "Prefill", "Decode")
SHARES: tuple[ir.Share, ...] = ("MaxMin", "Bottleneck")
SIDES: tuple[ir.Side, ...] = ("Workload", "Server")
STATEMENTS = (
    *("Turn", "Set", "Observe", "Hold", "Grow", "Shrink", "Drop", "Release", "Load", "Run"),
    *("Branch", "Loop", "While", "Choose", "End", "Fork", "Join", "Request"),
)
SLOT_FIELDS = ("cached", "serial", "turn", "new", "out", "think", "more", "forced", "computed")


def from_json(data: object) -> ir.Program:
    """Reads an IR of version 12, 13 (with ``share`` in the program or in each run) or 14.

    What older versions write differently is turned into the shape of version 14: the stage
    kind ``Delay`` and the function ``Pow`` of 12, and the program's ``share`` of 12 and 13.

    Args:
        data: the parsed JSON.

    Returns:
        The program, whose meaning is not checked; ``validate.read_program`` does that.

    Raises:
        InvalidIR: for another version, a missing field, an unknown variant or a wrong type.
    """
    node = Node(data)
    version = node.field("version").natural()
    if version not in VERSIONS:
        raise InvalidIR("version", SHAPE, f"the IR is of version {version}; this reads {', '.join(map(str, VERSIONS))}")
    try:
        return _Reader(version, _program_share(node, version)).program(node)
    except RecursionError:
        raise InvalidIR("", SHAPE, "the IR is nested too deeply to be read") from None


def _program_share(node: Node, version: int) -> ir.Share | None:
    """The policy a program of version 12 or 13 gives all its flows (L11.1); 14 ignores the field."""
    share = node.optional("share") if version < SHARE_IN_RUNS else None
    return None if share is None else share.one_of("share policy", SHARES)


class _Reader(ExpressionReader):
    """The reading of one IR; holds what depends on its version."""

    def __init__(self, version: int, share: ir.Share | None) -> None:
        super().__init__(version)
        self._share = share

    # ---------------------------------------------------------------- program

    def program(self, node: Node) -> ir.Program:
        arrivals, trace = node.optional("arrivals"), node.optional("trace")
        return ir.Program(
            attrs=tuple(name.text() for name in node.field("attrs").items()),
            attr_types=tuple(self.attr_type(item) for item in node.field("attr_types").items()),
            sides=tuple(tuple(side.one_of("side", SIDES) for side in block.items()) for block in node.field("sides").items()),
            observes=tuple(name.text() for name in node.field("observes").items()),
            pools=tuple(self.pool(item) for item in node.field("pools").items()),
            stages=tuple(self.stage(item) for item in node.field("stages").items()),
            arrival=self.arrival(node.field("arrival")),
            init=node.field("init").natural(),
            turn=node.field("turn").natural(),
            session=node.field("session").natural(),
            blocks=tuple(tuple(self.statement(item) for item in block.items()) for block in node.field("blocks").items()),
            horizon=node.field("horizon").real(),
            warmup=node.field("warmup").real(),
            seed=node.field("seed").natural(),
            arrivals=None if arrivals is None else arrivals.natural(),
            trace=None if trace is None else trace.text(),
            trace_ordered=node.field("trace_ordered").flag(),
            slots=ir.Slots(*(node.field(f"slot_{name}").natural() for name in SLOT_FIELDS)),
            hidden=tuple(slot.natural() for slot in node.field("hidden").items()),
            gauges=tuple(ir.Gauge(n.field("name").text(), self.expr(n.field("expr"))) for n in self.listed(node, "gauges")),
            claims=tuple(self.claim(item) for item in self.listed(node, "claims")),
            registers=tuple(
                ir.Register(n.field("name").text(), n.field("stage").natural(), n.field("init").extended())
                for n in self.listed(node, "registers")
            ),
        )

    @staticmethod
    def listed(node: Node, name: str) -> list[Node]:
        field = node.default(name)
        return [] if field is None else field.items()

    def attr_type(self, node: Node) -> ir.AttrType:
        name, content = node.variant()
        if name == "Cost":
            return self.target(content)
        if name == "Size":
            return "Size"
        if name == "Value":
            return "Value"
        raise node.unknown_variant("attribute type", name, ("Size", "Value", "Cost"))

    def claim(self, node: Node) -> ir.Claim:
        kind, content = node.field("kind").variant()
        given, expr = node.optional("given"), node.field("expr")
        name, condition = node.field("name").text(), self.perhaps(given)
        if kind == "AtEnd":
            return ir.Claim(name, "AtEnd", self.expr(expr), given=condition)
        if kind == "EveryIteration":
            return ir.Claim(name, "EveryIteration", self.expr(expr), content.natural(), condition)
        if kind == "SomeIteration":
            return ir.Claim(name, "SomeIteration", self.expr(expr), content.natural(), condition)
        raise node.field("kind").unknown_variant("kind of claim", kind, ("EveryIteration", "SomeIteration", "AtEnd"))

    def arrival(self, node: Node) -> ir.Arrival:
        name, content = node.variant()
        match name:
            case "Poisson":
                return ir.Poisson(content.real())
            case "Renewal":
                return ir.Renewal(self.expr(content))
            case "Closed":
                return ir.Closed(content.natural())
            case "Batch":
                return ir.Batch(content.natural())
            case "Sessions":
                return ir.Sessions(tuple(self.preset(item) for item in content.items()))
            case "None":
                return None
        raise node.unknown_variant("arrival", name, ("Poisson", "Renewal", "Closed", "Batch", "Sessions", "None"))

    def preset(self, node: Node) -> ir.Preset:
        turns = self.listed(node, "turns")
        return ir.Preset(self.values(node.field("attrs")), tuple(self.values(turn) for turn in turns))

    @staticmethod
    def values(node: Node) -> tuple[tuple[int, float], ...]:
        pairs = (item.exactly(2) for item in node.items())
        return tuple((next(pair).natural(), next(pair).real()) for pair in pairs)

    # --------------------------------------------------------- pools and stages

    def pool(self, node: Node) -> ir.Pool:
        index, block, every = node.optional("index"), node.optional("block"), node.optional("queue_every")
        queue, spill, via = node.optional("queue"), node.optional("spill"), node.optional("admit_via")
        held = node.default("reserve_held")
        return ir.Pool(
            name=node.field("name").text(),
            cap=node.field("cap").extended(),
            index=None if index is None else index.natural(),
            block=None if block is None else block.real(),
            evict=self.evict(node.field("evict")),
            preempt=self.preempt(node.field("preempt")),
            queue=None if queue is None else self.exprs(queue),
            spill=None if spill is None else self.spill(spill),
            admit_via=None if via is None else via.natural(),
            reserve_held=held is not None and held.flag(),
            queue_every=None if every is None else every.real(),
        )

    def evict(self, node: Node) -> ir.By | None:
        name, content = node.variant()
        if name == "Lru":
            return None
        if name == "By":
            return ir.By(self.exprs(content))
        raise node.unknown_variant("eviction", name, ("Lru", "By"))

    def preempt(self, node: Node) -> ir.Preempt | ir.Leases | None:
        name, content = node.variant()
        if name == "None":
            return None
        if name == "By":
            tail = content.default("tail")
            return ir.Preempt(self.exprs(content.field("keys")), tail is not None and tail.flag())
        if name == "Leases":
            every, suspend = content.optional("every"), content.optional("suspend")
            return ir.Leases(
                self.exprs(content.field("keys")),
                None if every is None else every.real(),
                None if suspend is None else self.exprs(suspend),
            )
        raise node.unknown_variant("preemption", name, ("None", "By", "Leases"))

    def spill(self, node: Node) -> ir.Spill:
        to, via = node.field("to").natural(), node.field("via").natural()
        return ir.Spill(to, via, self.expr(node.field("work")), self.expr(node.field("when")))

    def stage(self, node: Node) -> ir.Stage:
        index = node.optional("index")
        return ir.Stage(node.field("name").text(), self.kind(node.field("kind")), None if index is None else index.natural())

    def kind(self, node: Node) -> ir.Fifo | ir.Ps | ir.Step:
        name, content = node.variant()
        match name:
            case "Fifo":
                return ir.Fifo(content.natural())
            case "Ps":
                return ir.Ps(self.expr(content))
            case "Step":
                return self.step(content)
            case "Delay" if self.version == OLDEST:
                return ir.Ps(ir.Ctx("N"))
        raise node.unknown_variant("kind of stage", name, ("Fifo", "Ps", "Step"))

    def step(self, node: Node) -> ir.Step:
        memory, granule, request = node.optional("memory"), node.optional("granule"), node.optional("request")
        iteration, connector = node.optional("iteration"), node.optional("connector")
        serve, content = node.field("serve").variant()
        if serve not in ("By", "ExclusivePrefill"):
            raise node.field("serve").unknown_variant("serving order", serve, ("By", "ExclusivePrefill"))
        return ir.Step(
            budget=self.expr(node.field("budget")),
            cost=self.expr(node.field("cost")),
            chunk=self.expr(node.field("chunk")),
            serve=ir.By(self.exprs(content)) if serve == "By" else None,
            memory=None if memory is None else memory.natural(),
            granule=None if granule is None else self.granule(granule),
            iteration=None if iteration is None else self.schedule(iteration),
            request=None if request is None else self.request_clause(request),
            connector=None if connector is None else self.connector(connector),
        )

    def granule(self, node: Node) -> float:
        expr = self.expr(node)
        if not isinstance(expr, ir.Num):
            raise InvalidIR(node.path, SHAPE, "a granule is a number")
        return expr.value

    def schedule(self, node: Node) -> tuple[ir.ScheduleStatement, ...]:
        return tuple(self.schedule_statement(item) for item in node.items())

    def schedule_statement(self, node: Node) -> ir.ScheduleStatement:
        name, content = node.variant()
        match name:
            case "Serve":
                by = content.optional("by")
                return ir.Serve(self.perhaps(content.optional("only")), None if by is None else self.exprs(by))
            case "Admit":
                return ir.Admit(self.perhaps(content.optional("only")), self.perhaps(content.optional("gate")))
            case "Branch":
                guard, then, orelse = content.exactly(3)
                return ir.SBranch(self.expr(guard), self.schedule(then), self.schedule(orelse))
            case "Set":
                register, expr = content.exactly(2)
                return ir.SSet(register.natural(), self.expr(expr))
        raise node.unknown_variant("statement of a schedule", name, ("Serve", "Admit", "Branch", "Set"))

    def request_clause(self, node: Node) -> ir.RequestClause:
        records, prefix = node.field("records"), node.optional("prefix")
        names = ("reused", "prefill", "admitted", "first", "last_reused", "last_prefill")
        return ir.RequestClause(
            pools=tuple(self.take(item) for item in node.field("pools").items()),
            records=ir.RequestRecords(*(records.field(name).natural() for name in names)),
            reuse=self.perhaps(node.optional("reuse")),
            cache=self.perhaps(node.optional("cache")),
            prefix=None if prefix is None else self.segments(prefix),
        )

    def connector(self, node: Node) -> ir.Connector:
        load, save, source = node.optional("load"), node.optional("save"), node.optional("from")
        return ir.Connector(
            loaded=node.field("loaded").natural(),
            saved=node.field("saved").natural(),
            load_done=node.field("load_done").natural(),
            record=node.field("record").natural(),
            load=None if load is None else self.amount_and_block(load),
            save=None if save is None else self.amount_and_block(save),
            source=None if source is None else source.natural(),
        )

    def amount_and_block(self, node: Node) -> tuple[ir.Expr, int]:
        amount, block = node.exactly(2)
        return self.expr(amount), block.natural()

    # --------------------------------------------------------------- statements

    def statement(self, node: Node) -> ir.Statement:
        name, content = node.variant()
        read = getattr(self, f"_s_{name.lower()}", None)
        if read is None or name not in STATEMENTS:
            raise node.unknown_variant("statement", name, STATEMENTS)
        statement: ir.Statement = read(content)
        return statement

    def _s_turn(self, _: Node) -> ir.Statement:
        return ir.Turn()

    def _s_end(self, _: Node) -> ir.Statement:
        return ir.End()

    def _s_join(self, _: Node) -> ir.Statement:
        return ir.Join()

    def _s_set(self, node: Node) -> ir.Statement:
        slot, expr = node.exactly(2)
        return ir.Set(slot.natural(), self.expr(expr))

    def _s_observe(self, node: Node) -> ir.Statement:
        observe, expr = node.exactly(2)
        return ir.Observe(observe.natural(), self.expr(expr))

    def _s_hold(self, node: Node) -> ir.Statement:
        lease, prefix = node.optional("lease"), node.optional("prefix")
        return ir.Hold(
            pools=tuple(self.take(item) for item in node.field("pools").items()),
            body=node.field("body").natural(),
            reuse=self.perhaps(node.optional("reuse")),
            cache=self.perhaps(node.optional("cache")),
            lease=None if lease is None else ir.Lease(*self.ref_and_expr(lease)),
            prefix=None if prefix is None else self.segments(prefix),
        )

    def take(self, node: Node) -> ir.Take:
        pool, units, reserve = node.exactly(3)
        return ir.Take(self.ref(pool), self.expr(units), None if reserve.value is None else self.expr(reserve))

    def segments(self, node: Node) -> tuple[ir.Segment, ...]:
        pairs = (item.exactly(2) for item in node.items())
        return tuple(ir.Segment(self.expr(next(pair)), self.expr(next(pair))) for pair in pairs)

    def ref_and_expr(self, node: Node) -> tuple[ir.Ref, ir.Expr]:
        ref, expr = node.exactly(2)
        return self.ref(ref), self.expr(expr)

    def _s_grow(self, node: Node) -> ir.Statement:
        return ir.Grow(*self.ref_and_expr(node))

    def _s_shrink(self, node: Node) -> ir.Statement:
        return ir.Shrink(*self.ref_and_expr(node))

    def _s_load(self, node: Node) -> ir.Statement:
        return ir.Load(*self.ref_and_expr(node))

    def _s_drop(self, node: Node) -> ir.Statement:
        return ir.Drop(self.ref(node))

    def _s_release(self, node: Node) -> ir.Statement:
        return ir.Release(self.ref(node))

    def _s_run(self, node: Node) -> ir.Statement:
        growing, share, poster = node.optional("growing"), node.optional("share"), node.optional("poster")
        also = tuple(self.ref(item) for item in self.listed(node, "also"))
        policy = share.one_of("share policy", SHARES) if share is not None else self._share if also else None
        return ir.Run(
            stage=self.ref(node.field("stage")),
            mode=node.field("mode").one_of("mode of a run", MODES),
            work=self.expr(node.field("work")),
            growing=None if growing is None else self.ref(growing),
            also=also,
            share=policy,
            latency=self.perhaps(node.optional("latency")),
            poster=None if poster is None else poster.natural(),
        )

    def _s_branch(self, node: Node) -> ir.Statement:
        guard, then, orelse = node.exactly(3)
        return ir.Branch(self.expr(guard), then.natural(), orelse.natural())

    def _s_loop(self, node: Node) -> ir.Statement:
        return ir.Loop(node.natural())

    def _s_while(self, node: Node) -> ir.Statement:
        guard, body = node.exactly(2)
        return ir.While(self.expr(guard), body.natural())

    def _s_choose(self, node: Node) -> ir.Statement:
        return ir.Choose(node.field("var").natural(), self.expr(node.field("count")), self.exprs(node.field("key")))

    def _s_fork(self, node: Node) -> ir.Statement:
        return ir.Fork(node.natural())

    def _s_request(self, node: Node) -> ir.Statement:
        return ir.Request(self.ref(node.field("stage")), self.expr(node.field("input")), self.expr(node.field("output")))
