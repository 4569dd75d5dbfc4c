"""Where each word of the language may begin something, and today's forms of the older ones; reads no text."""

from __future__ import annotations

_PLACES = {
    "among the declarations of `fn main()`": "pool stage device engine queue workload server share gauge claim",
    "above `fn main()` or among its declarations": "use let def",
    "in a `pool`": "cap block evict preempt spill",
    "in an `engine`": "tokens granule state execute schedule request",
    "in the `schedule` of an engine": "advance admit exclusive",
    "in the `workload`": "arrive trace init turn session hidden",
    "in a `queue`": "serve nic",
    "among statements, as in `server { … }`": (
        "set observe end join mark hold grow drop release load run branch while loop fork choose tool transfer Size Cost"
    ),
    "in the `request` of an engine": "prefill decode",
}

HOMES = {word: place for place, words in _PLACES.items() for word in words.split()}
"""The place where a word may begin something; one of them, for a word of several."""

ENGINE_FORMS = {
    "budget": "write `tokens cap {rest};`",
    "chunk": "write `each at most ({rest})` in the statements of the `schedule`",
    "cost": "write `execute ({rest});`",
    "memory": "drop it: the engine's KV is the pool on its device",
    "serve": "write it in `schedule { advance running; admit waiting while (running.preempted == 0); }`",
    "iteration": "write it in `schedule { … }`",
}
"""What an engine writes today for an option of the older step stage (E812)."""

SCHEDULE_FORMS = {
    "serve": "write `advance running;`",
    "if": "write `branch (…) { … }`",
    "while": "an iteration ends, so a schedule has no loop: write `branch (…) { … }`",
    "loop": "an iteration ends, so a schedule has no loop",
}
"""What a schedule has for a word of other places or languages (E916)."""

STATEMENT_FORMS = {
    "if": "write `branch (…) { … } else { … }`",
    "let": "a statement keeps a value with `set NAME = …;`",
    "for": "write `while (…) { … }`",
    "else": "`else` follows the block of a `branch`",
    "return": "a block runs to its end; `end;` ends the session",
}
"""What a statement has for a word of other places or languages."""

RETIRED_FORMS = {
    "enter": "hold",
    "fit": "",
    "fits": "reserve",
    "keep": "cache",
    "where": "at admission",
    "request": "turn",
}
"""Today's word for one of an older form of the language (E416)."""

OPERATOR_FORMS = {"and": "&&", "or": "||", "not": "!", "is": "=="}
"""Operators some languages spell as words."""
