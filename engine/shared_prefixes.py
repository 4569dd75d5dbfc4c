"""Cached prefixes that sessions share: chains of segments under keys (IR 14, ``prefix``); knows no queue.

The rules are measured on the reference. A chain names what a hold's sequence starts with:
so many units under each key. Two keys are one where their expressions are and what these
read. What is cached under a key after the same keys and lengths before it is one, whoever
cached it and however long either's segment goes on. An admission takes over what is cached
along its chain, in whole blocks, no more than the units it takes, bounded by ``reuse``: those
units leave the cache, and several holds that use the same ones hold them once. What a hold
computes itself is its own until it is given back; then its chain's nodes grow to what the
clause keeps, and what stood there already is not kept twice. A shorter clause takes nothing
away; a piece that somebody uses is not parted, and what would go on from within it is not
kept. A segment whose key is the session's serial by its text is the session's own: one entry,
which an admission that reaches it consumes (the excess is dead, as of a prefix of one's own,
R4.9), the next release replaces (R4.26) and a drop forgets, in all chains (R3.7). A hold that
names no chain has such a part and nothing before it; one without a ``cache`` takes nothing over.

Nodes are evicted from the tail, a block at a time (R4.29), never one that another stands on.
A node's keys are read as of a prefix of one's own (R4.31), its session the one that cached it
first, its attributes without it those of who left it last; of equals the one of the lowest
place goes (R4.33: a node that is new takes the place freed last).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.constants import EPS, INF, QUEUED
from engine.frequent import Evicted
from engine.places import free_place, take_place
from engine.prefix_tree import DEAD, OPEN, OWN, Chain, Node, NodePath, Stamp
from engine.rounding import down, positive
from engine.statistics import total_order

if TYPE_CHECKING:
    from engine.codes import HoldCode
    from engine.expressions import Function
    from engine.pool_state import PoolState
    from engine.session_state import Session
    from engine.state import State


def _own(session: Session, before: NodePath) -> NodePath:
    return (*before, (OWN, float(session.serial), OPEN))


def _own_chain(session: Session) -> Chain:
    return ((_own(session, ()), 0.0, INF),)


def chain_of(k: State, session: Session, code: HoldCode) -> Chain:
    """A hold's chain as its expressions read now; a hold that names none has a part of its own only."""
    if code.prefix is None:
        return _own_chain(session)
    before: NodePath = ()
    start = 0.0
    chain = []
    for expression, key, length in code.prefix:
        units = positive(length(k, session, k.moment))
        if key is None:
            chain.append((_own(session, before), start, start + units))
            break
        value = key(k, session, k.moment)
        chain.append(((*before, (expression, value, OPEN)), start, start + units))
        before = (*before, (expression, value, units))
        start += units
    return tuple(chain)


def matched(pool: PoolState, chain: Chain) -> float:
    """Units cached or in use along a chain from its start."""
    assert pool.tree is not None
    total = 0.0
    for path, start, end in chain:
        total = start + min(pool.tree.cached(path), end - start)
        if total < end:
            break
    return total


def seen(pool: PoolState, session: Session) -> float:
    """What ``CachedIn`` reads, in whole blocks (measured).

    The chain of the innermost hold of the pool, in none that of the session's latest hold, or
    its legs', that left something cached. With a session its latest chain is forgotten: a leg
    that outlives it reads what the session's own part without a chain has, until a hold of its
    own leaves something cached.
    """
    tree = pool.tree
    assert tree is not None
    for hold in reversed(session.holds):
        for held in hold.pools:
            if held.pool == pool.code.index:
                return down(pool.code, matched(pool, tree.handles[held.place][0]))
    latest = tree.latest.get(_teller(session))
    return down(pool.code, matched(pool, _own_chain(session) if latest is None else latest))


def _teller(session: Session) -> tuple[int, int]:
    """Whose latest chain a session or leg reads and leaves: a living session's is its legs', too."""
    return session.serial, session.leg if session.parent is None else -1


