"""A pool and its prefix cache as they stand; how they are copied; knows no rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.prefix_tree import Tree
from engine.session_state import Session
from engine.statistics import RunningMean, TimeAverage

if TYPE_CHECKING:
    from engine.codes import PoolCode


class Entry:
    """A cached prefix (R4.20); immutable but for its size and its release."""

    __slots__ = ("attrs", "number", "place", "released", "size")

    def __init__(self, size: float, released: float, number: int, attrs: list[float], place: int) -> None:
        self.size = size
        self.released = released
        self.number = number
        self.attrs = attrs
        self.place = place

    def clone(self) -> Entry:
        """A copy; the snapshot of the attributes is shared as nothing changes it."""
        return Entry(self.size, self.released, self.number, self.attrs, self.place)


class PoolState:
    """A pool as it stands (R1.12)."""

    __slots__ = (
        "admissions",
        "cached",
        "code",
        "entries",
        "evicted_entries",
        "evicted_units",
        "free_places",
        "growers",
        "holder_counts",
        "holders",
        "lease_tick_due",
        "lease_ticking",
        "mean_cached",
        "mean_holders",
        "mean_queue",
        "mean_used",
        "order",
        "places",
        "preemptions",
        "queue",
        "rejected",
        "spills",
        "stuck",
        "tick_due",
        "ticking",
        "tree",
        "used",
        "wait",
    )

    def __init__(self, code: PoolCode) -> None:
        self.code = code
        self.used = 0.0
        self.cached = 0.0
        self.holders: list[Session] = []
        self.holder_counts: dict[int, int] = {}
        """Entries in ``holders`` by slot: as many sessions and legs hold it (R7.11)."""
        self.entries: dict[tuple[int, int], Entry] = {}
        """By (0, serial), or (1, number) for a dead entry: the order of ties (R4.29)."""
        self.order: list[tuple[int, tuple[int, int]]] = []
        """Release numbers with their entries' keys as a heap, stale ones among them; only for ``evict lru``."""
        self.queue: list[Session] = []
        self.growers: list[Session] = []
        self.tree = Tree() if code.shared else None
        """The chains that sessions share, None where every session has its own prefix."""
        self.ticking = False
        """Whether a tick of its queue is to come."""
        self.tick_due = False
        """Whether one came at this instant, which has not come to rest."""
        self.lease_ticking = False
        """The same of the ticks at which leases come back."""
        self.lease_tick_due = False
        self.places = 0
        self.free_places: list[int] = []
        self.mean_used = TimeAverage()
        self.mean_cached = TimeAverage()
        self.mean_queue = TimeAverage()
        self.mean_holders = TimeAverage()
        self.wait = RunningMean()
        self.admissions = 0
        self.evicted_entries = 0
        self.evicted_units = 0.0
        self.preemptions = 0
        self.spills = 0
        self.rejected = 0
        self.stuck = 0

    def clone(self, copies: dict[int, Session]) -> PoolState:
        """A copy among the copied sessions, by slot; those at rest wait in its queue as they do here."""
        other = PoolState(self.code)
        other.used = self.used
        other.cached = self.cached
        other.holders = [copies[s.slot] for s in self.holders]
        other.holder_counts = self.holder_counts.copy()
        other.entries = {key: entry.clone() for key, entry in self.entries.items()}
        other.order = self.order.copy()
        other.queue = [s if s.shared else copies[s.slot] for s in self.queue]
        other.growers = [copies[s.slot] for s in self.growers]
        other.tree = self.tree.clone() if self.tree is not None else None
        other.ticking = self.ticking
        other.tick_due = self.tick_due
        other.lease_ticking = self.lease_ticking
        other.lease_tick_due = self.lease_tick_due
        other.places = self.places
        other.free_places = self.free_places.copy()
        other.mean_used = self.mean_used.clone()
        other.mean_cached = self.mean_cached.clone()
        other.mean_queue = self.mean_queue.clone()
        other.mean_holders = self.mean_holders.clone()
        other.wait = self.wait.clone()
        other.admissions = self.admissions
        other.evicted_entries = self.evicted_entries
        other.evicted_units = self.evicted_units
        other.preemptions = self.preemptions
        other.spills = self.spills
        other.rejected = self.rejected
        other.stuck = self.stuck
        return other
