"""The recorded IR cases run, fail or are refused as the reference of IR 14 does it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.simulation import Simulation
from grammar.ir_json import InvalidIR
from tests.cases import Case, cases
from tests.comparing import first_difference
from tests.running import load_case, recorded_result, result_of

ALL = cases("oracle")
RUNS = [case for case in ALL if "report" in case.data["expected"]]
FAILS = [case for case in ALL if case.data["expected"].get("error", {}).get("kind") == "runtime"]
REFUSED = [case for case in ALL if case.data["expected"].get("error", {}).get("kind") == "validation"]


def test_every_case_is_in_one_of_the_three_groups() -> None:
    assert len(ALL) == len(RUNS) + len(FAILS) + len(REFUSED)


@pytest.mark.tally("oracle, runs")
@pytest.mark.parametrize("case", RUNS, ids=str)
def test_an_ir_runs_as_recorded(case: Case, tmp_path: Path) -> None:
    simulation = Simulation(load_case(case, tmp_path).program)
    simulation.run()
    simulation.close()
    assert simulation.failure is None
    assert first_difference(recorded_result(case.data["expected"]), result_of(simulation)) is None


@pytest.mark.tally("oracle, runs that fail")
@pytest.mark.parametrize("case", FAILS, ids=str)
def test_an_ir_fails_as_recorded(case: Case, tmp_path: Path) -> None:
    simulation = Simulation(load_case(case, tmp_path).program)
    simulation.run()
    simulation.close()
    assert simulation.failure is not None, case.data["expected"]["error"]["substance"]


@pytest.mark.tally("oracle, refused")
@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_an_ir_is_refused_as_recorded(case: Case, tmp_path: Path) -> None:
    with pytest.raises(InvalidIR):
        Simulation(load_case(case, tmp_path).program)
