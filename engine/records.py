"""Locks records that are made by an ``__init__`` of their own; knows nothing of what they record."""

from __future__ import annotations

from dataclasses import make_dataclass
from typing import Any, TypeVar

from grammar.declaring import reduce, refuse_deleting, refuse_setting

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
    like = make_dataclass(cls.__name__, kind.__match_args__, frozen=True)
    for method in ("__dataclass_fields__", "__dataclass_params__", "__eq__", "__hash__", "__repr__"):
        setattr(kind, method, getattr(like, method))
    # Copies would ask for an empty one first, and there is none.
    kind.__setattr__, kind.__delattr__, kind.__reduce__ = refuse_setting, refuse_deleting, reduce
    if not hasattr(kind, "__mypyc_attrs__"):
        _made_open(kind, type(cls.__name__, (), {"__slots__": kind.__slots__, "__init__": kind.__init__}))


def _made_open(frozen: Any, open_twin: type) -> None:
    """Has a frozen class made by its twin, which is not."""

    def new(kind: type[T], *values: Any, **named: Any) -> T:
        made: Any = open_twin(*values, **named)
        made.__class__ = kind
        return made  # type: ignore[no-any-return]  # it is of the class by now

    new.__name__ = "__new__"
    frozen.__new__ = new
    # All is set by now; what was generated would set it again, field by field.
    del frozen.__init__
