"""``serq-tui fmt``: the one canonical layout of a program's text; knows no layout itself."""

from __future__ import annotations

import argparse
import sys

from grammar.diagnostics import ProgramError
from grammar.formatter import format_text
from serq_tui.cli_failure import FAILED, refused, tell
from serq_tui.cli_parser import UsageError
from serq_tui.loading import IR_SUFFIX, read_source


def fmt(parsed: argparse.Namespace) -> int:
    """Prints, checks or writes the layout of a text; the exit status.

    Raises:
        UsageError: the file is an IR, which has no layout.
        OSError: the file cannot be read or written.
    """
    if parsed.file.suffix == IR_SUFFIX:
        raise UsageError(f"{parsed.file.name} is an IR; fmt lays out texts")
    try:
        source = read_source(parsed.file)
        laid_out = format_text(source)
    except ProgramError as error:
        return tell(refused(error), as_json=False)
    if parsed.check:
        if laid_out == source.text:
            return 0
        print(f"{parsed.file}: not in the canonical layout", file=sys.stderr)
        return FAILED
    if not parsed.write:
        print(laid_out, end="")
    elif laid_out != source.text:
        parsed.file.write_text(laid_out, encoding="utf-8", newline="\n")
    return 0
