"""Counting decodes together and leaping come to what the plain path comes to, moment for moment."""

from __future__ import annotations

import dataclasses
import random
from math import inf, nextafter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine.leap as leaping
from engine.leap import leap
from engine.simulation import Simulation
from engine.statistics import add_repeatedly
from grammar import ir
from grammar.ir_json import from_json
from tests.cases import Case, cases
from tests.running import load_case

STEPS = [case for case in cases("oracle") if "report" in case.data["expected"] and "Step" in case.line]
LOADS = {case.name: from_json(case.data["ir"]) for case in cases("bench")}

_MOMENTS = 12
"""Moments of a run that are compared: drawn by a fixed seed, as building a snapshot of each would take long."""


def _at(program: ir.Program, time: float, folder: Path, *, plain: bool) -> Simulation:
    """The run right after everything up to a time."""
    simulation = Simulation(program, horizon=time, warmup=0.0, arrivals=None, trace_folder=folder, plain=plain)
    simulation.run()
    return simulation


def _same(program: ir.Program, time: float, folder: Path) -> None:
    fast, plain = (_at(program, time, folder, plain=plain) for plain in (False, True))
    assert fast.failure == plain.failure
    # What led to the last moment is not part of it: a whole run keeps no note of its last step.
    assert repr(dataclasses.replace(fast.snapshot(), stage=None)) == repr(dataclasses.replace(plain.snapshot(), stage=None))
    assert fast.result() == plain.result()


@pytest.mark.parametrize("case", STEPS, ids=str)
def test_a_recorded_case_is_the_same_by_either_path_at_any_time(case: Case, tmp_path: Path) -> None:
    program = load_case(case, tmp_path).program
    program = dataclasses.replace(program, arrivals=None)
    dice = random.Random(case.name)
    for time in (dice.uniform(0, program.horizon) for _ in range(3)):
        _same(program, time, tmp_path)


@pytest.mark.parametrize(("name", "until"), [("light", 2.0), ("heavy", 1.5), ("heavy2", 1.5)])
def test_a_load_is_the_same_by_either_path_at_any_time(name: str, until: float, tmp_path: Path) -> None:
    dice = random.Random(name)
    for time in sorted(dice.uniform(0, until) for _ in range(_MOMENTS)):
        _same(LOADS[name], time, tmp_path)


@pytest.mark.parametrize(("name", "until"), [("light", 20.0), ("heavy", 5.0), ("heavy2", 5.0)])
def test_most_iterations_of_a_load_are_leapt_over(name: str, until: float) -> None:
    """Without this the comparisons above would compare the plain path with itself."""
    run = Simulation(LOADS[name], horizon=until, warmup=0.0)
    leapt = 0
    while not run.finished:
        run.advance()
        leapt += run.leap(10**6)
    assert leapt > 0.5 * run.state.stages[0].iterations


@pytest.mark.parametrize("most", [1, 2, 7, 50])
def test_a_leap_may_end_after_any_iteration(most: int) -> None:
    """However a stretch is cut, the state after it is that of single steps."""
    cut, single = (Simulation(LOADS["heavy2"], horizon=2.0, warmup=0.0) for _ in range(2))
    while not cut.finished and cut.clock < 1.0:
        cut.advance()
        cut.leap(most)
    while single.position < cut.position:
        single.advance()
    assert repr(cut.snapshot()) == repr(single.snapshot())
    assert cut.result() == single.result()


@pytest.mark.parametrize(("name", "until"), [("light", 8.0), ("heavy", 4.0), ("heavy2", 3.0)])
def test_the_loop_of_compiled_code_is_the_generated_one(
    name: str, until: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``engine.leap_loop`` and ``engine.leap_code``, at moments of a load."""
    dice = random.Random(name)
    for time in (until, *(dice.uniform(0, until) for _ in range(_MOMENTS))):
        monkeypatch.setattr(leaping, "COMPILED", False)
        generated = _at(LOADS[name], time, tmp_path, plain=False)
        monkeypatch.setattr(leaping, "COMPILED", True)
        written = _at(LOADS[name], time, tmp_path, plain=False)
        assert repr(generated.snapshot()) == repr(written.snapshot())
        assert generated.result() == written.result()


def test_no_leap_is_made_past_a_time() -> None:
    run = Simulation(LOADS["light"], horizon=inf, warmup=0.0)
    while run.state.stages[0].iterations < 50:
        run.advance()
    time = nextafter(run.clock + 0.01, 0)
    while run.next_time() <= time:
        run.advance()
        run.leap(10**6, time)
    assert run.clock <= time < run.next_time()


def test_nothing_is_leapt_over_while_somebody_listens() -> None:
    run = Simulation(LOADS["light"], horizon=inf, warmup=0.0)
    while run.state.stages[0].iterations < 50:
        run.advance()
    run.listen([])
    run.advance()
    assert leap(run.state, 0, 100) == 0


@given(
    total=st.floats(0, 1e12),
    x=st.one_of(st.floats(0, 1e3), st.floats(1e-12, 1e-3)),
    n=st.integers(0, 400),
)
def test_adding_at_once_is_adding_again_and_again(total: float, x: float, n: int) -> None:
    """R1.1: the sums are the loop's, bit for bit."""
    expected = total
    for _ in range(n):
        expected += x
    assert add_repeatedly(total, x, n) == expected


@pytest.mark.parametrize("ulps", [0.5, 1.5, 2.5, 3.5])
def test_adding_at_once_rounds_ties_to_even_as_a_loop_does(ulps: float) -> None:
    """The addend ends in half a last place, from an even and from an odd sum."""
    ulp = 2.0**-52
    for start in (1.0, 1.0 + ulp):
        expected = start
        for _ in range(100):
            expected += ulps * ulp
        assert add_repeatedly(start, ulps * ulp, 100) == expected
