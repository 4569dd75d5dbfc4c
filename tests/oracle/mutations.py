"""Small random changes of an IR, most of which break some rule; knows the JSON and no rule.

Each function changes one place of a copy. Together they reach every field of the format: an
index, a number, a variable, a function, a side, a type, a missing, null or added field, a node
in place of another of its kind.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from grammar.ir_read import STATEMENTS
from grammar.ir_read_expressions import AGGREGATES, BINARY, CONTEXT, DISTRIBUTIONS, EXPRESSIONS, FUNCTIONS, UNARY

JSON = Any
Path = tuple[str | int, ...]

NUMBERS: tuple[JSON, ...] = (0.0, 1.0, -1.0, 2.0, 0.5, 2.5, 3.0, 8.0, 1000.0, "inf", "-inf", -0.0)
WRONG: tuple[JSON, ...] = (None, True, "x", [], {}, 1.5, -1, 99)
EXPRESSION_NAMES = frozenset(EXPRESSIONS)
WORDS: dict[str, tuple[JSON, ...]] = {
    "mode": ("Plain", "Prefill", "Decode"),
    "share": ("MaxMin", "Bottleneck", None),
    "evict": ("Lru", {"By": [{"Ctx": "Size"}]}, {"By": []}),
    "preempt": (
        "None",
        {"By": {"keys": [{"Ctx": "Position"}]}},
        {"By": {"keys": [], "tail": True}},
        {"Leases": {"keys": [{"Num": 1.0}]}},
        {"Leases": {"keys": [{"Num": 1.0}], "every": 1.0, "suspend": [{"Ctx": "Now"}]}},
    ),
    "serve": ({"By": []}, {"By": [{"Ctx": "Remaining"}]}, "ExclusivePrefill"),
    "kind": ({"Fifo": 1}, {"Ps": {"Num": 2.0}}, {"Ps": {"Ctx": "N"}}),
    "arrival": ({"Batch": 2}, {"Closed": 0}, {"Poisson": 1.0}, {"Renewal": {"Num": 1.0}}, "None", {"Sessions": []}),
    "iteration": ([{"Serve": {}}, {"Admit": {}}], [], None),
}
ADDED: dict[str, dict[str, tuple[JSON, ...]]] = {
    "pools": {
        "block": (4.0, 0.0, 2.5, None),
        "queue": ([{"Ctx": "Waited"}], [{"Attr": 1}], [], None),
        "queue_every": (1.0, 0.0),
        "admit_via": (0, 1, None),
        "reserve_held": (True, False),
        "spill": ({"to": 0, "via": 0, "work": {"Num": 1.0}, "when": {"Num": 1.0}}, None),
    },
    "Step": {
        "granule": ({"Num": 4.0}, {"Num": 0.0}, {"Num": "inf"}, None),
        "memory": (0, 1, None),
        "iteration": ([{"Serve": {}}, {"Admit": {}}], [], None),
    },
    "Run": {
        "latency": ({"Num": 1.0}, None),
        "poster": (0, 1, None),
        "share": ("MaxMin", "Bottleneck"),
        "growing": ({"base": 0, "count": 1, "index": None}, None),
        "also": ([{"base": 0, "count": 1, "index": None}], []),
    },
    "Hold": {
        "reuse": ({"Num": 1.0}, None),
        "cache": ({"Num": 1.0}, None),
        "lease": ([{"base": 0, "count": 1, "index": None}, {"Num": 1.0}], None),
        "prefix": ([[{"Attr": 1}, {"Num": "inf"}]], [[{"Num": 1.0}, {"Num": 4.0}], [{"Attr": 1}, {"Num": "inf"}]]),
    },
    "program": {
        "hidden": ([9], [10], [], [1]),
        "arrivals": (3, 0, None),
        "trace": ("trace.csv", None),
        "warmup": (0.0, 5.0, 1e9),
    },
}


def mutated(data: JSON, rng: random.Random) -> tuple[JSON, str]:
    """A copy of an IR with one change, and what was changed."""
    while True:
        changed = copy.deepcopy(data)
        mutation = rng.choice(MUTATIONS)
        what = mutation(changed, rng)
        if what is not None and changed != data:
            return changed, f"{mutation.__name__.strip('_')} {what}"


def at(data: JSON, path: Path) -> JSON:
    """The value at a path."""
    for key in path:
        data = data[key]
    return data


def put(data: JSON, path: Path, value: JSON) -> None:
    """Replaces the value at a path."""
    at(data, path[:-1])[path[-1]] = value


def walk(data: JSON, path: Path = ()) -> Iterator[tuple[Path, JSON]]:
    """Every value with its path."""
    yield path, data
    if isinstance(data, dict):
        for key, value in data.items():
            yield from walk(value, (*path, key))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from walk(value, (*path, i))


def said(path: Path) -> str:
    """A path as text."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")


def is_expression(value: JSON) -> bool:
    """Whether a value is an expression (``{"Cost": TARGET}`` is a type)."""
    if not isinstance(value, dict) or len(value) != 1:
        return False
    name, content = next(iter(value.items()))
    return name in EXPRESSION_NAMES and not (name == "Cost" and isinstance(content, dict))


