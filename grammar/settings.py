"""How a program is run, given from outside its text (L3.2), and the rules of that; knows no text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field

from grammar import ir
from grammar.declaring import dataclass
from grammar.findings import Findings
from grammar.source import Written

SEEDS = 2**64
"""How many seeds there are: a stream is derived from 64 bits (R8.4)."""


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
        written: where in a file those stand that an instance gives (L3.18), by ``horizon``, ``warmup`` and
            ``arrivals``, or ``let NAME`` for the value of an input.
    """

    horizon: float | None
    warmup: float = 0.0
    seed: int = 1
    arrivals: int | None = None
    trace: str | None = None
    sets: Mapping[str, float | str] = field(default_factory=dict)
    defs: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, Written] = field(default_factory=dict)

    def shown(self, setting: str) -> str:
        """A setting by the name it was given under: as an option, or as an instance writes it."""
        return f"`{setting}`" if setting in self.written else f"`--{setting}`"


def check_times(findings: Findings, settings: Settings) -> None:
    """A horizon is finite, after 0 and above the warm-up, which is not negative (E1402)."""
    horizon, warmup = settings.horizon, settings.warmup
    told = settings.shown
    if horizon is not None and not math.isfinite(horizon):
        message = f"{told('horizon')} is a finite time, and {horizon:g} is none"
        findings.outside("E1402", settings.written.get("horizon"), message, "--horizon 100")
    elif horizon is not None and horizon <= 0:
        message = f"{told('horizon')} is a time after 0, and {horizon:g} is none"
        findings.outside("E1402", settings.written.get("horizon"), message, "--horizon 100")
    elif math.isnan(warmup) or warmup < 0:
        message = f"{told('warmup')} is not below 0, and {warmup:g} is"
        findings.outside("E1402", settings.written.get("warmup"), message, "--warmup 0")
    elif horizon is not None and warmup >= horizon:
        message = f"{told('warmup')} {warmup:g} is not below {told('horizon')} {horizon:g}: nothing of the run would be reported"
        findings.outside("E1402", settings.written.get("warmup", settings.written.get("horizon")), message)


def check_horizon(findings: Findings, settings: Settings) -> None:
    """A run to its end needs a horizon (E1401); stepping through a program does not."""
    if settings.horizon is None:
        findings.error("E1401", None, "a run needs a horizon, the time at which it ends", suggestion="--horizon 100")


def check_arrivals(findings: Findings, settings: Settings, arrival: ir.Arrival) -> None:
    """A number of arrivals is positive, and of an open workload (E1403)."""
    if settings.arrivals is None:
        return
    told, written = settings.shown("arrivals"), settings.written.get("arrivals")
    if settings.arrivals < 1:
        message = f"{told} is a whole number above 0, and {settings.arrivals} is none"
        findings.outside("E1403", written, message, "--arrivals 100")
    elif not isinstance(arrival, ir.Poisson | ir.Renewal):
        message = f"{told} is of an open workload, and only `poisson` and `renewal` are open"
        findings.outside("E1403", written, message, f"drop {told}")
