"""Random streams and distributions, bit for bit those of the reference; knows no program."""

from __future__ import annotations

from math import log, sqrt
from typing import Final

from engine.chacha import MASK32, MASK64, block, row

WORKLOAD, SESSION, LEG = 1, 2, 3
"""The kinds of a session's streams (R8.4)."""

TRACE_SALT: Final = 0x6A09E667F3BCC908
MACHINE_SALT: Final = 0x5851F42D4C957F2D
EVICTION_SALT: Final = 0x2545F4914F6CDD1D
"""What the global streams' seeds are xored with (R8.5)."""


def mix(x: int) -> int:
    """One step of the splitmix64 generator (R8.4)."""
    z = (x + 0x9E3779B97F4A7C15) & MASK64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
    return z ^ (z >> 31)


def root(seed: int, serial: int) -> int:
    """What the seeds of all streams of a session are derived from (R8.4)."""
    return mix(mix(seed) ^ serial)


def _key(seed: int) -> tuple[int, int]:
    """The two key rows expanded from a 64-bit seed, a PCG32 step a word (R8.2)."""
    state = seed
    words = []
    for _ in range(8):
        state = (state * 6364136223846793005 + 11634580027462260723) & MASK64
        x = ((state >> 18) ^ state) >> 27 & MASK32
        r = state >> 59
        words.append((x >> r | x << (32 - r)) & MASK32)
    return row((words[0], words[1], words[2], words[3])), row((words[4], words[5], words[6], words[7]))


class Stream:
    """The generator of one seed: a sequence of 32-bit words.

    The seed is derived, the key expanded and a block computed only when first drawn from:
    most streams of a run (a session that draws nothing) never are.
    """

    __slots__ = ("_b", "_block", "_c", "_derived", "_next", "_seed", "_words")

    def __init__(self, seed: int, derived: tuple[int, int] | None = None) -> None:
        """The stream of a seed; or, of a session's ``root``, the one derived for a turn and a kind (R8.4)."""
        self._seed = seed
        self._derived = derived
        self._b = -1
        self._c = 0
        self._block = 0
        self._words: tuple[int, ...] = ()
        self._next = 16

    @property
    def seed(self) -> int:
        """The seed it is the generator of."""
        if self._derived is not None:
            turn, kind = self._derived
            self._seed = mix(mix(self._seed ^ turn) ^ kind)
            self._derived = None
        return self._seed

    @property
    def place(self) -> tuple[int, int, int]:
        """What it is drawn from and how much of it has been: streams of one place go on alike."""
        return self.seed, self._block, self._next

    def clone(self) -> Stream:
        """A stream that goes on from here by itself."""
        other = Stream(self._seed, self._derived)
        other._b = self._b
        other._c = self._c
        other._block = self._block
        other._words = self._words
        other._next = self._next
        return other

    def _refill(self) -> None:
        if self._b < 0:
            self._b, self._c = _key(self.seed)
        self._words = block(self._b, self._c, self._block)
        self._block += 1
        self._next = 0

    def u32(self) -> int:
        """The next word."""
        if self._next == 16:
            self._refill()
        word = self._words[self._next]
        self._next += 1
        return word

    def u64(self) -> int:
        """The next two words, the first the low half."""
        i = self._next
        if i < 15:
            self._next = i + 2
            return self._words[i] | self._words[i + 1] << 32
        low = self.u32()
        return low | self.u32() << 32

    def unit(self) -> float:
        """A draw from [0, 1) (R8.3)."""
        return (self.u64() >> 11) * 1.1102230246251565e-16

    def below(self, n: int) -> int:
        """A uniform index in 0 … n-1 (R8.6)."""
        product = self.u32() * n
        index, low = product >> 32, product & MASK32
        if low > ((1 << 32) - n) & MASK32 and low + (self.u32() * n >> 32) >= 1 << 32:
            index += 1
        return index


# --------------------------------------------------------------------------- distributions (R8.7)


def exponential(stream: Stream, mean: float) -> float:
    """``~exp(mean)``."""
    return -mean * log(1.0 - stream.unit())


def deterministic(stream: Stream, value: float) -> float:
    """``~det(value)``: no draw."""
    del stream
    return value


def uniform(stream: Stream, low: float, high: float) -> float:
    """``~uniform(low, high)``."""
    return low + (high - low) * stream.unit()


def erlang(stream: Stream, phases: float, mean: float) -> float:
    """``~erlang(phases, mean)``: phases are cut to a whole number of at least 1."""
    k = int(phases) if phases > 1.0 else 1
    each = mean / k
    total = 0.0
    for _ in range(k):
        total += -each * log(1.0 - stream.unit())
    return total


def h2(stream: Stream, mean: float, cv2: float) -> float:
    """``~h2(mean, cv2)``: two exponential phases with balanced means; cv2 at least 1."""
    c = cv2 if cv2 > 1.0 else 1.0
    p = 0.5 * (1.0 + sqrt((c - 1.0) / (c + 1.0)))
    phase = mean / (2.0 * p) if stream.unit() < p else mean / (2.0 * (1.0 - p))
    return exponential(stream, phase)


def bernoulli(stream: Stream, probability: float) -> float:
    """``~bernoulli(probability)``: 1 or 0."""
    return 1.0 if stream.unit() < probability else 0.0
