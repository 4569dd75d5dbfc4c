"""Packs the recorded reference material into ``tests/cases``: ``python -m tests.pack_cases [SHARED]``.

What it writes depends on what it reads and on nothing else (sorted, no time stamps), so packing
unchanged material changes no file. The reports of the benchmark programs are measured on the
reference itself; where it is not installed, those stored are kept.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.oracle.reference import ROOT, python_of

FOLDER = Path(__file__).parent / "cases"

# Horizons, in seconds of the program's clock, at which the benchmark programs' reports are
# compared: long enough for full queues and preemptions, short enough for every run of the tests.
BENCH_HORIZONS = {"light": 300, "heavy": 60, "heavy2": 30}

MEASURE = """
import json, pyserq, sys
program = pyserq.compile(sys.argv[1], horizon=float(sys.argv[2]))
print(json.dumps({"ir": json.loads(program.to_json()), "report": json.loads(pyserq.run(program).json())}))
"""


def main(arguments: list[str] | None = None) -> int:
    """Pack everything; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.pack_cases", description=__doc__)
    parser.add_argument(
        "shared", nargs="?", type=Path, default=ROOT.parent / "shared", help="folder of the material (default: %(default)s)"
    )
    shared: Path = parser.parse_args(arguments).shared
    if not (shared / "corpus").is_dir() or not (shared / "oracle" / "corpus").is_dir():
        parser.error(f"{shared} has no corpus/ and oracle/corpus/")
    for kind in ("ok", "bad", "runtime"):
        write(f"corpus_{kind}", corpus(shared / "corpus" / kind))
    write("oracle", oracle(shared / "oracle" / "corpus"))
    write("bench", bench(shared / "bench"))
    return 0


def corpus(folder: Path) -> Iterator[dict[str, Any]]:
    """The text cases of one folder: the text, the settings, what the reference made of it, the traces named."""
    for path in sorted(folder.glob("*.sq")):
        source = path.read_text(encoding="utf-8")
        recorded = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        names = set(re.findall(r'"([^"\n]*\.csv)"', source))
        if recorded["settings"].get("trace"):
            names.add(recorded["settings"]["trace"])
        yield {"name": path.stem, "source": source, **recorded, "files": traces(folder, names)}


def oracle(folder: Path) -> Iterator[dict[str, Any]]:
    """The IR cases: the IR, the result expected, the traces named."""
    for path in sorted(folder.glob("*.ir.json")):
        name = path.name.removesuffix(".ir.json")
        ir = json.loads(path.read_text(encoding="utf-8"))
        expected = json.loads((folder / f"{name}.expected.json").read_text(encoding="utf-8"))
        trace = ir.get("trace")
        yield {"name": name, "ir": ir, "expected": expected, "files": traces(folder, {trace} if isinstance(trace, str) else set())}


def bench(folder: Path) -> Iterator[dict[str, Any]]:
    """The benchmark programs: the text, the horizon of the comparison, the reference's IR and report there."""
    stored = {line["name"]: line for line in read("bench")}
    python = python_of("dev92")
    for name, horizon in BENCH_HORIZONS.items():
        path = folder / f"{name}.sq"
        line: dict[str, Any] = {
            "name": name,
            "source": path.read_text(encoding="utf-8"),
            "settings": {"horizon": horizon},
            "files": {},
        }
        if python is not None:
            line |= json.loads(
                subprocess.run([python, "-c", MEASURE, path, str(horizon)], check=True, capture_output=True, text=True).stdout
            )
        elif name in stored and stored[name]["source"] == line["source"] and stored[name]["settings"] == line["settings"]:
            line |= {key: stored[name][key] for key in ("ir", "report")}
        else:
            raise SystemExit(f"the report of {name} has to be measured: run make reference first")
        yield line


def traces(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """The texts of those of the named files that exist (some cases are about one that does not)."""
    return {name: (folder / name).read_text(encoding="utf-8") for name in sorted(names) if (folder / name).is_file()}


def read(group: str) -> list[dict[str, Any]]:
    """What a file holds now; nothing when there is none."""
    path = FOLDER / f"{group}.jsonl.gz"
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()] if path.exists() else []


def write(group: str, lines: Iterable[dict[str, Any]]) -> None:
    """Write a file anew, without a time stamp, and say how large it is."""
    texts = [json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines]
    packed = gzip.compress("".join(f"{text}\n" for text in texts).encode(), compresslevel=9, mtime=0)
    path = FOLDER / f"{group}.jsonl.gz"
    changed = not path.exists() or path.read_bytes() != packed
    path.write_bytes(packed)
    print(f"{path.name}: {len(texts)} cases, {len(packed) / 1e6:.2f} MB{'' if changed else ', unchanged'}")


if __name__ == "__main__":
    sys.exit(main())
