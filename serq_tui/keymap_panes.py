"""The actions that arrange the panes and travel along the time pane; part of the one table."""

from __future__ import annotations

from serq_tui.action import Action

PANES_ACTIONS: tuple[Action, ...] = (
    Action("close", "Z", "Z", "close pane", "Shut the focused pane; its number opens it again.", "close_pane", "Looking around"),
    Action("taller", "plus", "+", "taller", "Make the focused pane taller.", "grow(1)", "Looking around"),
    Action("shorter", "minus", "-", "shorter", "Make the focused pane shorter.", "grow(-1)", "Looking around"),
    Action("wider", "greater_than_sign", ">", "wider", "Make the first column wider.", "widen(2)", "Looking around"),
    Action("narrower", "less_than_sign", "<", "narrower", "Make the first column narrower.", "widen(-2)", "Looking around"),
    Action("all-panes", "0", "0", "all panes", "Open every pane in its own size.", "all_panes", "Looking around"),
    Action(
        "earlier",
        "left,h",
        "← h",
        "earlier",
        "Along the time pane: back to where something was seen.",
        "travel(-1)",
        "Moving in time",
        "time",
        footer=True,
    ),
    Action(
        "later",
        "right",
        "→",
        "later",
        "Along the time pane: on to where something was seen.",
        "travel(1)",
        "Moving in time",
        "time",
        footer=True,
    ),
    Action(
        "last-change",
        "enter",
        "enter",
        "last change",
        "Go to where the register or watched value last changed.",
        "last_change",
        "Moving in time",
        "registers",
        footer=True,
    ),
)
