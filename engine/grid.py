"""What every request had of each iteration in a stretch of a run; builds what of that stretch it has not yet, knows no screen."""

from __future__ import annotations

from bisect import bisect_right
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

_SPARE = 240
"""Columns kept on either side of those asked for last: as many again."""

_CELLS = 200_000
"""Cells kept there, some 20 MB; where thousands live at once that is less than a column."""


class Columns:
    """The columns asked for last, and those around them: who looks a little further waits for those that are missing alone."""

    def __init__(self) -> None:
        self._engine = -1
        self._made: list[Column] = []
        """In the order of iterations, none left out."""
        self._whole = False
        """Whether they begin with the first iteration of all."""

    def window(
        self,
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
        # As many events an iteration as there were so far, and some more.
        iterations = max(past.now.state.stages[engine].iterations, 1)
        each = max(_MARGIN * past.now.position.events / iterations, 1.0)
        pace = Pace(interrupt)
        made, whole = (self._made, self._whole) if engine == self._engine else ([], False)
        reach = int((before + 1) * each)
        if not made or not made[0].position.events - reach <= now.events <= made[-1].position.events + reach:
            made, whole = _stretch(past, engine, now, (before, after), seen, each, pace)
        while not whole and (earlier := _earlier(made, now)) < before:
            begin = made[0].position
            left, whole = _stretch(past, engine, begin, (before - earlier + 1, 0), begin, each, pace)
            made = [*left[:-1], *made]
        last = made[-1].position if made else Position(0)
        later = len(made) - _earlier(made, now)
        if last < seen and (later < after or last < now):
            made = [*made, *_columns(past.at(last), engine, now, after, seen, pace, later, made[-1].cells if made else {})]
        earlier = _earlier(made, now)
        first, end = max(earlier - before, 0), earlier + after
        spare = min(_SPARE, _CELLS // max(len(made[-1].cells), 1)) if made else 0
        kept = max(first - spare, 0)
        self._engine, self._made, self._whole = engine, made[kept : end + spare], whole and not kept
        return tuple(made[first:end])


def _earlier(columns: list[Column], now: Position) -> int:
    """How many columns are not after a moment."""
    return bisect_right(columns, now, key=lambda column: column.position)


def _stretch(
    past: Past, engine: int, now: Position, many: tuple[int, int], seen: Position, each: float, pace: Pace
) -> tuple[list[Column], bool]:
    """So many iterations up to a moment and after it, made at one go; and whether it begins with the first of all.

    Args:
        each: events an iteration; where there are more, it goes back further.
    """
    before, after = many
    back = int((before + 1) * each)
    while True:
        start = Position(max(now.events - back, 0))
        columns = _columns(past.at(start), engine, now, after, seen, pace, 0, {})
        if start == Position(0):
            return columns, True
        # One more than is shown: what the first one shown came from.
        earlier = _earlier(columns, now)
        if earlier > before:
            return columns[earlier - before :], False
        back *= 2


def _columns(
    run: Simulation,
    engine: int,
    now: Position,
    after: int,
    seen: Position,
    pace: Pace,
    later: int,
    before: Mapping[Who, Cell],
) -> list[Column]:
    """The iterations from where a run stands: up to a moment, and so many later ones.

    Args:
        later: how many of those there are already.
        before: what everybody had of the iteration before.
    """
    k = run.state
    columns: list[Column] = []
    names: dict[Session, Who] = {}
    count = k.stages[engine].iterations
    preempted = k.preempted
    while True:
        iterations = k.stages[engine].iterations
        if iterations != count and run.attempted == engine:
            count = iterations
            columns.append(_column(run, engine, before, k.preempted - preempted, names))
            before = columns[-1].cells
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
