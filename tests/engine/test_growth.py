"""Growing holds, growths that wait, and who makes room (R4.15 to R4.19)."""

from __future__ import annotations

from engine.decisions import Preempted
from tests.engine.programs import (
    LIFO,
    Model,
    Number,
    branch,
    call,
    ctx,
    decode,
    grow,
    hold,
    load,
    now,
    prefill,
    run,
    serial,
)
from tests.engine.watching import decisions, finished, report, samples, values

# --------------------------------------------------------------------------- growing


def test_a_growth_goes_by_whole_blocks_and_only_past_what_is_allocated() -> None:
    """R4.16: 5 units are 8 allocated of blocks of 4; + 0 stays at 8 and + 1 goes to up(9) = 12."""
    m = Model()
    kv = m.pool("kv", 100, block=4)
    look = m.observe("own", call("Allocated", kv))
    m.session(hold((kv, 5), body=[grow(kv, 0), look, grow(kv, 1), look, grow(kv, 4), look]))
    assert values(m.build(), "own") == [8, 12, 16]


def test_the_innermost_hold_of_the_pool_grows() -> None:
    """R4.16: after the inner hold's end only its 3 + 2 go back."""
    m = Model()
    mem = m.pool("mem", 100)
    look = m.observe("own", call("Allocated", mem))
    m.session(hold((mem, 4), body=[hold((mem, 3), body=[grow(mem, 2), look]), look]))
    assert values(m.build(), "own") == [9, 4]


def test_a_growth_evicts_cached_units_before_anybody_is_preempted() -> None:
    """R4.16, R4.28: 4 allocated + 6 cached of 10; + 3 takes the cached entry."""
    m = Model()
    kv = m.pool("kv", 10, preempt=LIFO)
    dl = m.delay()
    m.batch(2)
    m.session(branch(serial.equals(0), [hold((kv, 6), cache=6)], [run(dl, 1), hold((kv, 4), body=[grow(kv, 3)])]))
    pool = report(m.build())["pools"][0]
    assert (pool["preemptions"], pool["evicted_units"]) == (0, 6)


def test_growers_wait_in_order_and_the_first_blocks_the_rest() -> None:
    """R4.19: of 10, three holds of 3, 3, 4 at 0; growths of 4 and 1 wait; the 4 freed at 2 go to the first."""
    m = Model()
    u, g, w = m.size("u"), m.size("g"), m.size("w")
    mem = m.pool("mem", 10)
    dl = m.delay()
    m.sessions((u, g, w), (3, 4, 1), (3, 1, 1), (4, 0, 2))
    m.session(hold((mem, u), body=[grow(mem, g), m.observe("grown", serial), m.observe("at", now), run(dl, w)]))
    simulation = finished(m.build())
    # Session 2 need not grow; at 2 its 4 let session 0 grow to 7; at 3 session 0 ends and session 1 grows.
    assert [s[3] for s in samples(simulation, "grown")] == [2, 0, 1]
    assert [s[3] for s in samples(simulation, "at")] == [0, 2, 3]


def test_waiting_growths_are_granted_before_anybody_is_admitted() -> None:
    """R2.6 1b, R3.1: 5 + 5 of 10; at 1 the 5 of session 1 go to session 0's growth, not to the hold of 5 that waits."""
    m = Model()
    mem = m.pool("mem", 10)
    dl = m.delay()
    m.batch(3)
    growing = hold((mem, 5), body=[grow(mem, 5), m.observe("grown", now), run(dl, 1)])
    m.session(branch(serial.equals(0), [growing], [hold((mem, 5), body=[m.observe("adm", now), run(dl, 1)])]))
    simulation = finished(m.build())
    assert [s[3] for s in samples(simulation, "grown")] == [1]
    assert [s[3] for s in samples(simulation, "adm")] == [0, 2]


