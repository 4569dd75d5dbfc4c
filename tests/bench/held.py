"""A key held down in a real terminal, over a crowd: when each key's picture came, and what it cost. Prints a row a size.

The terminal is not emulated while it is measured: an emulator takes as long as what it shows. A picture is told by the
header, which names its iteration.
"""

from __future__ import annotations

import os
import re
import select
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pexpect

CROWD = Path(__file__).parent / "crowd.sq"

SIZES = ((80, 24), (120, 40), (200, 60))

#: Steps before anything is measured: every seat is taken by then.
BEFORE = 40

#: Keys typed one by one, and keys of one that is held down; a keyboard repeats 30 times a second.
SINGLE, HELD, RATE = 20, 100, 30.0

#: Seconds to wait for more before looking again.
SILENCE = 1.0

_SEQUENCE = re.compile(rb"\x1b\[[0-9;:?]*[a-zA-Z]")
_HEADER = re.compile(rb"vllm iteration (\d[\d,]*)(?=[^\d,])")

#: Bytes a header may be cut off after: it is read again with what comes next.
_CUT = 400


class Watched:
    """The debugger in a terminal of a size, and when it named which iteration."""

    def __init__(self, size: tuple[int, int], home: str) -> None:
        columns, lines = size
        env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "HOME": home, "XDG_STATE_HOME": home}
        arguments = ["-m", "serq_tui", str(CROWD)]
        self._child: Any = pexpect.spawn(sys.executable, arguments, dimensions=(lines, columns), env=env)
        self._rest = b""
        self.bytes = 0
        self.pictures: list[tuple[float, int]] = []

    def type(self, key: bytes) -> float:
        """Type a key; when that was."""
        os.write(self._child.child_fd, key)
        return time.perf_counter()

    def take(self, seconds: float) -> None:
        """Take in what is written next, if that is within some seconds."""
        if select.select([self._child.child_fd], [], [], max(seconds, 0.0))[0]:
            written = os.read(self._child.child_fd, 1 << 20)
            self.bytes += len(written)
            named = [int(found.replace(b",", b"")) for found in _HEADER.findall(_SEQUENCE.sub(b"", self._rest + written))]
            self._rest = (self._rest + written)[-_CUT:]
            self.pictures += [(time.perf_counter(), one) for one in named if one != self.now]

    def read(self, seconds: float) -> None:
        """Take in what is written within some seconds."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self.take(left)

    @property
    def now(self) -> int:
        """The iteration on screen, -1 before the first picture."""
        return self.pictures[-1][1] if self.pictures else -1

    @property
    def processor(self) -> float:
        """Seconds of the processor so far."""
        fields = Path(f"/proc/{self._child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_for(self, iteration: int) -> float:
        """When an iteration came on screen."""
        while self.now < iteration:
            self.take(SILENCE)
        return next(when for when, one in self.pictures if one >= iteration)

    def close(self) -> None:
        """End it."""
        self._child.close(force=True)


def row(size: tuple[int, int], home: str) -> str:
    """One size's figures, times in milliseconds."""
    seen = Watched(size, home)
    seen.wait_for(0)
    for step in range(1, BEFORE + 1):
        seen.type(b"s")
        seen.wait_for(step)
    written, took = seen.bytes, []
    for step in range(BEFORE + 1, BEFORE + SINGLE + 1):
        typed = seen.type(b"s")
        took.append(seen.wait_for(step) - typed)
        seen.read(0.1)
    each = (seen.bytes - written) / SINGLE
    first, begun, spent, typed_at = len(seen.pictures), time.perf_counter(), seen.processor, []
    for key in range(HELD):
        seen.read(begun + key / RATE - time.perf_counter())
        typed_at.append(seen.type(b"s"))
    last = seen.wait_for(BEFORE + SINGLE + HELD)
    late = sorted(seen.wait_for(BEFORE + SINGLE + key + 1) - typed for key, typed in enumerate(typed_at))
    shown = len({one for _, one in seen.pictures[first:]})
    cost = (seen.processor - spent) / HELD
    seen.close()
    took.sort()
    figures = (
        f"{size[0]} × {size[1]}",
        *(f"{1e3 * one:.0f}" for one in (statistics.median(took), took[-1])),
        f"{HELD / (last - begun):.1f}",
        f"{shown}",
        *(f"{1e3 * one:.0f}" for one in (statistics.median(late), late[-1], cost)),
        f"{each / 1e3:.1f}",
    )
    return f"| {' | '.join(figures)} |"


def main() -> None:
    """Print the table."""
    print("| size | a key: p50 | most | held: steps/s | pictures | key to picture: p50 | most | processor a step | kB a step |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as home:
        for size in SIZES:
            print(row(size, home), flush=True)


if __name__ == "__main__":
    main()
