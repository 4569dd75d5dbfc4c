"""Arrivals, turns and traces (R2.2, R2.4, R2.5, R2.11, R3.2, R8.4 to R8.6)."""

from __future__ import annotations

from math import log
from pathlib import Path

import pytest

from engine.rng import EVICTION_SALT, MACHINE_SALT, SESSION, TRACE_SALT, WORKLOAD, Stream, root
from engine.simulation import Simulation
from engine.trace import read_trace
from grammar import ir
from tests.engine.programs import (
    REFUSE,
    TURN,
    Model,
    Number,
    assign,
    branch,
    call,
    client,
    decode,
    floor,
    forced,
    hold,
    loop,
    more,
    new,
    now,
    out,
    prefill,
    repeat,
    run,
    sample,
    serial,
    think,
    turn_no,
)
from tests.engine.watching import evictions, finished, report, samples, values

UNIT = sample("Uniform", 0, 1)

# --------------------------------------------------------------------------- arrivals


def arrivals(arrival: ir.Arrival, horizon: float = 100, **settings: object) -> list[float]:
    m = Model()
    m.arrive(arrival)
    m.session(m.observe("at", now))
    return values(m.build(horizon, **settings), "at")


def test_poisson_arrivals_begin_at_zero_and_draw_their_gaps_from_the_seed() -> None:
    """R2.2, R2.4, R8.5: -ln(1 - u) / rate with u from Rng(seed)."""
    stream = Stream(9)
    first = -log(1.0 - stream.unit()) / 3.0
    second = first + -log(1.0 - stream.unit()) / 3.0
    assert arrivals(ir.Poisson(3.0), 50, seed=9)[:3] == [0.0, first, second]


def test_renewal_arrivals_begin_with_a_gap() -> None:
    """R2.2."""
    assert arrivals(ir.Renewal(ir.Num(2.0)), 7) == [2, 4, 6]


def test_renewal_gaps_are_drawn_from_the_stream_of_the_arrivals() -> None:
    """R2.4, R8.5."""
    stream = Stream(1)
    first = 1 + stream.unit()
    second = first + (1 + stream.unit())
    assert arrivals(ir.Renewal((UNIT + 1).node), 4)[:2] == [first, second]


def test_an_arrival_at_the_horizon_itself_happens() -> None:
    """R2.3b."""
    assert arrivals(ir.Renewal(ir.Num(2.0)), 4) == [2, 4]


def test_a_batch_is_there_at_once() -> None:
    """R2.2."""
    assert arrivals(ir.Batch(3)) == [0, 0, 0]


def test_a_closed_population_replaces_whoever_ends() -> None:
    """R2.2, R3.16: two of 3 seconds each until 7: at 0, 3 and 6."""
    m = Model()
    m.arrive(ir.Closed(2))
    m.session(m.observe("at", now), run(m.delay(), 3))
    program = m.build(7)
    assert values(program, "at") == [0, 0, 3, 3, 6, 6]
    figures = report(program)
    assert (figures["arrivals"], figures["ended"], figures["mean_live"]) == (6, 4, 2)


def test_a_closed_population_replaces_the_refused_too() -> None:
    """R3.19, R2.6: the session created because another was refused runs at the next event, of 2 here."""
    m = Model()
    n = m.size("n")
    mem = m.pool("mem", 10)
    m.arrive(ir.Closed(1))
    m.init(assign(n, 11 - serial))
    m.session(m.observe("at", now), run(m.delay(), 1), hold((mem, n), body=[run(m.delay("later"), 2)]))
    program = m.build(5)
    assert values(program, "at") == [0, 1, 4]
    assert report(program)["pools"][0]["rejected"] == 1


def test_without_an_arrival_nothing_happens() -> None:
    """R2.2."""
    figures = report(_nobody())
    assert (figures["events"], figures["arrivals"], figures["end"]) == (0, 0, 100)


def _nobody() -> ir.Program:
    m = Model()
    m.arrive(None)
    m.session(m.observe("at", now))
    return m.build()


def test_a_number_of_arrivals_ends_the_run_when_they_have_drained() -> None:
    """R2.3a, R2.4, R2.5: three arrivals, at 2, 4 and 6, of 1 second: the end is 7, and no fourth is scheduled."""
    m = Model()
    m.arrive(ir.Renewal(ir.Num(2.0)))
    m.session(run(m.delay(), 1))
    figures = report(m.build(100, arrivals=3))
    assert (figures["end"], figures["arrivals"], figures["ended"], figures["events"], figures["horizon"]) == (7, 3, 3, 6, 100)


# --------------------------------------------------------------------------- creation and turns


def test_init_runs_before_the_presets_and_these_prevail() -> None:
    """R2.11."""
    m = Model()
    a, b = m.size("a"), m.size("b")
    m.init(assign(a, 1), assign(b, a + 1))
    m.sessions((a,), (10,))
    m.session(m.observe("a", a), m.observe("b", b))
    program = m.build()
    assert (values(program, "a"), values(program, "b")) == ([10], [2])


