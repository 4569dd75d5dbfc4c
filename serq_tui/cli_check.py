"""``serq-tui check`` and ``serq-tui ir``: what linking makes of a program; runs nothing."""

from __future__ import annotations

import argparse
import json

from grammar.diagnostics import Diagnostic, ProgramError, as_json
from grammar.ir_json import CannotSay, InvalidIR, to_json
from serq_tui.capsule import BadCapsule
from serq_tui.cli_failure import FAILED, Failed, tell
from serq_tui.cli_parser import UsageError, run_options
from serq_tui.cli_run import load, load_to_the_end
from serq_tui.format import plural
from serq_tui.loading import WrongOptions, load_program


def check(parsed: argparse.Namespace, inputs: tuple[tuple[str, str], ...]) -> int:
    """Says whether a program links, with its errors or its warnings; the exit status.

    With ``--json`` every diagnostic is printed as data.

    Raises:
        UsageError: options that do not go together.
        OSError: the file cannot be read.
    """
    options = run_options(parsed, inputs)
    if not parsed.json:
        try:
            warnings = load(parsed.file, options).warnings
        except Failed as failed:
            return tell(failed, as_json=False)
        print(f"{parsed.file}: links" + (f", {plural(len(warnings), 'warning')}" if warnings else ""))
        return 0
    try:
        diagnostics = load_program(parsed.file, options).warnings
        status = 0
    except ProgramError as error:
        diagnostics = error.diagnostics
        status = FAILED
    except (InvalidIR, BadCapsule) as error:
        diagnostics = (Diagnostic("IR", "error", str(error)),)
        status = FAILED
    except WrongOptions as error:
        raise UsageError(str(error)) from error
    print(json.dumps({"diagnostics": [as_json(diagnostic) for diagnostic in diagnostics]}, indent=1, ensure_ascii=False))
    return status


def ir(parsed: argparse.Namespace, inputs: tuple[tuple[str, str], ...]) -> int:
    """Prints the IR of a program in the version asked for; the exit status.

    Raises:
        UsageError: options that do not go together.
        OSError: the file cannot be read.
    """
    options = run_options(parsed, inputs)
    try:
        loaded = load_to_the_end(parsed.file, options, "ir needs --horizon T: the settings of the run are part of an IR")
        try:
            data = to_json(loaded.program, parsed.ir_version)
        except CannotSay as error:
            raise Failed("validation", str(error), None, f"{parsed.file}: {error}") from error
    except Failed as failed:
        return tell(failed, as_json=False)
    print(json.dumps(data, separators=(",", ":")))
    return 0
