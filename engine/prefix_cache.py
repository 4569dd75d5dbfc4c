"""The prefix caches of pools: consuming, keeping and evicting entries (R4.20 to R4.34)."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from engine import shared_prefixes, stages
from engine.constants import EPS, QUEUED
from engine.frequent import Evicted, note
from engine.places import free_place, take_place
from engine.pool_state import Entry
from engine.prefix_tree import Stamp
from engine.rounding import down, positive
from engine.statistics import total_order

if TYPE_CHECKING:
    from engine.pool_state import PoolState
    from engine.session_state import Session
    from engine.state import State

Key = tuple[int, int]


def _insert(pool: PoolState, key: Key, entry: Entry) -> None:
    pool.entries[key] = entry
    if pool.code.evict is None:
        heappush(pool.order, (entry.number, key))


def consume(k: State, pool: PoolState, session: Session, reuse: float | None) -> tuple[float, int, Entry | None]:
    """Takes the session's own entry for an admission (R4.9 2b and 2c).

    Returns:
        The units consumed, the place the held pool keeps (-1 for none), and the entry as far as it was consumed.
    """
    key = (0, session.serial)
    entry = pool.entries.get(key)
    if entry is None:
        return 0.0, -1, None
    del pool.entries[key]
    pool.cached -= entry.size
    own, place = entry.size, entry.place
    bound = down(pool.code, reuse) if reuse is not None else own
    if own > bound:
        excess = own - bound
        own = bound
        if own <= 0:
            free_place(pool, place)
            place = -1
        dead = Entry(excess, entry.released, entry.number, session.attrs.copy(), take_place(pool))
        _insert(pool, (1, k.next_dead), dead)
        k.next_dead += 1
        pool.cached += excess
        entry.size = own
    return own, place, entry


def keep(k: State, pool: PoolState, session: Session, units: float, place: int) -> None:
    """Leaves a prefix cached when units are given back under a cache clause (R4.26).

    Args:
        units: what may stay, already cut to what is computed.
        place: the place the held pool kept, -1 for none.
    """
    if pool.code.shared:
        shared_prefixes.keep(k, pool, session, units, place)
        return
    size = down(pool.code, units)
    if size <= 0:
        free_place(pool, place)
        return
    key = (0, session.serial)
    old = pool.entries.pop(key, None)
    if old is not None:
        pool.cached -= old.size
        free_place(pool, place)
        place = old.place
    elif place < 0:
        place = take_place(pool)
    _insert(pool, key, Entry(size, k.now, k.next_release, session.attrs.copy(), place))
    k.next_release += 1
    pool.cached += size


def restore(pool: PoolState, session: Session, entry: Entry, place: int) -> None:
    """Puts a consumed entry back as it was released, unless the session has another by now.

    Args:
        place: the place that was kept for it, -1 for none.
    """
    key = (0, session.serial)
    if entry.size <= 0 or key in pool.entries:
        free_place(pool, place)
        return
    if place < 0:
        place = take_place(pool)
    _insert(pool, key, Entry(entry.size, entry.released, entry.number, entry.attrs, place))
    pool.cached += entry.size


def drop(pool: PoolState, session: Session) -> None:
    """Forgets the session's own entry (R3.7)."""
    if pool.code.shared:
        shared_prefixes.drop(pool, session)
        return
    entry = pool.entries.pop((0, session.serial), None)
    if entry is not None:
        pool.cached -= entry.size
        free_place(pool, entry.place)


