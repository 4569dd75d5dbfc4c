"""The parse table of ``serq.lark``: built with the package, or once and kept in the user's cache; knows no tree."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import tempfile
from contextlib import suppress
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import lark
from lark.lexer import PatternRE, PatternStr, TerminalDef

START_TEXT = "start"
START_EXPRESSION = "host_expr"

_KEPT_FORM = 2
"""The layout of the kept file, and what is done to the grammar before; part of its name, so that an older file is never
read as a newer one."""

_KEPT_NAME = "table-{}.json"

_WORD_END = r"(?!\w)"


@cache
def parser_table() -> lark.Lark:
    """The LALR parser of the language (L2.1).

    Building the table takes about half a second, reading a kept one a fifth of that. An installed package brings it
    along; where it was built by another Lark, or not at all, the first process to need it builds it and keeps it. The
    file is JSON, not Lark's own pickle: whoever can write the cache directory must not gain the power to run code
    here. A file that cannot be read, is cut short or was written by other versions is built anew.
    """
    package = resources.files("grammar")
    text = package.joinpath("serq.lark").read_text(encoding="utf-8")
    name = _file_name(text)
    for place in (package, _cache()):
        with suppress(OSError, ValueError, LookupError, TypeError, AttributeError, AssertionError):
            return _load(place.joinpath(name).read_bytes())
    built = build_table(text)
    with suppress(OSError):
        _keep(_cache() / name, _dump(built))
    return built


def keep_in_package(folder: Path) -> Path | None:
    """Build the table into the package's folder, in place of an older one; None where it cannot be written."""
    text = (folder / "serq.lark").read_text(encoding="utf-8")
    kept = folder / _file_name(text)
    try:
        _keep(kept, _dump(build_table(text)))
    except OSError:
        return None
    for older in folder.glob(_KEPT_NAME.format("*")):
        if older != kept:
            older.unlink(missing_ok=True)
    return kept


def build_table(text: str) -> lark.Lark:
    """Construct the parser from the grammar's text, reading and writing no cache."""
    return lark.Lark(
        text,
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=True,
        start=[START_TEXT, START_EXPRESSION],
        edit_terminals=_whole_words,
    )


def literal(terminal: TerminalDef) -> str | None:
    """The text of a keyword or mark, None for a terminal that stands for many texts."""
    text = terminal.pattern.value
    if isinstance(terminal.pattern, PatternStr):
        return text
    return text.removesuffix(_WORD_END) if text.endswith(_WORD_END) else None


def _whole_words(terminal: TerminalDef) -> None:
    """Make a keyword end where its word ends.

    Where the grammar wants a certain keyword and no name, Lark looks for its letters alone and would read
    ``advance runningonly (p)`` as three words. As a keyword is now a pattern like any other, it takes priority over
    a name where both may stand (L2.6).
    """
    if isinstance(terminal.pattern, PatternStr) and terminal.pattern.value.isalpha():
        terminal.pattern = PatternRE(terminal.pattern.value + _WORD_END)
        terminal.priority = 1


def _file_name(text: str) -> str:
    """One file for each grammar and Lark, so that versions side by side do not fight over it; the data are no Python's."""
    digest = hashlib.sha256(f"{_KEPT_FORM} {lark.__version__}\n{text}".encode()).hexdigest()
    return _KEPT_NAME.format(digest[:32])


def _cache() -> Path:
    import platformdirs  # here, as an installed package does without

    return Path(platformdirs.user_cache_dir("serq-tui"))


def _keep(file: Path, content: bytes) -> None:
    """Write under a name of our own, then rename: another process sees the whole file or none."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=file.stem, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as part:
            part.write(content)
        Path(name).replace(file)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _dump(built: lark.Lark) -> bytes:
    pickled = io.BytesIO()
    built.save(pickled)
    content = pickle.loads(pickled.getvalue())  # our own bytes of a moment ago, never a file's
    content["data"]["options"]["edit_terminals"] = None  # done to the terminals already
    return json.dumps(content, separators=(",", ":")).encode()


def _load(content: bytes) -> lark.Lark:
    kept: Any = json.loads(content)
    kept["memo"] = _numbered(kept["memo"])
    table = kept["data"]["parser"]["parser"]
    table["tokens"] = _numbered(table["tokens"])
    table["states"] = {int(state): _numbered(actions) for state, actions in table["states"].items()}
    return lark.Lark.load(io.BytesIO(pickle.dumps(kept)))


def _numbered(mapping: dict[str, Any]) -> dict[int, Any]:
    """JSON turns whole-number keys into strings; turn them back."""
    return {int(key): value for key, value in mapping.items()}
