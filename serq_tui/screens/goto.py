"""The go-to dialog: a line to name a moment in; it knows no run, only who can read the name."""

from __future__ import annotations

from collections.abc import Callable

from engine.targets import Target
from serq_tui.goto import FORMS
from serq_tui.screens.ask import AskScreen


class GotoScreen(AskScreen[Target]):
    """Ask for a moment."""

    def __init__(self, read: Callable[[str], Target], text: str = "") -> None:
        super().__init__("go to", read, forms=FORMS, placeholder="iteration 812", text=text)
