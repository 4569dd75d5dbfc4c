"""Exact comparison of JSON-like values: the first place where two differ; knows no reports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any


def first_difference(want: Any, got: Any, where: str = "") -> str | None:
    """Where two values first differ and how; None when they are equal to the last bit.

    Whole floats equal integers, as in JSON; nan equals nan; a truth value is no number.
    """
    if isinstance(want, Mapping) and isinstance(got, Mapping):
        for key in (*want, *(key for key in got if key not in want)):
            if key not in got or key not in want:
                return f"{where}.{key}: only {'recorded' if key in want else 'ours'}"
            found = first_difference(want[key], got[key], f"{where}.{key}")
            if found is not None:
                return found
        return None
    if _is_list(want) and _is_list(got):
        for index, (left, right) in enumerate(zip(want, got, strict=False)):
            found = first_difference(left, right, f"{where}[{index}]")
            if found is not None:
                return found
        return None if len(want) == len(got) else f"{where}: {len(want)} items recorded, {len(got)} ours"
    return None if _same(want, got) else f"{where}: {want!r} recorded, {got!r} ours"


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _same(want: Any, got: Any) -> bool:
    numbers = [isinstance(value, int | float) and not isinstance(value, bool) for value in (want, got)]
    if all(numbers):
        # As doubles: beyond 2^53 the shortest digits of a number are not those of its value.
        return float(want) == float(got) or (math.isnan(want) and math.isnan(got))
    return not any(numbers) and type(want) is type(got) and bool(want == got)
