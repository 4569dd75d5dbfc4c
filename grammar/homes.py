"""Where each word of the language may begin something, and today's form of older and other languages' words; reads no text."""

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

SETTING_FORMS = {
    "max_num_batched_tokens": "write `tokens cap {rest};`",
    "max_num_seqs": "it is a capacity: `reqs cap {rest};`, and below the engine `pool reqs on {engine} { }`",
    "long_prefill_token_threshold": "write `each at most ({rest})` in the statements of the `schedule`",
    "enable_chunked_prefill": "prefills are in chunks wherever a prefill finds less budget than it has left: drop it",
    "scheduling_policy": "write `queue by (…)` in the pool of the engine's capacity",
    "block_size": "write `block {rest};` in the `pool` on the device",
    "num_gpu_blocks": "write `kv cap {rest} * 16;` in the `device`, in tokens, and `block 16;` in its pool",
    "gpu_memory_utilization": "write the memory in tokens, `kv cap …;` in the `device`",
}
"""What a serving engine's settings are in a program (E816)."""

SCHEDULE_FORMS = {
    "serve": "write `advance running;`",
    "if": "write `branch (…) { … }`",
    "while": "an iteration ends, so a schedule has no loop: write `branch (…) { … }`",
    "for": "an iteration ends, so a schedule has no loop: `advance running` goes over the requests itself",
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

DECLARATION_FORMS = {
    "import": 'what there is to use is `use "std/args";` and `use "std/kvt";`',
    "from": 'what there is to use is `use "std/args";` and `use "std/kvt";`',
    "include": 'what there is to use is `use "std/args";` and `use "std/kvt";`',
    "const": "a constant is `let NAME = …;`",
    "var": "a constant is `let NAME = …;`",
    "function": "a piece to use again is `def NAME(…) { … }`",
    "func": "a piece to use again is `def NAME(…) { … }`",
    "class": "a program declares devices, engines, pools and stages in `fn main() { … }`",
    "struct": "a program declares devices, engines, pools and stages in `fn main() { … }`",
    "main": "write `fn main() { … }`",
}
"""What a program has for a word that declares in other languages (E208)."""

CALL_FORMS = {
    "print": "a value is recorded with `observe NAME = …;`",
    "log": "a value is recorded with `observe NAME = …;`",
    "sleep": "time passes in a `run`: `stage wait : delay;` above and `run wait (cost(wait, …));` here",
    "wait": "time passes in a `run`: `stage wait : delay;` above and `run wait (cost(wait, …));` here",
    "assert": "what has to hold is declared: `claim NAME : at end (…);`",
}
"""What a statement has for a call of other languages (E415)."""

FUNCTION_FORMS = {
    "len": "the requests of an engine are `running.count` and `waiting.count`",
    "round": "floor(x + 0.5)",
    "int": "floor(x)",
    "mod": "x - floor(x, y)",
    "log": "ln(x)",
    "clamp": "max(lo, min(hi, x))",
    "random": "~uniform(lo, hi)",
    "rand": "~uniform(lo, hi)",
    "time": "now",
    "sum": "sum j in N (…)",
    "if": "test ? then : otherwise",
}
"""What an expression has for a function of other languages (E415)."""

VALUE_FORMS = {"true": "1", "false": "0", "none": "0", "null": "0", "infinity": "inf", "pi": "3.141592653589793"}
"""What an expression has for a name of other languages, in small letters (E504)."""

FIELD_FORMS = {"length": "count", "len": "count", "size": "count", "num": "count", "requests": "count", "decodes": "decoding"}
"""What a list value is called here (E605)."""

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

UNITS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "k": 1e3,
    "K": 1e3,
    "KB": 1e3,
    "M": 1e6,
    "MB": 1e6,
    "G": 1e9,
    "GB": 1e9,
    "T": 1e12,
    "TB": 1e12,
    "KiB": 2.0**10,
    "MiB": 2.0**20,
    "GiB": 2.0**30,
    "TiB": 2.0**40,
}
"""Units people write behind a number, which has none here, and what they multiply it by."""

TIMES = frozenset({"ns", "us", "µs", "ms", "s", "sec", "min", "h"})
"""Those of them that are times, which a program counts in a unit of its own choice, seconds as a rule."""
