"""The mutable state of a run, and how it is copied; knows no rule.

Every counter and stream lives here, so a clone goes on exactly as its original would.
These types change only inside the kernel's modules. Static facts (compiled expressions,
options) are in ``engine.program`` and shared by all clones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.rng import Stream
from engine.statistics import GapHistogram, Mean, RunningMean, TimeAverage

if TYPE_CHECKING:
    from engine.batch import Attempt
    from engine.calendar import Cohort
    from engine.codes import HoldCode, PoolCode, ProgramCode, StageCode
    from engine.decisions import Decision
    from engine.trace import Trace

EPS = 1e-9
"""The one absolute tolerance of the kernel, used exactly where a rule names it (R1.1)."""

INF = float("inf")
NAN = float("nan")

# A session's status (R1.8).
READY, QUEUED, IN_STAGE, GROWING, JOINING, ENDED = range(6)
# What a frame is (R1.7).
PLAIN, LOOP, HOLD = range(3)
# What an event is (R2.1).
WARMUP_END, ARRIVAL, FINISH, ITERATION_END, LEASE_END, LATENCY_END = range(6)
# How far the settling of the present instant has come (R2.6).
SETTLED, ATTEMPTING = range(2)

EMPTY_METER = (-1.0, 0.0, -1, False, False)
"""A token gap meter that has seen no token: turn, time, stage, has decoded, preempted since (R6.31)."""


class HeldPool:
    """One pool of a hold (R1.9); ``place`` is the cache place it keeps for its prefix (R4.33)."""

    __slots__ = ("alloc", "place", "pool", "pos", "reserved")

    def __init__(self, pool: int, alloc: float, pos: float, reserved: float, place: int) -> None:
        self.pool = pool
        self.alloc = alloc
        self.pos = pos
        self.reserved = reserved
        self.place = place

    def clone(self) -> HeldPool:
        """A copy."""
        return HeldPool(self.pool, self.alloc, self.pos, self.reserved, self.place)


class Hold:
    """A hold in force (R1.9)."""

    __slots__ = ("code", "grown", "lease_pool", "pools")

    def __init__(self, code: HoldCode, pools: list[HeldPool], lease_pool: int) -> None:
        self.code = code
        self.pools = pools
        self.lease_pool = lease_pool
        self.grown = False

    def clone(self) -> Hold:
        """A copy."""
        other = Hold(self.code, [held.clone() for held in self.pools], self.lease_pool)
        other.grown = self.grown
        return other


class Pending:
    """A hold that waits in a queue: what its statement evaluated, and when it joined (R3.4)."""

    __slots__ = ("code", "lease_pool", "needs", "pools", "preempted", "resumed", "since", "units")

    def __init__(self, code: HoldCode, pools: list[int], lease_pool: int, units: list[float], since: float) -> None:
        self.code = code
        self.pools = pools
        self.lease_pool = lease_pool
        self.units = units
        self.since = since
        self.needs: list[float] = []
        self.resumed = False
        self.preempted = False

    def clone(self) -> Pending:
        """A copy."""
        other = Pending(self.code, self.pools, self.lease_pool, self.units, self.since)
        other.needs = self.needs
        other.resumed = self.resumed
        other.preempted = self.preempted
        return other


class Lease:
    """An allocation that outlived its hold (R1.11)."""

    __slots__ = ("alloc", "attrs", "code", "computed", "expiry", "id", "place", "pool")

    def __init__(self, number: int, pool: int, alloc: float, computed: float, code: HoldCode, expiry: float, place: int) -> None:
        self.id = number
        self.pool = pool
        self.alloc = alloc
        self.computed = computed
        self.code = code
        self.expiry = expiry
        self.place = place
        self.attrs: list[float] | None = None

    def clone(self) -> Lease:
        """A copy; frozen attributes are shared as nothing changes them."""
        other = Lease(self.id, self.pool, self.alloc, self.computed, self.code, self.expiry, self.place)
        other.attrs = self.attrs
        return other


class Session:
    """A session or one of its legs (R1.5)."""

    __slots__ = (
        "adm",
        "attrs",
        "client",
        "forks",
        "frames",
        "growth",
        "holds",
        "job",
        "leases",
        "leg",
        "legs",
        "meter",
        "parent",
        "pending",
        "preempted_at",
        "readies",
        "readies_at",
        "serial",
        "slot",
        "status",
        "stream",
        "stuck",
        "trace",
        "turns",
        "turns_taken",
        "where",
        "workload",
    )

    def __init__(self, serial: int, leg: int, attrs: list[float], slot: int) -> None:
        self.serial = serial
        self.leg = leg
        """Which of its session's forks this leg is; -1 for a session."""
        self.attrs = attrs
        self.slot = slot
        self.frames: list[list[int]] = []
        """(block, index of the next statement, kind) from outermost to innermost."""
        self.holds: list[Hold] = []
        self.leases: list[Lease] = []
        self.status = READY
        self.where = -1
        """The pool it waits or grows at, or the stage it works at."""
        self.pending: Pending | None = None
        self.job: Job | None = None
        self.growth = 0.0
        """Units of a growth that waits."""
        self.adm = INF
        self.preempted_at: dict[int, float] = {}
        self.stuck = False
        self.meter = EMPTY_METER
        self.client: tuple[float, float, bool, int] | None = None
        """The open turn: its start, its first token (NaN before), confirmed, tokens after the first (R9.20)."""
        self.workload: Stream
        self.stream: Stream
        self.turns_taken = 0
        self.turns: tuple[tuple[tuple[int, float], ...], ...] = ()
        self.trace = -1
        self.forks = 0
        self.legs = 0
        """Legs that have not ended."""
        self.parent: Session | None = None
        """The session of a leg, None for a session and for an orphan."""
        self.readies = 0
        self.readies_at = -1.0

    def clone(self) -> Session:
        """A copy whose job and parent still point at the originals; ``State.clone`` mends them."""
        other = Session.__new__(Session)
        other.serial = self.serial
        other.leg = self.leg
        other.attrs = self.attrs.copy()
        other.slot = self.slot
        other.frames = [frame.copy() for frame in self.frames]
        other.holds = [hold.clone() for hold in self.holds]
        other.leases = [lease.clone() for lease in self.leases]
        other.status = self.status
        other.where = self.where
        other.pending = self.pending.clone() if self.pending is not None else None
        other.job = self.job
        other.growth = self.growth
        other.adm = self.adm
        other.preempted_at = self.preempted_at.copy()
        other.stuck = self.stuck
        other.meter = self.meter
        other.client = self.client
        other.workload = self.workload.clone()
        other.stream = self.stream.clone()
        other.turns_taken = self.turns_taken
        other.turns = self.turns
        other.trace = self.trace
        other.forks = self.forks
        other.legs = self.legs
        other.parent = self.parent
        other.readies = self.readies
        other.readies_at = self.readies_at
        return other


