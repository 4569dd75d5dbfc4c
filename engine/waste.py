"""What of an engine's work was of use: a ledger of its tokens and units, kept by listening; decides nothing and shows nothing.

* A token is *recomputed* where its position in the pool its run grows was computed before and lost:
  to a preemption of the request since its hold was admitted first, or, of a prefix that was
  left cached, to an eviction. Of a run that grows no pool the tokens since its admission stand for
  the position. Any other token is *useful*. The tokens of a request that a growth preempts in the
  very attempt return to the budget (R6.6); they are computed by nobody and are no waste.
* *Lost* are the units a preemption's victim had computed, whatever of them stays cached.
* At the end of a hold of an engine's memory, units are *never allocated* that a ``reserve held``
  kept from others and the hold never grew to, and *never computed* that it had allocated at most
  and did not compute.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import field
from typing import TYPE_CHECKING

from engine.decisions import Admitted, Attempted, Decision, Displaced, Evicted, Grew, Preempted, Released, Served
from engine.names import name
from engine.replay import Past, steps
from engine.snapshot import Position, Who
from engine.walking import Interrupt
from engine.whatif import session_of
from grammar.declaring import dataclass

if TYPE_CHECKING:
    from engine.session_state import HeldPool, Hold, Session
    from engine.simulation import Simulation

KEPT = 400
"""Iterations of each engine whose lines are kept: more than a person scrolls through, at a few hundred bytes each."""

_NO_POOL = -1
"""Stands for the pool of a run that grows none."""


@dataclass(frozen=True, slots=True)
class Waste:
    """Tokens and units of an iteration, or of many.

    Attributes:
        useful: tokens computed for the first time.
        preempted: tokens recomputed that a preemption lost.
        evicted: tokens recomputed whose prefix was evicted.
        lost: units that victims of preemptions had computed.
        unallocated: units reserved and never allocated.
        uncomputed: units allocated and never computed.
    """

    useful: float = 0.0
    preempted: float = 0.0
    evicted: float = 0.0
    lost: float = 0.0
    unallocated: float = 0.0
    uncomputed: float = 0.0

    @property
    def recomputed(self) -> float:
        """Tokens recomputed."""
        return self.preempted + self.evicted

    @property
    def tokens(self) -> float:
        """Tokens computed."""
        return self.useful + self.recomputed

    def plus(self, other: Waste) -> Waste:
        """Both together."""
        return Waste(
            self.useful + other.useful,
            self.preempted + other.preempted,
            self.evicted + other.evicted,
            self.lost + other.lost,
            self.unallocated + other.unallocated,
            self.uncomputed + other.uncomputed,
        )


@dataclass(frozen=True, slots=True)
class WasteLine:
    """An iteration's waste. What holds that ended left unused counts in the iteration that began last before.

    Attributes:
        position: right after the attempt that formed it.
    """

    iteration: int
    position: Position
    time: float
    waste: Waste


@dataclass(frozen=True, slots=True)
class EngineWaste:
    """An engine's waste up to a moment: in all, and by iteration of the latest ones."""

    stage: int
    name: str
    total: Waste
    lines: tuple[WasteLine, ...]


@dataclass(slots=True)
class _Account:
    """What is known of an engine so far."""

    total: Waste = field(default_factory=Waste)
    lines: deque[WasteLine] = field(default_factory=lambda: deque(maxlen=KEPT))
    present: Waste = field(default_factory=Waste)
    """Of the attempt being made."""

    def add(self, waste: Waste) -> None:
        """To the iteration that began last; before the first to none."""
        self.total = self.total.plus(waste)
        if self.lines:
            last = self.lines.pop()
            self.lines.append(WasteLine(last.iteration, last.position, last.time, last.waste.plus(waste)))


@dataclass(slots=True)
class _Taken:
    """A pool of a hold, as long as its units are out."""

    hold: Hold
    held: HeldPool
    most: float
    """The most it had allocated."""


