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
