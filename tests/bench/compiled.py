"""Makes an environment with this project built as for users who compile it: the engine by mypyc.

It lies in ``.reference`` of the checkout beside the reference's. The wheel is built from a
copy, as mypyc leaves what it built beside the sources, where it would stand in for them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import venv
from pathlib import Path

from tests.oracle.reference import ROOT

FOLDER = ROOT / ".reference" / "compiled"
PACKAGES = ("grammar", "engine", "serq_tui")
FILES = ("pyproject.toml", "README.md", "LICENSE")


def python_with_compiled_engine() -> Path | None:
    """The Python of an environment with the present engine compiled, made anew where it is not; None without a C compiler."""
    if shutil.which("cc") is None:
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
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", folder],
            check=True,
            env={**os.environ, "HATCH_BUILD_HOOKS_ENABLE": "true"},
        )


def main() -> None:
    """Makes the environment and says where its Python is."""
    print(python_with_compiled_engine() or "there is no C compiler")


if __name__ == "__main__":
    main()
