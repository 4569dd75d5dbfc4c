"""The one table of actions: it feeds the bindings, the footer, the help and the docs; knows no widget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding, BindingType

Scope = Literal["debugger", "pane", "source", "marked", "requests", "stops", "answer"]
Group = Literal["Moving in time", "Stopping", "Breakpoints and watches", "Looking around", "The program"]

GROUPS: tuple[Group, ...] = ("Moving in time", "Stopping", "Breakpoints and watches", "Looking around", "The program")


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do.

    Attributes:
        id: its lasting name, by which it can be given another key.
        keys: Textual's names of its keys, separated by commas.
        shown: how the help and the footer write them.
        label: one or two words for the footer.
        help: a sentence.
        method: the Textual action that does it, with its arguments.
        scope: where its keys are bound.
        footer: whether the footer names it.
    """

    id: str
    keys: str
    shown: str
    label: str
    help: str
    method: str
    group: Group
    scope: Scope = "debugger"
    footer: bool = False


ACTIONS: tuple[Action, ...] = (
    Action(
        "step",
        "s",
        "s",
        "step",
        "Step to the next iteration an engine attempts (to the next event without an engine).",
        "step",
        "Moving in time",
        footer=True,
    ),
    Action("back", "b", "b", "back", "Step back to the attempt just before.", "back", "Moving in time", footer=True),
    Action(
        "decision",
        "S",
        "S",
        "decision",
        "Step to the next decision: who gets how many tokens, who is admitted, what grows.",
        "decision",
        "Moving in time",
    ),
    Action("decision-back", "B", "B", "decision back", "Step back to the decision before.", "decision_back", "Moving in time"),
    Action(
        "statement",
        "n",
        "n",
        "statement",
        "Step to the next schedule statement that decides something.",
        "statement",
        "Moving in time",
    ),
    Action(
        "statement-back",
        "N",
        "N",
        "statement back",
        "Step back to where the schedule statement before begins.",
        "statement_back",
        "Moving in time",
    ),
    Action("continue", "c", "c", "continue", "Run on to the next stop.", "continue", "Moving in time", footer=True),
    Action("reverse", "C", "C", "reverse", "Run back to the stop before.", "reverse", "Moving in time", footer=True),
    Action(
        "goto",
        "g",
        "g",
        "go to",
        "Go to an iteration, a position such as @120.1, a time such as t=3.25, or a bookmark.",
        "goto",
        "Moving in time",
        footer=True,
    ),
    Action(
        "bookmark",
        "m",
        "m",
        "bookmark",
        "Give this moment a name, by which g goes to it.",
        "bookmark",
        "Moving in time",
    ),
    Action(
        "bookmarks",
        "apostrophe",
        "'",
        "bookmarks",
        "List the bookmarks, to jump to one or take it away.",
        "bookmarks",
        "Moving in time",
    ),
    Action("copy", "y", "y", "copy position", "Copy this moment's position, which g and a paste take.", "copy", "Moving in time"),
    Action("home", "home", "home", "start", "Go to the first moment.", "home", "Moving in time"),
    Action("end", "end", "end", "end", "Go to the last moment seen so far.", "end", "Moving in time"),
    Action(
        "interrupt",
        "escape",
        "esc",
        "back out",
        "Interrupt a run under way; otherwise close what is open. It never quits.",
        "escape",
        "Moving in time",
        footer=True,
    ),
    Action(
        "break",
        "space",
        "space",
        "break",
        "Set or clear a breakpoint on the schedule statement, request or pool under the cursor.",
        "toggle_breakpoint",
        "Stopping",
        "marked",
        footer=True,
    ),
    Action(
        "stop-preemption",
        "p",
        "p",
        "preemption",
        "Stop on every preemption: on at the start, or off.",
        "toggle_preemption",
        "Stopping",
    ),
    Action(
        "stop-idle", "i", "i", "idle", "Stop where an engine is idle with work: on at the start, or off.", "toggle_idle", "Stopping"
    ),
    Action(
        "stops",
        "x",
        "x",
        "breakpoints",
        "Breakpoints and watches: conditions, hits, and when a value last changed.",
        "stops",
        "Stopping",
    ),
    Action(
        "stops-add",
        "a",
        "a",
        "add",
        "In the list of breakpoints add one, in that of watches a value.",
        "add",
        "Breakpoints and watches",
        "stops",
        footer=True,
    ),
    Action(
        "stops-go",
        "enter",
        "enter",
        "go there",
        "Go back to where the breakpoint was last met, or to where the value last changed.",
        "go",
        "Breakpoints and watches",
        "stops",
        footer=True,
    ),
    Action(
        "stops-enable",
        "space",
        "space",
        "on/off",
        "Enable the breakpoint, or disable it.",
        "enable",
        "Breakpoints and watches",
        "stops",
        footer=True,
    ),
    Action(
        "stops-once",
        "o",
        "o",
        "once",
        "Have it stop once only and then be disabled, or each time.",
        "once",
        "Breakpoints and watches",
        "stops",
        footer=True,
    ),
    Action(
        "stops-after",
        "f",
        "f",
        "let pass",
        "Let its first hits pass: how many is asked.",
        "after",
        "Breakpoints and watches",
        "stops",
        footer=True,
    ),
    Action(
        "stops-delete",
        "d,delete",
        "d",
        "take away",
        "Take the breakpoint or the value away.",
        "delete",
        "Breakpoints and watches",
        "stops",
        footer=True,
    ),
    Action(
        "stops-list",
        "tab,shift+tab",
        "tab",
        "other list",
        "Go to the other list.",
        "next_list",
        "Breakpoints and watches",
        "stops",
        footer=True,
    ),
    Action(
        "stops-close",
        "escape,x,q",
        "esc",
        "close",
        "Back to the run.",
        "close",
        "Breakpoints and watches",
        "stops",
        footer=True,
    ),
    Action(
        "detail",
        "enter",
        "enter",
        "detail",
        "Open the request under the cursor: its holds and attributes; once more tells its story.",
        "open_detail",
        "Looking around",
        "requests",
        footer=True,
    ),
    Action(
        "why",
        "w",
        "w",
        "why",
        "Why the selected request waits and what would let it in; how a preemption came about.",
        "why",
        "Looking around",
        footer=True,
    ),
    Action("log", "l", "l", "log", "The latest decisions, to be filtered and followed.", "log", "Looking around"),
    Action(
        "grid",
        "v",
        "v",
        "grid",
        "Requests down, iterations across: what everybody did around this moment.",
        "grid",
        "Looking around",
        footer=True,
    ),
    Action(
        "follow",
        "enter",
        "enter",
        "follow",
        "In an answer: go to the moment the line names, or tell the story of its request.",
        "follow",
        "Looking around",
        "answer",
        footer=True,
    ),
    Action(
        "filter",
        "slash",
        "/",
        "filter",
        "In the log: show only decisions that have some words.",
        "filter",
        "Looking around",
        "answer",
        footer=True,
    ),
    Action("focus", "tab", "tab", "next pane", "Go to the next pane.", "next_pane(1)", "Looking around"),
    Action("focus-back", "shift+tab", "shift+tab", "pane before", "Go to the pane before.", "next_pane(-1)", "Looking around"),
    *(
        Action(
            f"focus-{number}",
            str(number),
            str(number),
            name,
            "Go to that pane.",
            f"focus_pane({number})",
            "Looking around",
        )
        for number, name in enumerate(("source", "running", "waiting", "batch", "registers", "pools"), 1)
    ),
    Action("down", "j,down", "j ↓", "down", "Move down in a pane.", "move(1)", "Looking around", "pane"),
    Action("up", "k,up", "k ↑", "up", "Move up in a pane.", "move(-1)", "Looking around", "pane"),
    Action("page-down", "pagedown", "pgdn", "page down", "Move down by a screenful.", "page(1)", "Looking around", "pane"),
    Action("page-up", "pageup", "pgup", "page up", "Move up by a screenful.", "page(-1)", "Looking around", "pane"),
    Action("left", "left", "←", "left", "Scroll the source to the left.", "shift(-8)", "Looking around", "source"),
    Action("right", "right", "→", "right", "Scroll the source to the right.", "shift(8)", "Looking around", "source"),
    Action(
        "maximise",
        "z",
        "z",
        "maximise",
        "Give the focused pane the whole screen, or give it back.",
        "maximise",
        "Looking around",
        footer=True,
    ),
    Action(
        "engine-next",
        "right_square_bracket",
        "]",
        "next engine",
        "Look at the next engine, or at all of them; s and b then step it.",
        "engine(1)",
        "Looking around",
    ),
    Action(
        "engine-before", "left_square_bracket", "[", "engine before", "Look at the engine before.", "engine(-1)", "Looking around"
    ),
    Action("reload", "ctrl+r", "^r", "reload", "Load the file again and return to the same moment.", "reload", "The program"),
    Action("help", "question_mark", "?", "help", "These keys.", "help", "The program", footer=True),
    Action("quit", "q", "q", "quit", "Leave.", "app.quit", "The program", footer=True),
)


def actions(*scopes: Scope) -> tuple[Action, ...]:
    """The actions bound in some places, in the table's order."""
    return tuple(action for action in ACTIONS if action.scope in scopes)


def bindings(*scopes: Scope) -> list[BindingType]:
    """Textual bindings of some places."""
    return [
        Binding(
            action.keys,
            action.method,
            action.label,
            show=action.footer,
            key_display=action.shown,
            tooltip=action.help,
            id=action.id,
        )
        for action in actions(*scopes)
    ]
