"""What of a program's figures anybody may ever read again, so that two states can be told to go on alike; runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from grammar import ir
from grammar.declaring import dataclass

_ABSOLUTE = {"Now": "the clock", "Last": "when a prefix was released"}
"""Context variables that are a time, not a distance in time."""

_HISTORY = frozenset({"EstLambda", "EstRho", "EstWait", "Price"})
"""Functions that read a stage's whole past."""

_NUMBER = "Admission"
"""The context variable that numbers admissions as they were made, in what an engine serves by; where victims are ranked
it is a place among the candidates (R4.17)."""


@dataclass(frozen=True, slots=True)
class Readable:
    """What a program reads in deciding anything; what it only measures does not count.

    Attributes:
        never: why two of its states can never be told to go on alike, None where they can.
        attributes: the attributes that are read, ascending.
        serials: whether it matters how a session is numbered: it is read, or draws follow from it.
        numbers: whether it matters how an admission is numbered, beyond the order.
    """

    never: str | None
    attributes: tuple[int, ...]
    serials: bool
    numbers: bool


def readable(program: ir.Program) -> Readable:
    """Reads it off the program's text.

    An attribute counts once it is read anywhere but in an observation, a gauge, a claim, or
    the value of an attribute that itself does not count.
    """
    sets = [statement for block in program.blocks for statement in block if isinstance(statement, ir.Set)]
    deciding: list[Any] = [program.pools, program.stages, program.arrival, *_acting(program)]
    attributes = {slot for node in nodes(deciding) for slot in _slots(node)}
    counting = [s for s in sets if s.slot in attributes]
    while True:
        more = {slot for s in counting for node in nodes(s.expr) for slot in _slots(node)}
        attributes |= more
        grown = [s for s in sets if s.slot in attributes]
        if len(grown) == len(counting):
            break
        counting = grown
    read = [*nodes(deciding), *(node for s in counting for node in nodes(s.expr))]
    never = next((reason for node in read if (reason := _never(node)) is not None), None)
    draws = any(isinstance(node, ir.Sample) for node in nodes((program.blocks, program.pools, program.stages)))
    serials = draws or program.slots.serial in attributes
    numbers = any(isinstance(node, ir.Ctx) and node.name == _NUMBER for node in nodes(program.stages))
    return Readable(never, tuple(sorted(attributes)), serials, numbers)


def nodes(thing: Any) -> Iterator[Any]:
    """Everything in a piece of a program, but for the keys of an order that are a bare variable or its negative.

    Such a key only orders, and orders alike whatever its variable counts from.
    """
    yield thing
    match thing:
        case tuple() | list():
            for item in thing:
                yield from nodes(item)
        case ir.By(keys):
            yield from nodes([key for key in keys if not _bare(key)])
        case ir.Serve(only, by):
            yield from nodes([only, *(key for key in by or () if not _bare(key))])
        case _ if is_dataclass(thing):
            for field in fields(thing):
                yield from nodes(getattr(thing, field.name))


def _acting(program: ir.Program) -> Iterator[Any]:
    """The statements that do more than assign and measure."""
    for block in program.blocks:
        for statement in block:
            if not isinstance(statement, ir.Set | ir.Observe):
                yield statement


def _slots(node: Any) -> tuple[int, ...]:
    return (node.slot,) if isinstance(node, ir.Attr) else ()


def _never(node: Any) -> str | None:
    match node:
        case ir.Ctx(name) if name in _ABSOLUTE:
            return f"it reads {_ABSOLUTE[name]}"
        case ir.Agg():
            return "it reads what it has observed so far"
        case ir.Call(fun) if fun in _HISTORY:
            return "it reads an estimate of a stage's past"
    return None


def _bare(key: Any) -> bool:
    inner = key.operand if isinstance(key, ir.Unary) and key.op == "Neg" else key
    return isinstance(inner, ir.Ctx)
