"""Sessions, what they hold, and their jobs, as they stand; how they are copied; knows no rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.constants import EMPTY_METER, INF, NAN, QUEUED, READY
from engine.rng import Stream
from engine.snapshot import Who

if TYPE_CHECKING:
    from engine.pool_state import Entry
    from engine.request_context import RequestState
    from engine.snapshot import WaitingView
    from engine.statement_codes import HoldCode


class HeldPool:
    """One pool of a hold (R1.9).

    ``consumed`` is the cached prefix it took over, if any; ``place`` the cache place it keeps for it (R4.33).
    """

    __slots__ = ("alloc", "consumed", "place", "pool", "pos", "reserved")

    def __init__(self, pool: int, alloc: float, pos: float, reserved: float, place: int, consumed: Entry | None) -> None:
        self.pool = pool
        self.alloc = alloc
        self.pos = pos
        self.reserved = reserved
        self.place = place
        self.consumed = consumed

    def clone(self) -> HeldPool:
        """A copy; nothing changes a prefix that was taken over."""
        return HeldPool(self.pool, self.alloc, self.pos, self.reserved, self.place, self.consumed)


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


class Shown:
    """What a snapshot showed of a waiting hold, and what it was made of: while that stands, the view does too."""

    __slots__ = ("at_rest", "attributes", "needs", "units", "view")

    def __init__(
        self, units: list[float], needs: list[float], attributes: list[float], view: WaitingView, *, at_rest: bool
    ) -> None:
        self.at_rest = at_rest
        """Whether it stands for as long as the needs do."""
        self.units = units
        self.needs = needs
        self.attributes = attributes
        self.view = view


class Pending:
    """A hold that waits in a queue: what its statement evaluated, and when it joined (R3.4)."""

    __slots__ = ("code", "lease_pool", "needs", "pools", "preempted", "resumed", "since", "units", "view")

    def __init__(self, code: HoldCode, pools: list[int], lease_pool: int, units: list[float], since: float) -> None:
        self.code = code
        self.pools = pools
        self.lease_pool = lease_pool
        self.units = units
        self.since = since
        self.needs: list[float] = []
        self.resumed = False
        self.preempted = False
        self.view: Shown | None = None
        """How a snapshot showed it last; means nothing to a run."""

    def clone(self) -> Pending:
        """A copy."""
        other = Pending(self.code, self.pools, self.lease_pool, self.units, self.since)
        other.needs = self.needs
        other.resumed = self.resumed
        other.preempted = self.preempted
        other.view = self.view
        return other


class Lease:
    """An allocation that outlived its hold (R1.11)."""

    __slots__ = ("alloc", "attrs", "code", "computed", "consumed", "expiry", "id", "order", "place", "pool")

    def __init__(
        self,
        number: int,
        pool: int,
        alloc: float,
        computed: float,
        code: HoldCode,
        expiry: float,
        place: int,
        consumed: Entry | None,
    ) -> None:
        self.id = number
        self.pool = pool
        self.alloc = alloc
        self.computed = computed
        self.code = code
        self.expiry = expiry
        self.place = place
        self.consumed = consumed
        self.attrs: list[float] | None = None
        self.order = 0
        """Its place among its session's leases, those set aside among them."""

    def clone(self) -> Lease:
        """A copy; frozen attributes are shared as nothing changes them."""
        other = Lease(self.id, self.pool, self.alloc, self.computed, self.code, self.expiry, self.place, self.consumed)
        other.attrs = self.attrs
        other.order = self.order
        return other


class OpenTurn:
    """A turn without a response yet, as its client sees it (R9.20)."""

    __slots__ = ("after", "confirmed", "first", "start")

    def __init__(self, start: float) -> None:
        self.start = start
        self.first = NAN
        """When its first token came, NaN before."""
        self.confirmed = False
        self.after = 0
        """Tokens after the first."""

    def clone(self) -> OpenTurn:
        """A copy."""
        other = OpenTurn(self.start)
        other.first = self.first
        other.confirmed = self.confirmed
        other.after = self.after
        return other


