"""The numbers that what is cached in a pool takes and frees (R4.33); knows no entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.pool_state import PoolState


def take_place(pool: PoolState) -> int:
    """R4.33.1: the place freed last, else a new one."""
    if pool.free_places:
        return pool.free_places.pop()
    pool.places += 1
    return pool.places - 1


def free_place(pool: PoolState, place: int) -> None:
    """Frees a place that somebody keeps; -1 is none."""
    if place >= 0:
        pool.free_places.append(place)
