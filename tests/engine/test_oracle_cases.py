"""The recorded IR cases run, fail or are refused as the reference of IR 14 does it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.failure import Unsupported
from engine.simulation import Simulation
from grammar.ir_json import InvalidIR
from tests.cases import Case, cases
from tests.comparing import first_difference
from tests.running import load_case, recorded_result, result_of

NEWER_FIELDS = ("queue_every", "Leases", "prefix", "latency", "request", "connector")
"""What IR 14 can say and the text dialect cannot; the engine refuses it so far."""


def _newer(node: Any) -> bool:
    """Whether an IR says something that only IR 14 can, wherever it stands."""
    if isinstance(node, dict):
        return (
            any(value is not None and (name in NEWER_FIELDS or _newer(value)) for name, value in node.items()) or "Request" in node
        )
    return isinstance(node, list) and any(_newer(inner) for inner in node)


ALL = cases("oracle")
NEWER = [case for case in ALL if "report" in case.data["expected"] and _newer(case.data["ir"])]
RUNS = [case for case in ALL if "report" in case.data["expected"] and case not in NEWER]
FAILS = [case for case in ALL if case.data["expected"].get("error", {}).get("kind") == "runtime"]
REFUSED = [case for case in ALL if case.data["expected"].get("error", {}).get("kind") == "validation"]


def test_every_case_is_in_one_of_the_groups() -> None:
    assert len(ALL) == len(RUNS) + len(NEWER) + len(FAILS) + len(REFUSED)


@pytest.mark.tally("oracle, newer than the text dialect: refused, not run approximately")
@pytest.mark.parametrize("case", NEWER, ids=str)
def test_an_ir_newer_than_the_dialect_is_refused_by_the_path_of_its_node(case: Case, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match=r"^(pools|stages|blocks)\["):
        Simulation(load_case(case, tmp_path).program)


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
    with pytest.raises((InvalidIR, Unsupported)):
        Simulation(load_case(case, tmp_path).program)
