"""Links recorded cases as the command line does, in process and without files."""

from __future__ import annotations

from functools import cache

from grammar.diagnostics import Diagnostic, ProgramError
from grammar.link import Linked, Settings, link
from grammar.source import Source
from tests.cases import Case


def settings_of(case: Case) -> Settings:
    """The settings a case was recorded with; a case is known by the name of its trace alone."""
    given = case.settings
    return Settings(
        horizon=None if given.get("horizon") is None else float(given["horizon"]),
        warmup=float(given.get("warmup", 0)),
        seed=given.get("seed", 1),
        arrivals=given.get("arrivals"),
        trace=given.get("trace"),
        sets=given.get("sets") or {},
        defs=given.get("defs") or {},
    )


@cache
def linked(case: Case) -> Linked:
    """The linked program of a case, linked once for all tests that look at it."""
    return link(Source(case.name, case.source), settings_of(case))


def errors(text: str, settings: Settings | None = None) -> tuple[Diagnostic, ...]:
    """The errors of a text, none for a program."""
    try:
        link(Source("test", text), settings or Settings(100.0))
    except ProgramError as error:
        assert error.diagnostics
        return error.diagnostics
    return ()
