"""The tree of cached chains of a pool as it stands; how it is copied; knows no rule of admission."""

from __future__ import annotations

from typing import Final

NodePath = tuple[tuple[int, float, float], ...]
"""The segments before one, and then it: (which expression its key is, what that reads, its length).

Measured: two keys are one where both their expressions and what these read are. The length of
the last segment of a path is open: however long it is, its start is the same. A session's own
part is (-1, its serial, open), a dead part (-2, its number, open).
"""

Chain = tuple[tuple[NodePath, float, float], ...]
"""Per segment the node's path, where it starts and where it ends, in units; the own part is the last."""

OWN, DEAD = -1, -2
OPEN: Final = -1.0


class Stamp:
    """When something was last left cached, by whom and with what attributes; immutable.

    ``owner`` is a session's serial, -1 for what is dead.
    """

    __slots__ = ("attrs", "number", "owner", "released")

    def __init__(self, released: float, number: int, owner: int, attrs: list[float]) -> None:
        self.released = released
        self.number = number
        self.owner = owner
        self.attrs = attrs


class Node:
    """A piece of what is cached under one key after those before it.

    A piece is parted in two where an admission that uses only its start finds nobody using it.
    """

    __slots__ = ("path", "place", "size", "stamp", "users")

    def __init__(self, path: NodePath, size: float, stamp: Stamp, place: int) -> None:
        self.path = path
        self.place = place
        self.size = size
        self.stamp = stamp
        self.users = 0
        """Holds that use it, wholly or its start: while there are any all of it is in use."""

    def clone(self) -> Node:
        """A copy."""
        other = Node(self.path, self.size, self.stamp, self.place)
        other.users = self.users
        return other

    def part(self, units: float, place: int) -> Node:
        """Keeps its first units; the rest is a piece of its own."""
        tail = Node(self.path, self.size - units, self.stamp, place)
        self.size = units
        return tail


class Tree:
    """All chains of a pool."""

    __slots__ = ("children", "handles", "latest", "next_handle", "pieces")

    def __init__(self) -> None:
        self.pieces: dict[NodePath, list[Node]] = {}
        self.children: dict[NodePath, dict[float, int]] = {}
        """Per path how many others go on from it, by the length after which they do."""
        self.handles: dict[int, tuple[Chain, float, tuple[Node, ...], int]] = {}
        """Per hold its chain, the shared units it took over, the pieces it uses, and the place it keeps of what
        was its session's own, -1 for none."""
        self.next_handle = 0
        self.latest: dict[tuple[int, int], Chain] = {}
        """By serial and leg the chain of the latest hold that left something cached; a living session's legs' are its own (-1)."""

    def clone(self) -> Tree:
        """A copy."""
        other = Tree()
        copies: dict[int, Node] = {}
        for path, pieces in self.pieces.items():
            other.pieces[path] = []
            for piece in pieces:
                copies[id(piece)] = piece.clone()
                other.pieces[path].append(copies[id(piece)])
        other.children = {path: offsets.copy() for path, offsets in self.children.items()}
        other.handles = {
            handle: (chain, own, tuple(copies[id(piece)] for piece in used), place)
            for handle, (chain, own, used, place) in self.handles.items()
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
                before, length = _before(path)
                offsets = self.children.setdefault(before, {})
                offsets[length] = offsets.get(length, 0) + 1
        self.pieces[path].append(piece)

    def drop_last(self, path: NodePath) -> None:
        """Takes the last piece of a path away."""
        self.pieces[path].pop()
        if not self.pieces[path]:
            del self.pieces[path]
            if len(path) > 1:
                before, length = _before(path)
                offsets = self.children[before]
                offsets[length] -= 1
                if not offsets[length]:
                    del offsets[length]
                if not offsets:
                    del self.children[before]

    def carried(self, path: NodePath) -> float:
        """Units from the start of a path that something stands on."""
        return max(self.children.get(path, {0.0: 0}))

    def tails(self) -> list[Node]:
        """The pieces nobody uses and nothing stands on, each the last of its path."""
        found = []
        for path, pieces in self.pieces.items():
            piece = pieces[-1]
            if not piece.users and (path not in self.children or self.carried(path) <= self.cached(path) - piece.size):
                found.append(piece)
        return found


def _before(path: NodePath) -> tuple[NodePath, float]:
    """The path a path goes on from, and the length after which it does."""
    expression, key, length = path[-2]
    return (*path[:-2], (expression, key, OPEN)), length
