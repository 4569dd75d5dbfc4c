"""Themes for every eye, and screens in ASCII."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from textual.color import Color

from serq_tui.ascii import in_ascii
from serq_tui.cli_parser import THEME_NAMES
from serq_tui.config import Config
from serq_tui.pieces import ROLES, Role
from serq_tui.themes import THEMES
from tests.serq_tui.piloting import PREEMPTION, opened

#: How the two common kinds of colour blindness turn linear red, green and blue (Machado et al. 2009, severity 1).
BLIND = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}

#: What has to be told apart at a glance.
APART: tuple[Role, ...] = ("prefill", "decode", "waiting", "preempted", "cached", "changed")

Colour = tuple[float, float, float]


def linear(colour: Color) -> Colour:
    def one(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    r, g, b = colour.normalized
    return one(r), one(g), one(b)


def luminance(colour: Color) -> float:
    """As WCAG 2 has it."""
    r, g, b = linear(colour)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: Color, other: Color) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: Colour) -> Colour:
    """CIE L*a*b* of linear sRGB under D65."""
    r, g, b = (min(max(part, 0.0), 1.0) for part in rgb)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883

    def f(t: float) -> float:
        return t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116

    return 116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))


def seen(colour: Color, kind: str) -> Colour:
    parts = linear(colour)
    r, g, b = (sum(weight * part for weight, part in zip(row, parts, strict=True)) for row in BLIND[kind])
    return lab((r, g, b))


def variables(name: str) -> dict[str, str]:
    return next(theme for theme in THEMES if theme.name == name).variables


def test_the_command_line_offers_the_themes_there_are() -> None:
    assert tuple(theme.name for theme in THEMES) == THEME_NAMES


@pytest.mark.parametrize("role", [role for role in ROLES if role != "free"])
def test_the_contrast_theme_has_the_strongest_contrast_wcag_asks_for(role: Role) -> None:
    """7 to 1 (level AAA) on the ground, 4.5 to 1 (AA) under the cursor and where lit; ``free`` is what is not there."""
    theme = variables("serq-contrast")
    for ground in ("#000000", theme["ground-cursor"], theme["ground-lit"]):
        assert contrast(Color.parse(theme[f"role-{role}"]), Color.parse(ground)) >= (7 if ground == "#000000" else 4.5)


@pytest.mark.parametrize("kind", list(BLIND))
def test_the_safe_theme_keeps_roles_apart_for_who_sees_no_red_or_no_green(kind: str) -> None:
    """A difference of 2.3 is just noticeable; ten is told apart without looking twice."""
    theme = variables("serq-safe")
    for one, other in combinations(APART, 2):
        distance = math.dist(seen(Color.parse(theme[f"role-{one}"]), kind), seen(Color.parse(theme[f"role-{other}"]), kind))
        assert distance >= 10, (one, other, distance)


def test_every_sign_has_a_likeness_of_its_own_width() -> None:
    assert in_ascii("█▓▒░ ▁▄█ ▶ ▸ ← 3 ■ ● ○ ✗ ✓ · … ≠ – − ∞ µs ⣿ é │─┌") == "#=%. _=# > > < 3 * * o X / . . ! - - 8 us * e |-+"


async def test_every_screen_in_ascii_is_ascii() -> None:
    async with opened(PREEMPTION, config=Config(ascii=True), size=(110, 32)) as driver:
        await driver.press("c")
        for keys in ("", "w", "v", "l", "o", "x", "question_mark", "2 enter", "u", "colon", "O", "ctrl+p", "u 2 enter d"):
            await driver.press(*keys.split())
            await driver.pilot.pause()
            assert driver.text().isascii(), (keys, {letter for letter in driver.text() if not letter.isascii()})
            await driver.press("escape", "escape")
