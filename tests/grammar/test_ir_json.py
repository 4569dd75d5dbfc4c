"""The kernel IR as JSON: what is recorded of the reference reads and writes back as it was."""

import copy
import json
from typing import Any

import pytest

from grammar import ir
from grammar.ir_json import CannotSay, InvalidIR, from_json, to_json
from tests.cases import Case, case, cases

# Cases whose fields were put in another order by hand than the reference writes.
REORDERED = {"129", "130", "131", "135", "178", "179", "180", "207"} | {"268", "269", "276", *map(str, range(290, 296))}
UNREADABLE = {"226-bad-version", "227-bad-missing-field", "228-bad-variant"}

COMPILED = [*cases("corpus_ok"), *cases("corpus_runtime"), *cases("bench")]


def minimal() -> dict[str, Any]:
    """A program of one session that runs one second on a delay stage, as version 14."""
    return copy.deepcopy(case("oracle", "011").data["ir"])


@pytest.mark.parametrize("recorded", COMPILED, ids=str)
def test_the_ir_of_a_compiled_text_is_written_back_letter_for_letter(recorded: Case) -> None:
    data = recorded.data["ir"]
    assert json.dumps(to_json(from_json(data))) == json.dumps(data)


@pytest.mark.parametrize("recorded", [c for c in cases("oracle") if c.name not in UNREADABLE], ids=str)
def test_an_ir_of_version_14_is_written_back_as_it_was(recorded: Case) -> None:
    data = recorded.data["ir"]
    written = to_json(from_json(data), 14)
    assert written == data
    if recorded.name[:3] not in REORDERED:
        assert json.dumps(written) == json.dumps(data)


@pytest.mark.parametrize(
    ("name", "path", "words"),
    [
        ("226-bad-version", "version", "99"),
        ("227-bad-missing-field", "", "slot_computed"),
        ("228-bad-variant", "stages[1].kind", "Delay"),
    ],
)
def test_an_ir_of_another_form_is_refused_at_its_node(name: str, path: str, words: str) -> None:
    with pytest.raises(InvalidIR) as refused:
        from_json(case("oracle", name).data["ir"])
    assert refused.value.path == path
    assert words in refused.value.message


def test_a_policy_of_flows_is_read_from_the_program_or_from_the_run() -> None:
    # ok/064 has runs over two stages and the program's share; 0.1.5 and 0.1.6 write it in each run.
    in_program = case("corpus_ok", "064").data["ir"]
    program = from_json(in_program)
    both = to_json(program, share_in_runs=True)
    in_runs = {key: value for key, value in both.items() if key != "share"}
    assert "share" in both
    assert from_json(both) == from_json(in_runs) == program
    assert {run.share for block in program.blocks for run in block if isinstance(run, ir.Run) and run.also} == {"MaxMin"}


def test_version_14_reads_no_policy_from_the_program() -> None:
    data = case("corpus_ok", "064").data["ir"] | {"version": 14}
    runs = [run for block in from_json(data).blocks for run in block if isinstance(run, ir.Run) and run.also]
    assert runs
    assert all(run.share is None for run in runs)


def test_version_12_writes_the_delay_as_a_kind_of_its_own() -> None:
    program = from_json(minimal())
    old = to_json(program, 12)
    assert (
        [stage["kind"] for stage in old["stages"]].count("Delay") == sum(s.kind == ir.Ps(ir.Ctx("N")) for s in program.stages) > 0
    )
    assert from_json(old) == program


def test_version_12_also_reads_a_power_written_as_a_function() -> None:
    data = to_json(from_json(minimal()), 12)
    data["gauges"] = [{"name": "g", "expr": {"Call": ["Pow", [{"Expr": {"Num": 2.0}}, {"Expr": {"Num": 3.0}}]]}}]
    assert from_json(data).gauges == (ir.Gauge("g", ir.Binary("Pow", ir.Num(2.0), ir.Num(3.0))),)
    with pytest.raises(InvalidIR, match="Pow"):
        from_json(data | {"version": 13, "stages": []})


