"""Why a request waits: the tests the engine makes of it, in the order it makes them; knows no remedy and no screen.

Nothing is computed twice: the attempt that decided is made again on a clone, and the tests are
read from what it recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from engine import kernel, views, whatif
from engine.codes import AdmitCode, GuardCode, Path, ScheduleCode
from engine.constants import QUEUED
from engine.decisions import AdmissionClosed, Admitted, Blocked, Decision, Guarded, Queued
from engine.guard_reads import Read
from engine.names import name, who
from engine.procedures import ADMIT_PATH
from engine.replay import Past, steps
from engine.simulation import Simulation
from engine.snapshot import Position, Who
from engine.stage_state import NEVER
from engine.trial import Reading, Room, Trial, blocked_rooms, rooms_of, trial
from engine.walking import Interrupt
from grammar.declaring import dataclass

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.state import State

_SOON = 20_000
"""Small steps looked ahead for the next attempt of an engine: far more than an iteration has events."""

Kind = Literal["iteration", "branch", "budget", "preempted", "granule", "gate", "turn", "room"]
Outcome = Literal["passed", "failed", "open"]


@dataclass(frozen=True, slots=True)
class AdmissionTest:
    """One test on the way to an admission.

    Attributes:
        kind: an ``iteration`` could start; a ``branch`` of the schedule was taken; tokens of the ``budget``
            are left; nobody was ``preempted``; no prefill waits on its ``granule``; the ``gate`` of the
            admission is open; it is its ``turn`` in the queue; a pool has ``room``.
        outcome: ``open`` where the engine did not come to it.
        value: what was read: tokens left, a guard's value, how many stand before it; None where nothing was.
        path: the schedule statement that makes the test, None where the procedure has none.
        ahead: for a turn, who is tried before it, in that order.
        room: for a room, what is asked of the pool and what is there.
        reads: for a guard, what it read, part by part.
    """

    kind: Kind
    outcome: Outcome
    value: float | None = None
    path: Path | None = None
    ahead: tuple[Who, ...] = ()
    room: Room | None = None
    reads: tuple[Read, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A waiting request and the trial that decides on it.

    Attributes:
        stage: the engine that admits it, None where holds enter as soon as they fit.
        tried: ``last`` when the engine's last attempt decided; ``next`` when it joined later and the coming
            one will; ``rest`` without an engine, where the queue is tried whenever units come back.
        point: a run right before the trial; to clone, not to advance.
        time: when the trial is made.
    """

    who: Who
    pool: int
    stage: int | None
    since: float
    tried: Literal["last", "next", "rest"]
    point: Simulation
    time: float


@dataclass(frozen=True, slots=True)
class Why:
    """Why a request waits.

    Attributes:
        place: its place in the queue, from 1, in the order tried.
        waiting: how many wait there.
        requeued: whether a preemption put it back before all others.
        tests: in the order made; the first that failed is the reason.
        admitted: whether the coming attempt will admit it as things are.
        head: who is tried in its place and found no room, None where nobody was.
        head_rooms: what that one asks.
    """

    question: Question
    pool_name: str
    place: int
    waiting: int
    requeued: bool
    tests: tuple[AdmissionTest, ...]
    admitted: bool
    head: Who | None
    head_rooms: tuple[Room, ...]

    @property
    def reason(self) -> AdmissionTest | None:
        """The first test that failed."""
        return next((test for test in self.tests if test.outcome == "failed"), None)


@dataclass(frozen=True, slots=True)
class Overtaking:
    """Somebody who joined the queue later and was admitted first; ``requeued`` came back by a preemption."""

    who: Who
    time: float
    requeued: bool


def ask(past: Past, who: Who) -> Question | None:
    """The trial that decides on a request; None where it does not wait, or nothing will ever try it."""
    k = past.now.state
    session = whatif.session_of(k, who)
    if session is None or session.status != QUEUED or session.pending is None:
        return None
    pool, since = session.where, session.pending.since
    stage = k.pools[pool].code.admit_via
    if stage < 0:
        return Question(who, pool, None, since, "rest", past.now.clone(), k.now)
    last = k.stages[stage].attempt
    if last != NEVER:
        point = past.before(Position(*last))
        if point is not None and kernel.next_attempt(point.state) == stage and _decides(point, who, stage, since):
            question = Question(who, pool, stage, since, "last", point, point.clock)
            # An attempt may preempt a request after its admissions: nothing it tested keeps that one waiting, the next decides.
            if why(past, question).reason is not None:
                return question
    run = past.now.clone()
    for _ in range(_SOON):
        if run.finished:
            return None
        if kernel.next_attempt(run.state) == stage:
            return Question(who, pool, stage, since, "next", run, run.clock)
        run.advance()
    return None


