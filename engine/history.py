"""What was observed along a run, shared by its clones; knows no rule."""

from __future__ import annotations

from typing import Any


class History:
    """An append-only list that clones share.

    A program is a function of its seed, so a clone that replays what its original lived
    through appends what stands there already; only where it differs is the list copied.
    """

    __slots__ = ("_items", "length")

    def __init__(self) -> None:
        self._items: list[Any] = []
        self.length = 0

    def append(self, item: Any) -> None:
        """Adds an item at this clone's end."""
        items, n = self._items, self.length
        if n == len(items):
            items.append(item)
        elif items[n] != item:
            self._items = items[:n]
            self._items.append(item)
        self.length = n + 1

    def last(self) -> Any:
        """The latest item of this clone, None without one."""
        return self._items[self.length - 1] if self.length else None

    def all(self) -> list[Any]:
        """The items of this clone."""
        return self._items[: self.length]

    def clone(self) -> History:
        """A history that goes on from here by itself."""
        other = History()
        other._items = self._items
        other.length = self.length
        return other


class ClaimState:
    """How a claim stands (R9.19)."""

    __slots__ = ("checked", "failures", "first", "out_of_scope")

    def __init__(self) -> None:
        self.checked = 0
        self.failures = 0
        self.first: float | None = None
        self.out_of_scope: int | None = None

    def clone(self) -> ClaimState:
        """A copy."""
        other = ClaimState()
        other.checked = self.checked
        other.failures = self.failures
        other.first = self.first
        other.out_of_scope = self.out_of_scope
        return other
