"""Capsules: what was packed opens again as it was, and what is none is told clearly."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.simulation import Simulation
from engine.snapshot import Position, Who
from serq_tui.capsule import BadCapsule, Capsule, read_capsule, written
from serq_tui.cli import main
from serq_tui.keeping import Kept, KeptStop
from serq_tui.loading import load_program
from serq_tui.options import RunOptions
from serq_tui.packing import Looking, pack
from serq_tui.report_json import report_json
from serq_tui.view_state import Bookmark
from tests.cases import Case, cases
from tests.comparing import first_difference
from tests.running import load_case, result_of
from tests.serq_tui.piloting import PREEMPTION, Driver, opened

KEPT = Kept(
    (KeptStop("preemption", True, False, 0), KeptStop("running.count > 8", False, True, 3)),
    ("used(kv)",),
    (Bookmark("thrash", Position(40, 1), "preemption of r7"),),
)
LOOKING = Looking(Position(31, 1, 2), 1.25, "vllm", Who(7))
NOTE = 'look at r7 — it is "starved"\nby r2'


def packed(options: RunOptions, path: Path = PREEMPTION) -> Capsule:
    return pack(load_program(path, options), KEPT, LOOKING, NOTE)


WRITTEN = written(packed(RunOptions(horizon=5.0, seed=7, sets=(("kv_tokens", "640"),))))


def laid(folder: Path, capsule: Capsule, name: str = "model.capsule") -> Path:
    path = folder / name
    path.write_text(written(capsule), encoding="utf-8")
    return path


def test_what_is_packed_is_read_as_it_was(tmp_path: Path) -> None:
    options = RunOptions(horizon=20.0, warmup=1.5, seed=7, arrivals=None, sets=(("kv_tokens", "2 * 320"),))
    capsule = packed(options)
    assert read_capsule(laid(tmp_path, capsule)) == capsule
    assert capsule.options.sets == (("kv_tokens", "640.0"),), "an input has the value it had, however it was given"
    assert capsule.program.text == PREEMPTION.read_text(encoding="utf-8")


def test_a_run_from_a_capsule_reports_as_the_run_it_was_made_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    instance = tmp_path / "busy.sq"
    instance.write_text("let kv_tokens = 2 * 320;\nrun { horizon 5; seed 7; }\n", encoding="utf-8")
    options = RunOptions(instance=instance, warmup=1.0)
    path = laid(tmp_path, packed(options))
    assert main(["run", str(PREEMPTION), "--instance", str(instance), "--warmup", "1", "--json"]) == 0
    wanted = capsys.readouterr().out
    # elsewhere, where neither the program nor the instance is
    instance.unlink()
    assert main(["run", str(path), "--json"]) == 0
    assert capsys.readouterr().out == wanted


def test_what_the_command_line_says_wins_over_the_capsule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = laid(tmp_path, packed(RunOptions(horizon=5.0, seed=7, sets=(("kv_tokens", "640"),))))
    assert main(["run", str(path), "--json", "--seed", "9", "--set", "kv_tokens=480"]) == 0
    given = capsys.readouterr().out
    assert main(["run", str(PREEMPTION), "--json", "--horizon", "5", "--seed", "9", "--set", "kv_tokens=480"]) == 0
    assert capsys.readouterr().out == given


def test_a_capsule_without_a_horizon_asks_for_one_to_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = laid(tmp_path, packed(RunOptions()))
    assert main(["run", str(path)]) == 2
    assert f"{path} has no `horizon`" in capsys.readouterr().err


@pytest.mark.parametrize(
    "case",
    [
        *cases("corpus_ok")[::24],
        *[case for case in cases("oracle") if '"report":' in case.line][::24],
    ],
    ids=str,
)
def test_recorded_programs_run_the_same_from_a_capsule(case: Case, tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    loaded = load_case(case, home)
    path = laid(elsewhere, pack(loaded, KEPT, LOOKING, ""))
    here = Simulation(loaded.program)
    there = Simulation(load_program(path, RunOptions()).program)
    for run in (here, there):
        run.run()
    assert first_difference(result_of(here), result_of(there)) is None


def test_a_trace_goes_along(tmp_path: Path) -> None:
    found = next(case for case in cases("corpus_ok") if case.data["files"] and load_case(case, _new(tmp_path)).program.trace)
    home = _new(tmp_path)
    loaded = load_case(found, home)
    path = laid(tmp_path, pack(loaded, KEPT, LOOKING, ""))
    wanted = report_json(_run(Simulation(loaded.program)).report())
    shutil.rmtree(home)
    assert report_json(_run(Simulation(load_program(path, RunOptions()).program)).report()) == wanted


def _new(folder: Path) -> Path:
    made = folder / f"home{len(list(folder.iterdir()))}"
    made.mkdir()
    return made


def _run(run: Simulation) -> Simulation:
    run.run()
    return run


# --------------------------------------------------------------------------- from inside and back


async def _made(driver: Driver, folder: Path, note: str = "") -> Path:
    await driver.press("e", "c")
    await driver.type(note)
    (path,) = folder.glob("*.capsule")
    return path


async def test_a_capsule_opens_at_the_same_screen(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path, kept=tmp_path / "kept", options=RunOptions(seed=3)) as driver:
        await driver.press("c", "c", "x", "a")
        await driver.type("running.count > 6")
        await driver.press("tab", "a")
        await driver.type("used(kv)")
        await driver.press("escape", "m")
        await driver.type("here")
        await driver.press("3", "enter")
        driver.app.clear_notifications()
        await driver.settle()
        shown, before = driver.text(), driver.screen.controller
        path = await _made(driver, tmp_path, "see r7")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.move(path, elsewhere / "trouble.capsule")
    async with opened(elsewhere / "trouble.capsule", folder=elsewhere) as driver:
        assert driver.notices() == ["see r7"]
        driver.app.clear_notifications()
        await driver.press("3")
        now = driver.screen.controller
        assert now.moment.now == before.moment.now
        assert now.attention.kept() == before.attention.kept()
        assert now.lens.opened == before.lens.opened
        head, *rest = shown.splitlines()
        # the file's name is another one, and all else is the same
        assert driver.text().splitlines()[1:] == rest
        assert driver.text().splitlines()[0].split()[1:] == head.split()[1:]


async def test_a_run_changed_from_inside_is_packed_as_it_runs(tmp_path: Path) -> None:
    options = RunOptions(sets=(("kv_tokens", "480"),))
    async with opened(PREEMPTION, folder=tmp_path, options=options) as driver:
        await driver.press("c")
        path = await _made(driver, tmp_path)
        clock = driver.screen.controller.moment.now.clock
    async with opened(path, folder=tmp_path) as driver:
        assert driver.screen.controller.moment.now.clock == clock
        path.unlink()
        again = await _made(driver, tmp_path)
    assert read_capsule(again).options.sets == (("kv_tokens", "480.0"),)


async def test_another_run_at_the_moment_of_a_capsule_is_told(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        await driver.press("c")
        path = await _made(driver, tmp_path)
    async with opened(path, folder=tmp_path) as driver:
        assert driver.notices() == []
    async with opened(path, folder=tmp_path, options=RunOptions(seed=5)) as driver:
        assert driver.notices()[-1].endswith("the run is another one")


# --------------------------------------------------------------------------- bad ones


def _without(*names: str) -> Callable[[dict[str, Any]], None]:
    def take(data: dict[str, Any]) -> None:
        for name in names[:-1]:
            data = data[name]
        del data[names[-1]]

    return take


def _with(value: Any, *names: str) -> Callable[[dict[str, Any]], None]:
    def put(data: dict[str, Any]) -> None:
        for name in names[:-1]:
            data = data[name]
        data[names[-1]] = value

    return put


@pytest.mark.parametrize(
    ("how", "told"),
    [
        (_with("other", "format"), "does not say `format: serq-tui capsule`"),
        (_with(2, "version"), "is a capsule of version 2, made by serq-tui"),
        (_without("program"), "`program` is missing"),
        (_without("program", "text"), "`program.text` is missing"),
        (_with(3, "program", "text"), "`program.text` is 3 and not a text"),
        (_with("../../model.sq", "program", "name"), "not a file's name without a folder"),
        (_with("..", "program", "name"), "not a file's name without a folder"),
        (_with({"name": "/etc/passwd", "text": ""}, "trace"), "`trace.name` is '/etc/passwd'"),
        (_with("many", "settings", "horizon"), "`settings.horizon` is 'many' and not a number"),
        (_with(1.5, "settings", "seed"), "`settings.seed` is 1.5 and not a whole number"),
        (_with({"kv": 3}, "settings", "inputs"), "`settings.inputs.kv` is 3 and not a text"),
        (_with("120", "moment", "position"), "'120' and not a position such as @120.1"),
        (_with("@1.2.3.4", "moment", "position"), "not a position such as @120.1"),
        (_with("7", "moment", "request"), "not a request such as r7"),
        (_with([{"text": "preemption"}], "stops"), "its breakpoints, watches, bookmarks or layout"),
        (_with([], "layout"), "its breakpoints, watches, bookmarks or layout"),
        (_with(None, "note"), "`note` is null and not a text"),
    ],
)
def test_a_bad_capsule_says_what_is_wrong_with_it(
    how: Callable[[dict[str, Any]], None], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(written(packed(RunOptions(horizon=1.0))))
    how(data)
    path = tmp_path / "bad.capsule"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(BadCapsule) as caught:
        read_capsule(path)
    assert told in str(caught.value)
    assert main(["run", str(path)]) == 1
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\xff\xfe", b"[]", b"NaN", b"[" * 100_000, b"device gpu { }"], ids=lambda data: repr(data[:8])
)
def test_a_file_that_is_no_capsule_is_told_in_a_sentence(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.capsule"
    path.write_bytes(data)
    with pytest.raises(BadCapsule, match="is no capsule"):
        read_capsule(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where a value stands, of every value within others."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [found for key, value in inner for found in ((*path, key), *places(value, (*path, key)))]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draw=st.data())
def test_a_capsule_with_any_value_in_any_place_is_read_or_refused(draw: st.DataObject, tmp_path: Path) -> None:
    data = json.loads(WRITTEN)
    path = draw.draw(st.sampled_from(places(data)))
    _with(draw.draw(JSON), *path)(data)
    file = tmp_path / "any.capsule"
    file.write_text(json.dumps(data), encoding="utf-8")
    try:
        capsule = read_capsule(file)
    except BadCapsule:
        return
    assert read_capsule(laid(tmp_path, capsule, "again.capsule")) == capsule


async def test_a_bad_capsule_is_shown_as_a_file_that_does_not_load(tmp_path: Path) -> None:
    path = tmp_path / "bad.capsule"
    path.write_text("{}", encoding="utf-8")
    from serq_tui.app import SerqApp
    from serq_tui.options import Stops

    app = SerqApp(path, RunOptions(), Stops(), tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert "bad.capsule does not load" in app.export_screenshot().replace("&#160;", " ")
