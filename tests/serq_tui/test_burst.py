"""Keys that come all at once, as from a paste or over a slow line, do what they do one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events

from serq_tui.controller import Controller
from serq_tui.moves import Arrival, Plan
from serq_tui.options import RunOptions
from serq_tui.screens import debugger, moving
from tests.serq_tui.piloting import PREEMPTION, Driver, opened

IDLE = """\
fn main() {
  device gpu { compute (t) = t; kv cap 64; }
  engine e on gpu {
    reqs cap 1;
    tokens cap 8;
    request (n) { prefill (n) growing kv; }
    schedule { advance running; admit waiting taking reqs (1), kv (1); }
    execute (compute(batch.tokens));
  }
  pool reqs on e { queue fifo; }
  pool kv on gpu { block 1; preempt lifo; }
  stage s : delay;
  workload { arrive batch(500); turn { } }
  server { run s (cost(s, serial)); }
}
"""
"""An engine nobody calls, beside a stage in which a session ends every second."""


async def burst(driver: Driver, text: str) -> None:
    """All keys are on their way before the first one is answered."""
    for letter in text:
        key = {"\r": "enter", ":": "colon", " ": "space"}.get(letter, letter)
        driver.app.post_message(events.Key(key, letter))
    await driver.settle()
    await driver.settle()


@pytest.mark.parametrize("keys", [":goto 12\r", "g12\r", "giteration 12\r", ":12\r"])
async def test_what_a_dialog_is_asked_in_one_burst_is_all_taken(keys: str, tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        await burst(driver, keys)
        assert driver.screen.controller.moment.now.engines[0].iterations == 12


async def test_an_export_chosen_in_one_burst_is_made(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        await burst(driver, "em")
        assert [path.suffix for path in tmp_path.iterdir()] == [".json"]


async def test_keys_for_the_run_are_not_taken_for_a_line(tmp_path: Path) -> None:
    async with opened(PREEMPTION, folder=tmp_path) as driver:
        await burst(driver, "sss")
        assert driver.screen.controller.moment.now.engines[0].iterations == 3


@pytest.mark.parametrize(("between", "pictures"), [(math.inf, 1), (0.0, 8)])
async def test_steps_asked_for_faster_than_they_are_drawn_are_all_made_and_the_last_is_drawn(
    between: float, pictures: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All eight wait when the first arrives: only the last finds nothing waiting, and is drawn however short ago a picture was."""
    monkeypatch.setattr(moving, "BETWEEN_PICTURES", between)
    monkeypatch.setattr(moving, "PICTURE_SHARE", 0.0)
    drawn: list[int] = []
    draw = debugger.DebuggerScreen.draw

    def counted(screen: debugger.DebuggerScreen) -> None:
        drawn.append(screen.controller.moment.now.engines[0].iterations)
        draw(screen)

    async with opened(PREEMPTION) as driver:
        monkeypatch.setattr(debugger.DebuggerScreen, "draw", counted)
        await burst(driver, "ssssssss")
        assert driver.screen.controller.moment.now.engines[0].iterations == 8
        assert (len(drawn), drawn[-1]) == (pictures, 8)


async def test_a_step_that_turns_out_long_is_ended_in_a_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody calls the engine, so a step goes on to the horizon: 500 events, of which the first 64 are made at once."""
    program = tmp_path / "idle.sq"
    program.write_text(IDLE)
    made: list[bool] = []
    at_once = Controller.carry_out_at_once

    def counted(controller: Controller, plan: Plan, late: Callable[[], bool]) -> Arrival | None:
        arrival = at_once(controller, plan, late)
        made.append(arrival is not None)
        return arrival

    monkeypatch.setattr(Controller, "carry_out_at_once", counted)
    monkeypatch.setattr(moving, "AT_ONCE", 0.0)
    async with opened(program, options=RunOptions(horizon=600.0)) as driver:
        await driver.press("s")
        assert driver.screen.controller.moment.now.finished
        assert made == [False]
