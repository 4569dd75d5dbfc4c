"""What a run is asked for besides its program; knows no command line and no program."""

from __future__ import annotations

from pathlib import Path

from grammar.declaring import dataclass


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The settings of a run, as given from outside; None and empty where nothing was said.

    Attributes:
        horizon: seconds of the program's clock at which the run ends.
        warmup: seconds from which on samples count.
        seed: which random streams the run draws from.
        arrivals: how many sessions arrive; the run ends when they have drained.
        sets: values of declared inputs, as (name, constant expression) (L3.16).
        defs: bodies of expression definitions, as (name, expression) (L3.25).
        lets: values of constants in place of those in the text, as (name, expression).
        trace: a file of recorded turns, read from the current folder.
        instance: a file with inputs and settings, which count where nothing is said of them here (L3.18).
    """

    horizon: float | None = None
    warmup: float | None = None
    seed: int | None = None
    arrivals: int | None = None
    sets: tuple[tuple[str, str], ...] = ()
    defs: tuple[tuple[str, str], ...] = ()
    lets: tuple[tuple[str, str], ...] = ()
    trace: Path | None = None
    instance: Path | None = None


@dataclass(frozen=True, slots=True)
class Stops:
    """Where the debugger is asked to stop.

    Attributes:
        breaks: what to stop at, as the debugger's breakpoints are written: ``preemption``, ``line 48``, a condition.
        at: a moment to open at, as the ``g`` key takes it: ``iteration 812``, ``@12345``, ``t=3.25``.
    """

    breaks: tuple[str, ...] = ()
    at: str | None = None
