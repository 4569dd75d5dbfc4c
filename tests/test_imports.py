"""Every module can be the first one imported: no cycle hides behind a lucky order."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

EACH_ALONE = """
import importlib, sys
for name in sys.argv[1:]:
    for loaded in [m for m in sys.modules if m.split(".")[0] in ("grammar", "engine", "serq_tui")]:
        del sys.modules[loaded]
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(name, error)
"""


@pytest.mark.parametrize("package", ["grammar", "engine", "serq_tui"])
def test_every_module_imports_on_its_own(package: str) -> None:
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in sorted((ROOT / package).rglob("*.py"))]
    modules = [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]
    assert len(modules) > 10
    done = subprocess.run([sys.executable, "-c", EACH_ALONE, *modules], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == ""


def test_the_debugger_starts_without_what_plots_exports_and_answers_need() -> None:
    """They take a tenth of the time to the first picture, and most sittings ask for few of them."""
    later = [
        "plotext",
        "serq_tui.exporter",
        "serq_tui.answering",
        "serq_tui.screens.answer",
        "engine.divergence",
        "engine.standstill",
    ]
    code = "import sys, serq_tui.app; print(*[name for name in sys.argv[1:] if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code, *later], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == []
