"""Decisions as lines of JSON, one object a line; knows no run.

``docs/decisions.md`` says what stands in them and is made from the same records.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, TextIO

from engine.codes import ProgramCode
from engine.decisions import Decision
from engine.names import name
from engine.snapshot import Who
from serq_tui.report_json import samples_json


class DecisionWriter(list[Decision]):
    """A listener that writes each decision as it is made and keeps none.

    Args:
        out: where to.
        code: the program, for the names of what records give by number.
    """

    def __init__(self, out: TextIO, code: ProgramCode) -> None:
        super().__init__()
        self._out = out
        self._names = {
            "pool": [name(pool) for pool in code.pools],
            "short_of": [name(pool) for pool in code.pools],
            "stage": [name(stage) for stage in code.stages],
            "register": [register.name for register in code.program.registers],
            "claim": [claim.name for claim in code.program.claims],
        }

    def append(self, record: Decision) -> None:
        """Write a decision."""
        self._out.write(json.dumps(self.object(record), separators=(",", ":"), ensure_ascii=False) + "\n")

    def object(self, record: Decision) -> dict[str, Any]:
        """A decision as JSON data: its type, then its fields in their order, what is numbered by its name."""
        made: dict[str, Any] = {"type": type(record).__name__}
        for field in fields(record):
            value = getattr(record, field.name)
            names = self._names.get(field.name)
            if field.name == "owner" and value is not None:
                made[field.name] = str(Who(value))
            elif field.name == "asks":
                made[field.name] = [[self._names["pool"][pool], samples_json(units)] for pool, units in value]
            elif names is not None and value is not None:
                made[field.name] = names[value]
            else:
                made[field.name] = _plain(value)
        return made


def _plain(value: Any) -> Any:
    if isinstance(value, Who):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return samples_json(value)
