"""What a person types to name a moment, read into a target; knows no dialog and no run."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from engine.snapshot import Position
from engine.targets import AtIteration, AtPosition, AtTime, Target
from grammar.names import nearest

FORMS = "an iteration such as 812, a position such as @120.1, a time such as t=3.25, or a bookmark's name"

_POSITION = re.compile(r"@(\d+)(?:\.(\d+)(?:\.(\d+))?)?")
_TIME = re.compile(r"t\s*[=\s]\s*(\S+?)\s*s?")
_WORDS = re.compile(r"[A-Za-z_][\w.\[\]]*|[^\s]+")


class NoSuchMoment(ValueError):
    """A text that names no moment, in one sentence for whoever typed it."""


def moment_named(
    text: str, engines: Mapping[str, int], at_hand: str | None, bookmarks: Mapping[str, Position] | None = None
) -> Target:
    """The moment a text names: ``iteration 812``, ``812``, ``vllm 812``, ``@120.1``, ``t=3.25``, a bookmark.

    Args:
        text: what was typed.
        engines: the engines' names with their stages.
        at_hand: the engine an iteration without a name belongs to; None without engines.
        bookmarks: positions by the names people gave them.

    Raises:
        NoSuchMoment: the text names none.
    """
    text = text.strip()
    if not text:
        raise NoSuchMoment("nothing is typed yet")
    if bookmarks and text in bookmarks:
        return AtPosition(bookmarks[text])
    if text.startswith("@"):
        return AtPosition(_position(text))
    if match := _TIME.fullmatch(text):
        return AtTime(_seconds(match[1]))
    words = [word for word in _WORDS.findall(text) if word != "iteration"]
    if len(words) == 1:
        near = nearest(text, bookmarks or ()) if text not in engines else None
        if near is not None and not text.isdecimal():
            raise NoSuchMoment(f"there is no bookmark {text}; did you mean {near}?")
        return _iteration(words[0], text, engines, at_hand)
    if len(words) == 2:
        name, figure = words
        if name not in engines:
            raise NoSuchMoment(f"there is no engine {name}{_meant(name, engines)}")
        return _iteration(figure, text, engines, name)
    raise NoSuchMoment(f"{text!r} names no moment")


def seconds_named(text: str) -> float:
    """The time a text names: ``t=3.25``, ``3.25``, ``3.25 s``.

    Raises:
        NoSuchMoment: it names none.
    """
    match = _TIME.fullmatch(text.strip())
    return _seconds(match[1] if match else text.strip().removesuffix("s").rstrip())


def _position(text: str) -> Position:
    match = _POSITION.fullmatch(text)
    if match is None:
        raise NoSuchMoment(f"{text!r} is no position: it is written @120, or @120.1 for an attempt within it")
    return Position(*(int(part or 0) for part in match.groups()))


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise NoSuchMoment(f"{text!r} is no time: it is a number of seconds, such as t=3.25") from None
    if not math.isfinite(seconds) or seconds < 0:
        raise NoSuchMoment(f"a time is a number of seconds from 0 on, not {text}")
    return seconds


def _iteration(figure: str, text: str, engines: Mapping[str, int], name: str | None) -> AtIteration:
    if not figure.isdecimal():
        if figure in engines:
            raise NoSuchMoment(f"which iteration of {figure}? Type {figure} 812")
        raise NoSuchMoment(f"{text!r} names no moment")
    if name is None or name not in engines:
        raise NoSuchMoment("this program has no engine, so it has no iterations: a position or a time names a moment")
    return AtIteration(engines[name], int(figure))


def _meant(name: str, engines: Mapping[str, int]) -> str:
    near = nearest(name, engines)
    if near is not None:
        return f"; did you mean {near}?"
    return f"; there is {', '.join(engines)}" if engines else ""
