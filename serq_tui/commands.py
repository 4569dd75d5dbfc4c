"""The palette's commands, from the table of actions; does nothing itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from serq_tui.keymap import Action, actions


class ActionCommands(Provider):
    """Every action of the debugger by its name and its sentence."""

    def _offered(self) -> Iterator[tuple[Action, str]]:
        for action in actions("debugger"):
            if action.method in self._known():
                yield action, f"{action.label} ({action.shown})"

    def _known(self) -> set[str]:
        return {binding.binding.action for binding in self.screen.active_bindings.values()}

    async def discover(self) -> Hits:
        """All of them, before anything is typed."""
        for action, title in self._offered():
            yield DiscoveryHit(title, partial(self.screen.run_action, action.method), help=action.help)

    async def search(self, query: str) -> Hits:
        """Those whose name or sentence matches."""
        matcher = self.matcher(query)
        for action, title in self._offered():
            score = max(matcher.match(title), matcher.match(action.help))
            if score > 0:
                yield Hit(score, matcher.highlight(title), partial(self.screen.run_action, action.method), help=action.help)