@pytest.mark.parametrize(
    ("number", "path", "construct"),
    [
        ("183", "blocks[2][2].Observe[1].Call", "Allocated"),
        ("185", "pools[0].queue_every", "ticks"),
        ("187", "pools[0].preempt.Leases", "preemption of leases"),
        ("191", "blocks[2][1].Hold.prefix", "shared prefix"),
        ("195", "blocks[2][1].Run.latency", "latency"),
        ("196", "blocks[2][3].Run.share", "two policies"),
        ("197", "stages[0].kind.Step.request", "request clause"),
        ("222", "blocks[2][1].Request", "native request"),
    ],
)
def test_an_older_version_refuses_what_it_cannot_say_and_names_the_node(number: str, path: str, construct: str) -> None:
    program = from_json(case("oracle", number).data["ir"])
    for version in (12, 13):
        with pytest.raises(CannotSay) as refused:
            to_json(program, version)
        assert refused.value.path == path
        assert construct in refused.value.construct
        assert refused.value.version == version


def test_a_shrink_has_no_form_before_version_14() -> None:
    data = minimal()
    shrink = {"Shrink": [{"base": 0, "count": 1, "index": None}, {"Num": 1.0}]}
    data["blocks"][data["session"]].insert(1, shrink)
    with pytest.raises(CannotSay, match=r"blocks\[\d+\]\[1\]\.Shrink"):
        to_json(from_json(data), 13)


def test_a_server_that_ends_the_session_is_not_of_version_12() -> None:
    data = minimal()
    data["sides"][data["session"]][-1] = "Server"
    assert data["blocks"][data["session"]][-1] == "End"
    program = from_json(data)
    assert from_json(to_json(program, 13)) == program
    with pytest.raises(CannotSay, match=r"blocks\[\d+\]\[\d+\]"):
        to_json(program, 12)


@pytest.mark.parametrize("version", [0, 11, 15])
def test_no_other_version_is_written(version: int) -> None:
    with pytest.raises(ValueError, match=str(version)):
        to_json(from_json(minimal()), version)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"seed": 1.0}, "seed"),  # a real is no integer
        ({"seed": -1}, "seed"),
        ({"seed": True}, "seed"),
        ({"seed": 2**64}, "seed"),
        ({"horizon": "inf"}, "horizon"),  # an infinity is read in three places only
        ({"horizon": None}, "horizon"),
        ({"horizon": 10**400}, "horizon"),
        ({"horizon": float("nan")}, "horizon"),
        ({"arrival": {"Poisson": "inf"}}, "arrival.Poisson"),
        ({"arrival": {"Poisson": 1.0, "Batch": 1}}, "arrival"),
        ({"gauges": None}, "gauges"),  # a default may be absent, not null
        ({"gauges": [{"name": "g", "expr": {"Num": "Infinity"}}]}, "gauges[0].expr.Num"),
        ({"gauges": [{"name": "g", "expr": {"Sum": []}}]}, "gauges[0].expr"),
        ({"blocks": [["Sleep"]]}, "blocks[0][0]"),
        ({"blocks": [[{"Set": [1]}]]}, "blocks[0][0].Set"),
        ({"attrs": "cached"}, "attrs"),
    ],
)
def test_a_value_of_another_type_is_refused_where_it_stands(change: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidIR) as refused:
        from_json(minimal() | change)
    assert refused.value.path == path


@pytest.mark.parametrize(
    "change", [{"seed": 2**64 - 1}, {"horizon": 50}, {"share": 7}, {"nothing_of_ours": {}}, {"trace": None}, {"arrivals": None}]
)
def test_whole_reals_unknown_fields_and_null_options_are_read(change: dict[str, Any]) -> None:
    assert from_json(minimal() | change).blocks


def test_an_ir_nested_without_end_is_refused_and_not_a_crash() -> None:
    expr: dict[str, Any] = {"Num": 1.0}
    for _ in range(100_000):
        expr = {"Unary": ["Neg", expr]}
    with pytest.raises(InvalidIR, match="nested"):
        from_json(minimal() | {"gauges": [{"name": "g", "expr": expr}]})
