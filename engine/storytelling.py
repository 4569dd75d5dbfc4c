"""Tells the stories of requests by listening to a run; decides nothing and shows nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from heapq import nsmallest
from typing import TYPE_CHECKING

from engine.batch import mode
from engine.blaming import NOTHING, Blaming, Reason
from engine.constants import GROWING, IN_STAGE, JOINING, QUEUED
from engine.decisions import Admitted, Arrived, Decision, Ended, Evicted, Grew, Preempted, Released, Responded, Served, TurnOpened
from engine.names import who as named
from engine.replay import Past, steps
from engine.snapshot import Who
from engine.story import Eviction, Gap, Lookup, Loss, Phase, Portion, Story, Stretch, Turn
from engine.walking import Interrupt

if TYPE_CHECKING:
    from engine.session_state import Job, Session
    from engine.simulation import Simulation
    from engine.stage_state import Iteration
    from engine.state import State

MOST_GAPS = 4096
"""Gaps kept of a request: more than a screen has columns; older ones go."""

LONGEST = 3
"""Gaps whose iteration is told."""

_UNSEEN: frozenset[Phase] = frozenset(("stage", "legs"))
"""Phases that end without a decision about the request."""

_Doing = tuple[Phase, Reason, int | None]


class _Chronicle:
    """What is known of one request so far."""

    def __init__(self, who: Who, time: float) -> None:
        self.who = who
        self.arrived = time
        self.ended: float | None = None
        self.session: Session | None = None
        self.stretches: list[Stretch] = []
        self.start = time
        self.doing: _Doing | None = None
        self.tokens = 0.0
        self.iterations = 0
        self.begun: tuple[float, float] | None = None
        """When the iteration began that it has tokens in last, and these tokens."""
        self.counted: tuple[int, int] | None = None
        self.turns: list[Turn] = []
        self.gaps: deque[Gap] = deque(maxlen=MOST_GAPS)
        self.longest: list[Gap] = []
        self.meter: object = None
        self.last_token: float | None = None
        self.lookups: list[Lookup] = []
        self.losses: list[Loss] = []
        self.kept = 0.0
        self.evictions: list[Eviction] = []
        self.to_recompute = 0.0
        self.lost_since_token = False
        self.at: tuple[int, int] | None = None
        """Its session's status and place when it was last looked at; None once it has ended."""

    def close(self, now: float) -> None:
        """The present stretch ends; one of no length was none, and one like the one before goes on with it."""
        present = self.present(now)
        if present is not None:
            if self.stretches and present.start != self.start:
                self.stretches.pop()
            self.stretches.append(present)
        self.start = now
        self.tokens, self.iterations, self.begun = 0.0, 0, None

    def given(self, now: float, tokens: float) -> None:
        """It has tokens of an iteration that begins now."""
        self.tokens, self.iterations = self._computed(now)
        self.begun = (now, tokens)

    def _computed(self, now: float) -> tuple[float, int]:
        """Its tokens and iterations in the present stretch; of the iteration that runs once time has passed in it."""
        if self.begun is None or self.begun[0] == now:
            return self.tokens, self.iterations
        return self.tokens + self.begun[1], self.iterations + 1

    def present(self, now: float) -> Stretch | None:
        """The stretch that goes on now, from where it began; None for one of no length."""
        if self.doing is None or now <= self.start:
            return None
        phase, reason, stage = self.doing
        new = Stretch(self.start, now, phase, reason.blame, reason.pool, reason.behind, stage, *self._computed(now))
        last = self.stretches[-1] if self.stretches else None
        if last is None or (last.phase, last.blame, last.pool, last.behind, last.stage) != (
            phase,
            reason.blame,
            reason.pool,
            reason.behind,
            stage,
        ):
            return new
        return replace(last, end=now, tokens=last.tokens + new.tokens, iterations=last.iterations + new.iterations)

    def up_to(self, now: float) -> tuple[Stretch, ...]:
        """All stretches."""
        present = self.present(now)
        if present is None:
            return tuple(self.stretches)
        return (*(self.stretches if present.start == self.start else self.stretches[:-1]), present)


