"""What of a pane's lines is in view; draws nothing."""

from __future__ import annotations

from serq_tui.pieces import Content, Entry

Drawn = tuple[Entry, bool, bool]
"""What a line is drawn from: its entry, whether the cursor is on it, whether the scroll mark is beside it."""


class Frame:
    """What of a pane's lines is in view, and what each line of the pane is drawn from, made when it is asked for.

    Attributes:
        key: what the frame follows from, beside the lines.
    """

    def __init__(self, lines: Content, key: object, top: int, cursor: int | None, thumb: range) -> None:
        self.lines = lines
        self.key = key
        self._top = top
        self._cursor = cursor
        self._thumb = thumb
        self._made: dict[int, Drawn] = {}

    def line(self, y: int) -> Drawn:
        """What a line is drawn from."""
        drawn = self._made.get(y)
        if drawn is None:
            drawn = self._made[y] = self._make(y)
        return drawn

    def _make(self, y: int) -> Drawn:
        if self.lines.head is not None:
            if y == 0:
                return Entry(self.lines.head), False, False
            y -= 1
        entries, index = self.lines.entries, self._top + y
        return entries[index] if index < len(entries) else Entry(()), index == self._cursor, y in self._thumb
