"""What a person can do, as data; names no action and knows no widget."""

from __future__ import annotations

from typing import Literal, get_args

from grammar.declaring import dataclass

Scope = Literal["debugger", "pane", "source", "marked", "requests", "stops", "answer", "time", "registers"]
Group = Literal[
    "Moving in time", "Stopping", "Breakpoints and watches", "Looking around", "Two runs", "Taking along", "The program"
]

GROUPS: tuple[Group, ...] = get_args(Group)


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
