"""From the JSON of version 14 to that of 12 or 13, or the refusal of what these cannot say; knows only JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

JSON = dict[str, Any]
OLDEST = 12

NEWER = {
    "Shrink": "a shrink",
    "Leases": "preemption of leases",
    "queue_every": "a queue that is looked at only at ticks",
    "prefix": "a shared prefix",
    "Request": "a native request",
    "request": "an engine's request clause",
    "connector": "an engine's second tier",
    "latency": "a latency of a run",
    "poster": "a poster of a run",
}
"""JSON keys that the versions 12 and 13 (as they are written here) have no form for, and what they mean."""


class CannotSay(ValueError):
    """A program that the asked version of the IR has no form for.

    Attributes:
        path: the node, as in ``blocks[3][1].Shrink``.
        construct: what it is, in words.
        version: the version asked for.
    """

    def __init__(self, path: str, construct: str, version: int) -> None:
        """Keeps the three parts and joins them for display."""
        super().__init__(f"{path}: version {version} of the IR has no form for {construct}")
        self.path = path
        self.construct = construct
        self.version = version


def to_older(data: JSON, version: int, *, share_in_runs: bool) -> None:
    """Turns data written for version 14 into that of 12 or 13, in place.

    Raises:
        CannotSay: when that version has no form for something in the data.
    """
    for path, construct in _newer(data, ""):
        raise CannotSay(path, construct, version)
    if version == OLDEST:
        _to_version_12(data)
    _share_to_program(data, version, keep=share_in_runs)


def _newer(data: object, path: str) -> Iterator[tuple[str, str]]:
    """The nodes that only version 14, or another format of 13, has."""
    if isinstance(data, list):
        for i, item in enumerate(data):
            yield from _newer(item, f"{path}[{i}]")
    elif isinstance(data, dict):
        for key, value in data.items():
            inner = f"{path}.{key}" if path else key
            if key in NEWER:
                yield inner, NEWER[key]
            if key == "Call" and value[0] == "Allocated":
                yield inner, "the function Allocated"
            yield from _newer(value, inner)


def _to_version_12(data: JSON) -> None:
    """Version 12 has a stage kind for the delay and lets only the workload end a session."""
    for stage in data["stages"]:
        if stage["kind"] == {"Ps": {"Ctx": "N"}}:
            stage["kind"] = "Delay"
    for b, block in enumerate(data["blocks"]):
        for i, statement in enumerate(block):
            if statement == "End" and data["sides"][b][i] == "Server":
                raise CannotSay(f"blocks[{b}][{i}]", "an end of the session by the server", OLDEST)


def _share_to_program(data: JSON, version: int, *, keep: bool) -> None:
    """Moves the policy of the runs over several stages to the program, where L11.1 has it: before the optional lists."""
    share: str | None = None
    for b, block in enumerate(data["blocks"]):
        for i, statement in enumerate(block):
            run = statement.get("Run") if isinstance(statement, dict) else None
            if run is None or "share" not in run:
                continue
            if share is not None and run["share"] != share:
                raise CannotSay(f"blocks[{b}][{i}].Run.share", "two policies of sharing in one program", version)
            share = run["share"]
            if not keep:
                del run["share"]
    if share is not None:
        data["share"] = share
        for name in ("gauges", "claims", "registers"):
            if name in data:
                data[name] = data.pop(name)
