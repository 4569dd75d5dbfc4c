"""From a run one looks at to a capsule; writes and shows nothing."""

from __future__ import annotations

import json
from math import isinf
from pathlib import Path

from engine.snapshot import Position, Who
from grammar.declaring import dataclass
from grammar.ir_json import to_json
from serq_tui.capsule import Capsule, Packed
from serq_tui.keeping import Kept
from serq_tui.loading import IR_SUFFIX, LoadedProgram
from serq_tui.options import RunOptions

NEWEST_IR = 14
"""The version an IR is packed in: it says all that those before it say."""


@dataclass(frozen=True, slots=True)
class Looking:
    """Where one looks.

    Attributes:
        position: the moment.
        clock: the program's clock there, in seconds.
        engine: the engine looked at by its name, None for all.
        opened: the request opened, None for none.
    """

    position: Position
    clock: float
    engine: str | None
    opened: Who | None


def pack(loaded: LoadedProgram, kept: Kept, looking: Looking, note: str) -> Capsule:
    """A capsule of a run as it is: what is packed is what runs, whatever has become of the files meanwhile.

    Args:
        loaded: the program with its settings in it.
        kept: breakpoints, watches and bookmarks.
        looking: where one looks.
        note: what is to be said to whoever opens it.

    Raises:
        OSError: the trace it replays cannot be read.
    """
    program = loaded.program
    trace = None
    if program.trace is not None:
        path = Path(program.trace)
        trace = Packed(path.name, path.read_text(encoding="utf-8"))
    inputs = tuple((name, repr(value)) for name, default, value in loaded.inputs if value != default)
    return Capsule(
        program=_program(loaded),
        trace=trace,
        options=RunOptions(
            horizon=None if isinf(program.horizon) else program.horizon,
            warmup=program.warmup,
            seed=program.seed,
            arrivals=program.arrivals,
            sets=inputs,
            defs=loaded.options.defs,
        ),
        position=looking.position,
        clock=looking.clock,
        engine=looking.engine,
        opened=looking.opened,
        kept=kept,
        note=note,
    )


def _program(loaded: LoadedProgram) -> Packed:
    stem = loaded.path.name.partition(".")[0] or "program"
    if loaded.source is None:
        return Packed(f"{stem}{IR_SUFFIX}", json.dumps(to_json(loaded.program, NEWEST_IR), ensure_ascii=False))
    return Packed(f"{stem}.sq", loaded.source.text)
