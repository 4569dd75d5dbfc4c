"""The recorded demo: an asciicast that plays, of what the program shows now; ``make demo`` records it anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyte
import pytest

from screenshots.record import FILE, SIZE, STEPS
from tests.serq_tui.piloting import PREEMPTION, opened

SMALL = 256 * 1024
"""Bytes of the recording: less than a photograph."""


def recording() -> tuple[dict[str, Any], list[tuple[float, str, str]]]:
    header, *events = FILE.read_text(encoding="utf-8").splitlines()
    return json.loads(header), [tuple(json.loads(event)) for event in events]


def frames() -> list[str]:
    """What stands on the screen at each marker."""
    columns, lines = SIZE
    screen = pyte.Screen(columns, lines)
    stream = pyte.Stream(screen)
    seen: list[str] = []
    for _, kind, data in recording()[1]:
        if kind == "o":
            stream.feed(data)
        elif kind == "m":
            seen.append("\n".join(line.rstrip() for line in screen.display))
    return seen


def test_the_recording_is_an_asciicast_that_plays() -> None:
    header, events = recording()
    assert header["version"] == 2
    assert (header["width"], header["height"]) == SIZE
    assert {kind for _, kind, _ in events} == {"o", "m"}
    times = [time for time, _, _ in events]
    assert times == sorted(times) and times[0] >= 0
    assert [label for _, kind, label in events if kind == "m"] == [step.label for step in STEPS]
    assert FILE.stat().st_size < SMALL


async def test_the_recording_shows_what_the_program_shows_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(PREEMPTION, size=SIZE) as driver:
        for step, frame in zip(STEPS, frames(), strict=True):
            await driver.play(step.keys)
            shown = "\n".join(line.rstrip() for line in driver.text().splitlines())
            assert all(word in frame for word in step.shows)
            if step is STEPS[-1]:
                # What is said in passing goes away by itself: it is compared by its words.
                assert driver.notices()[-1] in frame
            else:
                assert shown.rstrip() == frame.rstrip(), f"{step.label}: record it anew: make demo"
