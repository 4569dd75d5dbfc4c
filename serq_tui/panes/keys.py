"""The footer: the keys that work now, in the order of the table of actions; it knows no action."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.binding import ActiveBinding
from textual.screen import Screen
from textual.strip import Strip

from serq_tui.keymap import ACTIONS
from serq_tui.panes.styled import Styled

_ORDER = {action.id: place for place, action in enumerate(ACTIONS)}


class KeysBar(Styled):
    """One line of keys with what they do; a key that leads nowhere now is dimmed, and each can be clicked.

    Not Textual's footer: that one is composed anew whenever a key comes or goes, and puts the
    focused pane's keys first, so that the others would move with the focus.
    """

    def on_mount(self) -> None:
        """Draw anew when other keys work."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, screen: Screen[object]) -> None:
        self.refresh()

    def keys(self) -> tuple[ActiveBinding, ...]:
        """The bindings shown, each action once."""
        shown: dict[str, ActiveBinding] = {}
        for active in self.screen.active_bindings.values():
            if active.binding.show and active.binding.description:
                shown.setdefault(active.binding.action, active)
        return tuple(sorted(shown.values(), key=lambda active: _ORDER.get(active.binding.id or "", len(_ORDER))))

    def render_line(self, y: int) -> Strip:
        """The keys, as many as there is room for; the last two, help and the way out, always."""
        ground, width = self.rich_style, self.size.width
        items = [self._item(active) for active in self.keys()]
        while len(items) > 2 and sum(segment.cell_length for item in items for segment in item) > width:
            del items[-3]
        return Strip([segment for item in items for segment in item]).adjust_cell_length(width, ground)

    def _item(self, active: ActiveBinding) -> list[Segment]:
        binding = active.binding
        namespace = "screen" if active.node is self.screen else "app" if active.node is self.app else "focused"
        action = binding.action if "." in binding.action.partition("(")[0] else f"{namespace}.{binding.action}"
        click = Style(meta={"@click": action}) if active.enabled else Style()
        key = self.style_of("", "keyword" if active.enabled else "free")
        label = self.style_of("", "plain" if active.enabled else "free")
        return [
            Segment(f" {self.app.get_key_display(binding)}", key + Style(bold=active.enabled) + click),
            Segment(f" {binding.description} ", label + click),
        ]
