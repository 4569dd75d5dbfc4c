"""Warns of constants, inputs and parameters that nothing reads; knows what hides a name and nothing of values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field

from grammar import syntax
from grammar.declaring import dataclass
from grammar.expansion import children
from grammar.findings import Findings
from grammar.settings import Settings
from grammar.source import Span

MEANT_UNREAD = "_"
"""A name that begins with this is meant to be unread: the one way to keep a parameter that a replaced body reads."""

_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class _Scope:
    """Names of one construct, with where each is declared, and those of them that have been read."""

    declared: dict[str, Span]
    read: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, names: Iterable[syntax.Name]) -> _Scope:
        return cls({name.text: name.span for name in names})

    def unread(self) -> Iterable[tuple[str, Span]]:
        return ((name, span) for name, span in self.declared.items() if name not in self.read)


Scopes = Mapping[str, _Scope]
"""Of each name that does not stand for itself, the innermost construct that declares it."""


def warn_of_unread(findings: Findings, text: syntax.Text, settings: Settings) -> None:
    """Warn of what is declared and never read (E1506, E1507).

    Args:
        findings: takes the warnings.
        text: the program as written, before its definitions are put in place: a constant that only an unused
            definition reads is read.
        settings: what the host gives; its expressions may read constants too.
    """
    _Reading(findings, settings).text(text)


class _Reading:
    """One walk over a text. Every reference is a reading, of the innermost declaration of its name (L3.8)."""

    def __init__(self, findings: Findings, settings: Settings) -> None:
        self.findings = findings
        given = (*settings.sets.values(), *settings.defs.values())
        self.names = {word for value in given if isinstance(value, str) for word in _WORD.findall(value)}
        self.lets: dict[str, syntax.Let] = {}

    def text(self, text: syntax.Text) -> None:
        self._inside(text, {})
        for name, let in self.lets.items():
            if name not in self.names:
                self._constant(let)

    def _constant(self, let: syntax.Let) -> None:
        name = let.name.text
        if isinstance(let.value, syntax.CallExpr) and let.value.ref.names[0].text == "args":
            self._warn(
                "E1506",
                let.name.span,
                name,
                f"nothing reads the input `{name}`: whatever it is set to, the run is the same",
                "drop it",
            )
        else:
            self._warn("E1506", let.name.span, name, f"nothing reads the constant `{name}`", "drop it")

    def _warn(self, code: str, span: Span, name: str, message: str, suggestion: str) -> None:
        if not name.startswith(MEANT_UNREAD):
            self.findings.warning(code, span, message, suggestion=suggestion)

    # ------------------------------------------------------------------ the walk

    def _inside(self, node: syntax.Node, scopes: Scopes) -> None:
        for child in children(node):
            self._node(child, scopes)

    def _node(self, node: syntax.Node, scopes: Scopes) -> None:
        if isinstance(node, syntax.Ref):
            scope = scopes.get(node.names[0].text)
            (self.names if scope is None else scope.read).add(node.names[0].text)
            self._inside(node, scopes)
        elif isinstance(node, syntax.Let):
            self.lets[node.name.text] = node
            self._inside(node, scopes)
        elif isinstance(node, syntax.Def):
            params = _Scope.of(node.params)
            self._node(node.body, _within(scopes, params))
            self._parameters(f"`{node.name.text}`", params)
        elif isinstance(node, syntax.TimeResource):
            # What it does not read of its parameters is E805.
            self._node(node.value, _within(scopes, _Scope.of(node.params)))
        elif isinstance(node, syntax.Entry):
            # How many parameters an entry has is its role's to say (L8.3), so one it does not need stays.
            self._node(node.body, _within(scopes, _Scope.of(node.params or ())))
        elif isinstance(node, syntax.Engine):
            self._engine(node, scopes)
        elif isinstance(node, syntax.Over):
            self._node(node.count, scopes)
            self._node(node.body, _within(scopes, _Scope.of((node.var,))))
        else:
            self._inside(node, scopes)

    def _engine(self, engine: syntax.Engine, scopes: Scopes) -> None:
        """A request's parameters are read in it and in the ``taking`` of the schedule (L6.4)."""
        request = next((item for item in engine.items if isinstance(item, syntax.RequestDecl)), None)
        params = _Scope.of(() if request is None else request.params)
        for item in engine.items:
            if item is request:
                self._inside(item, _within(scopes, params))
            elif isinstance(item, syntax.Schedule):
                self._schedule(item, _within(scopes, params))
            else:
                self._node(item, scopes)
        self._parameters(f"the request of `{engine.name.text if engine.name is not None else engine.device.text}`", params)

    def _schedule(self, schedule: syntax.Schedule, scopes: Scopes) -> None:
        lets = _Scope.of(item.name for item in schedule.block.items if isinstance(item, syntax.SLet))
        self._inside(schedule.block, _within(scopes, lets))
        for name, span in lets.unread():
            self._warn("E1506", span, name, f"nothing reads `{name}` of this schedule", "drop it, or read it in `each at most`")

    def _parameters(self, of: str, params: _Scope) -> None:
        for name, span in params.unread():
            self._warn(
                "E1507",
                span,
                name,
                f"{of} never reads its parameter `{name}`",
                f"drop it with its arguments, or call it `{MEANT_UNREAD}{name}` where it is meant to be unread",
            )


def _within(scopes: Scopes, scope: _Scope) -> Scopes:
    return {**scopes, **dict.fromkeys(scope.declared, scope)} if scope.declared else scopes
