"""Cached prefixes that sessions share: chains of segments under keys (IR 14, ``prefix``); knows no queue.

The rules are measured on the reference. A chain names what a hold's sequence starts with:
so many units under each key; a segment of no units is none. Two keys are one where their
expressions are and what these read. What is cached under a key after the same keys and lengths
before it is one, whoever cached it and however long either's segment goes on. An admission takes
over what is cached along its chain, in whole blocks, no more than the units it takes, bounded by
``reuse``: those units leave the cache, and several holds that use the same ones hold them once.
What a hold computes itself is its own until it is given back; then its chain's nodes grow to what
the clause keeps, and what stood there already is not kept twice. A shorter clause takes nothing
away; a piece that somebody uses is not parted, and what would go on from within it is not kept.

From a segment on whose key is the session's serial by its text, a chain is the session's own. A
hold that names no chain has such a part and nothing before it; one without a ``cache`` takes
nothing over. An admission that reaches the own part consumes it: no other hold of the session
finds it meanwhile. What its units or ``reuse`` keep it from using is dead with all that stands on
it (as of a prefix of one's own, R4.9); what goes on otherwise than its chain stays. Given back,
what was consumed is cached again, unless another hold has put a newer part in its place: then it
is gone, or dead where something stands on it. A release that keeps nothing takes it away, one that
keeps something what stands along its chain beyond that (R4.26), both from the tail and nothing that
something else stands on. A drop forgets the own parts of all chains (R3.7).

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
from engine.prefix_tree import CONTINUED, OWN, Chain, Key, Node, Stamp, linked, standing, unlink
from engine.rounding import down, positive
from engine.statistics import total_order

if TYPE_CHECKING:
    from engine.expressions import Function
    from engine.pool_state import PoolState
    from engine.session_state import Session
    from engine.state import State
    from engine.statement_codes import HoldCode


def _own_key(serial: int) -> Key:
    return OWN, float(serial)


def _own_chain(serial: int) -> Chain:
    return ((_own_key(serial), 0.0, INF),)


def chain_of(k: State, session: Session, code: HoldCode) -> Chain:
    """A hold's chain as its expressions read now; a hold that names none has a part of its own only."""
    if code.prefix is None:
        return _own_chain(session.serial)
    start = 0.0
    chain = []
    for expression, key, length in code.prefix:
        units = positive(length(k, session, k.moment))
        named = _own_key(session.serial) if key is None else (expression, key(k, session, k.moment))
        # Measured: a segment of no units is none, and what follows goes on from before it.
        if units > 0:
            chain.append((named, start, start + units))
            start += units
    return tuple(chain)


def matched(pool: PoolState, chain: Chain) -> float:
    """Units cached or in use along a chain from its start."""
    assert pool.tree is not None
    found = pool.tree.along(chain)
    if not found:
        return 0.0
    piece, at, _, end = found[-1]
    return min(at + piece.size, end)


def seen(k: State, pool: PoolState, session: Session) -> float:
    """What ``CachedIn`` reads, in whole blocks (measured).

    The chain of the hold of the pool it waits for, else of its innermost one, in none that of
    the session's latest hold, or its legs', that left something cached. With a session its
    latest chain is forgotten: a leg that outlives it reads what the session's own part without
    a chain has, until a hold of its own leaves something cached.
    """
    tree = pool.tree
    assert tree is not None
    pending = session.pending
    if pending is not None and pool.code.index in pending.pools:
        return down(pool.code, matched(pool, _chain_waiting(k, session, pending.code)))
    for hold in reversed(session.holds):
        for held in hold.pools:
            if held.pool == pool.code.index:
                return down(pool.code, matched(pool, tree.handles[held.place][0]))
    latest = tree.latest.get(_teller(session))
    return down(pool.code, matched(pool, _own_chain(session.serial) if latest is None else latest))


def _chain_waiting(k: State, session: Session, code: HoldCode) -> Chain:
    """The chain of a hold that waits; what is being read for another session meanwhile stays as it is."""
    request = session.request
    if not code.native or request is None:
        return chain_of(k, session, code)
    m = k.moment
    before = m.Input, m.Output, m.Known
    m.Input, m.Output, m.Known = request.input, request.output, request.known
    chain = chain_of(k, session, code)
    m.Input, m.Output, m.Known = before
    return chain


def _teller(session: Session) -> tuple[int, int]:
    """Whose latest chain a session or leg reads and leaves: a living session's is its legs', too."""
    return session.serial, session.leg if session.parent is None else -1


def ended(k: State, session: Session) -> None:
    """A session, or a leg that outlived it, is gone; what it left cached stays."""
    for pool in k.pools:
        if pool.tree is not None:
            pool.tree.latest.pop((session.serial, session.leg), None)