Key = tuple[Who, int]


class Ledger:
    """A listener that keeps the accounts of every engine of a run from its start on.

    Args:
        run: the run it listens to.
    """

    def __init__(self, run: Simulation) -> None:
        self._run = run
        self._accounts = {stage: _Account() for stage in run.code.engines}
        self._served: list[tuple[Who, Waste]] = []
        """Of the attempt being made."""
        self._lost: dict[Key, float] = {}
        """Up to which position a preemption lost what was computed."""
        self._losing: set[Key] = set()
        """What a preemption is about to give back."""
        self._left: dict[tuple[int, int], float] = {}
        """By session and pool, units left cached when a hold was given back last."""
        self._evicted: dict[tuple[int, int], float] = {}
        """What of them was evicted since."""
        self._gone: dict[Key, tuple[float, float]] = {}
        """The positions evicted of the prefix a hold found, from and to."""
        self._counted: dict[Who, float] = {}
        """Of runs that grow no pool, tokens since the admission."""
        self._taken: dict[Key, list[_Taken]] = {}

    # ------------------------------------------------------------------ listening

    def append(self, record: Decision) -> None:
        """Something was decided; nothing of it is kept but its figures."""
        match record:
            case Served():
                self._serve(record)
            case Attempted():
                self._attempted(record)
            case Displaced(who=who):
                self._served = [entry for entry in self._served if entry[0] != who]
            case Preempted():
                self._preempt(record)
            case Admitted():
                self._admit(record)
            case Grew(pool=pool, who=who, allocated=allocated):
                for taken in self._taken.get((who, pool), ())[-1:]:
                    taken.most = max(taken.most, allocated)
            case Evicted(pool=pool, owner=int(owner), units=units):
                self._evicted[owner, pool] = self._evicted.get((owner, pool), 0.0) + units
            case Released():
                self._release(record)

    def _session(self, who: Who) -> Session | None:
        return session_of(self._run.state, who)

    def _serve(self, record: Served) -> None:
        session = self._session(record.who)
        if session is None or session.job is None:
            return
        pool, start = session.job.growing, self._counted.get(record.who, 0.0)
        if pool >= 0:
            found = [held for hold in session.holds for held in hold.pools if held.pool == pool]
            start = found[-1].pos if found else 0.0
        else:
            pool = _NO_POOL
        end = start + record.tokens
        key = (record.who, pool)
        lost = _overlap(start, end, 0.0, self._lost.get(key, 0.0))
        low, high = self._gone.get(key, (0.0, 0.0))
        gone = _overlap(max(start, self._lost.get(key, 0.0)), end, low, high)
        self._served.append((record.who, Waste(record.tokens - lost - gone, lost, gone)))

    def _attempted(self, record: Attempted) -> None:
        account = self._accounts[record.stage]
        if record.outcome in ("iteration", "preempted"):
            account.lines.append(WasteLine(record.iteration, self._here(), record.time, Waste()))
            for who, waste in self._served:
                account.add(waste)
                if who in self._counted:
                    self._counted[who] += waste.tokens
            account.add(account.present)
        account.present = Waste()
        self._served.clear()

    def _here(self) -> Position:
        # The attempt being made is counted already.
        return self._run.position

    def _preempt(self, record: Preempted) -> None:
        self._served = [entry for entry in self._served if entry[0] != record.who]
        session = self._session(record.who)
        if session is None:
            return
        for hold in reversed(session.holds):
            for held in hold.pools:
                key = (record.who, held.pool)
                self._lost[key] = max(self._lost.get(key, 0.0), held.pos)
                self._losing.add(key)
            if any(held.pool == record.pool for held in hold.pools):
                break
        if record.who in self._counted:
            key = (record.who, _NO_POOL)
            self._lost[key] = max(self._lost.get(key, 0.0), self._counted.pop(record.who))
        stage = record.stage if record.stage is not None else next(iter(self._run.state.pools[record.pool].code.engines), None)
        if stage is not None:
            account = self._accounts[stage]
            if record.stage is not None:
                account.present = account.present.plus(Waste(lost=record.position))
            else:
                account.add(Waste(lost=record.position))

    def _admit(self, record: Admitted) -> None:
        session = self._session(record.who)
        if session is None or not session.holds:
            return
        hold = session.holds[-1]
        if len(session.holds) == 1:
            self._counted[record.who] = record.cached
        for held in hold.pools:
            self._taken.setdefault((record.who, held.pool), []).append(_Taken(hold, held, held.alloc))
            if hold.code.cache is not None:
                # R4.9: only such a hold looks for what was left cached.
                at = (record.who.serial, held.pool)
                left, evicted = self._left.pop(at, 0.0), self._evicted.pop(at, 0.0)
                self._gone[record.who, held.pool] = (max(left - evicted, held.pos), left)

    def _release(self, record: Released) -> None:
        key = (record.who, record.pool)
        pool = self._run.state.pools[record.pool]
        stack = self._taken.get(key, [])
        # What a hold in force has is not given back: then it is a lease of one before it.
        leased = bool(stack) and self._in_force(record.who, stack[-1].held)
        if key in self._losing:
            self._losing.discard(key)
        elif not leased:
            self._lost.pop(key, None)
            self._lost.pop((record.who, _NO_POOL), None)
        if not leased:
            self._gone.pop(key, None)
        entry = pool.entries.get((0, record.who.serial))
        at = (record.who.serial, record.pool)
        self._left[at] = entry.size if entry is not None else 0.0
        self._evicted.pop(at, None)
        if len(stack) <= leased:
            return
        taken = stack.pop(0 if leased else -1)
        if not pool.code.engines:
            return
        computed = taken.held.pos if taken.hold.grown else taken.held.alloc
        reserved = taken.held.reserved if pool.code.reserve_held else 0.0
        unused = Waste(unallocated=max(reserved - taken.most, 0.0), uncomputed=max(taken.most - computed, 0.0))
        account = self._accounts[pool.code.engines[0]]
        if self._run.state.attempt_stage >= 0:
            account.present = account.present.plus(unused)
        else:
            account.add(unused)

    def _in_force(self, who: Who, held: HeldPool) -> bool:
        session = self._session(who)
        return session is not None and any(part is held for hold in session.holds for part in hold.pools)

    # ------------------------------------------------------------------ telling

    def accounts(self) -> tuple[EngineWaste, ...]:
        """The accounts so far, by engine."""
        stages = self._run.code.stages
        told = self._accounts.items()
        return tuple(EngineWaste(stage, name(stages[stage]), account.total, tuple(account.lines)) for stage, account in told)


def _overlap(start: float, end: float, low: float, high: float) -> float:
    """How much of one stretch lies in another."""
    return max(min(end, high) - max(start, low), 0.0)


class Accounts:
    """The accounts of a run at the moments one looks at; those of a later moment go on from those of an earlier."""

    def __init__(self) -> None:
        self._kept: tuple[Simulation, Ledger] | None = None

    def at(self, past: Past, interrupt: Interrupt | None = None) -> tuple[EngineWaste, ...]:
        """The accounts up to the present moment.

        Raises:
            Interrupted: told to stop.
        """
        now = past.now.position
        kept, self._kept = self._kept, None
        if kept is None or now < kept[0].position:
            run = past.now.anew()
            kept = (run, Ledger(run))
        run, ledger = kept
        for _ in steps(run, now, ledger, interrupt):
            pass
        self._kept = kept
        return ledger.accounts()


def wasted(accounts: Iterable[EngineWaste]) -> Waste:
    """What several engines wasted together."""
    total = Waste()
    for account in accounts:
        total = total.plus(account.total)
    return total
