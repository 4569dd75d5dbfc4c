"""What a preemption takes away, and where the victim goes on (R4.18, R5.12)."""

from __future__ import annotations

import pytest

from engine.decisions import Preempted
from tests.engine.programs import (
    LIFO,
    TURN,
    Model,
    Number,
    branch,
    cached,
    call,
    computed,
    decode,
    grow,
    hold,
    load,
    maximum,
    now,
    prefill,
    release,
    run,
    serial,
    shrink,
    where,
)
from tests.engine.watching import decisions, finished, report, samples, starts, values

# --------------------------------------------------------------------------- what a preemption does


def test_preempting_gives_units_back_until_the_growth_fits() -> None:
    """R4.16: one growth of 5 takes two victims of 3."""
    m = Model()
    kv = m.pool("kv", 12, preempt=[-serial])
    dl = m.delay()
    m.batch(4)
    m.session(
        hold(
            (kv, 3),
            body=[branch(serial.equals(0), [run(dl, 1), grow(kv, 5), m.observe("own", call("Allocated", kv))], [run(dl, 9)])],
        )
    )
    program = m.build(5)
    assert [d.who.serial for d in decisions(program, Preempted) if isinstance(d, Preempted)] == [3, 2]
    assert values(program, "own") == [8]


def test_a_victim_keeps_its_position_in_computed_until_its_hold_ends() -> None:
    """R4.18.2, R3.1: preempted at position 4 of its prefill, `computed` is 4 at its next admission and 0 after the hold."""
    m = Model()
    kv = m.pool("kv", 8, preempt=LIFO)
    llm = m.engine(budget=16, memory=kv)
    m.batch(2)
    look = m.observe("computed", computed)
    m.session(hold((kv, 4), body=[look, prefill(llm, maximum(4, computed), kv), decode(llm, 1, kv)]), look)
    simulation = finished(m.build())
    of_the_victim = [s[3] for s in samples(simulation, "computed") if s[1] == 1]
    assert of_the_victim == [0, 4, 0]


def test_a_victim_caches_its_position_and_not_what_it_had_allocated() -> None:
    """R4.27, R4.18.4: allocated 6, prefilled 2 of 6 when it is preempted: 2 stay cached of the 6 its clause allows."""
    m = Model()
    u, p = m.size("u"), m.size("p")
    kv = m.pool("kv", 12, preempt=LIFO)
    llm = m.engine(budget=8, memory=kv)
    m.sessions((u, p), (6, 6), (6, 6))
    m.session(hold((kv, u), cache=6, body=[m.observe("found", cached), prefill(llm, p - cached, kv), decode(llm, 1, kv)]))
    simulation = finished(m.build())
    # 0: prefills of 6 and 2; 1: session 0's decode grows to 7 and preempts session 1 at position 2.
    assert [(s[0], s[3]) for s in samples(simulation, "found") if s[1] == 1] == [(0, 0), (2, 2)]


def test_a_victim_may_leave_more_cached_than_there_is_room_for() -> None:
    """R4.27, measured: 6 found by a hold of 1 (position 6); its growth beside 7 of 8 makes it its own victim.

    1 unit goes back and 6 stay cached: 13 in a pool of 8, until somebody makes room. It asks for 20 then and is refused.
    """
    m = Model()
    kv = m.pool("kv", 8, preempt=[serial])
    dl = m.delay()
    m.batch(2)
    again = hold((kv, where(computed > 0, 20, 1)), cache=9, body=[run(dl, 1), grow(kv, 2)])
    m.session(branch(serial.equals(0), [hold((kv, 6), cache=6), again], [run(dl, 0.5), hold((kv, 7), body=[run(dl, 50)])]))
    pool = report(m.build(10.5))["pools"][0]
    assert (pool["preemptions"], pool["rejected"]) == (1, 1)
    # 1 allocated in the first second, 7 from 0.5 on; 6 cached from 1 on.
    assert (pool["mean_used"], pool["mean_cached"]) == (71 / 10.5, 57 / 10.5)


def test_a_victim_loses_its_inner_holds_too_and_starts_at_its_hold_again() -> None:
    """R4.18.4: the inner hold of seats goes back with the outer one of kv; its body begins anew."""
    m = Model()
    kv, seats = m.pool("kv", 8, preempt=[-serial]), m.pool("seats", 2)
    dl = m.delay()
    m.batch(2)
    inner = hold((seats, 1), body=[m.observe("seats", call("Used", seats)), run(dl, 9)])
    m.session(
        branch(
            serial.equals(0),
            [hold((kv, 4), body=[run(dl, 1), grow(kv, 1), m.observe("left", call("Used", seats)), run(dl, 1)])],
            [m.observe("before", now), hold((kv, 4), body=[m.observe("again", now), inner])],
        )
    )
    simulation = finished(m.build())
    assert [s[3] for s in samples(simulation, "before")] == [0]
    assert [s[3] for s in samples(simulation, "again")] == [0, 2]
    assert [s[3] for s in samples(simulation, "left")] == [0]
    assert [s[3] for s in samples(simulation, "seats")] == [1, 1]


