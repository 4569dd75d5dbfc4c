"""The actions that take something along from a run; part of the one table."""

from __future__ import annotations

from serq_tui.action import Action

TAKING: tuple[Action, ...] = (
    Action(
        "export",
        "e",
        "e",
        "export",
        "Write a file: this screen, this moment, the report, the whole run, or a capsule to be opened elsewhere.",
        "export",
        "Taking along",
        footer=True,
    ),
)