def _usable(k: State, pool: PoolState, session: Session, code: HoldCode, units: float) -> tuple[Chain, float, float]:
    """The chain, what an admission may use along it and what stands there, in whole blocks."""
    chain = chain_of(k, session, code)
    if code.cache is None:
        return chain, 0.0, 0.0
    there = own = matched(pool, chain)
    if chain and (chain[0][0][0] != OWN or chain[0][2] < INF):
        # As kernel.md has it a prefix of one's own alone may be longer than what is taken; a chain is not (measured).
        own = min(own, units)
    if code.reuse is not None:
        own = min(own, positive(code.reuse(k, session, k.moment)))
    return chain, down(pool.code, own), down(pool.code, there)


def hit(k: State, pool: PoolState, session: Session, code: HoldCode) -> float:
    """Units an admission could take over, whatever it takes in all."""
    own = down(pool.code, matched(pool, chain_of(k, session, code)))
    return min(own, positive(code.reuse(k, session, k.moment))) if code.reuse is not None else own


def in_use(k: State, pool: PoolState, session: Session, code: HoldCode, units: float) -> float:
    """Units an admission would use that somebody uses already: they need no room."""
    tree = pool.tree
    assert tree is not None
    chain, own, _ = _usable(k, pool, session, code, units)
    total = 0.0
    for piece, at, _, _ in tree.along(chain):
        if piece.users and at < own:
            total += min(piece.size, own - at)
    return total


def take(k: State, pool: PoolState, session: Session, code: HoldCode, units: float) -> tuple[float, int]:
    """Takes over what is cached along the chain; the units taken over and the hold's handle."""
    tree = pool.tree
    assert tree is not None
    chain, own, there = _usable(k, pool, session, code, units)
    shared = fresh = alone = 0.0
    used: list[Node] = []
    mine: list[Node] = []
    for piece, at, private, _ in tree.along(chain) if code.cache is not None else ():
        if at >= own:
            if private and at == own < there:
                # Reached, if only its start: what is not used of it for a bound is dead with all that stands on it.
                _bury(k, session, piece)
            break
        if not piece.users and at + piece.size > own:
            rest = tree.part(piece, own - at, take_place(pool))
            if private and own < there:
                _bury(k, session, rest)
        units_used = min(piece.size, own - at)
        if private:
            alone += units_used
            mine.append(piece)
        else:
            shared += units_used
            used.append(piece)
            if not piece.users:
                fresh += piece.size
        piece.users += 1
    pool.used -= shared - fresh
    pool.cached -= fresh + alone
    handle = tree.next_handle
    tree.next_handle += 1
    tree.handles[handle] = (chain, shared, tuple(used), tuple(mine))
    return own, handle


def _bury(k: State, session: Session, piece: Node) -> None:
    """What was a session's own is dead with all that stands on it: nobody finds it, it only ages and is evicted."""
    unlink(piece)
    piece.before = None
    for node in standing(piece):
        node.own = False
        node.stamp = Stamp(node.stamp.released, node.stamp.number, -1 - k.next_dead, session.attrs.copy())
    k.next_dead += 1


def keep(k: State, pool: PoolState, session: Session, units: float, handle: int) -> None:
    """Gives back what was taken over, and leaves ``units`` of the chain cached, in whole blocks."""
    tree = pool.tree
    assert tree is not None
    chain, shared, used, mine = tree.handles.pop(handle)
    _put_shared_back(pool, shared, used)
    if not _put_back(k, pool, mine):
        mine = ()
    size = down(pool.code, units)
    if size <= 0:
        for piece in reversed(mine):
            if piece.own and not piece.following:
                _remove(pool, piece)
        return
    tree.latest[_teller(session)] = chain
    stamp = Stamp(k.now, k.next_release, session.serial, session.attrs.copy())
    k.next_release += 1
    _cut(pool, tree.along(chain), size)
    last = tree.root
    own = False
    for key, start, end in chain:
        if size <= start:
            break
        own = own or key[0] == OWN
        wanted = min(size, end)
        at = start
        piece_at = tree.found(last, key)
        named = key
        while piece_at is not None and at < wanted:
            last = piece_at
            last.stamp = Stamp(k.now, stamp.number, last.stamp.owner, stamp.attrs)
            at += last.size
            named = CONTINUED
            piece_at = last.following.get(CONTINUED)
        if wanted > at:
            if at > start and not last.users and not last.following:
                last.size += wanted - at
            else:
                last = tree.add(last, named, wanted - at, stamp, take_place(pool), own=own)
            pool.cached += wanted - at
        elif size > end and at > end:
            if last.users:
                # Measured: a piece that somebody uses is not parted, and what would go on from within it is not kept.
                break
            tree.part(last, last.size - (at - end), take_place(pool))


