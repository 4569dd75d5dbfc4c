"""What a person set in a program, kept in a file between two sittings; sets nothing and knows no screen."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.snapshot import Position
from grammar.declaring import dataclass
from serq_tui.arrangement import AS_IT_COMES, PANES, Layout
from serq_tui.view_state import Bookmark

VERSION = 1

#: Letters of the digest that tells two programs of one name apart in a file's name.
DIGEST = 16


class Unreadable(Exception):
    """A file that holds nothing of ours, in one sentence."""


@dataclass(frozen=True, slots=True)
class KeptStop:
    """A stop by its text; its hits are of a sitting and not kept."""

    text: str
    enabled: bool
    once: bool
    after: int


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a program."""

    stops: tuple[KeptStop, ...]
    watches: tuple[str, ...]
    bookmarks: tuple[Bookmark, ...]
    layout: Layout = AS_IT_COMES


class Keeper:
    """The file of one program.

    Args:
        folder: where such files lie; it is made when there is something to keep.
        program: the program's file, by whose place it is found again.
    """

    def __init__(self, folder: Path, program: Path) -> None:
        self._program = str(program.resolve())
        digest = sha256(self._program.encode("utf-8", "surrogateescape")).hexdigest()[:DIGEST]
        self.path = folder / f"{program.stem}-{digest}.json"

    def load(self) -> Kept | None:
        """What was kept; None where nothing was.

        Raises:
            Unreadable: the file cannot be read, or is none of ours.
        """
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
            if data["version"] != VERSION:
                raise ValueError(f"it is of version {data['version']!r}")
            return kept_of(data)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise Unreadable(f"{self.path} cannot be read, so nothing is taken from it: {_why(error)}") from error

    def save(self, kept: Kept) -> None:
        """Keep this instead of what was kept.

        Raises:
            OSError: the file cannot be written.
        """
        data = {"version": VERSION, "program": self._program, **kept_json(kept)}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Written beside and moved into place: whoever ends the program meanwhile leaves the old file or the new one.
        part = self.path.with_suffix(f".{os.getpid()}.part")
        part.write_text(json.dumps(data, indent=1, ensure_ascii=False), encoding="utf-8")
        part.replace(self.path)


def kept_json(kept: Kept) -> dict[str, Any]:
    """What is kept as JSON data: ``stops``, ``watches``, ``bookmarks``, and ``layout`` where the panes were arranged."""
    layout = kept.layout
    arranged = {
        "closed": sorted(layout.closed),
        "grown": {name: lines for name, lines in layout.grown.items() if lines},
        "wider": layout.wider,
    }
    return {
        "stops": [{"text": stop.text, "enabled": stop.enabled, "once": stop.once, "after": stop.after} for stop in kept.stops],
        "watches": list(kept.watches),
        "bookmarks": [{**asdict(mark), "position": _numbers(mark.position)} for mark in kept.bookmarks],
        **({"layout": arranged} if layout != AS_IT_COMES else {}),
    }


def kept_of(data: Any) -> Kept:
    """What is kept, from JSON data.

    Raises:
        ValueError, TypeError, KeyError: it is not as ``kept_json`` makes it.
    """
    return Kept(
        tuple(KeptStop(str(s["text"]), bool(s["enabled"]), bool(s["once"]), _whole(s["after"])) for s in data["stops"]),
        tuple(str(text) for text in data["watches"]),
        tuple(
            Bookmark(str(b["name"]), Position(*(_whole(number) for number in b["position"])), str(b["about"]))
            for b in data["bookmarks"]
        ),
        _layout(data.get("layout", {})),
    )


def _layout(data: Any) -> Layout:
    """How the panes were arranged; of a pane there is none of by now nothing is said."""
    closed, grown = set(data.get("closed", ())), dict(data.get("grown", {}))
    return Layout(
        frozenset(name for name in PANES if name in closed),
        {name: int(grown[name]) for name in PANES if name in grown},
        int(data.get("wider", 0)),
    )


def _whole(number: Any) -> int:
    if not isinstance(number, int) or number < 0:
        raise ValueError(f"{number!r} is no count")
    return number


def _numbers(position: Position) -> list[int]:
    return [position.events, position.attempts, position.decisions]


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)