def ended(k: State, session: Session) -> None:
    """A session, or a leg that outlived it, is gone; what it left cached stays."""
    for pool in k.pools:
        if pool.tree is not None:
            pool.tree.latest.pop((session.serial, session.leg), None)


def _usable(k: State, pool: PoolState, session: Session, code: HoldCode, units: float) -> tuple[Chain, float]:
    chain = chain_of(k, session, code)
    if code.cache is None:
        return chain, 0.0
    own = matched(pool, chain)
    if code.prefix is not None:
        # As kernel.md has it a prefix of one's own alone may be longer than what is taken; a chain is not (measured).
        own = min(own, units)
    if code.reuse is not None:
        own = min(own, positive(code.reuse(k, session, k.moment)))
    return chain, down(pool.code, own)


def hit(k: State, pool: PoolState, session: Session, code: HoldCode) -> float:
    """Units an admission could take over, whatever it takes in all."""
    own = down(pool.code, matched(pool, chain_of(k, session, code)))
    return min(own, positive(code.reuse(k, session, k.moment))) if code.reuse is not None else own


def in_use(k: State, pool: PoolState, session: Session, code: HoldCode, units: float) -> float:
    """Units an admission would use that somebody uses already: they need no room."""
    tree = pool.tree
    assert tree is not None
    chain, own = _usable(k, pool, session, code, units)
    total = 0.0
    for path, start, end in chain:
        at, reached = start, min(own, end)
        for piece in tree.pieces.get(path, ()):
            if reached > at and piece.users:
                total += min(piece.size, reached - at)
            at += piece.size
    return total


def take(k: State, pool: PoolState, session: Session, code: HoldCode, units: float) -> tuple[float, int]:
    """Takes over what is cached along the chain; the units taken over and the hold's handle."""
    tree = pool.tree
    assert tree is not None
    chain, own = _usable(k, pool, session, code, units)
    fresh = alone = 0.0
    place = -1
    used: list[Node] = []
    for path, start, end in chain:
        pieces = tree.pieces.get(path)
        if path[-1][0] == OWN:
            # Reached, if only its start: it is consumed, and what is not used of it is dead.
            if pieces is not None and own >= start and code.cache is not None:
                piece = pieces[0]
                alone = own - start
                tree.drop_last(path)
                pool.cached -= alone
                if alone > 0:
                    place = piece.place
                else:
                    free_place(pool, piece.place)
                if piece.size > alone:
                    dead = ((DEAD, float(k.next_dead), OPEN),)
                    k.next_dead += 1
                    stamp = Stamp(piece.stamp.released, piece.stamp.number, -1, session.attrs.copy())
                    tree.add(Node(dead, piece.size - alone, stamp, take_place(pool)))
        elif pieces is not None and own > start:
            fresh += _use(pool, pieces, min(own, end) - start, used)
    shared = own - alone
    pool.used -= shared - fresh
    pool.cached -= fresh
    handle = tree.next_handle
    tree.next_handle += 1
    tree.handles[handle] = (chain, shared, tuple(used), place)
    return own, handle


def _use(pool: PoolState, pieces: list[Node], units: float, used: list[Node]) -> float:
    """One more hold uses the first units under a path; how many of them nobody used."""
    fresh = at = 0.0
    i = 0
    while i < len(pieces) and at < units:
        piece = pieces[i]
        if not piece.users and at + piece.size > units:
            pieces.insert(i + 1, piece.part(units - at, take_place(pool)))
        if not piece.users:
            fresh += piece.size
        piece.users += 1
        used.append(piece)
        at += piece.size
        i += 1
    return fresh