def make_room(k: State, pool: PoolState, need: float) -> None:
    """Evicts until ``need`` units fit, or nothing is left to evict (R4.28)."""
    code = pool.code
    limit = code.cap + EPS
    if code.shared:
        while pool.used + pool.cached + need > limit:
            gone = shared_prefixes.evict(k, pool)
            if gone is None:
                return
            if code.spill is not None:
                stamp, removed = gone
                key = (0, stamp.owner) if stamp.owner >= 0 else (1, -1 - stamp.owner)
                _spill(k, pool, key, stamp, removed)
        return
    over = pool.used + pool.cached + need - limit
    if not over > 0 or not pool.entries:
        return
    if k.listen is None and code.bulk and not (pool.used % 1.0 or pool.cached % 1.0 or need % 1.0):
        # Whole blocks off whole numbers: how many go is known at once, and sums of them are exact.
        evict_units(k, pool, min(-(-over // code.block) * code.block, pool.cached))
        return
    # Nothing but the eviction itself moves a release, so block after block goes off the entry once found; keys are read anew.
    stays = code.evict is None and code.spill is None
    while pool.entries and pool.used + pool.cached + need > limit:
        key = _least_recent(pool) if code.evict is None else _least_by_keys(k, pool)
        entry = pool.entries[key]
        owner = key[1] if key[0] == 0 else None
        while _evict(k, pool, key, entry, owner) and stays and pool.used + pool.cached + need > limit:
            pass


def _evict(k: State, pool: PoolState, key: Key, entry: Entry, owner: int | None) -> bool:
    """One eviction: a block off the tail of the entry with the least key (R4.29).

    Args:
        owner: whose entry it is, None for a dead one; made once an entry, as every record of it keeps it.

    Returns:
        Whether something of the entry is left.
    """
    block = pool.code.block
    size = entry.size
    removed = block if 0.0 < block < size else size
    left = size - removed
    entry.size = left
    if left <= EPS:
        del pool.entries[key]
        free_place(pool, entry.place)
        pool.evicted_entries += 1
    pool.cached -= removed
    pool.evicted_units += removed
    if k.listen is not None:
        note(k.listen, Evicted(k.now, pool.code.index, owner, removed, left if left > 0.0 else 0.0))
    if pool.code.spill is not None:
        _spill(k, pool, key, entry, removed)
    return left > EPS


def evict_units(k: State, pool: PoolState, units: float) -> None:
    """Many evictions of whole blocks at once, least recently released first; nobody listens and nothing spills."""
    assert k.listen is None and pool.code.spill is None
    left = units
    while left > 0:
        key = _least_recent(pool)
        entry = pool.entries[key]
        removed = entry.size if entry.size < left else left
        entry.size -= removed
        left -= removed
        if entry.size <= EPS:
            del pool.entries[key]
            free_place(pool, entry.place)
            pool.evicted_entries += 1
    pool.cached -= units
    pool.evicted_units += units


def _least_recent(pool: PoolState) -> Key:
    """The entry released first; release numbers rise with the clock, so they alone decide."""
    order, entries = pool.order, pool.entries
    while True:
        number, key = order[0]
        entry = entries.get(key)
        if entry is not None and entry.number == number:
            return key
        heappop(order)


def _least_by_keys(k: State, pool: PoolState) -> Key:
    """R4.29, R4.33: all keys anew, in the order of the places; ties by release, then by entry."""
    keys = pool.code.evict
    assert keys is not None
    best: tuple[Any, ...] | None = None
    chosen: Key = (0, 0)
    for key, entry in sorted(pool.entries.items(), key=lambda item: item[1].place):
        subject = _context(k, key, entry, entry.size)
        rank = (tuple(total_order(f(k, subject, k.moment)) for f in keys), entry.number, key)
        if best is None or rank < best:
            best, chosen = rank, key
    return chosen


def _context(k: State, key: Key, entry: Entry | Stamp, size: float) -> Session | Entry | Stamp:
    """R4.31: the context of an eviction key; the attributes are the live session's, else the snapshot's."""
    m = k.moment
    m.Size = size
    m.Age = k.now - entry.released
    m.Last = entry.released
    session = k.sessions.get(key[1]) if key[0] == 0 else None
    m.Queued = 1.0 if session is not None and session.status == QUEUED else 0.0
    return session if session is not None else entry


def _spill(k: State, pool: PoolState, key: Key, entry: Entry | Stamp, removed: float) -> None:
    """R4.32: writes what was evicted to another pool, by a job of no session."""
    spill = pool.code.spill
    assert spill is not None
    subject = _context(k, key, entry, removed)
    if spill.when(k, subject, k.moment) == 0:
        return
    work = positive(spill.work(k, subject, k.moment))
    tier = k.pools[spill.to]
    make_room(k, tier, 0.0)
    number = k.next_release
    k.next_release += 1
    if tier.code.shared:
        owner = key[1] if key[0] == 0 else -1 - key[1]
        shared_prefixes.receive(tier, Stamp(k.now, number, owner, entry.attrs), removed)
    else:
        copy = tier.entries.get(key)
        if copy is None:
            copy = Entry(0.0, k.now, number, entry.attrs, take_place(tier))
        copy.size += removed
        copy.released = k.now
        copy.number = number
        _insert(tier, key, copy)
        tier.cached += removed
    pool.spills += 1
    stages.start(k, spill.via, None, work)
