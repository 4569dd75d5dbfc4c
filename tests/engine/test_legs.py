"""Legs, the leases they leave, and refusals (R3.14 to R3.19)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.rng import LEG, SESSION, Stream, root
from tests.engine.programs import (
    END,
    INF,
    JOIN,
    REFUSE,
    TURN,
    Model,
    assign,
    branch,
    call,
    fork,
    grow,
    hold,
    minimum,
    now,
    prefill,
    release,
    run,
    sample,
    turn_no,
)
from tests.engine.watching import finished, report, samples, values

# --------------------------------------------------------------------------- legs


def test_a_leg_runs_beside_its_session_with_a_copy_of_its_attributes() -> None:
    """R3.14, R3.15: the leg's set changes its own; the join waits for it."""
    m = Model()
    k = m.value("k")
    dl = m.delay()
    m.session(
        assign(k, 1),
        fork([assign(k, k + 10), run(dl, 2), m.observe("leg", k)]),
        assign(k, 5),
        m.observe("parent", k),
        JOIN,
        m.observe("joined", now * 10 + k),
    )
    program = m.build()
    assert (values(program, "leg"), values(program, "parent"), values(program, "joined")) == ([11], [5], [25])


def test_a_join_waits_for_the_last_leg() -> None:
    """R3.15; without legs it does not wait."""
    m = Model()
    dl = m.delay()
    look = m.observe("at", now)
    m.session(JOIN, look, fork([run(dl, 3)]), fork([run(dl, 1)]), JOIN, look, JOIN, look)
    assert values(m.build(), "at") == [0, 3, 3]


def test_a_leg_draws_from_a_stream_of_its_own_by_its_number() -> None:
    """R3.14, R8.4: streams (1, 0, n, 3) of the two legs; the session's own stream is not touched."""
    m = Model()
    draw = sample("Uniform", 0, 1)
    m.session(fork([m.observe("leg", draw)]), fork([m.observe("leg", draw)]), JOIN, m.observe("own", draw))
    program = m.build()
    assert values(program, "leg") == [Stream(root(1, 0), (n, LEG)).unit() for n in (0, 1)]
    assert values(program, "own") == [Stream(root(1, 0), (0, SESSION)).unit()]


def test_legs_are_numbered_over_the_whole_session() -> None:
    """R3.14: the leg of the second fork is number 1 also when the first has ended."""
    m = Model()
    draw = sample("Uniform", 0, 1)
    m.session(fork([m.observe("leg", draw)]), JOIN, fork([m.observe("leg", draw)]), JOIN)
    assert values(m.build(), "leg") == [Stream(root(1, 0), (n, LEG)).unit() for n in (0, 1)]


def test_a_leg_is_a_holder_apart_and_no_live_session() -> None:
    """R7.11, R1.16: two holders of one session; one live session on average."""
    m = Model()
    mem = m.pool("mem", 9)
    dl = m.delay()
    m.session(
        fork([hold((mem, 1), body=[run(dl, 4)])]),
        hold((mem, 1), body=[run(dl, 1), m.observe("holders", call("Holders", mem)), run(dl, 3)]),
        JOIN,
    )
    program = m.build(4)
    assert values(program, "holders") == [2]
    assert report(program)["mean_live"] == 1


def test_the_lease_of_a_leg_passes_to_its_session() -> None:
    """R3.17: the leg's 3 are its session's, and one holder; the session's release ends it under the leg's clause.

    The clause reads k, which was 2 in the leg when it ended and is 5 in the session: 2 are kept.
    """
    m = Model()
    k = m.value("k")
    kv = m.pool("kv", 9)
    dl = m.delay()
    m.session(
        fork([assign(k, 2), hold((kv, 3), cache=minimum(k, 3), lease=(kv, INF), body=[run(dl, 1)])]),
        JOIN,
        assign(k, 5),
        m.observe("own", call("Allocated", kv)),
        m.observe("holders", call("Holders", kv)),
        hold((kv, 1), body=[m.observe("holders", call("Holders", kv))]),
        release(kv),
        m.observe("kept", call("CachedIn", kv)),
        m.observe("k", k),
    )
    program = m.build()
    assert (values(program, "own"), values(program, "holders"), values(program, "kept")) == ([3], [1, 1], [2])
    assert values(program, "k") == [5]


def test_the_first_lease_on_a_pool_is_the_one_released() -> None:
    """R3.8: leases of 1 and 3: 3 are left."""
    m = Model()
    kv = m.pool("kv", 9)
    m.session(hold((kv, 1), lease=(kv, INF)), hold((kv, 3), lease=(kv, INF)), release(kv), m.observe("own", call("Allocated", kv)))
    assert values(m.build(), "own") == [3]


