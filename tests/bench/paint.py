"""How long from the command to a debugger on screen, in a terminal emulator; knows no engine."""

from __future__ import annotations

import time
from pathlib import Path

from tests.serq_tui.terminal import Terminal

SIGN = "running"
"""The title of a pane: once it is on the screen, so is the program."""


def first_paint(program: Path) -> float:
    """Seconds from starting the command to the program on screen.

    Raises:
        AssertionError: the command ended before that.
        pexpect.TIMEOUT: it wrote nothing for longer than any that works.
    """
    start = time.perf_counter()
    # It finds no PYTHONDONTWRITEBYTECODE: compiled files are kept, as an installed program has them.
    terminal = Terminal(str(program))
    try:
        terminal.until(lambda text: SIGN in text)
        return time.perf_counter() - start
    finally:
        terminal.child.close(force=True)
