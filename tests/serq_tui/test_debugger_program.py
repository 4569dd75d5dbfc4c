"""The program itself: loading it again, errors in it, its own failures, choosing one."""

from __future__ import annotations

import shutil
from pathlib import Path

from serq_tui.screens.chooser import ChooserScreen, opening_comment
from serq_tui.screens.debugger import DebuggerScreen
from serq_tui.screens.load_error import LoadErrorScreen
from tests.serq_tui.piloting import PREEMPTION, opened

BROKEN = "fn main() {\n  device gpu { }\n  engine llm on gpu {\n    tokens cap 8;\n    schedule { advance runing; }\n"

#: The guard counts attempts, and is 2 at the third.
FAILS = """\
fn main() {
  device gpu { }
  engine llm on gpu {
    tokens cap 8;
    state count = 0;
    schedule {
      advance running;
      branch (count) { admit waiting; } else { admit waiting; }
      set count = count + 1;
    }
    execute (1);
  }
  workload { arrive batch(1); }
  server { run llm decode (cost(llm, 9)); }
}
"""


def copied(folder: Path) -> Path:
    path = folder / "model.sq"
    shutil.copy(PREEMPTION, path)
    return path


async def test_ctrl_r_loads_the_file_again_and_returns_to_the_same_moment(tmp_path: Path) -> None:
    path = copied(tmp_path)
    async with opened(path) as driver:
        await driver.press("c", "s")
        before = driver.screen.controller
        path.write_text("// one line more\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
        await driver.press("ctrl+r")
        after = driver.screen.controller
        assert after is not before
        assert after.moment.now == before.moment.now
        assert driver.view.source.text.lines[0] == "// one line more"
        assert driver.notices()[-1] == f"model.sq loaded again, back at {after.moment.now.position}"


async def test_breakpoints_and_stops_outlive_a_reload(tmp_path: Path) -> None:
    path = copied(tmp_path)
    async with opened(path) as driver:
        await driver.press("p", "s", "space", "ctrl+r")
        assert len(driver.screen.controller.lens.statements) == 1
        assert not driver.screen.controller.lens.preemption


async def test_a_file_that_no_longer_loads_shows_its_errors_and_keeps_the_old_run(tmp_path: Path) -> None:
    path = copied(tmp_path)
    async with opened(path) as driver:
        await driver.press("c")
        position, text = driver.screen.controller.moment.now.position, path.read_text(encoding="utf-8")
        path.write_text(BROKEN, encoding="utf-8")
        await driver.press("ctrl+r")
        assert isinstance(driver.app.screen, LoadErrorScreen)
        assert "model.sq does not load" in driver.text()
        assert "advance runing" in driver.text()
        await driver.press("escape")
        assert isinstance(driver.app.screen, DebuggerScreen)
        assert driver.screen.controller.moment.now.position == position
        await driver.press("ctrl+r")
        path.write_text(text, encoding="utf-8")
        await driver.press("r")
        assert isinstance(driver.app.screen, DebuggerScreen)
        assert driver.screen.controller.moment.now.position == position


async def test_a_program_that_does_not_load_at_first_can_be_mended_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "model.sq"
    path.write_text(BROKEN, encoding="utf-8")
    async with opened(path) as driver:
        assert isinstance(driver.app.screen, LoadErrorScreen)
        await driver.press("r")
        assert isinstance(driver.app.screen, LoadErrorScreen)
        shutil.copy(PREEMPTION, path)
        await driver.press("ctrl+r")
        assert isinstance(driver.app.screen, DebuggerScreen)


async def test_giving_up_on_a_program_that_does_not_load_is_exit_1(tmp_path: Path) -> None:
    path = tmp_path / "model.sq"
    path.write_text(BROKEN, encoding="utf-8")
    async with opened(path) as driver:
        await driver.pilot.press("escape")
    assert driver.app.return_value == 1


async def test_a_file_that_cannot_be_read_is_a_problem_in_words(tmp_path: Path) -> None:
    async with opened(tmp_path / "gone.sq") as driver:
        assert isinstance(driver.app.screen, LoadErrorScreen)
        assert "cannot be read" in driver.text()


async def test_a_failure_of_the_program_is_a_stop_with_its_line_lit_and_a_way_back(tmp_path: Path) -> None:
    path = tmp_path / "model.sq"
    path.write_text(FAILS, encoding="utf-8")
    async with opened(path) as driver:
        await driver.press("c")
        # the guard is 0, 1 and then 2, which is neither yes nor no
        assert driver.view.header.headline.kind == "failure"
        assert "must be 0 or 1" in driver.headline
        line = FAILS.split("branch", maxsplit=1)[0].count("\n") + 1
        assert driver.view.source.failure is not None
        assert driver.view.source.failure[0] == line
        assert driver.screen.check_action("step", ()) is None
        await driver.press("b")
        assert driver.view.header.headline.kind == "iteration"
        assert driver.view.source.failure is None


async def test_without_a_file_one_chooses_among_the_examples_and_this_folder(tmp_path: Path) -> None:
    copied(tmp_path)
    async with opened(None, folder=tmp_path) as driver:
        assert isinstance(driver.app.screen, ChooserScreen)
        text = driver.text()
        for name in ("first_light.sq", "preemption.sq", "tgi.sq", "chat.sq", "latched.sq", "model.sq"):
            assert name in text
        await driver.press("j", "enter")
        assert isinstance(driver.app.screen, DebuggerScreen)
        assert driver.screen.controller.debuggee.path.name == "first_light.sq"


async def test_a_broken_choice_leads_back_to_the_choice(tmp_path: Path) -> None:
    (tmp_path / "zz.sq").write_text(BROKEN, encoding="utf-8")
    async with opened(None, folder=tmp_path) as driver:
        await driver.press("end", "enter")
        assert isinstance(driver.app.screen, LoadErrorScreen)
        await driver.press("escape")
        assert isinstance(driver.app.screen, ChooserScreen)


def test_an_opening_comment_flows_but_for_what_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "model.sq"
    path.write_text("// A title.\n//\n// One\n// two.\n// See there: three\nfn main() { }\n", encoding="utf-8")
    assert opening_comment(path) == "A title.\n\nOne two.\nSee there: three"
