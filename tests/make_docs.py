"""Writes the reference pages that are made from the code's own tables: ``python -m tests.make_docs``.

A page says what the linker says: the messages on ``docs/errors.md`` are the linker's, of the programs of the catalogue.
"""

from __future__ import annotations

import shlex
from difflib import unified_diff
from pathlib import Path

from grammar.catalogue import Chapter, Entry, chapters
from grammar.diagnostics import Diagnostic, ProgramError, render
from grammar.findings import Findings
from grammar.instances import read_instance
from grammar.link import link
from grammar.reads import ENGINE_COLUMNS, FUNCTION_READ, LIST_TABLE, NEVER_BARE, SUPPLIED_READ, TABLE, Column, Read
from grammar.settings import Settings, check_horizon
from grammar.source import Source
from tests.decisions_page import decisions_page
from tests.exports_page import exports_page
from tests.keys_page import keys_page
from tests.snapshot_page import snapshot_page

DOCS = Path(__file__).parent.parent / "docs"

FENCE = "```"


def diagnostics(program: str, settings: Settings, instance: str | None = None) -> tuple[Diagnostic, ...]:
    """What is said of a program that is run to its end: its errors, else its warnings."""
    source = Source("model.sq", program)
    findings = Findings(source)
    check_horizon(findings, settings)
    try:
        if instance is not None:
            read_instance(Source("run.sq", instance))
        findings.stop_if_any()
        return link(source, settings).warnings
    except ProgramError as error:
        return error.diagnostics


# --------------------------------------------------------------------------- docs/errors.md


_ERRORS = """\
# Errors and warnings

Every error of a program and every warning has a number. `serq-tui check FILE` shows them with their
lines; with `--json` they are data. Each is explained here by a program that has it: what is said of
the program, why, and the change that mends it. A rule such as L3.5 is that of the language's
specification.

An error stops a program from being run. A warning does not: it says that something links and is
likely not what was meant.

This page is made by `make docs` from the catalogue that the tests hold the linker to.
"""


def errors_page() -> str:
    """``docs/errors.md``."""
    parts = [_ERRORS, *(_index(chapter) for chapter in chapters())]
    for chapter in chapters():
        parts.append(f"\n## {chapter.title}\n")
        parts.extend(_entry(entry) for entry in chapter.entries)
    return "\n".join(parts)


def _index(chapter: Chapter) -> str:
    links = [f"- [{entry.id}](#{entry.id.lower()}) {entry.title}" for entry in chapter.entries]
    return f"\n**{chapter.title}**\n\n" + "\n".join(links)


def _entry(entry: Entry) -> str:
    source = Source("model.sq", entry.program)
    found = diagnostics(entry.program, entry.given, entry.instance)
    said = "\n".join(render(d, source) for d in found if d.id == entry.id)
    parts = [f"### {entry.id}\n", f"**{entry.title}** ({', '.join(entry.rules)})\n", _fenced(entry.program)]
    if entry.instance is not None:
        parts += ["with the instance file `run.sq`\n", _fenced(entry.instance)]
    elif entry.given != entry.given_mended:
        parts.append(_fenced(f"$ {_command(entry.given)}"))
    parts += [_fenced(said), f"{entry.repair}\n"]
    parts.append(_fenced(f"$ {_command(entry.given_mended)}") if entry.given != entry.given_mended else _change(entry))
    return "\n".join(parts)


def _fenced(text: str, kind: str = "") -> str:
    return f"{FENCE}{kind}\n{text.rstrip()}\n{FENCE}\n"


def _command(settings: Settings) -> str:
    """The command that runs the program with these settings."""
    words = ["serq-tui", "run", "model.sq"]
    if settings.horizon is not None:
        words += ["--horizon", f"{settings.horizon:g}"]
    if settings.warmup:
        words += ["--warmup", f"{settings.warmup:g}"]
    if settings.arrivals is not None:
        words += ["--arrivals", f"{settings.arrivals}"]
    words += [word for name, value in settings.sets.items() for word in ("--set", f"{name}={value}")]
    words += [word for name, value in settings.defs.items() for word in ("--def", f"{name}={value}")]
    return shlex.join(words)


def _change(entry: Entry) -> str:
    """The lines that the repair changes, before and after."""
    before, after = entry.instance or entry.program, entry.mended_instance or entry.mended
    lines = unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return _fenced("\n".join(line for line in lines if not line.startswith(("---", "+++", "@@"))), "diff")


# --------------------------------------------------------------------------- docs/reads.md


_READS = """\
# What may be read where

An expression may read a value only where somebody is there to be asked, and where reading it again
and again gives the same. This is the table the linker checks by. A reading where it is not allowed
is, as a rule, the error in the last column, which [errors.md](errors.md) explains.

This page is made by `make docs` from `grammar/reads.py`.

## The clauses
"""

_LISTS = """
## The running requests, the queue and the batch

An engine's own clauses read these too, and no other clause does
([E604](errors.md#e604), [E605](errors.md#e605), [E606](errors.md#e606)).
"""


def reads_page() -> str:
    """``docs/reads.md``."""
    clauses = [(column.short, column.words) for column in Column]
    rows = [(_row(read), *(_sign(column in TABLE[read]) for column in Column), _link(read)) for read in Read]
    lists = [(f"`{value}`", *(_sign(column in columns) for column in ENGINE_COLUMNS)) for value, columns in LIST_TABLE.items()]
    return "\n".join(
        [
            _READS,
            _table(("column", "the clause"), clauses),
            "\n## The table\n",
            _table(("read", *(column.short for column in Column), "error"), rows),
            _LISTS,
            _table(("read", *(column.words for column in ENGINE_COLUMNS)), lists),
            "",
        ]
    )


def _row(read: Read) -> str:
    """A row's words, with the names it stands for where the words do not have them."""
    names = [name for name, row in SUPPLIED_READ.items() if row is read and name not in NEVER_BARE]
    names += [f"{name}(…)" for name, row in FUNCTION_READ.items() if row is read]
    missing = [f"`{name}`" for name in names if f"`{name.removesuffix('(…)')}" not in read.words]
    return f"{read.words}: {', '.join(missing)}" if missing else read.words


def _link(read: Read) -> str:
    return f"[{read.error}](errors.md#{read.error.lower()})" if len(TABLE[read]) < len(Column) else ""


def _sign(may: bool) -> str:
    return "yes" if may else "·"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


PAGES = {
    "errors.md": errors_page,
    "reads.md": reads_page,
    "decisions.md": decisions_page,
    "snapshot.md": snapshot_page,
    "exports.md": exports_page,
    "keys.md": keys_page,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
        print(f"docs/{name}")
