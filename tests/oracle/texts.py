"""Programs with pieces astray, read by our front end and by the reference's: ``python -m tests.oracle.texts --count N --seed S``.

Both have to take a text or both to refuse it, and the IRs of what both take have to be equal. One difference is on
purpose and counted apart: ``NO_PREEMPTION``.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grammar.diagnostics import Diagnostic, ProgramError, render
from grammar.ir_json import to_json
from grammar.link import Settings, link
from grammar.source import Source
from tests.cases import cases
from tests.comparing import first_difference
from tests.grammar.astray import changed
from tests.oracle.reference import Late, Reference

HORIZON = 100.0
PATIENCE = 10.0
A_SEED = 25
"""Texts drawn with one seed, so that a seed found is quickly drawn again."""


NO_PREEMPTION = {"Binary": ["Eq", {"Ctx": "Preempted"}, {"Num": 0.0}]}
"""The gate of ``admit waiting`` written out, where the form with one ``only`` has ``Not`` of the count (L5.15).

The reference does not find the ``only`` of two statements alike where a definition drops an argument that is not a
number (``def f(k) { decoding }``, ``only (f(serial))`` twice). The rule compares what is left when definitions are put
in place, and by L3.24 such an argument is not; so ours finds them alike. Both gates are 1 when nothing was preempted.
"""

AGREED = frozenset({"equal", "equal but for a gate", "both refuse"})


@dataclass(frozen=True)
class Verdict:
    """What came of one text.

    Attributes:
        kind: one of ``AGREED``, ``only ours refuses``, ``only the reference refuses``, ``IR differs`` or ``late``.
        where: the words of whoever refuses, or the first difference.
    """

    kind: str
    where: str = ""


@dataclass
class Tally:
    """What came of many texts."""

    kinds: Counter[str] = field(default_factory=Counter)
    found: list[tuple[str, Verdict]] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{sum(self.kinds.values())} texts: " + ", ".join(f"{n} {kind}" for kind, n in self.kinds.most_common())


def texts(seed: int) -> list[str]:
    """The texts of a seed: recorded programs after one to three changes."""
    dice = random.Random(seed)
    drawn = []
    for _ in range(A_SEED):
        text = dice.choice(cases("corpus_ok")).source
        for _ in range(dice.choice((1, 1, 1, 2, 3))):
            try:
                text = changed(dice, text)
            except ProgramError:
                break  # a change before left what no longer parses
        drawn.append(text)
    return drawn


def judge(text: str, reference: Reference) -> Verdict:
    """Reads one text with both front ends."""
    told: tuple[Diagnostic, ...] = ()
    mine: dict[str, Any] = {}
    source = Source("text", text)
    try:
        mine = to_json(link(source, Settings(HORIZON)).program, 13)
    except ProgramError as error:
        told = error.diagnostics
    try:
        answer = reference.compile(text, HORIZON)
    except Late as late:
        return Verdict("late", str(late))
    if "error" in answer:
        if told:
            return Verdict("both refuse")
        return Verdict("only the reference refuses", f"{answer['error']['kind']}: {answer['error']['message']}")
    if told:
        return Verdict("only ours refuses", "\n".join(render(d, source) for d in told))
    difference = first_difference(answer["ir"], mine)
    if difference is None:
        return Verdict("equal")
    alike = first_difference(_with_one_gate(answer["ir"]), mine) is None
    return Verdict("equal but for a gate" if alike else "IR differs", difference)


def _with_one_gate(value: Any) -> Any:
    """An IR with the gate of no preemption in the form with one ``only`` wherever it stands."""
    if isinstance(value, dict):
        made = {name: _with_one_gate(inner) for name, inner in value.items()}
        return {**made, "gate": {"Unary": ["Not", {"Ctx": "Preempted"}]}} if made.get("gate") == NO_PREEMPTION else made
    return [_with_one_gate(inner) for inner in value] if isinstance(value, list) else value


def compare(seeds: range, reference: Reference) -> Tally:
    """Reads the texts of many seeds."""
    tally = Tally()
    for seed in seeds:
        for number, text in enumerate(texts(seed)):
            verdict = judge(text, reference)
            tally.kinds[verdict.kind] += 1
            if verdict.kind not in AGREED:
                tally.found.append((f"{seed}-{number}", verdict))
    return tally


def main(arguments: list[str] | None = None) -> int:
    """Reads as many texts as asked for; 0 when both judge each alike."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.texts", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many texts, rounded up to seeds (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=Path("fuzzed"), help="where texts go (default: %(default)s)")
    options = parser.parse_args(arguments)
    seeds = range(options.seed, options.seed + -(-options.count // A_SEED))
    with Reference("dev92", PATIENCE) as reference:
        tally = compare(seeds, reference)
    print(tally)
    for name, verdict in tally.found:
        seed, _, number = name.partition("-")
        options.folder.mkdir(parents=True, exist_ok=True)
        path = options.folder / f"text-{name}.sq"
        path.write_text(texts(int(seed))[int(number)], encoding="utf-8")
        print(f"{path}: {verdict.kind}\n{verdict.where}\n")
    return 1 if tally.found else 0


if __name__ == "__main__":
    sys.exit(main())
