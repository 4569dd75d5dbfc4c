"""Draws the scenes as SVG beside this file: ``python -m screenshots.make [NAME …]``."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from textual.widgets import Input

from screenshots.scenes import EXAMPLES, SCENES, Scene
from serq_tui.app import SerqApp
from serq_tui.options import RunOptions, Stops
from serq_tui.screens.debugger import DebuggerScreen
from serq_tui.screens.stops import StopsScreen

FOLDER = Path(__file__).parent

#: Keys that no letter names by itself.
NAMED = {
    " ": "space",
    "@": "at",
    "=": "equals_sign",
    ".": "full_stop",
    "(": "left_parenthesis",
    ")": "right_parenthesis",
    ">": "greater_than_sign",
    "&": "ampersand",
    "/": "slash",
}


def pressed(keys: tuple[str, ...]) -> list[str]:
    """The keys one by one, quoted texts letter by letter."""
    single: list[str] = []
    for key in keys:
        if key.startswith("'"):
            single += [NAMED.get(letter, letter) for letter in key.strip("'")]
        else:
            single.append(key)
    return single


async def picture(scene: Scene) -> str:
    """The scene as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        path = None
        if scene.program is not None:
            path = EXAMPLES / scene.program
            if "\n" in scene.program:
                path = Path(folder) / "model.sq"
                path.write_text(scene.program, encoding="utf-8")
        app = SerqApp(path, RunOptions(), Stops(), Path(folder))
        async with app.run_test(size=scene.size) as pilot:
            app.theme = scene.theme
            await pilot.pause()
            for key in pressed(scene.keys):
                await pilot.press(key)
                while any(isinstance(screen, DebuggerScreen | StopsScreen) and screen.busy for screen in app.screen_stack):
                    await app.workers.wait_for_complete()
                    await pilot.pause()
            # What is said in passing is no part of a picture that is to stay.
            app.clear_notifications()
            # Nor is it the moment at which a line's cursor is between two blinks.
            for line in app.screen.query(Input):
                line.cursor_blink = False
            await pilot.pause()
            return app.export_screenshot()


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
