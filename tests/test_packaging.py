"""What a newcomer gets: one list of tools, every file a package needs, examples that begin with their story."""

from __future__ import annotations

import shutil
import tomllib
from importlib.resources import files
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from pygments.lexers import get_lexer_for_filename

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "serq_tui" / "examples").glob("*.sq"))


def test_the_extra_and_the_dependency_group_are_one_list() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["optional-dependencies"]["dev"] == project["dependency-groups"]["dev"]


@pytest.mark.parametrize(
    ("package", "name"), [("grammar", "serq.lark"), ("serq_tui", "examples/preemption.sq"), ("serq_tui", "serq.tcss")]
)
def test_data_files_are_inside_their_packages(package: str, name: str) -> None:
    assert files(package).joinpath(name).is_file()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_opens_with_what_to_step_to_and_what_to_see(path: Path) -> None:
    comment = path.read_text(encoding="utf-8").partition("\n//\n")
    assert comment[0].startswith("// ")
    assert "Step to:" in comment[2]
    assert "See there:" in comment[2]


def test_the_readme_names_every_example() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES if f"`{path.name}`" not in readme] == []


def test_installing_registers_the_lexer_of_the_language() -> None:
    assert get_lexer_for_filename("model.sq").name == "serQ"


def test_a_wheel_brings_the_parse_table_along(tmp_path: Path) -> None:
    (tmp_path / "grammar").mkdir()
    shutil.copy(ROOT / "grammar" / "serq.lark", tmp_path / "grammar")
    hooks = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    spec = spec_from_file_location("hatch_build", ROOT / hooks["hooks"]["custom"]["path"])
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    wheel: dict[str, list[str]] = {"artifacts": []}
    module.TableHook(str(tmp_path), {}, None, None, str(tmp_path), "wheel").initialize("standard", wheel)
    (table,) = (tmp_path / "grammar").glob("table-*.json")
    assert wheel["artifacts"] == [f"/grammar/{table.name}"]


def test_what_is_compiled_declares_its_dataclasses_as_the_compiler_knows_them() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    compiled = wheel["hooks"]["mypyc"]["include"]
    assert "engine/codes.py" in compiled
    assert [path for path in compiled if "grammar.declaring" in (ROOT / path).read_text(encoding="utf-8")] == []
