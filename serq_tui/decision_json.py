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

ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
"""One for all decisions: ``json.dumps`` makes an encoder for each."""


class DecisionNames:
    """The names of what records give by number.

    Args:
        code: the program.
    """

    def __init__(self, code: ProgramCode) -> None:
        self._names = {
            "pool": [name(pool) for pool in code.pools],
            "short_of": [name(pool) for pool in code.pools],
            "stage": [name(stage) for stage in code.stages],
            "register": [register.name for register in code.program.registers],
            "claim": [claim.name for claim in code.program.claims],
        }

    def value(self, field: str, value: Any) -> Any:
        """A field's value as JSON data, what is numbered by its name."""
        if field == "owner" and value is not None:
            return str(Who(value))
        if field == "asks":
            return [[self._names["pool"][pool], samples_json(units)] for pool, units in value]
        if field == "pools":
            return [self._names["pool"][pool] for pool in value]
        names = self._names.get(field)
        return names[value] if names is not None and value is not None else _plain(value)

    def object(self, record: Decision) -> dict[str, Any]:
        """A decision as JSON data: its type, then its fields in their order."""
        values = {field.name: self.value(field.name, getattr(record, field.name)) for field in fields(record)}
        return {"type": type(record).__name__, **values}


class DecisionWriter:
    """A listener that writes each decision as it is made and keeps none.

    Args:
        out: where to.
        code: the program, for the names of what records give by number.
    """

    def __init__(self, out: TextIO, code: ProgramCode) -> None:
        self._out = out
        self._names = DecisionNames(code)

    def append(self, record: Decision) -> None:
        """Write a decision."""
        self._out.write(ENCODER.encode(self._names.object(record)) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, Who):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return samples_json(value)
