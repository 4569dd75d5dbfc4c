"""Forming a batch: giving residents their tokens, in order, growing their holds first (R6.5 to R6.7, R6.10, R6.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from mypy_extensions import mypyc_attr

from engine import growth, holdings, plan
from engine.constants import EPS, GROWING, INF
from engine.decisions import LeftOut
from engine.frequent import Served, note
from engine.names import who
from engine.statistics import total_order

if TYPE_CHECKING:
    from engine.codes import Path, StepCode
    from engine.expressions import Function
    from engine.session_state import Job, Session
    from engine.stage_state import StageState
    from engine.state import State

GIVEN: Final = 0
SKIPPED: Final = 1
REFUSED: Final = 2
STOPPED: Final = 3
"""What giving a resident its tokens came to (R6.6)."""


@mypyc_attr(acyclic=True, free_list_len=1)
class Attempt:
    """The batch being formed; lives within one call of ``attempt``."""

    __slots__ = (
        "admitted",
        "batch",
        "budget",
        "chunk",
        "early",
        "executed",
        "folded",
        "left",
        "members",
        "path",
        "preempted_before",
        "refused",
        "registers",
    )

    def __init__(self, k: State, step: StepCode, budget: float, chunk: float) -> None:
        self.budget = budget
        self.chunk = chunk
        self.left = budget
        self.batch: list[Job] = []
        """Who has tokens (``Job.given``), in order."""
        self.refused = False
        self.folded = False
        """Whether a cohort was folded in its midst, its members' tokens being in the batch by now."""
        self.members = 0
        """Members of a cohort that have their tokens and are not in the batch."""
        self.early: set[int] | None = None
        """The others who were served along with a cohort, by job number; who was served after that stands behind all of them."""
        self.admitted = 0
        self.registers = k.registers.copy() if step.body is not None else k.registers
        """As they were; no statement of the default and the exclusive procedure sets one."""
        self.path: Path | None = None
        """The schedule statement executed last."""
        self.executed: list[Path] = []
        """All executed so far, in order."""


def at(k: State, a: Attempt, path: Path) -> None:
    """The statement at ``path`` is being executed."""
    if a.path is not path:
        a.path = path
        a.executed.append(path)
    k.path = path


def give(k: State, st: StageState, a: Attempt, job: Job, left: float) -> int:
    """R6.6: gives a resident its tokens, growing its hold first.

    Args:
        left: the budget that counts for it, which an exclusive prefill reads differently (R6.9).
    """
    step = st.code.step
    assert step is not None
    want = plan.wanted(job, a.chunk)
    tokens = want if want < left else left
    if step.granule and not job.decode and tokens < job.work:
        tokens = tokens / step.granule // 1.0 * step.granule if step.granule < INF else 0.0
        if tokens <= 0:
            _left_out(k, st, job, "granule")
            return REFUSED
    if tokens <= 0:
        _left_out(k, st, job, "budget")
        return SKIPPED
    session = job.session
    assert session is not None
    position = 0.0
    if job.growing >= 0:
        if session.status == GROWING:
            _left_out(k, st, job, "growing")
            return SKIPPED
        held = holdings.grown_by(job)
        position = held.pos
        need = position + tokens - held.alloc
        if need > EPS:
            before = k.attempt_preempted
            outcome = growth.grow(k, session, job.growing, need)
            if k.attempt_preempted != before:
                drop_gone(a)
            if outcome == growth.WAITS:
                _left_out(k, st, job, "growing")
                return SKIPPED
            if outcome == growth.PREEMPTED_ITSELF:
                return STOPPED
    if step.attention and not job.decode:
        job.attention = tokens * (position + tokens / 2.0)
    job.given = tokens
    a.batch.append(job)
    a.left -= tokens
    if k.listen is not None:
        cut = None if tokens == job.work or job.decode else _cut(step, a, tokens, left)
        word: Literal["prefill", "decode"] = "decode" if job.decode else "prefill"
        note(k.listen, Served(k.now, st.code.index, k.path, session.name, word, tokens, job.work, cut))
    return GIVEN


