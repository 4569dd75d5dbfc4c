"""Clones: a run goes on from anywhere by itself, and what both lived through is kept once."""

from __future__ import annotations

from inspect import isgetsetdescriptor, ismemberdescriptor
from typing import Any

import pytest

from engine.decisions import Decision
from engine.history import History
from engine.request_context import RequestState
from engine.rng import Stream
from engine.session_state import HeldPool, Hold, Job, Lease, OpenTurn, Pending, Session
from engine.simulation import Simulation
from grammar import ir
from tests.engine.programs import (
    INF,
    JOIN,
    LIFO,
    TURN,
    Model,
    assign,
    branch,
    cached,
    call,
    client,
    ctx,
    decode,
    fork,
    grow,
    hold,
    load,
    now,
    prefill,
    run,
    sample,
    serial,
)
from tests.engine.test_worked_examples import EXAMPLES


def everything() -> ir.Program:
    """Legs, leases, flows, growers, all streams, gauges, claims and histories in one small program."""
    m = Model()
    x = m.value("x")
    kv = m.pool("kv", 14, block=2, preempt=LIFO, evict=[sample("Uniform", 0, 1)], spill=(1, 1, ctx("Size") * sample("Exp", 0.1), 1))
    tier = m.pool("tier", 30, block=2)
    disk_at = 1
    llm = m.engine(budget=6, cost=0.5 + sample("Uniform", 0, 0.5), memory=kv)
    disk = m.fifo("disk")
    assert disk.base == disk_at
    nic, core = m.ps("nic", 2), m.ps("core", 1)
    ps = m.ps("ps", 1 + sample("Uniform", 0, 1))
    m.arrive(ir.Poisson(1.0))
    m.turn(m.observe("turn", sample("Exp", 1)))
    m.gauge("used", call("Used", kv))
    m.claim("c", "SomeIteration", ctx("Ntok") > 3, llm)
    leg = [hold((tier, 2), cache=2, lease=(tier, 3), body=[load(tier, 1), run(disk, sample("Exp", 0.3))])]
    m.session(
        TURN,
        fork(leg),
        hold((kv, 2), cache=INF, body=[m.observe("found", cached), prefill(llm, 3, kv), decode(llm, 3, kv)]),
        JOIN,
        run(nic, 0.5, also=[core]),
        assign(x, now),
        client(branch(sample("Bernoulli", 0.5), [hold((tier, 2), body=[run(ps, 1), grow(tier, 28)])], [TURN])),
        m.observe("x", x + serial),
    )
    return m.build(12, seed=3)


PROGRAMS = {**EXAMPLES, "everything": everything}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_clone_made_at_any_step_ends_as_its_original_ends(name: str) -> None:
    program = PROGRAMS[name]()
    straight = Simulation(program)
    straight.run()
    expected = straight.result()
    original = Simulation(program)
    steps = 0
    while not original.finished:
        copy = original.clone()
        copy.run()
        assert copy.result() == expected, steps
        original.advance()
        steps += 1
    assert original.result() == expected


def test_a_clone_of_a_clone_is_one_too() -> None:
    first = Simulation(everything())
    for _ in range(20):
        first.advance()
    second = first.clone()
    for _ in range(20):
        second.advance()
    third = second.clone()
    reached = second.snapshot()
    for run_ in (first, third):
        while run_.position < second.position:
            run_.advance()
        assert run_.snapshot() == reached
    first.run()
    third.run()
    assert first.result() == third.result()


def test_nobody_listens_to_a_clone() -> None:
    original = Simulation(everything())
    records: list[Decision] = []
    original.listen(records)
    original.advance()
    heard = len(records)
    copy = original.clone()
    copy.run()
    assert len(records) == heard
    original.advance()
    assert len(records) > heard or original.finished


def test_a_clone_keeps_the_failure_of_its_original() -> None:
    m = Model()
    q = m.fifo("q")
    x = m.value("x")
    m.session(assign(x, -1), run(q, x))
    failed = Simulation(m.build())
    failed.run()
    copy = failed.clone()
    assert copy.failure == failed.failure
    assert copy.finished


# --------------------------------------------------------------------------- histories


