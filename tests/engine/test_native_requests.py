"""Native requests, clause by clause; the numbers were measured on the reference (pyserq 0.1.6) unless derived."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.simulation import Simulation
from grammar import ir
from tests.engine.programs import LIFO, Model
from tests.engine.programs import now as clock

KNOWN, HIT, INPUT, OUTPUT, FINISHED = (ir.Ctx(name) for name in ("Known", "Hit", "Input", "Output", "Finished"))
SESSION_BLOCK_REQUEST = (2, 1)
"""The request's statement in ``_program``: the second of the session block."""


def _program(
    tokens: float,
    output: float,
    sessions: int = 1,
    *,
    cap: float = 100.0,
    block: float | None = None,
    turns: int = 1,
    **clause: Any,
) -> ir.Program:
    """An engine of 8 tokens and 1 second an iteration; each session asks it ``turns`` times.

    The observations are ``reused`` and ``prefill`` of every admission and ``done``, the time of every answer.
    """
    m = Model()
    kv = m.pool("kv", cap, block=block, preempt=LIFO, admit_via=0)
    m.engine(budget=8, memory=kv)
    m.batch(sessions)
    m.session(m.observe("reused", 0), m.observe("prefill", 0), m.observe("done", clock))
    program = m.build()
    attrs = len(program.attrs)
    records = ir.RequestRecords(0, 1, attrs, attrs + 1, attrs + 2, attrs + 3)
    given = {"pools": (ir.Take(ir.Ref(0), KNOWN),), "cache": None, "reuse": None, **clause}
    engine = program.stages[0]
    assert isinstance(engine.kind, ir.Step)
    request = ir.Request(ir.Ref(0), ir.Num(tokens), ir.Num(output))
    done = ir.Observe(2, ir.Ctx("Now"))
    session = (ir.Turn(), request, done) * turns
    blocks = list(program.blocks)
    sides = list(program.sides)
    blocks[program.session] = (*session, ir.End())
    sides[program.session] = ("Workload", "Server", "Server") * turns + ("Workload",)
    return replace(
        program,
        stages=(replace(engine, kind=replace(engine.kind, request=ir.RequestClause(records=records, **given))),),
        attrs=(*program.attrs, "admitted", "first", "reused", "prefill"),
        attr_types=program.attr_types + ("Value",) * 4,
        blocks=tuple(blocks),
        sides=tuple(sides),
        horizon=60.0,
    )


def _run(program: ir.Program) -> Simulation:
    simulation = Simulation(program)
    simulation.run()
    simulation.close()
    return simulation


def _samples(simulation: Simulation, name: str) -> list[float]:
    samples: list[float] = simulation.result()["observes"][name]["samples"]
    return samples


def test_a_request_prefills_its_input_and_decodes_the_rest_of_its_output() -> None:
    """10 tokens under 8 an iteration are 2 iterations, the second with the first token; 3 more decodes: done at 5."""
    simulation = _run(_program(10, 4))
    assert _samples(simulation, "prefill") == [10]
    assert _samples(simulation, "done") == [5]
    assert simulation.result()["client"]["ttft"]["samples"] == [2]


def test_a_request_for_one_token_is_done_with_its_prefill() -> None:
    assert _samples(_run(_program(8, 1)), "done") == [1]


@pytest.mark.parametrize("output", [0, 0.5])
def test_a_request_asks_for_one_token_at_least(output: float) -> None:
    failure = _run(_program(8, output)).failure
    assert failure is not None
    assert failure.statement == SESSION_BLOCK_REQUEST
    assert "one at least" in failure.message


def test_a_preempted_request_recomputes_what_it_had_generated() -> None:
    """Two requests of 4 tokens in 12 units: after 4 + 4 and one decode each 10 are used, after two 12.

    The third decode of the first takes the second's hold, which has its 4 tokens, one from the prefill
    and two decoded: it comes back with 7 to compute once the first is done.
    """
    simulation = _run(_program(4, 6, 2, cap=12))
    assert _samples(simulation, "prefill") == [4, 4, 7]
    assert simulation.report()["pools"][0]["preemptions"] == 1


def test_what_stays_cached_depends_on_whether_the_request_finished() -> None:
    """``Finished`` is 1 at the end: the next turn finds 4 + 2 computed positions in whole blocks of 2, reused up to 3 → 2."""
    finished_only = ir.Cond(FINISHED, ir.Binary("Add", INPUT, OUTPUT), ir.Num(0.0))
    program = _program(4, 3, block=2, turns=2, cache=finished_only, reuse=ir.Binary("Sub", INPUT, ir.Num(1.0)))
    assert _samples(_run(program), "reused") == [0, 2]


def test_a_prefix_longer_than_what_is_known_leaves_nothing_to_prefill() -> None:
    """Without ``reuse`` all that is cached is taken: 4 + 3 - 1 = 6 positions, 2 more than the next turn's 4."""
    program = _program(4, 3, turns=2, cache=ir.Binary("Add", INPUT, OUTPUT))
    simulation = _run(program)
    assert _samples(simulation, "reused") == [0, 6]
    assert _samples(simulation, "prefill") == [4, -2]


def test_units_that_read_the_request_are_judged_as_it_joins() -> None:
    """``Known`` does not move while a request waits (R4.6): 101 of 100 units are refused at once."""
    pool = _run(_program(101, 2)).report()["pools"][0]
    assert (pool["rejected"], pool["over_cap"]) == (1, None)


def test_units_that_read_the_cache_wait_and_are_told_of_at_the_end() -> None:
    """``Hit`` may change while a request waits, so nothing is refused (R9.29)."""
    units = ir.Binary("Sub", KNOWN, HIT)
    pool = _run(_program(101, 2, pools=(ir.Take(ir.Ref(0), units),))).report()["pools"][0]
    assert pool["rejected"] == 0
    assert pool["over_cap"] == {"queue": "kv", "need": 101}
