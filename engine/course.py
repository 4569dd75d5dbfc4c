"""The course of a run as frozen facts in their order, made step by step and kept nowhere; knows no file.

Decisions say what was chosen; between them stand the iterations that came of it and the levels they left.
A follower keeps what is true at the present instant and no more, so a run of any length can be followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from engine.batch import mode
from engine.codes import ProgramCode
from engine.decisions import Attempted, Decision
from engine.names import who
from engine.rounding import positive
from engine.snapshot import Portion
from engine.statement_codes import HoldCode
from engine.walking import Pace
from grammar.declaring import dataclass

if TYPE_CHECKING:
    from engine.pool_state import PoolState
    from engine.simulation import Simulation
    from engine.stage_state import Iteration, StageState
    from engine.state import State


@dataclass(frozen=True, slots=True)
class IterationBegan:
    """An engine began an iteration.

    Attributes:
        time: seconds of the program's clock.
        iteration: its number at its engine, from 1.
        cost: seconds it is to last.
        tokens: tokens scheduled.
        budget: the tokens cap it was formed under.
        preempted: sessions preempted while it was formed.
        running: requests at the engine.
        waiting: holds in the queues it admits.
        portions: who computes what, in batch order.
    """

    time: float
    stage: int
    iteration: int
    cost: float
    tokens: float
    budget: float
    preempted: int
    running: int
    waiting: int
    portions: tuple[Portion, ...]

    def tokens_of(self, mode: Literal["prefill", "decode"]) -> list[float]:
        """What each portion of a mode computes, in tokens and in batch order."""
        return [portion.tokens for portion in self.portions if portion.mode == mode]


@dataclass(frozen=True, slots=True)
class IterationEnded:
    """The running iteration of an engine is over."""

    time: float
    stage: int
    iteration: int


@dataclass(frozen=True, slots=True)
class PoolLevel:
    """What a pool holds from ``time`` on, once all of that instant has happened; told where it differs.

    Attributes:
        used: units allocated by holds and leases.
        cached: units of cached prefixes.
        reserved: units live holds reserved and have not allocated.
        waiting: holds in its queue.
        holders: sessions and legs that hold it.
    """

    time: float
    pool: int
    used: float
    cached: float
    reserved: float
    waiting: int
    holders: int


@dataclass(frozen=True, slots=True)
class EngineLevel:
    """Whom an engine has from ``time`` on, once all of that instant has happened; told where it differs.

    Attributes:
        running: requests at the engine.
        waiting: holds in the queues it admits.
    """

    time: float
    stage: int
    running: int
    waiting: int


Level = PoolLevel | EngineLevel
Fact = Decision | IterationBegan | IterationEnded | PoolLevel | EngineLevel


def follow(run: Simulation, pace: Pace | None = None) -> Iterator[Fact]:
    """Goes on to the end of a run and tells its course.

    The levels of an instant come after all else of it. The clock of ``run`` is that of the fact told last.

    Args:
        run: a run of one's own.
        pace: looks up now and then.

    Raises:
        Interrupted: the pace was told to stop.
    """
    state = run.state
    records: list[Decision] = []
    reserves = _reserves(run.code)
    running: dict[int, int] = {}
    told: dict[tuple[type[Level], int], tuple[float, ...]] = {}
    run.listen(records)
    try:
        while not run.finished:
            instant = run.clock
            if run.begun and run.next_time() > instant:
                yield from _changed(state, told, instant, reserves)
            run.advance()
            for stage, iteration in tuple(running.items()):
                if state.stages[stage].iteration is None:
                    del running[stage]
                    yield IterationEnded(state.now, stage, iteration)
            yield from records
            for record in records:
                if isinstance(record, Attempted) and record.outcome in ("iteration", "preempted"):
                    st = state.stages[record.stage]
                    assert st.iteration is not None
                    running[record.stage] = st.iterations
                    yield _began(state, st, st.iteration, record.preempted)
            records.clear()
            if pace is not None:
                pace.step(run)
        if run.failure is None:
            yield from _changed(state, told, run.clock, reserves)
    finally:
        run.listen(None)


def _reserves(code: ProgramCode) -> bool:
    """Whether anybody reserves anything anywhere; of most programs nobody does, and no hold need be looked at."""
    holds = [statement for block in code.blocks for statement in block if isinstance(statement, HoldCode)]
    holds += [native.hold for native in code.natives.values() if native.hold is not None]
    return any(take.reserve is not None for hold in holds for take in hold.takes)


def _began(k: State, st: StageState, it: Iteration, preempted: int) -> IterationBegan:
    portions = []
    for job in it.batch:
        assert job.session is not None
        portions.append(Portion(who(job.session), mode(job), job.given))
    return IterationBegan(
        k.now,
        st.code.index,
        st.iterations,
        it.cost,
        it.tokens,
        it.budget,
        preempted,
        len(st.residents),
        _waiting(k, st),
        tuple(portions),
    )


def _waiting(k: State, st: StageState) -> int:
    step = st.code.step
    assert step is not None
    return sum(len(k.pools[i].queue) for i in step.queues)


def _changed(k: State, told: dict[tuple[type[Level], int], tuple[float, ...]], now: float, reserves: bool) -> Iterator[Level]:
    """The levels that are not what they were told to be."""
    for pool in k.pools:
        index = pool.code.index
        reserved = _reserved(pool) if reserves else 0.0
        level = (pool.used, pool.cached, reserved, len(pool.queue), len(pool.holder_counts))
        if told.get((PoolLevel, index)) != level:
            told[PoolLevel, index] = level
            yield PoolLevel(now, index, *level)
    for index in k.code.engines:
        st = k.stages[index]
        load = (len(st.jobs), _waiting(k, st))
        if told.get((EngineLevel, index)) != load:
            told[EngineLevel, index] = load
            yield EngineLevel(now, index, *load)


def _reserved(pool: PoolState) -> float:
    """What a view of the pool shows as reserved, by those who hold it."""
    reserved = 0.0
    seen: set[int] = set()
    for session in pool.holders:
        if session.slot not in seen:
            seen.add(session.slot)
            for hold in session.holds:
                for held in hold.pools:
                    if held.pool == pool.code.index:
                        reserved += positive(held.reserved - held.alloc)
    return reserved