def test_an_outer_hold_of_another_pool_stays() -> None:
    """R4.18.4: holds are popped down to the one of the pool, no further."""
    m = Model()
    kv, seats = m.pool("kv", 8, preempt=[-serial]), m.pool("seats", 2)
    dl = m.delay()
    m.batch(2)
    body = [hold((kv, 4), body=[run(dl, 1), branch(serial.equals(0), [grow(kv, 1), m.observe("seats", call("Used", seats))])])]
    m.session(hold((seats, 1), body=body))
    assert values(m.build(), "seats") == [2]


def test_a_preempted_hold_is_first_in_the_queue_even_under_keys() -> None:
    """R4.5, R4.7: session 1, preempted at 1, is taken before session 2 whose key is less; with `tail` the keys decide."""
    for tail, order in ((False, [0, 1, 1, 2]), (True, [0, 1, 2, 1])):
        m = Model()
        key = m.size("key")
        kv = m.pool("kv", 6, preempt=LIFO, tail=tail, queue=[key])
        llm = m.engine(memory=kv)
        m.sessions((key,), (5,), (9,), (1,))
        at = where(serial > 1, 0.5, 0)
        dl = m.delay()
        m.session(run(dl, at), hold((kv, 3), body=[m.observe("adm", serial), prefill(llm, 3, kv), decode(llm, 1, kv)]))
        simulation = finished(m.build())
        assert [s[3] for s in samples(simulation, "adm")][:4] == order


def test_with_tail_a_victim_goes_behind_those_who_wait() -> None:
    """R4.5: without keys: session 2 waited already when session 1 was preempted."""
    m = Model()
    kv = m.pool("kv", 6, preempt=LIFO, tail=True)
    llm = m.engine(memory=kv)
    m.batch(3)
    m.session(hold((kv, 3), body=[m.observe("adm", serial), prefill(llm, 3, kv), decode(llm, 1, kv)]))
    assert values(m.build(), "adm")[:4] == [0, 1, 2, 1]


def test_a_victim_whose_units_grew_past_the_cap_is_refused_when_it_is_queued_again() -> None:
    """R4.18.6, R4.6: after the preemption the hold asks for computed + 20, above the cap of 8."""
    m = Model()
    kv = m.pool("kv", 8, preempt=LIFO)
    llm = m.engine(memory=kv)
    m.batch(2)
    units = where(computed > 0, 20, 4)
    m.session(TURN, hold((kv, units), body=[prefill(llm, 4, kv), decode(llm, 1, kv)]))
    figures = report(m.build())
    assert (figures["pools"][0]["rejected"], figures["pools"][0]["preemptions"], figures["ended"]) == (1, 1, 2)
    assert figures["client"]["response"]["count"] == 1


def _pushed_three_times(loaded: Number) -> tuple[int, int]:
    """Preemptions and stuck sessions where session 0 grows by 1 and shrinks again at 1, 2 and 3; the victim loads first."""
    m = Model()
    kv = m.pool("kv", 8, preempt=[-serial])
    dl = m.delay()
    m.batch(2)
    push = [run(dl, 1), grow(kv, 1), shrink(kv, 1)]
    victim = [hold((kv, 4), body=[load(kv, loaded), run(dl, 50)])]
    m.session(branch(serial.equals(0), [hold((kv, 4), body=[*push, *push, *push])], victim))
    pool = report(m.build())["pools"][0]
    return pool["preemptions"], pool["stuck"]


def test_a_victim_that_does_not_get_further_is_stuck_once_and_for_good() -> None:
    """R4.18.1: preempted at position 1 each of three times: the second makes it stuck, the third counts no more."""
    assert _pushed_three_times(1) == (3, 1)


def test_a_victim_that_gets_further_each_time_is_not_stuck() -> None:
    """R4.18.1: preempted at 1, 2 and 3."""
    assert _pushed_three_times(computed + 1) == (3, 0)


def test_a_hold_that_ended_forgets_where_it_was_preempted() -> None:
    """R3.1, R4.18.1: preempted once in each of two holds at the same position: never stuck."""
    m = Model()
    kv = m.pool("kv", 8, preempt=[-serial])
    dl = m.delay()
    m.batch(2)
    pushes = [hold((kv, 4), body=[run(dl, 1), grow(kv, 1), run(dl, 1)])]
    m.session(
        branch(
            serial.equals(0), [*pushes, run(dl, 3), *pushes], [hold((kv, 4), body=[run(dl, 3)]), hold((kv, 4), body=[run(dl, 3)])]
        )
    )
    pool = report(m.build())["pools"][0]
    assert (pool["preemptions"], pool["stuck"]) == (2, 0)


def test_a_released_pool_forgets_where_it_was_preempted() -> None:
    """R3.8: as above, but the hold's pool is released within one scope that goes on."""
    m = Model()
    kv = m.pool("kv", 8, preempt=[-serial])
    dl = m.delay()
    m.batch(2)
    again = hold((kv, 4), body=[run(dl, 3)])
    pushes = [hold((kv, 4), body=[run(dl, 1), grow(kv, 1), run(dl, 1)])]
    victim = [hold((kv, 4), body=[run(dl, 3), release(kv), again])]
    m.session(branch(serial.equals(0), [*pushes, run(dl, 3), *pushes], victim))
    pool = report(m.build())["pools"][0]
    assert (pool["preemptions"], pool["stuck"]) == (2, 0)


