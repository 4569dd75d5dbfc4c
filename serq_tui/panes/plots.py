"""Plots of a run, one a widget; what is plotted is found elsewhere.

Plotext draws them, by way of Textual's own widget for it: text only, no numpy, and made for this framework.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from textual.color import Color
from textual_plotext import PlotextPlot

from engine.distributions import Spread, binned
from serq_tui.figures import Plots
from serq_tui.format import plural
from serq_tui.pieces import Role

PlotName = Literal["memory", "requests", "tokens", "gaps", "first tokens"]

PLOTS: tuple[PlotName, ...] = ("memory", "requests", "tokens", "gaps", "first tokens")

#: Parts of a histogram: about as many as a plot of a third of a wide terminal is cells across.
PARTS = 40

#: Below this a thousandth is the unit people speak of.
MILLI = 1.0


class Plot(PlotextPlot):
    """One plot. Its colours are those of the roles, and it is drawn anew under another theme."""

    ALLOW_SELECT = False

    def __init__(self, which: PlotName, plots: Plots, *, plain: bool) -> None:
        super().__init__(id=f"plot-{which.replace(' ', '-')}", classes="plot")
        self.which = which
        self._plots = plots
        self._plain = plain

    def on_mount(self) -> None:
        """Draw."""
        super().on_mount()
        self.app.theme_changed_signal.subscribe(self, lambda theme: self.draw())
        self.draw()

    def draw(self) -> None:
        """Draw with the colours of the theme."""
        self.plt.clear_figure()
        draw: dict[PlotName, Callable[[], None]] = {
            "memory": self._memory,
            "requests": self._requests,
            "tokens": self._tokens,
            "gaps": self._gaps,
            "first tokens": self._first_tokens,
        }
        draw[self.which]()
        self.refresh()

    # ----------------------------------------------------------------- over time

    def _memory(self) -> None:
        plots = self._plots
        if plots.memory is None:
            self._nothing("memory", "no pool with a capacity")
            return
        shares = [point[4][plots.memory] * 100 for point in plots.points]
        self._over_time(f"{plots.memory_name} in use, %", ((shares, "used", plots.memory_name),))
        self.plt.ylim(0, 100)

    def _requests(self) -> None:
        points = self._plots.points
        running, waiting = [point[1] for point in points], [point[2] for point in points]
        self._over_time("requests", ((running, "decode", "running"), (waiting, "waiting", "waiting")))

    def _tokens(self) -> None:
        tokens = [point[3] for point in self._plots.points]
        self._over_time("tokens of an iteration", ((tokens, "prefill", "tokens"),))

    def _over_time(self, title: str, lines: Sequence[tuple[Sequence[float], Role, str]]) -> None:
        clocks = [point[0] for point in self._plots.points]
        if len(clocks) < 2:
            self._nothing(title, "nothing was seen yet: s steps, c runs to the first stop")
            return
        for figures, role, label in lines:
            told: dict[str, Any] = {"label": label} if len(lines) > 1 else {}
            self.plt.plot(clocks, list(figures), color=self._colour(role), marker=self._marker, **told)
        self.plt.vline(self._plots.clock, color=self._colour("changed"))
        self.plt.title(title)
        self.plt.xlabel("seconds")

    # ----------------------------------------------------------------- spread

    def _gaps(self) -> None:
        self._spreads("gaps between tokens", self._plots.gaps, "decode")

    def _first_tokens(self) -> None:
        self._spreads("time to first token", (self._plots.first_tokens,), "prefill")

    def _spreads(self, title: str, spreads: tuple[Spread, ...], role: Role) -> None:
        figures = [figure for spread in spreads for figure in spread.figures]
        together = Spread(title, tuple(sorted(figures)))
        if together.count < 2:
            self._nothing(title, "no two figures yet")
            return
        low, high, counts = binned(together, PARTS)
        scale, unit = (1e3, "ms") if high < MILLI else (1.0, "s")
        width = (high - low) / PARTS
        middles = [(low + (part + 0.5) * width) * scale for part in range(PARTS)]
        self.plt.plot(middles, list(counts), color=self._colour(role), marker=self._marker, fillx=True)
        self.plt.title(f"{title}, {plural(together.count, 'figure')}")
        self.plt.xlabel(unit)

    def _nothing(self, title: str, words: str) -> None:
        self.plt.title(f"{title}: {words}")

    # ----------------------------------------------------------------- how

    @property
    def _marker(self) -> str:
        return "*" if self._plain else "braille"

    def _colour(self, role: Role) -> tuple[int, int, int]:
        return Color.parse(self.app.theme_variables[f"role-{role}"]).rgb