class Nobody:
    """Stands for the session where there is none: its attributes are NaN (R7.1)."""

    __slots__ = ("attrs",)

    def __init__(self, attributes: int) -> None:
        self.attrs = [NAN] * attributes


class Job:
    """Work at a stage (R1.13). What ``work`` means depends on the stage's kind.

    fifo, delay: the work it came with; ps: its finish tag; step: the tokens left; shared:
    what remains, and then ``stages`` are all it holds at once and ``rate`` its speed.
    """

    __slots__ = (
        "decode",
        "enqueued",
        "given",
        "gone",
        "growing",
        "id",
        "latent",
        "rate",
        "served",
        "session",
        "stages",
        "started",
        "total",
        "work",
    )

    def __init__(self, number: int, session: Session | None, work: float, now: float) -> None:
        self.id = number
        self.session = session
        self.work = work
        self.total = work
        self.enqueued = now
        self.started = -1.0
        self.decode = False
        self.growing = -1
        """The pool it grows, -1 for none."""
        self.served = 0
        """The attempt that considered it last (R6.7)."""
        self.given = 0.0
        """Tokens it has in the running iteration."""
        self.gone = False
        """Whether it has left its stage."""
        self.latent = False
        """Whether it waits for its latency and has not started."""
        self.stages: tuple[int, ...] = ()
        self.rate = 0.0

    def clone(self, session: Session | None) -> Job:
        """A copy for another session."""
        other = Job.__new__(Job)
        other.id = self.id
        other.session = session
        other.work = self.work
        other.total = self.total
        other.enqueued = self.enqueued
        other.started = self.started
        other.decode = self.decode
        other.growing = self.growing
        other.served = self.served
        other.given = self.given
        other.gone = self.gone
        other.latent = self.latent
        other.stages = self.stages
        other.rate = self.rate
        return other


