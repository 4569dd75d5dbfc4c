"""Makes ``docs/snapshot.md`` from the views themselves: their docstrings are the page."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

from engine.snapshot import Position, Snapshot, Who
from tests.decisions_page import described

HEAD = """\
# A moment as JSON

In the debugger `e` `m` writes the moment one looks at to a file of JSON in the current folder: everything the screen knows of
it. The object has `format` (`serq-tui snapshot`), `version` (1), `made_by`, `program` and, under `snapshot`, the moment itself,
whose fields follow. A reader may rely on the names and meanings of a version; new fields may come.

A position is written `@12345`, a request `r7`, its first leg `r7/0`. Amounts of a pool are units (tokens for a KV pool), times
are seconds of the program's clock, work of an engine is tokens. Numbers that JSON has no word for are the strings `inf`, `-inf`
and `nan`. Pools and stages are given by their index, which their own entries have beside their names; it counts from 0.

This page is made by `make docs` from the views of the engine.
"""

COMMON = {
    "position": "the moment's position",
    "seed": "which random streams it draws from",
    "horizon": "seconds of the program's clock at which the run ends",
    "ended": "sessions that have ended",
    "engines": "the engines: [EngineView](#engineview)",
    "queues": "the queues of the pools: [QueueView](#queueview)",
    "pools": "the pools: [PoolView](#poolview)",
    "stages": "the stages that are no engines: [StageView](#stageview)",
    "attribute_names": "what the numbers in `attributes` are, in their order",
    "stage": "the index of the stage",
    "pool": "the index of the pool",
    "name": "its name, a member's with its index",
    "registers": "its registers: [RegisterView](#registerview)",
    "memory": "the index of the pool that is its memory; null without one",
    "attempt": "its latest attempt: [AttemptView](#attemptview); null before the first",
    "who": "the request",
    "mode": "`prefill` or `decode`",
    "holds": "what it holds: [HeldView](#heldview)",
    "attributes": "its attributes, in the order of `attribute_names`",
    "turn": "its turn, from 1",
    "waiting": "who waits, in the order tried: [WaitingView](#waitingview)",
    "needs": "what it asks, pool by pool: [NeedView](#needview)",
    "tokens": "tokens it computes in the iteration",
    "portions": "who computes what: [Portion](#portion)",
    "value": "its value",
    "allocated": "units allocated",
    "computed": "units of it that a cache clause could keep",
    "reserved": "units the admission tested",
    "leased": "whether it outlived its hold as a lease",
    "cap": "its capacity in units",
    "block": "units of a block; null without blocks",
    "queued": "holds in its queue",
    "admissions": "holds admitted so far",
    "preemptions": "holds and leases taken for growths so far",
    "evicted_units": "cached units that gave way so far",
    "rejected": "holds so far that could never fit",
    "kind": "`fifo`, `ps`, `delay` or `shared`",
    "jobs": "its jobs: [JobView](#jobview)",
    "completed": "jobs it has completed",
    "left": "what is left to do",
    "active": "whether it is being worked on",
    "time": "when, in seconds",
}


def views() -> list[type]:
    """The views a snapshot is made of, each where it is first met."""
    found: list[type] = []
    _collect(Snapshot, found)
    return found


def _collect(kind: Any, found: list[type]) -> None:
    if isinstance(kind, type) and is_dataclass(kind) and kind not in found and kind not in (Position, Who):
        found.append(kind)
        for hint in get_type_hints(kind).values():
            _collect(hint, found)
    for part in get_args(kind):
        _collect(part, found)


def meaning(kind: type, field: str) -> str:
    """What a field means: as its view says, else as it does everywhere."""
    said = described(kind)[1].get(field) or COMMON[field]
    return said.rstrip(".").replace("``", "`").replace("None", "null").replace("False", "false")


def snapshot_page() -> str:
    """``docs/snapshot.md``."""
    parts = [HEAD]
    for kind in views():
        about, _ = described(kind)
        rows = [f"| `{field.name}` | {meaning(kind, field.name)} |" for field in fields(kind)]
        parts.append("\n".join([f"## {kind.__name__}\n", f"{about}\n", "| field | meaning |", "| --- | --- |", *rows, ""]))
    return "\n".join(parts)
