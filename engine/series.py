"""What a run did over time, in a bounded number of points; notes and hands out, explains nothing."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.simulation import Simulation

MOST = 1024
"""Points kept: several for every cell of the widest terminal. Past it every second one goes."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """What was seen of a run in a stretch of its time, as its points have it.

    Attributes:
        start: seconds of the program's clock.
        running: requests in the engines, the most in the stretch.
        waiting: holds in the queues, the most in the stretch.
        tokens: tokens of an iteration, the most in the stretch.
        used: by pool, the largest share of its capacity that was allocated; 0 without a capacity.
        preempted: how many were preempted in it.
        idle: whether an engine was seen idle with work, or no engine ran.
        points: how many points lie in it; without any it is as the one before it.
    """

    start: float
    running: int
    waiting: int
    tokens: float
    used: tuple[float, ...]
    preempted: int
    idle: bool
    points: int


@dataclass(frozen=True, slots=True)
class Overview:
    """All that was seen of a run, in stretches of one length.

    Attributes:
        end: the clock of the last moment seen, in seconds.
    """

    end: float
    stretches: tuple[Stretch, ...]


UNSEEN = Overview(0.0, ())
"""Before anything was seen."""


class Series:
    """Points along a run, noted where it goes on for the first time."""

    def __init__(self, run: Simulation) -> None:
        caps = [pool.code.cap for pool in run.state.pools]
        self._caps = [cap if 0 < cap < float("inf") else 0.0 for cap in caps]
        self._clock: list[float] = []
        self._running: list[int] = []
        self._waiting: list[int] = []
        self._tokens: list[float] = []
        self._busy: list[bool] = []
        self._used: list[list[float]] = [[] for _ in caps]
        self._preempted = array("d")
        self._idle = array("d")
        self._engines = run.code.engines
        self._idled = 0
        self._lost = 0
        self._since = 0
        self._spacing = 1
        self._end = 0.0
        self._made: tuple[tuple[float, int, int], Overview] | None = None
        self._point(run)

    def passed(self, run: Simulation, idled: int) -> None:
        """The run has made a small step, or a leap.

        Args:
            run: the run after it.
            idled: attempts so far that came to nothing although somebody ran or waited.
        """
        k = run.state
        self._end = k.now
        while self._lost < k.preempted:
            self._lost += 1
            self._preempted.append(k.now)
        if idled != self._idled:
            self._idled = idled
            self._idle.append(k.now)
        self._since += 1
        if self._since >= self._spacing:
            self._since = 0
            self._point(run)

    def _point(self, run: Simulation) -> None:
        k = run.state
        running = 0
        tokens = 0.0
        busy = False
        for i in self._engines:
            st = k.stages[i]
            running += len(st.residents)
            if st.iteration is not None:
                tokens += st.iteration.tokens
                busy = True
        waiting = 0
        for i, pool in enumerate(k.pools):
            waiting += len(pool.queue)
            cap = self._caps[i]
            self._used[i].append(pool.used / cap if cap else 0.0)
        self._clock.append(k.now)
        self._running.append(running)
        self._waiting.append(waiting)
        self._tokens.append(tokens)
        self._busy.append(busy)
        if len(self._clock) > MOST:
            for figures in (self._clock, self._tokens, *self._used):
                del figures[1::2]
            for counts in (self._running, self._waiting):
                del counts[1::2]
            del self._busy[1::2]
            self._spacing *= 2

    def points(self) -> tuple[tuple[float, int, int, float, tuple[float, ...]], ...]:
        """Every point: clock, running, waiting, tokens of the iteration, and by pool the share that is allocated."""
        used = zip(*self._used, strict=True) if self._used else ((),) * len(self._clock)
        return tuple(zip(self._clock, self._running, self._waiting, self._tokens, map(tuple, used), strict=True))

    def overview(self, stretches: int) -> Overview:
        """All that was seen, in so many stretches of the clock; a stretch without a point is as the one before it."""
        key = (self._end, len(self._clock), stretches)
        if self._made is None or self._made[0] != key:
            self._made = (key, self._overview(stretches))
        return self._made[1]

    def _overview(self, count: int) -> Overview:
        if not self._end:
            return UNSEEN
        width = self._end / count
        made: list[Stretch] = []
        first = 0
        for i in range(count):
            start, end = i * width, (i + 1) * width if i < count - 1 else float("inf")
            after = bisect_left(self._clock, end, first)
            # Without a point of its own a stretch is what the last one before it left.
            low, high = (first, after) if after > first else (max(first - 1, 0), max(first, 1))
            made.append(
                Stretch(
                    start,
                    self._running[low] if high - low == 1 else max(self._running[low:high]),
                    self._waiting[low] if high - low == 1 else max(self._waiting[low:high]),
                    self._tokens[low] if high - low == 1 else max(self._tokens[low:high]),
                    tuple(used[low] if high - low == 1 else max(used[low:high]) for used in self._used),
                    bisect_left(self._preempted, end) - bisect_left(self._preempted, start),
                    bisect_left(self._idle, end) > bisect_left(self._idle, start) or not any(self._busy[low:high]),
                    after - first,
                )
            )
            first = max(after, first)
        return Overview(self._end, tuple(made))
