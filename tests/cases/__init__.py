"""The recorded cases of the reference implementation: reads them, knows no engine and no grammar.

``tests/pack_cases.py`` writes the files beside this one; ``make cases`` refreshes them. A file
holds one JSON object a line, sorted by name, each beginning with its name, so that listing
names (which collecting tests does, in every worker) need not parse megabytes of samples.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

Group = Literal["corpus_ok", "corpus_bad", "corpus_runtime", "oracle", "bench"]

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """One recorded case.

    Attributes:
        group: the file it comes from.
        name: its name there, such as ``001-first-light``.
        line: its JSON as stored.
    """

    group: Group
    name: str
    line: str

    def __str__(self) -> str:
        return self.name

    @cached_property
    def data(self) -> dict[str, Any]:
        """Everything recorded: shared between tests, so read it and change nothing."""
        value: dict[str, Any] = json.loads(self.line)
        return value

    @property
    def source(self) -> str:
        """The program's text (not for ``oracle``, whose programs are IRs)."""
        text: str = self.data["source"]
        return text

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a text case: horizon, warmup, seed, arrivals, sets, defs, trace; ``by: path`` for a file."""
        settings: dict[str, Any] = self.data["settings"]
        return settings

    def lay_out(self, folder: Path) -> Path:
        """Write the program and the traces it names into an empty folder; the program's path.

        Texts become ``NAME.sq``, IRs ``NAME.ir.json``.
        """
        for name, text in self.data["files"].items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if "source" in self.data:
            program = folder / f"{self.name}.sq"
            program.write_text(self.source, encoding="utf-8")
        else:
            program = folder / f"{self.name}.ir.json"
            program.write_text(json.dumps(self.data["ir"]), encoding="utf-8")
        return program


@cache
def cases(group: Group) -> tuple[Case, ...]:
    """Every case of a group, by name."""
    return tuple(_read(group))


def case(group: Group, number: str) -> Case:
    """The one case whose name is ``number`` or begins with ``number-``.

    Raises:
        LookupError: there is none, or more than one.
    """
    found = [case for case in cases(group) if case.name == number or case.name.startswith(f"{number}-")]
    if len(found) != 1:
        raise LookupError(f"{len(found)} cases of {group} are called {number!r}")
    return found[0]


def _read(group: Group) -> Iterator[Case]:
    with gzip.open(FOLDER / f"{group}.jsonl.gz", "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            _, key, _, name, _ = line.split('"', 4)
            if key != "name":
                raise ValueError(f"a line of {group} does not begin with its name: {line[:60]!r}")
            yield Case(group, name, line)
