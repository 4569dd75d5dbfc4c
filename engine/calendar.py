"""The calendar of decodes: an engine's steady decodes counted together.

Most of an engine's work is decoding: every iteration gives each decode one token and that
is all. Visiting each of them each iteration costs time in proportion to how many run. Here
such decodes are *members* of a cohort: what one iteration does to all of them is counted
once, and what happens to one alone (its hold grows by a block, it finishes) stands in a
calendar by the tick at which it is due. A tick is an iteration that served the cohort.

``engine.iteration`` is the specification and the path for everything else; whatever might
not be steady (a growth without room, a budget that does not reach, a listener, a token out
of step) *folds* the cohort: every member gets its own figures again and the plain path goes
on. Folding is neutral, so looking at a run never changes it. All counted figures are whole
numbers below 2^53, on which sums in any order are exact; a decode whose figures are not
whole is never a member.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.state import IN_STAGE

if TYPE_CHECKING:
    from engine.iteration import Attempt
    from engine.state import HeldPool, Hold, Job, StageState, State

_WHOLE = float(1 << 50)
"""Figures below this can be added up by the million without rounding."""


class Cohort:
    """The steady decodes of one engine, none of whose figures stand in their jobs."""

    __slots__ = (
        "attempt",
        "finish",
        "granted",
        "growth",
        "kv",
        "last_end",
        "members",
        "outsiders",
        "pool",
        "served",
        "tick",
        "unit",
    )

    def __init__(self, pool: int, unit: float, last_end: float) -> None:
        self.pool = pool
        """The pool all members grow, -1 where none does."""
        self.unit = unit
        """What a growth takes: the pool's block, or 1."""
        self.members: dict[int, tuple[Job, Hold | None, HeldPool | None, int, int]] = {}
        """By job number: the job, its hold and its part of the pool, the tick it joined at, the tick of its first growth."""
        self.outsiders: list[Job] = []
        """The engine's other residents, in resident order."""
        self.tick = 0
        """Ticks that have ended: tokens that came out."""
        self.served = 0
        """Ticks begun: tokens that count in the positions (R6.20)."""
        self.granted = 0
        """Ticks whose growths were made, ahead of ``served`` within an attempt."""
        self.finish: dict[int, list[Job]] = {}
        self.growth: dict[int, int] = {}
        self.kv = 0.0
        """Units the members hold of the pool."""
        self.last_end = last_end
        """When every member's latest token came out."""
        self.attempt: Attempt | None = None
        """The attempt that is serving the cohort right now."""


def _steady(st: StageState, job: Job, now: float, cohort: Cohort) -> tuple[Hold | None, HeldPool | None] | None:
    """Whether a decode can be a member from this iteration's end on; its hold where it grows one."""
    session = job.session
    if session is None or not job.decode or job.growing != cohort.pool or session.leg >= 0:
        return None
    if session.status != IN_STAGE or not (1.0 <= job.work < _WHOLE) or job.work % 1.0:
        return None
    _, time, stage, decoded, preempted = session.meter
    if time != now or not decoded or preempted or stage != st.code.index:
        return None
    if session.client is not None and not session.client[2]:
        return None
    memory = st.code.step.memory if st.code.step is not None else -1
    if cohort.pool < 0:
        return (None, None) if memory < 0 else None
    if cohort.pool != memory:
        return None
    parts = [(hold, held) for hold in session.holds for held in hold.pools if held.pool == memory]
    if len(parts) != 1:
        return None
    hold, held = parts[0]
    if not hold.grown or held.pos % 1.0 or held.alloc % cohort.unit or not 0 <= held.pos <= held.alloc < _WHOLE:
        return None
    return hold, held


def establish(k: State, st: StageState) -> None:
    """Forms a cohort at the end of an iteration, if its decodes are steady enough to pay for it."""
    step = st.code.step
    assert step is not None
    first = next((job for job in st.residents if job.decode), None)
    if first is None:
        return
    pool = first.growing
    unit = 1.0
    if pool >= 0:
        code = k.pools[pool].code
        unit = code.block or 1.0
        if unit % 1.0 or (code.block and not code.bulk) or k.pools[pool].used % 1.0 or k.pools[pool].cached % 1.0:
            return
    cohort = Cohort(pool, unit, k.now)
    for job in st.residents:
        if not join(st, cohort, job, k.now):
            cohort.outsiders.append(job)
    if cohort.members:
        st.cohort = cohort


