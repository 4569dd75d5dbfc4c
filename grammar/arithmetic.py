"""What the operators and the pure functions do to numbers; knows no names and no tree.

Constants are evaluated with it when a program is linked; the results must be those a run
would give (L3.11), so nothing here raises: a quotient by 0 is an infinity, a root of a
negative number is no number.
"""

from __future__ import annotations

import math
from collections.abc import Callable

NAN = math.nan


def add(a: float, b: float) -> float:
    """IEEE addition."""
    return a + b


def subtract(a: float, b: float) -> float:
    """IEEE subtraction."""
    return a - b


def multiply(a: float, b: float) -> float:
    """IEEE multiplication."""
    return a * b


def divide(a: float, b: float) -> float:
    """IEEE division: 1 / 0 is infinite, 0 / 0 is no number."""
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return NAN
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def power(a: float, b: float) -> float:
    """C's ``pow``: Python raises where C gives an infinity or no number."""
    try:
        return math.pow(a, b)
    except OverflowError:
        odd = b == math.floor(b) and math.fmod(b, 2) != 0
        return -math.inf if a < 0 and odd else math.inf
    except ValueError:
        if a != 0:
            return NAN
        odd = b == math.floor(b) and math.fmod(b, 2) != 0
        return math.copysign(math.inf, a) if odd else math.inf


def least(a: float, b: float) -> float:
    """The lesser; one that is no number is passed over, and of equals the second is taken."""
    if math.isnan(a):
        return b
    return a if math.isnan(b) or a < b else b


def greatest(a: float, b: float) -> float:
    """The greater; one that is no number is passed over, and of equals the second is taken."""
    if math.isnan(a):
        return b
    return a if math.isnan(b) or a > b else b


def floor(a: float) -> float:
    """Toward minus infinity, the sign of zero kept."""
    return math.copysign(float(math.floor(a)), a) if math.isfinite(a) else a


def ceiling(a: float) -> float:
    """Toward plus infinity, the sign of zero kept."""
    return math.copysign(float(math.ceil(a)), a) if math.isfinite(a) else a


def root(a: float) -> float:
    """The square root; of a negative number, no number."""
    return math.sqrt(a) if a >= 0 else NAN


def exponential(a: float) -> float:
    """E to the power; too large a one is infinite."""
    try:
        return math.exp(a)
    except OverflowError:
        return math.inf


def logarithm(a: float) -> float:
    """The natural logarithm: minus infinity at 0, below it no number."""
    if a > 0:
        return math.log(a)
    return -math.inf if a == 0 else NAN


OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "^": power,
    "<": lambda a, b: float(a < b),
    "<=": lambda a, b: float(a <= b),
    ">": lambda a, b: float(a > b),
    ">=": lambda a, b: float(a >= b),
    "==": lambda a, b: float(a == b),
    "!=": lambda a, b: float(a != b),
}
"""Every binary operator but ``&&`` and ``||``, which may leave their right side alone."""

PURE: dict[tuple[str, int], Callable[..., float]] = {
    ("min", 2): least,
    ("max", 2): greatest,
    ("abs", 1): abs,
    ("floor", 1): floor,
    ("floor", 2): lambda a, step: multiply(floor(divide(a, step)), step),
    ("ceil", 1): ceiling,
    ("sqrt", 1): root,
    ("exp", 1): exponential,
    ("ln", 1): logarithm,
}
"""The pure functions (L9.7) by name and number of arguments."""
