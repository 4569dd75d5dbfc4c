"""This project as users have it who compile it: makes an environment, and tests the engine in it (``python -m tests.compiled``).

It lies in ``.reference`` of the checkout beside the reference's. The wheel is built from a
copy, as mypyc leaves what it built beside the sources, where it would stand in for them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

from tests.oracle.reference import ROOT

FOLDER = ROOT / ".reference" / "compiled"
PACKAGES = ("grammar", "engine", "serq_tui")
FILES = ("pyproject.toml", "README.md", "LICENSE", "hatch_build.py")


LEFT_OUT = ("test_rng.py", "test_short_cuts.py", "test_disturbances.py", "test_replacement.py")
"""Tests that put something of their own in place of a piece of the engine, which compiled code does not look at."""


def python_with_compiled_engine() -> Path | None:
    """The Python of an environment with the present engine compiled, made anew where it is not; None where nothing compiles."""
    if shutil.which("cc") is None or not (Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        return None
    python = FOLDER / "bin" / "python"
    stamp = FOLDER / "sources"
    sources = _digest()
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != sources:
        _make(python)
        stamp.write_text(sources, encoding="utf-8")
    return python


def _digest() -> str:
    """What stands in the sources: another engine needs another build."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "pyproject.toml", *(p for name in PACKAGES for p in (ROOT / name).rglob("*.py")))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _make(python: Path) -> None:
    venv.create(FOLDER, clear=True, with_pip=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in PACKAGES:
            shutil.copytree(ROOT / name, Path(folder) / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        for name in FILES:
            shutil.copy(ROOT / name, folder)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{folder}[dev]"],
            check=True,
            env={**os.environ, "HATCH_BUILD_HOOKS_ENABLE": "true"},
        )


def check(python: Path) -> int:
    """Runs the engine's tests beside the installed engine, away from the checkout's; pytest's exit status."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "tests", Path(folder) / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        # Read as files, by tests of what is done with them; no package, so the installed one is what is imported.
        shutil.copytree(ROOT / "serq_tui" / "examples", Path(folder) / "serq_tui" / "examples")
        shutil.copy(ROOT / "pyproject.toml", folder)
        left_out = [f"--ignore=tests/engine/{name}" for name in LEFT_OUT]
        command = [python, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", *left_out, "tests/engine"]
        return subprocess.run(command, cwd=folder, check=False).returncode


def main() -> int:
    """Makes the environment and tests the engine in it; the exit status."""
    python = python_with_compiled_engine()
    if python is None:
        print(
            "nothing compiles here, for want of a C compiler or of Python's headers: the compiled engine is left out",
            file=sys.stderr,
        )
        return 0
    return check(python)


if __name__ == "__main__":
    sys.exit(main())