class Storyteller:
    """A listener that follows requests; call ``after`` when a small step is made.

    A step is looked at only for those it may concern: whom its decisions name, who had tokens of an
    iteration that ended, who waits where the blame changed, and who is where nothing is decided. What
    they do is taken down once an instant is over: nothing lasts within one.

    Args:
        run: the run it listens to.
        serial: whom it follows, None for everybody.
        ended: takes the story of each request as it ends; it is forgotten then. None keeps all.
    """

    def __init__(self, run: Simulation, serial: int | None = None, ended: Callable[[Story], None] | None = None) -> None:
        self._run = run
        self._serial = serial
        self._hand_over = ended
        self._told: dict[int, _Chronicle] = {}
        self._blaming = Blaming(run)
        self._concerned: dict[int, _Chronicle] = {}
        """Who may do something else from this instant on."""
        self._waiting: dict[int, dict[int, _Chronicle]] = {}
        """By pool who waits in its queue."""
        self._elsewhere: dict[int, _Chronicle] = {}
        """Who is where no decision says that they go on."""
        self._evicted: list[tuple[_Chronicle, Eviction]] = []
        """Evictions of the present step whose benefit is not known yet."""
        self._batches: dict[int, tuple[int, list[tuple[Job, float]]]] = {}
        """Per engine the number of its latest iteration and its batch."""
        self._running: dict[int, Iteration] = {}
        """Per engine the iteration it runs."""

    # ------------------------------------------------------------------ listening

    def append(self, record: Decision) -> None:
        """Something was decided; nothing of it is kept but what a story says."""
        self._blaming.heard(record)
        match record:
            case Served(who=who):
                told = self._told.get(who.serial)
                if told is not None:
                    self._concerned[who.serial] = told
                return
            case Arrived(time, who) if self._serial in (None, who.serial):
                self._told[who.serial] = _Chronicle(who, time)
            case Evicted(time, pool, owner, units) if owner in self._told:
                told = self._told[owner]
                waiting = told.session is not None and told.session.status == QUEUED
                eviction = Eviction(time, self._run.position, pool, units, None, waiting)
                told.evictions.append(eviction)
                self._evicted.append((told, eviction))
            case Admitted() | Grew():
                self._benefits(record.who)
        own = getattr(record, "who", None)
        if isinstance(own, Who) and own.serial in self._told:
            told = self._told[own.serial]
            self._concerned[own.serial] = told
            if own.leg is None:
                self._about(told, record)

    def _benefits(self, who: Who) -> None:
        for told, eviction in self._evicted:
            told.evictions[told.evictions.index(eviction)] = replace(eviction, benefit=who)
        self._evicted.clear()

    def _about(self, told: _Chronicle, record: Decision) -> None:
        match record:
            case TurnOpened(time):
                told.turns.append(Turn(time, None, None))
                told.last_token = None
            case Responded(time, first_token=first):
                told.turns[-1:] = [replace(turn, first_token=first, response=time) for turn in told.turns[-1:]]
            case Preempted(time, pool=pool, grower=grower, position=computed):
                told.losses.append(Loss(time, self._run.position, pool, computed, grower))
                told.to_recompute = computed
                told.lost_since_token = True
            case Released(kept=kept):
                # What was left before is part of what is left now (R4.26).
                told.kept = kept if kept > 0 else told.kept
                told.evictions.clear()
            case Admitted(time, cached=found):
                told.lookups.append(Lookup(time, found, told.kept, tuple(told.evictions)))
                told.kept = 0.0
                told.evictions.clear()
                if told.losses and told.losses[-1].resumed is None:
                    told.losses[-1] = replace(told.losses[-1], resumed=time, resumed_at=self._run.position)
                    told.to_recompute = max(told.to_recompute - found, 0.0)
            case Ended(time):
                told.ended = time

    # ------------------------------------------------------------------ after each small step

    def after(self) -> None:
        """A small step was made: what everybody concerned does from here on."""
        k = self._run.state
        stage = self._run.attempted
        if stage is not None:
            st = k.stages[stage]
            if st.iteration is not None:
                self._running[stage] = st.iteration
            batch = st.iteration.batch if st.iteration is not None else []
            self._batches[stage] = (st.iterations, [(job, job.given) for job in batch])
        else:
            for engine in [engine for engine, it in self._running.items() if k.stages[engine].iteration is not it]:
                del self._running[engine]
                self._tokens_out(k, engine)
        self._evicted.clear()
        if self._run.next_time() > k.now:
            self._instant_over(k)

    def _tokens_out(self, k: State, engine: int) -> None:
        """R6.31: an iteration is over, and its requests have what it computed."""
        for job, _ in self._batches[engine][1]:
            session = job.session
            told = self._told.get(session.serial) if session is not None and session.leg < 0 else None
            if session is not None and told is not None:
                self._concerned[session.serial] = told
                self._token(k, told, session)

    def _instant_over(self, k: State) -> None:
        blaming = self._blaming
        for pool in blaming.changed:
            if pool in self._waiting:
                self._concerned.update(self._waiting[pool])
        blaming.changed.clear()
        for serial, told in self._elsewhere.items():
            session = told.session
            if session is None or (session.status, session.where) != told.at:
                self._concerned[serial] = told
        for serial, told in self._concerned.items():
            if told.session is None:
                told.session = k.sessions.get(serial)
            self._go_on(k, told)
            self._file(serial, told)
        self._concerned.clear()

    def _file(self, serial: int, told: _Chronicle) -> None:
        """Keeps whom one follows where what concerns them is seen; hands over whoever has ended."""
        session = told.session
        if told.at is not None:
            status, where = told.at
            if status == QUEUED:
                del self._waiting[where][serial]
            else:
                self._elsewhere.pop(serial, None)
            told.at = None
        if told.doing is None or session is None:
            if told.ended is not None and self._hand_over is not None:
                del self._told[serial]
                self._hand_over(self._story(told))
            return
        told.at = (session.status, session.where)
        if session.status == QUEUED:
            self._waiting.setdefault(session.where, {})[serial] = told
        elif told.doing[0] in _UNSEEN:
            self._elsewhere[serial] = told

    def _go_on(self, k: State, told: _Chronicle) -> None:
        now = k.now
        session = told.session
        if session is not None and session.client is not None and told.turns:
            first: float | None = session.client.first
            # NaN before there is one.
            first = first if first == first else None
            if first != told.turns[-1].first_token:
                told.turns[-1] = replace(told.turns[-1], first_token=first)
        if told.ended is not None or session is None:
            told.close(told.ended if told.ended is not None else now)
            told.doing = None
            return
        doing = self._doing(k, told, session)
        if doing != told.doing:
            told.close(now)
            told.doing = doing
        job = session.job
        if job is not None and job.given > 0 and doing[2] is not None:
            at = (doing[2], k.stages[doing[2]].iterations)
            if at != told.counted:
                told.counted = at
                told.given(now, job.given)
                if doing[0] == "recompute":
                    told.to_recompute = max(told.to_recompute - job.given, 0.0)

    def _doing(self, k: State, told: _Chronicle, session: Session) -> _Doing:
        if session.status == QUEUED:
            preempted = session.pending is not None and bool(told.losses) and told.losses[-1].resumed is None
            if preempted:
                return "preempted", Reason("preemption", told.losses[-1].pool, told.losses[-1].grower), None
            return "queued", self._blaming.of_waiting(session), None
        if session.status == GROWING:
            return "growing", Reason("memory", session.where), None
        if session.status == JOINING:
            return "legs", NOTHING, None
        if session.status != IN_STAGE:
            return "stage", NOTHING, None
        stage = session.where
        if k.stages[stage].code.step is None or session.job is None:
            return "stage", NOTHING, stage
        job = session.job
        if job.given > 0:
            if job.decode:
                return "decode", NOTHING, stage
            again = told.to_recompute > 0 or (
                told.doing is not None
                and told.doing[0] == "recompute"
                and told.counted is not None
                and told.counted == (stage, k.stages[stage].iterations)
            )
            return "recompute" if again else "prefill", NOTHING, stage
        return "unserved", self._blaming.of_resident(stage, named(session)), stage

    def _token(self, k: State, told: _Chronicle, session: Session) -> None:
        """R6.31: a token came out where the meter of the session is another and says now."""
        meter = session.meter
        if meter is told.meter:
            return
        told.meter = meter
        time, stage = meter[1], meter[2]
        if time != k.now or stage < 0 or meter[4]:
            return
        if told.last_token is not None and time > told.last_token:
            iteration, batch = self._batches.get(stage, (0, []))
            gap = Gap(time, time - told.last_token, stage, iteration, told.lost_since_token)
            told.gaps.append(gap)
            if len(told.longest) < LONGEST or gap.seconds > told.longest[-1].seconds:
                self._longest(told, gap, batch)
        told.last_token = time
        told.lost_since_token = False

    @staticmethod
    def _longest(told: _Chronicle, gap: Gap, batch: list[tuple[Job, float]]) -> None:
        portions = tuple(Portion(named(job.session), mode(job), tokens) for job, tokens in batch if job.session is not None)
        others = tuple(portion for portion in portions if portion.who != told.who)
        told.longest = nsmallest(LONGEST, [*told.longest, replace(gap, batch=others)], key=lambda g: (-g.seconds, g.end))

    # ------------------------------------------------------------------ telling

    def has_ended(self) -> bool:
        """Whether everybody followed has arrived and ended."""
        return bool(self._told) and all(told.ended is not None and told.doing is None for told in self._told.values())

    def stories(self) -> dict[int, Story]:
        """The stories so far, by serial."""
        # Within an instant too: what was decided in it so far counts.
        self._instant_over(self._run.state)
        return {serial: self._story(told) for serial, told in self._told.items()}

    def _story(self, told: _Chronicle) -> Story:
        until = told.ended if told.ended is not None else self._run.clock
        return Story(
            told.who,
            told.arrived,
            told.ended,
            until,
            told.up_to(until),
            tuple(told.turns),
            tuple(told.gaps),
            tuple(told.longest),
            tuple(told.lookups),
            tuple(told.losses),
        )


class Stories:
    """Stories up to the moments one looks at; that of the request told last goes on from where it was told to."""

    def __init__(self) -> None:
        self._kept: tuple[int, Simulation, Storyteller] | None = None

    def at(self, past: Past, serial: int, interrupt: Interrupt | None = None) -> Story | None:
        """The story of a request up to the present moment; None where it has not arrived.

        Raises:
            Interrupted: told to stop.
        """
        now = past.now.position
        kept, self._kept = self._kept, None
        if kept is None or kept[0] != serial or now < kept[1].position:
            run = past.before_session(serial)
            kept = (serial, run, Storyteller(run, serial))
        _, run, teller = kept
        walk = steps(run, now, teller, interrupt)
        # What a request was is over with it, however far the run has come since.
        while not teller.has_ended() and next(walk, None) is not None:
            teller.after()
        self._kept = kept
        return teller.stories().get(serial)
