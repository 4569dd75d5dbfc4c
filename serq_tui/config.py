"""A person's own settings of the debugger, read from a TOML file with what is wrong in it; applies none of them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field
from pathlib import Path
from typing import Any

from grammar.declaring import dataclass
from grammar.names import nearest
from serq_tui.keymap import ACTIONS, Action

FILE = "config.toml"

#: The tables and settings the file may have.
_KNOWN = ("theme", "ascii", "keys")

#: Textual's names of keys that are no single character.
_NAMED = re.compile(r"(?:(?:ctrl|shift|alt|super|meta|hyper)\+)*(?:[a-z_0-9]+|\S)")


@dataclass(frozen=True, slots=True)
class Config:
    """What the file says.

    Attributes:
        theme: the theme to begin with, None where nothing is said.
        ascii: whether only ASCII is drawn.
        keys: by an action's id the keys it has instead of its own, separated by commas.
        faults: what in the file was left out and why, a sentence each.
    """

    theme: str | None = None
    ascii: bool = False
    keys: dict[str, str] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


def read_config(path: Path, themes: tuple[str, ...]) -> Config:
    """What a person's file says; a file that is not there says nothing.

    What is wrong in it is left out, and the rest counts.

    Args:
        path: the file.
        themes: names of the themes there are.
    """
    try:
        text = path.read_text(encoding="utf-8")
        # Here and not above: most people have no such file.
        import tomllib

        data = tomllib.loads(text)
    except FileNotFoundError:
        return Config()
    except OSError as error:
        return Config(faults=(f"{path} cannot be read: {error.strerror or error}",))
    except ValueError as error:
        return Config(faults=(f"{path} is no TOML, so nothing is taken from it: {error}",))
    faults = [f"{path.name}: there is no setting {name}{_meant(name, _KNOWN)}" for name in data if name not in _KNOWN]
    theme = data.get("theme")
    if theme is not None and theme not in themes:
        faults.append(f"{path.name}: there is no theme {theme!r}{_meant(str(theme), themes)}")
        theme = None
    ascii_ = data.get("ascii", False)
    if not isinstance(ascii_, bool):
        faults.append(f"{path.name}: ascii is true or false, not {ascii_!r}")
        ascii_ = False
    keys, wrong = _keys(data.get("keys", {}), path.name)
    return Config(theme, ascii_, keys, (*faults, *wrong))


def _keys(table: Any, name: str) -> tuple[dict[str, str], list[str]]:
    if not isinstance(table, dict):
        return {}, [f'{name}: keys is a table: [keys] and then step = "s", a line an action']
    ids = [action.id for action in ACTIONS]
    keys: dict[str, str] = {}
    faults: list[str] = []
    for id_, value in table.items():
        wanted = value if isinstance(value, list) else [value]
        if id_ not in ids:
            faults.append(f"{name}: there is no action {id_}{_meant(id_, ids)}")
        elif not wanted or not all(isinstance(key, str) and _NAMED.fullmatch(key) for key in wanted):
            faults.append(
                f'{name}: {value!r} is no key for {id_}: a key is written "s", "ctrl+s", "f5", "space", several in a list'
            )
        else:
            keys[id_] = ",".join("comma" if key == "," else key for key in wanted)
    return keys, [*faults, *_clashes(keys, name)]


def _clashes(keys: dict[str, str], name: str) -> list[str]:
    """Actions of one place that share a key: the last one bound would win in silence."""
    faults = []
    for scope in dict.fromkeys(action.scope for action in ACTIONS):
        here = [action for action in ACTIONS if action.scope in (scope, "debugger" if scope not in ("stops", "answer") else scope)]
        count = Counter(key for action in here for key in _of(action, keys))
        for key, many in count.items():
            who = [action.id for action in here if key in _of(action, keys)]
            if many > 1 and any(id_ in keys for id_ in who):
                faults.append(f"{name}: {' and '.join(who)} have the same key {key}: give one of them another")
    return list(dict.fromkeys(faults))


def _of(action: Action, keys: dict[str, str]) -> list[str]:
    return keys.get(action.id, action.keys).split(",")


def _meant(name: str, names: tuple[str, ...] | list[str]) -> str:
    near = nearest(name, names)
    return f"; did you mean {near}?" if near is not None else ""
