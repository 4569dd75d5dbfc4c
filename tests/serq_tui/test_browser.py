"""The program behind a browser: no terminal, but packets on its pipes, as textual-serve sends and reads them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pyte

from tests.serq_tui.piloting import PREEMPTION

READY = b"__GANGLION__\n"
"""What the program says before its first packet."""


class Browser:
    """Speaks to the program as a browser's server does and draws what it answers."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self._in, self._out = stdin, stdout
        self._screen = pyte.Screen(120, 40)
        self._stream = pyte.ByteStream(self._screen)
        self.told: list[dict[str, object]] = []
        for line in self._out:
            if line == READY:
                return
        raise AssertionError("the program ended before it was ready")

    def send(self, kind: bytes, payload: bytes) -> None:
        """A packet: data that is typed, or word of something."""
        self._in.write(kind + len(payload).to_bytes(4, "big") + payload)
        self._in.flush()

    def type(self, keys: str) -> None:
        """Type keys."""
        self.send(b"D", keys.encode())

    def until(self, *words: str) -> str:
        """Read until the screen shows all the words."""
        while not all(word in self.text() for word in words):
            self._read()
        return self.text()

    def until_told(self, kind: str) -> dict[str, object]:
        """Read until the program tells of something."""
        while not any(one["type"] == kind for one in self.told):
            self._read()
        return next(one for one in self.told if one["type"] == kind)

    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(self._screen.display)

    def _read(self) -> None:
        kind = self._out.read(1)
        assert kind, f"the program ended:\n{self.text()}"
        payload = self._out.read(int.from_bytes(self._out.read(4), "big"))
        if kind == b"D":
            self._stream.feed(payload)
        elif kind == b"M":
            self.told.append(json.loads(payload))


@contextmanager
def served(folder: Path) -> Iterator[Browser]:
    """The program as a server starts it, in a folder."""
    environment = {
        **os.environ,
        "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
        "COLUMNS": "120",
        "ROWS": "40",
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "HOME": str(folder),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "serq_tui", str(PREEMPTION)],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield Browser(process.stdin, process.stdout)
    finally:
        process.kill()
        process.communicate()


def test_in_a_browser_keys_work_and_a_picture_is_offered_as_a_download(tmp_path: Path) -> None:
    with served(tmp_path) as browser:
        browser.until("the start: nothing has happened yet", "q quit")
        browser.type("c")
        browser.until("preemption of r7", "iteration 15")
        browser.type("e")
        browser.until("this screen")
        browser.type("s")
        offered = browser.until_told("deliver_file_start")
        assert str(offered["path"]).endswith(".svg")
    assert [path.suffix for path in tmp_path.glob("*.svg")] == [".svg"]