def test_a_hold_is_released_before_a_lease() -> None:
    """R3.8."""
    m = Model()
    kv = m.pool("kv", 9)
    m.session(hold((kv, 1), lease=(kv, INF)), hold((kv, 3), body=[release(kv), m.observe("own", call("Allocated", kv))]))
    assert values(m.build(), "own") == [1]


# --------------------------------------------------------------------------- refusal


def test_the_legs_of_a_refused_session_run_on_as_orphans() -> None:
    """R3.19, R3.17: the session asks for 11 of 10 at 1; its leg ends at 3, and its lease with it."""
    m = Model()
    n = m.size("n")
    mem = m.pool("mem", 10)
    dl = m.delay()
    m.sessions((n,), (11,), (0,))
    look = m.observe("used", call("Used", mem))
    leg = fork([hold((mem, 2), lease=(mem, INF), body=[run(dl, 3)]), m.observe("leg", now), look])
    m.session(branch(n > 0, [leg, run(dl, 1), hold((mem, n), body=[m.observe("never", now)]), JOIN], [run(dl, 4), look]))
    simulation = finished(m.build())
    assert [s[3] for s in samples(simulation, "leg")] == [3]
    assert samples(simulation, "never") == []
    assert [s[3] for s in samples(simulation, "used")] == [2, 0]
    assert simulation.report()["ended"] == 2


def test_a_refused_leg_takes_its_session_with_it() -> None:
    """R3.19: at 1 the leg asks for 11 of 10; the session, at work until 9, is refused too and frees what it holds."""
    m = Model()
    n = m.size("n")
    mem = m.pool("mem", 10)
    dl = m.delay()
    m.sessions((n,), (11,), (0,))
    first = [fork([run(dl, 1), hold((mem, n))]), hold((mem, 5), body=[run(dl, 9), m.observe("never", now)]), JOIN]
    m.session(TURN, branch(n > 0, first, [run(dl, 2), m.observe("used", call("Used", mem))]))
    simulation = finished(m.build())
    assert samples(simulation, "never") == []
    assert [s[3] for s in samples(simulation, "used")] == [0]
    assert [s[1] for s in samples(simulation, "client.response")] == [1]
    assert simulation.report()["pools"][0]["rejected"] == 1


def test_a_refused_orphan_ends_alone() -> None:
    """R3.19: one leg takes the session down at 1; the other, then an orphan, is refused at 2."""
    m = Model()
    n = m.size("n")
    mem = m.pool("mem", 10)
    dl = m.delay()
    m.sessions((n,), (11,))
    m.session(fork([run(dl, 1), hold((mem, n))]), fork([run(dl, 2), hold((mem, n))]), JOIN)
    figures = report(m.build())
    assert (figures["pools"][0]["rejected"], figures["ended"]) == (2, 1)


@pytest.mark.parametrize("where_at", ["queue", "growers", "join", "engine"])
def test_a_session_is_refused_wherever_it_is(where_at: str) -> None:
    """R3.18: its leg is refused at 1 while it waits in a queue, waits to grow, joins, or is at work in an engine."""
    m = Model()
    n = m.size("n")
    mem, big = m.pool("mem", 10), m.pool("big", 10)
    llm = m.engine(cost=4, memory=mem)
    dl = m.delay()
    m.sessions((n,), (11,), (0,))
    doing: dict[str, list[Any]] = {
        "queue": [run(dl, 0.5), hold((mem, 9), body=[m.observe("never", now)])],
        "growers": [hold((mem, 1), body=[grow(mem, 9), m.observe("never", now)])],
        "join": [],
        "engine": [hold((mem, 1), body=[prefill(llm, 3, mem), m.observe("never", now)])],
    }
    first = [fork([run(dl, 1), hold((big, n))]), *doing[where_at], JOIN, m.observe("never", now)]
    other = [hold((mem, 2), body=[run(dl, 2), m.observe("used", call("Used", mem)), prefill(llm, 1)])]
    m.session(branch(n > 0, first, other))
    simulation = finished(m.build())
    assert samples(simulation, "never") == []
    assert [s[3] for s in samples(simulation, "used")] == [2]
    figures = simulation.report()
    assert (figures["ended"], figures["pools"][0]["growing_at_end"]) == (2, 0)


def test_an_end_in_the_middle_of_a_turn_of_the_server_has_no_response() -> None:
    """R9.21, measured: an `end` the server says refuses the turn; one the workload says completes it."""
    for end, responses in ((REFUSE, 0), (END, 1)):
        m = Model()
        dl = m.delay()
        m.session(TURN, run(dl, 1), end)
        figures = report(m.build())
        assert (figures["client"]["response"]["count"], figures["ended"]) == (responses, 1)


def test_turns_are_counted_from_one() -> None:
    """R3.2."""
    m = Model()
    m.session(m.observe("t", turn_no), TURN, m.observe("t", turn_no), TURN, m.observe("t", turn_no))
    program = m.build()
    assert values(program, "t") == [0, 1, 2]
    assert report(program)["turns"] == 2
