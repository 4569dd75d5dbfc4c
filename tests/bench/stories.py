"""Holds the story of every request of the benchmark programs against its run: ``python -m tests.bench.stories [LOAD …]``.

The stretches of a story have to share their end points and to span exactly what the run itself
decided: from a turn's opening to its first token, and to its response. One pass over a run tells
all its stories, each as its request ends, so whole horizons take minutes and little memory. What
the stretches add up to is held against the means of the report, which knows of no story.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

from grammar import ir
from grammar.ir_json import from_json
from serq_tui.cli import collect_rarely
from tests.bench.measure import HORIZONS
from tests.cases import cases
from tests.engine.stories import check


def benchmarks(scale: float) -> Iterator[tuple[str, ir.Program]]:
    """The recorded benchmark programs at their horizons times a factor, measured from the start."""
    for case in cases("bench"):
        horizon = HORIZONS[case.name] * scale
        yield case.name, replace(from_json(case.data["ir"]), horizon=horizon, warmup=0.0, arrivals=None)


def main(arguments: list[str] | None = None) -> int:
    """Checks and says how much; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.stories", description=__doc__)
    parser.add_argument("loads", nargs="*", help="which loads (default: all)")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="a factor on the horizons, for a quick look (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    collect_rarely()
    for name, program in benchmarks(options.scale):
        if options.loads and name not in options.loads:
            continue
        start = time.process_time()
        told, run = check(program)
        iterations = sum(stage.iterations for stage in run.state.stages)
        blames = ", ".join(f"{count:,} {blame}" for blame, count in told.blames.most_common())
        print(
            f"{name}, {program.horizon:g} s, {iterations:,} iterations: the stretches of all {told.requests:,} requests share "
            f"their end points and span {told.turns:,} turns, {len(told.begun):,} up to their first token and "
            f"{len(told.answered):,} to their response: {told.stretches:,} stretches, {told.blamed:,} of them blamed ({blames}); "
            f"{time.process_time() - start:.0f} s of CPU",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
