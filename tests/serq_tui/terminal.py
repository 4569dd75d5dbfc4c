"""A terminal emulator for whoever drives the real program: it reads what it writes, keys go in as bytes."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pexpect
import pyte

#: Seconds to wait for something to appear: only a broken program ever takes as long.
PATIENCE = 60

#: Seconds of silence after which a screen counts as drawn: a picture comes in a few writes.
QUIET = 1


class Terminal:
    """A terminal emulator with the program running in it.

    Args:
        arguments: the program's.
        size: columns and lines.
        folder: where it runs, None for here.
        env: what it finds in its environment beside or instead of the usual.
    """

    def __init__(
        self, *arguments: str, size: tuple[int, int] = (120, 40), folder: Path | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        columns, lines = size
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.Stream(self.screen)
        self.written = ""
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "serq_tui", *arguments],
            cwd=folder,
            dimensions=(lines, columns),
            encoding="utf-8",
            env={
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
                "PATH": "/usr/bin:/bin",
                "LANG": "C.UTF-8",
                "HOME": "/nonexistent",
                **(env or {}),
            },
            timeout=PATIENCE,
        )

    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(self.screen.display)

    def read(self, patience: float = PATIENCE) -> bool:
        """Take in what the program wrote next; False once it is gone."""
        try:
            written = self.child.read_nonblocking(65536, patience)
        except pexpect.EOF:
            return False
        self.written += written
        self.stream.feed(written)
        return True

    def until(self, there: Callable[[str], bool]) -> str:
        """Read until the screen is as wanted."""
        while not there(self.text()):
            assert self.read(), f"the program ended:\n{self.text()}"
        return self.text()

    def shows(self, *words: str, quiet: float = QUIET) -> str:
        """Read until the screen shows all the words and the program has nothing more to write."""
        self.until(lambda text: all(word in text for word in words))
        with contextlib.suppress(pexpect.TIMEOUT):
            while self.read(quiet):
                pass
        return self.text()