def put_aside(k: State, pool: PoolState, handle: int) -> float:
    """What was taken over is cached again as it was while its lease is set aside; how much it is."""
    tree = pool.tree
    assert tree is not None
    chain, shared, used, mine = tree.handles[handle]
    total = shared
    for piece in mine:
        total += piece.size
    _put_shared_back(pool, shared, used)
    _put_back(k, pool, mine)
    tree.handles[handle] = (chain, 0.0, (), ())
    return total


def forget(pool: PoolState, handle: int) -> None:
    """A lease that was set aside ends, and leaves nothing."""
    if pool.tree is not None:
        del pool.tree.handles[handle]


def _put_shared_back(pool: PoolState, shared: float, used: tuple[Node, ...]) -> None:
    freed = 0.0
    for piece in used:
        piece.users -= 1
        if not piece.users:
            freed += piece.size
    pool.used += shared - freed
    pool.cached += freed


def _put_back(k: State, pool: PoolState, mine: tuple[Node, ...]) -> bool:
    """What was a session's own and in use is cached again where it was; False where a newer part came there and nothing stays."""
    for piece in mine:
        piece.users -= 1
        pool.cached += piece.size
    if mine and not linked(mine[0]):
        first = mine[0]
        if first.following:
            first.own = False
            first.before = None
            first.stamp = Stamp(first.stamp.released, first.stamp.number, -1 - k.next_dead, first.stamp.attrs)
            k.next_dead += 1
        else:
            _remove(pool, first)
            return False
    return True


def _cut(pool: PoolState, found: list[tuple[Node, float, bool, float]], size: float) -> None:
    """Of what stands along a chain and is the session's own, nothing stays beyond a size, from its tail."""
    for piece, at, private, end in reversed(found):
        if not private or piece.following or at + piece.size <= size or at + piece.size > end:
            return
        if at < size:
            pool.cached -= at + piece.size - size
            piece.size = size - at
            return
        _remove(pool, piece)


def _remove(pool: PoolState, piece: Node) -> None:
    assert pool.tree is not None
    pool.cached -= piece.size
    pool.tree.remove(piece)
    free_place(pool, piece.place)


def drop(pool: PoolState, session: Session) -> None:
    """R3.7: forgets what is the session's own, of whatever chain; what others may share stays."""
    tree = pool.tree
    assert tree is not None
    own = [piece for piece in tree.nodes.values() if piece.own and not piece.users and piece.stamp.owner == session.serial]
    firsts = [piece for piece in own if piece.before is None or not piece.before.own or piece.before.users]
    for first in sorted(firsts, key=lambda piece: piece.place):
        for piece in reversed(standing(first)):
            _remove(pool, piece)


def evict(k: State, pool: PoolState) -> tuple[Stamp, float] | None:
    """R4.29: evicts a block off the tail of a node; whose it was and how much went, None where nothing can go."""
    tree = pool.tree
    assert tree is not None
    keys = pool.code.evict
    tails = tree.tails()
    if not tails:
        return None
    piece = min(tails, key=lambda tail: (tail.stamp.number, tail.place)) if keys is None else _least(k, tails, keys)
    removed = min(pool.code.block, piece.size)
    piece.size -= removed
    pool.cached -= removed
    pool.evicted_units += removed
    if k.listen is not None:
        k.listen.append(Evicted(k.now, pool.code.index, None, removed, max(piece.size, 0.0)))
    if piece.size <= EPS:
        tree.remove(piece)
        free_place(pool, piece.place)
        pool.evicted_entries += 1
    return piece.stamp, removed


def receive(pool: PoolState, stamp: Stamp, units: float) -> None:
    """R4.32: what another pool spilled goes to the tail of its session's own part, or to the dead part it was there.

    Measured: whatever chain it was of. What it stands on keeps its time.
    """
    tree = pool.tree
    assert tree is not None
    pool.cached += units
    if stamp.owner < 0:
        dead = next((piece for piece in tree.nodes.values() if piece.stamp.owner == stamp.owner), None)
        if dead is None:
            tree.dead(units, stamp, take_place(pool))
            return
        last = dead
    else:
        found = tree.along(_own_chain(stamp.owner))
        if not found:
            tree.add(tree.root, _own_key(stamp.owner), units, stamp, take_place(pool), own=True)
            return
        last = found[-1][0]
    if last.following:
        tree.add(last, CONTINUED, units, stamp, take_place(pool), own=last.own)
    else:
        last.size += units
        last.stamp = Stamp(stamp.released, stamp.number, stamp.owner, last.stamp.attrs)


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
