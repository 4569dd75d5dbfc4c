"""Resolves what is written where a pool or a stage is named (L3.9); knows no clauses of expressions but the index's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from grammar import ir, syntax
from grammar.diagnostics import Note
from grammar.findings import hint
from grammar.scopes import Family, Pool, Stage

if TYPE_CHECKING:
    from grammar.reader import Reader
    from grammar.reads import Clause


def pool_of(reader: Reader, ref: syntax.Ref) -> Pool | None:
    """The pools a reference names, without a word about its index; None after telling there are none (E502)."""
    found = reader.model.pools.get(ref.text)
    if found is None:
        _unknown(reader, ref, "pool", [*reader.model.pools])
    return found


def stage_of(reader: Reader, ref: syntax.Ref) -> Stage | None:
    """The stages a reference names (E502)."""
    found = reader.model.stages.get(ref.text)
    if found is None:
        _unknown(reader, ref, "stage", [*reader.model.stages])
    return found


def _unknown(reader: Reader, ref: syntax.Ref, kind: str, names: list[str]) -> None:
    text = ref.text
    other = "stage" if kind == "pool" else "pool"
    elsewhere = reader.model.stages if kind == "pool" else reader.model.pools
    notes: tuple[Note, ...] = ()
    suggestion = None
    if text in elsewhere:
        message = f"`{text}` is a {other}, and a {kind} is named here"
        notes = (Note(f"the {other} `{text}` is declared here", elsewhere[text].span),)
    else:
        message = f"there is no {kind} `{text}`"
        suggestion = hint(text, names)
        if suggestion is not None:
            near = suggestion.split("`")[1]
            table = reader.model.pools if kind == "pool" else reader.model.stages
            notes = (Note(f"the {kind} `{near}` is declared here", table[near].span),)
    reader.findings.error("E502", ref.span, message, *notes, suggestion=suggestion)


def pool_ref(reader: Reader, ref: syntax.Ref, clause: Clause) -> ir.Ref | None:
    """A pool by its name and index; None after an error."""
    family = pool_of(reader, ref)
    return None if family is None else member(reader, ref, family, clause)


def stage_ref(reader: Reader, ref: syntax.Ref, clause: Clause) -> ir.Ref | None:
    """A stage by its name and index; None after an error."""
    family = stage_of(reader, ref)
    return None if family is None else member(reader, ref, family, clause)


def member(reader: Reader, ref: syntax.Ref, family: Family, clause: Clause) -> ir.Ref | None:
    """The member of a family: a family needs an index, and a constant one names a member (E505, E506)."""
    if ref.index is None:
        if family.indexed:
            reader.findings.error(
                "E505",
                ref.span,
                f"`{family.name}` is a family of {family.count}, and one of its members is named by an index",
                Note("it is declared here", family.span),
                suggestion=f"{_indexed(family.name, 'i')}",
            )
            return None
        return ir.Ref(family.base, family.count)
    constant = reader.constants.maybe(ref.index, reader.indices)
    if constant is not None:
        if not (0 <= constant < family.count and constant == math.floor(constant)):
            reader.findings.error(
                "E506",
                ref.span,
                f"`{_indexed(family.name, f'{constant:g}')}` names no member: "
                + (
                    f"the members of `{family.name}` are 0 to {family.count - 1}"
                    if family.count > 1
                    else f"`{family.name}` has the one member 0"
                ),
                Note("it is declared here", family.span),
            )
            return None
        index: ir.Expr = reader.mark(ir.Num(constant), ref.index)
    else:
        index = reader.value(ref.index, clause)
    return ir.Ref(family.base, family.count, index)


def _indexed(name: str, index: str) -> str:
    """How a member of a family is written: the index follows the first name (L2.11)."""
    first, _, rest = name.partition(".")
    return f"{first}[{index}]" + (f".{rest}" if rest else "")