def test_init_observes_at_turn_zero() -> None:
    """R2.12, R9.10."""
    m = Model()
    a = m.size("a")
    m.init(assign(a, serial + 3), m.observe("a", a))
    m.batch(2)
    m.session(m.observe("b", a))
    assert samples(finished(m.build()), "a") == [(0, 0, 0, 3), (0, 1, 0, 4)]


def test_every_turn_draws_from_a_fresh_stream_and_the_session_from_one_for_life() -> None:
    """R8.4, R3.2: streams (1, 0, k, 1) for init (k = 0) and the k-th turn; (1, 0, 0, 2) for statements."""
    m = Model()
    a = m.size("a")
    m.init(assign(a, UNIT), m.observe("work", a))
    m.turn(assign(a, UNIT), m.observe("work", a))
    own = m.observe("own", UNIT)
    m.session(own, TURN, own, TURN, own)
    program = m.build()
    assert values(program, "work") == [Stream(root(1, 0), (k, WORKLOAD)).unit() for k in (0, 1, 2)]
    stream = Stream(root(1, 0), (0, SESSION))
    assert values(program, "own") == [stream.unit() for _ in range(3)]


def test_a_turn_block_sees_its_turn_and_its_values() -> None:
    """R3.2: the number goes up and the values are set before the block runs."""
    m = Model()
    a = m.size("a")
    m.turn(m.observe("t", turn_no * 100 + a))
    slots = ((a.slot, 7.0),), ((a.slot, 8.0),)
    m.arrive(ir.Sessions((ir.Preset((), slots),)))
    m.session(TURN, TURN)
    assert values(m.build(), "t") == [107, 208]


def test_explicit_turns_say_whether_another_follows() -> None:
    """R3.2: two turns given, a third taken: its values stay, and more is 0."""
    m = Model()
    a = m.size("a")
    m.arrive(ir.Sessions((ir.Preset(((a.slot, 5.0),), (((a.slot, 7.0),), ((a.slot, 8.0),))),)))
    look = m.observe("x", a * 10 + more)
    m.session(look, TURN, look, TURN, look, TURN, look)
    assert values(m.build(), "x") == [50, 71, 80, 80]


def test_a_session_without_explicit_turns_may_set_more_itself() -> None:
    """R3.2: neither turns nor a trace: the turn block decides."""
    m = Model()
    m.turn(assign(more, turn_no < 3))
    m.session(TURN, client(repeat(more, [run(m.delay(), 1), TURN])), m.observe("turns", turn_no))
    assert values(m.build(), "turns") == [3]


# --------------------------------------------------------------------------- streams of the machine


def test_the_machine_draws_from_a_stream_of_its_own() -> None:
    """R8.5: the costs of iterations, from Rng(seed xor its salt)."""
    m = Model()
    llm = m.engine(cost=1 + UNIT)
    m.session(prefill(llm, 1), m.observe("at", now), decode(llm, 1), m.observe("at", now))
    stream = Stream(1 ^ MACHINE_SALT)
    first = 1 + stream.unit()
    assert values(m.build(), "at") == [first, first + (1 + stream.unit())]


def test_evictions_draw_from_a_stream_of_their_own() -> None:
    """R8.5: of two entries the one with the lesser draw goes; they are read in the order of their places (R4.33)."""
    m = Model()
    kv = m.pool("kv", 8, evict=[UNIT])
    dl = m.delay()
    m.batch(3)
    m.session(branch(serial < 2, [hold((kv, 4), cache=4), run(dl, 9)], [run(dl, 1), hold((kv, 1), body=[run(dl, 9)])]))
    for seed in range(1, 7):
        stream = Stream(seed ^ EVICTION_SALT)
        first, second = stream.unit(), stream.unit()
        assert evictions(m.build(5, seed=seed)) == [(1, 0 if first < second else 1, 4, 0)]


def test_a_cache_clause_draws_from_its_session() -> None:
    """R8.5."""
    m = Model()
    kv = m.pool("kv", 100)
    m.session(hold((kv, 99), cache=floor(UNIT * 99)), m.observe("kept", call("CachedIn", kv)))
    assert values(m.build(), "kept") == [int(Stream(root(1, 0), (0, SESSION)).unit() * 99)]


# --------------------------------------------------------------------------- traces


TRACE = "session,turn,new,out,think,forced\n7,1,10,1,0.5,3\n7,2,11,2,0.25,4\n9,1,20,3,1.5,5\n7,1,30,4,2,6\n"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.csv"
    path.write_text(TRACE, encoding="utf-8")
    return path