def is_reference(value: JSON) -> bool:
    """Whether a value refers to pools or stages."""
    return isinstance(value, dict) and value.keys() == {"base", "count", "index"}


def _any(data: JSON, rng: random.Random, wanted: Callable[[Path, JSON], bool]) -> Path | None:
    found = [path for path, value in walk(data) if path and wanted(path, value)]
    return rng.choice(found) if found else None


def some_expression(data: JSON, rng: random.Random) -> JSON:
    """A small random expression."""
    slots, registers = len(data["attrs"]), len(data.get("registers", []))
    reference = {"base": rng.randrange(3), "count": 1, "index": None}
    return rng.choice(
        [
            {"Num": rng.choice(NUMBERS)},
            {"Attr": rng.randrange(slots)},
            {"Attr": rng.randrange(slots)},
            {"Ctx": rng.choice(CONTEXT)},
            {"Ctx": rng.choice(CONTEXT)},
            {"Reg": rng.randrange(registers + 1)},
            {"Sample": ["Exp", [{"Num": 1.0}]]},
            {"Sample": ["Bernoulli", [{"Num": 0.5}]]},
            {"Call": [rng.choice(("Used", "Free", "CachedIn", "Allocated", "Holders", "Queued")), [{"Pool": reference}]]},
            {"Call": [rng.choice(("Queue", "Busy", "Work", "BudgetLeft", "EstWait")), [{"Stage": reference}]]},
            {"Agg": ["Count", 0]},
            {"Binary": ["Sub", {"Num": 1.0}, {"Num": 2.0}]},
            {"Cost": [{"Pool": {"base": 0, "count": 1}}, {"Num": 1.0}]},
        ]
    )


# ------------------------------------------------------------------------------- mutations


def _integer(data: JSON, rng: random.Random) -> str | None:
    path = _any(data, rng, lambda _, v: isinstance(v, int) and not isinstance(v, bool))
    if path is None:
        return None
    put(data, path, max(0, at(data, path) + rng.choice((-1, 1, 1, 2, 90))))
    return said(path)


def _number(data: JSON, rng: random.Random) -> str | None:
    path = _any(data, rng, lambda _, v: isinstance(v, float) or v in ("inf", "-inf"))
    if path is None:
        return None
    put(data, path, rng.choice(NUMBERS))
    return said(path)


def _wrong_type(data: JSON, rng: random.Random) -> str | None:
    path = _any(data, rng, lambda _p, _v: True)
    if path is None:
        return None
    put(data, path, rng.choice(WRONG))
    return said(path)


def _dropped(data: JSON, rng: random.Random) -> str | None:
    path = _any(data, rng, lambda _p, _v: True)
    if path is None:
        return None
    del at(data, path[:-1])[path[-1]]
    return said(path)


def _dropped_statement(data: JSON, rng: random.Random) -> str | None:
    b = rng.randrange(len(data["blocks"]))
    if not data["blocks"][b]:
        return None
    i = rng.randrange(len(data["blocks"][b]))
    del data["blocks"][b][i], data["sides"][b][i]
    return f"blocks[{b}][{i}]"


def _moved_statement(data: JSON, rng: random.Random) -> str | None:
    full = [b for b, block in enumerate(data["blocks"]) if block]
    if not full:
        return None
    b, c = rng.choice(full), rng.randrange(len(data["blocks"]))
    i, j = rng.randrange(len(data["blocks"][b])), rng.randrange(len(data["blocks"][c]) + 1)
    statement, side = data["blocks"][b].pop(i), data["sides"][b].pop(i)
    data["blocks"][c].insert(min(j, len(data["blocks"][c])), statement)
    data["sides"][c].insert(min(j, len(data["sides"][c])), side)
    return f"blocks[{b}][{i}] to blocks[{c}][{j}]"


def _copied_statement(data: JSON, rng: random.Random) -> str | None:
    simple = [
        (b, i)
        for b, block in enumerate(data["blocks"])
        for i, statement in enumerate(block)
        if isinstance(statement, str) or not statement.keys() & {"Hold", "Branch", "Loop", "While", "Fork"}
    ]
    if not simple:
        return None
    b, i = rng.choice(simple)
    c = rng.randrange(len(data["blocks"]))
    j = rng.randrange(len(data["blocks"][c]) + 1)
    data["blocks"][c].insert(j, copy.deepcopy(data["blocks"][b][i]))
    data["sides"][c].insert(j, data["sides"][b][i])
    return f"blocks[{b}][{i}] to blocks[{c}][{j}]"


def _context(data: JSON, rng: random.Random) -> str | None:
    path = _any(data, rng, lambda p, v: p[-1] == "Ctx" and isinstance(v, str))
    if path is None:
        return None
    put(data, path, rng.choice(CONTEXT))
    return said(path)


