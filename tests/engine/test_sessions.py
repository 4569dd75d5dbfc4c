"""A session's statements: control, loads and growths, choices (R3.1 to R3.13)."""

from __future__ import annotations

from typing import Any

from tests.engine.programs import (
    REFUSE,
    Model,
    Number,
    Value,
    assign,
    branch,
    call,
    choose,
    client,
    computed,
    decode,
    grow,
    hold,
    load,
    loop,
    now,
    repeat,
    run,
    serial,
    where,
)
from tests.engine.watching import finished, report, samples, values

# --------------------------------------------------------------------------- control


def test_statements_run_until_the_session_waits() -> None:
    """R3.1: all of session 0 before the first statement of session 1."""
    m = Model()
    m.batch(2)
    m.session(m.observe("x", serial * 10 + 1), m.observe("x", serial * 10 + 2))
    assert values(m.build(), "x") == [1, 2, 11, 12]


def test_a_run_of_no_work_steps_back_behind_the_others() -> None:
    """R3.10: session 0 goes on after session 1 has begun."""
    m = Model()
    q = m.fifo("q")
    m.batch(2)
    m.session(m.observe("x", serial * 10 + 1), run(q, 0), m.observe("x", serial * 10 + 2))
    assert values(m.build(), "x") == [1, 11, 2, 12]


def test_a_branch_runs_one_of_its_blocks() -> None:
    """R3.11."""
    m = Model()
    m.batch(2)
    m.session(branch(serial, [m.observe("x", 1)], [m.observe("x", 0)]), m.observe("x", 5))
    assert values(m.build(), "x") == [0, 5, 1, 5]


def test_a_while_tests_before_each_pass() -> None:
    """R3.12: 0, 1, 2; a guard of 0 at first runs nothing."""
    m = Model()
    k = m.value("k")
    dl = m.delay()
    again = repeat(k < 3, [m.observe("x", 99), run(dl, 1)])
    m.session(repeat(k < 3, [m.observe("x", k), assign(k, k + 1), run(dl, 1)]), again, m.observe("end", k))
    program = m.build()
    assert values(program, "x") == [0, 1, 2]
    assert values(program, "end") == [3]


def test_a_loop_ends_by_the_end_of_its_session_only() -> None:
    """R3.12, R3.16: twice around, then `end`, which leaves the rest of the block undone."""
    m = Model()
    k = m.value("k")
    dl = m.delay()
    m.session(client(loop([assign(k, k + 1), run(dl, 1), branch(k.equals(2), [REFUSE]), m.observe("x", k)])))
    program = m.build()
    assert values(program, "x") == [1]
    assert report(program)["ended"] == 1


def test_an_end_gives_all_holds_back_from_the_innermost_out() -> None:
    """R3.16: the inner hold's clause keeps 2 first, the outer one's 3 replaces it; both pools are empty at 1."""
    m = Model()
    kv = m.pool("kv", 10)
    dl = m.delay()
    m.batch(2)
    m.session(
        branch(
            serial.equals(0),
            [hold((kv, 3), cache=9, body=[hold((kv, 2), cache=9, body=[run(dl, 1), REFUSE])])],
            [run(dl, 2), m.observe("used", call("Used", kv))],
        )
    )
    program = m.build(3)
    assert values(program, "used") == [0]
    # 3 cached from 1 to 3.
    assert report(program)["pools"][0]["mean_cached"] == 2


def test_the_end_of_a_hold_sets_computed_to_zero() -> None:
    """R3.1: also one that was never preempted."""
    m = Model()
    kv = m.pool("kv", 10)
    m.session(assign(computed, 7), m.observe("c", computed), hold((kv, 1)), m.observe("c", computed))
    assert values(m.build(), "c") == [7, 0]


def test_the_end_of_a_hold_lets_others_in_before_the_session_goes_on() -> None:
    """R3.1: the pool is taken again by session 1 when session 0 looks, right behind its hold."""
    m = Model()
    mem = m.pool("mem", 1)
    dl = m.delay()
    m.batch(2)
    m.session(hold((mem, 1), body=[run(dl, 1)]), m.observe("used", call("Used", mem)))
    assert values(m.build(), "used") == [1, 0]


def test_a_load_moves_the_position_and_not_the_allocation() -> None:
    """R3.9, R6.6: loaded 4 of 6, two decodes fit, the third grows."""
    m = Model()
    kv = m.pool("kv", 20)
    llm = m.engine(memory=kv)
    look = m.observe("own", call("Allocated", kv))
    m.session(hold((kv, 6), body=[load(kv, 4), look, decode(llm, 2, kv), look, decode(llm, 1, kv), look]))
    assert values(m.build(), "own") == [6, 6, 7]


def test_a_grow_that_waits_goes_on_behind_its_statement() -> None:
    """R3.5: at 2 room is made, and the observation follows; the growth is not asked for twice."""
    m = Model()
    mem = m.pool("mem", 4)
    dl = m.delay()
    m.batch(2)
    m.session(
        branch(
            serial.equals(0),
            [hold((mem, 2), body=[run(dl, 2)])],
            [hold((mem, 2), body=[grow(mem, 1), m.observe("own", call("Allocated", mem)), m.observe("at", now)])],
        )
    )
    program = m.build()
    assert (values(program, "own"), values(program, "at")) == ([3], [2])


def test_a_dynamic_stage_is_chosen_when_the_run_begins() -> None:
    """R3.10: the shortest of three queues, by a choose."""
    m = Model()
    j = m.value("j")
    q = m.fifo("q", members=3)
    m.batch(4)
    m.session(choose(j, 3, call("Queue", q[j])), run(q[j], 1), m.observe("j", j))
    simulation = finished(m.build())
    assert {session: member for _, session, _, member in samples(simulation, "j")} == {0: 0, 1: 1, 2: 2, 3: 0}


# --------------------------------------------------------------------------- choose


def _chosen(count: Number, *keys: Any) -> float:
    m = Model()
    j = m.value("j")
    m.session(choose(j, count, *(key(j) for key in keys)), m.observe("j", j))
    return values(m.build(), "j")[0]


NAN = Value(call("Ln", -1).node)


def test_a_choose_takes_the_index_of_the_least_keys() -> None:
    """R3.13: (j - 2)**2 is least at 2."""
    assert _chosen(5, lambda j: (j - 2) ** 2) == 2


def test_a_choose_takes_the_first_of_equals_and_a_second_key_decides() -> None:
    """R3.13: minus 0 equals 0 here."""
    assert _chosen(3, lambda _: 7) == 0
    assert _chosen(3, lambda _: 7, lambda j: -j) == 2
    assert _chosen(2, lambda j: 0 * (1 - 2 * j)) == 0


def test_a_choose_of_nothing_is_zero() -> None:
    """R3.13."""
    assert _chosen(0, lambda j: j) == 0


def test_a_key_that_is_no_number_is_less_than_nothing() -> None:
    """R3.13: j = 0 has a NaN, so nobody is less than it; as a later one's it never wins."""
    assert _chosen(3, lambda j: where(j.equals(0), NAN, j)) == 0
    assert _chosen(3, lambda j: where(j.equals(1), NAN, 3 - j)) == 2
    # An earlier key decides before the NaN is met.
    assert _chosen(2, lambda j: -j, lambda j: where(j.equals(1), NAN, 0)) == 1
