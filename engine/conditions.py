"""Expressions of a person's own, read off a state while a run is watched; changes nothing.

They read what a gauge may read (L9.2), and the values of an engine: its running requests as
they stand and the iteration it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine import plan
from engine.constants import NAN
from engine.expressions import Compiler, Function, stands_still
from engine.failure import ProgramFailure
from engine.moment import Moment
from grammar import ir

if TYPE_CHECKING:
    from engine.decisions import Decision
    from engine.stage_state import StageState
    from engine.state import State

COUNTS = frozenset(("Nres", "Ndec"))
"""Context variables that stand still while an engine only decodes."""


@dataclass(frozen=True, slots=True)
class Value:
    """A named expression.

    Attributes:
        text: as the person wrote it.
        expr: what it is in the IR; its context variables are an engine's.
        engine: whose values it reads, None where it reads none.
    """

    text: str
    expr: ir.Expr
    engine: int | None = None
    function: Function = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        compiler = Compiler()
        compiler.function(self.expr, "machine")
        compiler.finish()
        object.__setattr__(self, "function", compiler.function(self.expr, "machine"))

    @property
    def leaps(self) -> bool:
        """Whether its value stands still in a leap."""
        return stands_still(self.expr, COUNTS)

    def read(self, k: State) -> float:
        """The value now, NaN where it cannot be read (an index of no member, say)."""
        m = Moment()
        if self.engine is not None:
            _of_engine(k.stages[self.engine], m)
        m.Arrived = float(k.arrived)
        try:
            return self.function(k, k.nobody, m)
        except ProgramFailure:
            return NAN


def _of_engine(st: StageState, m: Moment) -> None:
    plan.set_totals(st, m, memory=True)
    m.Served = st.served
    it = st.iteration
    if it is not None:
        m.Ntok = it.tokens
        for job in it.batch:
            if not job.decode:
                m.Npre += job.given


@dataclass(frozen=True, slots=True)
class OnCondition:
    """A condition that comes to hold: its value is not 0 and was 0, or could not be read, just before."""

    value: Value

    @property
    def leaps(self) -> bool:
        """Whether it cannot come to hold within a leap."""
        return self.value.leaps

    def trace(self, k: State) -> bool | None:
        """True while it holds, else None."""
        x = self.value.read(k)
        return True if x != 0 and x == x else None

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """No decision: a condition is read off the state."""
        del records
        return None


@dataclass(frozen=True, slots=True)
class OnChange:
    """A value that is another than just before."""

    value: Value

    @property
    def leaps(self) -> bool:
        """Whether it cannot change within a leap."""
        return self.value.leaps

    def trace(self, k: State) -> float | str:
        """The value; NaN, which equals nothing, as text."""
        x = self.value.read(k)
        return x if x == x else "nan"

    def find(self, records: Sequence[Decision]) -> Decision | None:
        """No decision: a value is read off the state."""
        del records
        return None
