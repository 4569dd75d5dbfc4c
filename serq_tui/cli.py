"""The entry point: picks the command and turns wrong usage into one line and exit 2; does no command's work."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from grammar.names import nearest
from serq_tui import cli_parser
from serq_tui.cli_parser import COMMANDS, PROGRAM, USAGE_ERROR, UsageError

INTERRUPTED = 130
"""What a shell reports of a program ended by ctrl-c: 128 and the signal's number."""

OTHER_SCREEN = "TEXTUAL_DRIVER"
"""What whoever draws the screen without a terminal sets, such as a browser's server (docs/elsewhere.md)."""

Inputs = tuple[tuple[str, str], ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; the exit status: 0, 1 for a program that fails, 2 for wrong usage."""
    if arguments is None:
        collect_rarely()
    try:
        status = _command(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except UsageError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return USAGE_ERROR
    except BrokenPipeError:
        # Whoever read the output has seen enough (`| head`). Python would complain once more when
        # it flushes at exit, so what is left goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"{PROGRAM}: {_about(error)}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def collect_rarely() -> None:
    """Has a process of our own look for cycles of objects less often.

    A run makes millions of objects that end by themselves; to look for cycles among them as
    often as by default, and among all that was imported, takes a twentieth of its time; to
    look at every 50,000 of those a walk keeps in its checkpoints took another tenth, measured.
    """
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


def _command(arguments: Sequence[str]) -> int:
    options, inputs = cli_parser.split_inputs(arguments)
    if options and options[0] in COMMANDS:
        return _COMMANDS[options[0]](options[1:], inputs)
    return _debug(options, inputs)


def _run(arguments: list[str], inputs: Inputs) -> int:
    parsed = cli_parser.run_parser().parse_args(arguments)
    from serq_tui.cli_run import run

    return run(parsed, inputs)


def _check(arguments: list[str], inputs: Inputs) -> int:
    parsed = cli_parser.check_parser().parse_args(arguments)
    from serq_tui.cli_check import check

    return check(parsed, inputs)


def _ir(arguments: list[str], inputs: Inputs) -> int:
    parsed = cli_parser.ir_parser().parse_args(arguments)
    from serq_tui.cli_check import ir

    return ir(parsed, inputs)


def _fmt(arguments: list[str], inputs: Inputs) -> int:
    parsed = cli_parser.fmt_parser().parse_args(arguments)
    if inputs:
        raise UsageError("fmt takes no inputs: the layout of a text does not depend on them")
    from serq_tui.cli_fmt import fmt

    return fmt(parsed)


_COMMANDS: dict[str, Callable[[list[str], Inputs], int]] = {"run": _run, "check": _check, "ir": _ir, "fmt": _fmt}


def _debug(arguments: list[str], inputs: Inputs) -> int:
    parsed = cli_parser.debugger_parser().parse_args(_without_command(arguments))
    options = cli_parser.run_options(parsed, inputs)
    path: Path | None = parsed.file
    if path is None and (options.sets or options.defs or options.lets or options.instance):
        raise UsageError("inputs, definitions and an instance need the FILE they are for")
    if path is not None and not path.exists():
        raise UsageError(_no_such_file(path))
    if not (sys.stdin.isatty() and sys.stdout.isatty()) and not os.environ.get(OTHER_SCREEN):
        raise UsageError(f"the debugger needs a terminal; `{PROGRAM} run FILE --horizon T` prints a report without one")

    # Here and not above: the commands that print start without Textual, which takes longer to
    # import than most of them take to run.
    from serq_tui.app import open_debugger

    # A terminal that is not told in UTF-8 shows none of our signs.
    plain = parsed.ascii or not (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf8")
    return open_debugger(path, options, cli_parser.stops(parsed), theme=parsed.theme, ascii=plain)


def _without_command(arguments: list[str]) -> list[str]:
    """The arguments as given.

    Raises:
        UsageError: they begin with a misspelt command, which would be taken for a file.
    """
    if len(arguments) > 1 and not arguments[0].startswith("-") and not Path(arguments[0]).exists():
        near = nearest(arguments[0], COMMANDS)
        if near is not None:
            raise UsageError(f"there is no command {arguments[0]}; did you mean {near}?")
    return arguments


def _no_such_file(path: Path) -> str:
    """That a file is not there, with the nearest name beside it."""
    folder = path.parent
    near = nearest(path.name, (entry.name for entry in folder.iterdir())) if folder.is_dir() else None
    return f"there is no file {path}" + (f"; did you mean {folder / near}?" if near is not None else "")


def _about(error: OSError) -> str:
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return _no_such_file(Path(os.fsdecode(error.filename)))
    return f"{error.strerror or error}: {error.filename}" if error.filename is not None else str(error)
