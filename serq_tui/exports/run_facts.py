"""What holds for a whole run that was taken along: where it ended and by which settings; reads no file."""

from __future__ import annotations

from typing import Any

from engine.simulation import Simulation
from grammar.declaring import dataclass
from serq_tui import __version__
from serq_tui.report_json import samples_json


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The settings and the end of a run.

    Attributes:
        program: the file's name.
        end: where the report of the run ends, in seconds.
        failure: why the run stopped by itself, None where it did not.
    """

    program: str
    seed: int
    horizon: float
    warmup: float
    end: float
    failure: str | None

    @classmethod
    def of(cls, program: str, run: Simulation) -> RunFacts:
        """Those of a run that has been made."""
        state = run.state
        failure = run.failure.message if run.failure is not None else None
        end = run.clock if failure is not None else float(run.report()["end"])
        return cls(program, state.seed, state.horizon, state.warmup, end, failure)

    def as_json(self) -> dict[str, Any]:
        """As JSON data."""
        made = {
            "made_by": f"serq-tui {__version__}",
            "program": self.program,
            "clock": "ts is microseconds of the program's clock; t and end in args are its seconds, exactly",
            "seed": self.seed,
            "horizon": self.horizon,
            "warmup": self.warmup,
            "end": self.end,
            "failure": self.failure,
        }
        plain: dict[str, Any] = samples_json(made)
        return plain