class Entry:
    """A cached prefix (R4.20); immutable but for its size and its release."""

    __slots__ = ("attrs", "number", "place", "released", "size")

    def __init__(self, size: float, released: float, number: int, attrs: list[float], place: int) -> None:
        self.size = size
        self.released = released
        self.number = number
        self.attrs = attrs
        self.place = place

    def clone(self) -> Entry:
        """A copy; the snapshot of the attributes is shared as nothing changes it."""
        return Entry(self.size, self.released, self.number, self.attrs, self.place)


class PoolState:
    """A pool as it stands (R1.12)."""

    __slots__ = (
        "admissions",
        "cached",
        "code",
        "entries",
        "evicted_entries",
        "evicted_units",
        "free_places",
        "growers",
        "holder_counts",
        "holders",
        "mean_cached",
        "mean_holders",
        "mean_queue",
        "mean_used",
        "order",
        "places",
        "preemptions",
        "queue",
        "rejected",
        "spills",
        "stuck",
        "used",
        "wait",
    )

    def __init__(self, code: PoolCode) -> None:
        self.code = code
        self.used = 0.0
        self.cached = 0.0
        self.holders: list[Session] = []
        self.holder_counts: dict[int, int] = {}
        """Entries in ``holders`` by slot: as many sessions and legs hold it (R7.11)."""
        self.entries: dict[tuple[int, int], Entry] = {}
        """By (0, serial), or (1, number) for a dead entry: the order of ties (R4.29)."""
        self.order: list[tuple[int, tuple[int, int]]] = []
        """Release numbers with their entries' keys as a heap, stale ones among them; only for ``evict lru``."""
        self.queue: list[Session] = []
        self.growers: list[Session] = []
        self.places = 0
        self.free_places: list[int] = []
        self.mean_used = TimeAverage()
        self.mean_cached = TimeAverage()
        self.mean_queue = TimeAverage()
        self.mean_holders = TimeAverage()
        self.wait = RunningMean()
        self.admissions = 0
        self.evicted_entries = 0
        self.evicted_units = 0.0
        self.preemptions = 0
        self.spills = 0
        self.rejected = 0
        self.stuck = 0

    def clone(self, sessions: dict[int, Session]) -> PoolState:
        """A copy among the copied sessions (by the originals' identity)."""
        other = PoolState.__new__(PoolState)
        other.code = self.code
        other.used = self.used
        other.cached = self.cached
        other.holders = [sessions[id(s)] for s in self.holders]
        other.holder_counts = self.holder_counts.copy()
        other.entries = {key: entry.clone() for key, entry in self.entries.items()}
        other.order = self.order.copy()
        other.queue = [sessions[id(s)] for s in self.queue]
        other.growers = [sessions[id(s)] for s in self.growers]
        other.places = self.places
        other.free_places = self.free_places.copy()
        other.mean_used = self.mean_used.clone()
        other.mean_cached = self.mean_cached.clone()
        other.mean_queue = self.mean_queue.clone()
        other.mean_holders = self.mean_holders.clone()
        other.wait = self.wait.clone()
        other.admissions = self.admissions
        other.evicted_entries = self.evicted_entries
        other.evicted_units = self.evicted_units
        other.preemptions = self.preemptions
        other.spills = self.spills
        other.rejected = self.rejected
        other.stuck = self.stuck
        return other


