"""Builds small IR programs in few words; knows the IR and no engine.

A body is written where it stands, as a list of statements; ``Model.build`` lays the bodies out
as the IR's blocks, types every amount as a cost of its resource, and says whose each statement
is. So a test reads like the program it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from grammar import ir
from tests.engine.words import (
    BUILT_IN,
    END,
    INF,
    JOIN,
    LIFO,
    REFUSE,
    TURN,
    Body,
    Number,
    Of,
    PoolOf,
    Resource,
    StageOf,
    Value,
    admit,
    aggregate,
    assign,
    branch,
    cached,
    call,
    choose,
    client,
    computed,
    ctx,
    decode,
    drop,
    floor,
    forced,
    fork,
    grow,
    hold,
    load,
    loop,
    maximum,
    minimum,
    more,
    negated,
    new,
    node,
    nodes,
    now,
    out,
    prefill,
    present,
    put,
    release,
    repeat,
    run,
    sample,
    serial,
    serve,
    shrink,
    think,
    turn_no,
    when,
    where,
)

__all__ = [
    "BUILT_IN",
    "END",
    "INF",
    "JOIN",
    "LIFO",
    "REFUSE",
    "TURN",
    "Body",
    "Model",
    "Number",
    "Of",
    "PoolOf",
    "Resource",
    "StageOf",
    "Value",
    "admit",
    "aggregate",
    "assign",
    "branch",
    "cached",
    "call",
    "choose",
    "client",
    "computed",
    "ctx",
    "decode",
    "drop",
    "floor",
    "forced",
    "fork",
    "grow",
    "hold",
    "load",
    "loop",
    "maximum",
    "minimum",
    "more",
    "negated",
    "new",
    "node",
    "nodes",
    "now",
    "out",
    "prefill",
    "present",
    "put",
    "release",
    "repeat",
    "run",
    "sample",
    "serial",
    "serve",
    "shrink",
    "think",
    "turn_no",
    "when",
    "where",
]

# --------------------------------------------------------------------------- the program


class Model:
    """A program under construction. Its parts are numbered in the order declared."""

    def __init__(self) -> None:
        self._attrs = list(BUILT_IN)
        self._types: list[ir.AttrType] = ["Value" if name in ("cached", "computed") else "Size" for name in BUILT_IN]
        self._observes: list[str] = []
        self._pools: list[ir.Pool] = []
        self._stages: list[ir.Stage] = []
        self._registers: list[ir.Register] = []
        self._gauges: list[ir.Gauge] = []
        self._claims: list[ir.Claim] = []
        self._init: Body = ()
        self._turn: Body = ()
        self._session: Body = ()
        self._arrival: ir.Arrival = ir.Batch(1)
        self._blocks: list[tuple[Any, ...]] = []
        self._sides: list[tuple[ir.Side, ...]] = []

    # ------------------------------------------------------------------ names

    def size(self, name: str) -> Value:
        """A workload's attribute."""
        return self._attribute(name, "Size")

    def value(self, name: str) -> Value:
        """A server's attribute."""
        return self._attribute(name, "Value")

    def _attribute(self, name: str, kind: ir.AttrType) -> Value:
        self._attrs.append(name)
        self._types.append(kind)
        return Value(ir.Attr(len(self._attrs) - 1))

    def observe(self, name: str, value: Number) -> ir.Observe:
        """An observation, declared where it is first made."""
        return ir.Observe(self.observation(name), node(value))

    def observation(self, name: str) -> int:
        if name not in self._observes:
            self._observes.append(name)
        return self._observes.index(name)

    def register(self, name: str, init: float = 0.0) -> Value:
        """A register of the engine that is declared next."""
        self._registers.append(ir.Register(name, len(self._stages), init))
        return Value(ir.Reg(len(self._registers) - 1))

    # ------------------------------------------------------------------ deployment

    def pool(
        self,
        name: str,
        cap: float = INF,
        *,
        members: int | None = None,
        block: float | None = None,
        evict: Sequence[Number] | None = None,
        preempt: Sequence[Number] | None = None,
        tail: bool = False,
        queue: Sequence[Number] | None = None,
        spill: tuple[int, int, Number, Number] | None = None,
        admit_via: int | None = None,
        reserve_held: bool = False,
    ) -> PoolOf:
        """A pool, or an array of ``members`` alike; ``spill`` is (pool, stage, work, when)."""
        base = len(self._pools)
        for i in range(members or 1):
            self._pools.append(
                ir.Pool(
                    name=name,
                    cap=float(cap),
                    index=i if members is not None else None,
                    block=block,
                    evict=None if evict is None else ir.By(nodes(evict)),
                    preempt=None if preempt is None else ir.Preempt(nodes(preempt), tail),
                    queue=None if queue is None else nodes(queue),
                    spill=None if spill is None else ir.Spill(spill[0], spill[1], node(spill[2]), node(spill[3])),
                    admit_via=admit_via,
                    reserve_held=reserve_held,
                )
            )
        return PoolOf(base, members or 1)

    def _stage(self, name: str, kind: ir.Fifo | ir.Ps | ir.Step, members: int | None = None) -> StageOf:
        base = len(self._stages)
        for i in range(members or 1):
            self._stages.append(ir.Stage(name, kind, i if members is not None else None))
        return StageOf(base, members or 1)

    def fifo(self, name: str, servers: int = 1, *, members: int | None = None) -> StageOf:
        return self._stage(name, ir.Fifo(servers), members)

    def ps(self, name: str, capacity: Number, *, members: int | None = None) -> StageOf:
        return self._stage(name, ir.Ps(node(capacity)), members)

    def delay(self, name: str = "dl") -> StageOf:
        return self.ps(name, present)

    def engine(
        self,
        name: str = "llm",
        *,
        budget: Number = INF,
        cost: Number = 1,
        chunk: Number = 0,
        serve: Sequence[Number] | None = (),
        memory: PoolOf | None = None,
        granule: float | None = None,
        body: Sequence[Any] | None = None,
        members: int | None = None,
    ) -> StageOf:
        """An engine; ``serve`` None is exclusive prefill, ``body`` an explicit iteration."""
        step = ir.Step(
            budget=node(budget),
            cost=node(cost),
            chunk=node(chunk),
            serve=None if serve is None else ir.By(nodes(serve)),
            memory=memory.base if memory is not None else None,
            granule=granule,
            iteration=None if body is None else tuple(body),
        )
        return self._stage(name, step, members)

    # ------------------------------------------------------------------ workload

    def arrive(self, arrival: ir.Arrival) -> None:
        self._arrival = arrival

    def batch(self, count: int) -> None:
        self._arrival = ir.Batch(count)

    def sessions(self, attributes: Sequence[Value], *rows: Sequence[float]) -> None:
        """Explicit sessions with these attributes preset."""
        slots = [attribute.slot for attribute in attributes]
        self._arrival = ir.Sessions(
            tuple(ir.Preset(tuple((slot, float(x)) for slot, x in zip(slots, row, strict=True))) for row in rows)
        )

    def init(self, *body: Any) -> None:
        self._init = body

    def turn(self, *body: Any) -> None:
        self._turn = body

    def session(self, *body: Any) -> None:
        self._session = body

    def gauge(self, name: str, value: Number) -> None:
        self._gauges.append(ir.Gauge(name, node(value)))

    def claim(self, name: str, kind: Any, value: Number, stage: StageOf | None = None, given: Number | None = None) -> None:
        index = stage.base if stage is not None else None
        self._claims.append(ir.Claim(name, kind, node(value), index, None if given is None else node(given)))

    # ------------------------------------------------------------------ the IR

    def build(self, horizon: float = 100.0, **settings: Any) -> ir.Program:
        """The program.

        Args:
            horizon: its last moment, in seconds.
            settings: ``seed``, ``warmup``, ``arrivals``, ``trace``, ``trace_ordered``.
        """
        self._blocks, self._sides = [], []
        init = self._block(self._init, "Workload")
        turn = self._block(self._turn, "Workload")
        session = self._block(self._session, "Server")
        return ir.Program(
            attrs=tuple(self._attrs),
            attr_types=tuple(self._types),
            sides=tuple(self._sides),
            observes=tuple(self._observes),
            pools=tuple(self._pools),
            stages=tuple(self._stages),
            arrival=self._arrival,
            init=init,
            turn=turn,
            session=session,
            blocks=tuple(self._blocks),
            horizon=float(horizon),
            gauges=tuple(self._gauges),
            claims=tuple(self._claims),
            registers=tuple(self._registers),
            **settings,
        )

    def _block(self, body: Body, side: ir.Side) -> int:
        """Lays out a body and, after it, the bodies in it."""
        index = len(self._blocks)
        self._blocks.append(())
        self._sides.append(())
        statements, sides = [], []
        for item in body:
            statement = item.statement if isinstance(item, Of) else item
            own = item.side if isinstance(item, Of) else "Workload" if isinstance(item, ir.Turn | ir.End) else side
            inner = {
                field.name: self._block(getattr(statement, field.name), side)
                for field in fields(statement)
                if field.name in ("body", "then", "orelse")
            }
            statements.append(replace(statement, **inner))
            sides.append(own)
        self._blocks[index] = tuple(statements)
        self._sides[index] = tuple(sides)
        return index
