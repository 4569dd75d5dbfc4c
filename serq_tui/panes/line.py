"""A line to type in, whose cursor stands still: nothing here blinks."""

from __future__ import annotations

from typing import Any

from textual.widgets import Input


class TypedLine(Input):
    """Textual's input without its blinking."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.cursor_blink = False
