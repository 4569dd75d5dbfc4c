"""Draws the scenes as SVG beside this file: ``python -m screenshots.make [NAME …]``."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from textual.widgets import Input

from screenshots.scenes import EXAMPLES, SCENES, Scene
from tests.serq_tui.piloting import opened

FOLDER = Path(__file__).parent


async def picture(scene: Scene) -> str:
    """The scene as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        path = None
        if scene.program is not None:
            path = EXAMPLES / scene.program
            if "\n" in scene.program:
                path = Path(folder) / "model.sq"
                path.write_text(scene.program, encoding="utf-8")
        async with opened(path, size=scene.size, folder=Path(folder)) as driver:
            app = driver.app
            app.theme = scene.theme
            await driver.settle()
            await driver.play(scene.keys)
            # What is said in passing is no part of a picture that is to stay.
            app.clear_notifications()
            # Nor is it the moment at which a line's cursor is between two blinks.
            for line in app.screen.query(Input):
                line.cursor_blink = False
            await driver.pilot.pause()
            return driver.picture()


def main(names: list[str]) -> int:
    """Draw the scenes named, or all of them."""
    unknown = set(names) - {scene.name for scene in SCENES}
    if unknown:
        print(f"no such scene: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    for scene in SCENES:
        if not names or scene.name in names:
            (FOLDER / f"{scene.name}.svg").write_text(asyncio.run(picture(scene)), encoding="utf-8")
            print(f"{scene.name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
