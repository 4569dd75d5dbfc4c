"""The type of an expression: a plain number or a cost of some resources (L7.10, L7.12); knows no statements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Literal

from grammar import ir
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.expressions import POISON, Reader
from grammar.findings import Findings
from grammar.scopes import Model
from grammar.source import Span

Type = ir.Target | Literal["Plain", "Wrong"]
"""A cost of a target, a plain number, or what is wrong already and told."""

KEEPS = frozenset({"Abs", "Floor", "Ceil"})
"""Functions that give a cost for a cost."""


@dataclass(slots=True)
class Known:
    """What has been found out about attributes: their types, and where those were given."""

    types: dict[int, ir.Target] = field(default_factory=dict)
    given: dict[int, Span] = field(default_factory=dict)
    wrong: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Typing:
    """Types expressions, telling of what does not fit together.

    ``sizes`` are the attributes the workload assigns, which are plain whatever else is said of them.
    """

    model: Model
    findings: Findings
    reader: Reader
    sizes: set[int]
    known: Known = field(default_factory=Known)

    def typed(self, e: ir.Expr, at: Span) -> Type:
        """The type of an expression, telling of what does not fit (L7.12)."""
        if isinstance(e, ir.Cost):
            inner = self.typed(e.expr, at)
            if not isinstance(inner, str):
                return self._mixed(
                    e, at, "E1106", f"a cost is made of a plain number, and this one is of {self.say(inner)} already"
                )
            return e.target if inner == "Plain" else "Wrong"
        if isinstance(e, ir.Attr):
            if e.slot in self.known.wrong:
                return "Wrong"
            return self.known.types.get(e.slot, "Plain") if e.slot not in self.sizes else "Plain"
        if isinstance(e, ir.Unary):
            inner = self.typed(e.operand, at)
            return inner if e.op == "Neg" else self._truth(e, (inner,), at)
        if isinstance(e, ir.Binary):
            return self._binary(e, at)
        if isinstance(e, ir.Cond):
            test = self._truth(e, (self.typed(e.test, at),), at)
            arms = self._alike(e, self.typed(e.then, at), self.typed(e.orelse, at), at)
            return "Wrong" if test == "Wrong" else arms
        if isinstance(e, ir.Call):
            return self._call(e, at)
        if isinstance(e, ir.Sample):
            return self._all_plain(e, e.args, at)
        return "Wrong" if e is POISON else "Plain"

    def _call(self, e: ir.Call, at: Span) -> Type:
        values = [a for a in e.args if not isinstance(a, ir.PoolArg | ir.StageArg)]
        for arg in e.args:
            if isinstance(arg, ir.PoolArg | ir.StageArg) and arg.ref.index is not None:
                values.append(arg.ref.index)
        if e.fun in ("Min", "Max"):
            return self._alike(e, self.typed(values[0], at), self.typed(values[1], at), at)
        if e.fun in KEEPS:
            return self.typed(values[0], at)
        return self._all_plain(e, values, at)

    def _all_plain(self, e: ir.Expr, values: Iterable[ir.Expr], at: Span) -> Type:
        types = [self.typed(v, at) for v in values]
        if any(not isinstance(t, str) for t in types):
            return self._mixed(e, at, "E1132", "this takes plain numbers, and a cost is given")
        return "Wrong" if "Wrong" in types else "Plain"

    def _binary(self, e: ir.Binary, at: Span) -> Type:
        left, right = self.typed(e.left, at), self.typed(e.right, at)
        if "Wrong" in (left, right):
            return "Wrong"
        if e.op in ("Add", "Sub"):
            return self._alike(e, left, right, at)
        if e.op == "Mul":
            if not isinstance(left, str) and not isinstance(right, str):
                return self._mixed(e, at, "E1132", "two costs cannot be multiplied")
            return right if isinstance(left, str) else left
        if e.op == "Div":
            if not isinstance(right, str):
                return self._mixed(e, at, "E1132", "a cost cannot divide")
            return left
        if e.op in ("And", "Or"):
            return self._truth(e, (left, right), at)
        if e.op == "Pow":
            if not isinstance(left, str) or not isinstance(right, str):
                return self._mixed(e, at, "E1132", "a cost has no powers")
            return "Plain"
        alike = self._alike(e, left, right, at)
        return "Wrong" if alike == "Wrong" else "Plain"

    def _truth(self, e: ir.Expr, types: tuple[Type, ...], at: Span) -> Type:
        if any(not isinstance(t, str) for t in types):
            return self._mixed(e, at, "E1132", "a cost is no condition")
        return "Wrong" if "Wrong" in types else "Plain"

    def _alike(self, e: ir.Expr, left: Type, right: Type, at: Span) -> Type:
        if "Wrong" in (left, right):
            return "Wrong"
        if left == right:
            return left
        return self._mixed(e, at, "E1132", f"{self.say(left)} and {self.say(right)} do not go together")

    def _mixed(self, e: ir.Expr, at: Span, code: str, message: str) -> Type:
        place = self.reader.place(e, at)
        notes = () if place == at else (Note("it is here", place),)
        self.findings.error(code, at, message, *notes, suggestion="convert the quantity once, with `cost(R, e)`")
        return "Wrong"

    # ------------------------------------------------------------------ words

    def say(self, made: Type) -> str:
        """A type in words."""
        return "a plain number" if isinstance(made, str) else f"a cost of {self.resources(made, ' and ')}"

    def resources(self, target: ir.Target, between: str = ", ") -> str:
        """The resources of a cost by their names."""
        return between.join(
            f"`{self.pool_name(p.base)}`" if isinstance(p, ir.PoolTarget) else f"`{self.stage_name(p.base)}`" for p in parts(target)
        ).replace("`" if between == ", " else "\0", "")

    def pool_name(self, base: int) -> str:
        """The pools that start at a number, by name."""
        return next((p.name for p in self.model.pools.values() if p.base == base), "a pool")

    def stage_name(self, base: int) -> str:
        """The stages that start at a number, by name."""
        return next((s.name for s in self.model.stages.values() if s.base == base), "a stage")


def parts(target: ir.Target) -> tuple[ir.PoolTarget | ir.StageTarget, ...]:
    """The single resources of a cost."""
    return target.parts if isinstance(target, ir.Joint) else (target,)
