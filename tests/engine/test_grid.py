"""The grid and the log: stretches of a run made again, held against the moments and decisions they are of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import grid
from engine.decision_log import log
from engine.decisions import Decision
from engine.grid import Column, Columns
from engine.replay import Past
from engine.simulation import Simulation
from engine.snapshot import Position, Snapshot, Who
from engine.targets import AtIteration, AtPosition
from engine.timeline import Timeline
from grammar import ir
from grammar.link import link
from grammar.settings import Settings
from grammar.source import Source
from tests.engine.strategies import programs
from tests.engine.test_autopsy import two

few = settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])

MOST_STEPS = 50
"""Attempts walked of one random program."""


def example() -> Timeline:
    """The example of a preemption, at its start."""
    text = (Path(__file__).parents[2] / "serq_tui" / "examples" / "preemption.sq").read_text(encoding="utf-8")
    return Timeline(Simulation(link(Source("preemption.sq", text), Settings(horizon=None)).program))


def walked(program: ir.Program) -> tuple[Timeline, list[Snapshot]]:
    """A run some way on, and the moments at which an iteration began."""
    timeline = Timeline(Simulation(program))
    begun: list[Snapshot] = []
    for _ in range(MOST_STEPS):
        if timeline.step().reason != "step":
            break
        now = timeline.snapshot()
        if now.engines[0].iterations > (begun[-1].engines[0].iterations if begun else 0):
            begun.append(now)
    return timeline, begun


@few
@given(programs())
def test_a_column_has_the_batch_of_its_iteration(program: ir.Program) -> None:
    timeline, begun = walked(program)
    columns = Columns().window(timeline.past, 0, 10, 0, timeline.seen)
    assert [column.position for column in columns] == [now.position for now in begun[-10:]]
    for column, now in zip(columns, begun[-10:], strict=True):
        batch = now.engines[0].batch
        assert batch is not None
        assert column.iteration == now.engines[0].iterations
        served = {portion.who: (portion.mode, portion.tokens) for portion in batch.portions}
        assert {who: (cell.mode, cell.tokens) for who, cell in column.cells.items() if cell.tokens} == served
        queued = {view.who for queue in now.queues for view in queue.waiting}
        assert {who for who, cell in column.cells.items() if cell.mode in ("queued", "preempted")} == queued


@few
@given(programs())
def test_what_was_seen_after_the_moment_stands_after_it(program: ir.Program) -> None:
    timeline, begun = walked(program)
    if len(begun) < 3:
        return
    middle = begun[len(begun) // 2]
    timeline.seek(AtPosition(middle.position))
    columns = Columns().window(timeline.past, 0, 2, 3, timeline.seen)
    at = [now.position for now in begun]
    here = at.index(middle.position)
    assert [column.position for column in columns] == at[max(here - 1, 0) : here + 4]


@few
@given(programs(), st.lists(st.tuples(st.integers(0, MOST_STEPS), st.integers(0, 6), st.integers(0, 6)), max_size=8))
def test_columns_kept_from_looking_elsewhere_are_those_made_anew(program: ir.Program, looks: list[tuple[int, int, int]]) -> None:
    timeline, begun = walked(program)
    kept = Columns()
    for place, before, after in looks:
        around = begun[place % len(begun)].position if begun else Position(0)
        asked = (timeline.past, 0, before + 1, after, timeline.seen, None, around)
        assert kept.window(*asked) == Columns().window(*asked)


def test_who_looks_a_little_further_waits_for_no_column_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    timeline = example()
    engine = timeline.simulation.code.engines[0]
    timeline.seek(AtIteration(engine, 300))
    made: list[int] = []

    def counted(run: Simulation, *rest: Any) -> Column:
        made.append(run.state.stages[engine].iterations)
        return column(run, *rest)

    column = grid._column
    monkeypatch.setattr(grid, "_column", counted)
    columns = Columns()
    asked = columns.window(timeline.past, engine, 20, 0, timeline.seen)
    made.clear()
    around = asked[10].position  # iteration 291, with those from 262 to 280 still missing
    looked = columns.window(timeline.past, engine, 30, 5, timeline.seen, None, around)
    assert [one.iteration for one in looked] == list(range(262, 297))
    assert max(made) == 281, "the first one kept is made again, since the way back ends with it"
    made.clear()
    assert columns.window(timeline.past, engine, 30, 5, timeline.seen, None, around) == looked
    assert made == []


def test_a_preemption_shows_once_and_so_does_an_end() -> None:
    # At 1 s r0's growth preempts r1; r0 ends at 4 s, in whose iteration r1 is computed again.
    timeline = Timeline(Simulation(two()))
    timeline.step(6)
    columns = Columns().window(timeline.past, 0, 10, 0, timeline.seen)
    assert [column.cells[Who(1)].mode for column in columns][:5] == ["prefill", "preempted", "queued", "queued", "prefill"]
    assert [column.cells[Who(0)].mode for column in columns if Who(0) in column.cells] == ["prefill", *["decode"] * 3, "ended"]
    assert [column.preempted for column in columns][:3] == [0, 1, 0]


@few
@given(programs())
def test_the_log_has_every_decision_and_the_moment_right_after_it(program: ir.Program) -> None:
    timeline, _ = walked(program)
    logged = log(timeline.past, 10_000)
    records: list[Decision] = []
    run = timeline.simulation.anew()
    run.listen(records)
    while not run.begun or (run.position < timeline.simulation.position and not run.finished):
        run.advance()
    assert [one.record for one in logged] == records
    if logged and logged[-1].position.decisions and logged[-1].position.events:
        last = logged[-1]
        timeline.seek(AtPosition(last.position))
        assert timeline.records() == (last.record,)


def test_a_stretch_of_a_steady_run_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example has about two events an iteration: a look back of 21 events for 20 iterations would be made again."""
    made: list[Position] = []
    at = Past.at

    def counted(past: Past, position: Position) -> Simulation:
        made.append(position)
        return at(past, position)

    timeline = example()
    timeline.seek(AtIteration(timeline.simulation.code.engines[0], 300))
    monkeypatch.setattr(Past, "at", counted)
    columns = Columns().window(timeline.past, timeline.simulation.code.engines[0], 20, 0, timeline.seen)
    assert [column.iteration for column in columns] == list(range(281, 301))
    assert len(made) == 1
    assert timeline.position.events - made[0].events > 21
