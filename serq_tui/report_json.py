"""Reports and samples as the reference's JSON; knows no engine and no file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def report_json(value: Any) -> Any:
    """A report as JSON data (R9.1): null where a number does not exist, whole numbers without a fraction."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        # -0 keeps its sign only as a float, and the reference prints the sign. By way of the text the
        # digits past the seventeenth are 0, as in the shortest number that reads back.
        return int(Decimal(repr(value))) if value.is_integer() and (value or math.copysign(1.0, value) > 0) else value
    if isinstance(value, Mapping):
        return {name: report_json(inner) for name, inner in value.items()}
    return [report_json(inner) for inner in value] if isinstance(value, list | tuple) else value


def samples_json(value: Any) -> Any:
    """Series of samples as JSON data: infinities and nan are the strings ``inf``, ``-inf`` and ``nan``."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return {name: samples_json(inner) for name, inner in value.items()}
    return [samples_json(inner) for inner in value] if isinstance(value, list | tuple) else value
