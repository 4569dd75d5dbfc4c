"""Every screen in three sizes and two themes, as it was looked at last: ``python -m tests.serq_tui.snapshots`` draws them anew.

A file has a screen's text at each size, and a digest of its colours in each theme: what is drawn differently is told apart,
what is said differently is shown.
"""

from __future__ import annotations

import pytest

from tests.serq_tui.snapshots import FOLDER, SCREENS, THEMES, drawn


@pytest.mark.parametrize("name", SCREENS)
async def test_a_screen_is_as_it_was_looked_at_last(name: str) -> None:
    kept = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert await drawn(name) == kept, "look at it, and draw it anew if it is meant: python -m tests.serq_tui.snapshots"


def test_every_snapshot_is_of_a_screen_and_its_themes_differ() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(SCREENS)
    for path in FOLDER.glob("*.txt"):
        digests = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith(tuple(THEMES))]
        assert len(digests) == len(set(digests))
