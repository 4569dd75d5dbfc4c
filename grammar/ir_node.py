"""A place in JSON data that knows its path, for readers that must say where they stumbled; knows no IR.

The reading is as strict as the reference's: a real is not accepted for an integer, ``true``
is no number, null is no absent field unless the field is optional, unknown fields are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeVar

from grammar.declaring import dataclass

T = TypeVar("T")

SHAPE = "the form of the IR"
LARGEST_INDEX = 2**64 - 1  # indices and counts are unsigned 64-bit integers in the reference


class InvalidIR(ValueError):
    """An IR that is not a program.

    Attributes:
        path: the node, as in ``blocks[3][1].Hold.pools[0]``; empty for the whole program.
        rule: the rule it breaks, in a few words, with its number where the language has one.
        message: what was read and what was expected.
    """

    def __init__(self, path: str, rule: str, message: str) -> None:
        """Keeps the three parts and joins them for display."""
        super().__init__(f"{path or 'the program'}: {message} ({rule})")
        self.path = path
        self.rule = rule
        self.message = message


def kind_of(value: object) -> str:
    """The JSON kind of a value, in words, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    return "a list" if isinstance(value, list) else "an object"


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value and the path to it."""

    value: object
    path: str = ""

    def refuse(self, expected: str) -> InvalidIR:
        """The error for a value of another form than expected, to be raised by the caller."""
        return InvalidIR(self.path, SHAPE, f"expected {expected}, found {kind_of(self.value)}")

    # ------------------------------------------------------------------ objects

    def fields(self) -> dict[str, object]:
        """The value as an object."""
        if not isinstance(self.value, dict):
            raise self.refuse("an object")
        return self.value

    def _child(self, name: str, value: object) -> Node:
        return Node(value, f"{self.path}.{name}" if self.path else name)

    def field(self, name: str) -> Node:
        """A required field; it may be null only where its reader takes null."""
        fields = self.fields()
        if name not in fields:
            raise InvalidIR(self.path, SHAPE, f"the field {name!r} is missing")
        return self._child(name, fields[name])

    def optional(self, name: str) -> Node | None:
        """A field that may be absent or null."""
        value = self.fields().get(name)
        return None if value is None else self._child(name, value)

    def default(self, name: str) -> Node | None:
        """A field that may be absent, not null."""
        fields = self.fields()
        return self._child(name, fields[name]) if name in fields else None

    # -------------------------------------------------------------------- lists

    def items(self) -> list[Node]:
        """The elements of a list."""
        if not isinstance(self.value, list):
            raise self.refuse("a list")
        return [Node(value, f"{self.path}[{i}]") for i, value in enumerate(self.value)]

    def exactly(self, count: int) -> Iterator[Node]:
        """The elements of a list of a fixed length."""
        items = self.items()
        if len(items) != count:
            raise InvalidIR(self.path, SHAPE, f"expected {count} elements, found {len(items)}")
        return iter(items)

    def variant(self) -> tuple[str, Node]:
        """The name and the content of a variant: a text without content, or an object of one key."""
        if isinstance(self.value, str):
            return self.value, Node(None, self.path)
        if not isinstance(self.value, dict) or len(self.value) != 1:
            raise self.refuse("a variant: a name, or an object of one key")
        name, content = next(iter(self.value.items()))
        return name, self._child(name, content)

    def unknown_variant(self, what: str, name: str, known: tuple[str, ...]) -> InvalidIR:
        """The error for a variant that is none of the known ones."""
        return InvalidIR(self.path, SHAPE, f"{name!r} is no {what}; expected one of {', '.join(known)}")

    def one_of(self, what: str, known: tuple[T, ...]) -> T:
        """A text that is one of the known ones."""
        for name in known:
            if name == self.value and isinstance(self.value, str):
                return name
        raise self.unknown_variant(what, str(self.value), tuple(str(name) for name in known))

    # ------------------------------------------------------------------ scalars

    def text(self) -> str:
        """The value as a text."""
        if not isinstance(self.value, str):
            raise self.refuse("a text")
        return self.value

    def flag(self) -> bool:
        """The value as true or false."""
        if not isinstance(self.value, bool):
            raise self.refuse("true or false")
        return self.value

    def natural(self) -> int:
        """An integer that is not negative; a real such as 1.0 is refused."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not 0 <= self.value <= LARGEST_INDEX:
            raise self.refuse("an integer that is not negative")
        return self.value

    def real(self) -> float:
        """A finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.refuse("a number")
        try:
            value = float(self.value)
        except OverflowError:
            raise self.refuse("a number in the range of a double") from None
        if not math.isfinite(value):
            raise self.refuse("a finite number")
        return value

    def extended(self) -> float:
        """A number, or an infinity in the only spelling that is read: ``"inf"`` or ``"-inf"``."""
        if self.value in ("inf", "-inf"):
            return float(str(self.value))
        return self.real()
