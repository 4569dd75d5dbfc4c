"""Checks a program's frame: settings, names, slots, arrivals, the tree of blocks, and every index outside expressions."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import astuple, fields

from grammar import ir
from grammar.ir_node import InvalidIR
from grammar.ir_walk import inner_blocks, nodes, statement_path
from grammar.validate_costs import check_target
from grammar.validate_moments import check_index, check_ref
from grammar.validate_positions import names_stage, statement_refs

FRAME = "the frame of a program"
NAMES = "one name, one thing"
SIDES = "the workload and the server"
ARRIVALS = "arrivals, R2.2"
LARGEST_POPULATION = 1_000_000  # what the reference takes for sessions that start at once

VALUES = ("cached", "computed")  # the built-in attributes the server owns; the others are sizes


def check_structure(program: ir.Program) -> None:
    """Whether the parts of a program fit together, before any expression is looked at.

    Raises:
        InvalidIR: at the first node that breaks a rule.
    """
    _settings(program)
    _attributes(program)
    _sides(program)
    _tree(program)
    for b, block in enumerate(program.blocks):
        for i, statement in enumerate(block):
            _statement(program, statement, statement_path(b, i, statement))
    _workload_blocks(program)
    _names(program)
    _arrival(program)


# -------------------------------------------------------------------------------- settings


def _settings(program: ir.Program) -> None:
    if not 0 <= program.warmup < program.horizon:
        raise InvalidIR("warmup", FRAME, f"the warm-up {program.warmup:g} is not from 0 to below the horizon {program.horizon:g}")
    if program.arrivals is not None:
        if program.arrivals < 1:
            raise InvalidIR("arrivals", FRAME, "a finite run has at least one arrival")
        if not isinstance(program.arrival, ir.Poisson | ir.Renewal):
            raise InvalidIR("arrivals", FRAME, "only Poisson and renewal arrivals can be counted off")


def _attributes(program: ir.Program) -> None:
    if len(program.attr_types) != len(program.attrs):
        raise InvalidIR("attr_types", FRAME, f"there are {len(program.attrs)} attributes and {len(program.attr_types)} types")
    for k, kind in enumerate(program.attr_types):
        if not isinstance(kind, str):
            check_target(program, kind, f"attr_types[{k}]")
    for field, slot in zip(fields(program.slots), astuple(program.slots), strict=True):
        path = f"slot_{field.name}"
        check_index(slot, len(program.attrs), "attribute", path)
        wanted = "Value" if field.name in VALUES else "Size"
        if program.attr_types[slot] != wanted:
            raise InvalidIR(path, SIDES, f"the built-in attribute {program.attrs[slot]!r} has to be a {wanted}")
    for k, slot in enumerate(program.hidden):
        path = f"hidden[{k}]"
        check_index(slot, len(program.attrs), "attribute", path)
        if slot in program.hidden[:k]:
            raise InvalidIR(path, NAMES, f"the attribute {program.attrs[slot]!r} is hidden twice")
        if slot in (program.slots.cached, program.slots.computed):
            raise InvalidIR(path, SIDES, f"{program.attrs[slot]!r} is set by the scheduler and cannot be hidden from it")


def _names(program: ir.Program) -> None:
    for what, names in (
        ("gauges", [gauge.name for gauge in program.gauges]),
        ("claims", [claim.name for claim in program.claims]),
        ("registers", [register.name for register in program.registers]),
    ):
        for k, name in enumerate(names):
            if name in names[:k]:
                raise InvalidIR(f"{what}[{k}].name", NAMES, f"there are two {what} called {name!r}")
    for k, gauge in enumerate(program.gauges):
        if gauge.name in program.observes:
            raise InvalidIR(f"gauges[{k}].name", NAMES, f"{gauge.name!r} is also an observation")


# -------------------------------------------------------------------------------- arrivals


def _arrival(program: ir.Program) -> None:
    match program.arrival:
        case ir.Poisson(rate):
            if not 0 < rate < math.inf:
                raise InvalidIR("arrival.Poisson", ARRIVALS, f"a rate is positive and finite, not {rate:g}")
        case ir.Closed(count) | ir.Batch(count):
            if not 1 <= count <= LARGEST_POPULATION:
                name = type(program.arrival).__name__
                raise InvalidIR(f"arrival.{name}", ARRIVALS, f"{count} sessions are not from 1 to {LARGEST_POPULATION}")
        case ir.Renewal(gap):
            _gap(gap)
        case ir.Sessions(sessions):
            for k, preset in enumerate(sessions):
                path = f"arrival.Sessions[{k}]"
                _preset(program, preset.attrs, f"{path}.attrs")
                for t, turn in enumerate(preset.turns):
                    _preset(program, turn, f"{path}.turns[{t}]")


def _gap(gap: ir.Expr) -> None:
    if isinstance(gap, ir.Num) and not 0 < gap.value < math.inf:
        raise InvalidIR("arrival.Renewal", ARRIVALS, f"a gap between arrivals is positive and finite, not {gap.value:g}")
    for node, path in nodes(gap, "arrival.Renewal"):
        if isinstance(node, ir.Attr | ir.Ctx | ir.Reg | ir.Agg | ir.Cost):
            raise InvalidIR(path, ARRIVALS, "a gap between arrivals is made of numbers and draws alone")


def _preset(program: ir.Program, values: tuple[tuple[int, float], ...], path: str) -> None:
    for k, (slot, _) in enumerate(values):
        check_index(slot, len(program.attrs), "attribute", f"{path}[{k}][0]")
        if program.attr_types[slot] != "Size":
            raise InvalidIR(f"{path}[{k}][0]", ARRIVALS, f"an explicit session gives sizes, and {program.attrs[slot]!r} is none")


# ------------------------------------------------------------------------- blocks and sides


def _sides(program: ir.Program) -> None:
    if [len(sides) for sides in program.sides] != [len(block) for block in program.blocks]:
        raise InvalidIR("sides", FRAME, "every statement has a side, and there are as many of one as of the other")


def _roots(program: ir.Program) -> list[tuple[str, int]]:
    roots = [("init", program.init), ("turn", program.turn), ("session", program.session)]
    for s, stage in enumerate(program.stages):
        if isinstance(stage.kind, ir.Step) and stage.kind.connector is not None:
            path = f"stages[{s}].kind.Step.connector"
            if stage.kind.connector.load is not None:
                roots.append((f"{path}.load[1]", stage.kind.connector.load[1]))
            if stage.kind.connector.save is not None:
                roots.append((f"{path}.save[1]", stage.kind.connector.save[1]))
    return roots


def _tree(program: ir.Program) -> None:
    """The blocks form a tree: each is the body of one statement, or one of the roots."""
    reached: set[int] = set()
    pending = deque(_roots(program))
    while pending:
        path, block = pending.popleft()
        check_index(block, len(program.blocks), "block", path)
        if block in reached:
            raise InvalidIR(path, FRAME, f"block {block} is the body of two statements")
        reached.add(block)
        for i, statement in enumerate(program.blocks[block]):
            here = statement_path(block, i, statement)
            pending.extend((here, inner) for inner in inner_blocks(statement))
    for b in set(range(len(program.blocks))) - reached:
        _no_cycle(program, b, ())


def _no_cycle(program: ir.Program, block: int, around: tuple[int, ...]) -> None:
    """A block nothing reaches may stand there, but not inside itself, where no check would come to an end."""
    for i, statement in enumerate(program.blocks[block]):
        path = statement_path(block, i, statement)
        for inner in inner_blocks(statement):
            check_index(inner, len(program.blocks), "block", path)
            if inner in (*around, block):
                raise InvalidIR(path, FRAME, f"block {inner} is inside itself")
            _no_cycle(program, inner, (*around, block))


def _workload_blocks(program: ir.Program) -> None:
    """The init and the turn block are the workload's and only set and observe (R2.12)."""
    for name, b in (("init", program.init), ("turn", program.turn)):
        for i, statement in enumerate(program.blocks[b]):
            path = statement_path(b, i, statement)
            if program.sides[b][i] != "Workload":
                raise InvalidIR(path, SIDES, f"the {name} block belongs to the workload")
            if not isinstance(statement, ir.Set | ir.Observe):
                raise InvalidIR(path, "R2.12", f"the {name} block only sets and observes")
            if isinstance(statement, ir.Set) and program.attr_types[statement.slot] != "Size":
                raise InvalidIR(path, SIDES, f"the {name} block sets sizes")


def _statement(program: ir.Program, statement: ir.Statement, path: str) -> None:
    for ref_path, ref in statement_refs(statement, path):
        check_ref(program, ref, ref_path, stages=names_stage(statement, ref_path))
    match statement:
        case ir.Set(slot, _):
            check_index(slot, len(program.attrs), "attribute", f"{path}[0]")
        case ir.Observe(observe, _):
            check_index(observe, len(program.observes), "observation", f"{path}[0]")
        case ir.Choose(slot, _, keys):
            check_index(slot, len(program.attrs), "attribute", f"{path}.var")
            if not keys:
                raise InvalidIR(f"{path}.key", "R3.13", "a choice has a key")
