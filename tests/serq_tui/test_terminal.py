"""The real program in a real terminal: an emulator reads what it writes, keys go in as bytes."""

from __future__ import annotations

import termios
from collections.abc import Iterator

import pytest

from tests.serq_tui.piloting import PREEMPTION
from tests.serq_tui.terminal import Terminal

#: Where the local modes stand in a terminal's attributes.
LFLAG = 3


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal(str(PREEMPTION))
    yield made
    made.child.close(force=True)


def test_the_debugger_opens_runs_to_a_preemption_goes_back_and_leaves_the_terminal_clean(terminal: Terminal) -> None:
    flags = termios.tcgetattr(terminal.child.fileno())[LFLAG]
    terminal.shows("the start: nothing has happened yet", "preemption.sq", "q quit")
    terminal.child.send("c")
    stopped = terminal.shows("preemption of", "iteration 15", "preempted at")
    terminal.child.send("b")
    terminal.shows("iteration 14: ")
    terminal.child.send("s")
    assert terminal.shows("preemption of", "iteration 15", "preempted at") == stopped
    terminal.child.send("q")
    while terminal.read():
        pass
    terminal.child.wait()
    assert terminal.child.exitstatus == 0
    assert "Traceback" not in terminal.written
    # the other screen is left, the cursor shown, the mouse let go, and typing echoes again
    for sequence in ("\x1b[?1049l", "\x1b[?25h", "\x1b[?1000l"):
        assert terminal.written.rindex(sequence) > terminal.written.rindex(sequence[:-1] + ("h" if sequence[-1] == "l" else "l"))
    assert termios.tcgetattr(terminal.child.fileno())[LFLAG] & termios.ECHO == flags & termios.ECHO


def test_a_narrow_terminal_shows_every_pane() -> None:
    terminal = Terminal(str(PREEMPTION), "--at", "iteration 15", size=(80, 24))
    try:
        terminal.shows("preemption of", "running", "waiting", "batch", "registers", "pools", "q quit")
        terminal.child.send("q")
        while terminal.read():
            pass
        terminal.child.wait()
        assert terminal.child.exitstatus == 0
    finally:
        terminal.child.close(force=True)


def test_a_run_that_would_never_end_lets_the_program_go() -> None:
    terminal = Terminal(str(PREEMPTION), "--break", "idle")
    try:
        terminal.shows("the start")
        terminal.child.send("c")
        # progress is written all along, so this screen is never done
        terminal.until(lambda text: "running on to the next stop" in text and "esc stops" in text)
        terminal.child.send("q")
        while terminal.read():
            pass
        terminal.child.wait()
        assert terminal.child.exitstatus == 0
    finally:
        terminal.child.close(force=True)
