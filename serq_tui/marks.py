"""What a person can point at to stop on it, as data; stops nothing itself."""

from __future__ import annotations

from engine.snapshot import Who
from grammar.declaring import dataclass


@dataclass(frozen=True, slots=True)
class LineMark:
    """A line of the source, from 1."""

    line: int


@dataclass(frozen=True, slots=True)
class RequestMark:
    """A request."""

    who: Who


@dataclass(frozen=True, slots=True)
class PoolMark:
    """A pool by its index."""

    pool: int


Mark = LineMark | RequestMark | PoolMark
