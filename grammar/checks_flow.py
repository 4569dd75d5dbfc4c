"""Loops, tests, legs and runs over several stages (L7.15, L7.31, E1115 to E1121); knows no types."""

from __future__ import annotations

from grammar import ir, syntax
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.findings import Findings
from grammar.folding import constant
from grammar.scopes import Model
from grammar.source import Span
from grammar.statements import Lowered
from grammar.walks import blocks_of


@dataclass(slots=True)
class FlowRules:
    """Checks how the statements of a program go on."""

    findings: Findings
    model: Model
    lowered: Lowered
    program: ir.Program
    share: syntax.ShareDecl | None

    def check(self) -> None:
        """Every rule, over all blocks."""
        forks: list[Span] = []
        joins: list[Span] = []
        flows = False
        for number, block in enumerate(self.lowered.blocks):
            for index, statement in enumerate(block):
                origin = self.lowered.origins[number, index]
                if isinstance(statement, ir.Fork):
                    forks.append(origin.span)
                elif isinstance(statement, ir.Join):
                    joins.append(origin.span)
                elif isinstance(statement, ir.Run) and statement.also and isinstance(origin, syntax.Run):
                    flows = True
                    self._flow(statement, origin)
                elif isinstance(statement, ir.Branch | ir.While) and isinstance(origin, syntax.Branch | syntax.While):
                    self._guard(statement, origin)
                if isinstance(statement, ir.While | ir.Loop):
                    self._takes_time(statement, origin)
        self._legs(forks, joins)
        if self.share is not None and not flows:
            self.findings.error(
                "E1120",
                self.share.span,
                "`share` says how runs over several stages divide them, and this program has no such run",
                suggestion="drop it",
            )

    def _legs(self, forks: list[Span], joins: list[Span]) -> None:
        """A program with one of ``fork`` and ``join`` has the other (L7.31)."""
        if forks and not joins:
            self.findings.error(
                "E1118",
                forks[0],
                "this program forks a leg and never joins: nobody waits for it",
                suggestion="join;  where it is needed",
            )
        elif joins and not forks:
            self.findings.error(
                "E1118", joins[0], "this program joins and forks no leg to wait for", suggestion="fork { … }  above"
            )

    def _guard(self, s: ir.Branch | ir.While, origin: syntax.Branch | syntax.While) -> None:
        """A constant test is 0 or 1 (E1115)."""
        if isinstance(s.guard, ir.Num) and s.guard.value not in (0.0, 1.0):
            value = s.guard.value
            between = 0 < value < 1
            self.findings.error(
                "E1115",
                origin.guard.span,
                f"a test is 0 or 1, and this one is always {value:g}",
                suggestion=f"branch with ({value:g})  for a chance of {value:g}" if between else None,
            )

    # ------------------------------------------------------------------ time

    def _takes_time(self, s: ir.While | ir.Loop, origin: syntax.Statement) -> None:
        """Every path through a loop's body lets time pass (E1116)."""
        if not self._passes(s.body):
            word = "while" if isinstance(s, ir.While) else "loop"
            span = Span(origin.span.line, origin.span.column, origin.span.line, origin.span.column + len(word))
            self.findings.error(
                "E1116",
                origin.span if origin.span.__class__ is not Span else span,
                f"a path through this `{word}` takes no time, so it would go round for ever in one instant",
                suggestion="a `run` of some work on every path, or `end;`",
            )

    def _passes(self, number: int) -> bool:
        """Whether every path through a block takes time or ends the session."""
        for s in self.lowered.blocks[number]:
            if isinstance(s, ir.End):
                return True
            if isinstance(s, ir.Run) and constant(s.work) != 0:
                return True
            if isinstance(s, ir.Hold | ir.Loop) and self._passes(s.body):
                return True
            if isinstance(s, ir.Branch) and all(self._passes(inner) for inner in blocks_of(s)):
                return True
        return False

    # ------------------------------------------------------------------ runs over several stages

    def _flow(self, s: ir.Run, origin: syntax.Run) -> None:
        if self.share is None:
            self.findings.error(
                "E1120",
                origin.span,
                "a run over several stages needs the program's `share`, which says how such runs divide them",
                suggestion="share maxmin;  or `share bottleneck;` among the items",
            )
        seen: dict[int, Span] = {}
        for ref, written in zip((s.stage, *s.also), origin.stages, strict=True):
            stage = self.model.stages[written.text]
            kind = self.program.stages[ref.base].kind
            why = None
            if ref.base in seen:
                why = "names a stage or a family of stages twice"
            elif isinstance(kind, ir.Step):
                why = f"runs over `{stage.name}`, an engine"
            elif not isinstance(kind, ir.Ps):
                why = f"runs over `{stage.name}`, which serves jobs in order"
            else:
                capacity = kind.capacity
                if not (isinstance(capacity, ir.Num) and capacity.value > 0):
                    why = f"runs over `{stage.name}`, whose capacity is not written as a constant above 0"
            if why is not None:
                self.findings.error(
                    "E1121",
                    written.span,
                    f"a run over several stages divides constant capacities, and this one {why}",
                    Note(f"`{stage.name}` is declared here", stage.span),
                    suggestion="let RATE = …; stage NAME : ps(RATE);",
                )
            seen.setdefault(ref.base, written.span)
