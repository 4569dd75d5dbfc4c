"""The command as a process of its own: what a shell sees of it."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

COMMAND = [sys.executable, "-m", "serq_tui"]
EXAMPLES = Path(__file__).parent.parent.parent / "serq_tui" / "examples"
ENDLESS = """fn main() {
  stage s : delay;
  stage home : delay;
  workload { arrive poisson(1); session { turn; while (1) { run home (cost(home, 1)); } } }
  server { run s (cost(s, 1)); }
}
"""


def test_the_debugger_without_a_terminal_says_one_line_on_standard_error() -> None:
    run = subprocess.run([*COMMAND, EXAMPLES / "tgi.sq"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.count("\n") == 1


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        run = subprocess.run(
            [*COMMAND, "run", EXAMPLES / "tgi.sq", "--horizon", "5"], stdout=closed, stderr=subprocess.PIPE, text=True, check=False
        )
    assert run.stderr == ""
    assert run.returncode == 0


def test_an_interrupt_ends_a_run_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "endless.sq"
    path.write_text(ENDLESS, encoding="utf-8")
    # The child interrupts itself as its run begins: a signal from here could come before Python is up.
    script = (
        "import _thread, signal, sys\n"
        # Started in the background, a process is told to ignore interrupts.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from engine.simulation import Simulation\n"
        "run = Simulation.run\n"
        "def interrupted(self):\n"
        "    _thread.interrupt_main()\n"
        "    run(self)\n"
        "Simulation.run = interrupted\n"
        "from serq_tui.cli import main\n"
        f"sys.exit(main(['run', {str(path)!r}, '--horizon', '1e9']))\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.stderr == ""
    assert run.returncode == 128 + signal.SIGINT


def report_on_a_terminal(**environment: str) -> bytes:
    """What ``run`` prints when standard output is a terminal."""
    reading, writing = pty.openpty()
    run = subprocess.Popen(
        [*COMMAND, "run", str(EXAMPLES / "first_light.sq"), "--horizon", "9"],
        stdout=writing,
        env={name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm-256color"} | environment,
    )
    os.close(writing)
    output = b""
    while True:
        try:
            piece = os.read(reading, 4096)
        except OSError:
            # how Linux says that the other end of a terminal is closed
            break
        if not piece:
            break
        output += piece
    os.close(reading)
    assert run.wait() == 0
    return output


def test_a_terminal_gets_colours_unless_it_wants_none() -> None:
    # 1 (bold) is no colour; 33 and 2 would be, and NO_COLOR leaves weights as they are
    assert b"\x1b[" in report_on_a_terminal()
    assert b"\x1b[3" not in report_on_a_terminal(NO_COLOR="1")


def test_without_a_terminal_no_line_is_cut_or_coloured() -> None:
    run = subprocess.run(
        [*COMMAND, "run", EXAMPLES / "preemption.sq", "--horizon", "5"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": ""},
    )
    assert "\x1b" not in run.stdout
    assert "…" not in run.stdout
