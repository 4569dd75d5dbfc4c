"""Whole blocks, and the greater of two numbers as the kernel means it; knows no session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.constants import INF

if TYPE_CHECKING:
    from engine.codes import PoolCode


def positive(x: float) -> float:
    """``max(x, 0)``, where a NaN counts as 0 (R7.5)."""
    return x if x > 0.0 else 0.0


def greater(a: float, b: float) -> float:
    """The greater of two numbers, where a NaN is ignored (R7.5)."""
    return a if a > b or b != b else b


def up(pool: PoolCode, units: float) -> float:
    """Units in whole blocks, rounded up (R1.4)."""
    block = pool.block
    if not block:
        return units
    blocks = units / block
    # The ``//`` of an infinity would be NaN.
    return -(-blocks // 1.0) * block if blocks < INF else blocks * block


def down(pool: PoolCode, units: float) -> float:
    """Units in whole blocks, rounded down (R1.4)."""
    block = pool.block
    if not block:
        return units
    blocks = units / block
    return blocks // 1.0 * block if blocks < INF else blocks * block
