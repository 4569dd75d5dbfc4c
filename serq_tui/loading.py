"""From a file and the settings given to a program that can be run; prints nothing and runs nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from grammar.declaring import dataclass
from grammar.diagnostics import Diagnostic, ProgramError
from grammar.ir import Program, SourceMap
from grammar.source import Source, Written
from serq_tui.instance import with_instance
from serq_tui.options import RunOptions

if TYPE_CHECKING:
    from grammar.conditions import Known

IR_SUFFIX = ".json"

CAPSULE_SUFFIX = ".capsule"
"""Of a file that holds a program with its settings (``serq_tui.capsule``)."""

DEFAULT_SEED = 1
"""The reference's own (L3.2), so that a program opened without options is the run its author saw there."""


class WrongOptions(Exception):
    """Settings that this kind of program cannot take, in one sentence for whoever gave them."""


@dataclass(frozen=True, slots=True)
class LoadedProgram:
    """A program ready to run.

    Attributes:
        program: its IR with the settings in it. A trace is a path that opens from the current folder.
        places: where its statements stand in the text; empty for an IR.
        source: its text, None for an IR.
        warnings: what links and is almost surely not meant.
        inputs: the inputs it declares: name, default, and the value it has.
        path: the file it was read from.
        known: what the names in its text stand for, None for an IR.
        options: the settings given, those of an instance and of a capsule among them.
    """

    program: Program
    places: SourceMap
    source: Source | None
    warnings: tuple[Diagnostic, ...]
    inputs: tuple[tuple[str, float, float], ...]
    path: Path
    known: Known | None
    options: RunOptions


def load_program(path: Path, options: RunOptions) -> LoadedProgram:
    """Reads a program's text, its IR where the name ends in ``.json``, or a capsule where it ends in ``.capsule``.

    A relative trace named in a program is read beside it, one given in the options from the
    current folder. For an IR the settings are in the file and the options override them; a text
    without a horizon gets an endless one. What an instance file says counts where the options say
    nothing, and what a capsule says beneath both.

    Raises:
        OSError: a file cannot be read.
        BadCapsule: the capsule is none.
        ProgramError: the text is no program, or the instance is none.
        InvalidIR: the IR is none.
        WrongOptions: inputs, definitions or constants for an IR, which has none, or a constant the text has not.
    """
    written: Mapping[str, Written] = {}
    if options.instance is not None:
        from grammar.instances import read_instance

        options, written = with_instance(options, read_instance(read_source(options.instance)))
    if path.suffix == CAPSULE_SUFFIX:
        return _load_capsule(path, options, written)
    return _load_ir(path, options) if path.suffix == IR_SUFFIX else _load_text(path, options, written)


def _load_capsule(path: Path, options: RunOptions, written: Mapping[str, Written]) -> LoadedProgram:
    from serq_tui.capsule import lay_out, read_capsule

    capsule = read_capsule(path)
    options = capsule.under(options)
    if capsule.trace is not None and options.trace is None:
        options = replace(options, trace=lay_out(capsule.trace))
    if capsule.program.name.endswith(IR_SUFFIX):
        return _load_ir(path, options, capsule.program.text)
    return _load_text(path, options, written, Source(str(path), capsule.program.text))


def read_source(path: Path) -> Source:
    """Reads a program's text.

    Raises:
        OSError: the file cannot be read.
        ProgramError: it is not UTF-8 text.
    """
    data = path.read_bytes()
    try:
        return Source(str(path), data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"this is no text: byte {data[error.start]:#04x} in line {line} is not UTF-8"
        raise ProgramError((Diagnostic("E101", "error", message),), Source(str(path), "")) from error


def _load_text(path: Path, options: RunOptions, written: Mapping[str, Written], source: Source | None = None) -> LoadedProgram:
    # Here and not above: an IR opens without the grammar, which costs more than reading it.
    from grammar.link import link
    from grammar.settings import Settings

    source = _retouched(source or read_source(path), options)
    linked = link(
        source,
        Settings(
            horizon=options.horizon,
            warmup=options.warmup or 0.0,
            seed=DEFAULT_SEED if options.seed is None else options.seed,
            arrivals=options.arrivals,
            sets=dict(options.sets),
            defs=dict(options.defs),
            trace=None if options.trace is None else str(options.trace),
            written=written,
        ),
    )
    program = _beside(linked.program, path, options)
    return LoadedProgram(program, linked.places, source, linked.warnings, linked.inputs, path, linked.known, options)


def _retouched(source: Source, options: RunOptions) -> Source:
    """The text with the constants the options give."""
    if not options.lets:
        return source
    from grammar.retouching import NoSuchConstant, with_constants

    try:
        return with_constants(source, dict(options.lets))
    except NoSuchConstant as error:
        raise WrongOptions(str(error)) from error


def _load_ir(path: Path, options: RunOptions, text: str | None = None) -> LoadedProgram:
    from grammar.ir_json import InvalidIR
    from grammar.validate import read_program

    if given := (*options.sets, *options.defs, *options.lets):
        what = "no inputs, no definitions and no constants"
        raise WrongOptions(f"{path.name} is an IR: it has {what}, so {given[0][0]} cannot be given")
    try:
        data = json.loads(path.read_text(encoding="utf-8") if text is None else text)
    except (ValueError, RecursionError) as error:
        raise InvalidIR("", "the form of the IR", f"{path.name} is not JSON: {error}") from error
    if isinstance(data, dict):
        settings = {"horizon": options.horizon, "warmup": options.warmup, "seed": options.seed, "arrivals": options.arrivals}
        data |= {name: value for name, value in settings.items() if value is not None}
        if options.trace is not None:
            data["trace"] = str(options.trace)
    return LoadedProgram(_beside(read_program(data), path, options), SourceMap(), None, (), (), path, None, options)


def _beside(program: Program, path: Path, options: RunOptions) -> Program:
    """The program with the trace it names itself turned into a path from the current folder."""
    if program.trace is None or options.trace is not None:
        return program
    return replace(program, trace=str(path.parent / program.trace))
