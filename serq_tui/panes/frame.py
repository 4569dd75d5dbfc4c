"""What of a pane's lines is in view, and what of a line is another by now; draws nothing."""

from __future__ import annotations

from serq_tui.pieces import Content, Entry, width_of

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


def other_up_to(before: Drawn | None, now: Drawn, width: int) -> int:
    """Up to which cell a line is another by now, 0 where it is the same: a terminal far away is not sent the rest.

    Textual sends what of a widget's line is before that in any case.

    Args:
        before: what it was drawn from, None where it was not.
        now: what it is to be drawn from.
        width: cells of a line.
    """
    if before == now:
        return 0
    if before is None or before[1:] != now[1:] or before[0].tone != now[0].tone or before[0].key != now[0].key:
        # Its ground, or what stands out on it, is another.
        return width
    old, new = before[0].line, now[0].line
    end = width_of(new)
    if width_of(old) != end:
        return width
    for one, other in zip(reversed(old), reversed(new), strict=False):
        if one != other:
            break
        end -= len(other.text)
    return end
