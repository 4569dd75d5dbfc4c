"""The actions that make another run and compare the two; part of the one table."""

from __future__ import annotations

from serq_tui.action import Action

RUNS: tuple[Action, ...] = (
    Action(
        "change",
        "u",
        "u",
        "change",
        "Change seed, inputs, constants or settings and run again to the same iteration.",
        "change",
        "Two runs",
        footer=True,
    ),
    Action(
        "compare",
        "d",
        "d",
        "compare",
        "Both runs side by side; once more: to the first decision in which they differ.",
        "compare",
        "Two runs",
    ),
    Action(
        "align",
        "a",
        "a",
        "by time",
        "Side by side: align by the clock instead of the iteration, or back.",
        "align",
        "Two runs",
        "answer",
        footer=True,
    ),
    Action("swap", "D", "D", "swap", "Walk through the other run, and keep this one beside it.", "swap", "Two runs"),
)
