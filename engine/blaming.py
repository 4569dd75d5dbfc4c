"""What those who wait, wait for, as an engine's attempts say it; follows no request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.codes import AdmitCode, GuardCode, Path, ScheduleCode
from engine.decisions import AdmissionClosed, Admitted, Attempted, Blocked, Decision, Displaced, Ended, Guarded, LeftOut, Queued
from engine.names import who as named
from engine.snapshot import Who
from engine.story import Blame

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.simulation import Simulation
    from engine.state import State


@dataclass(frozen=True, slots=True)
class Reason:
    """What is waited for; see ``Stretch``."""

    blame: Blame | None = None
    pool: int | None = None
    behind: Who | None = None


_LEFT_OUT: dict[str, Blame] = {
    "budget": "budget",
    "granule": "budget",
    "only": "gate",
    "statement": "gate",
    "growing": "memory",
    "alone": "order",
}


class Blaming:
    """Hears a run's decisions and says of whoever waits what for.

    Args:
        run: the run heard.
    """

    def __init__(self, run: Simulation) -> None:
        self._run = run
        self._turned = {code.index: _turned_away(code.step.body) for code in run.code.stages if code.step and code.step.body}
        """Per engine with a schedule the guards' readings by which it comes to no admission."""
        self._heard = 0
        self._queued: dict[Who, int] = {}
        self._deciding: dict[int, Decision] = {}
        self._attempts: dict[int, tuple[int, Decision | None, Reason]] = {}
        """Per engine the latest attempt: when, what decided on the waiting, and what else it came to."""
        self._blocked: dict[int, Blocked] = {}
        """Per pool without an engine who was tried last in vain."""
        self._without: dict[int, dict[Who, Reason]] = {}
        """Per engine who has no tokens in its latest iteration."""
        self._left_out: dict[Who, Reason] = {}
        """The same of the attempt being heard."""

    def heard(self, record: Decision) -> None:
        """Something was decided."""
        self._heard += 1
        match record:
            case Queued(who=who):
                self._queued[who] = self._heard
            case Blocked(stage=None, pool=pool):
                self._blocked[pool] = record
            case Blocked(stage=int(stage)) | AdmissionClosed(stage=stage):
                self._deciding[stage] = record
            case Guarded(stage=stage, path=path, value=value) if (path, value) in self._turned.get(stage, ()):
                self._deciding[stage] = record
            case LeftOut(who=who, reason=reason):
                self._left_out[who] = Reason(_LEFT_OUT[reason])
            case Displaced(who=who, by=by):
                self._left_out[who] = Reason("order", None, by)
            case Admitted(who=who) | Ended(who=who):
                self._queued.pop(who, None)
            case Attempted(stage=stage):
                self._without[stage], self._left_out = self._left_out, {}
                self._attempts[stage] = (self._heard, self._deciding.pop(stage, None), self._otherwise(record))

    def _otherwise(self, record: Attempted) -> Reason:
        """What keeps an attempt from trying anybody without saying so: it is full, or somebody preempted itself."""
        if record.preempted:
            return Reason("preemption")
        forming = self._run.state.forming
        return Reason("budget") if forming is not None and forming.left <= 0 else Reason("iteration")

    def of_waiting(self, k: State, session: Session) -> Reason:
        """What a hold in a queue waits for."""
        who = named(session)
        stage = k.pools[session.where].code.admit_via
        if stage < 0:
            blocked = self._blocked.get(session.where)
            return self._of(k, blocked, who) if blocked is not None else Reason("order")
        heard, deciding, otherwise = self._attempts.get(stage, (-1, None, Reason("iteration")))
        if heard < self._queued.get(who, 0):
            return Reason("iteration")
        return self._of(k, deciding, who) if deciding is not None else otherwise

    def of_resident(self, stage: int, who: Who) -> Reason:
        """Why a running request has no tokens in the running iteration."""
        return self._without.get(stage, {}).get(who, Reason("iteration"))

    @staticmethod
    def _of(k: State, record: Decision, who: Who) -> Reason:
        match record:
            case Blocked(who=head, short_of=pool, need=need):
                if head != who:
                    return Reason("order", pool, head)
                code = k.pools[pool].code
                return Reason("seats" if need == 1.0 and not code.engines and not code.block else "memory", pool)
            case AdmissionClosed(reason="preempted"):
                return Reason("preemption")
            case AdmissionClosed():
                return Reason("budget")
        return Reason("gate")


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
