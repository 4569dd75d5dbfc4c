"""The benchmark programs report what the reference reports, at horizons that preempt and evict."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.simulation import Simulation
from grammar.ir_json import to_json
from tests.cases import Case, cases
from tests.comparing import first_difference
from tests.running import load_case, result_of


@pytest.mark.tally("benchmark programs")
@pytest.mark.parametrize("case", cases("bench"), ids=str)
def test_a_benchmark_program_reports_as_recorded(case: Case, tmp_path: Path) -> None:
    program = load_case(case, tmp_path).program
    assert first_difference(case.data["ir"], to_json(program, 13)) is None
    simulation = Simulation(program)
    simulation.run()
    simulation.close()
    recorded = {name: value for name, value in case.data["report"].items() if name != "serq_version"}
    assert first_difference(recorded, result_of(simulation)["report"]) is None
