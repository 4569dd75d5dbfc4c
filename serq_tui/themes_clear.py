"""Two tables of colours for eyes that need more: the strongest contrasts, and hues that are told apart without red or green."""

from __future__ import annotations

from serq_tui.pieces import Role

CONTRAST_ROLES: dict[Role, str] = {
    "plain": "#ffffff",
    "dim": "#c8c8c8",
    "strong": "#ffffff",
    "prefill": "#6fd3ff",
    "decode": "#5cff9d",
    "waiting": "#ffc24d",
    "preempted": "#ff8f7a",
    "used": "#9fc2ff",
    "reserved": "#e8d37a",
    "cached": "#f0a8ff",
    "free": "#8a8a8a",
    "changed": "#ffff66",
    "added": "#8dff6a",
    "removed": "#c8c8c8",
    "failure": "#ff8f7a",
    "breakpoint": "#ff8f7a",
    "keyword": "#8fd0ff",
    "number": "#ffd9a0",
    "string": "#b6f7a8",
    "comment": "#b8b8b8",
    "name": "#ffffff",
}

CONTRAST_GROUNDS = {
    "rule": "#b0b0b0",
    "rule-focus": "#ffff66",
    "title": "#ffffff",
    "ground-cursor": "#003a8c",
    "ground-lit": "#3a3500",
    "ground-lit-cursor": "#003a8c",
    "ground-lit-before": "#303030",
    "ground-lit-before-cursor": "#003a8c",
    "ground-fault": "#5a0000",
    "ground-fault-cursor": "#003a8c",
}

#: Hues of the palette of Okabe and Ito, lightened for a dark ground where they would be too dark on it.
SAFE_ROLES: dict[Role, str] = {
    "plain": "#d0d4da",
    "dim": "#8a919c",
    "strong": "#ffffff",
    "prefill": "#56b4e9",
    "decode": "#15c79a",
    "waiting": "#e69f00",
    "preempted": "#ff7a33",
    "used": "#4a90c8",
    "reserved": "#b8b04a",
    "cached": "#d98cb8",
    "free": "#3b424e",
    "changed": "#f0e442",
    "added": "#15c79a",
    "removed": "#8a919c",
    "failure": "#ff7a33",
    "breakpoint": "#ff7a33",
    "keyword": "#56b4e9",
    "number": "#e6c27a",
    "string": "#8fd8c0",
    "comment": "#767e8a",
    "name": "#d0d4da",
}

SAFE_GROUNDS = {
    "rule": "#39414d",
    "rule-focus": "#56b4e9",
    "title": "#a2abb8",
    "ground-cursor": "#2b3647",
    "ground-lit": "#3a371a",
    "ground-lit-cursor": "#4c4822",
    "ground-lit-before": "#23272f",
    "ground-lit-before-cursor": "#2f3744",
    "ground-fault": "#4a2a12",
    "ground-fault-cursor": "#5e3618",
}
