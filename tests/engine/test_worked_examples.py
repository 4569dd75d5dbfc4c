"""Seventeen small programs over all of the kernel, iteration by iteration, as the reference runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from grammar import ir
from tests.engine.programs import (
    END,
    JOIN,
    LIFO,
    TURN,
    Model,
    admit,
    assign,
    cached,
    call,
    client,
    computed,
    ctx,
    decode,
    fork,
    grow,
    hold,
    load,
    maximum,
    minimum,
    now,
    prefill,
    present,
    put,
    release,
    repeat,
    run,
    sample,
    serve,
    turn_no,
    when,
)
from tests.engine.watching import finished, samples, trajectory
from tests.engine.worked_results import MEASURED


def two_requests_share_one_token_budget() -> ir.Program:
    m = Model()
    prompt, o = m.size("prompt"), m.size("o")
    kv = m.pool("kv", 160, block=16, preempt=LIFO)
    reqs = m.pool("reqs", 4, admit_via=0)
    llm = m.engine(budget=8, memory=kv)
    m.batch(2)
    m.turn(assign(prompt, 20), assign(o, 5))
    body = [prefill(llm, prompt, kv), decode(llm, o - 1, kv)]
    need = minimum(prompt, call("BudgetLeft", llm))
    m.session(TURN, hold((reqs, 1), (kv, need), cache=prompt, body=body), m.observe("done", now), END)
    return m.build(100)


def growth_preempts_and_recomputes() -> ir.Program:
    m = Model()
    kv = m.pool("kv", 12, preempt=LIFO)
    llm = m.engine(budget=16, memory=kv)
    m.batch(2)
    start = maximum(4, computed)
    m.session(TURN, hold((kv, 4), body=[prefill(llm, start, kv), decode(llm, 6 - (start - 4), kv)]))
    return m.build(30)


def a_head_that_does_not_fit_blocks_the_queue() -> ir.Program:
    m = Model()
    u, w = m.size("u"), m.size("w")
    mem = m.pool("mem", 10)
    dl = m.delay()
    m.sessions((u, w), (6, 4), (8, 1), (2, 1), (2, 5))
    m.session(TURN, hold((mem, u), body=[m.observe("adm", now), run(dl, w)]))
    return m.build(20)


def a_reserve_is_tested_once(*, held: bool = False) -> ir.Program:
    m = Model()
    u, w = m.size("u"), m.size("w")
    mem = m.pool("mem", 10, reserve_held=held)
    dl = m.delay()
    m.sessions((u, w), (4, 4), (4, 2), (2, 1))
    body = [m.observe("adm", now), run(dl, 1), grow(mem, 2), m.observe("grown", now), run(dl, w)]
    m.session(TURN, hold((mem, u, u + 2), body=body))
    return m.build(20)


def a_held_reserve_counts_against_others() -> ir.Program:
    return a_reserve_is_tested_once(held=True)


def a_prefix_is_reused_turn_after_turn() -> ir.Program:
    m = Model()
    c = m.value("c")
    kv = m.pool("kv", 64, block=4)
    llm = m.engine(budget=16, memory=kv)
    dl = m.delay()
    length = turn_no * 10
    body = [assign(c, cached), m.observe("cached", cached), prefill(llm, length - c, kv), decode(llm, 2, kv)]
    turn = [TURN, hold((kv, length), reuse=length - 1, cache=length + 3, body=body), run(dl, 2)]
    m.session(client(repeat(turn_no < 3, turn)))
    return m.build(30)


def a_reuse_bound_leaves_a_dead_entry() -> ir.Program:
    m = Model()
    kv = m.pool("kv", 24, block=4)
    dl = m.delay()
    body = [m.observe("cached", cached), m.observe("left", call("CachedIn", kv)), run(dl, 1)]
    m.session(
        *(TURN, hold((kv, 12), cache=12, body=body), run(dl, 1)),
        *(TURN, hold((kv, 12), reuse=7, cache=12, body=body), run(dl, 1)),
        *(TURN, hold((kv, 20), cache=20, body=[m.observe("cached", cached), run(dl, 1)])),
    )
    return m.build(10)


def eviction_goes_block_by_block() -> ir.Program:
    m = Model()
    u, w = m.size("u"), m.size("w")
    kv = m.pool("kv", 24, block=4)
    dl = m.delay()
    m.sessions((u, w), (12, 1), (8, 2), (16, 4))
    m.session(TURN, run(dl, w), hold((kv, u), cache=u, body=[run(dl, 0.5)]), run(dl, 50))
    return m.build(10)


def a_prefill_runs_alone() -> ir.Program:
    m = Model()
    w, p = m.size("w"), m.size("p")
    kv = m.pool("kv")
    reqs = m.pool("reqs", 4, admit_via=0)
    llm = m.engine(budget=8, serve=None, memory=kv)
    dl = m.delay()
    m.sessions((w, p), (1, 4), (1, 6), (3.5, 10))
    m.session(TURN, run(dl, w), hold((reqs, 1), (kv, p), body=[prefill(llm, p, kv), decode(llm, 4, kv)]))
    return m.build(30)


def a_granule_refuses_what_is_left_of_the_budget() -> ir.Program:
    m = Model()
    p = m.size("p")
    llm = m.engine(budget=10, granule=4)
    m.sessions((p,), (9,), (7,))
    m.session(TURN, prefill(llm, p), decode(llm, 2))
    return m.build(20)


def a_register_guards_admission() -> ir.Program:
    m = Model()
    since = m.register("since", 2)
    reqs = m.pool("reqs", 8, admit_via=0)
    admit_one = [put(since, 0), admit(gate=ctx("Admitted") < 1)]
    llm = m.engine(budget=8, body=[serve(), when(since >= 2, admit_one, [put(since, since + 1)])])
    m.batch(3)
    m.session(TURN, hold((reqs, 1), body=[prefill(llm, 4), decode(llm, 3)]))
    return m.build(30)


def a_queue_key_ages() -> ir.Program:
    m = Model()
    w, pri = m.size("w"), m.size("pri")
    mem = m.pool("mem", 1, queue=[pri - 2 * ctx("Waited")])
    dl = m.delay()
    m.sessions((w, pri), (1, 5), (1.5, 9), (2, 4), (2.5, 8))
    m.session(TURN, run(dl, w), hold((mem, 1), body=[m.observe("adm", now), run(dl, 2)]))
    return m.build(30)


def processor_sharing() -> ir.Program:
    m = Model()
    w, x = m.size("w"), m.size("x")
    ps = m.ps("ps", minimum(present, 2))
    dl = m.delay()
    m.sessions((w, x), (0, 3), (0, 2), (1, 1), (1, 4))
    m.session(TURN, run(dl, w), run(ps, x), m.observe("done", now))
    return m.build(20)


def a_leg_leases_its_prefill() -> ir.Program:
    m = Model()
    kvp, kvd = m.pool("kvp", 20), m.pool("kvd", 40)
    pre = m.engine("pre", budget=8, memory=kvp)
    dec = m.engine("dec", budget=8, cost=0.5, memory=kvd)
    link = m.fifo("link")
    m.batch(2)
    m.session(
        TURN,
        fork([hold((kvp, 12), cache=12, lease=(kvp, 10), body=[prefill(pre, 12, kvp)])]),
        JOIN,
        hold((kvd, 13), cache=15, body=[run(link, 1.5), load(kvd, 12), m.observe("loaded", now), decode(dec, 3, kvd)]),
        release(kvp),
        m.observe("done", now),
    )
    return m.build(20)


def _flows(share: ir.Share, nics: tuple[float, float], core: float, *rows: tuple[float, float]) -> ir.Program:
    m = Model()
    x, src = m.size("x"), m.size("src")
    m.ps("nic", nics[0])
    m.ps("nic", nics[1])
    whole = m.ps("core", core)
    m.sessions((x, src), *rows)
    nic = type(whole)(0, 2, src)
    m.session(TURN, run(nic, x, also=[whole], share=share), m.observe("done", now))
    return m.build(20)


def max_min_of_equal_shares() -> ir.Program:
    return _flows("MaxMin", (2, 2), 3, (4, 0), (4, 0), (4, 1))


def bottleneck_of_equal_shares() -> ir.Program:
    return _flows("Bottleneck", (2, 2), 3, (4, 0), (4, 0), (4, 1))


def max_min_gives_on_what_others_cannot_take() -> ir.Program:
    return _flows("MaxMin", (1, 4), 3, (2, 0), (2, 0), (5, 1))


def bottleneck_leaves_it() -> ir.Program:
    return _flows("Bottleneck", (1, 4), 3, (2, 0), (2, 0), (5, 1))


def a_growth_that_nothing_preempts_waits() -> ir.Program:
    m = Model()
    o = m.size("o")
    kv = m.pool("kv", 11)
    llm = m.engine(budget=16, memory=kv)
    m.sessions((o,), (2,), (4,))
    m.session(TURN, hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, o, kv)]))
    return m.build(20)


def a_victim_already_served_returns_its_tokens() -> ir.Program:
    m = Model()
    pri = m.size("pri")
    kv = m.pool("kv", 12, preempt=LIFO)
    llm = m.engine(budget=3, serve=[pri], memory=kv)
    m.sessions((pri,), (3,), (2,), (1,))
    body = [prefill(llm, maximum(1, computed), kv), decode(llm, 8 - maximum(0, computed - 1), kv)]
    m.session(TURN, hold((kv, 1), body=body))
    return m.build(60)


def poisson_arrivals_at_a_fifo() -> ir.Program:
    m = Model()
    x = m.size("x")
    q = m.fifo("q")
    m.arrive(ir.Poisson(1.0))
    m.turn(assign(x, sample("Exp", 0.5)))
    m.session(m.observe("arrive", now), TURN, run(q, x), m.observe("work", x))
    return m.build(6)


def averages_begin_with_the_warm_up_over() -> ir.Program:
    m = Model()
    kv = m.pool("kv", 8)
    dl = m.delay()
    m.batch(2)
    m.gauge("u", call("Used", kv))
    m.session(TURN, hold((kv, 8), body=[run(dl, 3)]))
    return m.build(10, warmup=4.0)


EXAMPLES: dict[str, Callable[[], ir.Program]] = {
    "E1": two_requests_share_one_token_budget,
    "E2": growth_preempts_and_recomputes,
    "E3": a_head_that_does_not_fit_blocks_the_queue,
    "E4a": a_reserve_is_tested_once,
    "E4b": a_held_reserve_counts_against_others,
    "E5": a_prefix_is_reused_turn_after_turn,
    "E5b": a_reuse_bound_leaves_a_dead_entry,
    "E6": eviction_goes_block_by_block,
    "E7": a_prefill_runs_alone,
    "E8": a_granule_refuses_what_is_left_of_the_budget,
    "E9": a_register_guards_admission,
    "E10": a_queue_key_ages,
    "E11": processor_sharing,
    "E12": a_leg_leases_its_prefill,
    "E13a": max_min_of_equal_shares,
    "E13b": bottleneck_of_equal_shares,
    "E13c": max_min_gives_on_what_others_cannot_take,
    "E13d": bottleneck_leaves_it,
    "E14": a_growth_that_nothing_preempts_waits,
    "E15": a_victim_already_served_returns_its_tokens,
    "E16": poisson_arrivals_at_a_fifo,
    "E17": averages_begin_with_the_warm_up_over,
}

named = pytest.mark.parametrize("name", EXAMPLES, ids=lambda name: f"{name}-{EXAMPLES[name].__name__}")


def test_every_measured_example_has_its_program() -> None:
    assert list(EXAMPLES) == list(MEASURED)


@named
def test_the_iterations_are_those_measured(name: str) -> None:
    program = EXAMPLES[name]()
    several = sum(isinstance(stage.kind, ir.Step) for stage in program.stages) > 1
    rows = []
    for row in trajectory(program):
        engine = f"{program.stages[row.stage].name} | " if several else ""
        rows.append(f"{row.start:g} | {engine}{row.batch or '(only preempted)'} | {row.used or '-'} | {row.cached or '-'}")
    measured = MEASURED[name].rows
    # Of the longest example only the beginning is written down.
    assert rows[: len(measured)] == list(measured)
    assert len(rows) == len(measured) or name == "E15"


@named
def test_the_samples_are_those_measured(name: str) -> None:
    simulation = finished(EXAMPLES[name]())
    for title, expected in MEASURED[name].samples.items():
        assert samples(simulation, title) == expected, title


@named
def test_the_report_is_the_one_measured(name: str) -> None:
    report = finished(EXAMPLES[name]()).report()
    for path, expected in MEASURED[name].figures.items():
        assert _at(report, path) == expected, path


def _at(report: Any, path: str) -> Any:
    for part in path.split("."):
        report = report[int(part)] if part.isdigit() else report[part]
    return report
