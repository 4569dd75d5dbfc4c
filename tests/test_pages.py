"""The README and the pages: every link leads somewhere, every page is in the site, every command is one."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from serq_tui import cli_parser

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))

PARSERS = {
    "run": cli_parser.run_parser,
    "check": cli_parser.check_parser,
    "ir": cli_parser.ir_parser,
    "fmt": cli_parser.fmt_parser,
}


def prose(page: Path) -> str:
    """A page without its fenced code."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """What a link can end in: a heading in lower case, its words joined."""
    headings = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)) if not re.match(r"[a-z]+:", link)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_every_page_is_in_the_site_and_no_other() -> None:
    named = re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sorted(named) == sorted(page.name for page in (ROOT / "docs").glob("*.md"))


COMMANDS = [
    pytest.param(page, line.removeprefix("$ "), id=f"{page.stem}: {line[2:60]}")
    for page in PAGES
    if page.name != "errors.md"  # its commands are made from settings
    for line in page.read_text(encoding="utf-8").splitlines()
    if line.startswith("$ serq-tui ")
]


@pytest.mark.parametrize(("page", "line"), COMMANDS)
def test_a_command_on_a_page_is_one(page: Path, line: str) -> None:
    _, *words = shlex.split(line, comments=True)
    options, inputs = cli_parser.split_inputs(words)
    if options[0] in PARSERS:
        parsed = PARSERS[options[0]]().parse_args(options[1:])
    else:
        parsed = cli_parser.debugger_parser().parse_args(options)
    assert all(name.isidentifier() for name, _ in inputs)
    if parsed.file is not None and parsed.file.parts[0] == "serq_tui":
        assert (ROOT / parsed.file).is_file()
