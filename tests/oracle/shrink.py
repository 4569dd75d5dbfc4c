"""Makes an IR smaller while something stays true of it; knows the JSON and not what is being looked for."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from grammar.ir_node import InvalidIR
from grammar.validate import read_program
from tests.oracle.mutations import at, is_expression, put, walk

JSON = Any
Step = Callable[[], JSON]
Edit = Callable[[JSON], object]
MOST_RUNS = 4000  # a shrinking that asks more often than this has stopped being worth the wait


def shrink(data: JSON, still: Callable[[JSON], bool], most: int = MOST_RUNS) -> JSON:
    """The smallest IR that could be reached, for which ``still`` holds as it does for the one given.

    Only IRs that pass validation are asked about.
    """
    best, runs, progress = copy.deepcopy(data), 0, True
    while progress and runs < most:
        progress = False
        for reduce in REDUCTIONS:
            position = 0
            while runs < most:
                candidates = list(reduce(best))
                if position >= len(candidates):
                    break
                candidate = candidates[position]()
                position += 1
                if candidate == best or not _valid(candidate):
                    continue
                runs += 1
                if still(candidate):
                    best, progress = candidate, True
                    position -= 1
    return best


def _valid(data: JSON) -> bool:
    try:
        read_program(data)
    except InvalidIR:
        return False
    return True


def _changed(data: JSON, change: Edit) -> Step:
    def step() -> JSON:
        other = copy.deepcopy(data)
        change(other)
        return other

    return step


# ------------------------------------------------------------------------------ reductions


def _settings(data: JSON) -> Iterator[Step]:
    if data["warmup"]:
        yield _changed(data, lambda d: d.update(warmup=0.0))
    for part in (8, 2, 1.25):
        yield _changed(data, lambda d, part=part: d.update(horizon=d["horizon"] / part))  # type: ignore[misc]
    if "arrivals" in data:
        yield _changed(data, lambda d: d.pop("arrivals"))
    if data["seed"] > 1:
        yield _changed(data, lambda d: d.update(seed=1))
    arrival = data["arrival"]
    if isinstance(arrival, dict):
        name, content = next(iter(arrival.items()))
        if name in ("Batch", "Closed") and content > 1:
            for count in (1, 2, content // 2, content - 1):
                yield _changed(data, lambda d, c=count, n=name: d.update(arrival={n: max(1, c)}))  # type: ignore[misc]
        if name != "Batch":
            for count in (1, 2, 4):
                yield _changed(data, lambda d, c=count: d.update(arrival={"Batch": c}))  # type: ignore[misc]
    if data.get("trace"):
        yield _changed(data, lambda d: d.update(trace=None))
    if data["hidden"]:
        yield _changed(data, lambda d: d.update(hidden=[]))


def _lists(data: JSON) -> Iterator[Step]:
    for name in ("gauges", "claims"):
        if data.get(name):
            yield _changed(data, lambda d, n=name: d.pop(n))  # type: ignore[misc]
            for k in range(len(data[name])):
                yield _changed(data, lambda d, n=name, k=k: d[n].pop(k))  # type: ignore[misc]


def _statements(data: JSON) -> Iterator[Step]:
    for b in reversed(range(len(data["blocks"]))):
        for i in reversed(range(len(data["blocks"][b]))):
            yield _changed(data, lambda d, b=b, i=i: (d["blocks"][b].pop(i), d["sides"][b].pop(i)))  # type: ignore[misc]
    for b, block in enumerate(data["blocks"]):
        for i, statement in enumerate(block):
            for inner in _bodies(statement):
                yield _changed(data, lambda d, b=b, i=i, inner=inner: _inlined(d, b, i, inner))  # type: ignore[misc]


def _bodies(statement: JSON) -> list[int]:
    if isinstance(statement, str):
        return []
    name, content = next(iter(statement.items()))
    if name == "Hold":
        return [content["body"]]
    if name in ("Branch", "While"):
        return list(content[1:])
    return [content] if name in ("Loop", "Fork") else []


def _inlined(data: JSON, b: int, i: int, inner: int) -> None:
    data["blocks"][b][i : i + 1], data["sides"][b][i : i + 1] = data["blocks"][inner], data["sides"][inner]
    data["blocks"][inner], data["sides"][inner] = [], []


OPTIONS: dict[str, JSON] = {
    "queue": None,
    "spill": None,
    "admit_via": None,
    "evict": "Lru",
    "preempt": "None",
    "reuse": None,
    "cache": None,
    "lease": None,
    "growing": None,
    "memory": None,
    "block": None,
    "serve": {"By": []},
    "cap": "inf",
}
DROPPED = (
    "iteration",
    "granule",
    "reserve_held",
    "only",
    "gate",
    "by",
    "latency",
    "poster",
    "queue_every",
    "tail",
    "prefix",
    "connector",
)


def _options(data: JSON) -> Iterator[Step]:
    for path, value in walk(data):
        if not path:
            continue
        if path[-1] in OPTIONS and value != OPTIONS[str(path[-1])]:
            yield _changed(data, lambda d, p=path: put(d, p, copy.deepcopy(OPTIONS[p[-1]])))  # type: ignore[misc]
        if path[-1] in DROPPED:
            yield _changed(data, lambda d, p=path: at(d, p[:-1]).pop(p[-1]))  # type: ignore[misc]
        if len(path) > 1 and path[-2] == "pools" and "Hold" in path and isinstance(value, list):
            if value[2] is not None:
                yield _changed(data, lambda d, p=path: at(d, p).__setitem__(2, None))  # type: ignore[misc]
            yield _changed(data, lambda d, p=path: at(d, p[:-1]).pop(p[-1]))  # type: ignore[misc]
        if isinstance(path[-1], int) and "iteration" in path and not is_expression(value):
            yield _changed(data, lambda d, p=path: at(d, p[:-1]).pop(p[-1]))  # type: ignore[misc]
        if path[-1] in ("By", "keys", "key", "queue", "by") and isinstance(value, list) and len(value) > 1:
            for k in range(len(value)):
                yield _changed(data, lambda d, p=path, k=k: at(d, p).pop(k))  # type: ignore[misc]


def _expressions(data: JSON) -> Iterator[Step]:
    for path, value in walk(data):
        if not is_expression(value) or "Num" in value:
            continue
        if "Cost" in value:
            continue
        for number in (0.0, 1.0, 2.0):
            yield _changed(data, lambda d, p=path, n=number: put(d, p, {"Num": n}))  # type: ignore[misc]
        for inner_path, inner in walk(value):
            if inner_path and is_expression(inner):
                yield _changed(data, lambda d, p=path, e=inner: put(d, p, copy.deepcopy(e)))  # type: ignore[misc]


def _numbers(data: JSON) -> Iterator[Step]:
    for path, value in walk(data):
        if isinstance(value, float) and path and path[0] != "horizon" and value not in (0.0, 1.0):
            for number in (1.0, float(round(value)), value / 2):
                if number != value:
                    yield _changed(data, lambda d, p=path, n=number: put(d, p, n))  # type: ignore[misc]


# --------------------------------------------------------------------- parts without a use


def _parts(data: JSON) -> Iterator[Step]:
    for kind in ("stages", "pools"):
        for k in reversed(range(len(data[kind]))):
            yield _changed(data, lambda d, kind=kind, k=k: _without(d, kind, k))  # type: ignore[misc]
    for r in reversed(range(len(data.get("registers", [])))):
        if not any(value == r for path, value in walk(data) if path and path[-1] == "Reg"):
            yield _changed(data, lambda d, r=r: _without_register(d, r))  # type: ignore[misc]


def _without(data: JSON, kind: str, k: int) -> None:
    """Takes out a stage or a pool and renumbers the others; what named it becomes invalid."""
    data[kind].pop(k)
    stages = kind == "stages"
    for path, value in list(walk(data)):
        if isinstance(value, dict) and "base" in value and _is_stage(path) == stages and value["base"] > k:
            value["base"] -= 1
        names = ("admit_via", "via", "stage", "EveryIteration", "SomeIteration") if stages else ("memory", "to")
        if path and path[-1] in names and isinstance(value, int) and value > k:
            put(data, path, value - 1)


def _is_stage(path: tuple[str | int, ...]) -> bool:
    for key in reversed(path):
        if key in ("stage", "Stage", "also"):
            return True
        if key in ("Pool", "pools", "growing", "lease", "Grow", "Shrink", "Load", "Drop", "Release"):
            return False
    return False


def _without_register(data: JSON, r: int) -> None:
    data["registers"].pop(r)
    for path, value in list(walk(data)):
        if path and path[-1] == "Reg" and value > r:
            put(data, path, value - 1)
        if len(path) > 1 and "iteration" in path and path[-2] == "Set" and path[-1] == 0 and value > r:
            put(data, path, value - 1)


REDUCTIONS = (_settings, _lists, _statements, _options, _parts, _expressions, _numbers)
