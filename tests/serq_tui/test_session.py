"""Scripted sittings in tmux: a real terminal that is opened, walked in, resized and left clean, whatever ends the program."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.serq_tui.piloting import PREEMPTION

TMUX = shutil.which("tmux")
pytestmark = pytest.mark.skipif(TMUX is None, reason="tmux is not installed")

#: Seconds to wait for something to appear: only a broken program ever takes as long.
PATIENCE = 90.0
#: Seconds between two looks.
GLANCE = 0.1

#: What the shell says when it has its terminal back, put together only when it runs so that the command line does not show it.
BACK = "terminal-is-mine-again"
TELL = "echo terminal-is-mine''-again"


class Sitting:
    """A shell in tmux."""

    def __init__(self, folder: Path) -> None:
        self.name = f"serq-{os.getpid()}-{folder.name}"
        self._socket = str(folder / "tmux")
        environment = {
            "HOME": str(folder),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "PS1": "$ ",
        }
        self.tmux("new-session", "-d", "-s", self.name, "-x", "120", "-y", "40", "sh", environment=environment, cwd=folder)

    def tmux(self, *arguments: str, environment: dict[str, str] | None = None, cwd: Path | None = None) -> str:
        """A command of tmux, in a server of its own."""
        assert TMUX is not None
        command = [TMUX, "-u", "-S", self._socket, "-f", "/dev/null", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment, cwd=cwd)
        return done.stdout

    def keys(self, *keys: str) -> None:
        """Press keys, in tmux's names."""
        self.tmux("send-keys", "-t", self.name, *keys)

    def types(self, text: str) -> None:
        """Type a text and enter."""
        self.tmux("send-keys", "-t", self.name, "-l", text)
        self.keys("Enter")

    def text(self) -> str:
        """What stands on the screen."""
        return self.tmux("capture-pane", "-p", "-t", self.name)

    def until(self, there: Callable[[str], bool]) -> str:
        """Wait for a screen."""
        end = time.monotonic() + PATIENCE
        while not there(text := self.text()):
            assert time.monotonic() < end, text
            time.sleep(GLANCE)
        return text

    def shows(self, *words: str) -> str:
        """Wait until the screen has all the words."""
        return self.until(lambda text: all(word in text for word in words))

    def opens(self, program: Path) -> None:
        """Open the debugger from the shell, and have the shell tell when it is back."""
        self.types(f"{sys.executable} -m serq_tui {program}; {TELL}")
        self.shows("q quit", "the start")

    def program(self) -> int:
        """The process of the debugger: the shell's only child."""
        shell = self.tmux("list-panes", "-t", self.name, "-F", "#{pane_pid}").strip()
        children = Path(f"/proc/{shell}/task/{shell}/children").read_text(encoding="utf-8").split()
        assert len(children) == 1
        return int(children[0])

    def is_clean(self) -> None:
        """The shell has a terminal as it was: no other screen, a cursor, no mouse, and it echoes what is typed."""
        self.shows(BACK)
        flags = "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag}"
        assert self.tmux("display-message", "-p", "-t", self.name, flags).split() == ["0", "1", "0", "0"]
        self.tmux("send-keys", "-t", self.name, "-l", "echo typed-and-seen")
        self.shows("echo typed-and-seen")
        assert "Traceback" not in self.text()


@pytest.fixture
def sitting(tmp_path: Path) -> Iterator[Sitting]:
    made = Sitting(tmp_path)
    yield made
    made.tmux("kill-server")


def test_a_sitting_from_opening_to_quitting_leaves_the_terminal_clean(sitting: Sitting, tmp_path: Path) -> None:
    sitting.opens(PREEMPTION)
    sitting.shows("new here?")
    sitting.keys("s")
    sitting.shows("iteration 1:")
    sitting.keys("c")
    sitting.shows("preemption of r7")
    sitting.keys("b")
    sitting.shows("iteration 14:")
    sitting.keys("Space")
    sitting.shows("● line 48", "● 1")
    sitting.keys("/")
    sitting.shows("search")
    sitting.types("kv cap")
    sitting.shows("1 line with kv cap")
    sitting.keys("Escape")
    sitting.tmux("resize-window", "-t", sitting.name, "-x", "80", "-y", "24")
    sitting.shows("7 time", "q quit")
    sitting.tmux("resize-window", "-t", sitting.name, "-x", "200", "-y", "50")
    sitting.shows("7 time", "command")
    sitting.keys("e")
    sitting.shows("this screen", "SVG")
    sitting.keys("s")
    sitting.until(lambda text: bool(list(tmp_path.glob("*.svg"))))
    sitting.keys(":")
    sitting.shows("a command, an action or a moment")
    sitting.types("goto 3")
    sitting.shows("iteration 3:")
    sitting.keys("q")
    sitting.is_clean()


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP], ids=lambda sent: sent.name)
def test_a_signal_that_ends_the_program_leaves_the_terminal_clean(sitting: Sitting, sent: signal.Signals) -> None:
    sitting.opens(PREEMPTION)
    sitting.keys("c")
    sitting.shows("preemption of r7")
    os.kill(sitting.program(), sent)
    sitting.is_clean()


def test_a_program_that_fails_is_a_stop_and_the_terminal_is_left_clean(sitting: Sitting, tmp_path: Path) -> None:
    from tests.serq_tui.test_debugger_program import FAILS

    path = tmp_path / "fails.sq"
    path.write_text(FAILS, encoding="utf-8")
    sitting.opens(path)
    sitting.keys("c")
    sitting.shows("must be 0 or 1")
    sitting.keys("q")
    sitting.is_clean()
