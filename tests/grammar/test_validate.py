"""Reading and checking a whole IR: what the reference loads loads, what it refuses is refused where it is wrong."""

import copy
from typing import Any

import pytest

from grammar.validate import InvalidIR, read_program
from tests.cases import Case, case, cases


def is_refused(recorded: Case) -> bool:
    """Whether the reference refuses to load a case."""
    error = recorded.data["expected"].get("error")
    return error is not None and error["kind"] == "validation"


REFUSED = [recorded for recorded in cases("oracle") if is_refused(recorded)]
LOADED = [recorded for recorded in cases("oracle") if not is_refused(recorded)]

WHERE = {
    "229": "blocks[2][5].Observe[1]",
    "231": "blocks[2][1].Hold",
    "232": "blocks[2][1].Hold.pools[0][0]",
    "233": "blocks[2][1].Hold.pools[0][0].index",
    "238": "blocks[4][1].Grow[1]",
    "240": "blocks[2][5].Observe[1]",
    "245": "claims[0].kind",
    "248": "blocks[2][1].Hold.pools[1][1].Cost[1]",
    "250": "blocks[2][1].Hold.pools[2][0]",
    "262": "stages[0].kind.Step.budget",
    "264": "stages[0].kind.Step.iteration[1].Admit.gate.Binary[1]",
    "270": "pools[2].admit_via",
    "281": "blocks[3][0].Run.work",
    "283": "stages[3]",
    "301": "registers[1].name",
}


@pytest.mark.parametrize("recorded", LOADED, ids=str)
def test_what_the_reference_runs_is_a_program(recorded: Case) -> None:
    assert read_program(recorded.data["ir"]).blocks


@pytest.mark.parametrize("recorded", REFUSED, ids=str)
def test_what_the_reference_refuses_is_refused_with_a_rule(recorded: Case) -> None:
    with pytest.raises(InvalidIR) as refused:
        read_program(recorded.data["ir"])
    assert refused.value.rule
    assert refused.value.message


@pytest.mark.parametrize("recorded", [*cases("corpus_ok"), *cases("corpus_runtime"), *cases("bench")], ids=str)
def test_what_a_text_is_compiled_to_is_a_program_of_version_13(recorded: Case) -> None:
    assert recorded.data["ir"]["version"] == 13
    assert read_program(recorded.data["ir"]).blocks


@pytest.mark.parametrize(("number", "path"), list(WHERE.items()))
def test_a_refusal_names_the_node(number: str, path: str) -> None:
    with pytest.raises(InvalidIR) as refused:
        read_program(case("oracle", number).data["ir"])
    assert refused.value.path == path
    assert str(refused.value).startswith(f"{path}: ")


def test_only_version_14_wants_whole_tokens_and_every_stage_used() -> None:
    # 281 computes a third of a prompt, 283 has a stage that nothing runs; 13 takes both.
    for number in ("281", "283"):
        data: dict[str, Any] = copy.deepcopy(case("oracle", number).data["ir"])
        with pytest.raises(InvalidIR):
            read_program(data)
        assert read_program(data | {"version": 13}).blocks


def test_blocks_that_contain_themselves_are_refused_and_checked_in_finite_time() -> None:
    data = copy.deepcopy(case("oracle", "011").data["ir"])
    data["blocks"].append([{"Loop": len(data["blocks"])}])
    data["sides"].append(["Server"])
    with pytest.raises(InvalidIR, match="inside itself"):
        read_program(data)