def _decides(point: Simulation, who: Who, stage: int, since: float) -> bool:
    """Whether an attempt left the request waiting as it waits now."""
    after = trial(point.clone(), stage).run
    session = whatif.session_of(after.state, who)
    return session is not None and session.pending is not None and session.pending.since == since


def why(past: Past, question: Question) -> Why:
    """The tests, read off the trial."""
    made = trial(question.point.clone(), question.stage, reads=True)
    k = made.run.state
    session = whatif.session_of(k, question.who)
    waits = session is not None and session.status == QUEUED and session.pending is not None
    looked = k if waits else question.point.state
    subject = session if waits else whatif.session_of(looked, question.who)
    assert subject is not None
    ahead = _ahead(looked, question, subject)
    tests = _tests(past, question, made, ahead, rooms_of(looked, subject))
    block = blocked_rooms(made.readings)
    head = block.record.who if block is not None and isinstance(block.record, Blocked) else None
    others = head is not None and head != question.who
    queue = looked.pools[question.pool]
    in_queue = views.in_order(looked, queue)
    return Why(
        question=question,
        pool_name=name(queue.code),
        place=in_queue.index(subject) + 1 if subject in in_queue else 1,
        waiting=len(in_queue),
        requeued=subject.pending is not None and subject.pending.resumed,
        tests=tests,
        admitted=made.lets_in(question.who),
        head=head if others else None,
        head_rooms=block.rooms if block is not None and others else (),
    )


def _ahead(k: State, question: Question, subject: Session) -> tuple[Who, ...]:
    """Who is tried before it: the queues the engine tries before its own, then its own queue (R6.12, R4.7)."""
    before: list[Session] = []
    if question.stage is not None:
        step = k.stages[question.stage].code.step
        assert step is not None
        for index in step.queues[: step.queues.index(question.pool)]:
            before += views.in_order(k, k.pools[index])
    for session in views.in_order(k, k.pools[question.pool]):
        if session is subject:
            break
        before.append(session)
    return tuple(who(session) for session in before)


# --------------------------------------------------------------------------- tests


def _tests(
    past: Past, question: Question, made: Trial, ahead: tuple[Who, ...], rooms: tuple[Room, ...]
) -> tuple[AdmissionTest, ...]:
    own = blocked_rooms(made.readings, question.who)
    if own is not None:
        rooms = own.rooms
    tests: list[AdmissionTest] = []
    if question.stage is None:
        tests.append(_turn(ahead, reached=True))
        tests += _rooms(rooms, own)
        return tuple(tests)
    busy = question.tried == "next" and past.now.clock < question.time
    tests.append(AdmissionTest("iteration", "failed" if busy else "passed", question.time))
    step = question.point.state.stages[question.stage].code.step
    assert step is not None
    if step.body is None:
        tests += _of_procedure(made.readings)
    else:
        ways = [_on_way(made.readings, way) for way in _ways(step.body, ())]
        # Several admissions in one schedule: the one that came nearest is the one to look at.
        if ways:
            nearest = max(ways, key=_passed)
            tests += nearest
    closed = any(test.outcome == "failed" for test in tests[1:])
    tests.append(_turn(ahead, reached=not closed))
    tests += _rooms(rooms, own)
    return tuple(tests)


def _passed(tests: list[AdmissionTest]) -> int:
    return sum(test.outcome == "passed" for test in tests)


def _turn(ahead: tuple[Who, ...], *, reached: bool) -> AdmissionTest:
    outcome: Outcome = "failed" if ahead else "passed"
    return AdmissionTest("turn", outcome if reached else "open", float(len(ahead)), None, ahead)


def _rooms(rooms: tuple[Room, ...], own: Reading | None) -> Iterator[AdmissionTest]:
    """One test a pool, in the order written, up to the first without room (R4.1)."""
    short = own.record.short_of if own is not None and isinstance(own.record, Blocked) else None
    met = False
    for room in rooms:
        outcome: Outcome = "open"
        if short is not None and not met:
            met = room.pool == short
            outcome = "failed" if met else "passed"
        yield AdmissionTest("room", outcome, None, None, (), room)


