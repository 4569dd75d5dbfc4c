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

from typing import TYPE_CHECKING, Final

from engine.constants import IN_STAGE
from engine.statistics import total_order

if TYPE_CHECKING:
    from engine.batch import Attempt
    from engine.codes import StepCode
    from engine.session_state import HeldPool, Job, Session
    from engine.stage_state import StageState
    from engine.state import State

_WHOLE: Final = float(1 << 50)
"""Figures below this can be added up by the million without rounding."""


class Member:
    """A decode whose figures are counted with others'; nothing changes it.

    Attributes:
        held: what it grows, its hold's part of the pool; None where it grows none.
        since: the tick it joined at.
        first: the tick of its first growth.
        kv: units of the engine's memory it held when it joined.
    """

    __slots__ = ("first", "held", "job", "kv", "since")

    def __init__(self, job: Job, held: HeldPool | None, since: int, first: int, kv: float) -> None:
        self.job = job
        self.held = held
        self.since = since
        self.first = first
        self.kv = kv


RESIDENT_ORDER: Final = 0
DECODES_FIRST: Final = 1
PREFILLS_FIRST: Final = 2
"""The order an engine serves in, as far as it depends on the mode (R6.10)."""


class Cohort:
    """The steady decodes of one engine, none of whose figures stand in their jobs."""

    __slots__ = (
        "attempt",
        "finish",
        "granted",
        "grown",
        "growth",
        "kv",
        "last_end",
        "members",
        "order",
        "outsiders",
        "pool",
        "served",
        "tick",
        "unit",
    )

    def __init__(self, pool: int, unit: float, order: int, last_end: float) -> None:
        self.order = order
        self.pool = pool
        """The pool all members grow, -1 where none does."""
        self.unit = unit
        """What a growth takes: the pool's block, or 1."""
        self.members: dict[int, Member] = {}
        """By job number."""
        self.outsiders: list[Job] = []
        """The engine's other residents, in resident order."""
        self.tick = 0
        """Ticks that have ended: tokens that came out."""
        self.served = 0
        """Ticks begun: tokens that count in the positions (R6.20)."""
        self.granted = 0
        """Ticks whose growths were made, ahead of ``served`` within an attempt."""
        self.grown: set[int] | None = None
        """In a shortage: the members whose growths of the coming tick are made, by job number (``engine.shortage``)."""
        self.finish: dict[int, list[Job]] = {}
        self.growth: dict[int, int] = {}
        self.kv = 0.0
        """Units of the engine's memory that the members hold."""
        self.last_end = last_end
        """When every member's latest token came out."""
        self.attempt: Attempt | None = None
        """The attempt that is serving the cohort right now."""


def _steady(st: StageState, job: Job, now: float, cohort: Cohort) -> Member | None:
    """What a decode is as a member from this iteration's end on, None where it is not steady."""
    session = job.session
    if session is None or not job.decode or job.growing != cohort.pool or session.leg >= 0:
        return None
    if session.status != IN_STAGE or not (1.0 <= job.work < _WHOLE) or job.work % 1.0:
        return None
    _, time, stage, decoded, preempted = session.meter
    # A decode's token just now has confirmed the first one of the turn (R9.22): its client's meter is steady, too.
    if time != now or not decoded or preempted or stage != st.code.index:
        return None
    step = st.code.step
    assert step is not None
    parts = [(hold, held) for hold in session.holds for held in hold.pools if held.pool == step.memory]
    if cohort.pool < 0:
        kv = 0.0
        for _, held in parts:
            kv += held.alloc
        return Member(job, None, cohort.tick, 0, kv) if kv % 1.0 == 0.0 and kv < _WHOLE else None
    if cohort.pool != step.memory or len(parts) != 1:
        return None
    hold, held = parts[0]
    if not hold.grown or held.pos % 1.0 or held.alloc % cohort.unit or not 0 <= held.pos <= held.alloc < _WHOLE:
        return None
    # R6.21: a growth comes when the position would pass the allocation.
    first = cohort.tick + int(held.alloc - held.pos) + 1
    return Member(job, held, cohort.tick, first, held.alloc)


def establish(k: State, st: StageState) -> None:
    """Forms a cohort at the end of an iteration, if its decodes are steady."""
    step = st.code.step
    assert step is not None
    leader = next((job for job in st.residents if job.decode), None)
    if leader is None:
        return
    pool = leader.growing
    unit = 1.0
    if pool >= 0:
        code = k.pools[pool].code
        unit = code.block or 1.0
        if unit % 1.0 or (code.block and not code.bulk) or k.pools[pool].used % 1.0 or k.pools[pool].cached % 1.0:
            return
    cohort = Cohort(pool, unit, _order(k, step), k.now)
    for job in st.residents:
        if not join(st, cohort, job, k.now):
            cohort.outsiders.append(job)
    if cohort.members:
        st.cohort = cohort


def _order(k: State, step: StepCode) -> int:
    """How the keys of the first ``advance running`` tell modes apart; they read nothing else (``StepCode.steady``)."""
    ranks = []
    for decoding in (0.0, 1.0):
        k.moment.Decoding = decoding
        ranks.append([total_order(f(k, k.nobody, k.moment)) for f in step.first_keys])
    prefill, decode = ranks
    if prefill == decode:
        return RESIDENT_ORDER
    return DECODES_FIRST if decode < prefill else PREFILLS_FIRST


