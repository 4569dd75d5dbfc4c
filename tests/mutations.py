"""Plausible wrong lines of the engine, and the tests that catch each: ``python -m tests.mutations``.

Each is applied, alone, to a copy of the packages in a temporary folder; the checkout is never
touched. A line is found by a short piece of it that must stand in its file exactly once: when
the engine's text moves on, the script says that an anchor is gone, which is no result.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tests.mutation_list import MUTATIONS, Mutation

ROOT = Path(__file__).parent.parent
COPIED = ("engine", "grammar", "serq_tui", "tests", "pyproject.toml")
WORKERS = 2
PATIENCE = 600.0
"""Seconds after which a run that a mutation made endless counts as caught: far more than the tests named take."""
PASSED, FAILED = 0, 1


@dataclass(frozen=True)
class Outcome:
    """What became of a mutation."""

    mutation: Mutation
    word: str
    note: str = ""

    @property
    def good(self) -> bool:
        return self.word == "caught"


class NoAnchor(Exception):
    """The piece of a line a mutation stands for is not there, or not only once."""


@contextmanager
def applied(folder: Path, mutation: Mutation) -> Iterator[None]:
    """A copy with the wrong line in it, and without it again afterwards.

    Raises:
        NoAnchor: the line is not found.
    """
    path = folder / "engine" / mutation.file
    if not path.exists():
        raise NoAnchor(f"engine/{mutation.file} is gone")
    text = path.read_text(encoding="utf-8")
    found = text.count(mutation.original)
    if found != 1:
        raise NoAnchor(f"the anchor stands {found} times in engine/{mutation.file}")
    path.write_text(text.replace(mutation.original, mutation.mutated), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")


def run_tests(folder: Path, tests: Sequence[str]) -> tuple[int, str]:
    """The exit status of pytest on some tests in a folder, and the end of what it said."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return FAILED, "it took too long"
    return done.returncode, done.stdout[-2000:]


def judge(folder: Path, mutation: Mutation) -> Outcome:
    """Whether the tests of a mutation catch it."""
    try:
        with applied(folder, mutation):
            status, said = run_tests(folder, [f"tests/engine/{test}" for test in mutation.tests])
    except NoAnchor as missing:
        return Outcome(mutation, "no anchor", str(missing))
    if status == FAILED:
        return Outcome(mutation, "caught")
    if status == PASSED:
        return Outcome(mutation, "SURVIVED")
    return Outcome(mutation, "no result", next((line for line in said.splitlines() if line.startswith("E ")), said))


@contextmanager
def copies(count: int) -> Iterator[SimpleQueue[Path]]:
    """Some copies of what the tests of the engine need, to be taken and put back."""
    with tempfile.TemporaryDirectory(prefix="mutations-") as name:
        folders: SimpleQueue[Path] = SimpleQueue()
        for i in range(count):
            folder = Path(name) / str(i)
            folder.mkdir()
            for part in COPIED:
                source = ROOT / part
                if source.is_dir():
                    shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copyfile(source, folder / part)
            folders.put(folder)
        yield folders


def check_copy(folder: Path, mutations: Sequence[Mutation]) -> str | None:
    """What keeps a copy from telling anything: another engine than its own, or tests that fail unmutated."""
    where = [sys.executable, "-c", "import engine; print(engine.__file__)"]
    found = subprocess.run(where, cwd=folder, capture_output=True, text=True, check=True).stdout
    if not Path(found.strip()).resolve().is_relative_to(folder.resolve()):
        return f"the copy imports {found.strip()}"
    tests = sorted({f"tests/engine/{test}" for mutation in mutations for test in mutation.tests})
    status, said = run_tests(folder, tests)
    return None if status == PASSED else f"the tests fail without any mutation:\n{said}"


def main(arguments: list[str] | None = None) -> int:
    """Tries the mutations; the exit status is 0 when all are caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument("words", nargs="*", help="only those whose file, rule or text has one of these words")
    options = parser.parse_args(arguments)
    chosen = [m for m in MUTATIONS if not options.words or any(word in str(m) for word in options.words)]
    said = threading.Lock()

    with copies(WORKERS) as folders:
        folder = folders.get()
        trouble = check_copy(folder, chosen)
        folders.put(folder)
        if trouble is not None:
            print(trouble)
            return 2

        def attempt(mutation: Mutation) -> Outcome:
            folder = folders.get()
            try:
                outcome = judge(folder, mutation)
            finally:
                folders.put(folder)
            with said:
                print(f"{outcome.word:9}  {mutation}" + (f"\n           {outcome.note}" if outcome.note else ""), flush=True)
            return outcome

        with ThreadPoolExecutor(WORKERS) as pool:
            outcomes = list(pool.map(attempt, chosen))
    words = [outcome.word for outcome in outcomes]
    print(", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(("caught", *words))) + f" of {len(words)}")
    return 0 if all(outcome.good for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