def _word(data: JSON, rng: random.Random) -> str | None:
    families = (FUNCTIONS, DISTRIBUTIONS, UNARY, BINARY, AGGREGATES, STATEMENTS)
    path = _any(data, rng, lambda _, v: isinstance(v, str) and any(v in family for family in families))
    if path is None:
        return None
    family = rng.choice([family for family in families if at(data, path) in family])
    put(data, path, rng.choice(family))
    return said(path)


def _expression(data: JSON, rng: random.Random) -> str | None:
    path = _any(data, rng, lambda _, v: is_expression(v))
    if path is None:
        return None
    put(data, path, some_expression(data, rng))
    return said(path)


def _inside_cost(data: JSON, rng: random.Random) -> str | None:
    path = _any(data, rng, lambda p, v: is_expression(v) and len(p) > 1 and p[-2] == "Cost" and p[-1] == 1)
    if path is None:
        return None
    put(data, path, some_expression(data, rng))
    return said(path)


def _rounded(data: JSON, rng: random.Random) -> str | None:
    """Wrapped in Floor, so that another rule than wholeness is met."""
    path = _any(data, rng, lambda _, v: is_expression(v) and "Cost" not in v)
    if path is None:
        return None
    put(data, path, {"Call": ["Floor", [{"Expr": some_expression(data, rng)}]]})
    return said(path)


def _exchanged(data: JSON, rng: random.Random) -> str | None:
    for kind in rng.sample([is_expression, is_reference], 2):
        path, other = _any(data, rng, lambda _, v, k=kind: k(v)), _any(data, rng, lambda _, v, k=kind: k(v))  # type: ignore[misc]
        if path is not None and other is not None:
            put(data, path, copy.deepcopy(at(data, other)))
            return f"{said(path)} by {said(other)}"
    return None


def _unwrapped(data: JSON, rng: random.Random) -> str | None:
    path = _any(data, rng, lambda _, v: is_expression(v) and "Cost" in v)
    if path is None:
        return None
    put(data, path, at(data, path)["Cost"][1])
    return said(path)


def _index(data: JSON, rng: random.Random) -> str | None:
    path = _any(data, rng, lambda _, v: is_reference(v))
    if path is None:
        return None
    put(data, (*path, "index"), rng.choice([None, {"Num": 0.0}, {"Num": 1.0}, some_expression(data, rng)]))
    return said(path)


def _side(data: JSON, rng: random.Random) -> str | None:
    path = _any(data, rng, lambda _, v: v in ("Workload", "Server") if isinstance(v, str) else False)
    if path is None:
        return None
    put(data, path, "Server" if at(data, path) == "Workload" else "Workload")
    return said(path)


def _type(data: JSON, rng: random.Random) -> str | None:
    k = rng.randrange(len(data["attr_types"]))
    data["attr_types"][k] = rng.choice(["Size", "Value", {"Cost": {"Pool": {"base": 0, "count": 1}}}])
    return f"attr_types[{k}]"


def _chosen(data: JSON, rng: random.Random) -> str | None:
    path = _any(data, rng, lambda p, _: p[-1] in WORDS)
    if path is None:
        return None
    put(data, path, copy.deepcopy(rng.choice(WORDS[str(path[-1])])))
    return said(path)


def _added(data: JSON, rng: random.Random) -> str | None:
    place = rng.choice(list(ADDED))
    if place == "program":
        path: Path | None = ()
    elif place == "pools":
        path = ("pools", rng.randrange(len(data["pools"]))) if data["pools"] else None
    else:
        path = _any(data, rng, lambda p, v: p[-1] == place and isinstance(v, dict))
    if path is None:
        return None
    field = rng.choice(list(ADDED[place]))
    at(data, path)[field] = copy.deepcopy(rng.choice(ADDED[place][field]))
    return f"{said(path)}.{field}"


def _renamed(data: JSON, rng: random.Random) -> str | None:
    names = [path for path, value in walk(data) if path and path[-1] == "name" and isinstance(value, str)]
    names += [("observes", k) for k in range(len(data["observes"]))]
    if len(names) <= 1:
        return None
    path, other = rng.sample(names, 2)
    put(data, path, at(data, other))
    return f"{said(path)} as {said(other)}"


def _doubled(data: JSON, rng: random.Random) -> str | None:
    path = _any(data, rng, lambda p, v: isinstance(p[-1], int) and p[0] not in ("sides", "attrs", "attr_types"))
    if path is None:
        return None
    items = at(data, path[:-1])
    items.insert(rng.randrange(len(items) + 1), copy.deepcopy(items[path[-1]]))
    if len(path) == 2 and path[0] == "blocks":
        data["sides"].append(copy.deepcopy(data["sides"][path[1]]))
    return said(path)


MUTATIONS: tuple[Callable[[JSON, random.Random], str | None], ...] = (
    _integer,
    _number,
    _wrong_type,
    _dropped,
    _dropped_statement,
    _moved_statement,
    _copied_statement,
    _context,
    _word,
    _expression,
    _expression,
    _inside_cost,
    _rounded,
    _exchanged,
    _exchanged,
    _unwrapped,
    _index,
    _side,
    _type,
    _chosen,
    _added,
    _added,
    _renamed,
    _doubled,
)
