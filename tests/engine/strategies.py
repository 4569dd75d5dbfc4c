"""Small random programs around one engine, for properties; every choice shrinks to the plainer one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from grammar import ir
from tests.engine.programs import (
    INF,
    LIFO,
    TURN,
    Model,
    Number,
    admit,
    branch,
    cached,
    call,
    client,
    computed,
    ctx,
    decode,
    floor,
    hold,
    maximum,
    minimum,
    prefill,
    put,
    repeat,
    run,
    sample,
    serial,
    serve,
    turn_no,
    when,
    where,
)

SERVES = ("plain", "decodes first", "by free", "by prompt", "exclusive", "body", "gated", "counting", "aside")


@dataclass(frozen=True)
class Choices:
    """What a program is made of; the names say the clause."""

    rows: tuple[tuple[float, int, int], ...]
    cap: int
    block: float | None = None
    preempt: str | None = None
    evict: str | None = None
    queue: str | None = None
    reserve: bool = False
    held: bool = False
    units: str = "one"
    seats: int | None = None
    cache: str | None = "all"
    reuse: bool = False
    turns: int = 1
    lease: float | None = None
    budget: int = 1000
    chunk: int = 0
    granule: float | None = None
    cost: str = "one"
    serve: str = "plain"
    elsewhere: str | None = None
    warmup: float = 0.0
    draws: bool = False
    gauged: bool = False
    """A gauge of what moves keeps a run from leaping over stretches of plain decoding."""


def choices(most_decodes: int = 12) -> st.SearchStrategy[Choices]:
    """The choices of a program.

    Args:
        most_decodes: the most tokens a request decodes.
    """
    row = st.tuples(st.sampled_from([0.0, 0.5, 1.0, 2.5]), st.integers(1, 8), st.integers(0, most_decodes))
    return st.builds(
        Choices,
        rows=st.lists(row, min_size=1, max_size=5).map(tuple),
        cap=st.integers(8, 30),
        block=st.sampled_from([None, 1.0, 2.0, 4.0]),
        preempt=st.sampled_from([None, "lifo", "lifo tail", "position", "decoding"]),
        evict=st.sampled_from([None, "size", "drawn"]),
        queue=st.sampled_from([None, "waited", "prompt"]),
        reserve=st.booleans(),
        held=st.booleans(),
        units=st.sampled_from(["one", "prompt", "budget"]),
        seats=st.sampled_from([None, 1, 2, 9]),
        cache=st.sampled_from([None, "all", "prompt", "some"]),
        reuse=st.booleans(),
        turns=st.integers(1, 3),
        lease=st.sampled_from([None, 0.5, 4.0]),
        budget=st.sampled_from([3, 1, 2, 8, 1000]),
        chunk=st.sampled_from([0, 2, 3]),
        granule=st.sampled_from([None, 2.0, INF]),
        cost=st.sampled_from(["one", "batch", "memory", "attention"]),
        serve=st.sampled_from(
            ["plain", "decodes first", "by free", "by prompt", "exclusive", "body", "gated", "counting", "aside"]
        ),
        elsewhere=st.sampled_from([None, "fifo", "delay", "ps", "flow"]),
        warmup=st.sampled_from([0.0, 3.0]),
        draws=st.booleans(),
        gauged=st.booleans(),
    )


def calm_programs() -> st.SearchStrategy[ir.Program]:
    """Programs with long stretches in which an engine only decodes, over which a run that nobody looks at leaps."""
    row = st.tuples(st.sampled_from([0.0, 0.5, 20.0, 31.25]), st.integers(1, 4), st.integers(10, 90))
    calm = st.tuples(
        st.lists(row, min_size=1, max_size=4).map(tuple),
        st.sampled_from([400, 60, 150]),
        st.sampled_from([1000, 3, 4]),
        st.sampled_from(["plain", "decodes first"]),
        st.sampled_from([None, "lifo"]),
        st.sampled_from(["one", "batch", "memory"]),
    )

    def made(base: Choices, c: tuple[tuple[tuple[float, int, int], ...], int, int, str, str | None, str]) -> ir.Program:
        rows, cap, budget, order, preempt, cost = c
        return build(
            replace(base, rows=rows, cap=cap, budget=budget, serve=order, preempt=preempt, cost=cost, held=False, gauged=False)
        )

    return st.builds(made, choices(), calm)


def programs(most_decodes: int = 12) -> st.SearchStrategy[ir.Program]:
    """A program: requests on an engine with a memory, whatever the choices add."""
    return choices(most_decodes).map(build)


def build(c: Choices) -> ir.Program:
    """The program of some choices."""
    m = Model()
    at, prompt, out = (m.size(name) for name in ("at", "prompt", "out"))
    kv = m.pool(
        "kv",
        c.cap,
        block=c.block,
        preempt=_preempt(c.preempt),
        tail=c.preempt == "lifo tail",
        evict={None: None, "size": [ctx("Size")], "drawn": [sample("Uniform", 0, 1)]}[c.evict],
        queue=None if c.seats is not None else _queue(c.queue, prompt),
        reserve_held=c.held,
        admit_via=0 if c.seats is None and c.serve in ("body", "gated") else None,
    )
    seats = m.pool("seats", c.seats, admit_via=0, queue=_queue(c.queue, prompt)) if c.seats is not None else None
    n = m.register("n") if c.serve == "counting" else None
    llm = m.engine(
        budget=c.budget,
        cost=_cost(c.cost),
        chunk=c.chunk,
        granule=c.granule if c.serve != "exclusive" and (c.granule != INF or not c.chunk) else None,
        serve=None if c.serve == "exclusive" else _serve(c.serve, kv, prompt),
        memory=kv,
        body=_body(c.serve, n),
    )
    units: Number = {"one": 1, "prompt": prompt, "budget": minimum(prompt, call("BudgetLeft", llm))}[c.units]
    take: Any = (kv, units, minimum(prompt + 2, c.cap - 4)) if c.reserve else (kv, units)
    start = maximum(1, maximum(prompt, computed) - cached)
    tokens = floor(out * sample("Uniform", 0, 1)) if c.draws else out
    held = hold(
        *([(seats, 1)] if seats is not None else []),
        take,
        cache={None: None, "all": INF, "prompt": prompt, "some": prompt + out - 1}[c.cache] if c.cache is not None else None,
        reuse=maximum(0, prompt - 1) if c.reuse and c.cache is not None else None,
        lease=(kv, c.lease) if c.lease is not None else None,
        body=[prefill(llm, start, kv), decode(llm, tokens, kv)],
    )
    arrive = m.delay("arrive")
    m.sessions((at, prompt, out), *c.rows)
    turn = [TURN, held, *_elsewhere(m, c.elsewhere), m.observe("found", cached)]
    m.session(run(arrive, at), client(repeat(turn_no < c.turns, [*turn, run(arrive, 0.25)])))
    if c.gauged:
        m.gauge("used", call("Used", kv))
    return m.build(60, warmup=c.warmup)


def _preempt(name: str | None) -> list[Number] | None:
    named: dict[str | None, Any] = {
        None: None,
        "lifo": LIFO,
        "lifo tail": LIFO,
        "position": [ctx("Position")],
        "decoding": [-ctx("Decoding"), -ctx("Admission")],
    }
    found = named[name]
    return None if found is None else list(found)


def _queue(name: str | None, prompt: Number) -> list[Number] | None:
    return {None: None, "waited": [prompt - 2 * ctx("Waited")], "prompt": [prompt]}[name]


def _cost(name: str) -> Number:
    return {
        "one": 1,
        "batch": 0.5 + 0.125 * ctx("Ntok") + 0.1 * ctx("Ndec"),
        "memory": 0.5 + 0.01 * (ctx("Kvb") + ctx("Kvp")),
        "attention": 0.3 + 0.01 * ctx("Attn"),
    }[name]


def _serve(name: str, kv: Any, prompt: Number) -> list[Number]:
    if name == "decodes first":
        return [-ctx("Decoding")]
    if name == "by free":
        return [where(call("Free", kv) > 4, serial, 0 - serial)]
    return [prompt] if name == "by prompt" else []


def _body(name: str, n: Any) -> list[Any] | None:
    if name == "body":
        return [serve(), admit()]
    if name == "gated":
        return [serve(), admit(gate=(ctx("Preempted").equals(0)).both(ctx("Admitted") < 2))]
    if name == "counting":
        return [put(n, n + 1), serve(), when(n >= 2, [admit(), put(n, 0)])]
    if name == "aside":
        return [serve(only=ctx("Decoding")), serve(by=[ctx("Remaining")]), admit(only=ctx("Remaining") < 6)]
    return None


def _elsewhere(m: Model, name: str | None) -> list[Any]:
    if name is None:
        return []
    if name == "flow":
        a, b = m.ps("nic", 2), m.ps("core", 1)
        return [run(a, 0.75, also=[b])]
    stage = {"fifo": lambda: m.fifo("link"), "delay": lambda: m.delay("link"), "ps": lambda: m.ps("link", 1)}[name]()
    return [branch(serial < 3, [run(stage, 0.5 + 0.25 * serial)])]
