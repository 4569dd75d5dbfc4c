"""Builds the grammar's parse table into the package, so that no run has to; knows nothing else of building."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class TableHook(BuildHookInterface):
    """Writes ``grammar/table-….json`` for a wheel, an editable one too, which reads it from the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the table and lists it as a file of the wheel; a checkout that cannot be written to goes without."""
        sys.path.insert(0, self.root)
        from grammar.table import keep_in_package

        kept = keep_in_package(Path(self.root) / "grammar")
        if kept is not None:
            build_data["artifacts"].append(f"/{kept.relative_to(self.root).as_posix()}")
