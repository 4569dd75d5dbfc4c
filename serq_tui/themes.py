"""The colours: one table of roles a theme; knows no widget.

The dark and the light theme keep the roles apart for the common kinds of colour blindness
(blue, green, orange, vermilion and purple of unlike lightness); the monochrome one leaves the
telling to letters and glyphs, which always say the same as the colours.
"""

from __future__ import annotations

from textual.theme import Theme

from serq_tui.pieces import ROLES, Role
from serq_tui.themes_clear import CONTRAST_GROUNDS, CONTRAST_ROLES, SAFE_GROUNDS, SAFE_ROLES

DARK_ROLES: dict[Role, str] = {
    "plain": "#c9d1dc",
    "dim": "#737d8c",
    "strong": "#f2f5f9",
    "prefill": "#62b0f4",
    "decode": "#5fd0a5",
    "waiting": "#e8a75a",
    "preempted": "#f4705f",
    "used": "#7894bd",
    "reserved": "#b09c64",
    "cached": "#c58fdc",
    "free": "#3b424e",
    "changed": "#f0d774",
    "added": "#8fdc7f",
    "removed": "#a59aa5",
    "failure": "#ff6b6b",
    "breakpoint": "#ff5d5d",
    "keyword": "#8fb4e8",
    "number": "#d9b38c",
    "string": "#a3c99a",
    "comment": "#6b7584",
    "name": "#c9d1dc",
}

LIGHT_ROLES: dict[Role, str] = {
    "plain": "#2b303a",
    "dim": "#76808f",
    "strong": "#0b0e13",
    "prefill": "#0b64c0",
    "decode": "#0a7a55",
    "waiting": "#a65a00",
    "preempted": "#c22a14",
    "used": "#5d7297",
    "reserved": "#8f7a3a",
    "cached": "#8a3fae",
    "free": "#cfd5de",
    "changed": "#8a6100",
    "added": "#2f7d1e",
    "removed": "#7a6f7a",
    "failure": "#b3001b",
    "breakpoint": "#c8102e",
    "keyword": "#1f4f9c",
    "number": "#8a4b10",
    "string": "#2f6f2a",
    "comment": "#7d8794",
    "name": "#2b303a",
}

#: Three greys: what is aside, what is said, what stands out.
_ASIDE, _SAID, _OUT = "#808080", "#c4c4c4", "#ffffff"
MONO_ROLES: dict[Role, str] = {role: _SAID for role in ROLES} | {
    "dim": _ASIDE,
    "comment": _ASIDE,
    "removed": _ASIDE,
    "free": "#505050",
    "reserved": "#909090",
    "strong": _OUT,
    "changed": _OUT,
    "preempted": _OUT,
    "failure": _OUT,
    "breakpoint": _OUT,
    "keyword": _OUT,
}


def _variables(roles: dict[Role, str], grounds: dict[str, str]) -> dict[str, str]:
    return {f"role-{role}": colour for role, colour in roles.items()} | grounds


def _dark(name: str, roles: dict[Role, str], grounds: dict[str, str], background: str, surface: str, panel: str) -> Theme:
    """A dark theme whose own colours are those of its roles."""
    return Theme(
        name=name,
        primary=grounds["rule-focus"],
        secondary=roles["cached"],
        accent=roles["changed"],
        warning=roles["waiting"],
        error=roles["failure"],
        success=roles["added"],
        foreground=roles["plain"],
        background=background,
        surface=surface,
        panel=panel,
        dark=True,
        variables=_variables(roles, grounds),
    )


THEMES = (
    Theme(
        name="serq-dark",
        primary="#7aa7e0",
        secondary="#c58fdc",
        accent="#f0d774",
        warning="#e8a75a",
        error="#f4705f",
        success="#5fd0a5",
        foreground="#c9d1dc",
        background="#14171c",
        surface="#191d24",
        panel="#20252e",
        dark=True,
        variables=_variables(
            DARK_ROLES,
            {
                "rule": "#333b47",
                "rule-focus": "#7aa7e0",
                "title": "#97a2b3",
                "ground-cursor": "#2b3442",
                "ground-lit": "#38371f",
                "ground-lit-cursor": "#4a4827",
                "ground-lit-before": "#22262e",
                "ground-lit-before-cursor": "#2f3744",
                "ground-fault": "#45202a",
                "ground-fault-cursor": "#5a2733",
            },
        ),
    ),
    Theme(
        name="serq-light",
        primary="#1f5fae",
        secondary="#8a3fae",
        accent="#8a6100",
        warning="#a65a00",
        error="#c22a14",
        success="#0a7a55",
        foreground="#2b303a",
        background="#fbfbf9",
        surface="#f3f4f2",
        panel="#e9ebec",
        dark=False,
        variables=_variables(
            LIGHT_ROLES,
            {
                "rule": "#c4cad3",
                "rule-focus": "#1f5fae",
                "title": "#5d6776",
                "ground-cursor": "#dde6f2",
                "ground-lit": "#fdf1bd",
                "ground-lit-cursor": "#f7e596",
                "ground-lit-before": "#eeeeea",
                "ground-lit-before-cursor": "#dfe3e8",
                "ground-fault": "#fbd9d6",
                "ground-fault-cursor": "#f5bfbb",
            },
        ),
    ),
    Theme(
        name="serq-mono",
        primary="#ffffff",
        secondary="#c4c4c4",
        accent="#ffffff",
        warning="#ffffff",
        error="#ffffff",
        success="#c4c4c4",
        foreground="#c4c4c4",
        background="#101010",
        surface="#181818",
        panel="#202020",
        dark=True,
        variables=_variables(
            MONO_ROLES,
            {
                "rule": "#404040",
                "rule-focus": "#ffffff",
                "title": "#a0a0a0",
                "ground-cursor": "#383838",
                "ground-lit": "#464646",
                "ground-lit-cursor": "#585858",
                "ground-lit-before": "#262626",
                "ground-lit-before-cursor": "#383838",
                "ground-fault": "#505050",
                "ground-fault-cursor": "#626262",
            },
        ),
    ),
    _dark("serq-contrast", CONTRAST_ROLES, CONTRAST_GROUNDS, "#000000", "#0a0a0a", "#1a1a1a"),
    _dark("serq-safe", SAFE_ROLES, SAFE_GROUNDS, "#14171c", "#191d24", "#20252e"),
)

#: What stands in for the roles under a theme that is not ours.
DEFAULTS = dict(THEMES[0].variables)

#: The theme a terminal opens with.
FIRST = "serq-dark"
#: The theme under ``NO_COLOR``.
COLOURLESS = "serq-mono"
