"""The tree of cached chains of a pool as it stands; how it is copied; knows no rule of admission."""

from __future__ import annotations

from typing import Final

Key = tuple[int, float]
"""Which expression the key of a segment is, and what that reads.

Measured: two keys are one where both are. The own part of a session is (-1, its serial).
"""

Chain = tuple[tuple[Key, float, float], ...]
"""Per segment its key, where it starts and where it ends, in units; none has no units."""

OWN: Final = -1
CONTINUED: Final[Key] = (-2, 0.0)
"""The key of a piece that goes on where the one before it stops, under the same key."""


class Stamp:
    """When something was last left cached, by whom and with what attributes; immutable.

    ``owner`` is a session's serial, below 0 for what is dead: -1 less its number among the dead.
    """

    __slots__ = ("attrs", "number", "owner", "released")

    def __init__(self, released: float, number: int, owner: int, attrs: list[float]) -> None:
        self.released = released
        self.number = number
        self.owner = owner
        self.attrs = attrs


class Node:
    """A piece of what is cached under one key after those before it.

    A piece is parted in two where an admission that uses only its start finds nobody using it,
    and where something goes on from within it: what stands on it stands at its end.
    """

    __slots__ = ("before", "following", "key", "own", "place", "size", "stamp", "users")

    def __init__(self, before: Node | None, key: Key, size: float, stamp: Stamp, place: int, *, own: bool) -> None:
        self.before = before
        """The piece it stands on; the tree's root, of no units, for the start of a chain; None for what is dead."""
        self.key = key
        self.size = size
        self.stamp = stamp
        self.place = place
        self.own = own
        """Whether it is one session's alone."""
        self.users = 0
        """Holds that use it, wholly or its start: while there are any all of it is in use."""
        self.following: dict[Key, Node] = {}
        """What stands on it."""


class Tree:
    """All chains of a pool."""

    __slots__ = ("handles", "latest", "next_handle", "nodes", "root")

    def __init__(self) -> None:
        self.root = Node(None, CONTINUED, 0.0, Stamp(0.0, -1, 0, []), -1, own=False)
        self.nodes: dict[int, Node] = {}
        """All pieces by their places."""
        self.handles: dict[int, tuple[Chain, float, tuple[Node, ...], tuple[Node, ...]]] = {}
        """Per hold its chain, the shared units it took over, the pieces it uses, and those that are its session's own."""
        self.next_handle = 0
        self.latest: dict[tuple[int, int], Chain] = {}
        """By serial and leg the chain of the latest hold that left something cached; a living session's legs' are its own (-1)."""

    def clone(self) -> Tree:
        """A copy."""
        other = Tree()
        copies: dict[int, Node] = {-1: other.root}
        for place, node in self.nodes.items():
            copy = Node(None, node.key, node.size, node.stamp, place, own=node.own)
            copy.users = node.users
            copies[place] = other.nodes[place] = copy
        for node in (self.root, *self.nodes.values()):
            copy = copies[node.place]
            if node.before is not None:
                copy.before = copies[node.before.place]
            for key, following in node.following.items():
                copy.following[key] = copies[following.place]
        other.handles = {
            handle: (chain, own, tuple(copies[n.place] for n in used), tuple(copies[n.place] for n in mine))
            for handle, (chain, own, used, mine) in self.handles.items()
        }
        other.next_handle = self.next_handle
        other.latest = self.latest.copy()
        return other

    def along(self, chain: Chain) -> list[tuple[Node, float, bool, float]]:
        """The pieces that stand along a chain from its start on.

        Returns:
            Each piece, where it starts and whether it is in the part that is the session's own, and where its segment ends.
        """
        found: list[tuple[Node, float, bool, float]] = []
        last = self.root
        own = False
        for key, start, end in chain:
            own = own or key[0] == OWN
            at = start
            piece = self.found(last, key)
            while piece is not None:
                found.append((piece, at, own, end))
                last = piece
                at += piece.size
                piece = piece.following.get(CONTINUED) if at < end else None
            if at != end:
                break
        return found

    def found(self, before: Node, key: Key) -> Node | None:
        """What stands on a piece under a key; what is its session's own and in use is not found."""
        piece = before.following.get(key)
        return None if piece is None or (piece.own and piece.users) else piece

    def add(self, before: Node, key: Key, size: float, stamp: Stamp, place: int, *, own: bool) -> Node:
        """Puts a new piece on another."""
        piece = Node(before, key, size, stamp, place, own=own)
        before.following[key] = piece
        self.nodes[place] = piece
        return piece

    def dead(self, size: float, stamp: Stamp, place: int) -> None:
        """Puts a new piece nowhere: nobody finds it."""
        self.nodes[place] = Node(None, CONTINUED, size, stamp, place, own=False)

    def remove(self, piece: Node) -> None:
        """Takes a piece away that nothing stands on."""
        unlink(piece)
        del self.nodes[piece.place]

    def part(self, piece: Node, units: float, place: int) -> Node:
        """A piece keeps its first units; the rest, with all that stands on it, is a piece of its own."""
        rest = Node(piece, CONTINUED, piece.size - units, piece.stamp, place, own=piece.own)
        rest.following = piece.following
        for following in rest.following.values():
            following.before = rest
        piece.following = {CONTINUED: rest}
        piece.size = units
        self.nodes[place] = rest
        return rest

    def tails(self) -> list[Node]:
        """The pieces nobody uses and nothing stands on."""
        return [piece for piece in self.nodes.values() if not piece.users and not piece.following]


def unlink(piece: Node) -> None:
    """A piece is not found any more where it stands."""
    if linked(piece):
        assert piece.before is not None
        del piece.before.following[piece.key]


def linked(piece: Node) -> bool:
    """Whether a piece is still the one where it stands; another may have come there."""
    return piece.before is not None and piece.before.following.get(piece.key) is piece


def standing(piece: Node) -> list[Node]:
    """A piece and all that stands on it."""
    found = [piece]
    for node in found:
        found.extend(node.following.values())
    return found
