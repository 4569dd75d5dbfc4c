"""Random programs on our engine and on the reference: ``python -m tests.oracle.fuzz --count N --seed S``.

Every program is run three times: on the reference, on our engine at full speed, and on our
engine step by step with a listener. All three results have to be equal to the last bit. The
first difference of each kind is shrunk to a small IR and written to a folder.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grammar.ir_json import CannotSay, to_json
from tests.comparing import first_difference
from tests.oracle import judging
from tests.oracle.counting import WANTED, counted
from tests.oracle.generated import Generated
from tests.oracle.generator import FAMILIES, generate
from tests.oracle.judging import Judgement, judge, within
from tests.oracle.reference import Reference, Version
from tests.oracle.shrink import shrink

VERSIONS: dict[Version, int] = {"016": 14, "dev92": 13}  # the IR each release of the reference reads
PATIENCE = 10.0  # seconds the reference gets; the slowest program that ends takes a tenth of it
REPORT_EVERY = 30.0  # seconds between two lines of progress


@dataclass
class Tally:
    """What came of many programs."""

    verdicts: Counter[str] = field(default_factory=Counter)
    families: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    differences: list[tuple[int, str, Judgement]] = field(default_factory=list)

    def __str__(self) -> str:
        verdicts = ", ".join(f"{n} {verdict}" for verdict, n in self.verdicts.most_common())
        counts = ", ".join(f"{name} {self.counts[name]}" for name in (*WANTED, "iterations", "events"))
        return f"{sum(self.verdicts.values())} programs: {verdicts}\n  met: {counts}"


def lay_out(generated: Generated, folder: Path) -> None:
    """Writes the traces a program names."""
    for name, text in generated.files.items():
        (folder / name).write_text(text, encoding="utf-8")


def try_one(generated: Generated, reference: Reference, folder: Path, tally: Tally) -> Judgement:
    """Runs one program on all three and notes what came of it."""
    lay_out(generated, folder)
    try:
        data = to_json(generated.program, VERSIONS[reference.version])
    except CannotSay as lacking:
        tally.verdicts["not sayable"] += 1
        return Judgement("not sayable", str(lacking))
    judgement = judge(data, reference, folder)
    if judgement.verdict in ("equal", "both fail"):
        judgement = _stepped(generated, folder, tally, judgement)
    tally.verdicts[judgement.verdict] += 1
    tally.families[generated.family] += 1
    return judgement


def _stepped(generated: Generated, folder: Path, tally: Tally, judgement: Judgement) -> Judgement:
    """The judgement of a program that both ran alike, after it was run step by step as well."""
    try:
        with within(judging.PATIENCE):
            stepped, counts = counted(generated.program, folder)
    except TimeoutError as late:
        return Judgement("differs", f"stepped: {late}")
    tally.counts += counts
    if judgement.verdict == "equal":
        found = first_difference(judgement.mine, stepped)
        return judgement if found is None else Judgement("differs", f".stepped{found}")
    return judgement if "error" in stepped else Judgement("differs", "stepped: no failure")


def fuzz(seeds: Iterator[int], reference: Reference, family: str | None = None, *, say: bool = False) -> Tally:
    """Tries the programs of many seeds."""
    tally, last = Tally(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            generated = generate(seed, family)
            judgement = try_one(generated, reference, Path(folder), tally)
            if judgement.verdict in ("differs", "refused"):
                tally.differences.append((seed, generated.family, judgement))
            if say and judgement.verdict not in ("equal", "both fail", "not sayable"):
                print(f"seed {seed} ({generated.family}): {judgement.verdict}: {judgement.where}", flush=True)
            if say and time.monotonic() - last > REPORT_EVERY:
                last = time.monotonic()
                print(tally, flush=True)
    return tally


def smaller(seed: int, family: str | None, reference: Reference, most: int) -> dict[str, object]:
    """The program of a seed, shrunk as long as it differs in the same part of the result."""
    generated = generate(seed, family)
    with tempfile.TemporaryDirectory() as folder:
        lay_out(generated, Path(folder))
        data = to_json(generated.program, VERSIONS[reference.version])
        first = judge(data, reference, Path(folder))

        def still(candidate: dict[str, object]) -> bool:
            found = judge(candidate, reference, Path(folder))
            return found.verdict == "differs" and found.kind == first.kind

        small: dict[str, object] = shrink(data, still, most)
        return small


def main(arguments: list[str] | None = None) -> int:
    """Runs the programs asked for; 0 when none differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many programs (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: %(default)s)")
    parser.add_argument("--release", choices=list(VERSIONS), default="016", help="which release to ask (default: %(default)s)")
    parser.add_argument("--family", choices=list(FAMILIES), help="programs of one family only")
    parser.add_argument("--shrink", type=int, default=1500, help="most runs to shrink a difference with; 0 for none")
    parser.add_argument("--folder", type=Path, default=Path("fuzzed"), help="where small IRs go (default: %(default)s)")
    options = parser.parse_args(arguments)
    with Reference(options.release, PATIENCE) as reference:
        tally = fuzz(iter(range(options.seed, options.seed + options.count)), reference, options.family, say=True)
        print(tally)
        kinds: set[str] = set()
        for seed, family, judgement in tally.differences:
            if judgement.verdict != "differs" or judgement.kind in kinds or not options.shrink:
                continue
            kinds.add(judgement.kind)
            options.folder.mkdir(parents=True, exist_ok=True)
            path = options.folder / f"{family}-{seed}.ir.json"
            small = smaller(seed, family, reference, options.shrink)
            path.write_text(json.dumps(small, indent=1) + "\n", encoding="utf-8")
            print(f"{path}: {judge(small, reference).where}")
    return 1 if tally.differences else 0


if __name__ == "__main__":
    sys.exit(main())
