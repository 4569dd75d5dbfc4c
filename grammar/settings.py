"""How a program is run, given from outside its text (L3.2), and the rules of that; knows no text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from grammar import ir
from grammar.findings import Findings


@dataclass(frozen=True, slots=True)
class Settings:
    """How a program is run, given from outside the text (L3.2).

    Attributes:
        horizon: seconds of the program's clock the run lasts; None where none is chosen yet, which leaves it infinite.
        warmup: seconds at the start that the report leaves out.
        seed: of the random streams.
        arrivals: how many sessions arrive, of an open workload only.
        trace: the file that stands for the workload's trace.
        sets: values of the program's inputs.
        defs: bodies of expression definitions.
    """

    horizon: float | None
    warmup: float = 0.0
    seed: int = 1
    arrivals: int | None = None
    trace: str | None = None
    sets: Mapping[str, float | str] = field(default_factory=dict)
    defs: Mapping[str, str] = field(default_factory=dict)


def check_times(findings: Findings, settings: Settings) -> None:
    """A horizon is finite and above the warm-up, which is not negative (E1402)."""
    horizon, warmup = settings.horizon, settings.warmup
    if horizon is not None and not math.isfinite(horizon):
        findings.error("E1402", None, f"`--horizon` is a finite time, and {horizon:g} is none", suggestion="--horizon 100")
    elif math.isnan(warmup) or warmup < 0:
        findings.error("E1402", None, f"`--warmup` is not below 0, and {warmup:g} is", suggestion="--warmup 0")
    elif horizon is not None and warmup >= horizon:
        findings.error(
            "E1402", None, f"`--warmup` {warmup:g} is not below `--horizon` {horizon:g}: nothing of the run would be reported"
        )


def check_horizon(findings: Findings, settings: Settings) -> None:
    """A run to its end needs a horizon (E1401); stepping through a program does not."""
    if settings.horizon is None:
        findings.error("E1401", None, "a run needs a horizon, the time at which it ends", suggestion="--horizon 100")


def check_arrivals(findings: Findings, settings: Settings, arrival: ir.Arrival) -> None:
    """A number of arrivals is positive, and of an open workload (E1403)."""
    if settings.arrivals is None:
        return
    if settings.arrivals < 1:
        findings.error(
            "E1403", None, f"`--arrivals` is a whole number above 0, and {settings.arrivals} is none", suggestion="--arrivals 100"
        )
    elif not isinstance(arrival, ir.Poisson | ir.Renewal):
        findings.error(
            "E1403",
            None,
            "`--arrivals` is of an open workload, and only `poisson` and `renewal` are open",
            suggestion="drop `--arrivals`",
        )