def join(st: StageState, cohort: Cohort, job: Job, now: float) -> bool:
    """Makes a decode a member at an iteration's end; False where it is not steady."""
    steady = _steady(st, job, now, cohort)
    if steady is None:
        return False
    hold, held = steady
    first = 0
    if held is not None:
        # R6.21: a growth comes when the position would pass the allocation.
        first = cohort.tick + int(held.alloc - held.pos) + 1
        cohort.growth[first] = cohort.growth.get(first, 0) + 1
        cohort.kv += held.alloc
    cohort.members[job.id] = (job, hold, held, cohort.tick, first)
    cohort.finish.setdefault(cohort.tick + int(job.work), []).append(job)
    return True


def restore(cohort: Cohort, job: Job) -> None:
    """A member's own figures, as if it had been visited every tick."""
    job, _, held, since, first = cohort.members.pop(job.id)
    ended = cohort.tick - since
    job.work -= ended
    session = job.session
    assert session is not None
    turn, _, stage, decoded, preempted = session.meter
    session.meter = (turn, cohort.last_end, stage, decoded, preempted)
    if session.client is not None:
        start, token, confirmed, after = session.client
        session.client = (start, token, confirmed, after + ended)
    if held is not None:
        held.pos += cohort.served - since
        if cohort.granted >= first:
            held.alloc += ((cohort.granted - first) // int(cohort.unit) + 1) * cohort.unit
        due = _next_growth(cohort, first)
        left = cohort.growth[due] - 1
        if left:
            cohort.growth[due] = left
        else:
            del cohort.growth[due]
        cohort.kv -= held.alloc


def _next_growth(cohort: Cohort, first: int) -> int:
    """The tick of a member's next growth."""
    if cohort.granted < first:
        return first
    unit = int(cohort.unit)
    return first + ((cohort.granted - first) // unit + 1) * unit


def fold(st: StageState) -> None:
    """Gives every member its own figures again; the engine goes on by the plain path."""
    cohort = st.cohort
    if cohort is None:
        return
    st.cohort = None
    steady = set(cohort.members)
    for job, *_ in list(cohort.members.values()):
        restore(cohort, job)
        job.given = 1.0 if st.iteration is not None else 0.0
    if st.iteration is not None:
        given = {job.id: tokens for job, tokens in st.iteration.batch}
        st.iteration.members = 0
        st.iteration.batch = _in_order(st, steady, given)
    attempt = cohort.attempt
    if attempt is not None:
        # In the middle of an attempt: the members have their tokens, as the plain path would have noted.
        given = {job.id: tokens for job, tokens in attempt.batch}
        attempt.batch = _in_order(st, steady, given)
        attempt.folded = True
        for job in st.residents:
            if job.id in steady:
                job.served = st.marks


def _in_order(st: StageState, steady: set[int], given: dict[int, float]) -> list[tuple[Job, float]]:
    """A batch in resident order, which is the order the plain path serves in."""
    batch = []
    for job in st.residents:
        if job.id in steady:
            batch.append((job, 1.0))
        elif job.id in given:
            batch.append((job, given[job.id]))
    return batch


def fold_all(k: State) -> None:
    """Folds every engine's cohort, so that a state says everything in its own fields."""
    for st in k.stages:
        if st.cohort is not None:
            fold(st)


def resident_joined(cohort: Cohort, st: StageState, job: Job) -> None:
    """A run started while the cohort stands: it is an outsider, in resident order."""
    if st.residents[-1] is job:
        cohort.outsiders.append(job)
    else:
        outside = {other.id for other in cohort.outsiders}
        outside.add(job.id)
        cohort.outsiders = [other for other in st.residents if other.id in outside]
