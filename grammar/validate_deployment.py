"""Checks what pools and stages are declared to be: engines, schedules, registers, preemption, flows; knows no session."""

from __future__ import annotations

import math
from collections.abc import Iterator

from grammar import ir
from grammar.ir_node import InvalidIR
from grammar.ir_walk import constant, members
from grammar.validate_moments import check_index, check_ref

POOLS = "pools, chapter R4"
ENGINES = "engines, chapter R6"
REQUESTS = "native requests"
REGISTERS = "registers, R6.17"
FLOWS = "shared stages, R5.8"
CLAIMS = "claims, R9.19"
UNUSED = "a stage is used"


def check_deployment(program: ir.Program, *, every_stage_used: bool) -> None:
    """Checks every pool, stage, register and claim.

    Args:
        program: a program whose frame is right.
        every_stage_used: whether a stage that nothing runs is refused, as version 14 does.

    Raises:
        InvalidIR: at the first declaration that breaks a rule.
    """
    for p, pool in enumerate(program.pools):
        _pool(program, p, pool, f"pools[{p}]")
    for s, stage in enumerate(program.stages):
        if isinstance(stage.kind, ir.Step):
            _engine(program, s, stage.kind, f"stages[{s}].kind.Step")
    for r, register in enumerate(program.registers):
        _register(program, register, f"registers[{r}]")
    for c, claim in enumerate(program.claims):
        if claim.stage is not None:
            path = f"claims[{c}].kind"
            check_index(claim.stage, len(program.stages), "stage", path)
            if not isinstance(program.stages[claim.stage].kind, ir.Step):
                raise InvalidIR(path, CLAIMS, f"{program.stages[claim.stage].name!r} is no engine and has no iterations")
    _flows(program)
    if every_stage_used:
        used = set(_used(program))
        for s, stage in enumerate(program.stages):
            if s not in used:
                raise InvalidIR(f"stages[{s}]", UNUSED, f"nothing runs on {stage.name!r}")


# ----------------------------------------------------------------------------------- pools


def _pool(program: ir.Program, p: int, pool: ir.Pool, path: str) -> None:
    if pool.queue == ():
        raise InvalidIR(f"{path}.queue", POOLS, "an order of the queue has a key")
    if pool.admit_via is not None:
        check_index(pool.admit_via, len(program.stages), "stage", f"{path}.admit_via")
        if not isinstance(program.stages[pool.admit_via].kind, ir.Step):
            raise InvalidIR(f"{path}.admit_via", POOLS, "only an engine admits a queue")
    if pool.queue_every is not None:
        _tick(pool.queue_every, f"{path}.queue_every")
        if pool.admit_via is not None:
            raise InvalidIR(f"{path}.queue_every", POOLS, "an engine admits this queue, at its iterations and not at ticks")
    if pool.spill is not None:
        check_index(pool.spill.to, len(program.pools), "pool", f"{path}.spill.to")
        check_index(pool.spill.via, len(program.stages), "stage", f"{path}.spill.via")
    match pool.preempt:
        case ir.Preempt(()):
            raise InvalidIR(f"{path}.preempt.By.keys", POOLS, "preemption has a key")
        case ir.Leases():
            _leases(program, p, pool, pool.preempt, f"{path}.preempt.Leases")


def _leases(program: ir.Program, p: int, pool: ir.Pool, leases: ir.Leases, path: str) -> None:
    if not leases.keys:
        raise InvalidIR(f"{path}.keys", POOLS, "preemption of leases has a key")
    if leases.suspend == ():
        raise InvalidIR(f"{path}.suspend", POOLS, "an order of setting leases aside has a key")
    if leases.every is not None:
        _tick(leases.every, f"{path}.every")
        if pool.reserve_held:
            raise InvalidIR(f"{path}.every", POOLS, "a growth let past the cap until a tick would take what holds reserved")
    elif leases.suspend is not None:
        raise InvalidIR(f"{path}.suspend", POOLS, "a lease set aside comes back at a tick, and there are none")
    if any(isinstance(stage.kind, ir.Step) and stage.kind.memory == p for stage in program.stages):
        raise InvalidIR(path, POOLS, "a lease of an engine's memory is still to be read, and taking it would lose it")
    if not any(p in members(lease.pool) for lease in _all_leases(program)):
        raise InvalidIR(path, POOLS, f"no hold leases {pool.name!r}, so there is nothing to take")


def _all_leases(program: ir.Program) -> Iterator[ir.Lease]:
    for block in program.blocks:
        for statement in block:
            if isinstance(statement, ir.Hold) and statement.lease is not None:
                yield statement.lease


def _tick(every: float, path: str) -> None:
    if not 0 < every < math.inf:
        raise InvalidIR(path, POOLS, f"a tick is a positive number of seconds, not {every:g}")


# --------------------------------------------------------------------------------- engines


def _engine(program: ir.Program, s: int, step: ir.Step, path: str) -> None:
    if step.memory is not None:
        check_index(step.memory, len(program.pools), "pool", f"{path}.memory")
    if step.granule is not None:
        _granule(step, step.granule, path)
    if step.iteration is not None:
        if step.serve is None:
            raise InvalidIR(f"{path}.iteration", ENGINES, "exclusive prefill takes decodes back, which a schedule cannot")
        if not _acts(step.iteration):
            raise InvalidIR(f"{path}.iteration", ENGINES, "there is a way through it that neither serves nor admits")
        _sets(program, s, step.iteration, f"{path}.iteration")
    if step.request is not None:
        _request(program, step.request, f"{path}.request")
    if step.connector is not None:
        _connector(program, step.connector, f"{path}.connector")


