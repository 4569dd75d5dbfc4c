"""Lists the accepted programs that use the core of the language only: ``python -m tests.first_light``.

The list goes by what a text contains and not by what passes: a program is left out for a word
or form of the language's outer parts (families, queues with roles, transfers and leases, shared
stages, spills, legs, claims, traces, aggregates), wherever it stands outside comments.
"""

from __future__ import annotations

import re

from tests.cases import FOLDER, cases

LIST = FOLDER / "first_light.txt"

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)

OUTER: dict[str, str] = {
    "a capacity of N lanes": r"\b\w+\s*\[[^\]]*\]\s*cap\b",
    "a family of devices, engines, pools or stages": r"\b(?:device|engine|pool|stage)\s+\w+\s*\[",
    "exclusive prefill": r"\bexclusive\b",
    "a spill": r"\bspill\b",
    "a stage that shares its capacity": r"\bps\s*\(",
    "a run over several stages": r"\brun\s+[^;{]*\)\s*,",
    "a share policy": r"\bshare\b",
    "a queue with roles": r"\bqueue\s+\w+(?:\s*\[[^\]]*\])?\s*:",
    "the copies of std/kvt": r"\bkvt\b",
    "a statement on a hold or a prefix": r"\b(?:grow|drop|release|load|lease|transfer)\b",
    "a leg": r"\b(?:fork|join)\b",
    "a choice": r"\bchoose\b",
    "a claim": r"\bclaim\b",
    "a trace": r"\btrace\b",
    "an aggregate": r"\b(?:max|min|sum)\s+\w+\s+in\b",
    "a typed declaration": r"\b(?:Size|Cost|Value)\b",
}


def outer_parts(source: str) -> list[str]:
    """The outer parts of the language that a text uses, by name."""
    text = COMMENT.sub(" ", source)
    return [name for name, form in OUTER.items() if re.search(form, text)]


def first_light() -> list[str]:
    """The names of the programs of the core."""
    return [case.name for case in cases("corpus_ok") if "trace" not in case.settings and not outer_parts(case.source)]


if __name__ == "__main__":
    names = first_light()
    LIST.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    print(f"{LIST.name}: {len(names)} of {len(cases('corpus_ok'))} programs")
