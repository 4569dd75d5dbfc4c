"""The mutable state of a run, and how it is copied; knows no rule.

Every counter and stream lives here, so a clone goes on exactly as its original would.
These types change only inside the kernel's modules. Static facts (compiled expressions,
options) are in ``engine.program`` and shared by all clones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.constants import SETTLED
from engine.events import EventQueue
from engine.history import ClaimState, History
from engine.moment import Moment
from engine.pool_state import PoolState
from engine.rng import Stream
from engine.session_state import Job, Nobody, Session
from engine.stage_state import StageState
from engine.statistics import TimeAverage

if TYPE_CHECKING:
    from engine.batch import Attempt
    from engine.codes import ProgramCode
    from engine.decisions import Listener
    from engine.trace import Trace


_NUMBERS: Final = (
    "arrived",
    "attempt_preempted",
    "attempt_stage",
    "attempts",
    "cursor",
    "ended",
    "events",
    "first_tokens",
    "flows_epoch",
    "flows_last",
    "live",
    "next_admission",
    "next_dead",
    "next_event",
    "next_job",
    "next_lease",
    "next_release",
    "next_serial",
    "now",
    "path",
    "phase",
    "plain",
    "planning",
    "preempted",
    "replaced",
    "replaced_at",
    "ticks_due",
    "turns",
    "warm",
)
"""The fields of a state that a clone takes over as they are; compiled, a class has no dictionary to take them from."""


class State:
    """Everything of a run that changes (R1.15); without contents until ``filled``, or a clone's are put in."""

    def __init__(self, code: ProgramCode, seed: int, horizon: float, warmup: float, arrivals: int | None, trace: Trace) -> None:
        self.code = code
        self.seed = seed
        self.horizon = horizon
        self.warmup = warmup
        self.arrivals_wanted = arrivals
        self.plain = False
        """Whether no short cut is taken."""
        self.nobody = Nobody(len(code.program.attrs))
        self.now = 0.0
        self.queue = EventQueue()
        self.ready: list[int] = []
        """The slots of those who go on next, in order (R1.15)."""
        self.registers: list[float] = []
        self.pools: list[PoolState] = []
        self.stages: list[StageState] = []
        self.sessions: dict[int, Session] = {}
        """Live sessions by serial."""
        self.slots: list[Session | None] = []
        self.free_slots: list[int] = []
        self.next_serial = 0
        self.next_job = 0
        self.next_event = 0
        self.next_admission = 0
        self.next_release = 0
        self.next_lease = 0
        self.next_dead = 0
        self.live = 0
        self.arrived = 0
        self.ended = 0
        self.turns = 0
        self.preempted = 0
        """Preemptions so far."""
        self.first_tokens = 0
        """Turns that have had a token, as the client sees it."""
        self.events = 0
        self.warm = warmup <= 0
        self.mean_live: TimeAverage
        self.arrival_stream: Stream
        self.machine_stream: Stream
        self.eviction_stream: Stream
        self.trace_stream: Stream
        self.replaced = 0
        """Sessions of a closed population that were replaced at the instant ``replaced_at``."""
        self.replaced_at = -1.0
        self.flows: dict[int, Job] = {}
        self.flows_last = 0.0
        self.flows_epoch = 0
        self.flows_touched: set[int] = set()
        self.observed: list[History] = []
        """Per observation (time, value, serial, turn, warm)."""
        self.client: dict[str, History] = {}
        self.gauges: list[History] = []
        self.claims: list[ClaimState] = []
        self.trace = trace
        """The trace's sessions, each a tuple of turns (new, out, think, forced); empty without one."""
        self.ticks_due = False
        """Whether a tick came at this instant, which has not come to rest."""
        self.phase = SETTLED
        self.cursor = 0
        """The next stage that the present settling may let attempt an iteration."""
        self.attempts = 0
        """Attempts made in the present settling."""
        # What follows is set and used within one call of the kernel and means nothing at rest.
        self.moment = Moment()
        self.planning: tuple[int, float] | None = None
        """During an admission by an engine: the stage, and the tokens it has left (R7.12)."""
        self.attempt_preempted = 0
        self.attempt_stage = -1
        self.forming: Attempt | None = None
        """The attempt being made."""
        self.path: tuple[int, ...] | None = None
        """The schedule statement being executed."""
        self.executed: tuple[tuple[int, ...], ...] = ()
        """What the attempt recorded last executed."""
        self.listen: Listener | None = None
        """Where decisions are recorded; None while nobody listens."""

    def filled(self) -> State:
        """The same state, with what a run begins with."""
        code, seed = self.code, self.seed
        program = code.program
        self.registers = [register.init for register in program.registers]
        self.pools = [PoolState(pool) for pool in code.pools]
        self.stages = [StageState(stage) for stage in code.stages]
        self.mean_live = TimeAverage()
        self.arrival_stream = Stream(seed)
        self.machine_stream = code.machine_stream(seed)
        self.eviction_stream = code.eviction_stream(seed)
        self.trace_stream = code.trace_stream(seed)
        self.observed = [History() for _ in program.observes]
        self.client = {name: History() for name in ("ttft", "tpot", "response")}
        self.gauges = [History() for _ in program.gauges]
        self.claims = [ClaimState() for _ in program.claims]
        return self

    def own(self, session: Session) -> Session:
        """A session of this state that no other state has, in the place of one that is about to change."""
        if not session.shared:
            return session
        own = session.clone()
        self.slots[own.slot] = own
        self.sessions[own.serial] = own
        queue = self.pools[own.where].queue
        queue[queue.index(session)] = own
        return own

    def averages(self) -> tuple[TimeAverage, ...]:
        """What every settling records (R9.3)."""
        averages = [self.mean_live]
        for st in self.stages:
            averages += (st.mean_number, st.mean_busy)
        for pool in self.pools:
            averages += (pool.mean_used, pool.mean_cached, pool.mean_queue, pool.mean_holders)
        return tuple(averages)

    def clone(self) -> State:
        """A state that goes on from here by itself. Nobody listens to it.

        Sessions at rest are not copied: both states have them until one of them changes one (``own``).
        """
        other = State(self.code, self.seed, self.horizon, self.warmup, self.arrivals_wanted, self.trace)
        for name in _NUMBERS:
            setattr(other, name, getattr(self, name))
        other.slots = self.slots.copy()
        other.sessions = self.sessions.copy()
        copies: dict[int, Session] = {}
        for slot, session in enumerate(self.slots):
            if session is None or session.shared:
                continue
            if session.at_rest:
                session.shared = True
                continue
            copies[slot] = copy = session.clone()
            other.slots[slot] = copy
            if copy.leg < 0:
                other.sessions[copy.serial] = copy
        for copy in copies.values():
            if copy.parent is not None:
                copy.parent = copies[copy.parent.slot]
        jobs: dict[int, Job] = {}
        for stage in self.stages:
            for number, job in stage.jobs.items():
                if number not in jobs:
                    jobs[number] = job.clone(copies[job.session.slot] if job.session is not None else None)
        for copy in copies.values():
            if copy.job is not None:
                copy.job = jobs[copy.job.id]
        other.queue = self.queue.clone()
        other.ready = self.ready.copy()
        other.registers = self.registers.copy()
        other.pools = [pool.clone(copies) for pool in self.pools]
        other.stages = [stage.clone(jobs) for stage in self.stages]
        other.free_slots = self.free_slots.copy()
        other.mean_live = self.mean_live.clone()
        other.arrival_stream = self.arrival_stream.clone()
        other.machine_stream = self.machine_stream.clone()
        other.eviction_stream = self.eviction_stream.clone()
        other.trace_stream = self.trace_stream.clone()
        other.flows = {number: jobs[number] for number in self.flows}
        other.flows_touched = self.flows_touched.copy()
        other.observed = [history.clone() for history in self.observed]
        other.client = {name: history.clone() for name, history in self.client.items()}
        other.gauges = [history.clone() for history in self.gauges]
        other.claims = [claim.clone() for claim in self.claims]
        return other
