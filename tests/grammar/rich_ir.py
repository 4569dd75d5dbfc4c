"""One IR that has a place for everything an expression can stand in, as JSON, and the tools to change it; checks nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

JSON = dict[str, Any]
Change = Callable[[JSON], object]

BUILT_IN = ("cached", "serial", "turn_no", "new", "out", "think", "more", "forced", "computed")
OWN = ("prompt", "o", "v", "hid", "c", "loaded", "saved", "ldone", "adm", "first", "lr", "lp")
PROMPT, OUTPUT, VALUE, HIDDEN, COST = 9, 10, 11, 12, 13
LOADED, SAVED, LOAD_DONE, ADMITTED, FIRST, LAST_REUSED, LAST_PREFILL = range(14, 21)
# the pools: an engine's memory, its seats, a plain one, a tier, and the same for an engine of native requests
KV, SEATS, PLAIN, TIER, KV2, SEATS2, HOST = range(7)
# the stages: an engine with a schedule, a fifo, a ps, a delay, two links, an engine of native requests, a fifo
LLM, FIFO, PS, DELAY, LINK0, LINK1, LLM2, FIFO2 = range(8)


def num(x: float | str) -> JSON:
    """A number."""
    return {"Num": x}


def attr(slot: int) -> JSON:
    """An attribute."""
    return {"Attr": slot}


def ctx(name: str) -> JSON:
    """A context variable."""
    return {"Ctx": name}


def binary(op: str, a: JSON, b: JSON) -> JSON:
    """An operator."""
    return {"Binary": [op, a, b]}


def draw(dist: str, *args: JSON) -> JSON:
    """A draw."""
    return {"Sample": [dist, list(args)]}


def call(fun: str, *args: JSON) -> JSON:
    """A function; the arguments are already tagged."""
    return {"Call": [fun, list(args)]}


def of(x: JSON) -> JSON:
    """An expression as an argument."""
    return {"Expr": x}


def floor(x: JSON) -> JSON:
    """A whole number."""
    return call("Floor", of(x))


def ref(base: int, count: int = 1, index: JSON | None = None) -> JSON:
    """A reference."""
    return {"base": base, "count": count, "index": index}


def pool(base: int, count: int = 1, index: JSON | None = None) -> JSON:
    """A pool as an argument."""
    return {"Pool": ref(base, count, index)}


def stage(base: int, count: int = 1, index: JSON | None = None) -> JSON:
    """A stage as an argument."""
    return {"Stage": ref(base, count, index)}


def of_pool(base: int, x: JSON, count: int = 1) -> JSON:
    """A cost of a pool."""
    return {"Cost": [{"Pool": {"base": base, "count": count}}, x]}


def of_stage(base: int, x: JSON, count: int = 1) -> JSON:
    """A cost of a stage."""
    return {"Cost": [{"Stage": {"base": base, "count": count}}, x]}


def of_pools(bases: list[int], x: JSON) -> JSON:
    """A cost of several pools."""
    return {"Cost": [{"Joint": [{"Pool": {"base": base, "count": 1}} for base in bases]}, x]}


def of_stages(bases: list[int], x: JSON) -> JSON:
    """A cost of several stages."""
    return {"Cost": [{"Joint": [{"Stage": {"base": base, "count": 1}} for base in bases]}, x]}


def run(at: int = FIFO, work: JSON | None = None, **more: Any) -> JSON:
    """A run at a plain stage."""
    amount = of_stage(at, num(1.0)) if work is None else work
    return {"Run": {"stage": ref(at), "mode": "Plain", "work": amount, "growing": None, **more}}


def hold(base: int, body: int, units: JSON | None = None, **more: Any) -> JSON:
    """A hold of one pool."""
    take = [ref(base), of_pool(base, num(1.0)) if units is None else units, None]
    return {"Hold": {"pools": [take], "reuse": None, "body": body, "cache": None, "lease": None, **more}}


def request() -> JSON:
    """A native request."""
    return {"Request": {"stage": ref(LLM2), "input": attr(PROMPT), "output": attr(OUTPUT)}}


def put(data: JSON, path: tuple[str | int, ...], value: Any) -> object:
    """Replaces what stands at a path; gives nothing, in the type that lets changes stand in a row."""
    inner: Any = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return None


def insert(data: JSON, block: int, index: int, statement: Any, side: str = "Server") -> object:
    """Puts a statement into a block; gives nothing, as ``put``."""
    data["blocks"][block].insert(index, statement)
    data["sides"][block].insert(index, side)
    return None


def remove(data: JSON, block: int, index: int) -> None:
    """Takes a statement out of a block."""
    del data["blocks"][block][index], data["sides"][block][index]


def block(data: JSON, *statements: Any, side: str = "Server") -> int:
    """A new block, not yet the body of anything."""
    data["blocks"].append(list(statements))
    data["sides"].append([side] * len(statements))
    return len(data["blocks"]) - 1


def add_pool(data: JSON, **options: Any) -> int:
    """A new pool."""
    plain = {"cap": 10.0, "block": None, "evict": "Lru", "preempt": "None", "queue": None, "spill": None, "admit_via": None}
    data["pools"].append({"name": f"q{len(data['pools'])}", **plain, **options})
    return len(data["pools"]) - 1


def add_stage(data: JSON, kind: JSON | None = None) -> int:
    """A new stage."""
    data["stages"].append({"name": f"s{len(data['stages'])}", "kind": kind or {"Fifo": 1}})
    return len(data["stages"]) - 1


def step(data: JSON, at: int = LLM) -> JSON:
    """What an engine is."""
    found: JSON = data["stages"][at]["kind"]["Step"]
    return found


def _pools() -> list[JSON]:
    plain = {"block": None, "evict": "Lru", "preempt": "None", "queue": None, "spill": None, "admit_via": None}
    leases = {"Leases": {"keys": [num(1.0)], "every": 1.0, "suspend": [num(1.0)]}}
    spill = {"to": TIER, "via": FIFO, "work": num(1.0), "when": num(1.0)}
    by_position = {"By": {"keys": [ctx("Position")]}}
    return [
        plain | {"name": "kv", "cap": 64.0, "block": 8.0, "evict": {"By": [ctx("Size")]}, "preempt": by_position, "spill": spill},
        plain | {"name": "reqs", "cap": 4.0, "queue": [ctx("Waited")], "admit_via": LLM},
        plain | {"name": "m", "cap": 10.0, "preempt": leases, "queue": [num(1.0)]},
        plain | {"name": "tier", "cap": 100.0, "block": 8.0},
        plain | {"name": "kv2", "cap": 64.0, "block": 8.0, "preempt": {"By": {"keys": [ctx("Admission")]}}},
        plain | {"name": "reqs2", "cap": 4.0, "admit_via": LLM2},
        plain | {"name": "htier", "cap": 100.0, "block": 8.0},
    ]


def _stages() -> list[JSON]:
    schedule = [
        {"Serve": {"only": num(1.0), "by": [num(1.0)]}},
        {"Branch": [num(1.0), [{"Admit": {"only": num(1.0), "gate": num(1.0)}}], [{"Serve": {}}]]},
        {"Set": [0, num(1.0)]},
    ]
    engine = {"budget": num(8.0), "cost": num(1.0), "chunk": num(0.0)}
    clause = {
        "pools": [[ref(SEATS2), num(1.0), None], [ref(KV2), ctx("Known"), ctx("Known")]],
        "reuse": num(8.0),
        "cache": ctx("Known"),
        "prefix": [[num(1.0), num(8.0)], [attr(1), num("inf")]],
        "records": {
            "reused": 1,
            "prefill": 2,
            "admitted": ADMITTED,
            "first": FIRST,
            "last_reused": LAST_REUSED,
            "last_prefill": LAST_PREFILL,
        },
    }
    connector = {
        "load": [num(1.0), 6],
        "save": [num(1.0), 7],
        "loaded": LOADED,
        "saved": SAVED,
        "load_done": LOAD_DONE,
        "record": 3,
    }
    first = engine | {"serve": {"By": [ctx("Remaining")]}, "memory": KV, "iteration": schedule}
    second = engine | {"serve": {"By": []}, "memory": KV2, "request": clause, "connector": connector}
    kinds = [
        {"Step": first},
        {"Fifo": 1},
        {"Ps": binary("Mul", num(1.0), ctx("N"))},
        {"Ps": ctx("N")},
        {"Ps": num(2.0)},
        {"Ps": num(3.0)},
        {"Step": second},
        {"Fifo": 2},
    ]
    names = ["llm", "f", "ps", "dl", "n0", "n1", "llm2", "f2"]
    return [{"name": name, "kind": kind} for name, kind in zip(names, kinds, strict=True)]


def _blocks() -> list[list[Any]]:
    big = {
        "pools": [
            [ref(SEATS), of_pool(SEATS, num(1.0)), None],
            [ref(KV), of_pool(KV, attr(PROMPT)), of_pool(KV, attr(PROMPT))],
        ],
        "reuse": of_pools([KV, SEATS], num(8.0)),
        "body": 3,
        "cache": of_pools([KV, SEATS], attr(PROMPT)),
        "lease": None,
    }
    flow = run(LINK0, of_stages([LINK0, LINK1], num(1.0)), also=[ref(LINK1)], share="MaxMin", latency=num(0.125), poster=1)
    tokens = {"stage": ref(LLM), "growing": ref(KV)}
    return [
        [{"Set": [slot, num(4.0)]} for slot in (PROMPT, OUTPUT, HIDDEN)] + [{"Observe": [0, num(1.0)]}],
        [{"Set": [PROMPT, num(12.0)]}],
        [
            "Turn",
            {"Set": [VALUE, num(1.0)]},
            {"Set": [COST, of_pool(PLAIN, num(1.0))]},
            {"Hold": big},
            hold(PLAIN, 4, of_pool(PLAIN, num(2.0)), lease=[ref(PLAIN), num(5.0)]),
            {"Release": ref(PLAIN)},
            request(),
            {"Fork": 5},
            "Join",
            {"Observe": [0, ctx("Now")]},
            {"Choose": {"var": VALUE, "count": num(2.0), "key": [num(1.0)]}},
            {"Branch": [num(1.0), 8, 9]},
            {"While": [num(0.0), 10]},
            {"Drop": ref(PLAIN)},
            run(FIFO2, latency=num(0.5)),
            "End",
        ],
        [
            {"Run": tokens | {"mode": "Prefill", "work": of_stage(LLM, attr(PROMPT))}},
            {"Run": tokens | {"mode": "Decode", "work": of_stage(LLM, attr(OUTPUT))}},
        ],
        [
            run(),
            {"Grow": [ref(PLAIN), of_pool(PLAIN, num(1.0))]},
            {"Shrink": [ref(PLAIN), of_pool(PLAIN, num(1.0))]},
            {"Load": [ref(PLAIN), of_pool(PLAIN, num(1.0))]},
        ],
        [run(PS), flow],
        [run(), {"Load": [ref(KV2), of_pool(KV2, num(1.0))]}],
        [hold(HOST, 11, of_pool(HOST, num(8.0)), cache=of_pool(HOST, num(8.0)))],
        [run(DELAY)],
        [],
        [run(DELAY)],
        [run()],
    ]


def program() -> JSON:
    """The IR, new each time. The blocks are init 0, turn 1, session 2 and the bodies in it."""
    types: list[Any] = ["Value", *["Size"] * 7, "Value", "Size", "Size", "Value", "Size"]
    blocks = _blocks()
    sides = [["Workload"] * 4, ["Workload"], *(["Server"] * len(statements) for statements in blocks[2:])]
    sides[2][0] = "Workload"
    slots = {"cached": 0, "serial": 1, "turn": 2, "new": 3, "out": 4, "think": 5, "more": 6, "forced": 7, "computed": 8}
    return {
        "version": 14,
        "attrs": [*BUILT_IN, *OWN],
        "attr_types": [*types, {"Cost": {"Pool": {"base": PLAIN, "count": 1}}}, *["Value"] * 7],
        "sides": sides,
        "observes": ["done", "reused", "prefill", "rec"],
        "pools": _pools(),
        "stages": _stages(),
        "arrival": {"Batch": 2},
        "trace": None,
        "trace_ordered": False,
        "init": 0,
        "turn": 1,
        "session": 2,
        "blocks": blocks,
        "horizon": 50.0,
        "warmup": 0.0,
        "seed": 1,
        **{f"slot_{name}": slot for name, slot in slots.items()},
        "hidden": [HIDDEN],
        "gauges": [{"name": "g", "expr": num(1.0)}],
        "claims": [
            {"name": "c1", "given": num(1.0), "kind": {"EveryIteration": LLM}, "expr": num(1.0)},
            {"name": "c2", "kind": "AtEnd", "expr": num(1.0)},
        ],
        "registers": [{"name": "r", "stage": LLM, "init": 0.0}],
    }


def changed(change: Change) -> JSON:
    """The IR with one change."""
    data = program()
    change(data)
    return data
