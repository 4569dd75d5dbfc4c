"""What every request had of each iteration in a stretch of a run; builds that stretch and no more, knows no screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from engine.constants import GROWING, IN_STAGE, QUEUED
from engine.names import who as named
from engine.replay import Past
from engine.snapshot import Position, Who
from engine.walking import Interrupt, Pace
from grammar.declaring import dataclass

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.simulation import Simulation
    from engine.state import State

Mode = Literal["queued", "preempted", "prefill", "decode", "unserved", "growing", "elsewhere", "ended"]


@dataclass(frozen=True, slots=True)
class Cell:
    """What a request had of an iteration: tokens, or what it did instead.

    ``preempted`` is the first iteration after a preemption, ``ended`` the first after its end.
    """

    mode: Mode
    tokens: float = 0.0


@dataclass(frozen=True, slots=True)
class Column:
    """An iteration.

    Attributes:
        position: right after the attempt that formed it.
        used: per pool the share of its capacity that is allocated, 0 without a capacity.
        preempted: how many were preempted since the iteration before.
    """

    iteration: int
    position: Position
    time: float
    cost: float
    tokens: float
    used: tuple[float, ...]
    preempted: int
    cells: Mapping[Who, Cell]


_MARGIN = 1.25
"""How much further back than on average the first look goes: too short a look is made again from further back, at double cost."""


def window(
    past: Past,
    engine: int,
    before: int,
    after: int,
    seen: Position,
    interrupt: Interrupt | None = None,
    around: Position | None = None,
) -> tuple[Column, ...]:
    """The iterations of an engine around a moment.

    Args:
        past: the moments seen.
        engine: whose iterations.
        before: how many up to that moment, if there are as many.
        after: how many later ones, as far as the run was seen.
        seen: the last moment seen.
        interrupt: asked all along.
        around: the moment; None is the present one.

    Raises:
        Interrupted: told to stop.
    """
    now = around or past.now.position
    # As many events an iteration as there were so far, and some more; where there are yet more between, it goes back further.
    iterations = max(past.now.state.stages[engine].iterations, 1)
    back = int((before + 1) * max(_MARGIN * past.now.position.events / iterations, 1.0))
    pace = Pace(interrupt)
    while True:
        start = Position(max(now.events - back, 0))
        columns = _columns(past.at(start), engine, now, after, seen, pace)
        earlier = sum(column.position <= now for column in columns)
        # One more than is shown: what the first one shown came from.
        if earlier > before or start == Position(0):
            return tuple(columns[max(earlier - before, 0) :])
        back *= 2


def _columns(run: Simulation, engine: int, now: Position, after: int, seen: Position, pace: Pace) -> list[Column]:
    k = run.state
    columns: list[Column] = []
    names: dict[Session, Who] = {}
    later = 0
    count = k.stages[engine].iterations
    preempted = k.preempted
    while True:
        iterations = k.stages[engine].iterations
        if iterations != count and run.attempted == engine:
            count = iterations
            columns.append(_column(run, engine, columns[-1].cells if columns else {}, k.preempted - preempted, names))
            preempted = k.preempted
            later += run.position > now
        if run.finished or run.position >= seen or later >= after > 0 or (not after and run.position >= now):
            return columns
        run.advance()
        pace.step(run)


def _column(run: Simulation, engine: int, before: Mapping[Who, Cell], preempted: int, names: dict[Session, Who]) -> Column:
    k = run.state
    st = k.stages[engine]
    it = st.iteration
    cells: dict[Who, Cell] = {}
    for session in k.slots:
        if session is not None:
            who = names.get(session)
            if who is None:
                who = names[session] = named(session)
            cells[who] = _cell(k, engine, session, before.get(who))
    # An end shows once, and only of somebody who was seen.
    cells |= {who: Cell("ended") for who, cell in before.items() if who not in cells and cell.mode != "ended"}
    return Column(
        iteration=st.iterations,
        position=run.position,
        time=run.clock,
        cost=it.cost if it is not None else 0.0,
        tokens=it.tokens if it is not None else 0.0,
        used=tuple(pool.used / pool.code.cap if 0 < pool.code.cap < float("inf") else 0.0 for pool in k.pools),
        preempted=preempted,
        cells=cells,
    )


_QUEUED, _PREEMPTED, _GROWING, _ELSEWHERE = Cell("queued"), Cell("preempted"), Cell("growing"), Cell("elsewhere")
"""Cells without a number of their own: a queue of thousands has the same one a thousand times."""


def _cell(k: State, engine: int, session: Session, was: Cell | None) -> Cell:
    if session.status == QUEUED:
        back = session.pending is not None and session.pending.preempted
        return _PREEMPTED if back and was is not None and was.mode not in ("queued", "preempted") else _QUEUED
    if session.status == GROWING:
        return _GROWING
    if session.status != IN_STAGE or session.where != engine or session.job is None:
        return _ELSEWHERE
    job = session.job
    cohort = k.stages[engine].cohort
    if cohort is not None and job.id in cohort.members:
        return Cell("decode", 1.0)
    if job.given > 0:
        return Cell("decode" if job.decode else "prefill", job.given)
    return Cell("unserved")
