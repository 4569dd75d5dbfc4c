"""Records the demo as an asciicast (version 2) beside this file: ``python -m screenshots.record``.

The real program runs in a terminal; what it writes is drawn by an emulator, and where it has come to rest the cells that changed
are written down. So the recording has what one sees, at the pace of the script, and not the noise of how it was drawn.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pexpect
import pyte

from screenshots.scenes import EXAMPLES
from serq_tui import habits
from serq_tui.app import NAME
from tests.serq_tui.terminal import Terminal

FILE = Path(__file__).parent / "demo.cast"

SIZE = (110, 32)

#: Seconds of silence after which a screen counts as drawn: longer than in a test, for what is written down stays.
QUIET = 1.5

#: Seconds between two keys of a text that is typed.
TYPING = 0.12

BYTES = {"enter": "\r", "escape": "\x1b", "tab": "\t"}


@dataclass(frozen=True)
class Step:
    """A stretch of the demo.

    Attributes:
        label: what is shown, a marker in the recording.
        keys: Textual's names of the keys pressed.
        shows: words that stand on the screen then.
        seconds: how long one looks at it.
    """

    label: str
    keys: tuple[str, ...]
    shows: tuple[str, ...]
    seconds: float


STEPS = (
    Step("a program, at its start", (), ("the start: nothing has happened yet", "q quit"), 2.5),
    Step("three iterations", ("s", "s", "s"), ("iteration 3 ",), 2.0),
    Step("on to the first preemption", ("c",), ("preemption of r7", "iteration 15"), 3.5),
    Step("who was preempted, and for whom", ("w",), ("r4 asked for 16 of kv",), 5.0),
    Step("back to the run, one step on", ("escape", "s"), ("iteration 16",), 2.0),
    Step("why the head of the queue waits", ("3", "w"), ("why r7 waits",), 5.0),
    Step("its story", ("escape", "enter", "enter"), ("story of r7",), 5.0),
    Step("everybody, iterations across", ("escape", "v"), ("grid of vllm",), 4.0),
    Step("a step back in time", ("b", "b"), ("iteration 14",), 3.0),
    Step("what can be taken along", ("escape", "e"), ("ui.perfetto.dev",), 3.5),
    Step("this screen as a picture", ("s",), ("written:",), 3.0),
)


class Recorder:
    """A terminal with the program in it, and what is written down of it."""

    def __init__(self, folder: Path) -> None:
        # Somebody who has been here before: the hint of the first sitting is a picture of its own.
        habits.save(folder / "state" / NAME, habits.Habits(hinted=True))
        self.terminal = Terminal(
            str(EXAMPLES / "preemption.sq"),
            size=SIZE,
            folder=folder,
            env={
                "HOME": str(folder),
                "XDG_STATE_HOME": str(folder / "state"),
                "PYTHONPATH": str(Path(__file__).parents[1]),
            },
        )
        self._shown: list[list[pyte.screens.Char]] = []
        self._clock = 0.0
        self.events: list[tuple[float, str, str]] = []

    def play(self, step: Step) -> None:
        """Press the keys of a step and write down where they lead."""
        for key in step.keys:
            self.terminal.child.send(BYTES.get(key, key))
            self._rest(())
            self._note()
            self._clock += TYPING
        self._rest(step.shows)
        self._note()
        self.events.append((round(self._clock, 3), "m", step.label))
        self._clock += step.seconds

    def end(self) -> None:
        """Give whoever plays it their cursor back, below the picture."""
        self.events.append((round(self._clock, 3), "o", f"\x1b[?25h\x1b[{SIZE[1]};1H\r\n"))

    def _rest(self, words: tuple[str, ...]) -> None:
        """Take in what is written until the words stand there and nothing more comes."""
        try:
            self.terminal.shows(*words, quiet=QUIET)
        except pexpect.TIMEOUT:
            raise RuntimeError(f"{words} never came, but this:\n{self.terminal.text()}") from None

    def _note(self) -> None:
        columns, lines = SIZE
        now = [[self.terminal.screen.buffer[y][x] for x in range(columns)] for y in range(lines)]
        changed = "".join(changes(self._shown or None, now))
        if changed:
            start = "" if self._shown else "\x1b[?25l\x1b[2J"
            self.events.append((round(self._clock, 3), "o", start + changed + "\x1b[0m"))
        self._shown = now


def changes(before: list[list[pyte.screens.Char]] | None, now: list[list[pyte.screens.Char]]) -> Iterator[str]:
    """The sequences that make one screen of another: each stretch of cells that differs."""
    style: str | None = None
    for y, row in enumerate(now):
        at: int | None = None
        for x, cell in enumerate(row):
            if before is not None and before[y][x] == cell:
                continue
            if at != x:
                yield f"\x1b[{y + 1};{x + 1}H"
            wanted = _style(cell)
            if wanted != style:
                style = wanted
                yield style
            yield cell.data
            at = x + 1


def _style(cell: pyte.screens.Char) -> str:
    flags = [code for on, code in ((cell.bold, "1"), (cell.italics, "3"), (cell.underscore, "4"), (cell.reverse, "7")) if on]
    return f"\x1b[{';'.join(['0', *flags, *_colour(cell.fg, 38), *_colour(cell.bg, 48)])}m"


def _colour(name: str, kind: int) -> list[str]:
    if len(name) != 6:
        return []  # the terminal's own; the program gives every colour it uses as six hexadecimal digits
    red, green, blue = (int(name[i : i + 2], 16) for i in (0, 2, 4))
    return [str(kind), "2", str(red), str(green), str(blue)]


def main() -> int:
    """Record the demo."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(Path(folder))
        try:
            for step in STEPS:
                recorder.play(step)
                print(step.label)
            recorder.end()
        finally:
            recorder.terminal.child.close(force=True)
    columns, lines = SIZE
    title = "serq-tui: from a preemption to its reasons"
    header = {"version": 2, "width": columns, "height": lines, "title": title, "env": {"TERM": "xterm-256color"}}
    rows = [json.dumps(header), *(json.dumps(event, ensure_ascii=False) for event in recorder.events)]
    FILE.write_text("\n".join(rows) + "\n", encoding="utf-8")
    print(f"{FILE.name}: {len(recorder.events)} events, {FILE.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
