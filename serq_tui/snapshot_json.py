"""A moment of a run as JSON data; ``docs/snapshot.md`` says what stands in it and is made from the same views."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from engine.snapshot import Position, Snapshot, Who
from serq_tui import __version__
from serq_tui.report_json import samples_json

VERSION = 1
"""Of the form: a reader may rely on the names and meanings of one version, and on nothing being taken away in it."""


def snapshot_json(snapshot: Snapshot, program: str, notes: dict[str, Any] | None = None) -> dict[str, Any]:
    """A moment as JSON data.

    Args:
        snapshot: the moment.
        program: the name of the program's file.
        notes: what else the file is to say of it.
    """
    about = {"format": "serq-tui snapshot", "version": VERSION, "made_by": f"serq-tui {__version__}", "program": program}
    return {**about, **(notes or {}), "snapshot": plain(snapshot)}


def plain(value: Any) -> Any:
    """A view as JSON data: requests and positions as they are written, other views by their fields."""
    if isinstance(value, Position | Who):
        return str(value)
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return samples_json(value)