def _cut(step: StepCode, a: Attempt, tokens: float, left: float) -> Literal["budget", "chunk", "granule"]:
    """What kept a prefill from having all it has left."""
    if tokens == left:
        return "budget"
    return "chunk" if tokens == a.chunk or not step.granule else "granule"


def mode(job: Job) -> Literal["prefill", "decode"]:
    """A job's mode as records and views name it."""
    return "decode" if job.decode else "prefill"


Reason = Literal["budget", "only", "granule", "growing", "statement", "alone"]


def _left_out(k: State, st: StageState, job: Job, reason: Reason) -> None:
    if k.listen is not None:
        assert job.session is not None
        k.listen.append(LeftOut(k.now, st.code.index, k.path, who(job.session), mode(job), reason))


def note_unserved(k: State, st: StageState, a: Attempt) -> None:
    """Records the residents that no statement came to, once the batch is formed."""
    if k.listen is not None:
        for job in st.residents:
            if job.served != st.marks:
                _left_out(k, st, job, "budget" if a.left <= 0 else "statement")


def still_there(a: Attempt) -> list[Job]:
    """R6.3 step 4: the batch without those who have gone since they were served."""
    for job in a.batch:
        if job.gone:
            return [job for job in a.batch if not job.gone]
    return a.batch


def drop_gone(a: Attempt) -> None:
    """R6.6 step 4: the tokens of those a growth preempted return to the budget, in batch order."""
    kept = []
    for job in a.batch:
        if job.gone:
            a.left += job.given
        else:
            kept.append(job)
    a.batch = kept


def in_order(k: State, st: StageState, keys: tuple[Function, ...]) -> list[Job]:
    """R6.10: the residents by their keys now, ties in resident order."""
    if not keys:
        return st.residents
    _serving_totals(k, st)
    return sorted(st.residents, key=lambda job: _rank(k, job, keys))


def _serving_totals(k: State, st: StageState) -> None:
    step = st.code.step
    assert step is not None
    if step.serving_totals:
        plan.set_totals(st, k.moment, memory=step.serving_memory)


def _of_job(k: State, job: Job) -> Session:
    """Sets the context of a serving key or an ``only`` for a resident (R6.10)."""
    session = job.session
    assert session is not None
    m = k.moment
    m.Decoding = 1.0 if job.decode else 0.0
    m.Admission = float(session.adm)
    m.Remaining = job.work
    return session


def _rank(k: State, job: Job, keys: tuple[Function, ...]) -> list[tuple[int, float, float]]:
    session = _of_job(k, job)
    return [total_order(f(k, session, k.moment)) for f in keys]


def excluded(k: State, st: StageState, job: Job, only: Function | None) -> bool:
    """Whether ``only`` is 0 for a resident as it stands (R6.15)."""
    if only is None:
        return False
    _serving_totals(k, st)
    session = _of_job(k, job)
    return only(k, session, k.moment) == 0


def serve(k: State, st: StageState, a: Attempt, keys: tuple[Function, ...], *, still: bool, only: Function | None) -> int:
    """Serves the residents not yet served, in order, while budget is left (R6.8, R6.15).

    The order is taken again whenever it may have changed: under keys that read the state
    after every resident, else when a resident came or went.

    Returns:
        ``STOPPED`` after a self-preemption, else ``GIVEN``.
    """
    marks = st.marks
    order = in_order(k, st, keys)
    version = st.version
    set_aside: set[int] | None = None
    i = 0
    while i < len(order) and a.left > 0:
        job = order[i]
        i += 1
        if job.served == marks or (set_aside is not None and job.id in set_aside):
            continue
        if only is not None and excluded(k, st, job, only):
            set_aside = set_aside or set()
            set_aside.add(job.id)
            _left_out(k, st, job, "only")
            continue
        job.served = marks
        outcome = give(k, st, a, job, a.left)
        if outcome == STOPPED:
            return STOPPED
        if outcome == REFUSED:
            a.refused = True
        if st.version != version or (keys and not still):
            order = in_order(k, st, keys)
            version = st.version
            i = 0
    return GIVEN
