"""Flows over several stages: their rates, their ends, and who else they touch (R5.8 to R5.10)."""

from __future__ import annotations

import pytest

from grammar import ir
from tests.engine.programs import Model, branch, decode, grow, hold, now, prefill, run, serial
from tests.engine.watching import finished, report, samples, values


def _done(share: ir.Share, caps: list[float], *flows: tuple[float, float, tuple[int, ...]]) -> list[tuple[float, int]]:
    """(time, session) of the ends of flows (start, work, stages)."""
    m = Model()
    dl = m.delay("arrive")
    stages = [m.ps(f"s{i}", cap) for i, cap in enumerate(caps)]
    m.batch(len(flows))

    def one(i: int) -> list[object]:
        start, work, over = flows[i]
        mine = [run(dl, start), run(stages[over[0]], work, also=[stages[s] for s in over[1:]], share=share)]
        return [*mine, m.observe("done", now)]

    body = one(len(flows) - 1)
    for i in reversed(range(len(flows) - 1)):
        body = [branch(serial.equals(i), one(i), body)]
    m.session(*body)
    return [(time, session) for time, session, _, _ in samples(finished(m.build()), "done")]


@pytest.mark.parametrize("share", ["MaxMin", "Bottleneck"])
def test_a_flow_alone_goes_at_the_least_capacity(share: ir.Share) -> None:
    """R5.10: 6 units over stages of 3 and 2: 3 seconds."""
    assert _done(share, [3, 2], (0, 6, (0, 1))) == [(3, 0)]


def test_of_a_bottleneck_each_gets_its_share_wherever_it_is_least() -> None:
    """R5.10.3: flow 0 over (0, 1), flow 1 over (1, 2); capacities 4, 4, 1: flow 1 has min(4/2, 1) = 1, flow 0 min(4, 4/2) = 2."""
    assert _done("Bottleneck", [4, 4, 1], (0, 6, (0, 1)), (0, 3, (1, 2))) == [(3, 0), (3, 1)]


def test_max_min_gives_one_flow_what_another_cannot_use() -> None:
    """R5.10.4: as above flow 1 is held at 1 by stage 2, so flow 0 gets the other 3 of stage 1: 6 in 2 seconds."""
    assert _done("MaxMin", [4, 4, 1], (0, 6, (0, 1)), (0, 3, (1, 2))) == [(2, 0), (3, 1)]


def test_max_min_fills_the_tightest_stage_first_again_and_again() -> None:
    """R5.10.4: stages of 3, 4 and 9; flows over (0, 2), (0, 1), (1, 2), (2, 0) ... by hand:

    Stage 0 has flows 0 and 1: 1.5 each, the tightest (stage 1: 4/2, stage 2: 9/2). Stage 1 then has
    4 - 1.5 = 2.5 for flow 2 alone; stage 2 has 9 - 1.5 for it: flow 2 gets 2.5. Works 3, 3, 5: all end at 2.
    """
    assert _done("MaxMin", [3, 4, 9], (0, 3, (0, 2)), (0, 3, (0, 1)), (0, 5, (1, 2))) == [(2, 0), (2, 1), (2, 2)]


def test_a_flow_that_arrives_slows_those_it_meets() -> None:
    """R5.10.1: flow 0 has done 1 of 4 at rate 1 when flow 1 joins; at 1/2 each flow 1's 2 end at 5; flow 0 has 1 left then."""
    assert _done("MaxMin", [1, 1], (0, 4, (0, 1)), (1, 2, (0, 1))) == [(5, 1), (6, 0)]


def test_flows_that_share_no_stage_keep_their_rates() -> None:
    """R5.10.2, R5.10.5: both go at 1; when flow 0 ends the other is brought to 0.3 and its end set anew from there."""
    end = 0.3 + (0.7 - 1.0 * (0.3 - 0.1))
    assert _done("Bottleneck", [1, 1, 1, 1], (0, 0.3, (0, 1)), (0.1, 0.7, (2, 3))) == [(0.3, 0), (end, 1)]


def test_every_start_and_end_brings_all_flows_up_to_now() -> None:
    """R5.10.1: 1 unit at 0.3, advanced in many pieces by another fabric's flows, rounds away from 1 / 0.3 (measured)."""
    done = _done("MaxMin", [0.3, 0.3, 1, 1], (0, 1, (0, 1)), *((0.1 * i, 0.05, (2, 3)) for i in range(1, 8)))
    assert [time for time, flow in done if flow == 0] == [3.3333333333333326]


