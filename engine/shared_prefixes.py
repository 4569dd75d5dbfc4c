"""Cached prefixes that sessions share: chains of segments under keys (IR 14, ``prefix``); knows no queue.

The rules are measured on the reference. A chain names what a hold's sequence starts with:
so many units under each key. What is cached under a key after the same keys before it is one
node, whoever cached it. An admission takes over what is cached along its chain, no more than
the units it takes, bounded by ``reuse``: those units leave the cache, and several holds that
use the same ones hold them once. What a hold computes itself is its own until it is given
back; then its chain's nodes grow to what the clause keeps, and what stood there already is
not kept twice. A shorter clause takes nothing away. From a segment on whose key is the
session's serial by its text, a chain is the session's own: that part is one entry, which an
admission that reaches it consumes (the excess is dead, as of a prefix of one's own, R4.9) and
the next release replaces (R4.26). Nodes are evicted from the tail, a block at a time, the
least recently released first, never one that another stands on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.constants import EPS, INF
from engine.decisions import Evicted
from engine.places import free_place, take_place
from engine.rounding import down, positive

if TYPE_CHECKING:
    from engine.codes import HoldCode
    from engine.pool_state import PoolState
    from engine.session_state import Session
    from engine.state import State

NodePath = tuple[tuple[float, float], ...]
"""The keys and lengths up to a segment; a session's own part is (-1, its serial), a dead part (-2, its number)."""

Chain = tuple[tuple[NodePath, float, float], ...]
"""Per segment the node's path, where it starts and where it ends, in units; the own part is the last."""

_OWN, _DEAD = -1.0, -2.0


class Node:
    """A piece of what is cached under one key after those before it.

    A piece is parted in two where an admission that uses only its start finds nobody using it.
    """

    __slots__ = ("number", "path", "place", "released", "size", "users")

    def __init__(self, path: NodePath, size: float, released: float, number: int, place: int) -> None:
        self.path = path
        self.place = place
        self.size = size
        self.released = released
        self.number = number
        self.users = 0
        """Holds that use it, wholly or its start: while there are any all of it is in use."""

    def clone(self) -> Node:
        """A copy."""
        other = Node(self.path, self.size, self.released, self.number, self.place)
        other.users = self.users
        return other


class Tree:
    """All chains of a pool."""

    __slots__ = ("children", "handles", "latest", "next_handle", "pieces")

    def __init__(self) -> None:
        self.pieces: dict[NodePath, list[Node]] = {}
        self.children: dict[NodePath, int] = {}
        """How many paths go on from a path."""
        self.handles: dict[int, tuple[Chain, float, Chain, tuple[Node, ...], int]] = {}
        """Per hold its chain, the shared units it took over, its session's chain before, the pieces it uses, and
        the place it keeps of what was its session's own, -1 for none."""
        self.next_handle = 0
        self.latest: dict[int, Chain] = {}
        """The chain of each session's latest hold that left something cached, and of the one it is in."""

    def clone(self) -> Tree:
        """A copy."""
        other = Tree()
        copies: dict[int, Node] = {}
        for path, pieces in self.pieces.items():
            other.pieces[path] = []
            for piece in pieces:
                copies[id(piece)] = piece.clone()
                other.pieces[path].append(copies[id(piece)])
        other.children = self.children.copy()
        other.handles = {
            handle: (chain, own, before, tuple(copies[id(piece)] for piece in used), place)
            for handle, (chain, own, before, used, place) in self.handles.items()
        }
        other.next_handle = self.next_handle
        other.latest = self.latest.copy()
        return other

    def cached(self, path: NodePath) -> float:
        """Units that stand under a path, used or not."""
        total = 0.0
        for piece in self.pieces.get(path, ()):
            total += piece.size
        return total

    def add(self, piece: Node) -> None:
        """Appends a piece to its path."""
        path = piece.path
        if path not in self.pieces:
            self.pieces[path] = []
            if len(path) > 1:
                self.children[path[:-1]] = self.children.get(path[:-1], 0) + 1
        self.pieces[path].append(piece)

    def drop_last(self, path: NodePath) -> None:
        """Takes the last piece of a path away."""
        self.pieces[path].pop()
        if not self.pieces[path]:
            del self.pieces[path]
            if len(path) > 1:
                left = self.children[path[:-1]] - 1
                if left:
                    self.children[path[:-1]] = left
                else:
                    del self.children[path[:-1]]


