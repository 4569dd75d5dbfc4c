"""Files that are there whole or not at all; knows nothing of what stands in them."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

COMPRESSED = ".gz"


@contextmanager
def whole(path: Path) -> Iterator[TextIO]:
    """A text file to write to. It takes its place once all is written; nothing is left of one that fails.

    A name that ends in ``.gz`` is compressed. A pipe or a device is written to as it is.

    Raises:
        OSError: it cannot be written.
    """
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="") as out:
            yield out
        return
    if not path.parent.is_dir():
        # Said by itself: the name beside it that is being written to is nobody's business.
        raise OSError(f"there is no folder {path.parent} to write {path.name} to")
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with _opened(part, compressed=path.suffix == COMPRESSED) as out:
            yield out
        part.replace(path)
    except BaseException:
        # Whatever ended it, an interruption too: half a file would be taken for one.
        part.unlink(missing_ok=True)
        raise


def _opened(path: Path, *, compressed: bool) -> TextIO:
    if compressed:
        return gzip.open(path, "wt", encoding="utf-8", newline="")
    return path.open("w", encoding="utf-8", newline="")


def free(folder: Path, stem: str, suffix: str) -> Path:
    """A path in a folder that nothing has: the name as it is, else with a number behind it."""
    path = folder / f"{stem}{suffix}"
    number = 2
    while path.exists():
        path = folder / f"{stem}-{number}{suffix}"
        number += 1
    return path
