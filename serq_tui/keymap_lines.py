"""The actions that ask for a line of text: commands, searching, a request's number; part of the one table."""

from __future__ import annotations

from serq_tui.action import Action

LINES: tuple[Action, ...] = (
    Action(
        "command",
        "colon",
        ":",
        "command",
        "Type a command: goto, break, watch, set, theme or any action; tab completes, up recalls.",
        "command",
        "Looking around",
        footer=True,
    ),
    Action(
        "search",
        "slash",
        "/",
        "search",
        "Search the focused pane; n and N go to the next and the previous hit, until esc.",
        "search",
        "Looking around",
    ),
    Action("request", "r", "r", "request", "Tell the story of a request by its number.", "request", "Looking around"),
    Action(
        "report",
        "o",
        "o",
        "report",
        "The report of a run that ends at this moment: observes with histograms, stages, pools, claims.",
        "report",
        "Looking around",
    ),
    Action(
        "plots",
        "O",
        "O",
        "plots",
        "Plots: memory, requests and tokens over time, gaps between tokens, first tokens.",
        "plots",
        "Looking around",
    ),
)