def chain_of(k: State, session: Session, code: HoldCode) -> Chain:
    """A hold's chain as its expressions read now; a hold that names none has a part of its own only."""
    path: NodePath = ()
    if code.prefix is None:
        return ((((_OWN, float(session.serial)),), 0.0, INF),)
    start = 0.0
    chain = []
    for key, length, own in code.prefix:
        units = positive(length(k, session, k.moment))
        if own:
            chain.append(((*path, (_OWN, float(session.serial))), start, INF))
            break
        path = (*path, (key(k, session, k.moment), units))
        chain.append((path, start, start + units))
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


def _usable(k: State, pool: PoolState, session: Session, code: HoldCode, units: float) -> tuple[Chain, float]:
    chain = chain_of(k, session, code)
    if code.cache is None:
        return chain, 0.0
    own = min(matched(pool, chain), units)
    if code.reuse is not None:
        own = min(own, positive(code.reuse(k, session, k.moment)))
    return chain, down(pool.code, own)


def hit(k: State, pool: PoolState, session: Session, code: HoldCode) -> float:
    """Units an admission could take over, whatever it takes in all."""
    own = matched(pool, chain_of(k, session, code))
    return min(own, positive(code.reuse(k, session, k.moment))) if code.reuse is not None else own


def in_use(k: State, pool: PoolState, session: Session, code: HoldCode, units: float) -> float:
    """Units an admission would use that somebody uses already: they need no room."""
    tree = pool.tree
    assert tree is not None
    chain, own = _usable(k, pool, session, code, units)
    total = 0.0
    for path, start, _ in chain:
        at = start
        for piece in tree.pieces.get(path, ()):
            if own > at and piece.users:
                total += min(piece.size, own - at)
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
        if path[-1][0] == _OWN:
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
                    dead = ((_DEAD, float(k.next_dead)),)
                    k.next_dead += 1
                    tree.add(Node(dead, piece.size - alone, piece.released, piece.number, take_place(pool)))
        elif pieces is not None and own > start:
            fresh += _use(pool, pieces, min(own, end) - start, used)
    shared = own - alone
    pool.used -= shared - fresh
    pool.cached -= fresh
    handle = tree.next_handle
    tree.next_handle += 1
    tree.handles[handle] = (chain, shared, tree.latest.get(session.serial, ()), tuple(used), place)
    tree.latest[session.serial] = chain
    return own, handle


def _use(pool: PoolState, pieces: list[Node], units: float, used: list[Node]) -> float:
    """One more hold uses the first units under a path; how many of them nobody used."""
    fresh = at = 0.0
    i = 0
    while i < len(pieces) and at < units:
        piece = pieces[i]
        if not piece.users and at + piece.size > units:
            tail = Node(piece.path, at + piece.size - units, piece.released, piece.number, take_place(pool))
            piece.size = units - at
            pieces.insert(i + 1, tail)
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
    chain, shared, before, used, place = tree.handles.pop(handle)
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
        tree.latest[session.serial] = before
        return
    number = k.next_release
    k.next_release += 1
    last = chain[-1][0]
    if last[-1][0] == _OWN and last in tree.pieces:
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
                piece.released = k.now
                piece.number = number
            at += piece.size
        if wanted > at:
            pieces = tree.pieces.get(path)
            if pieces is not None and not pieces[-1].users and path not in tree.children:
                pieces[-1].size += wanted - at
            elif path[-1][0] == _OWN and place >= 0:
                tree.add(Node(path, wanted - at, k.now, number, place))
                place = -1
            else:
                tree.add(Node(path, wanted - at, k.now, number, take_place(pool)))
            pool.cached += wanted - at
    free_place(pool, place)


def make_room(k: State, pool: PoolState, need: float) -> None:
    """R4.28, R4.29: evicts blocks off the tails of nodes until ``need`` units fit or nothing can go."""
    tree = pool.tree
    assert tree is not None
    limit = pool.code.cap + EPS
    while pool.used + pool.cached + need > limit:
        tails = [pieces[-1] for path, pieces in tree.pieces.items() if path not in tree.children and not pieces[-1].users]
        if not tails:
            return
        piece = min(tails, key=lambda tail: (tail.number, tail.place))
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
