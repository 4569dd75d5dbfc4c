"""A capsule: one file that holds a program as it ran, its settings, a moment and what a person set; runs nothing.

``docs/exports.md`` says what stands in it.
"""

from __future__ import annotations

import atexit
import json
import math
import re
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from engine.snapshot import Position, Who
from grammar.declaring import dataclass
from serq_tui import __version__
from serq_tui.keeping import Kept, kept_json, kept_of
from serq_tui.options import RunOptions

FORMAT = "serq-tui capsule"
VERSION = 1

LARGEST = 1 << 28
"""Bytes of a file that is read as a capsule: a program and a trace of millions of turns stay far below."""

_NAME = re.compile(r"[^/\\\x00-\x1f]{1,200}\Z")
_WHO = re.compile(r"r(\d+)(?:/(\d+))?\Z")

T = TypeVar("T")


class BadCapsule(Exception):
    """A file that is no capsule, or one of another time, in one sentence."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A file in a capsule: its name without a folder, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Capsule:
    """What a capsule holds.

    Attributes:
        program: its text, or its IR where the name ends in ``.json``.
        trace: the recorded turns it replays, None without any.
        options: the settings of the run, without files.
        position: the moment.
        clock: the program's clock there in seconds, by which whoever opens it sees that the run is the same.
        engine: the engine looked at by its name, None for all.
        opened: the request opened, None for none.
        kept: breakpoints, watches and bookmarks.
        note: what whoever made it says.
        made_by: the program that wrote it.
    """

    program: Packed
    trace: Packed | None
    options: RunOptions
    position: Position
    clock: float
    engine: str | None
    opened: Who | None
    kept: Kept
    note: str
    made_by: str = f"serq-tui {__version__}"

    def under(self, given: RunOptions) -> RunOptions:
        """Its settings beneath what is given from outside, which wins."""
        said: dict[str, Any] = {
            name: getattr(given, name)
            for name in ("horizon", "warmup", "seed", "arrivals", "trace")
            if getattr(given, name) is not None
        }
        for name in ("sets", "defs", "lets"):
            said[name] = tuple({**dict(getattr(self.options, name)), **dict(getattr(given, name))}.items())
        return replace(self.options, **said)


# --------------------------------------------------------------------------- writing


def written(capsule: Capsule) -> str:
    """A capsule as the text of its file."""
    options = capsule.options
    data = {
        "format": FORMAT,
        "version": VERSION,
        "made_by": capsule.made_by,
        "note": capsule.note,
        "program": _packed(capsule.program),
        "trace": _packed(capsule.trace) if capsule.trace is not None else None,
        "settings": {
            "horizon": options.horizon,
            "warmup": options.warmup,
            "seed": options.seed,
            "arrivals": options.arrivals,
            "inputs": dict(options.sets),
            "definitions": dict(options.defs),
        },
        "moment": {
            "position": str(capsule.position),
            "clock": capsule.clock,
            "engine": capsule.engine,
            "request": str(capsule.opened) if capsule.opened is not None else None,
        },
        **kept_json(capsule.kept),
    }
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _packed(file: Packed) -> dict[str, str]:
    return {"name": file.name, "text": file.text}


# --------------------------------------------------------------------------- reading


def read_capsule(path: Path) -> Capsule:
    """Reads a capsule.

    Raises:
        OSError: the file cannot be read.
        BadCapsule: it is none, or one this program does not read.
    """
    if path.stat().st_size > LARGEST:
        raise BadCapsule(f"{path} is no capsule: it has more than {LARGEST >> 20} MiB")
    try:
        data = json.loads(path.read_bytes().decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BadCapsule(f"{path} is no capsule: it is not JSON ({error})") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadCapsule(f"{path} is no capsule: it does not say `format: {FORMAT}`")
    if data.get("version") != VERSION:
        by = f", made by {data['made_by']}" if isinstance(data.get("made_by"), str) else ""
        raise BadCapsule(f"{path} is a capsule of version {data.get('version')!r}{by}; this serq-tui reads version {VERSION}")
    try:
        return _capsule(data)
    except _Wrong as wrong:
        raise BadCapsule(f"{path} is a capsule with a mistake: {wrong}") from wrong


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


class _Wrong(Exception):
    """What is wrong, with where it stands."""


def _capsule(data: dict[str, Any]) -> Capsule:
    settings, moment = _of(data, "settings", dict), _of(data, "moment", dict)
    trace = data.get("trace")
    try:
        kept = kept_of(data)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise _Wrong(f"its breakpoints, watches, bookmarks or layout: {error}") from error
    return Capsule(
        program=_file(_of(data, "program", dict), "program"),
        trace=_file(_of(data, "trace", dict), "trace") if trace is not None else None,
        options=RunOptions(
            horizon=_number(settings, "settings", "horizon"),
            warmup=_number(settings, "settings", "warmup"),
            seed=_whole(settings, "settings", "seed"),
            arrivals=_whole(settings, "settings", "arrivals"),
            sets=_texts(settings, "inputs"),
            defs=_texts(settings, "definitions"),
        ),
        position=_position(_of(moment, "position", str, "moment")),
        clock=_number(moment, "moment", "clock") or 0.0,
        engine=_of(moment, "engine", str, "moment") if moment.get("engine") is not None else None,
        opened=_who(_of(moment, "request", str, "moment")) if moment.get("request") is not None else None,
        kept=kept,
        note=_of(data, "note", str),
        made_by=_of(data, "made_by", str),
    )


_KINDS: dict[type, str] = {dict: "an object", str: "a text"}


def _of(data: dict[str, Any], name: str, kind: type[T], where: str = "") -> T:
    value = data.get(name)
    at = f"{where}.{name}" if where else name
    if name not in data:
        raise _Wrong(f"`{at}` is missing")
    if not isinstance(value, kind):
        raise _Wrong(f"`{at}` is {json.dumps(value)[:40]} and not {_KINDS[kind]}")
    return value


def _file(data: dict[str, Any], where: str) -> Packed:
    name = _of(data, "name", str, where)
    # It becomes a file here: a capsule from elsewhere must not choose the folder.
    if not _NAME.match(name) or name in (".", ".."):
        raise _Wrong(f"`{where}.name` is {name[:40]!r} and not a file's name without a folder")
    return Packed(name, _of(data, "text", str, where))


def _number(data: dict[str, Any], where: str, name: str) -> float | None:
    value = data.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _Wrong(f"`{where}.{name}` is {value!r} and not a number")
    return float(value)


def _whole(data: dict[str, Any], where: str, name: str) -> int | None:
    value = data.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _Wrong(f"`{where}.{name}` is {value!r} and not a whole number")
    return value


def _texts(settings: dict[str, Any], name: str) -> tuple[tuple[str, str], ...]:
    given = _of(settings, name, dict, "settings")
    for key, value in given.items():
        if not isinstance(value, str):
            raise _Wrong(f"`settings.{name}.{key}` is {value!r} and not a text")
    return tuple(given.items())


def _position(text: str) -> Position:
    numbers = text.removeprefix("@").split(".")
    if not text.startswith("@") or len(numbers) > 3 or not all(number.isascii() and number.isdigit() for number in numbers):
        raise _Wrong(f"`moment.position` is {text[:40]!r} and not a position such as @120.1")
    return Position(*map(int, numbers))


def _who(text: str) -> Who:
    match = _WHO.match(text)
    if match is None:
        raise _Wrong(f"`moment.request` is {text[:40]!r} and not a request such as r7")
    return Who(int(match[1]), int(match[2]) if match[2] is not None else None)


def lay_out(file: Packed) -> Path:
    """A packed file as a file of its own, for as long as this program runs."""
    folder = Path(tempfile.mkdtemp(prefix="serq-tui-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / file.name
    path.write_text(file.text, encoding="utf-8")
    return path