class Estimates:
    """A stage's online estimators (R7.15)."""

    __slots__ = ("gap", "gaps", "jobs", "last_start", "service", "wait")

    def __init__(self) -> None:
        self.jobs = 0
        self.gaps = 0
        self.service = 0.0
        self.wait = 0.0
        self.gap = 0.0
        self.last_start = 0.0

    def clone(self) -> Estimates:
        """A copy."""
        other = Estimates()
        other.jobs = self.jobs
        other.gaps = self.gaps
        other.service = self.service
        other.wait = self.wait
        other.gap = self.gap
        other.last_start = self.last_start
        return other


class Iteration:
    """A running iteration: its batch and how it was formed."""

    __slots__ = ("batch", "budget", "chunk", "cost", "members", "started", "tokens")

    def __init__(self, batch: list[tuple[Job, float]], started: float, cost: float, budget: float, chunk: float) -> None:
        self.batch = batch
        self.started = started
        self.cost = cost
        self.budget = budget
        self.chunk = chunk
        self.tokens = 0.0
        self.members = 0
        """Members of the engine's cohort it serves, who are not in the batch."""

    def clone(self, jobs: dict[int, Job]) -> Iteration:
        """A copy among the copied jobs (by the originals' identity)."""
        other = Iteration([(jobs[id(job)], n) for job, n in self.batch], self.started, self.cost, self.budget, self.chunk)
        other.tokens = self.tokens
        return other


class StageState:
    """A stage as it stands (R1.13). The fields of other kinds stay as they begin."""

    __slots__ = (
        "active",
        "attempt",
        "attempted_at",
        "changed",
        "code",
        "cohort",
        "completed",
        "decode_batch",
        "decode_only",
        "decode_step",
        "epoch",
        "estimates",
        "executed",
        "gaps",
        "idle_attempts",
        "idle_with_work",
        "iteration",
        "iterations",
        "jobs",
        "last",
        "latent",
        "lit",
        "marks",
        "mean_busy",
        "mean_decodes",
        "mean_number",
        "mixed",
        "prefill_only",
        "queue",
        "rate",
        "residents",
        "served",
        "service",
        "started",
        "version",
        "virtual",
        "wait",
    )

    def __init__(self, code: StageCode) -> None:
        self.code = code
        self.jobs: dict[int, Job] = {}
        self.queue: list[Job] = []
        self.active = 0
        self.virtual = 0.0
        self.last = 0.0
        self.rate = 0.0
        self.latent = 0
        """How many of ``jobs`` wait for their latency."""
        self.epoch = 0
        self.changed = False
        self.residents: list[Job] = []
        self.version = 0
        """Counts the changes of the residents, so that an attempt sees them."""
        self.iteration: Iteration | None = None
        self.cohort: Cohort | None = None
        """Decodes that are counted together; None where everybody has their own figures."""
        self.iterations = 0
        self.marks = 0
        """Counts attempts, to mark whom one has considered."""
        self.served = 0.0
        self.idle_with_work = False
        self.idle_attempts = 0
        """Attempts that came to nothing although somebody ran or waited."""
        self.executed: tuple[tuple[int, ...], ...] = ()
        """The schedule statements the latest attempt executed, in order."""
        self.attempt: tuple[int, int] | None = None
        """The position just after the latest attempt."""
        self.attempted_at = 0.0
        self.started = False
        self.lit: tuple[int, ...] | None = None
        self.estimates = Estimates()
        self.completed = 0
        self.wait = RunningMean()
        self.service = RunningMean()
        self.mean_number = TimeAverage()
        self.mean_busy = TimeAverage()
        self.prefill_only = TimeAverage()
        self.decode_only = TimeAverage()
        self.mixed = TimeAverage()
        self.mean_decodes = TimeAverage()
        self.decode_batch = Mean()
        self.decode_step = Mean()
        self.gaps = GapHistogram()

    def clone(self, jobs: dict[int, Job]) -> StageState:
        """A copy among the copied jobs (by the originals' identity); its cohort was folded before."""
        assert self.cohort is None
        other = StageState.__new__(StageState)
        other.cohort = None
        other.code = self.code
        other.jobs = {number: jobs[id(job)] for number, job in self.jobs.items()}
        other.queue = [jobs[id(job)] for job in self.queue]
        other.active = self.active
        other.virtual = self.virtual
        other.last = self.last
        other.rate = self.rate
        other.latent = self.latent
        other.epoch = self.epoch
        other.changed = self.changed
        other.residents = [jobs[id(job)] for job in self.residents]
        other.version = self.version
        other.iteration = self.iteration.clone(jobs) if self.iteration is not None else None
        other.iterations = self.iterations
        other.marks = self.marks
        other.served = self.served
        other.idle_with_work = self.idle_with_work
        other.idle_attempts = self.idle_attempts
        other.executed = self.executed
        other.attempt = self.attempt
        other.attempted_at = self.attempted_at
        other.started = self.started
        other.lit = self.lit
        other.estimates = self.estimates.clone()
        other.completed = self.completed
        other.wait = self.wait.clone()
        other.service = self.service.clone()
        other.mean_number = self.mean_number.clone()
        other.mean_busy = self.mean_busy.clone()
        other.prefill_only = self.prefill_only.clone()
        other.decode_only = self.decode_only.clone()
        other.mixed = self.mixed.clone()
        other.mean_decodes = self.mean_decodes.clone()
        other.decode_batch = self.decode_batch.clone()
        other.decode_step = self.decode_step.clone()
        other.gaps = self.gaps.clone()
        return other