def _of_procedure(readings: tuple[Reading, ...]) -> list[AdmissionTest]:
    """R6.8: tokens are left, nobody was preempted, no prefill waits on its granule."""
    deciding = [r for r in readings if isinstance(r.record, AdmissionClosed | Blocked)]
    last = deciding[-1] if deciding else None
    if last is None:
        # Nobody was tried: the iteration was full, or somebody preempted itself.
        end = readings[-1] if readings else None
        if end is not None and end.preempted:
            return [
                AdmissionTest("budget", "open", end.left),
                AdmissionTest("preempted", "failed", float(end.preempted)),
                AdmissionTest("granule", "open"),
            ]
        return [
            AdmissionTest("budget", "failed", end.left if end is not None else None),
            AdmissionTest("preempted", "open"),
            AdmissionTest("granule", "open"),
        ]
    reason = last.record.reason if isinstance(last.record, AdmissionClosed) else None
    made: list[AdmissionTest] = []
    outcome: Outcome = "passed"
    kinds: tuple[tuple[Kind, float | None], ...] = (
        ("budget", last.left),
        ("preempted", float(last.preempted)),
        ("granule", None),
    )
    for kind, value in kinds:
        if kind == reason:
            made.append(AdmissionTest(kind, "failed", value, ADMIT_PATH))
            outcome = "open"
        else:
            made.append(AdmissionTest(kind, outcome, value, ADMIT_PATH))
    return made


@dataclass(frozen=True, slots=True)
class _Way:
    """An admission of a schedule and the branches around it, outermost first, each with the arm it is in."""

    branches: tuple[tuple[Path, float], ...]
    admit: AdmitCode


def _ways(body: tuple[ScheduleCode, ...], branches: tuple[tuple[Path, float], ...]) -> Iterator[_Way]:
    for code in body:
        if isinstance(code, AdmitCode):
            yield _Way(branches, code)
        elif isinstance(code, GuardCode):
            yield from _ways(code.then, (*branches, (code.path, 1.0)))
            yield from _ways(code.orelse, (*branches, (code.path, 0.0)))


def _on_way(readings: tuple[Reading, ...], way: _Way) -> list[AdmissionTest]:
    """R6.14 to R6.16: the branches, then what an ``admit waiting`` tests before each hold."""
    made: list[AdmissionTest] = []
    outcome: Outcome = "passed"
    for path, wanted in way.branches:
        value, parts = _read(readings, path)
        if outcome == "passed":
            outcome = "open" if value is None else "passed" if value == wanted else "failed"
        made.append(AdmissionTest("branch", outcome, value, path, reads=parts))
        outcome = "open" if outcome == "failed" else outcome
    path = way.admit.path
    here = [r for r in readings if getattr(r.record, "path", None) == path]
    last = here[-1] if here else None
    end = readings[-1] if readings else None
    left = last.left if last is not None else end.left if end is not None else None
    failed: Kind | None = None
    if last is not None and isinstance(last.record, AdmissionClosed):
        failed = "budget" if last.record.reason == "budget" else "granule"
    elif last is not None and isinstance(last.record, Guarded) and last.record.value != 1.0:
        failed = "gate"
    elif outcome == "passed" and not (last is not None and isinstance(last.record, Blocked)) and left is not None and left <= 0:
        # The newcomer it admitted last took what was left.
        failed = "budget"
    gate, parts = _read(here, path)
    kinds: list[tuple[Kind, float | None]] = [("budget", left), ("granule", None)]
    if way.admit.gate is not None:
        kinds.append(("gate", gate))
    for kind, value in kinds:
        reads = parts if kind == "gate" else ()
        if outcome == "passed" and kind == failed:
            made.append(AdmissionTest(kind, "failed", value, path, reads=reads))
            outcome = "open"
        else:
            made.append(AdmissionTest(kind, outcome, value, path, reads=reads))
    return made


def _read(readings: Sequence[Reading], path: Path) -> tuple[float | None, tuple[Read, ...]]:
    """What a guard was when it was read last, with its parts."""
    for reading in reversed(readings):
        if isinstance(reading.record, Guarded) and reading.record.path == path:
            return reading.record.value, reading.reads
    return None, ()


# --------------------------------------------------------------------------- overtaken


class _Admissions:
    """A listener that keeps who joined a queue after somebody, and of those who was admitted."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._later: dict[Who, bool] = {}
        self._waits = False
        self.overtakings: list[Overtaking] = []

    def append(self, record: Decision) -> None:
        """Something was decided."""
        q = self._question
        if isinstance(record, Queued) and record.pool == q.pool:
            if record.who == q.who:
                self._waits = record.time == q.since
                self._later.clear()
                self.overtakings.clear()
            elif self._waits:
                self._later[record.who] = record.at_head
        elif isinstance(record, Admitted) and record.who in self._later:
            self.overtakings.append(Overtaking(record.who, record.time, self._later.pop(record.who)))


def overtaken(past: Past, question: Question, interrupt: Interrupt | None = None) -> tuple[Overtaking, ...]:
    """Who joined the queue after a request and was admitted before it, in the order admitted.

    Raises:
        Interrupted: told to stop.
    """
    listener = _Admissions(question)
    for _ in steps(past.before_time(question.since), past.now.position, listener, interrupt):
        pass
    return tuple(listener.overtakings)
