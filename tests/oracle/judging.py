"""One program on our engine and on the reference, and where the two first differ; makes no programs."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from engine.simulation import Simulation
from grammar.ir_json import from_json
from tests.comparing import first_difference
from tests.oracle.reference import Late, Panic, Reference
from tests.running import result_of

PATIENCE = 120.0  # seconds of the processor our engine gets; the slowest program that ends takes about half of it
LARGEST_INTEGER = 2**53  # above it a report's whole floats are written in more digits than they have
Verdict = Literal["equal", "both fail", "differs", "refused", "no reference", "not sayable"]


@dataclass(frozen=True)
class Judgement:
    """What came of one program.

    Attributes:
        verdict: "refused" when the reference does not load it, "no reference" when it gives no
            answer, "not sayable" when its version of the IR has no form for the program.
        where: the first difference, or the reason.
        mine: what our engine gave, where it was run.
    """

    verdict: Verdict
    where: str = ""
    mine: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def kind(self) -> str:
        """The part of the result that differs, so that shrinking does not change the subject."""
        return self.where.split(":")[0].split("[")[0].split(".")[1] if self.where.startswith(".") else self.where[:12]


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Ends what takes longer; a run of ours that never ends is a finding like any other.

    By the processor's clock: on a machine that others use, the wall's says nothing about a run.

    Raises:
        TimeoutError: after so many seconds that this process ran.
    """

    def late(*_: object) -> None:
        raise TimeoutError(f"no end within {seconds:g} s")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def ours(data: dict[str, Any], folder: Path | None = None) -> dict[str, Any]:
    """What our engine makes of an IR, as a recorded case has it."""
    simulation = Simulation(from_json(data), trace_folder=folder)
    simulation.run()
    simulation.close()
    if simulation.failure is not None:
        return {"error": {"kind": "runtime", "message": simulation.failure.message}}
    return result_of(simulation)


def judge(data: dict[str, Any], reference: Reference, folder: Path | None = None) -> Judgement:
    """Runs one IR on both sides and compares the whole results exactly."""
    try:
        theirs = reference.run(data, folder)
    except (Late, Panic) as silence:
        return Judgement("no reference", str(silence))
    error = theirs.get("error", {})
    if error.get("kind") == "validation":
        return Judgement("refused", error["message"])
    if error.get("kind") == "panic":
        return Judgement("no reference", error["message"])
    try:
        with within(PATIENCE):
            mine = ours(data, folder)
    except Exception as crash:  # any error of our engine is a finding, whatever its class
        place = traceback.extract_tb(crash.__traceback__)[-1]
        return Judgement("differs", f"crash {type(crash).__name__} {Path(place.filename).name}:{place.lineno}: {crash}")
    if error or "error" in mine:
        if error and "error" in mine:
            return Judgement("both fail", error["message"])
        return Judgement(
            "differs", f"failure: {error.get('message', 'none')} recorded, {mine.get('error', {}).get('message', 'none')} ours"
        )
    found = first_difference(_as_floats(theirs), _as_floats(mine))
    return Judgement("equal", mine=mine) if found is None else Judgement("differs", found)


def _as_floats(value: Any) -> Any:
    """The same with huge integers as the floats they were written from (R9.1: values compare, not digits)."""
    if isinstance(value, dict):
        return {key: _as_floats(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_floats(inner) for inner in value]
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        return float(value)
    return value
