"""What the client sees, and the gaps between tokens (R9.20 to R9.24, R6.31, R9.8)."""

from __future__ import annotations

from typing import Any

from tests.engine.programs import (
    JOIN,
    LIFO,
    TURN,
    Model,
    assign,
    branch,
    client,
    computed,
    decode,
    fork,
    grow,
    hold,
    maximum,
    prefill,
    run,
    serial,
)
from tests.engine.watching import finished, report, samples


def seen(*body: Any, warmup: float = 0.0, **engine: Any) -> dict[str, list[tuple[float, float]]]:
    """(time, value) of ttft, tpot, response of one session; ``llm`` is its engine, ``dl`` a delay."""
    m, _, _ = _made(**engine)
    # A run of nothing, so that every program has its delay.
    m.session(*body, run(DL, 0))
    simulation = finished(m.build(50, warmup=warmup))
    return {name: [(s[0], s[3]) for s in samples(simulation, f"client.{name}")] for name in ("ttft", "tpot", "response")}


def _made(**engine: Any) -> tuple[Model, Any, Any]:
    m = Model()
    return m, m.engine(**engine), m.delay()


_, LLM, DL = _made()
"""The engine and the delay of every program here are declared alike, so their handles can be shared."""


def test_a_first_token_is_the_prefills_and_the_response_comes_with_the_end_of_the_turn() -> None:
    """R9.21, R9.22: prefill ends at 1, three decodes at 2, 3, 4, one second more: ttft 1, tpot (5 - 1) / 3, response 5."""
    assert seen(TURN, prefill(LLM, 4), decode(LLM, 3), run(DL, 1)) == {
        "ttft": [(1, 1)],
        "tpot": [(5, 4 / 3)],
        "response": [(5, 5)],
    }


def test_an_unconfirmed_first_token_is_known_at_the_end_of_the_turn() -> None:
    """R9.21: a prefill alone, then 2 seconds: the ttft of 1 is recorded at 3, and no tpot."""
    assert seen(TURN, prefill(LLM, 4), run(DL, 2)) == {"ttft": [(3, 1)], "tpot": [], "response": [(3, 3)]}


def test_a_later_prefill_replaces_the_first_token_until_a_decode_follows() -> None:
    """R9.22: prefills end at 1 and 3 (a second between them); the decode confirms 3."""
    assert seen(TURN, prefill(LLM, 4), run(DL, 1), prefill(LLM, 2), decode(LLM, 1))["ttft"] == [(3, 3)]


def test_a_decode_right_at_the_first_token_confirms_it_whatever_its_work() -> None:
    """R9.23: a decode of nothing at 1; the prefill's end at 3 is then a token after the first: tpot (3 - 1) / 1."""
    figures = seen(TURN, prefill(LLM, 4), decode(LLM, 0), run(DL, 1), prefill(LLM, 2))
    assert (figures["ttft"], figures["tpot"]) == ([(1, 1)], [(3, 2)])


def test_a_decode_later_than_the_first_token_confirms_it_with_its_own_token() -> None:
    """R9.22: the decode starts at 2; its token at 3 confirms the first of 1."""
    figures = seen(TURN, prefill(LLM, 4), run(DL, 1), decode(LLM, 1))
    assert (figures["ttft"], figures["tpot"]) == ([(3, 1)], [(3, 2)])


def test_a_decode_without_a_prefill_brings_the_first_token_itself() -> None:
    """R9.22: tokens at 1 and 2: ttft 1, tpot (2 - 1) / 1."""
    assert seen(TURN, decode(LLM, 2)) == {"ttft": [(1, 1)], "tpot": [(2, 1)], "response": [(2, 2)]}


def test_every_turn_is_measured_from_its_own_beginning() -> None:
    """R9.21: turns at 0 and 3: the second's ttft is 1 again."""
    figures = seen(TURN, prefill(LLM, 4), run(DL, 2), TURN, prefill(LLM, 4))
    assert (figures["ttft"], figures["response"]) == ([(3, 1), (4, 1)], [(3, 3), (4, 1)])


def test_a_statement_of_the_client_ends_the_response() -> None:
    """R9.21, measured: what the workload does after the answer (2 seconds) is not the server's time."""
    m, llm, home = _made()
    m.session(TURN, prefill(llm, 4), client(run(home, 2)))
    simulation = finished(m.build(50))
    assert samples(simulation, "client.response") == [(1, 0, 1, 1)]
    assert simulation.report()["stages"][1]["completed"] == 1


def test_without_a_turn_nothing_is_measured() -> None:
    """R9.21."""
    assert seen(prefill(LLM, 4), decode(LLM, 1)) == {"ttft": [], "tpot": [], "response": []}


def test_a_turn_open_at_the_end_of_the_run_gives_what_it_has_given() -> None:
    """R9.21: confirmed at 1; the horizon cuts the rest."""
    assert seen(TURN, prefill(LLM, 4), decode(LLM, 1), run(DL, 99)) == {"ttft": [(1, 1)], "tpot": [], "response": []}


def test_values_are_recorded_while_warm_at_the_time_they_are_known() -> None:
    """R9.24: ttft is known at 1, within the warm-up of 2; the response at 3."""
    figures = seen(TURN, prefill(LLM, 4), decode(LLM, 2), warmup=2.0)
    assert (figures["ttft"], figures["tpot"], figures["response"]) == ([], [(3, 1)], [(3, 3)])


def test_the_tokens_of_a_leg_are_its_sessions() -> None:
    """R9.20, R9.22: the leg's prefill ends at 1, its decode at 2, then the session's own decode at 3."""
    figures = seen(TURN, fork([prefill(LLM, 4), decode(LLM, 1)]), JOIN, decode(LLM, 1))
    assert figures == {"ttft": [(1, 1)], "tpot": [(3, 1)], "response": [(3, 3)]}


