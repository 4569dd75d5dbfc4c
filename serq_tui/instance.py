"""An instance file beneath what the command line says: the options of both together; runs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grammar.source import Written
from serq_tui.options import RunOptions

if TYPE_CHECKING:
    from grammar.instances import Instance

_WHOLE = frozenset({"seed", "arrivals"})
"""The settings that are whole numbers, which the instance has been checked for."""


def with_instance(options: RunOptions, instance: Instance) -> tuple[RunOptions, Mapping[str, Written]]:
    """The options with what an instance says where they say nothing, and where in the file that stands (L3.18)."""
    chosen = {name for name, _ in options.sets}
    lets = {name: let for name, let in instance.lets.items() if name not in chosen}
    run = {name: setting for name, setting in instance.run.items() if getattr(options, name) is None}
    settings: dict[str, Any] = {name: int(s.value) if name in _WHOLE else float(s.value) for name, s in run.items()}
    # `repr` writes the shortest numeral of the same double, which the language reads as well.
    sets = (*options.sets, *((name, repr(let.value)) for name, let in lets.items()))
    places = {**{name: setting.span for name, setting in run.items()}, **{f"let {name}": let.span for name, let in lets.items()}}
    return replace(options, sets=sets, **settings), {name: Written(instance.source, span) for name, span in places.items()}
