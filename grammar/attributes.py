"""Numbers the session attributes and the observations in the order of their first assignment (L11.2); knows no types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from grammar import syntax
from grammar.declaring import dataclass
from grammar.scopes import Model
from grammar.source import Span
from grammar.vocabulary import BUILT_IN_SLOTS


@dataclass(slots=True)
class Assigned:
    """Where attributes and observations are assigned, by whom, in the order of the walk."""

    workload: dict[str, Span] = field(default_factory=dict)
    server: dict[str, Span] = field(default_factory=dict)
    observes: dict[str, Span] = field(default_factory=dict)


def number(
    model: Model,
    init: Iterable[syntax.Statement],
    turn: Iterable[syntax.Statement],
    session: Iterable[syntax.Statement],
    server: Iterable[syntax.Statement],
) -> Assigned:
    """Give every attribute its slot and every observation its number.

    The walk goes through ``init``, ``turn``, then the session with the server's statements in
    place of its first ``turn;``, outer before inner, the first block of a ``branch`` first.
    """
    model.attributes.update({name: slot for slot, name in enumerate(BUILT_IN_SLOTS)})
    found = Assigned()
    _Walk(model, found, found.workload, ()).statements(init)
    _Walk(model, found, found.workload, ()).statements(turn)
    _Walk(model, found, found.workload, tuple(server)).statements(session)
    return found


@dataclass(slots=True)
class _Walk:
    model: Model
    found: Assigned
    side: dict[str, Span]
    server: tuple[syntax.Statement, ...]

    def statements(self, statements: Iterable[syntax.Statement]) -> None:
        for node in statements:
            self._statement(node)

    def _statement(self, node: syntax.Statement) -> None:
        if isinstance(node, syntax.Observe):
            self.found.observes.setdefault(node.name.text, node.name.span)
            self.model.observes.setdefault(node.name.text, len(self.model.observes))
        elif isinstance(node, syntax.Turn):
            server, self.server = self.server, ()
            _Walk(self.model, self.found, self.found.server, ()).statements(server)
        else:
            for name in assigned(node):
                self.side.setdefault(name.text, name.span)
                self.model.attributes.setdefault(name.text, len(self.model.attributes))
            for block in blocks(node):
                self.statements(block.statements)


def assigned(node: syntax.Statement) -> Iterator[syntax.Name]:
    """The attributes a statement itself assigns; a composite cost has one for each field (L7.15)."""
    if isinstance(node, syntax.Set | syntax.SizeDecl | syntax.CostDecl):
        yield node.name
    elif isinstance(node, syntax.Choose):
        yield node.var
    elif isinstance(node, syntax.CostRecord):
        for ref, _ in node.fields:
            yield syntax.Name(node.name.span, field_of(node.name.text, ref))


def field_of(record: str, ref: syntax.Ref) -> str:
    """The attribute of a composite cost's field: a queue's own pool is bare in the queue's own record."""
    owner, _, own = record.partition(".")
    names = [name.text for name in ref.names]
    if own and len(names) > 1 and names[0] == owner:
        names = names[1:]
    return ".".join((record, *names))


def blocks(node: syntax.Statement) -> Iterator[syntax.Block]:
    """The blocks of a statement, in the order of their numbers (L11.3)."""
    if isinstance(node, syntax.Branch):
        yield node.then
        if node.orelse is not None:
            yield node.orelse
    elif isinstance(node, syntax.Hold | syntax.While | syntax.Loop | syntax.Fork):
        yield node.body
