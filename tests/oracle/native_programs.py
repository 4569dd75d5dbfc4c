"""Random programs with what only IR 14 says: ticks of queues, taken leases, shared prefixes; written as IR 14."""

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
            pool["preempt"] = {"Leases": _taking(dice, data, reserve_held=pool.get("reserve_held", False))}
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


def _taking(dice: Dice, data: JSON, *, reserve_held: bool) -> JSON:
    policy: JSON = {"keys": _keys(dice, data)}
    if dice.chance(0.7) and not reserve_held:
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


def _eviction_key(dice: Dice) -> JSON:
    draw: JSON = {"Sample": ["Uniform", [{"Num": 0.0}, {"Num": 1.0}]]}
    key = dice.pick([*({"Ctx": name} for name in ("Size", "Age", "Last", "Queued")), {"Attr": 9}, {"Attr": 10}, {"Attr": 1}, draw])
    return {"Unary": ["Neg", key]} if dice.chance(0.5) else key


def chains(seed: int) -> JSON:
    """A program of one pool whose holds have chains of many kinds, some none, and what else may happen to such a pool."""
    data = shared_prefixes(seed)
    dice = Dice(seed + 1)
    pool_ref = {"base": 0, "count": 1, "index": None}
    pool = data["pools"][0]
    block = pool["block"]
    uneven, moving = dice.chance(0.4), dice.chance(0.3)
    pool["reserve_held"] = dice.chance(0.15)
    if dice.chance(0.3):
        pool["evict"] = {"By": [_eviction_key(dice) for _ in range(dice.count(1, 2))]}
    cached: JSON = {"Call": ["CachedIn", [{"Pool": pool_ref}]]}
    if dice.chance(0.25):
        pool["queue"] = [dice.pick([cached, {"Unary": ["Neg", cached]}])]
    leases, drops, legs, nests = dice.chance(0.4), dice.chance(0.3), dice.chance(0.3), dice.chance(0.3)

    def length() -> JSON:
        if moving and dice.chance(0.4):
            return {"Attr": 9}
        if dice.chance(0.05):
            return {"Num": 0.0}
        return {"Num": float(dice.count(1, 9)) if uneven else block * dice.count(1, 3)}

    def key() -> JSON:
        simple: list[JSON] = [{"Num": 1.0}, {"Num": 2.0}, {"Attr": 2}, {"Attr": 1}]
        return dice.pick(simple)

    def chain() -> JSON:
        found = [[key(), length()] for _ in range(dice.count(1, 3))]
        if dice.chance(0.6):
            found.append([dice.pick([{"Attr": 1}, {"Attr": 1}, {"Num": 7.0}]), {"Num": "inf"}])
        return found

    def another_way(held: JSON) -> JSON:
        """A hold beside others of its session, now and then of another chain."""
        if "prefix" in held and dice.chance(0.5):
            held["prefix"] = chain()
        return held

    usual = chain()
    for block_ in list(data["blocks"]):
        for statement in block_:
            if isinstance(statement, dict) and "Hold" in statement:
                held = statement["Hold"]
                how = dice.pick(["usual", "usual", "own way", "none"])
                held["prefix"] = usual if how == "usual" else chain()
                if how == "none":
                    del held["prefix"]
                if dice.chance(0.15):
                    held["cache"] = held["reuse"] = None
                if dice.chance(0.1):
                    amount = {"Binary": ["Add", {"Num": 1.0}, cached]}
                    held["pools"][0][1] = {"Cost": [{"Pool": {"base": 0, "count": 1}}, amount]}
                if leases and dice.chance(0.4):
                    held["lease"] = [pool_ref, dice.pick([{"Num": 0.5}, {"Num": "inf"}, {"Attr": 10}])]
    if 0 in _leased(data) and dice.chance(0.5):
        pool["preempt"] = {"Leases": _taking(dice, data, reserve_held=pool["reserve_held"])}
    session = data["blocks"][2]
    holds = [statement for statement in session if isinstance(statement, dict) and "Hold" in statement]
    inside = [block_ for block_, _ in zip(data["blocks"][3:], holds, strict=False)]
    if drops:
        place = dice.pick([session, *inside])
        place.insert(dice.count(1, len(place)), {"Drop": pool_ref})
    if legs:
        held = dice.pick(holds)["Hold"]
        data["blocks"].append([*data["blocks"][held["body"]]])
        leg = {"Hold": another_way({**held, "body": len(data["blocks"]) - 1})}
        data["blocks"].append([leg, {"Observe": [2, {"Call": ["CachedIn", [{"Pool": pool_ref}]]}]}])
        session.insert(1, {"Fork": len(data["blocks"]) - 1})
        session.append("Join")
    if nests:
        for _ in range(dice.count(1, 2)):
            dice.pick(inside).append({"Hold": another_way({**holds[0]["Hold"], "body": len(data["blocks"])})})
            data["blocks"].append([{"Observe": [2, {"Call": ["CachedIn", [{"Pool": pool_ref}]]}]}])
    if "Closed" in data["arrival"]:
        # A closed population whose sessions are all refused at once would never let time pass, here and on the reference.
        stage = {"base": 0, "count": 1, "index": None}
        work = {"Cost": [{"Stage": {"base": 0, "count": 1}}, {"Num": 0.125}]}
        session.insert(0, {"Run": {"stage": stage, "mode": "Plain", "work": work, "growing": None}})
    data["sides"] = [["Workload" if s == "Turn" or "Set" in s else "Server" for s in block_] for block_ in data["blocks"]]
    data["sides"][0] = []
    return data