def keep(k: State, pool: PoolState, session: Session, units: float, handle: int) -> None:
    """Gives back what was taken over, and leaves ``units`` of the chain cached, in whole blocks."""
    tree = pool.tree
    assert tree is not None
    chain, shared, used, place = tree.handles.pop(handle)
    freed = 0.0
    for piece in used:
        piece.users -= 1
        if not piece.users:
            freed += piece.size
    pool.used += shared - freed
    pool.cached += freed
    size = down(pool.code, units)
    if size <= 0:
        free_place(pool, place)
        return
    tree.latest[_teller(session)] = chain
    stamp = Stamp(k.now, k.next_release, session.serial, session.attrs.copy())
    k.next_release += 1
    last = chain[-1][0]
    if last[-1][0] == OWN and last in tree.pieces:
        pool.cached -= tree.pieces[last][0].size
        free_place(pool, place)
        place = tree.pieces[last][0].place
        tree.drop_last(last)
    for path, start, end in chain:
        if size <= start:
            break
        wanted = min(size, end) - start
        at = 0.0
        for piece in tree.pieces.get(path, ()):
            if at < wanted:
                piece.stamp = Stamp(k.now, stamp.number, piece.stamp.owner, stamp.attrs)
            at += piece.size
        if wanted > at:
            pieces = tree.pieces.get(path)
            if pieces is not None and not pieces[-1].users and tree.carried(path) <= at - pieces[-1].size:
                pieces[-1].size += wanted - at
            elif path[-1][0] == OWN and place >= 0:
                tree.add(Node(path, wanted - at, stamp, place))
                place = -1
            else:
                tree.add(Node(path, wanted - at, stamp, take_place(pool)))
            pool.cached += wanted - at
        if size > end and not _part(pool, tree.pieces.get(path, []), wanted):
            break
    free_place(pool, place)


def _part(pool: PoolState, pieces: list[Node], units: float) -> bool:
    """Parts the piece that stands across a length where another path goes on; False where somebody uses it (measured)."""
    at = 0.0
    for i, piece in enumerate(pieces):
        if at < units < at + piece.size:
            if piece.users:
                return False
            pieces.insert(i + 1, piece.part(units - at, take_place(pool)))
            return True
        at += piece.size
    return True


def drop(pool: PoolState, session: Session) -> None:
    """R3.7: forgets what is the session's own, of whatever chain; what others may share stays."""
    tree = pool.tree
    assert tree is not None
    own = _own(session, ())[0]
    pieces = [pieces[0] for path, pieces in tree.pieces.items() if path[-1] == own]
    for piece in sorted(pieces, key=lambda piece: piece.place):
        pool.cached -= piece.size
        tree.drop_last(piece.path)
        free_place(pool, piece.place)


def make_room(k: State, pool: PoolState, need: float) -> None:
    """R4.28, R4.29: evicts blocks off the tails of nodes until ``need`` units fit or nothing can go."""
    tree = pool.tree
    assert tree is not None
    limit = pool.code.cap + EPS
    keys = pool.code.evict
    while pool.used + pool.cached + need > limit:
        tails = tree.tails()
        if not tails:
            return
        piece = min(tails, key=lambda tail: (tail.stamp.number, tail.place)) if keys is None else _least(k, tails, keys)
        removed = min(pool.code.block, piece.size)
        piece.size -= removed
        pool.cached -= removed
        pool.evicted_units += removed
        if k.listen is not None:
            k.listen.append(Evicted(k.now, pool.code.index, None, removed, max(piece.size, 0.0)))
        if piece.size <= EPS:
            tree.drop_last(piece.path)
            free_place(pool, piece.place)
            pool.evicted_entries += 1


def _least(k: State, tails: list[Node], keys: tuple[Function, ...]) -> Node:
    """R4.29, R4.31: the piece with the least keys, each read as of a prefix of its own, in the order of the places."""
    m = k.moment
    ranked = []
    for tail in sorted(tails, key=lambda tail: tail.place):
        stamp = tail.stamp
        session = k.sessions.get(stamp.owner)
        m.Size = tail.size
        m.Age = k.now - stamp.released
        m.Last = stamp.released
        m.Queued = 1.0 if session is not None and session.status == QUEUED else 0.0
        rank = tuple(total_order(f(k, stamp if session is None else session, m)) for f in keys)
        ranked.append((rank, stamp.number, tail.place, tail))
    return min(ranked, key=lambda item: item[:3])[3]
