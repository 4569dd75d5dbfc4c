"""Asking what to search a pane for, and saying what came of it."""

from __future__ import annotations

from typing import Any

from serq_tui.format import plural
from serq_tui.panes.pane import Pane
from serq_tui.screens.ask import AskScreen


def search_line() -> AskScreen[str]:
    """The dialog that asks what to search for."""
    return AskScreen("search", _sought, forms="words as they stand in the pane, whatever their case", placeholder="r7")


def _sought(text: str) -> str:
    if not text.strip():
        raise ValueError("nothing is typed yet")
    return text.strip()


def found(pane: Pane[Any], text: str) -> str:
    """Search a pane, and say how many lines have it."""
    hits = pane.seek(text)
    return f"{plural(hits, 'line')} with {text}: n and N go on, esc ends it" if hits else f"no line here has {text}"