def test_a_history_is_shared_by_those_who_live_through_the_same() -> None:
    original: History = History()
    original.append("a")
    copy = original.clone()
    original.append("b")
    copy.append("b")
    copy.append("c")
    assert (original.all(), copy.all()) == (["a", "b"], ["a", "b", "c"])
    assert (original.last(), copy.last()) == ("b", "c")


def test_a_history_parts_where_two_live_through_something_else() -> None:
    original: History = History()
    original.append("a")
    copy = original.clone()
    original.append("b")
    original.append("c")
    copy.append("x")
    assert (original.all(), copy.all()) == (["a", "b", "c"], ["a", "x"])
    copy.append("y")
    assert original.all() == ["a", "b", "c"]


def test_an_empty_history_has_no_last() -> None:
    history: History = History()
    assert history.last() is None
    assert history.all() == []


# --------------------------------------------------------------------------- sessions at rest


def queued(*keys: ir.Expr) -> ir.Program:
    """Eight sessions ask a pool for half of what it has, by amounts that move; by keys where there are any."""
    m = Model()
    kv = m.pool("kv", 8, admit_via=0, queue=keys or None, preempt=LIFO)
    llm = m.engine(budget=6, memory=kv)
    m.batch(8)
    need = 3 + call("Queued", kv) * 0.125
    m.session(hold((kv, need), body=[prefill(llm, 2, kv), decode(llm, 4, kv)]), hold((kv, 1), body=[decode(llm, 1, kv)]))
    return m.build(60)


SHARING = {**PROGRAMS, "queued": queued, "queued by keys": lambda: queued(-ctx("Waited"), -serial)}


_ASIDE = ("view", "shared", "common", "_stream_common", "_workload_common", "code", "session", "parent", "hold", "held")
_ASIDE += ("stream", "workload", "at_rest")
"""How a hold was shown, what of a session clones have too, what is looked up anew where it is not at hand, and properties."""


def stands(part: Any) -> Any:
    """All of a session as plain values."""
    if isinstance(part, list | tuple):
        return [stands(item) for item in part]
    if isinstance(part, dict):
        return {key: stands(value) for key, value in part.items()}
    if isinstance(part, Stream):
        return part.place
    if part != part:
        return "nan"
    if isinstance(part, Session | Pending | RequestState | OpenTurn | Hold | HeldPool | Lease | Job):
        # Compiled, a class has no slots, and its properties look like its fields.
        fields = (name for name, field in vars(type(part)).items() if ismemberdescriptor(field) or isgetsetdescriptor(field))
        return {name: stands(getattr(part, name)) for name in fields if name not in _ASIDE}
    return part


@pytest.mark.parametrize("name", SHARING)
def test_what_clones_have_in_common_stays_as_it_was(name: str) -> None:
    run_ = Simulation(SHARING[name]())
    clones: list[tuple[Simulation, Any]] = []
    while not run_.finished:
        clone = run_.clone()
        clones.append((clone, stands(clone.state.slots)))
        assert stands(run_.state.slots) == clones[-1][1]
        run_.advance()
    assert all(stands(clone.state.slots) == before for clone, before in clones)
    ended = stands(run_.state.slots)
    for clone, _ in clones[::5]:
        clone.run()
    assert all(stands(clone.state.slots) == before for i, (clone, before) in enumerate(clones) if i % 5)
    assert stands(run_.state.slots) == ended


def test_a_waiting_session_is_copied_only_once_its_hold_is_tried() -> None:
    # 8 sessions ask for 3 and then some of 8 units: two get in, the third is tried in vain, five are never looked at
    run_ = Simulation(queued())
    run_.advance()
    clone = run_.clone()
    assert run_.state.pools[0].queue == clone.state.pools[0].queue
    run_.advance()
    queue, before = run_.state.pools[0].queue, clone.state.pools[0].queue
    assert [s.serial for s in queue] == [2, 3, 4, 5, 6, 7]
    assert [s.shared for s in queue] == [False, True, True, True, True, True]
    assert queue[1:] == before[3:]
    assert queue[0] is not before[2]
    # The head asked with 6 in the queue; its statement, which is all the clone knows of, with the 2 before it there.
    assert (queue[0].pending.needs, before[2].pending.needs) == ([3.75], [3.25])  # type: ignore[union-attr]  # both wait
