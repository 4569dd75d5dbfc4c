"""Tells the stories of requests by listening to a run; decides nothing and shows nothing."""

from __future__ import annotations

from dataclasses import replace
from heapq import nsmallest
from typing import TYPE_CHECKING

from engine.blaming import Blaming, Reason
from engine.constants import GROWING, IN_STAGE, JOINING, QUEUED
from engine.decisions import Admitted, Arrived, Decision, Ended, Evicted, Grew, Preempted, Released, Responded, TurnOpened
from engine.names import who as named
from engine.replay import Past, steps
from engine.snapshot import Position, Who
from engine.story import Eviction, Gap, Lookup, Loss, Phase, Portion, Story, Stretch, Turn
from engine.walking import Interrupt

if TYPE_CHECKING:
    from engine.session_state import Session
    from engine.simulation import Simulation
    from engine.state import State

MOST_GAPS = 4096
"""Gaps kept of a request: more than a screen has columns; older ones go."""

LONGEST = 3
"""Gaps whose iteration is told."""

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
        self.counted: tuple[int, int] | None = None
        self.turns: list[Turn] = []
        self.gaps: list[Gap] = []
        self.longest: list[Gap] = []
        self.meter: object = None
        self.last_token: float | None = None
        self.lookups: list[Lookup] = []
        self.losses: list[Loss] = []
        self.kept = 0.0
        self.evictions: list[Eviction] = []
        self.to_recompute = 0.0
        self.lost_since_token = False

    def close(self, now: float) -> None:
        """The present stretch ends; one of no length was none, and one like the one before goes on with it."""
        present = self.present(now)
        if present is not None:
            if self.stretches and present.start != self.start:
                self.stretches.pop()
            self.stretches.append(present)
        self.start = now
        self.tokens, self.iterations = 0.0, 0

    def present(self, now: float) -> Stretch | None:
        """The stretch that goes on now, from where it began; None for one of no length."""
        if self.doing is None or now <= self.start:
            return None
        phase, reason, stage = self.doing
        new = Stretch(self.start, now, phase, reason.blame, reason.pool, reason.behind, stage, self.tokens, self.iterations)
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


class Storyteller(list[Decision]):
    """A listener that follows requests; call ``after`` when a small step is made.

    Args:
        run: the run it listens to.
        serial: whom it follows, None for everybody.
    """

    def __init__(self, run: Simulation, serial: int | None = None) -> None:
        super().__init__()
        self._run = run
        self._serial = serial
        self._told: dict[int, _Chronicle] = {}
        self._blaming = Blaming(run)
        self._evicted: list[tuple[_Chronicle, Eviction]] = []
        """Evictions of the present step whose benefit is not known yet."""
        self._batches: dict[int, tuple[int, list[tuple[object, float]]]] = {}
        """Per engine the number of its latest iteration and its batch."""

    # ------------------------------------------------------------------ listening

    def append(self, record: Decision) -> None:
        """Something was decided; nothing of it is kept but what a story says."""
        self._blaming.heard(record)
        match record:
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
        if isinstance(own, Who) and own.leg is None and own.serial in self._told:
            self._about(self._told[own.serial], record)

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
        """A small step was made: what everybody does from here on."""
        k = self._run.state
        stage = self._run.attempted
        if stage is not None:
            it = k.stages[stage].iteration
            self._batches[stage] = (k.stages[stage].iterations, list(it.batch) if it is not None else [])
        for serial in list(self._told):
            told = self._told[serial]
            if told.ended is not None and told.doing is None:
                continue
            if told.session is None:
                told.session = k.sessions.get(serial)
            self._go_on(k, told)
        self._evicted.clear()

    def _go_on(self, k: State, told: _Chronicle) -> None:
        now = k.now
        session = told.session
        if session is not None:
            self._tokens(k, told, session)
            if session.client is not None and told.turns:
                first = session.client[1]
                told.turns[-1] = replace(told.turns[-1], first_token=first if first == first else None)
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
                told.tokens += job.given
                told.iterations += 1
                if doing[0] == "recompute":
                    told.to_recompute = max(told.to_recompute - job.given, 0.0)

    def _doing(self, k: State, told: _Chronicle, session: Session) -> _Doing:
        if session.status == QUEUED:
            preempted = session.pending is not None and bool(told.losses) and told.losses[-1].resumed is None
            if preempted:
                return "preempted", Reason("preemption", told.losses[-1].pool, told.losses[-1].grower), None
            return "queued", self._blaming.of_waiting(k, session), None
        if session.status == GROWING:
            return "growing", Reason("memory", session.where), None
        if session.status == JOINING:
            return "legs", Reason(), None
        if session.status != IN_STAGE:
            return "stage", Reason(), None
        stage = session.where
        if k.stages[stage].code.step is None or session.job is None:
            return "stage", Reason(), stage
        job = session.job
        if job.given > 0:
            if job.decode:
                return "decode", Reason(), stage
            again = told.to_recompute > 0 or (
                told.doing is not None
                and told.doing[0] == "recompute"
                and told.counted is not None
                and told.counted == (stage, k.stages[stage].iterations)
            )
            return "recompute" if again else "prefill", Reason(), stage
        return "unserved", self._blaming.of_resident(stage, named(session)), stage

    def _tokens(self, k: State, told: _Chronicle, session: Session) -> None:
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
            del told.gaps[:-MOST_GAPS]
            self._longest(told, gap, batch)
        told.last_token = time
        told.lost_since_token = False

    @staticmethod
    def _longest(told: _Chronicle, gap: Gap, batch: list[tuple[object, float]]) -> None:
        if len(told.longest) == LONGEST and gap.seconds <= told.longest[-1].seconds:
            return
        portions = tuple(
            Portion(named(job.session), "decode" if job.decode else "prefill", tokens)  # type: ignore[attr-defined]  # jobs
            for job, tokens in batch
        )
        others = tuple(portion for portion in portions if portion.who != told.who)
        told.longest = nsmallest(LONGEST, [*told.longest, replace(gap, batch=others)], key=lambda g: (-g.seconds, g.end))

    # ------------------------------------------------------------------ telling

    def stories(self) -> dict[int, Story]:
        """The stories so far, by serial."""
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


def story(past: Past, serial: int, interrupt: Interrupt | None = None, until: Position | None = None) -> Story | None:
    """The story of a request up to the present moment; None where it has not arrived.

    Args:
        past: the moments seen.
        serial: the request.
        interrupt: asked all along.
        until: another moment where it ends.

    Raises:
        Interrupted: told to stop.
    """
    run = past.before_session(serial)
    teller = Storyteller(run, serial)
    for _ in steps(run, until or past.now.position, teller, interrupt):
        teller.after()
    return teller.stories().get(serial)
