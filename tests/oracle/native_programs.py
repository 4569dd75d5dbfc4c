"""Random programs with what only IR 14 says: ticks of queues, taken leases; decorates what the other generators make."""

from __future__ import annotations

from typing import Any

from grammar.ir_json import to_json
from tests.oracle.dice import Dice
from tests.oracle.generate_plain import Plain
from tests.oracle.mutations import walk

JSON = Any


def ticks_and_leases(seed: int) -> JSON:
    """A program of pools and plain stages, some of whose queues have a period and some of whose growths take leases."""
    data = to_json(Plain(seed, newer=True).build("native").program, 14)
    dice = Dice(seed + 1)
    leased = _leased(data)
    for index, pool in enumerate(data["pools"]):
        if pool.get("admit_via") is None and dice.chance(0.4):
            pool["queue_every"] = period(dice)
        if index in leased and dice.chance(0.8):
            pool["preempt"] = {"Leases": _taking(dice, data)}
    return data


def period(dice: Dice) -> float:
    """A period of a queue or of leases: often one that meets other instants."""
    return dice.seconds(0.1, 3.0) or 0.5


def _leased(data: JSON) -> set[int]:
    pools: set[int] = set()
    for path, value in walk(data["blocks"]):
        if path and path[-1] == "lease" and value is not None:
            ref = value[0]
            pools.update(range(ref["base"], ref["base"] + ref["count"]))
    return pools


def _taking(dice: Dice, data: JSON) -> JSON:
    policy: JSON = {"keys": _keys(dice, data)}
    if dice.chance(0.7):
        policy["every"] = period(dice)
        if dice.chance(0.8):
            policy["suspend"] = _keys(dice, data)
    return policy


def _keys(dice: Dice, data: JSON) -> list[JSON]:
    sizes = [slot for slot, kind in enumerate(data["attr_types"]) if kind == "Size"]
    simple: list[JSON] = [{"Ctx": name} for name in ("Admission", "Position", "Decoding", "Now")]
    simple += [{"Attr": slot} for slot in sizes]
    simple += [{"Num": 0.0}]
    pool = {"base": dice.count(0, len(data["pools"]) - 1), "count": 1, "index": None}
    simple += [{"Call": [name, [{"Pool": pool}]]} for name in ("Used", "Holders", "Allocated", "CachedIn")]

    def key() -> JSON:
        k = dice.pick(simple)
        return {"Unary": ["Neg", k]} if dice.chance(0.5) else k

    return [key() for _ in range(dice.count(1, 2))]


def shared_prefixes(seed: int) -> JSON:
    """A program of one pool whose holds share chains of whole blocks, under pressure."""
    dice = Dice(seed)
    block = dice.pick([1.0, 2.0, 4.0])

    def number(x: float) -> JSON:
        return {"Num": x if x != float("inf") else "inf"}

    def whole(mean: float) -> JSON:
        return {"Call": ["Floor", [{"Expr": {"Sample": ["Exp", [number(mean)]]}}]]}

    def plus(a: JSON, b: JSON) -> JSON:
        return {"Binary": ["Add", a, b]}

    pool_ref = {"base": 0, "count": 1, "index": None}
    target = {"Pool": {"base": 0, "count": 1}}
    n, w = {"Attr": 9}, {"Attr": 10}
    keys = [
        number(1.0),
        {"Cond": [{"Binary": ["Gt", w, number(1.0)]}, number(1.0), number(2.0)]},
        {"Attr": 2},
        plus({"Attr": 1}, number(100.0)),
    ]
    chain = [[dice.pick(keys), number(block * dice.count(1, 4))] for _ in range(dice.count(1, 2))]
    last = dice.pick(["own", "own", "own", "other", "none"])
    if last != "none":
        chain.append([{"Attr": 1} if last == "own" else plus({"Attr": 1}, number(50.0)), number(float("inf"))])

    def cost(e: JSON) -> JSON:
        return {"Cost": [target, e]}

    blocks: list[list[JSON]] = [
        [],
        [
            {"Set": [9, plus(number(float(dice.count(1, 9))), whole(dice.pick([3.0, 8.0])))]},
            {"Set": [10, {"Sample": ["Exp", [number(0.6)]]}]},
        ],
        [],
    ]
    sides: list[list[str]] = [[], ["Workload", "Workload"], []]
    session = blocks[2]
    for _ in range(dice.count(1, 4)):
        body = [
            {"Observe": [0, {"Attr": 0}]},
            {
                "Run": {
                    "stage": {"base": 0, "count": 1, "index": None},
                    "mode": "Plain",
                    "work": {"Cost": [{"Stage": {"base": 0, "count": 1}}, w]},
                    "growing": None,
                }
            },
        ]
        if dice.chance(0.3):
            body.insert(1, {"Grow": [pool_ref, cost(number(float(dice.count(0, 5))))]})
        if dice.chance(0.2):
            body.append({"Observe": [2, {"Call": ["CachedIn", [{"Pool": pool_ref}]]}]})
        blocks.append(body)
        sides.append(["Server"] * len(body))
        cache = dice.pick([n, n, n, number(float(dice.count(0, 12))), plus(n, number(5.0))])
        held = {
            "pools": [[pool_ref, cost(n), cost(plus(n, number(2.0))) if dice.chance(0.2) else None]],
            "reuse": None,
            "body": len(blocks) - 1,
            "cache": cost(cache),
            "lease": None,
            "prefix": chain,
        }
        if dice.chance(0.4):
            held["reuse"] = cost(dice.pick([number(float(dice.count(0, 10))), n]))
        session += ["Turn", {"Hold": held}, {"Observe": [1, {"Call": ["CachedIn", [{"Pool": pool_ref}]]}]}]
        sides[2] += ["Workload", "Server", "Server"]
    attrs = "cached serial turn_no new out think more forced computed n w".split()
    slots = {
        f"slot_{name}": k
        for k, name in enumerate(["cached", "serial", "turn", "new", "out", "think", "more", "forced", "computed"])
    }
    preempt = {"By": {"keys": [{"Unary": ["Neg", {"Ctx": "Admission"}]}]}} if dice.chance(0.3) else "None"
    return {
        "version": 14,
        "attrs": attrs,
        "attr_types": ["Value", *["Size"] * 7, "Value", "Size", "Size"],
        "sides": sides,
        "observes": ["c", "in", "mid"],
        "pools": [
            {
                "name": "kv",
                "cap": block * dice.count(8, 24),
                "block": block,
                "evict": "Lru",
                "preempt": preempt,
                "queue": None,
                "spill": None,
                "admit_via": None,
            }
        ],
        "stages": [{"name": "s", "kind": {"Fifo": dice.count(1, 4)}}],
        "arrival": dice.pick([{"Poisson": 0.5}, {"Batch": 4}, {"Closed": 3}]),
        "trace": None,
        "trace_ordered": False,
        "init": 0,
        "turn": 1,
        "session": 2,
        "blocks": blocks,
        "horizon": 30.0,
        "warmup": 0.0,
        "seed": seed,
        "hidden": [],
        **slots,
        "gauges": [{"name": "u", "expr": {"Call": ["Used", [{"Pool": pool_ref}]]}}],
    }
