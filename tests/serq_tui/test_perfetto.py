"""The trace of a run: valid by the format's rules, and the report's figures follow from it."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from engine.course import follow
from engine.simulation import Simulation
from grammar import ir
from serq_tui.exports.lanes import Lanes, LifeEnded
from serq_tui.exports.perfetto import exact_microseconds
from serq_tui.loading import load_program
from serq_tui.options import RunOptions
from tests.cases import Case, case, cases
from tests.engine.strategies import programs
from tests.oracle.generator import generate
from tests.running import load_case
from tests.serq_tui.piloting import PREEMPTION
from tests.serq_tui.recorded import Recorded, close_to, recorded, title
from tests.serq_tui.trace_format import Figures, check, read, seconds_of

SHORT = {"light": 20.0, "heavy": 3.0, "heavy2": 3.0}
"""Seconds of the benchmark programs: hundreds of iterations each, of the heavy ones with dozens of requests."""

SOME = 6
"""Every so many of the corpus's programs are written: all of them would take minutes and say the same."""


def agree(made: Recorded) -> None:
    """The trace is valid, and recomputing from it gives the report's figures."""
    check(made.trace)
    if not made.report:
        assert made.trace["otherData"]["failure"]
        return
    figures = Figures(made.trace)
    events = made.run.state.events
    served = {st.code.index: st.served for st in made.run.state.stages}
    for index, stage in enumerate(made.report["stages"]):
        if title(stage) not in figures.engines or made.run.code.stages[index].step is None:
            continue
        engine = title(stage)
        assert len(figures.iterations(engine)) == stage["iterations"]
        assert figures.tokens(engine) == served[index]
        assert figures.tokens_of_requests(engine) == pytest.approx(served[index], rel=1e-12)
        # means of samples are folded in the report's order, so they are its numbers to the last bit
        assert figures.mean_decode_batch(engine) == stage["mean_decode_batch"]
        assert figures.mean_decode_step(engine) == stage["mean_decode_step"]
        _near(figures.engine_mean(engine, "running"), stage["mean_number"], events)
    assert sorted(map(title, made.report["pools"])) == sorted(figures.pools)
    for pool in made.report["pools"]:
        name = title(pool)
        assert figures.preemptions(name) == pool["preemptions"]
        assert figures.admissions(name) == pool["admissions"]
        assert figures.evicted(name) == pool["evicted_units"]
        for what, mean in (("used", "used"), ("cached", "cached"), ("waiting", "queue"), ("holders", "holders")):
            _near(figures.pool_mean(name, what), pool[f"mean_{mean}"], events)


def _near(mean: float | None, reported: float | None, events: int) -> None:
    # Of a run that has no time after its warm-up there is no mean; the report then has the last value.
    if mean is not None and reported is not None:
        assert abs(mean - reported) <= close_to(abs(reported), events) + 1e-300


@pytest.mark.parametrize("case", cases("bench"), ids=str)
def test_the_benchmark_programs_figures_follow_from_their_traces(case: Case, tmp_path: Path) -> None:
    agree(recorded(load_case(case, tmp_path).program, tmp_path, SHORT[case.name]))


@pytest.mark.parametrize("case", cases("corpus_ok")[::SOME], ids=str)
def test_the_corpus_programs_figures_follow_from_their_traces(case: Case, tmp_path: Path) -> None:
    agree(recorded(load_case(case, tmp_path).program, tmp_path))


@pytest.mark.parametrize("case", cases("corpus_runtime")[::SOME], ids=str)
def test_a_run_that_fails_leaves_a_valid_trace_up_to_there(case: Case, tmp_path: Path) -> None:
    made = recorded(load_case(case, tmp_path).program, tmp_path)
    assert made.run.failure is not None
    check(made.trace)
    assert made.trace["otherData"]["failure"] == made.run.failure.message


@pytest.mark.parametrize("seed", range(2000, 2030))
def test_random_programs_figures_follow_from_their_traces(seed: int, tmp_path: Path) -> None:
    made = generate(seed)
    for name, text in made.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    agree(recorded(made.program, tmp_path))


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(program=programs())
def test_random_engines_figures_follow_from_their_traces(program: ir.Program, tmp_path: Path) -> None:
    agree(recorded(program, tmp_path))


@pytest.fixture
def preempting(tmp_path: Path) -> Recorded:
    """Six seconds of the example: a few dozen preemptions."""
    return recorded(load_program(PREEMPTION, RunOptions()).program, tmp_path, 6.0)


