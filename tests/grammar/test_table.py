"""The parse table comes with the package, or is built once and kept, whatever else happens to its files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import grammar
from grammar.table import keep_in_package

READ = "from grammar.parser import parse; from grammar.source import Source; parse(Source('x', 'fn main() { }'))"
BUILDING_FAILS = "import grammar.table; grammar.table.build_table = None; "

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the cache directory is set by an environment variable there alone")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package that brings no table along."""
    (source,) = grammar.__path__
    return Path(shutil.copytree(source, tmp_path / "checkout" / "grammar", ignore=shutil.ignore_patterns("table-*", "__pycache__")))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Where the processes of a test keep what they build."""
    return tmp_path / "cache"


def start(package: Path, cache: Path, program: str = READ) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=package.parent,
        env={"XDG_CACHE_HOME": str(cache), "HOME": str(cache), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def read(package: Path, cache: Path, program: str = READ) -> None:
    """Parses a program in a process of its own."""
    process = start(package, cache, program)
    _, said = process.communicate()
    assert process.returncode == 0, said.decode()


def test_the_table_is_kept_once_and_built_anew_when_it_cannot_be_read(package: Path, cache: Path) -> None:
    read(package, cache)
    (kept,) = cache.rglob("*.json")
    whole = kept.read_bytes()
    read(package, cache, BUILDING_FAILS + READ)
    for damaged in (whole[: len(whole) // 2], b"", b"[]", b"{}", b"\x80pickle"):
        kept.write_bytes(damaged)
        read(package, cache)
        assert json.loads(kept.read_bytes()).keys() == {"data", "memo"}


def test_a_cache_that_cannot_be_written_does_not_keep_a_program_from_being_read(package: Path, cache: Path) -> None:
    cache.mkdir()
    (cache / "serq-tui").write_text("a file where the directory should be")
    read(package, cache)
    assert not list(cache.rglob("*.json"))


def test_processes_that_build_the_table_at_once_leave_one_whole_file(package: Path, cache: Path) -> None:
    processes = [start(package, cache) for _ in range(3)]
    assert [process.communicate()[1] for process in processes] == [b""] * 3
    assert [path.name for path in (cache / "serq-tui").iterdir()] == [path.name for path in cache.rglob("table-*.json")]
    read(package, cache, BUILDING_FAILS + READ)


def test_a_package_that_brings_its_table_builds_none_and_keeps_none(package: Path, cache: Path) -> None:
    assert keep_in_package(package) is not None
    read(package, cache, BUILDING_FAILS + READ)
    assert not cache.exists()


def test_a_table_of_another_grammar_is_not_read_and_the_next_takes_its_place(package: Path, cache: Path) -> None:
    first = keep_in_package(package)
    with (package / "serq.lark").open("a", encoding="utf-8") as text:
        text.write("\n// another\n")
    read(package, cache)
    assert [path.name for path in cache.rglob("*.json")] != []
    second = keep_in_package(package)
    assert first != second
    assert list(package.glob("table-*")) == [second]


def test_a_damaged_table_of_the_package_is_built_anew_into_the_cache(package: Path, cache: Path) -> None:
    brought = keep_in_package(package)
    assert brought is not None
    brought.write_bytes(b"{}")
    read(package, cache)
    assert [path.name for path in cache.rglob("*.json")] == [brought.name]
