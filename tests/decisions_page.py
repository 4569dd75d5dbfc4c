"""Makes ``docs/decisions.md`` from the records themselves: their docstrings are the page."""

from __future__ import annotations

import re
from dataclasses import fields
from inspect import cleandoc
from typing import get_args

from engine.decisions import Decision

COMMON = {
    "time": "seconds of the program's clock",
    "stage": "the engine whose attempt it was made in, null outside one",
    "path": "the schedule statement being executed: its place in the list, and within a branch `0` or `1` for the arm "
    "and the place there; null outside a schedule",
    "pool": "the pool",
    "who": "the request: `r7`, or `r7/0` for its first leg",
    "waited": "seconds the hold was in the queue",
    "cached": "units of its own cached prefix it found",
    "short_of": "the first pool without room",
    "need": "units asked for, in whole blocks",
    "room": "units of that pool that were free",
    "owner": "whose prefix it was; null for a remainder that nobody can use any more",
    "units": "units, tokens for a KV pool",
    "left": "what is left of it",
    "cap": "the pool's capacity",
    "value": "the value read: 0 or 1",
    "register": "the register",
    "before": "its value before",
    "after": "its value from now on",
    "undone": "whether it was put back because the attempt came to nothing",
    "mode": "`prefill` or `decode`",
    "tokens": "tokens it gets in the iteration",
    "by": "the prefill that runs alone",
    "allocated": "units the hold has from now on",
    "free": "units that were free",
    "kept": "units that stay cached",
    "claim": "the claim",
    "held": "whether it held",
    "turn": "the turn, from 1",
}

HEAD = """\
# Decisions, one a line

`serq-tui run FILE --horizon T --decisions OUT.jsonl` writes everything the engine decides, in the order decided: one JSON
object a line, its `type` first. Pools, engines, registers and claims stand by their names, requests as `r7`; numbers that
JSON has no word for are the strings `inf`, `-inf` and `nan`. The run takes no short cuts while it is recorded, so it is
slower than one without; its report is the same.

The same records are what the debugger reads its answers from. This page is made from them by `make docs`.
"""


def described(kind: type) -> tuple[str, dict[str, str]]:
    """What a record's docstring says: its sentence, and its fields."""
    text = cleandoc(kind.__doc__ or "")
    about, _, listed = text.partition("Attributes:\n")
    found: dict[str, str] = {}
    for line in listed.splitlines():
        if match := re.match(r"    (\w+): (.*)", line):
            found[match[1]] = match[2]
        elif line.strip() and found:
            last = next(reversed(found))
            found[last] += " " + line.strip()
    return re.sub(r"``(.*?)``", r"`\1`", " ".join(about.split())), found


def meaning(kind: type, field: str) -> str:
    """What a field means: as its record says, else as it does everywhere."""
    said = described(kind)[1].get(field) or COMMON[field]
    # A record gives it by number, the file by name.
    return re.sub(r"``(.*?)``", r"`\1`", said).rstrip(".").replace("index of the pool", "the pool")


def decisions_page() -> str:
    """``docs/decisions.md``."""
    parts = [HEAD]
    for kind in get_args(Decision):
        parts.append(f"## {kind.__name__}\n\n{described(kind)[0]}\n")
        rows = "\n".join(f"| `{field.name}` | {meaning(kind, field.name)} |" for field in fields(kind))
        parts.append(f"| field | meaning |\n|---|---|\n{rows}\n")
    return "\n".join(parts)