def _granule(step: ir.Step, granule: float, path: str) -> None:
    if not granule > 0:
        raise InvalidIR(f"{path}.granule", ENGINES, f"a granule is above 0, not {granule:g}")
    if step.serve is None:
        raise InvalidIR(f"{path}.granule", ENGINES, "a prefill the granule refuses would block every decode for ever")
    chunk = _floor_of(step.chunk)
    if chunk is not None and 0 < chunk < granule:
        raise InvalidIR(f"{path}.chunk", ENGINES, f"a prefill longer than {chunk:g} would never get a granule of {granule:g}")


def _floor_of(chunk: ir.Expr) -> float | None:
    """The chunk, where it is a constant, or the constant it is never below."""
    if isinstance(chunk, ir.Call) and chunk.fun == "Max" and constant(chunk) is None:
        first = chunk.args[0]
        return first.value if isinstance(first, ir.Num) else None
    return constant(chunk)


def _acts(statements: tuple[ir.ScheduleStatement, ...]) -> bool:
    """Whether every way through a schedule serves or admits."""
    return any(
        (_acts(statement.then) and _acts(statement.orelse))
        if isinstance(statement, ir.SBranch)
        else isinstance(statement, ir.Serve | ir.Admit)
        for statement in statements
    )


def _sets(program: ir.Program, s: int, statements: tuple[ir.ScheduleStatement, ...], path: str) -> None:
    for i, statement in enumerate(statements):
        if isinstance(statement, ir.SSet):
            here = f"{path}[{i}].Set[0]"
            check_index(statement.register, len(program.registers), "register", here)
            if program.registers[statement.register].stage != s:
                raise InvalidIR(here, REGISTERS, "the register belongs to another engine")
        elif isinstance(statement, ir.SBranch):
            _sets(program, s, statement.then, f"{path}[{i}].Branch[1]")
            _sets(program, s, statement.orelse, f"{path}[{i}].Branch[2]")


def _register(program: ir.Program, register: ir.Register, path: str) -> None:
    stage = program.stages[register.stage] if register.stage < len(program.stages) else None
    if stage is None or not isinstance(stage.kind, ir.Step):
        raise InvalidIR(f"{path}.stage", REGISTERS, "a register belongs to an engine")
    if stage.kind.iteration is None:
        raise InvalidIR(f"{path}.stage", REGISTERS, f"{stage.name!r} has no schedule of its own that could set the register")
    if not math.isfinite(register.init):
        raise InvalidIR(f"{path}.init", REGISTERS, "the first value of a register is a finite number")


def _request(program: ir.Program, clause: ir.RequestClause, path: str) -> None:
    for i, take in enumerate(clause.pools):
        check_ref(program, take.pool, f"{path}.pools[{i}][0]", stages=False)
        if take.pool in [other.pool for other in clause.pools[:i]]:
            raise InvalidIR(f"{path}.pools[{i}][0]", REQUESTS, "the request takes this pool twice")
    records = clause.records
    for name in ("reused", "prefill"):
        check_index(getattr(records, name), len(program.observes), "observation", f"{path}.records.{name}")
    for name in ("admitted", "first", "last_reused", "last_prefill"):
        check_index(getattr(records, name), len(program.attrs), "attribute", f"{path}.records.{name}")


def _connector(program: ir.Program, connector: ir.Connector, path: str) -> None:
    for name in ("loaded", "saved", "load_done"):
        check_index(getattr(connector, name), len(program.attrs), "attribute", f"{path}.{name}")
    if connector.source is not None:
        check_index(connector.source, len(program.attrs), "attribute", f"{path}.from")
    check_index(connector.record, len(program.observes), "observation", f"{path}.record")


# ---------------------------------------------------------------------------------- flows


def _runs(program: ir.Program) -> Iterator[tuple[str, ir.Run]]:
    for b, block in enumerate(program.blocks):
        for i, statement in enumerate(block):
            if isinstance(statement, ir.Run):
                yield f"blocks[{b}][{i}].Run", statement


def _flows(program: ir.Program) -> None:
    """Stages that one run holds at once have constant capacities, and one policy a fabric (R5.8, R1.14)."""
    fabric = list(range(len(program.stages)))  # each stage's representative

    def find(s: int) -> int:
        while fabric[s] != s:
            s = fabric[s]
        return s

    shared: set[int] = set()
    for _, run in _runs(program):
        if run.also:
            stages = [s for ref in (run.stage, *run.also) for s in members(ref)]
            shared |= set(stages)
            for s in stages:
                fabric[find(s)] = find(stages[0])
    for s in sorted(shared):
        kind = program.stages[s].kind
        capacity = kind.capacity if isinstance(kind, ir.Ps) else None
        if not isinstance(capacity, ir.Num) or not capacity.value > 0:
            message = "a run holds it together with another stage, so it has to share a constant capacity above 0"
            raise InvalidIR(f"stages[{s}].kind", FLOWS, message)
    policies: dict[int, ir.Share | None] = {}
    for path, run in _runs(program):
        stages = [s for ref in (run.stage, *run.also) for s in members(ref)]
        if run.also and policies.setdefault(find(stages[0]), run.share) != run.share:
            raise InvalidIR(f"{path}.share", FLOWS, "another run on stages connected with these names another policy")


def _used(program: ir.Program) -> Iterator[int]:
    """The stages something runs on."""
    for block in program.blocks:
        for statement in block:
            if isinstance(statement, ir.Run):
                for ref in (statement.stage, *statement.also):
                    yield from members(ref)
            elif isinstance(statement, ir.Request):
                yield from members(statement.stage)
    for pool in program.pools:
        if pool.spill is not None:
            yield pool.spill.via