def test_a_growth_nobody_makes_room_for_is_stalled_at_the_end() -> None:
    """R9.9: both sessions grow in the full pool; with a third holder that does not grow it is no stall."""
    for others, stalled in ((0, True), (1, False)):
        m = Model()
        mem = m.pool("mem", 10)
        dl = m.delay()
        m.batch(2 + others)
        m.session(hold((mem, 3 if others else 5), body=[branch(serial < 2, [grow(mem, 5)], [run(dl, 1000)])]))
        pool = report(m.build())["pools"][0]
        assert (pool["growing_at_end"], pool["growing_stalled"]) == (2, stalled)


def test_a_waiting_growth_of_a_resident_does_not_move_its_position() -> None:
    """R6.22, R4.19: granted at 3, the token comes in the iteration of 3; the position moves there, to 6 of 6.

    The load of nothing at the end would fail if the position had passed the allocation.
    """
    m = Model()
    o = m.size("o")
    kv = m.pool("kv", 11)
    llm = m.engine(budget=16, memory=kv)
    m.sessions((o,), (2,), (2,))
    m.session(hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, o, kv), load(kv, 0), m.observe("own", call("Allocated", kv))]))
    simulation = finished(m.build())
    assert samples(simulation, "own") == [(3, 0, 0, 6), (4, 1, 0, 6)]


# --------------------------------------------------------------------------- victims


def _victims(preempt: list[Number], *, tail: bool = False, budget: float = 16) -> list[int]:
    """Who loses when four requests of 3 in a memory of 12 grow; pri is 5, 7, 7, 6."""
    m = Model()
    pri = m.size("pri")
    kv = m.pool("kv", 12, preempt=[e(pri) if callable(e) else e for e in preempt], tail=tail)
    llm = m.engine(budget=budget, memory=kv)
    m.sessions((pri,), (5,), (7,), (7,), (6,))
    m.session(hold((kv, 3), body=[prefill(llm, 3, kv), decode(llm, 2, kv)]))
    return [d.who.serial for d in decisions(m.build(), Preempted) if isinstance(d, Preempted)]


def test_the_least_key_is_the_victim() -> None:
    """R4.17: session 0 grows first and has itself the least pri: it is its own victim, nobody else is touched at 1 s."""
    assert _victims([lambda pri: pri])[0] == 0  # type: ignore[list-item]


def test_ties_go_to_the_last_candidate() -> None:
    """R4.17: the greatest pri is 7, of sessions 1 and 2: session 2 was admitted later."""
    assert _victims([lambda pri: -pri])[0] == 2  # type: ignore[list-item]


def test_without_any_difference_the_last_admitted_is_the_victim() -> None:
    """R4.17."""
    assert _victims([0])[0] == 3


def test_the_candidates_are_counted_from_the_earliest_admission() -> None:
    """R4.17: Admission is a place, 0 to 3: the key 1 - Admission, squared, is least at place 1."""
    assert _victims([(1 - ctx("Admission")) ** 2])[0] == 1


def test_a_place_is_counted_among_those_who_are_there() -> None:
    """R4.17: two sessions have come and gone; of the next three the one at place 1 is the third-admitted, session 3."""
    m = Model()
    kv = m.pool("kv", 9, preempt=[(1 - ctx("Admission")) ** 2])
    llm = m.engine(memory=kv)
    dl = m.delay()
    m.batch(5)
    gone = [hold((kv, 3), body=[prefill(llm, 3, kv)])]
    grow_later = [run(dl, 2), hold((kv, 3), body=[prefill(llm, 3, kv), decode(llm, 2, kv)])]
    m.session(branch(serial < 2, gone, grow_later))
    first = decisions(m.build(), Preempted)[0]
    assert isinstance(first, Preempted)
    assert (first.time, first.who.serial) == (3, 3)


