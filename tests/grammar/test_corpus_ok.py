"""Every accepted program of the text corpus lowers to the IR the reference made of it."""

from __future__ import annotations

import pytest

from grammar import ir
from grammar.ir_json import to_json
from tests.cases import Case, cases
from tests.comparing import first_difference
from tests.grammar.linking import linked


@pytest.mark.tally("corpus/ok, linked")
@pytest.mark.parametrize("case", cases("corpus_ok"), ids=str)
def test_a_program_lowers_to_the_ir_recorded_of_the_reference(case: Case) -> None:
    assert first_difference(case.data["ir"], to_json(linked(case).program, 13)) is None


@pytest.mark.parametrize("case", cases("corpus_ok"), ids=str)
def test_every_statement_has_a_place_inside_the_text(case: Case) -> None:
    result = linked(case)
    lines = case.source.split("\n")
    program, places = result.program, result.places
    assert set(places.statements) == {(b, i) for b, block in enumerate(program.blocks) for i in range(len(block))}
    engines = {number for number, stage in enumerate(program.stages) if isinstance(stage.kind, ir.Step)}
    assert set(places.execute) == set(places.tokens_cap) == {stage for stage, _ in places.schedule} == engines
    for where in (places.statements, places.schedule, places.execute, places.tokens_cap):
        for place in where.values():
            assert 1 <= place.line <= place.end_line <= len(lines)
            assert 1 <= place.column <= len(lines[place.line - 1])
            assert (place.line, place.column) < (place.end_line, place.end_column)


@pytest.mark.parametrize("case", cases("corpus_ok"), ids=str)
def test_every_schedule_statement_has_a_path_to_its_place(case: Case) -> None:
    result = linked(case)
    for number, stage in enumerate(result.program.stages):
        if isinstance(stage.kind, ir.Step):
            # The default procedure and exclusive prefill are stepped as their two statements.
            wanted = {(0,), (1,)} if stage.kind.iteration is None else set(_paths(stage.kind.iteration, ()))
            assert {path for of, path in result.places.schedule if of == number} == wanted


def _paths(statements: tuple[ir.ScheduleStatement, ...], before: tuple[int, ...]) -> list[tuple[int, ...]]:
    paths = []
    for index, statement in enumerate(statements):
        here = (*before, index)
        paths.append(here)
        if isinstance(statement, ir.SBranch):
            paths += _paths(statement.then, (*here, 0)) + _paths(statement.orelse, (*here, 1))
    return paths