class History:
    """An append-only list that clones share.

    A program is a function of its seed, so a clone that replays what its original lived
    through appends what stands there already; only where it differs is the list copied.
    """

    __slots__ = ("_items", "length")

    def __init__(self) -> None:
        self._items: list[Any] = []
        self.length = 0

    def append(self, item: Any) -> None:
        """Adds an item at this clone's end."""
        items, n = self._items, self.length
        if n == len(items):
            items.append(item)
        elif items[n] != item:
            self._items = items[:n]
            self._items.append(item)
        self.length = n + 1

    def last(self) -> Any:
        """The latest item of this clone, None without one."""
        return self._items[self.length - 1] if self.length else None

    def all(self) -> list[Any]:
        """The items of this clone."""
        return self._items[: self.length]

    def clone(self) -> History:
        """A history that goes on from here by itself."""
        other = History()
        other._items = self._items
        other.length = self.length
        return other


class ClaimState:
    """How a claim stands (R9.19)."""

    __slots__ = ("checked", "failures", "first", "out_of_scope")

    def __init__(self) -> None:
        self.checked = 0
        self.failures = 0
        self.first: float | None = None
        self.out_of_scope: int | None = None

    def clone(self) -> ClaimState:
        """A copy."""
        other = ClaimState()
        other.checked = self.checked
        other.failures = self.failures
        other.first = self.first
        other.out_of_scope = self.out_of_scope
        return other


class Moment:
    """The context variables of the expression being read (R6.24), by their IR names.

    Plain mutable fields: whoever reads an expression sets what it may read just before.
    """

    __slots__ = (
        "Admission",
        "Admitted",
        "Age",
        "Arrived",
        "Attn",
        "Decoding",
        "Demand",
        "Kvb",
        "Kvp",
        "Last",
        "N",
        "Ndec",
        "Npre",
        "Nres",
        "Ntok",
        "Position",
        "Preempted",
        "Queued",
        "Remaining",
        "Served",
        "Size",
        "Waited",
    )

    def __init__(self) -> None:
        self.Admission = 0.0
        self.Admitted = 0.0
        self.Age = 0.0
        self.Arrived = 0.0
        self.Attn = 0.0
        self.Decoding = 0.0
        self.Demand = 0.0
        self.Kvb = 0.0
        self.Kvp = 0.0
        self.Last = 0.0
        self.N = 0.0
        self.Ndec = 0.0
        self.Npre = 0.0
        self.Nres = 0.0
        self.Ntok = 0.0
        self.Position = 0.0
        self.Preempted = 0.0
        self.Queued = 0.0
        self.Remaining = 0.0
        self.Served = 0.0
        self.Size = 0.0
        self.Waited = 0.0


