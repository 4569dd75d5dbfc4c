"""Frozen records that are quick to make; knows nothing of what they record."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """A frozen, slotted dataclass that is made as quickly as one that is not frozen.

    A frozen dataclass sets its fields one by one through ``object.__setattr__``, which takes
    several times as long; a run that is listened to makes a record a decode an iteration.
    So a twin without the lock, of the same fields, is filled in and then locked by taking on
    the frozen class: Python allows that between classes of the same slots.
    """
    frozen: Any = dataclass(frozen=True, slots=True)(cls)
    twins = [(one.name, one.type, field(default=one.default, default_factory=one.default_factory)) for one in fields(frozen)]
    open_twin = make_dataclass(cls.__name__, twins, slots=True, eq=False)

    def new(kind: type[T], *values: Any, **named: Any) -> T:
        made: Any = open_twin(*values, **named)
        made.__class__ = kind
        return made  # type: ignore[no-any-return]  # it is of the class by now

    def reduce(self: Any) -> tuple[type[T], tuple[Any, ...]]:
        return type(self), tuple(getattr(self, name) for name in names)

    names = [one.name for one in fields(frozen)]
    new.__name__, reduce.__name__ = "__new__", "__reduce__"
    frozen.__new__ = new
    # Copies would ask for an empty one first, and there is none.
    frozen.__reduce__ = reduce
    # All is set by now; what was generated would set it again, field by field.
    del frozen.__init__
    return frozen  # type: ignore[no-any-return]  # the class itself
