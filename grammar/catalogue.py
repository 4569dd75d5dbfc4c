"""Every error and warning with a program that has it and how to mend it; knows no linker.

The data stand beside this module in ``errors/``, a file a chapter. The reference page is made of them, and the tests
hold the linker to each: the program has this error and no other, at this place, and the mended one has none.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from grammar.declaring import dataclass
from grammar.settings import Settings

HORIZON = 100.0
"""Seconds that a program of the catalogue is run for where its entry says nothing of the settings."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One error or warning.

    Attributes:
        id: its number, such as ``E504``.
        title: what is wrong, in a few words.
        rules: the rules of the language it follows.
        program: a whole program that has it and no other error.
        at: what the text reads on from where the error points, "" where that is its end; None for an error of the
            settings, which is not in the text.
        repair: why it is wrong and what to do.
        mended: the program after the repair.
        instance: the instance file whose error it is, None for all but those of instances.
        mended_instance: that file after the repair.
        given: the settings it is run with.
        given_mended: those after the repair.
    """

    id: str
    title: str
    rules: tuple[str, ...]
    program: str
    at: str | None
    repair: str
    mended: str
    instance: str | None
    mended_instance: str | None
    given: Settings
    given_mended: Settings


@dataclass(frozen=True, slots=True)
class Chapter:
    """The errors of one part of the language, by number."""

    title: str
    entries: tuple[Entry, ...]


@cache
def chapters() -> tuple[Chapter, ...]:
    """The whole catalogue.

    Raises:
        ValueError: a repair changes what does not stand in its program once; the data are at fault.
    """
    folder = resources.files("grammar").joinpath("errors")
    return tuple(_chapter(file) for file in sorted(folder.iterdir(), key=lambda file: file.name))


@cache
def catalogue() -> Mapping[str, Entry]:
    """Every entry by its number, in order."""
    return {entry.id: entry for chapter in chapters() for entry in chapter.entries}


def _chapter(file: Traversable) -> Chapter:
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    title = data.pop("chapter")
    return Chapter(title, tuple(_entry(number, entry) for number, entry in data.items()))


def _entry(number: str, data: Mapping[str, Any]) -> Entry:
    instance, changes = data.get("instance"), data.get("changes", ())
    given = Settings(HORIZON) if "given" not in data else _settings(data["given"])
    return Entry(
        number,
        data["title"],
        tuple(data["rules"]),
        data["program"],
        data.get("at"),
        data["repair"].strip(),
        data["program"] if instance is not None else _mended(number, data["program"], changes),
        instance,
        None if instance is None else _mended(number, instance, changes),
        given,
        given if "mended" not in data else _settings(data["mended"]),
    )


def _settings(data: Mapping[str, Any]) -> Settings:
    return Settings(**{"horizon": None, **data})


def _mended(number: str, program: str, changes: tuple[tuple[str, str], ...]) -> str:
    for old, new in changes:
        if program.count(old) != 1:
            raise ValueError(f"{number} changes {old!r}, which its program has {program.count(old)} times")
        program = program.replace(old, new)
    return program
