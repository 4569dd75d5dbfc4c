"""How long from the command to a debugger on screen, in a terminal emulator; knows no engine."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pexpect
import pyte

COLUMNS, LINES = 120, 40
SIGN = "running"
"""The title of a pane: once it is on the screen, so is the program."""
PATIENCE = 20.0
"""Seconds after which a debugger that has drawn nothing counts as broken."""
CHUNK = 65536
GLANCE = 0.005
"""Seconds between looks at the terminal: far below what is measured."""


def first_paint(program: Path) -> float:
    """Seconds from starting the command to the program on screen.

    Raises:
        TimeoutError: nothing was drawn in time, or the command ended.
    """
    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.ByteStream(screen)
    start = time.perf_counter()
    # As a module, so that it is the code beside this file, wherever another may be installed; and with compiled
    # files kept, as an installed program has them.
    command = ["-m", "serq_tui", str(program)]
    env = {**os.environ, "TERM": "xterm-256color"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    child = pexpect.spawn(sys.executable, command, dimensions=(LINES, COLUMNS), env=env)
    try:
        while time.perf_counter() - start < PATIENCE:
            try:
                stream.feed(child.read_nonblocking(CHUNK, GLANCE))
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF:
                break
            if any(SIGN in line for line in screen.display):
                return time.perf_counter() - start
    finally:
        child.close(force=True)
    raise TimeoutError(f"{program.name} was not on the screen after {time.perf_counter() - start:.1f} s")
