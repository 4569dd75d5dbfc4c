"""Every accepted program of the text corpus runs as recorded: report, samples and gauges to the last bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.simulation import Simulation
from tests.cases import FOLDER, Case, cases
from tests.comparing import first_difference
from tests.first_light import first_light
from tests.running import load_case, recorded_result, result_of

FIRST_LIGHT = frozenset((FOLDER / "first_light.txt").read_text(encoding="utf-8").split())


def test_the_list_of_the_core_is_what_the_texts_say() -> None:
    assert sorted(FIRST_LIGHT) == first_light()


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, marks=pytest.mark.tally("corpus/ok, runs" + (" (first light)" if case.name in FIRST_LIGHT else " (the rest)"))
        )
        for case in cases("corpus_ok")
    ],
    ids=str,
)
def test_a_program_runs_as_recorded(case: Case, tmp_path: Path) -> None:
    simulation = Simulation(load_case(case, tmp_path).program)
    simulation.run()
    simulation.close()
    assert simulation.failure is None
    assert first_difference(recorded_result(case.data), result_of(simulation)) is None