def test_every_preemption_has_an_arrow_from_whose_growth_it_was_to_its_victim(preempting: Recorded) -> None:
    events = preempting.trace["traceEvents"]
    lanes = {e["args"]["name"]: e["tid"] for e in events if e["name"] == "thread_name" and e["pid"] == 3}
    arrows = [(s["tid"], f["tid"]) for s, f in zip(_of(events, "s"), _of(events, "f"), strict=True)]
    others = [a for a in Figures(preempting.trace).decisions("Preempted") if a["who"] != a["grower"]]
    assert others
    assert arrows == [(lanes[a["grower"]], lanes[a["who"]]) for a in others]


def test_an_arrow_ends_in_the_phase_its_victim_waits_in(preempting: Recorded) -> None:
    events = preempting.trace["traceEvents"]
    for end in _of(events, "f"):
        around = [
            e for e in _of(events, "X") if e["tid"] == end["tid"] and e["ts"] <= end["ts"] < e["ts"] + e["dur"] and e["pid"] == 3
        ]
        assert [e["name"] for e in around] == ["preempted"]


def _of(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["ph"] == kind]


def test_the_phases_of_a_request_follow_each_other_and_say_when_to_the_last_bit(preempting: Recorded) -> None:
    phases = [e for e in preempting.trace["traceEvents"] if e["ph"] == "X" and e["pid"] == 3]
    assert {e["name"] for e in phases} >= {"queued", "prefill", "decode", "preempted", "recompute"}
    for event in phases:
        # a nanosecond's grid, whose half may be lost at each end
        assert abs(seconds_of(event["ts"]) - float(event["args"]["t"])) <= 0.51e-9
        assert abs(seconds_of(event["ts"] + event["dur"]) - float(event["args"]["end"])) <= 0.51e-9


def test_the_clock_of_a_counter_is_read_back_to_the_last_bit() -> None:
    for seconds in (0.0, 0.1, 1 / 3, 123456.789012345678, 2.0**-40, 1e22, 5e-324):
        assert seconds_of(json.loads(exact_microseconds(seconds), parse_float=Decimal)) == seconds


def test_the_trace_of_a_run_cut_short_is_that_of_the_shorter_run(tmp_path: Path) -> None:
    # iterations under way where it ends are cut there, and say that they have not ended
    program = load_case(case("bench", "light"), tmp_path).program
    made = recorded(program, tmp_path, 2.0)
    last = [e for e in _of(made.trace["traceEvents"], "X") if e["pid"] == 1 and not e["args"]["ended"]]
    for event in last:
        assert seconds_of(event["ts"] + event["dur"]) == 2.0
    assert float(made.trace["otherData"]["end"]) == 2.0


def test_of_a_long_run_only_those_who_live_are_kept() -> None:
    run = Simulation(load_program(PREEMPTION, RunOptions(horizon=60.0)).program)
    lanes = Lanes()
    ended = 0
    for fact in follow(run):
        ended += sum(isinstance(happening, LifeEnded) for happening in lanes.take(fact))
        # whoever ends within the step that is being told is off already
        assert len(lanes) <= run.state.live + DEPARTING
    assert ended > 40 * DEPARTING


DEPARTING = 8
"""Requests that may end in one step of the example: as many as run at once."""


class TestChecker:
    """The checker finds what it is there to find. The first iteration of the example lasts 32 ms."""

    @staticmethod
    def broken(preempting: Recorded, how: Any) -> dict[str, Any]:
        text = json.dumps(preempting.trace, default=float)
        trace = read(text)
        how(trace["traceEvents"])
        return trace

    @pytest.mark.parametrize(
        "how",
        [
            lambda events: events.remove(next(e for e in events if e["ph"] == "E")),
            lambda events: events.remove(next(e for e in events if e["ph"] == "f")),
            lambda events: events.remove(next(e for e in events if e["name"] == "thread_name" and e["pid"] == 3)),
            lambda events: next(e for e in events if e["ph"] == "X").update(dur=-1),
            lambda events: next(e for e in events if e["ph"] == "X" and e["pid"] == 1).update(dur=32001),
            lambda events: next(e for e in events if e["ph"] == "C")["args"].update(used="many"),
            lambda events: next(e for e in events if e["ph"] == "s").update(ts=10**12),
            lambda events: next(e for e in events if e["ph"] == "i").update(s="x"),
        ],
        ids=["no end", "half an arrow", "no name", "negative", "overlap", "no number", "in the air", "scope"],
    )
    def test_a_broken_trace_is_told_from_a_whole_one(self, preempting: Recorded, how: Any) -> None:
        check(self.broken(preempting, lambda events: None))
        with pytest.raises(AssertionError):
            check(self.broken(preempting, how))


def test_a_preemption_taken_from_the_trace_changes_the_recomputed_figures(preempting: Recorded) -> None:
    agree(preempting)
    events = preempting.trace["traceEvents"]
    events.remove(next(e for e in events if e["name"] == "Preempted"))
    with pytest.raises(AssertionError):
        agree(preempting)
