"""Whether two states of a run go on alike but for the clock; changes neither, knows no screen.

A run is a function of its state, so a state that comes back brings back all that followed it.
But no state ever comes back as it was: the clock is another, and whatever is counted has been
counted on. So a state is told by its *likeness*, in which

* a time stands as its distance from the clock. The clock is a float, and what was added to it at
  different times was rounded differently: two distances are alike within ``_ROUNDING`` of the clock.
  Where rounding decides which of two events is first, alike is not enough: see ``Loop.tied``;
* a number that only names or orders (of a job, an admission, a release, and of a session where
  nobody reads it and nothing is drawn from it) stands as its rank among those that are there;
* what is only measured (averages, counts, samples, and attributes that nothing decides on) is not;
* everything else stands as it is: sessions by their slots and where in the program each of them is,
  holds, leases, registers, the orders of queues, holders and residents, what is cached, the events to
  come, and the positions of the random streams.

What a program reads so that no likeness can be told is found by ``engine.timeless``. Where a
likeness cannot be sure it differs: a state that comes back may be missed, none is made up.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from engine import calendar
from engine.constants import FINISH, INF, ITERATION_END, LATENCY_END, LEASE_END, SETTLED
from engine.ticks import next_tick
from engine.timeless import Readable
from grammar.declaring import dataclass

if TYPE_CHECKING:
    from engine.pool_state import Entry, PoolState
    from engine.session_state import HeldPool, Job, Lease, Session
    from engine.stage_state import StageState
    from engine.state import State

_ROUNDING = 1e-9
"""Of the clock, relative: it is rounded to about 1e-16 at every event, so a million events keep well within."""

Shape = tuple[Any, ...]


def rounding(clock: float) -> float:
    """How far apart times may be for the rounding of the clock, in seconds."""
    return _ROUNDING * max(clock, 1.0)


@dataclass(frozen=True, slots=True)
class Likeness:
    """A state but for the clock.

    Attributes:
        clock: seconds of the program's clock, which is no part of it.
        shape: all of it that is exact; hashable.
        distances: all of it that is a distance in time, in seconds, in an order that follows from the shape.
    """

    clock: float
    shape: Shape
    distances: tuple[float, ...]

    def like(self, other: Likeness) -> bool:
        """Whether the two go on alike."""
        if self.shape != other.shape or len(self.distances) != len(other.distances):
            return False
        slack = rounding(max(self.clock, other.clock))
        return all(abs(a - b) <= slack for a, b in zip(self.distances, other.distances, strict=True))


def likeness(k: State, read: Readable) -> Likeness:
    """The likeness of a state at rest or between two attempts.

    Args:
        k: the state; its cohorts are folded, which changes nothing of it.
        read: what its program reads, which can be told (``read.never`` is None).
    """
    calendar.fold_all(k)
    return _Reader(k, read).likeness()


class _Reader:
    """Reads one state; ranks are made before anything is named by them."""

    def __init__(self, k: State, read: Readable) -> None:
        self._k = k
        self._read = read
        self._distances: list[float] = []
        # R2.8: how often somebody was ready counts within an instant only.
        self._instant = k.phase != SETTLED or bool(k.ready) or k.queue.due(k.now)
        sessions = [s for s in k.slots if s is not None]
        entries = [entry for pool in k.pools for entry in pool.entries.values()]
        held = [held for s in sessions for hold in s.holds for held in hold.pools]
        leases = [lease for s in sessions for lease in (*s.leases, *s.suspended)]
        entries += [part.consumed for part in held if part.consumed is not None]
        entries += [lease.consumed for lease in leases if lease.consumed is not None]
        self._jobs = _ranks(number for stage in k.stages for number in stage.jobs)
        self._admissions = _ranks(s.adm for s in sessions if s.adm < INF)
        self._releases = _ranks(entry.number for entry in entries)
        self._leases = _ranks(lease.id for lease in leases)
        owners = {key for pool in k.pools for key in pool.entries}
        self._serials = _ranks({s.serial for s in sessions} | {serial for dead, serial in owners if not dead})
        self._dead = _ranks(number for dead, number in owners if dead)

    def likeness(self) -> Likeness:
        k = self._k
        program = k.code.program
        arriving = k.arrivals_wanted - k.arrived if k.arrivals_wanted is not None else None
        streams = [k.arrival_stream, k.machine_stream, k.eviction_stream, k.trace_stream]
        traced = k.next_serial % len(k.trace) if k.trace and program.trace_ordered else None
        shape = (
            (k.phase, k.cursor, k.ticks_due, arriving, traced, tuple(k.registers)),
            tuple(self._session(s) if s is not None else None for s in k.slots),
            tuple(k.free_slots),
            tuple(k.ready),
            tuple(self._pool(pool) for pool in k.pools),
            tuple(self._stage(stage) for stage in k.stages),
            tuple(self._event(event) for event in sorted(k.queue.all())),
            (tuple(k.flows) and tuple(self._jobs[number] for number in k.flows), tuple(sorted(k.flows_touched))),
            tuple(stream.place for stream in streams),
        )
        return Likeness(k.now, shape, tuple(self._distances))

    # ------------------------------------------------------------------ names and times

    def _time(self, time: float) -> bool:
        """Notes a time as its distance from the clock; the shape only says whether it is finite."""
        if time == INF:
            return False
        self._distances.append(time - self._k.now)
        return True

    def _serial(self, serial: int) -> int:
        return serial if self._read.serials else self._serials[serial]

    def _attributes(self, attributes: list[float]) -> Shape:
        return tuple(_number(attributes[slot]) for slot in self._read.attributes)

    # ------------------------------------------------------------------ the parts

    def _session(self, s: Session) -> Shape:
        admitted = s.adm if self._read.numbers or s.adm == INF else self._admissions[int(s.adm)]
        turns = (s.trace, s.turns, s.turns_taken) if s.turns or s.trace >= 0 else ()
        drawn = (s.turns_taken, s.forks, s.leg, s.stream.place, s.workload.place) if self._read.serials else ()
        here = (s.readies,) if self._instant and s.readies_at == self._k.now else ()
        return (
            (self._serial(s.serial), s.leg >= 0, s.parent.slot if s.parent is not None else None, s.legs),
            (s.status, s.where, s.growth, admitted, turns, drawn, here),
            self._attributes(s.attrs),
            tuple(tuple(frame) for frame in s.frames),
            tuple((id(h.code), h.lease_pool, h.grown, tuple(self._held(part) for part in h.pools)) for h in s.holds),
            tuple(self._lease(lease) for lease in s.leases),
            tuple(self._lease(lease) for lease in s.suspended),
            tuple(lease in s.suspended for lease in sorted((*s.leases, *s.suspended), key=lambda lease: lease.order)),
            self._pending(s),
            self._jobs.get(s.job.id, -1) if s.job is not None else None,
            tuple(getattr(s.request, name) for name in s.request.__slots__) if s.request is not None else None,
        )

    def _pending(self, s: Session) -> Shape | None:
        p = s.pending
        if p is None:
            return None
        numbers = tuple(p.pools), tuple(map(_number, p.units)), tuple(map(_number, p.needs))
        return (id(p.code), p.lease_pool, *numbers, p.resumed, p.preempted, self._time(p.since))

    def _held(self, held: HeldPool) -> Shape:
        return (held.pool, held.alloc, held.pos, held.reserved, held.place, self._entry(held.consumed))

    def _lease(self, lease: Lease) -> Shape:
        frozen = self._attributes(lease.attrs) if lease.attrs is not None else None
        numbers = (self._leases[lease.id], lease.pool, lease.alloc, lease.computed, lease.place)
        return (*numbers, id(lease.code), self._time(lease.expiry), frozen, self._entry(lease.consumed))

    def _entry(self, entry: Entry | None) -> Shape | None:
        if entry is None:
            return None
        return (entry.size, self._releases[entry.number], self._time(entry.released), self._attributes(entry.attrs), entry.place)

    def _pool(self, pool: PoolState) -> Shape:
        entries = tuple(
            (key[0], self._dead[key[1]] if key[0] else self._serial(key[1]), self._entry(pool.entries[key]))
            for key in sorted(pool.entries)
        )
        # The chains that sessions share are named by their keys and numbers all over: alike only where there are none.
        tree = (id(pool.tree), self._k.events) if pool.tree is not None and (pool.tree.nodes or pool.tree.handles) else None
        for period in (pool.code.every, pool.code.leases.every if pool.code.leases is not None else 0.0):
            # Ticks come at whole multiples of their period, whatever happened before.
            if period:
                self._time(next_tick(self._k.now, period))
        return (
            (pool.used, pool.cached, pool.ticking, pool.tick_due, pool.lease_ticking, pool.lease_tick_due, pool.places),
            tuple(s.slot for s in pool.holders),
            tuple(s.slot for s in pool.queue),
            tuple(s.slot for s in pool.growers),
            tuple(pool.free_places),
            entries,
            tree,
        )

    def _stage(self, st: StageState) -> Shape:
        it = st.iteration
        running = None
        if it is not None:
            batch = tuple(self._jobs.get(job.id, -1) for job in it.batch)
            running = (batch, it.cost, it.budget, it.chunk, it.tokens, self._time(it.started))
        return (
            tuple(self._job(st, st.jobs[number]) for number in sorted(st.jobs)),
            tuple(self._jobs[job.id] for job in st.queue),
            tuple(self._jobs[job.id] for job in st.residents),
            (st.active, st.rate, st.latent, st.changed),
            running,
        )

    def _job(self, st: StageState, job: Job) -> Shape:
        # What is left of a job that is worked on all the time moves with the clock; of any other it is what it is.
        k, moving = self._k, job.started >= 0 and not job.latent
        left: float | None = job.work
        if st.code.kind == "ps":
            left = None
            self._distances.append(job.work if job.latent else job.work - st.virtual - st.rate * (k.now - st.last))
        elif st.code.kind == "shared" and moving:
            left = None
            self._distances.append(job.work - job.rate * (k.now - k.flows_last))
        slot = job.session.slot if job.session is not None else None
        started = self._time(job.started) if job.started >= 0 else None
        flags = (job.decode, job.growing, job.given, job.gone, job.latent, job.stages, job.rate)
        return (self._jobs[job.id], slot, left, job.total, self._time(job.enqueued), started, flags)

    def _event(self, event: tuple[float, int, int, int, int, int]) -> Shape:
        """R2.9: what an event will do; one that is stale is an event all the same, which a settling follows."""
        time, _, what, a, b, c = event
        k = self._k
        self._time(time)
        if what == ITERATION_END:
            return (what, a, b == k.stages[a].epoch)
        if what == FINISH:
            kind = k.stages[a].code.kind
            if kind in ("ps", "shared"):
                return (what, a, self._jobs.get(b, -1), c == (k.stages[a].epoch if kind == "ps" else k.flows_epoch))
            return (what, a, self._jobs.get(b, -1))
        if what == LATENCY_END:
            return (what, a, self._jobs.get(b, -1))
        if what == LEASE_END:
            return (what, self._leases.get(c, -1))
        return (what, a, b, c)


def _ranks(numbers: Iterable[float]) -> dict[int, int]:
    return {int(number): rank for rank, number in enumerate(sorted(numbers))}


def _number(x: float) -> float | str:
    """A number that equals itself, NaN too."""
    return x if x == x else "nan"
