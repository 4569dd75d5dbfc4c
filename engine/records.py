"""Locks records that are made by an ``__init__`` of their own; knows nothing of what they record."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, make_dataclass
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")


def lock(cls: type) -> None:
    """Makes of a class whose ``__init__`` fills in its fields, and nothing else, a frozen dataclass.

    A run that is listened to makes a record a decode an iteration. Where it is not compiled, a twin without the lock, of
    the same fields, is filled in and then locked by taking on the class: Python allows that between classes of the same slots.

    Args:
        cls: names its fields in ``__match_args__``, in order. Compiled it stays the structure it
            is, made by its own ``__init__``, and only looks like the others from outside.
    """
    kind: Any = cls
    names: tuple[str, ...] = kind.__match_args__
    like = make_dataclass(cls.__name__, names, frozen=True)

    def refuse(self: object, name: str, value: object = None) -> NoReturn:
        raise FrozenInstanceError(f"cannot change field {name!r}")

    for method in ("__dataclass_fields__", "__dataclass_params__", "__eq__", "__hash__", "__repr__"):
        setattr(kind, method, getattr(like, method))
    kind.__setattr__ = kind.__delattr__ = refuse
    if hasattr(kind, "__mypyc_attrs__"):
        kind.__reduce__ = _reduced(names)
    else:
        _made_open(kind, type(cls.__name__, (), {"__slots__": kind.__slots__, "__init__": kind.__init__}))


def _made_open(frozen: Any, open_twin: type) -> None:
    """Has a frozen class made by its twin, which is not."""

    def new(kind: type[T], *values: Any, **named: Any) -> T:
        made: Any = open_twin(*values, **named)
        made.__class__ = kind
        return made  # type: ignore[no-any-return]  # it is of the class by now

    new.__name__ = "__new__"
    frozen.__new__ = new
    # Copies would ask for an empty one first, and there is none.
    frozen.__reduce__ = _reduced(tuple(one.name for one in fields(frozen)))
    # All is set by now; what was generated would set it again, field by field.
    del frozen.__init__


def _reduced(names: tuple[str, ...]) -> Any:
    def reduce(self: Any) -> tuple[type, tuple[Any, ...]]:
        return type(self), tuple(getattr(self, name) for name in names)

    reduce.__name__ = "__reduce__"
    return reduce