def test_a_decode_of_a_leg_confirms_for_its_session() -> None:
    """R9.23, R9.20."""
    figures = seen(TURN, prefill(LLM, 4), fork([decode(LLM, 0)]), JOIN, run(DL, 1), prefill(LLM, 1))
    assert (figures["ttft"], figures["tpot"]) == ([(1, 1)], [(3, 2)])


def test_the_tokens_of_an_orphan_are_nobodys() -> None:
    """R9.20, R3.17: the session is refused at 1; its leg decodes on until 3 and is measured nowhere."""
    m = Model()
    n = m.size("n")
    mem = m.pool("mem", 1)
    llm = m.engine()
    dl = m.delay()
    m.sessions((n,), (2,))
    m.session(TURN, fork([run(dl, 2), prefill(llm, 1), decode(llm, 1)]), run(dl, 1), hold((mem, n)), JOIN)
    figures = report(m.build())["client"]
    assert {name: figures[name]["count"] for name in figures} == {"ttft": 0, "tpot": 0, "response": 0}


def test_a_preemption_does_not_touch_the_clients_clock() -> None:
    """R9.22: E2's second session: its first token of 1 stands, though it starts over twice."""
    m = Model()
    kv = m.pool("kv", 12, preempt=LIFO)
    llm = m.engine(budget=16, memory=kv)
    m.batch(2)
    start = maximum(4, computed)
    m.session(TURN, hold((kv, 4), body=[prefill(llm, start, kv), decode(llm, 6 - (start - 4), kv)]))
    assert [s[3] for s in samples(finished(m.build(30)), "client.ttft")] == [1, 1]


# --------------------------------------------------------------------------- gaps between tokens


def gaps(*body: Any, **settings: Any) -> tuple[float | None, float | None]:
    """(mean, number) of the gaps of one session at the engine, the number by way of the mean of ones."""
    m, _, _ = _made()
    # A run of nothing, so that every program has its delay.
    m.session(*body, run(DL, 0))
    simulation = finished(m.build(50, **settings))
    histogram = simulation.state.stages[0].gaps
    return histogram.mean(), histogram.n


def test_a_gap_lies_between_a_token_and_the_decode_after_it() -> None:
    """R6.31: prefill at 1, decodes at 2 and 3, one after a second at 5: gaps 1, 1, 2."""
    assert gaps(TURN, prefill(LLM, 4), decode(LLM, 2), run(DL, 1), decode(LLM, 1)) == (4 / 3, 3)


def test_a_prefill_that_follows_nothing_replaces_the_token_before_it() -> None:
    """R6.31: prefills at 1 and 4, a decode at 5: one gap of 1."""
    assert gaps(TURN, prefill(LLM, 4), run(DL, 2), prefill(LLM, 4), decode(LLM, 1)) == (1, 1)


def test_a_prefill_after_a_decode_follows_it() -> None:
    """R6.31: tokens at 1, 2 and, after a second, the prefill's at 4: gaps 1 and 2."""
    assert gaps(TURN, prefill(LLM, 4), decode(LLM, 1), run(DL, 1), prefill(LLM, 1)) == (1.5, 2)


def test_a_new_turn_begins_without_a_token() -> None:
    """R6.31: the decode of the second turn has none before it."""
    assert gaps(TURN, decode(LLM, 1), TURN, decode(LLM, 1)) == (None, 0)


def test_gaps_count_while_warm() -> None:
    """R6.31: tokens at 1, 2, 3; warm from 2.5 on: one gap."""
    assert gaps(TURN, decode(LLM, 3), warmup=2.5) == (1, 1)


def test_a_prefill_after_a_preemption_follows_at_the_same_engine() -> None:
    """R6.31, E2: session 1's tokens at 1, 2, 3, then, preempted, its prefill's at 8: a gap of 5 among ones."""
    m = Model()
    kv = m.pool("kv", 12, preempt=LIFO)
    llm = m.engine(budget=16, memory=kv)
    m.batch(2)
    start = maximum(4, computed)
    m.session(TURN, hold((kv, 4), body=[prefill(llm, start, kv), decode(llm, 6 - (start - 4), kv)]))
    stage = report(m.build(30))["stages"][0]
    assert (stage["itl_p50"], stage["itl_p99"]) == (1, 5)


def test_a_preemption_before_any_decode_counts_at_the_same_engine_only() -> None:
    """R6.31: a prefill's token at 1, preempted at 2 by a growth elsewhere; the recomputed prefill ends at 4.

    At the same engine the gap of 3 is seen; at another one (member 1) it is not.
    """
    for other, seen_gaps in ((0, 1), (1, 0)):
        m = Model()
        again = m.value("again")
        kv = m.pool("kv", 8, preempt=[-serial])
        first = m.engine("llm", members=2)
        dl = m.delay()
        m.batch(2)
        pushes = [hold((kv, 4), body=[run(dl, 2), grow(kv, 1), run(dl, 1)])]
        victim = [hold((kv, 4), body=[prefill(first[again * other], 2), assign(again, 1), run(dl, 9)])]
        m.session(branch(serial.equals(0), pushes, victim))
        simulation = finished(m.build(20))
        assert sum(st.gaps.n for st in simulation.state.stages[:2]) == seen_gaps


def test_a_leg_has_a_meter_of_its_own() -> None:
    """R3.14, R6.31: the leg's decode at 2 has no token before it, though its session prefilled at 1."""
    assert gaps(TURN, prefill(LLM, 4), fork([decode(LLM, 1)]), JOIN) == (None, 0)
