"""What is kept of a person between sittings, whatever the program: commands typed, the theme, the hint seen; shows nothing."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, field
from pathlib import Path

from grammar.declaring import dataclass

#: Commands kept: more than one scrolls back through.
LINES = 200

FILE = "habits.json"


@dataclass(slots=True)
class Habits:
    """A person's habits.

    Attributes:
        lines: commands typed, the latest last.
        theme: the theme chosen last, None for the first one.
        hinted: whether the hint of the first sitting was seen.
    """

    lines: list[str] = field(default_factory=list)
    theme: str | None = None
    hinted: bool = False

    def typed(self, line: str) -> None:
        """Note a line; one that is typed again moves to the end."""
        self.lines = [*(old for old in self.lines if old != line), line][-LINES:]


def load(folder: Path | None) -> Habits:
    """What was kept; what cannot be read is as if nothing was, since nothing depends on it."""
    if folder is None:
        return Habits(hinted=True)
    try:
        data = json.loads((folder / FILE).read_text(encoding="utf-8"))
        lines = [line for line in data.get("lines", []) if isinstance(line, str)]
        theme = data.get("theme")
        return Habits(lines[-LINES:], theme if isinstance(theme, str) else None, data.get("hinted") is True)
    except (OSError, ValueError, AttributeError, TypeError):
        return Habits()


def save(folder: Path | None, habits: Habits) -> None:
    """Keep them. A folder that cannot be written keeps nothing, and nobody is troubled with it."""
    if folder is None:
        return
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{FILE}.{os.getpid()}.part"
        part.write_text(json.dumps(asdict(habits), ensure_ascii=False), encoding="utf-8")
        part.replace(folder / FILE)
