"""What the parameters of a body may be called, and what it assigns and reads (L1.9, L3.22, L3.23); writes out nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grammar import syntax
from grammar.diagnostics import Note
from grammar.expansion import walk
from grammar.findings import Findings
from grammar.names import BUILT_IN, DISTRIBUTIONS, FUNCTIONS, RETIRED, SUPPLIED, WORDS
from grammar.source import Span
from grammar.vocabulary import CONTEXT, POOL_FUNCTIONS, RETIRED_TODAY, STAGE_FUNCTIONS


def kind_of_word(name: str) -> str | None:
    """What makes a word unfit to name a definition or a parameter, in words; None where nothing does."""
    if name in WORDS:
        return "a word of the language"
    if name in FUNCTIONS or name in DISTRIBUTIONS:
        return "a function of the language"
    if name in SUPPLIED:
        return "a name the language supplies"
    if name in BUILT_IN:
        return "a built-in attribute"
    if name in RETIRED:
        return f"a retired word (today `{RETIRED_TODAY[name]}`)"
    return None


def check_parameters(findings: Findings, params: Sequence[syntax.Name], of: str) -> None:
    """The names of the parameters of a definition or a time resource (L1.9, L3.23)."""
    seen: dict[str, Span] = {}
    for param in params:
        kind = None if param.text in BUILT_IN else kind_of_word(param.text)
        if kind is not None:
            findings.error(
                "E408", param.span, f"a parameter of {of} cannot be named `{param.text}`, {kind}", suggestion="rename it"
            )
        elif param.text in seen:
            findings.error(
                "E408", param.span, f"`{param.text}` is a parameter of {of} twice", Note("the first is here", seen[param.text])
            )
        seen.setdefault(param.text, param.span)


def assignments(node: syntax.Node) -> Iterable[syntax.Name]:
    """The names a body sets, chooses or binds, where they are written."""
    for n in walk(node):
        if isinstance(n, syntax.Set | syntax.SizeDecl | syntax.CostDecl | syntax.CostRecord | syntax.Binding):
            yield n.name
        elif isinstance(n, syntax.Choose):
            yield n.var


def assigned_by(body: syntax.Block) -> frozenset[str]:
    """The names a body assigns; one that holds has ``cached`` and ``computed`` set too (L3.22)."""
    names = {target.text for target in assignments(body)}
    if any(isinstance(n, syntax.Hold) for n in walk(body)):
        names |= {"cached", "computed"}
    return frozenset(names)


def names_read(node: syntax.Node) -> Iterable[str]:
    """The first names of everything a piece of text refers to."""
    for n in walk(node):
        if isinstance(n, syntax.Ref):
            yield n.names[0].text


def live_read(arg: syntax.Expr) -> str | None:
    """What an argument reads that moves on while statements run, in its words; None where nothing does (L3.22)."""
    for n in walk(arg):
        if isinstance(n, syntax.CallExpr) and (n.ref.text in STAGE_FUNCTIONS or n.ref.text in POOL_FUNCTIONS):
            return f"{n.ref.text}(…)"
        if isinstance(n, syntax.NameExpr) and n.ref.text in CONTEXT:
            return n.ref.text
    return None
