"""Numbers to short text with units that keeps its columns; knows no snapshot and no screen."""

from __future__ import annotations

import math

from engine.snapshot import Who

#: Whole amounts up to here are written out: five digits are still read at a glance, and pools of
#: a few ten thousand tokens are the common case.
WRITTEN_OUT = 99_999

#: Clock figures: a microsecond is far below any iteration that models a real engine, and three
#: places keep the column steady for the many programs that count in whole milliseconds or seconds.
CLOCK_PLACES_MOST = 6
CLOCK_PLACES_LEAST = 3

_MAGNITUDES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_FRACTIONS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_MINUTE = 60.0
_HOUR = 3600.0
#: Below two minutes seconds say more; beyond, minutes are what one compares.
_SECONDS_UP_TO = 2 * _MINUTE

UNKNOWN = "?"
INFINITE = "∞"


def _three_digits(value: float) -> str:
    """Three significant digits without an exponent, for 0.0005 <= value < 1000."""
    # where rounding to one place less would give a fourth digit
    if value >= 99.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def amount(value: float) -> str:
    """Units of a pool, tokens or a count: whole numbers written out, large ones shortened (``1.60M``)."""
    if math.isnan(value):
        return UNKNOWN
    if math.isinf(value):
        return INFINITE if value > 0 else f"−{INFINITE}"
    if value < 0:
        return f"−{amount(-value)}"
    if value > WRITTEN_OUT:
        for size, letter in _MAGNITUDES:
            # 999.6 k would round to 1000k, which is 1.00M
            if value >= size * 0.9995:
                return _three_digits(value / size) + letter
    if value == math.floor(value):
        return str(int(value))
    # two places would show 0.00 for what is not nothing
    return _three_digits(value) if value >= 0.005 else "<0.01"


def change(value: float) -> str:
    """A difference with its sign, empty for none."""
    if value == 0 or math.isnan(value):
        return ""
    return f"+{amount(value)}" if value > 0 else f"−{amount(-value)}"


def number(value: float) -> str:
    """A number of any kind, such as a register's value: six significant digits."""
    if math.isnan(value):
        return UNKNOWN
    if math.isinf(value):
        return INFINITE if value > 0 else f"−{INFINITE}"
    text = f"{value:.6g}"
    return f"−{text[1:]}" if text.startswith("-") else text


def duration(seconds: float) -> str:
    """A length of time in the unit that suits it, three significant digits: ``21.4 ms``."""
    if math.isnan(seconds):
        return UNKNOWN
    if math.isinf(seconds):
        return INFINITE
    if seconds < 0:
        return f"−{duration(-seconds)}"
    if seconds == 0:
        return "0 s"
    if seconds >= _HOUR:
        return f"{int(seconds // _HOUR)} h {int(seconds % _HOUR // _MINUTE):02d} m"
    if seconds >= _SECONDS_UP_TO:
        return f"{int(seconds // _MINUTE)} m {int(seconds % _MINUTE):02d} s"
    for size, unit in _FRACTIONS:
        if seconds >= size * 0.9995:
            return f"{_three_digits(seconds / size)} {unit}"
    return f"{seconds:.1e} s"


def clock(seconds: float) -> str:
    """A moment of the program's clock: ``3.482 s``, up to a microsecond where it needs that."""
    if math.isinf(seconds):
        return f"{INFINITE} s"
    text = f"{seconds:.{CLOCK_PLACES_MOST}f}"
    spare = CLOCK_PLACES_MOST - CLOCK_PLACES_LEAST
    while spare and text.endswith("0"):
        text, spare = text[:-1], spare - 1
    return f"{text} s"


def grouped(value: int) -> str:
    """A count of events or iterations with thousands apart: ``1,203,441``."""
    return f"{value:,}"


def plural(value: float, one: str, many: str | None = None) -> str:
    """A counted word: ``1 token``, ``2 tokens``, ``2 queries`` where the plural is irregular."""
    return f"{amount(value)} {one if value == 1 else many or one + 's'}"


def requests(many: tuple[Who, ...], most: int) -> str:
    """Names with commas, the rest counted once there are more than ``most``."""
    names = ", ".join(str(who) for who in many[:most])
    rest = len(many) - most
    return f"{names} and {rest} more" if rest > 0 else names