class State:
    """Everything of a run that changes (R1.15)."""

    def __init__(self, code: ProgramCode, seed: int, horizon: float, warmup: float, arrivals: int | None, trace: Trace) -> None:
        self.code = code
        self.seed = seed
        self.horizon = horizon
        self.warmup = warmup
        self.arrivals_wanted = arrivals
        self.nobody = Nobody(len(code.program.attrs))
        self.now = 0.0
        self.queue: list[tuple[float, int, int, int, int, int]] = []
        """The events as a heap: (time, sequence, what, and three numbers that depend on it)."""
        self.ready: list[Session] = []
        self.registers = [register.init for register in code.program.registers]
        self.pools = [PoolState(pool) for pool in code.pools]
        self.stages = [StageState(stage) for stage in code.stages]
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
        self.mean_live = TimeAverage()
        self.averages = self._averages()
        self.arrival_stream = Stream(seed)
        self.machine_stream = code.machine_stream(seed)
        self.eviction_stream = code.eviction_stream(seed)
        self.trace_stream = code.trace_stream(seed)
        self.flows: dict[int, Job] = {}
        self.flows_last = 0.0
        self.flows_epoch = 0
        self.flows_touched: set[int] = set()
        self.observed = [History() for _ in code.program.observes]
        """Per observation (time, value, serial, turn, warm)."""
        self.client = {name: History() for name in ("ttft", "tpot", "response")}
        self.gauges = [History() for _ in code.program.gauges]
        self.claims = [ClaimState() for _ in code.program.claims]
        self.trace = trace
        """The trace's sessions, each a tuple of turns (new, out, think, forced); empty without one."""
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
        self.listen: list[Decision] | None = None
        """Where decisions are recorded; None while nobody listens."""

    def _averages(self) -> tuple[TimeAverage, ...]:
        """What every settling records (R9.3)."""
        averages = [self.mean_live]
        for st in self.stages:
            averages += (st.mean_number, st.mean_busy)
        for pool in self.pools:
            averages += (pool.mean_used, pool.mean_cached, pool.mean_queue, pool.mean_holders)
        return tuple(averages)

    def clone(self) -> State:
        """A state that goes on from here by itself. Nobody listens to it."""
        other = State.__new__(State)
        other.__dict__.update(self.__dict__)
        sessions: dict[int, Session] = {}
        jobs: dict[int, Job] = {}
        everybody: list[Session] = [s for s in self.slots if s is not None]
        for session in everybody:
            sessions[id(session)] = session.clone()
        for copy in sessions.values():
            if copy.parent is not None:
                copy.parent = sessions[id(copy.parent)]
        for stage in self.stages:
            for job in stage.jobs.values():
                if id(job) not in jobs:
                    jobs[id(job)] = job.clone(sessions[id(job.session)] if job.session is not None else None)
        for copy in sessions.values():
            if copy.job is not None:
                copy.job = jobs[id(copy.job)]
        other.queue = self.queue.copy()
        other.ready = [sessions[id(s)] for s in self.ready if id(s) in sessions]
        other.registers = self.registers.copy()
        other.pools = [pool.clone(sessions) for pool in self.pools]
        other.stages = [stage.clone(jobs) for stage in self.stages]
        other.sessions = {serial: sessions[id(s)] for serial, s in self.sessions.items()}
        other.slots = [sessions[id(s)] if s is not None else None for s in self.slots]
        other.free_slots = self.free_slots.copy()
        other.mean_live = self.mean_live.clone()
        other.averages = other._averages()
        other.arrival_stream = self.arrival_stream.clone()
        other.machine_stream = self.machine_stream.clone()
        other.eviction_stream = self.eviction_stream.clone()
        other.trace_stream = self.trace_stream.clone()
        other.flows = {number: jobs[id(job)] for number, job in self.flows.items()}
        other.flows_touched = self.flows_touched.copy()
        other.observed = [history.clone() for history in self.observed]
        other.client = {name: history.clone() for name, history in self.client.items()}
        other.gauges = [history.clone() for history in self.gauges]
        other.claims = [claim.clone() for claim in self.claims]
        other.moment = Moment()
        other.listen = None
        return other
