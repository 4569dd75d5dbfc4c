"""The screen of plots, over the debugger: all of them where there is room, else one at a time."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid
from textual.screen import ModalScreen

from serq_tui.figures import Plots
from serq_tui.panes.keys import KeysBar
from serq_tui.panes.plots import PLOTS, Plot

#: From here on plots stand side by side; less is a smudge.
LEAST_WIDTH, LEAST_HEIGHT = 100, 30
#: From here on three of them do.
WIDE = 150


class PlotsScreen(ModalScreen[None]):
    """Memory, requests and tokens over time; gaps between tokens and times to first tokens as they are spread."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,O,q", "dismiss", "back", key_display="esc"),
        Binding("right,tab,j,down", "turn(1)", "next plot", key_display="→"),
        Binding("left,shift+tab,k,up", "turn(-1)", "plot before", key_display="←"),
        Binding("enter,z", "alone", "alone", key_display="enter"),
    ]

    def __init__(self, plots: Plots, *, plain: bool) -> None:
        super().__init__()
        self._plots = plots
        self._plain = plain
        self._chosen = 0
        self._alone = False

    def compose(self) -> ComposeResult:
        """The plots and the keys."""
        with Grid(id="plots"):
            for which in PLOTS:
                yield Plot(which, self._plots, plain=self._plain)
        yield KeysBar(id="keys")

    @property
    def chosen(self) -> str:
        """The plot chosen."""
        return PLOTS[self._chosen]

    def on_resize(self) -> None:
        """Place them for the size."""
        self.place()

    def place(self) -> None:
        """Put the plots side by side, or show the chosen one."""
        width, height = self.size
        alone = self._alone or width < LEAST_WIDTH or height < LEAST_HEIGHT
        grid = self.query_one(Grid)
        across = 1 if alone else 3 if width >= WIDE else 2
        grid.styles.grid_size_columns = across
        grid.styles.grid_size_rows = 1 if alone else -(-len(PLOTS) // across)
        for index, plot in enumerate(self.query(Plot)):
            plot.display = not alone or index == self._chosen
            plot.set_class(index == self._chosen and not alone, "-chosen")

    def action_turn(self, onward: int) -> None:
        """Choose the next plot, or the one before."""
        self._chosen = (self._chosen + onward) % len(PLOTS)
        self.place()

    def action_alone(self) -> None:
        """Give the chosen plot the screen, or show all again."""
        self._alone = not self._alone
        self.place()
