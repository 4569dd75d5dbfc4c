"""What those who wait, wait for, as an engine's attempts say it; follows no request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.codes import AdmitCode, GuardCode, Path, ScheduleCode
from engine.decisions import AdmissionClosed, Attempted, Blocked, Decision, Displaced, Grew, Guarded, LeftOut, Queued, Served
from engine.names import who as named
from engine.snapshot import Who
from engine.story import Blame
from grammar.declaring import dataclass

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.simulation import Simulation


@dataclass(frozen=True, slots=True)
class Reason:
    """What is waited for; see ``Stretch``."""

    blame: Blame | None = None
    pool: int | None = None
    behind: Who | None = None


NOTHING = Reason()
_ITERATION = Reason("iteration")

_LEFT_OUT: dict[str, Reason] = {
    "budget": Reason("budget"),
    "granule": Reason("budget"),
    "only": Reason("gate"),
    "statement": Reason("gate"),
    "growing": Reason("memory"),
    "alone": Reason("order"),
}


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What all who wait at a place wait for: the head it may be about, and everybody else."""

    head: Who | None
    of_head: Reason
    of_others: Reason


class Blaming:
    """Hears a run's decisions and says of whoever waits what for.

    Args:
        run: the run heard.

    Attributes:
        changed: indices of the pools in whose queues somebody may wait for something else since this was last cleared.
    """

    def __init__(self, run: Simulation) -> None:
        self._run = run
        self.changed: set[int] = set()
        self._turned = {code.index: _turned_away(code.step.body) for code in run.code.stages if code.step and code.step.body}
        """Per engine with a schedule the guards' readings by which it comes to no admission."""
        self._deciding: dict[int, Decision] = {}
        self._verdicts: dict[int, _Verdict] = {}
        """Per engine what its latest attempt came to for those who wait."""
        self._fresh: dict[int, set[Who]] = {}
        """Per engine who came to its queues since its latest attempt."""
        self._blocked: dict[int, _Verdict] = {}
        """Per pool without an engine what its latest attempt in vain says."""
        self._without: dict[int, dict[Who, Reason]] = {}
        """Per engine who has no tokens in its latest iteration."""
        self._left_out: dict[Who, Reason] = {}
        """The same of the attempt being heard."""

    def heard(self, record: Decision) -> None:
        """Something was decided."""
        match record:
            case Served() | Grew():
                # Nearly all that is heard says nothing of who waits.
                return
            case Queued(who=who, pool=pool):
                stage = self._run.code.pools[pool].admit_via
                if stage >= 0:
                    self._fresh.setdefault(stage, set()).add(who)
            case Blocked(stage=None, pool=pool):
                self._decided(self._blocked, pool, self._verdict(record), (pool,))
            case Blocked(stage=int(stage)) | AdmissionClosed(stage=stage):
                self._deciding[stage] = record
            case Guarded(stage=stage, path=path, value=value) if (path, value) in self._turned.get(stage, ()):
                self._deciding[stage] = record
            case LeftOut(who=who, reason=reason):
                self._left_out[who] = _LEFT_OUT[reason]
            case Displaced(who=who, by=by):
                self._left_out[who] = Reason("order", None, by)
            case Attempted(stage=stage):
                self._attempted(record, stage)

    def _attempted(self, record: Attempted, stage: int) -> None:
        self._without[stage], self._left_out = self._left_out, {}
        deciding = self._deciding.pop(stage, None)
        step = self._run.code.stages[stage].step
        assert step is not None
        if self._fresh.get(stage):
            self._fresh[stage].clear()
            self.changed.update(step.queues)
        verdict = self._verdict(deciding) if deciding is not None else _of_all(self._otherwise(record))
        self._decided(self._verdicts, stage, verdict, step.queues)

    def _decided(self, verdicts: dict[int, _Verdict], place: int, verdict: _Verdict, pools: Iterable[int]) -> None:
        if verdicts.get(place) != verdict:
            verdicts[place] = verdict
            self.changed.update(pools)

    def _otherwise(self, record: Attempted) -> Reason:
        """What keeps an attempt from trying anybody without saying so: it is full, or somebody preempted itself."""
        if record.preempted:
            return Reason("preemption")
        forming = self._run.state.forming
        return Reason("budget") if forming is not None and forming.left <= 0 else _ITERATION

    def of_waiting(self, session: Session) -> Reason:
        """What a hold in a queue waits for."""
        who, pool = named(session), session.where
        stage = self._run.code.pools[pool].admit_via
        if stage < 0:
            verdict = self._blocked.get(pool)
            if verdict is None:
                return Reason("order")
        else:
            verdict = self._verdicts.get(stage)
            if verdict is None or who in self._fresh.get(stage, ()):
                return _ITERATION
        return verdict.of_head if who == verdict.head else verdict.of_others

    def of_resident(self, stage: int, who: Who) -> Reason:
        """Why a running request has no tokens in the running iteration."""
        return self._without.get(stage, {}).get(who, _ITERATION)

    def _verdict(self, record: Decision) -> _Verdict:
        match record:
            case Blocked(who=head, short_of=pool, need=need):
                code = self._run.code.pools[pool]
                seats = need == 1.0 and not code.engines and not code.block
                return _Verdict(head, Reason("seats" if seats else "memory", pool), Reason("order", pool, head))
            case AdmissionClosed(reason="preempted"):
                return _of_all(Reason("preemption"))
            case AdmissionClosed():
                return _of_all(Reason("budget"))
        return _of_all(Reason("gate"))


def _of_all(reason: Reason) -> _Verdict:
    return _Verdict(None, reason, reason)


def _turned_away(body: tuple[ScheduleCode, ...]) -> frozenset[tuple[Path, float]]:
    """The readings of guards after which an admission that stands there is not come to."""
    found: set[tuple[Path, float]] = set()
    for code in body:
        if isinstance(code, AdmitCode):
            found.add((code.path, 0.0))
        elif isinstance(code, GuardCode):
            then, orelse = _admits(code.then), _admits(code.orelse)
            if then != orelse:
                found.add((code.path, 0.0 if then else 1.0))
            found |= _turned_away(code.then) | _turned_away(code.orelse)
    return frozenset(found)


def _admits(body: tuple[ScheduleCode, ...]) -> bool:
    return any(isinstance(c, AdmitCode) or (isinstance(c, GuardCode) and (_admits(c.then) or _admits(c.orelse))) for c in body)
