"""Makes ``docs/keys.md`` from the table of actions."""

from __future__ import annotations

from itertools import groupby

from serq_tui.action import Scope
from serq_tui.exports.choices import CHOICES
from serq_tui.keymap import ACTIONS, GROUPS
from serq_tui.screens.help import SIGNS

HEAD = """\
# Keys

The debugger's own help (`?`) has the same table. The footer names the keys that work at the moment, `escape` backs out of
anything and never quits, and all of it can be done with the mouse as well.

A key can be given to another action by its id, in `config.toml` in the folder the system has for such files
(`~/.config/serq-tui` on Linux); what is wrong in it is said at the start:

```toml
theme = "serq-light"
[keys]
step = "f10"
back = ["f9", "b"]
```

This page is made by `make docs` from the table the bindings are made of.
"""

WHERE: dict[Scope, str] = {
    "debugger": "anywhere in the debugger",
    "pane": "in a pane",
    "source": "in the source",
    "marked": "in the source, on a request, on a pool",
    "requests": "on a request",
    "stops": "in the list of breakpoints and watches",
    "answer": "in an answer",
    "time": "in the time pane",
    "registers": "on a register",
}


def keys_page() -> str:
    """``docs/keys.md``."""
    parts = [HEAD]
    for group in GROUPS:
        rows = []
        here = [action for action in ACTIONS if action.group == group]
        for (sentence, scope), many in groupby(here, key=lambda action: (action.help, action.scope)):
            same = list(many)
            shown = " ".join(f"`{key}`" for action in same for key in action.shown.split())
            ids = ", ".join(f"`{action.id}`" for action in same)
            rows.append(f"| {shown} | {_cell(sentence)} | {WHERE.get(scope, scope)} | {ids} |")
        parts.append(f"## {group}\n\n| key | does | where | id |\n| --- | --- | --- | --- |\n" + "\n".join(rows) + "\n")
    choices = "\n".join(f"| `e` `{choice.key}` | {choice.words} | {choice.form} |" for choice in CHOICES)
    parts.append(f"## What `e` offers\n\n| keys | writes | as |\n| --- | --- | --- |\n{choices}\n\nSee [exports](exports.md).\n")
    signs = "\n".join(f"| `{sign}` | {_cell(meaning)} |" for sign, meaning in SIGNS)
    parts.append(f"## Signs\n\n| sign | means |\n| --- | --- |\n{signs}\n")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
