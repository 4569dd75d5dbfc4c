"""The command line's grammar: options, help texts and what wrong usage is told; runs nothing."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from grammar.names import nearest
from serq_tui import __version__
from serq_tui.options import RunOptions, Stops

PROGRAM = "serq-tui"

USAGE_ERROR = 2
"""The exit status of wrong usage; a program that fails exits with 1."""

COMMANDS = {
    "run": "run a program and print its report",
    "check": "say whether a program links, and what is wrong with it",
    "ir": "print the kernel IR of a program",
    "fmt": "lay a program's text out in the one canonical way",
}

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_CONSTANT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?::.*)?\Z", re.DOTALL)

_INPUTS = """\
After `--` stand values of the inputs a program declares with `args.number`, as `--NAME VALUE`
or `--NAME=VALUE`; a value is a number or a constant expression.
"""

_DEBUGGER = f"""\
Opens the debugger on FILE, a program's text (.sq) or a kernel IR (.json); without FILE, a chooser of
the examples and of the programs in the current folder. A run needs no horizon here: the report
at any moment is that of a run ending there.

other commands, each with its own --help:
{chr(10).join(f"  {PROGRAM} {name:<6} {what}" for name, what in COMMANDS.items())}
"""


#: The themes, whose colours need Textual to be looked at; a test holds the two lists together.
THEME_NAMES = ("serq-dark", "serq-light", "serq-mono", "serq-contrast", "serq-safe")


class UsageError(Exception):
    """Wrong usage, in one sentence for whoever typed it."""


class _Parser(argparse.ArgumentParser):
    """An argument parser that names the nearest option for one it does not know."""

    def error(self, message: str) -> NoReturn:
        unknown = message.removeprefix("unrecognized arguments: ")
        if unknown != message:
            message = self._about_unknown(unknown.split()[0], unknown)
        raise UsageError(f"{message}\ntry: {self.prog} --help")

    def _about_unknown(self, first: str, unknown: str) -> str:
        if not first.startswith("-"):
            return f"one program at a time: {unknown}"
        name = first.partition("=")[0]
        known = [option[2:] for action in self._actions for option in action.option_strings if option.startswith("--")]
        near = nearest(name.lstrip("-"), known)
        meant = f"; did you mean --{near}?" if near is not None else ""
        # Whoever forgot the `--` before an input is as likely as whoever misspelt an option.
        inputs = f" (an input of the program goes after `--`: -- {name} VALUE)" if name.startswith("--") else ""
        return f"there is no option {name}{meant}{inputs}"


# --------------------------------------------------------------------------- the parsers


def debugger_parser() -> argparse.ArgumentParser:
    """``serq-tui [FILE]``."""
    parser = _parser(PROGRAM, _DEBUGGER, _INPUTS)
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the program to open")
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    stops = parser.add_argument_group("where to stop")
    stops.add_argument(
        "--break",
        dest="breaks",
        action="append",
        default=[],
        metavar="WHAT",
        help="stop there instead of at each preemption and idle engine: 'preemption kv', 'idle', 'line 48', 'request 7', "
        "'running.count > 8', and what else the debugger's key x takes",
    )
    look = parser.add_argument_group("how it looks (config.toml keeps it; NO_COLOR is heeded)")
    look.add_argument("--theme", choices=THEME_NAMES, metavar="NAME", help=f"one of {', '.join(THEME_NAMES)}")
    look.add_argument("--ascii", action="store_true", help="draw in ASCII only")
    stops.add_argument("--at", metavar="MOMENT", help="open there: 'iteration 812', 't=3.25' or '@12345'")
    _add_settings(parser)
    return parser


def run_parser() -> argparse.ArgumentParser:
    """``serq-tui run FILE``."""
    parser = _command("run", "Runs a program up to its horizon and prints its report.", _INPUTS)
    _add_settings(parser)
    output = parser.add_argument_group("output")
    form = output.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the report as JSON; an error too")
    form.add_argument("--markdown", action="store_true", help="print the report as Markdown")
    output.add_argument("--decisions", type=Path, metavar="OUT", help="write every decision to a file, a line of JSON each")
    output.add_argument(
        "--perfetto",
        type=Path,
        metavar="OUT",
        help="write the run as a trace that https://ui.perfetto.dev opens: OUT.json, or OUT.json.gz",
    )
    output.add_argument("--dump", type=Path, metavar="DIR", help="write the run as CSV tables to a folder")
    output.add_argument("--waste", action="store_true", help="tokens computed again and units used for nothing, too (runs twice)")
    output.add_argument("--samples", action="store_true", help="with --json: every sample and gauge point beside the report")
    return parser


def check_parser() -> argparse.ArgumentParser:
    """``serq-tui check FILE``."""
    parser = _command("check", "Links a program and says what is wrong with it; runs nothing.", _INPUTS)
    _add_settings(parser)
    parser.add_argument("--json", action="store_true", help="print the diagnostics as JSON")
    return parser


def ir_parser() -> argparse.ArgumentParser:
    """``serq-tui ir FILE``."""
    parser = _command("ir", "Prints the kernel IR of a program as JSON.", _INPUTS)
    _add_settings(parser)
    parser.add_argument(
        "--ir-version",
        type=int,
        choices=(12, 13, 14),
        default=13,
        metavar="V",
        help="12, 13 or 14 (default: 13, that of the text dialect)",
    )
    return parser


def fmt_parser() -> argparse.ArgumentParser:
    """``serq-tui fmt FILE``."""
    parser = _parser(f"{PROGRAM} fmt", "Prints a program's text in the one canonical layout; comments stay.", "")
    parser.add_argument("file", type=Path, metavar="FILE", help="a program's text (.sq)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--check", action="store_true", help="print nothing; exit with 1 where the layout differs")
    how.add_argument("--write", action="store_true", help="write the layout to FILE instead of printing it")
    return parser


def _parser(name: str, about: str, epilog: str) -> argparse.ArgumentParser:
    return _Parser(
        prog=name,
        description=about,
        epilog=epilog,
        # What is typed in a script today must not mean something else once a longer option exists.
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _command(name: str, about: str, epilog: str) -> argparse.ArgumentParser:
    parser = _parser(f"{PROGRAM} {name}", about, epilog)
    parser.add_argument("file", type=Path, metavar="FILE", help="a program's text (.sq) or a kernel IR (.json)")
    return parser


def _add_settings(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("settings of the run (for an IR they are in the file; these override them)")
    group.add_argument("--horizon", type=_seconds, metavar="T", help="seconds of the program's clock at which the run ends")
    group.add_argument("--warmup", type=_seconds, metavar="T", help="seconds before which samples do not count (default: 0)")
    group.add_argument("--seed", type=_seed, metavar="N", help="which random streams to draw from (default: 1)")
    group.add_argument("--arrivals", type=_whole, metavar="N", help="let N sessions arrive and end when they have drained")
    group.add_argument(
        "--set",
        dest="sets",
        action="append",
        default=[],
        type=_binding,
        metavar="NAME=EXPR",
        help="the value of an input, a constant expression",
    )
    group.add_argument(
        "--def",
        dest="defs",
        action="append",
        default=[],
        type=_binding,
        metavar="NAME=EXPR",
        help="another body for an expression definition",
    )
    group.add_argument(
        "--let",
        dest="lets",
        action="append",
        default=[],
        type=_constant,
        metavar="NAME=EXPR",
        help="another value for a constant of the text; NAME:2 is the second of that name",
    )
    group.add_argument(
        "--instance",
        type=Path,
        metavar="FILE",
        help="a file of `let INPUT = VALUE;` and one `run { horizon …; seed …; }`; options given here win over it",
    )
    group.add_argument("--trace", type=Path, metavar="CSV", help="recorded turns to replay, read from the current folder")


# --------------------------------------------------------------------------- values


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number of seconds")
    return value


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _seed(text: str) -> int:
    # Here and not above: without a seed to look at, wrong usage is told before any of the language is loaded.
    from grammar.settings import SEEDS

    value = _whole(text)
    if not 0 <= value < SEEDS:
        raise argparse.ArgumentTypeError(f"{text} is no seed: seeds go from 0 to {SEEDS - 1}")
    return value


def _binding(text: str, names: re.Pattern[str] = _IDENTIFIER) -> tuple[str, str]:
    name, sign, expression = (part.strip() for part in text.partition("="))
    if not sign or not names.match(name) or not expression:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=EXPR")
    return name, expression


def _constant(text: str) -> tuple[str, str]:
    return _binding(text, _CONSTANT)


def split_inputs(arguments: Sequence[str]) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """What stands before the first ``--``, and the inputs after it as (name, expression) (L3.16).

    Raises:
        UsageError: an input without its dashes or without a value.
    """
    if "--" not in arguments:
        return list(arguments), ()
    cut = list(arguments).index("--")
    inputs: list[tuple[str, str]] = []
    rest = iter(arguments[cut + 1 :])
    for word in rest:
        name, sign, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not _IDENTIFIER.match(name):
            raise UsageError(f"after `--` stand inputs as --NAME VALUE, not {word!r}")
        if not sign:
            # Whatever follows is the value, so that a negative number needs no quoting.
            value = next(rest, "")
        if not value.strip():
            raise UsageError(f"the input --{name} needs a value")
        inputs.append((name, value.strip()))
    return list(arguments[:cut]), tuple(inputs)


def run_options(parsed: argparse.Namespace, inputs: tuple[tuple[str, str], ...]) -> RunOptions:
    """The settings typed, inputs by ``--set`` and after ``--`` together.

    Raises:
        UsageError: one input or definition is given twice: which of the two counts would be a guess.
    """
    sets = (*parsed.sets, *inputs)
    for kind, given in (("input", sets), ("definition", tuple(parsed.defs)), ("constant", tuple(parsed.lets))):
        names = [name for name, _ in given]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise UsageError(f"the {kind} {twice} is given twice")
    return RunOptions(
        horizon=parsed.horizon,
        warmup=parsed.warmup,
        seed=parsed.seed,
        arrivals=parsed.arrivals,
        sets=sets,
        defs=tuple(parsed.defs),
        lets=tuple(parsed.lets),
        trace=parsed.trace,
        instance=parsed.instance,
    )


def stops(parsed: argparse.Namespace) -> Stops:
    """Where the debugger was asked to stop."""
    return Stops(breaks=tuple(dict.fromkeys(parsed.breaks)), at=parsed.at)