@pytest.mark.parametrize("stage", ["fifo", "ps", "delay", "flow"])
def test_a_victim_leaves_the_stage_it_works_at_and_does_that_work_again(stage: str) -> None:
    """R5.12: session 1 works for 9 from 0, is preempted at 1 and admitted again at 2: it ends at 11."""
    m = Model()
    kv = m.pool("kv", 8, preempt=[-serial])
    dl = m.delay("wait")
    kinds = {
        "fifo": lambda: m.fifo("s", 2),
        "ps": lambda: m.ps("s", 1),
        "delay": lambda: m.delay("s"),
        "flow": lambda: m.ps("s", 1),
    }
    s = kinds[stage]()
    also = [m.ps("t", 1)] if stage == "flow" else []
    m.batch(2)
    m.session(
        branch(
            serial.equals(0),
            [hold((kv, 4), body=[run(dl, 1), grow(kv, 1), m.observe("present", call("Queue", s)), run(dl, 1)])],
            [hold((kv, 4), body=[run(s, 9, also=also), m.observe("done", now)])],
        )
    )
    simulation = finished(m.build())
    assert [x[3] for x in samples(simulation, "present")] == [0]
    assert [x[3] for x in samples(simulation, "done")] == [11]
    assert simulation.report()["stages"][s.base]["completed"] == 1


def test_a_victim_waiting_for_a_server_leaves_the_queue_there() -> None:
    """R5.12: the server is busy until 3; session 1 waits, is preempted at 1, and its place is not served at 3."""
    m = Model()
    kv = m.pool("kv", 8, preempt=[-serial])
    q = m.fifo("q")
    dl = m.delay()
    m.batch(3)
    m.session(
        branch(
            serial.equals(2),
            [run(q, 3)],
            [
                hold(
                    (kv, 4),
                    body=[
                        branch(
                            serial.equals(0),
                            [run(dl, 1), grow(kv, 1), run(dl, 5)],
                            [run(dl, 0.5), run(q, 1), m.observe("done", now)],
                        ),
                    ],
                )
            ],
        )
    )
    simulation = finished(m.build())
    # Admitted again at 6, waits 0.5 before the server, which is free.
    assert [x[3] for x in samples(simulation, "done")] == [7.5]


def test_the_active_job_of_a_victim_makes_room_for_the_next_in_line() -> None:
    """R5.12: session 1 occupies the only server; when it is preempted at 1 the waiting job of 2 starts and ends at 3."""
    m = Model()
    kv = m.pool("kv", 8, preempt=[-serial])
    q = m.fifo("q")
    dl = m.delay()
    m.batch(3)
    pushes = [hold((kv, 4), body=[run(dl, 1), grow(kv, 1), run(dl, 5)])]
    victim = [hold((kv, 4), body=[run(q, 9)])]
    waiting = [run(dl, 0.5), run(q, 2), m.observe("done", now)]
    m.session(branch(serial.equals(0), pushes, [branch(serial.equals(1), victim, waiting)]))
    assert values(m.build(50), "done") == [3]


def test_a_batch_loses_the_victim_and_runs_on_to_its_end() -> None:
    """R5.12: a growth outside the engine preempts a resident in mid-iteration; the iteration ends on time without it."""
    m = Model()
    kv = m.pool("kv", 10, preempt=[-serial])
    llm = m.engine(cost=4, memory=kv)
    dl = m.delay()
    m.batch(3)
    outsider = [hold((kv, 2), body=[run(dl, 1), grow(kv, 1), run(dl, 9)])]
    m.session(
        branch(serial.equals(0), outsider, [hold((kv, 4), body=[prefill(llm, 4, kv), m.observe("done", serial), run(dl, 1)])])
    )
    program = m.build(20)
    (preempted,) = decisions(program, Preempted)
    assert isinstance(preempted, Preempted)
    # Only residents are candidates; the least key is session 2's.
    assert (preempted.time, preempted.who.serial, preempted.stage) == (1, 2, None)
    assert starts(program) == [(0, "s1:p 4, s2:p 4"), (5, "s2:p 4")]
    assert [(s[0], s[3]) for s in samples(finished(program), "done")] == [(4, 1), (9, 2)]


def test_keys_that_are_no_numbers_stand_at_the_ends() -> None:
    """R1.2: 0/0 sorts below everything, so it makes a victim."""
    m = Model()
    pri = m.size("pri")
    kv = m.pool("kv", 9, preempt=[pri / pri])
    llm = m.engine(memory=kv)
    m.sessions((pri,), (1,), (0,), (2,))
    m.session(hold((kv, 3), body=[prefill(llm, 3, kv), decode(llm, 1, kv)]))
    first = decisions(m.build(10), Preempted)[0]
    assert isinstance(first, Preempted)
    assert first.who.serial == 1