def join(st: StageState, cohort: Cohort, job: Job, now: float) -> bool:
    """Makes a decode a member at an iteration's end; False where it is not steady."""
    member = _steady(st, job, now, cohort)
    if member is None:
        return False
    if member.held is not None:
        cohort.growth[member.first] = cohort.growth.get(member.first, 0) + 1
    cohort.kv += member.kv
    cohort.members[job.id] = member
    cohort.finish.setdefault(cohort.tick + int(job.work), []).append(job)
    return True


def restore(cohort: Cohort, job: Job) -> None:
    """A member's own figures, as if it had been visited every tick."""
    member = cohort.members.pop(job.id)
    ended = cohort.tick - member.since
    job.work -= ended
    session = job.session
    assert session is not None
    turn, _, stage, decoded, preempted = session.meter
    session.meter = (turn, cohort.last_end, stage, decoded, preempted)
    if session.client is not None:
        session.client.after += ended
    held, first = member.held, member.first
    if held is None:
        cohort.kv -= member.kv
        return
    held.pos += cohort.served - member.since
    if cohort.granted >= first:
        held.alloc += ((cohort.granted - first) // int(cohort.unit) + 1) * cohort.unit
    due = _next_growth(cohort, first)
    left = cohort.growth[due] - 1
    if left:
        cohort.growth[due] = left
    else:
        del cohort.growth[due]
    if cohort.grown is not None and job.id in cohort.grown:
        held.alloc += cohort.unit
    cohort.kv -= held.alloc


def set_apart(k: State, session: Session) -> None:
    """Gives one session its own figures, before something happens to it that does not happen to all members."""
    st = k.stages[session.where] if session.status == IN_STAGE else None
    cohort = st.cohort if st is not None else None
    if st is None or cohort is None or session.job is None or session.job.id not in cohort.members:
        return
    if cohort.grown is None:
        fold(st)
        return
    due = cohort.members[session.job.id].since + int(session.job.work)
    finishing = cohort.finish[due]
    finishing.remove(session.job)
    if not finishing:
        del cohort.finish[due]
    restore(cohort, session.job)


def leave(st: StageState, job: Job) -> None:
    """A resident is taken away: in a shortage from the others of its cohort, else the cohort is folded."""
    cohort = st.cohort
    if cohort is not None:
        if cohort.grown is None or job.id in cohort.members:
            fold(st)
        elif job in cohort.outsiders:
            cohort.outsiders.remove(job)


def position(k: State, session: Session, held: HeldPool) -> float:
    """Tokens computed in a hold, also where its session is a member."""
    cohort = k.stages[session.where].cohort if session.status == IN_STAGE else None
    member = cohort.members.get(session.job.id) if cohort is not None and session.job is not None else None
    if cohort is None or member is None or member.held is not held:
        return held.pos
    return held.pos + (cohort.served - member.since)


def grows_at(cohort: Cohort, job: Job, tick: int) -> bool:
    """Whether a job is a member whose hold grows at a tick."""
    member = cohort.members.get(job.id)
    return member is not None and member.held is not None and tick >= member.first and (tick - member.first) % int(cohort.unit) == 0


def granted(st: StageState, cohort: Cohort, tick: int) -> None:
    """The growths of the coming tick are all made; its members grow again a unit later."""
    cohort.grown = None
    growing = cohort.growth.pop(tick, 0)
    if growing:
        after = tick + int(cohort.unit)
        cohort.growth[after] = cohort.growth.get(after, 0) + growing
    cohort.granted = tick
    if not cohort.members:
        st.cohort = None


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
    for member in list(cohort.members.values()):
        restore(cohort, member.job)
        # Running, or in the middle of an attempt that serves them, they have their tokens.
        member.job.given = 1.0 if st.iteration is not None or cohort.attempt is not None else 0.0
    if st.iteration is not None:
        st.iteration.members = 0
        st.iteration.batch = in_order(st, cohort.order, steady, st.iteration.batch, st.iteration.early)
    attempt = cohort.attempt
    if attempt is not None:
        attempt.batch = in_order(st, cohort.order, steady, attempt.batch, attempt.early)
        attempt.folded = True
        attempt.members = 0
        for job in st.residents:
            if job.id in steady:
                job.served = st.marks


def in_order(st: StageState, order: int, steady: set[int], batch: list[Job], early: set[int] | None) -> list[Job]:
    """A batch with the members among the others, in the order the plain path serves in.

    Args:
        st: the engine.
        order: how its order depends on the mode.
        steady: the members, by job number.
        batch: the others, in the order they were served.
        early: who of them was served along with the members; the rest came later. None means all.
    """
    together = steady | {job.id for job in batch if early is None or job.id in early}
    whole = [job for job in st.residents if job.id in together]
    if order != RESIDENT_ORDER:
        whole.sort(key=lambda job: job.decode != (order == DECODES_FIRST))
    return whole + [job for job in batch if job.id not in together]


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
