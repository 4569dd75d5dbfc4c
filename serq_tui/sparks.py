"""A strip of figures as bars of one cell; knows no screen."""

from __future__ import annotations

import math
from collections.abc import Sequence

GLYPHS = "▁▂▃▄▅▆▇█"
#: A figure that could not be read.
UNREAD = " "


def spark(figures: Sequence[float], width: int) -> str:
    """The last figures, as many as there is room for, the latest at the right end.

    The least of them is the lowest bar and the greatest the highest; figures that are all the
    same are low bars, since nothing stands out among them.
    """
    shown = figures[-width:] if width > 0 else ()
    finite = [figure for figure in shown if math.isfinite(figure)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    return "".join(_glyph(figure, low, high) for figure in shown).rjust(max(width, 0))


def _glyph(figure: float, low: float, high: float) -> str:
    if math.isnan(figure):
        return UNREAD
    if math.isinf(figure):
        return GLYPHS[-1] if figure > 0 else GLYPHS[0]
    if high == low:
        return GLYPHS[0]
    return GLYPHS[min(int((figure - low) / (high - low) * len(GLYPHS)), len(GLYPHS) - 1)]