def _replay(trace: Path, sessions: int, *, ordered: bool, seed: int = 1) -> list[list[float]]:
    """Per session the values of `new` it reads in two turns, and whether more followed the first."""
    m = Model()
    m.batch(sessions)
    m.session(TURN, m.observe("new", new), m.observe("more", more), TURN, m.observe("new", new))
    simulation = Simulation(m.build(trace=str(trace), trace_ordered=ordered, seed=seed))
    simulation.run()
    assert simulation.failure is None
    found: list[list[float]] = [[] for _ in range(sessions)]
    for name in ("new", "more"):
        for _, session, _, value in samples(simulation, name):
            found[session].append(value)
    return found


def test_sessions_replay_an_ordered_trace_in_order(trace: Path) -> None:
    """R8.6: three trace sessions (an id that comes back is another); session 3 replays the first again.

    [new of turn 1, new of turn 2 (kept where there is none), more at turn 1].
    """
    assert _replay(trace, 4, ordered=True) == [[10, 11, 1], [20, 20, 0], [30, 30, 0], [10, 11, 1]]


def test_an_unordered_trace_is_sampled_at_creation(trace: Path) -> None:
    """R8.6: one index below 3 a session, from Rng(seed xor its salt)."""
    stream = Stream(4 ^ TRACE_SALT)
    rows = [[10, 11, 1], [20, 20, 0], [30, 30, 0]]
    assert _replay(trace, 6, ordered=False, seed=4) == [rows[stream.below(3)] for _ in range(6)]


def test_a_turn_of_a_trace_sets_all_its_columns(trace: Path) -> None:
    """R3.2."""
    m = Model()
    look: list[Number] = [new, out, think, more, forced]
    m.session(TURN, *(m.observe(f"x{i}", e) for i, e in enumerate(look)))
    simulation = Simulation(m.build(trace=str(trace), trace_ordered=True))
    simulation.run()
    assert [samples(simulation, f"x{i}")[0][3] for i in range(5)] == [10, 1, 0.5, 1, 3]


def test_explicit_turns_leave_the_trace_alone(trace: Path) -> None:
    """R2.11: a session with turns of its own draws no trace session."""
    m = Model()
    preset = ir.Preset((), (((new.slot, 77.0),),))
    m.arrive(ir.Sessions((preset, ir.Preset(()))))
    m.session(TURN, m.observe("new", new))
    simulation = Simulation(m.build(trace=str(trace), seed=4))
    simulation.run()
    first = [10, 20, 30][Stream(4 ^ TRACE_SALT).below(3)]
    assert [s[3] for s in samples(simulation, "new")] == [77, first]


def test_a_relative_trace_is_read_against_the_folder_given(trace: Path) -> None:
    m = Model()
    m.session(TURN, m.observe("new", new))
    simulation = Simulation(m.build(trace=trace.name, trace_ordered=True), trace_folder=trace.parent)
    simulation.run()
    assert [s[3] for s in samples(simulation, "new")] == [10]


def test_a_trace_needs_no_header_and_no_sixth_column(tmp_path: Path) -> None:
    """R8.6; empty lines do not count."""
    path = tmp_path / "t.csv"
    path.write_text("1,1,5,6,7\n\n1, 2, 8, 9, 10\n2,1,1,1,1\n", encoding="utf-8")
    assert read_trace(path) == (((5, 6, 7, 0), (8, 9, 10, 0)), ((1, 1, 1, 0),))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("1,1,5,6\n", "line 1 of the trace t.csv has 4 columns"),
        ("session,turn,new,out,think\n1,1,5,x,7\n", "line 2 of the trace t.csv has something that is no number"),
        ("session,turn,new,out,think\n", "has no turns"),
    ],
)
def test_a_trace_that_is_none_fails_the_run_from_its_start(tmp_path: Path, text: str, part: str) -> None:
    """R8.6: the failure names the line; the run is finished before it began."""
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    m = Model()
    m.session(TURN)
    simulation = Simulation(m.build(trace="t.csv"), trace_folder=tmp_path)
    simulation.run()
    assert simulation.finished
    assert simulation.failure is not None
    assert part in simulation.failure.message


def test_a_trace_that_is_missing_fails_the_run() -> None:
    m = Model()
    m.session(TURN)
    simulation = Simulation(m.build(trace="nowhere.csv"))
    assert simulation.failure is not None
    assert "nowhere.csv cannot be read" in simulation.failure.message
    simulation.step_event()
    assert simulation.report()["events"] == 0


def test_a_loop_of_the_client_goes_turn_by_turn() -> None:
    """R3.12, R3.2: three turns of 2 seconds, then the server ends the session."""
    m = Model()
    dl = m.delay()
    m.session(client(loop([TURN, run(dl, 2), branch(turn_no.equals(3), [REFUSE])])))
    figures = report(m.build())
    assert (figures["turns"], figures["ended"], figures["client"]["response"]["count"]) == (3, 1, 2)
