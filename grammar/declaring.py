"""Slotted dataclasses that are quick to declare and to make; knows nothing of what they are for.

To whoever reads or checks types it is the standard ``dataclass``; ``fields`` and ``replace`` work as they do there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, fields
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["dataclass", "reduce", "refuse_deleting", "refuse_setting"]

T = TypeVar("T")

_ABSENT = object()
"""Stands for a value not given where a factory makes it."""

_COMPARISONS = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, slots: bool, frozen: bool = False, order: bool = False) -> Callable[[type[T]], type[T]]:
        """The standard ``dataclass(slots=True)``, with methods that are written when they are first called.

        The standard one compiles five or six methods a class as it declares it, 0.6 ms each time. The debugger
        declares 500 classes before its first picture, which took a quarter of its start; by then it has made
        instances of half of them and compared hardly any.

        Frozen instances are also made in 0.6 of the time (``_initializer``).
        """
        if not slots:
            raise TypeError("a frozen instance is filled in through its slots")

        def declare(cls: type[T]) -> type[T]:
            made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
            made.__repr__ = _repr
            _write_later(made, "__init__", partial(_initializer, made, frozen))
            for name, sign in _COMPARISONS.items():
                if order or name == "__eq__":
                    _write_later(made, name, partial(_comparison, made, name, sign))
            if frozen:
                _write_later(made, "__hash__", partial(_hash, made))
                made.__setattr__, made.__delattr__, made.__reduce__ = refuse_setting, refuse_deleting, reduce
            else:
                made.__hash__ = None
            return made

        return declare


def _write_later(owner: Any, name: str, write: Callable[[], Any]) -> None:
    """Gives a class a method that is written when it is called for the first time."""

    def method(*values: Any, **named: Any) -> Any:
        written = write()
        written.__qualname__ = f"{owner.__qualname__}.{name}"
        setattr(owner, name, written)
        return written(*values, **named)

    setattr(owner, name, method)


def _initializer(owner: Any, frozen: bool) -> Any:
    """``__init__``: a parameter and an assignment a field.

    The standard one fills in a frozen instance by ``object.__setattr__``, which looks for each slot by its
    name; here the slots themselves are filled.
    """
    scope: dict[str, Any] = {"_absent_": _ABSENT}  # names of a form that no field has
    parameters, lines = ["self"], []
    for field in fields(owner):
        name, value, parameter = field.name, field.name, field.name
        if field.default_factory is not MISSING:
            scope[f"_make_{name}_"] = field.default_factory
            parameter, value = f"{name}=_absent_", f"_make_{name}_() if {name} is _absent_ else {name}"
        elif field.default is not MISSING:
            scope[f"_default_{name}_"] = field.default
            parameter = f"{name}=_default_{name}_"
        parameters.append(parameter)
        if frozen:
            scope[f"_set_{name}_"] = getattr(owner, name).__set__
            lines.append(f"_set_{name}_(self, {value})")
        else:
            lines.append(f"self.{name} = {value}")
    return _written("__init__", parameters, lines or ["pass"], scope)


def _comparison(owner: Any, name: str, sign: str) -> Any:
    """A comparison by the fields that are compared, with instances of the same class."""
    answer = f"return {_values(owner, 'self')} {sign} {_values(owner, 'other')}"
    return _written(
        name, ["self", "other"], ["if other.__class__ is self.__class__:", f"    {answer}", "return NotImplemented"], {}
    )


def _hash(owner: Any) -> Any:
    return _written("__hash__", ["self"], [f"return hash({_values(owner, 'self')})"], {})


def _values(owner: Any, instance: str) -> str:
    """The text of a tuple of the fields that are compared."""
    return f"({''.join(f'{instance}.{field.name}, ' for field in fields(owner) if field.compare)})"


def _written(name: str, parameters: list[str], lines: list[str], scope: dict[str, Any]) -> Any:
    """A function compiled from its lines."""
    exec("\n    ".join([f"def {name}({', '.join(parameters)}):", *lines]), scope)
    return scope[name]


def _repr(self: Any) -> str:
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def reduce(self: Any) -> tuple[type, tuple[Any, ...]]:
    """How a copy is made: by making one of the same values, as an empty one could not be filled in."""
    return type(self), tuple(getattr(self, field.name) for field in fields(self))


def refuse_setting(self: Any, name: str, value: object) -> None:
    """How a frozen instance answers an assignment."""
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def refuse_deleting(self: Any, name: str) -> None:
    """How a frozen instance answers a ``del``."""
    raise FrozenInstanceError(f"cannot delete field {name!r}")
