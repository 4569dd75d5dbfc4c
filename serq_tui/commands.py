"""The palette's commands: every action that works where one is, by its name and its sentence; does nothing itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.dom import DOMNode

from grammar.declaring import dataclass
from serq_tui.keymap import ACTIONS


@dataclass(frozen=True, slots=True)
class _Offer:
    """An action with the place that does it."""

    title: str
    help: str
    node: DOMNode
    method: str


class ActionCommands(Provider):
    """The actions of the screen and of the pane that has the focus, under the keys they have by now."""

    def _offered(self) -> Iterator[_Offer]:
        active = {one.binding.id: one for one in self.screen.active_bindings.values() if one.binding.id and one.enabled}
        for action in ACTIONS:
            one = active.get(action.id)
            if one is not None:
                key = self.app.get_key_display(one.binding)
                yield _Offer(f"{action.label} ({key})", action.help, one.node, one.binding.action)

    async def discover(self) -> Hits:
        """All of them, before anything is typed."""
        for offer in self._offered():
            yield DiscoveryHit(offer.title, partial(self.app.run_action, offer.method, offer.node), help=offer.help)

    async def search(self, query: str) -> Hits:
        """Those whose name or sentence matches."""
        matcher = self.matcher(query)
        for offer in self._offered():
            score = max(matcher.match(offer.title), matcher.match(offer.help))
            if score > 0:
                yield Hit(
                    score, matcher.highlight(offer.title), partial(self.app.run_action, offer.method, offer.node), help=offer.help
                )