def test_the_effect_of_a_flow_is_felt_through_a_third() -> None:
    """R5.10.2: flow 2 joins at 2 over (2, 3); it touches flow 1 at stage 2, and through it flow 0 at stage 1.

    Capacities 9, 2, 2, 9. From 0 flows 0 and 1 have 1 each at stage 1. From 2 on flow 1 shares stage 2 with
    flow 2: 1 each; nothing changes for flow 0. With flow 2's works of 1 it ends at 3, flow 0 (4) and flow 1 (4) at 4.
    """
    assert _done("MaxMin", [9, 2, 2, 9], (0, 4, (0, 1)), (0, 4, (1, 2)), (2, 1, (2, 3))) == [(3, 2), (4, 0), (4, 1)]


def test_a_run_on_a_shared_stage_without_others_is_a_flow_too() -> None:
    """R5.8: it shares stage 0 with the flow over both: 1/2 each."""
    assert _done("MaxMin", [1, 5], (0, 2, (0, 1)), (0, 1, (0,))) == [(2, 1), (3, 0)]


def test_equal_ends_come_in_the_order_of_the_flows() -> None:
    """R5.10.5."""
    assert _done("MaxMin", [2, 2], (0, 1, (0, 1)), (0, 1, (1, 0))) == [(1, 0), (1, 1)]


def test_no_work_is_no_flow() -> None:
    """R5.9."""
    assert _done("MaxMin", [1, 1], (0, 0, (0, 1)), (0, 1, (0, 1))) == [(0, 0), (1, 1)]


def test_a_flow_counts_at_each_of_its_stages() -> None:
    """R5.10, R5.11, R9.3: one flow of 4 over stages of 2 and 8: 2 seconds at 2, of 10."""
    m = Model()
    a, b = m.ps("a", 2), m.ps("b", 8)
    m.session(run(a, 4, also=[b]), m.observe("done", now))
    program = m.build(10)
    first, second = report(program)["stages"]
    assert values(program, "done") == [2]
    assert (first["completed"], second["completed"]) == (1, 1)
    assert (first["mean_number"], second["mean_number"]) == (0.2, 0.2)
    # The utilization of a shared stage is what flows through it over its capacity.
    assert (first["utilization"], second["utilization"]) == (0.2, 0.05)


def test_a_member_of_an_array_makes_all_members_shared() -> None:
    """R1.14, R5.8: a run on member 1 alone is a flow although only member 0 is named together with the core."""
    m = Model()
    k = m.size("k")
    nic = m.ps("nic", 2, members=2)
    core = m.ps("core", 1)
    m.sessions((k,), (0,), (1,))
    m.session(branch(k < 1, [run(nic[0], 2, also=[core])], [run(nic[1], 2)]), m.observe("done", now))
    program = m.build()
    assert values(program, "done") == [1, 2]
    assert report(program)["stages"][1]["utilization"] == 0.01


def test_a_flow_of_a_victim_is_taken_away_and_the_others_get_its_share() -> None:
    """R5.12: two flows of 4 at 1/2 each until 2; session 2 loses its hold: session 1's flow has 3 left and ends at 5."""
    m = Model()
    kv = m.pool("kv", 9, preempt=[-serial])
    a, b = m.ps("a", 1), m.ps("b", 1)
    dl = m.delay()
    m.batch(3)
    flows = hold((kv, 3), body=[run(a, 4, also=[b]), m.observe("done", now), run(dl, 90)])
    pushes = [hold((kv, 3), body=[run(dl, 2), grow(kv, 1), run(dl, 90)])]
    m.session(branch(serial < 1, pushes, [flows]))
    simulation = finished(m.build(50))
    assert [s[:2] for s in samples(simulation, "done")] == [(5, 1)]


def test_an_engine_starts_before_the_next_end_of_the_same_instant_is_known() -> None:
    """R2.6 2 and 4, R5.10.5: both flows end at 3, but the second's end is set only after the attempts of the first's.

    So the decode of session 0 starts at 3 alone, and that of session 1 at 4.
    """
    m = Model()
    kv = m.pool("kv", 20)
    llm = m.engine(memory=kv)
    a, b = m.ps("a", 2), m.ps("b", 2)
    m.batch(2)
    m.session(hold((kv, 4), body=[prefill(llm, 4, kv), run(a, 2, also=[b]), decode(llm, 1, kv), m.observe("done", now)]))
    assert values(m.build(), "done") == [4, 5]