def test_a_victim_may_be_chosen_by_what_it_does() -> None:
    """R4.17: Decoding. A decode of session 0 grows while session 1 prefills: decodes first, so itself."""
    m = Model()
    w = m.size("w")
    kv = m.pool("kv", 8, preempt=[-ctx("Decoding"), -ctx("Admission")])
    llm = m.engine(budget=3, memory=kv)
    dl = m.delay()
    m.sessions((w,), (0,), (1,))
    m.session(run(dl, w), hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, 3, kv)]))
    first = decisions(m.build(), Preempted)[0]
    assert isinstance(first, Preempted)
    assert (first.time, first.who.serial, first.grower.serial) == (2, 0, 0)
    # Both candidates with their keys, the victim first.
    assert [(who.serial, keys) for who, keys in first.candidates] == [(0, (-1.0, -0.0)), (1, (0.0, -1.0))]


def test_a_victim_may_be_chosen_by_its_position() -> None:
    """R4.17: Position. At 2 s session 0 is at 5 and session 1, one second younger, at 4: the less computed loses."""
    m = Model()
    w = m.size("w")
    kv = m.pool("kv", 9, preempt=[ctx("Position")])
    llm = m.engine(budget=16, memory=kv)
    dl = m.delay()
    m.sessions((w,), (0,), (1,))
    m.session(run(dl, w), hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, 3, kv)]))
    first = decisions(m.build(), Preempted)[0]
    assert isinstance(first, Preempted)
    assert (first.time, first.who.serial, first.position, first.need, first.free) == (2, 1, 4, 1, 0)


def test_of_a_memory_only_those_in_its_engine_are_candidates() -> None:
    """R4.17: session 1 holds units of the memory but works elsewhere; session 0 must be its own victim."""
    m = Model()
    kv = m.pool("kv", 8, preempt=LIFO)
    llm = m.engine(memory=kv)
    dl = m.delay()
    m.batch(2)
    first = hold((kv, 4), body=[prefill(llm, 4, kv), decode(llm, 1, kv)])
    m.session(branch(serial.equals(0), [first], [hold((kv, 4), body=[run(dl, 5)])]))
    victims = [(d.time, d.who.serial) for d in decisions(m.build(), Preempted) if isinstance(d, Preempted)]
    assert victims[0] == (1, 0)
    assert {serial for _, serial in victims} == {0}


def test_of_another_pool_every_holder_is_a_candidate_but_not_a_lease() -> None:
    """R4.17: no engine: session 0 has only a lease, session 1 waits in a delay, session 2 grows: 1 is the victim by pri."""
    m = Model()
    kv = m.pool("kv", 9, preempt=[serial])
    dl = m.delay()
    m.batch(3)
    leased = [hold((kv, 3), lease=(kv, 50), body=[]), run(dl, 60)]
    holder = [hold((kv, 3), body=[run(dl, 9)])]
    m.session(branch(serial.equals(0), leased, [branch(serial.equals(1), holder, [hold((kv, 3), body=[run(dl, 1), grow(kv, 1)])])]))
    found = [(d.time, d.who.serial, d.stage) for d in decisions(m.build(20), Preempted) if isinstance(d, Preempted)]
    assert found == [(1, 1, None)]


def test_a_growing_session_is_no_candidate_of_its_memory() -> None:
    """R4.17: at 1 session 1, served first, waits for a growth of `side`; session 0 grows in the memory and has only itself."""
    m = Model()
    # The pool it waits at has the number of the stage, so that the two cannot be mistaken for each other.
    side, kv = m.pool("side", 4), m.pool("kv", 8, preempt=LIFO)
    llm = m.engine(chunk=4, serve=[-serial], memory=kv)
    m.batch(2)
    plain = hold((kv, 4), body=[prefill(llm, 6, kv)])
    stalls = hold((kv, 4), (side, 4), body=[prefill(llm, 4, side), decode(llm, 2, side)])
    m.session(branch(serial.equals(0), [plain], [stalls]))
    first = decisions(m.build(10), Preempted)[0]
    assert isinstance(first, Preempted)
    assert (first.time, first.who.serial, len(first.candidates)) == (1, 0, 1)
