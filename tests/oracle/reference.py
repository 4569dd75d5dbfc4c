"""The reference implementation as a subprocess that lives long and is asked one IR at a time; imports none of it.

The reference is only ever asked what it makes of a program; nothing of ours depends on it.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

ROOT = Path(__file__).parent.parent.parent
WORKER = Path(__file__).with_name("reference_worker.py")
Version = Literal["016", "dev92"]

# Which variable names a Python that has the release, and where tests.oracle.environment makes one.
VARIABLES: dict[Version, str] = {"016": "SERQ_REFERENCE_016", "dev92": "SERQ_REFERENCE_DEV92"}
# Long enough for the slowest program of the generators by an order of magnitude; a program that
# does not settle by then is reported as such and not compared.
PATIENCE = 60.0


class Late(Exception):
    """The reference did not answer in time; it has been ended and the next question starts another."""


class Panic(Exception):
    """The reference broke down instead of judging the program."""


def python_of(version: Version) -> Path | None:
    """The Python that has a release of the reference, or None where there is none."""
    named = os.environ.get(VARIABLES[version])
    path = Path(named) if named else ROOT / ".reference" / version / "bin" / "python"
    return path if path.exists() else None


class Reference:
    """One running reference; use it in a ``with``."""

    def __init__(self, version: Version = "016", patience: float = PATIENCE) -> None:
        """Finds the Python of a release.

        Raises:
            FileNotFoundError: where there is none; ``python -m tests.oracle.environment`` makes one.
        """
        python = python_of(version)
        if python is None:
            raise FileNotFoundError(
                f"no Python with release {version}: run python -m tests.oracle.environment, or set {VARIABLES[version]}"
            )
        self.version = version
        self._python = python
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the subprocess."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
        self._process, self._buffer = None, b""

    def refusal(self, data: dict[str, Any]) -> str | None:
        """Why the reference does not load an IR, in its words; None when it does."""
        return self.refusal_of_text(json.dumps(data))

    def refusal_of_text(self, text: str) -> str | None:
        """The same for JSON that is already text."""
        answer = self._ask({"do": "load", "ir": text})
        if "error" not in answer:
            return None
        if answer["error"]["kind"] == "panic":
            raise Panic(answer["error"]["message"])
        return str(answer["error"]["message"])

    def compile(self, text: str, horizon: float) -> dict[str, Any]:
        """What the reference's front end makes of a text, ``{"ir": IR}`` or ``{"error": {"kind", "message"}}``; dev92 only.

        Raises:
            Late: it takes longer than the patience given.
        """
        return self._ask({"do": "compile", "text": text, "horizon": horizon})

    def run(self, data: dict[str, Any], folder: Path | None = None) -> dict[str, Any]:
        """The whole result of an IR, or ``{"error": {"kind", "message"}}``; relative traces are read in the folder.

        Raises:
            Late: the run takes longer than the patience given.
        """
        return self._ask({"do": "run", "ir": json.dumps(data), "folder": None if folder is None else str(folder)})

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [self._python, WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=WORKER.parent
            )
        process = self._process
        assert process.stdin is not None
        _write(process.stdin.fileno(), json.dumps(request).encode() + b"\n")
        answer: dict[str, Any] = json.loads(self._line(process))
        return answer

    def _line(self, process: subprocess.Popen[bytes]) -> bytes:
        assert process.stdout is not None
        deadline = time.monotonic() + self._patience
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            piece = os.read(process.stdout.fileno(), 1 << 20) if ready else b""
            if not piece:
                self.close()
                raise Late("the reference did not answer in time" if not ready else "the reference ended without an answer")
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line


def _write(file: int, data: bytes) -> None:
    """All of the data; a pipe may take less than it is given."""
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
