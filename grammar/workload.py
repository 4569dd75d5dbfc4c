"""The workload: arrivals, trace, blocks and hidden names (L7.1 to L7.8, L7.33); knows no statements."""

from __future__ import annotations

import math
from dataclasses import field

from grammar import ir, syntax
from grammar.constants import Constants
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.expressions import Reader
from grammar.findings import Findings, hint
from grammar.names import BUILT_IN, SCHEDULER_SET
from grammar.reads import Clause, Column
from grammar.scopes import Model
from grammar.source import Span

MOST_SESSIONS = 1_000_000
"""The largest population or batch (L7.2)."""


@dataclass(slots=True)
class Load:
    """The workload as written, the last of what may be repeated."""

    arrival: syntax.Arrival | None = None
    trace: syntax.TraceClause | None = None
    init: syntax.Block | None = None
    turn: syntax.Block | None = None
    session: syntax.Block | None = None
    hidden: list[syntax.Name] = field(default_factory=list)


def take_in(findings: Findings, decl: syntax.Workload | None) -> Load:
    """Sort the items of the workload; of those written twice the last counts, with a warning (L3.3, L7.1)."""
    load = Load()
    if decl is None:
        return load
    seen: dict[str, Span] = {}
    for item in decl.items:
        if isinstance(item, syntax.Hidden):
            load.hidden.extend(item.names)
            continue
        word, name = _WORDS[item.__class__]
        if word in seen:
            findings.warning(
                "E222", item.span, f"`{word}` is written twice; the last one counts", Note("the first is here", seen[word])
            )
        seen[word] = item.span
        setattr(load, name, item if isinstance(item, syntax.Arrival | syntax.TraceClause) else item.body)
    return load


_WORDS: dict[type, tuple[str, str]] = {
    syntax.Arrival: ("arrive", "arrival"),
    syntax.TraceClause: ("trace", "trace"),
    syntax.InitBlock: ("init", "init"),
    syntax.TurnBlock: ("turn", "turn"),
    syntax.SessionBlock: ("session", "session"),
}


def arrival(findings: Findings, constants: Constants, reader: Reader, written: syntax.Arrival | None) -> ir.Arrival:
    """The law of arrivals (L7.2, L11.10)."""
    if written is None or written.law == "none" or written.value is None:
        return None
    if written.law == "renewal":
        return _renewal(findings, constants, reader, written.value)
    value = constants.number(written.value)
    if value is None:
        return None
    if written.law == "poisson":
        if not (value > 0 and math.isfinite(value)):
            findings.error("E1202", written.value.span, f"a rate is positive and finite, and this is {value:g}")
            return None
        return ir.Poisson(value)
    if not (1 <= value <= MOST_SESSIONS and value == math.floor(value)):
        findings.error(
            "E1201", written.value.span, f"`{written.law}` takes a whole number from 1 to {MOST_SESSIONS:,}, and this is {value:g}"
        )
        return None
    return ir.Closed(int(value)) if written.law == "closed" else ir.Batch(int(value))


def _renewal(findings: Findings, constants: Constants, reader: Reader, gap: syntax.Expr) -> ir.Arrival:
    """A gap before each session: a constant folds, a draw is evaluated anew each time."""
    value = constants.maybe(gap)
    if value is None:
        return ir.Renewal(reader.value(gap, Clause(Column.RENEWAL)))
    if not (value > 0 and math.isfinite(value)):
        findings.error("E1203", gap.span, f"a constant gap is positive and finite, and this is {value:g}")
    return ir.Renewal(ir.Num(value))


def hidden_slots(findings: Findings, model: Model, names: list[syntax.Name]) -> tuple[int, ...]:
    """``hidden NAME, …;``: attributes something sets, each once, none the scheduler sets (L7.33)."""
    slots: list[int] = []
    seen: dict[str, Span] = {}
    for name in names:
        text = name.text
        if text in SCHEDULER_SET:
            findings.error("E1124", name.span, f"`{text}` is set by the scheduler itself and cannot be hidden from it")
        elif text not in model.attributes:
            findings.error(
                "E1124",
                name.span,
                f"nothing sets an attribute `{text}` to hide",
                suggestion=hint(text, set(model.attributes) - BUILT_IN),
            )
        elif text in seen:
            findings.error("E1124", name.span, f"`{text}` is hidden twice", Note("the first is here", seen[text]))
        else:
            slots.append(model.attributes[text])
        seen.setdefault(text, name.span)
    return tuple(slots)
