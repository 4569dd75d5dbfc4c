"""The nodes of pools, stages and devices; knows no engine."""

from __future__ import annotations

from typing import Literal

from grammar.declaring import dataclass
from grammar.syntax.expressions import Expr, Name, Node, Ref


@dataclass(frozen=True, slots=True)
class Owner(Node):
    """``on NAME`` or ``on NAME.DEVICE`` of a pool."""

    name: Name
    device: Name | None = None


@dataclass(frozen=True, slots=True)
class PoolOption(Node):
    """One option of a pool.

    ``kind`` and what is filled: cap, block (``value``); evict, queue, preempt (``word`` lru,
    fifo, none, lifo, or ``keys``; ``requeue`` head or tail); reserve_held; spill (``to``,
    ``via``, ``value`` the work, ``when``); admit_via (``via``).
    """

    kind: Literal["cap", "block", "evict", "preempt", "queue", "reserve_held", "spill", "admit_via"]
    value: Expr | None = None
    word: str | None = None
    keys: tuple[Expr, ...] = ()
    requeue: str | None = None
    to: Ref | None = None
    via: Ref | None = None
    when: Expr | None = None


@dataclass(frozen=True, slots=True)
class Pool(Node):
    """``pool NAME [N] [on …] { options }``."""

    name: Name
    size: Expr | None
    owner: Owner | None
    options: tuple[PoolOption, ...]


@dataclass(frozen=True, slots=True)
class StageKind(Node):
    """``fifo``, ``fifo(c)``, ``ps(e)``, ``delay``."""

    word: Literal["fifo", "ps", "delay"]
    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class Stage(Node):
    """``stage NAME [N] : kind;``."""

    name: Name
    size: Expr | None
    kind: StageKind


@dataclass(frozen=True, slots=True)
class TimeResource(Node):
    """``R (p, …) = e;`` of a device."""

    name: Name
    params: tuple[Name, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class Capacity(Node):
    """``C cap e;`` or ``C[N] cap e;``."""

    name: Name
    size: Expr | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Device(Node):
    """``device NAME [N] { items }``."""

    name: Name
    size: Expr | None
    items: tuple[TimeResource | Capacity, ...]