class Session:
    """A session or one of its legs (R1.5)."""

    __slots__ = (
        "_stream",
        "_stream_common",
        "_workload",
        "_workload_common",
        "adm",
        "attrs",
        "client",
        "common",
        "forks",
        "frames",
        "growth",
        "holds",
        "job",
        "leases",
        "leg",
        "legs",
        "meter",
        "name",
        "parent",
        "pending",
        "preempted_at",
        "readies",
        "readies_at",
        "request",
        "root",
        "serial",
        "shared",
        "slot",
        "status",
        "stuck",
        "suspended",
        "trace",
        "turns",
        "turns_taken",
        "where",
    )

    def __init__(self, serial: int, leg: int, attrs: list[float], slot: int, name: Who | None = None) -> None:
        self.serial = serial
        self.leg = leg
        """Which of its session's forks this leg is; -1 for a session."""
        self.name = name or Who(serial, leg if leg >= 0 else None)
        """What records call it."""
        self.attrs = attrs
        self.slot = slot
        self.frames: list[list[int]] = []
        """(block, index of the next statement, kind) from outermost to innermost."""
        self.holds: list[Hold] = []
        self.leases: list[Lease] = []
        self.suspended: tuple[Lease, ...] = ()
        """Leases set aside; they hold nothing."""
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
        self.client: OpenTurn | None = None
        self.root = 0
        """What its streams' seeds are derived from."""
        self._workload: Stream
        self._stream: Stream
        self._workload_common = self._stream_common = False
        """Whether they are a clone's, too, until one of them draws: most of those that live draw no more."""
        self.common = False
        """Whether its attributes, frames and ``preempted_at`` are a clone's, too, until one of them goes on (``part``)."""
        self.turns_taken = 0
        self.turns: tuple[tuple[tuple[int, float], ...], ...] = ()
        self.trace = -1
        self.forks = 0
        self.legs = 0
        """Legs that have not ended."""
        self.parent: Session | None = None
        """The session of a leg, None for a session and for an orphan."""
        self.request: RequestState | None = None
        """Its latest native request."""
        self.readies = 0
        self.readies_at = -1.0
        self.shared = False
        """Whether clones of a run have it in common; who changes it asks for the run's own first (``State.own``)."""

    @property
    def stream(self) -> Stream:
        """What its statements draw from (R8.5)."""
        if self._stream_common:
            self.stream = self._stream.clone()
        return self._stream

    @stream.setter
    def stream(self, stream: Stream) -> None:
        self._stream = stream
        self._stream_common = False

    @property
    def workload(self) -> Stream:
        """What its init and turn blocks draw from (R8.5)."""
        if self._workload_common:
            self.workload = self._workload.clone()
        return self._workload

    @workload.setter
    def workload(self, stream: Stream) -> None:
        self._workload = stream
        self._workload_common = False

    def part(self) -> None:
        """It goes on, or loses a hold: what it has in common with clones is about to change, and is its own from here on."""
        if self.common:
            self.attrs = self.attrs.copy()
            self.frames = [frame.copy() for frame in self.frames]
            self.preempted_at = self.preempted_at.copy()
            self.common = False

    @property
    def at_rest(self) -> bool:
        """Whether nothing of it changes before its hold is tried: it waits in a queue, and no other session reaches it.

        A leg ends its session's wait for it, a lease may expire or be taken, and what is held may be preempted.
        """
        return self.status == QUEUED and self.leg < 0 and not (self.legs or self.holds or self.leases or self.suspended)

    def add_lease(self, lease: Lease) -> None:
        """One more lease, after all others."""
        lease.order = 1 + max((other.order for other in (*self.leases, *self.suspended)), default=-1)
        self.leases.append(lease)

    def clone(self) -> Session:
        """A copy whose job and parent still point at the originals; ``State.clone`` mends them."""
        other = Session(self.serial, self.leg, self.attrs, self.slot, self.name)
        other.frames = self.frames
        other.preempted_at = self.preempted_at
        other.common = self.common = True
        other.holds = [hold.clone() for hold in self.holds]
        if self.leases:
            other.leases = [lease.clone() for lease in self.leases]
        if self.suspended:
            other.suspended = tuple(lease.clone() for lease in self.suspended)
        other.status = self.status
        other.where = self.where
        other.pending = self.pending.clone() if self.pending is not None else None
        other.job = self.job
        other.growth = self.growth
        other.adm = self.adm
        other.stuck = self.stuck
        other.meter = self.meter
        other.client = self.client.clone() if self.client is not None else None
        other.root = self.root
        other._workload = self._workload
        other._stream = self._stream
        other._workload_common = self._workload_common = True
        other._stream_common = self._stream_common = True
        other.turns_taken = self.turns_taken
        other.turns = self.turns
        other.trace = self.trace
        other.forks = self.forks
        other.legs = self.legs
        other.parent = self.parent
        other.request = self.request.clone() if self.request is not None else None
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
        "attention",
        "decode",
        "enqueued",
        "given",
        "gone",
        "growing",
        "held",
        "hold",
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
        self.hold: Hold | None = None
        self.held: HeldPool | None = None
        """What it grows of that pool, once it was looked up (``holdings.grown_by``)."""
        self.served = 0
        """The attempt that considered it last (R6.7)."""
        self.given = 0.0
        """Tokens it has in the running iteration, or so far in the one being formed."""
        self.attention = 0.0
        """What the prefill's tokens attend to (R6.6 step 5), where the cost or a claim reads it."""
        self.gone = False
        """Whether it has left its stage."""
        self.latent = False
        """Whether it waits for its latency and has not started."""
        self.stages: tuple[int, ...] = ()
        self.rate = 0.0

    def clone(self, session: Session | None) -> Job:
        """A copy for another session."""
        other = Job(self.id, session, self.work, self.enqueued)
        other.total = self.total
        other.started = self.started
        other.decode = self.decode
        other.growing = self.growing
        other.served = self.served
        other.given = self.given
        other.attention = self.attention
        other.gone = self.gone
        other.latent = self.latent
        other.stages = self.stages
        other.rate = self.rate
        return other
