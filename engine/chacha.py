"""The ChaCha block function with 12 rounds (R8.1), twice: for the interpreter and for compiled code.

The interpreter is fast where one operation does much: ``by_rows`` keeps a row of four words
in one Python integer with a 64-bit lane a word, so that one addition, xor or rotation does a
whole row, about twice as fast as word by word. Compiled code is fast where a value fits a
machine word: ``by_words`` is some ten times faster there, and slower when interpreted. Both
are exact; ``block`` is the one that suits.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from mypy_extensions import i64

MASK64: Final = 0xFFFFFFFFFFFFFFFF
MASK32: Final = 0xFFFFFFFF


def row(words: tuple[int, int, int, int]) -> int:
    """Four words as a row."""
    return words[0] | words[1] << 64 | words[2] << 128 | words[3] << 192


_CONSTANTS: Final = row((0x61707865, 0x3320646E, 0x79622D32, 0x6B206574))
_M: Final = row((MASK32, MASK32, MASK32, MASK32))
_LANE0: Final = MASK64
_LANES01: Final = (1 << 128) - 1
_LANES012: Final = (1 << 192) - 1
_DOUBLE_ROUNDS: Final = 6
_UNPACK: Final = Struct("<16Q").unpack


def by_rows(b0: int, c0: int, counter: int) -> tuple[int, ...]:
    """Block ``counter`` of the key rows as sixteen 32-bit words, a row at a time."""
    mask = _M
    d0 = counter & MASK32 | counter >> 32 << 64
    a, b, c, d = _CONSTANTS, b0, c0, d0
    for _ in range(_DOUBLE_ROUNDS):
        a = (a + b) & mask
        d ^= a
        d = (d << 16 | d >> 16) & mask
        c = (c + d) & mask
        b ^= c
        b = (b << 12 | b >> 20) & mask
        a = (a + b) & mask
        d ^= a
        d = (d << 8 | d >> 24) & mask
        c = (c + d) & mask
        b ^= c
        b = (b << 7 | b >> 25) & mask
        b = b >> 64 | (b & _LANE0) << 192
        c = c >> 128 | (c & _LANES01) << 128
        d = d >> 192 | (d & _LANES012) << 64
        a = (a + b) & mask
        d ^= a
        d = (d << 16 | d >> 16) & mask
        c = (c + d) & mask
        b ^= c
        b = (b << 12 | b >> 20) & mask
        a = (a + b) & mask
        d ^= a
        d = (d << 8 | d >> 24) & mask
        c = (c + d) & mask
        b ^= c
        b = (b << 7 | b >> 25) & mask
        b = b >> 192 | (b & _LANES012) << 64
        c = c >> 128 | (c & _LANES01) << 128
        d = d >> 64 | (d & _LANE0) << 192
    a = (a + _CONSTANTS) & mask
    b = (b + b0) & mask
    c = (c + c0) & mask
    d = (d + d0) & mask
    return _UNPACK((a | b << 256 | c << 512 | d << 768).to_bytes(128, "little"))


def _quarter(a: i64, b: i64, c: i64, d: i64) -> tuple[i64, i64, i64, i64]:
    """One quarter round on four words."""
    m: i64 = 0xFFFFFFFF
    a = (a + b) & m
    d ^= a
    d = (d << 16 | d >> 16) & m
    c = (c + d) & m
    b ^= c
    b = (b << 12 | b >> 20) & m
    a = (a + b) & m
    d ^= a
    d = (d << 8 | d >> 24) & m
    c = (c + d) & m
    b ^= c
    b = (b << 7 | b >> 25) & m
    return a, b, c, d


def _word(row_of_words: int, i: int) -> i64:
    return i64(row_of_words >> 64 * i & MASK32)


def by_words(b0: int, c0: int, counter: int) -> tuple[int, ...]:
    """Block ``counter`` of the key rows as sixteen 32-bit words, a word at a time."""
    k0, k1, k2, k3 = _word(b0, 0), _word(b0, 1), _word(b0, 2), _word(b0, 3)
    k4, k5, k6, k7 = _word(c0, 0), _word(c0, 1), _word(c0, 2), _word(c0, 3)
    low, high = i64(counter & MASK32), i64(counter >> 32 & MASK32)
    s0: i64 = 0x61707865
    s1: i64 = 0x3320646E
    s2: i64 = 0x79622D32
    s3: i64 = 0x6B206574
    x0, x1, x2, x3 = s0, s1, s2, s3
    x4, x5, x6, x7 = k0, k1, k2, k3
    x8, x9, x10, x11 = k4, k5, k6, k7
    x12, x13 = low, high
    x14: i64 = 0
    x15: i64 = 0
    for _ in range(_DOUBLE_ROUNDS):
        x0, x4, x8, x12 = _quarter(x0, x4, x8, x12)
        x1, x5, x9, x13 = _quarter(x1, x5, x9, x13)
        x2, x6, x10, x14 = _quarter(x2, x6, x10, x14)
        x3, x7, x11, x15 = _quarter(x3, x7, x11, x15)
        x0, x5, x10, x15 = _quarter(x0, x5, x10, x15)
        x1, x6, x11, x12 = _quarter(x1, x6, x11, x12)
        x2, x7, x8, x13 = _quarter(x2, x7, x8, x13)
        x3, x4, x9, x14 = _quarter(x3, x4, x9, x14)
    m: i64 = 0xFFFFFFFF
    first = ((x0 + s0) & m, (x1 + s1) & m, (x2 + s2) & m, (x3 + s3) & m, (x4 + k0) & m, (x5 + k1) & m, (x6 + k2) & m, (x7 + k3) & m)
    second = ((x8 + k4) & m, (x9 + k5) & m, (x10 + k6) & m, (x11 + k7) & m, (x12 + low) & m, (x13 + high) & m, x14 & m, x15 & m)
    return (*first, *second)


COMPILED: Final = not hasattr(by_words, "__code__")
"""Whether this module runs as compiled code (``pyproject.toml`` says how)."""


def block(b0: int, c0: int, counter: int) -> tuple[int, ...]:
    """Block ``counter`` of the key rows as sixteen 32-bit words.

    Args:
        b0: the first four words of the key, as a row.
        c0: the last four.
        counter: the 64-bit block counter.
    """
    return by_words(b0, c0, counter) if COMPILED else by_rows(b0, c0, counter)
