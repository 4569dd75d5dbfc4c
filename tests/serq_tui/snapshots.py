"""The screens that are kept as pictures, and drawing them: ``python -m tests.serq_tui.snapshots [NAME …]``."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from tests.serq_tui.piloting import CHAT, EXAMPLES, LATCHED, PREEMPTION, Driver, opened

FOLDER = Path(__file__).parent / "snapshots"

SIZES = ((80, 24), (120, 36), (200, 60))
THEMES = ("serq-dark", "serq-contrast")

#: Letters of a digest: enough that no two pictures share one.
DIGEST = 16

#: By name the program, and what is pressed; a text in quotes is typed.
SCREENS: dict[str, tuple[Path | None, str]] = {
    "start": (PREEMPTION, ""),
    "preemption": (PREEMPTION, "c"),
    "decision": (PREEMPTION, "c b S S S"),
    "idle": (LATCHED, "p c"),
    "chat": (CHAT, "c"),
    "register": (EXAMPLES / "tgi.sq", "s s s 5"),
    "detail": (PREEMPTION, "c 2 enter"),
    "why": (PREEMPTION, "s w"),
    "autopsy": (PREEMPTION, "c w"),
    "story": (PREEMPTION, "c r '7' enter"),
    "grid": (PREEMPTION, "c c v"),
    "log": (PREEMPTION, "c l"),
    "report": (PREEMPTION, "c c c o"),
    "plots": (PREEMPTION, "c c c O"),
    "compare": (PREEMPTION, "c u tab tab tab tab '640' enter d"),
    "change": (PREEMPTION, "u"),
    "stops": (PREEMPTION, "c s space x"),
    "command": (PREEMPTION, "c colon 'bre'"),
    "search": (PREEMPTION, "c 2 slash 'r4' enter"),
    "goto": (PREEMPTION, "g"),
    "bookmarks": (PREEMPTION, "c m enter apostrophe"),
    "help": (PREEMPTION, "2 question_mark"),
    "maximised": (PREEMPTION, "c 6 z"),
    "chooser": (None, ""),
}


async def drawn(name: str) -> str:
    """A screen in every size and theme, as it is kept."""
    program, keys = SCREENS[name]
    with tempfile.TemporaryDirectory() as folder:
        if program is not None:
            # In a place of its own: a program's own folder is no part of what is kept.
            program = Path(shutil.copy(program, folder))
        async with opened(program, size=SIZES[0], folder=Path(folder)) as driver:
            await driver.play(keys.split())
            return "\n".join([await _at(driver, size) for size in SIZES])


async def _at(driver: Driver, size: tuple[int, int]) -> str:
    await driver.pilot.resize_terminal(*size)
    parts = [f"# {size[0]} x {size[1]}"]
    for theme in THEMES:
        driver.app.theme = theme
        driver.app.clear_notifications()
        await driver.settle()
        await driver.pilot.pause()
        if theme == THEMES[0]:
            parts.insert(1, "\n".join(line.rstrip() for line in driver.text().splitlines()))
        picture = re.sub(r"terminal-\d+", "terminal", driver.picture())
        parts.append(f"{theme} {sha256(picture.encode()).hexdigest()[:DIGEST]}")
    return "\n".join(parts) + "\n"


def main(names: list[str]) -> None:
    """Draw the screens named, or all of them."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or SCREENS:
        (FOLDER / f"{name}.txt").write_text(asyncio.run(drawn(name)), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
