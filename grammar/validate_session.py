"""Checks what the statements of the session do to one another: sides, holds, loops, legs, flows; knows no moment."""

from __future__ import annotations

import math
from dataclasses import replace

from grammar import ir
from grammar.declaring import dataclass
from grammar.ir_node import InvalidIR
from grammar.ir_walk import constant, inner_blocks, members, nodes, statement_path, statements
from grammar.validate_structure import SIDES

HOLDS = "holds, R3.4 to R3.9"
AMOUNTS = "amounts, R1.3"
LEGS = "legs, R3.14 and R3.15"
LOOPS = "loops let time pass, R3.12"
RUNS = "runs, R3.10"


@dataclass(frozen=True, slots=True)
class Scope:
    """What surrounds a statement.

    Attributes:
        held: the references of the holds around it.
        preempted: whether one of these may be preempted and begin anew.
        leg: whether it is part of a leg.
        pulling: whether it is in a block of a connector that loads what was leased elsewhere.
    """

    held: tuple[ir.Ref, ...] = ()
    preempted: bool = False
    leg: bool = False
    pulling: bool = False


def check_session(program: ir.Program) -> None:
    """Checks every statement where it stands.

    Raises:
        InvalidIR: at the first statement that breaks a rule.
    """
    checker = _Checker(program)
    for b, block in enumerate(program.blocks):
        for i, statement in enumerate(block):
            checker.alone(statement, statement_path(b, i, statement), program.sides[b][i])
    checker.block(program.session, Scope())
    for stage in program.stages:
        if isinstance(stage.kind, ir.Step) and stage.kind.connector is not None:
            scope = _inside_request(program, stage.kind, stage.kind.connector)
            for amount in (stage.kind.connector.load, stage.kind.connector.save):
                if amount is not None:
                    checker.block(amount[1], scope)
    _joins(program)


def may_preempt(program: ir.Program, ref: ir.Ref) -> bool:
    """Whether a hold of a pool may be taken back from its session (R4.15)."""
    return any(isinstance(program.pools[p].preempt, ir.Preempt) for p in members(ref))


def _inside_request(program: ir.Program, step: ir.Step, connector: ir.Connector) -> Scope:
    """A connector's blocks run while the request holds the engine's memory, and act on that and on the leases it comes from."""
    takes = step.request.pools if step.request is not None else ()
    held = tuple(take.pool for take in takes if step.memory is not None and step.memory in members(take.pool))
    return Scope(held, any(may_preempt(program, ref) for ref in held), pulling=connector.source is not None)


def _joins(program: ir.Program) -> None:
    found = {type(statement) for _, _, statement in statements(program, program.session)}
    anywhere = {type(statement) for block in program.blocks for statement in block}
    if ir.Fork in anywhere and ir.Join not in anywhere:
        raise InvalidIR("", LEGS, "the program forks legs and never joins them, and a session may not end while its leg runs")
    if ir.Join in found and ir.Fork not in anywhere:
        raise InvalidIR("", LEGS, "the program joins legs and forks none")


class _Checker:
    """The checks of one program's statements."""

    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self.leased = {
            statement.lease.pool
            for block in program.blocks
            for statement in block
            if isinstance(statement, ir.Hold) and statement.lease is not None
        }

    # ------------------------------------------------------------- anywhere in the program

    def alone(self, statement: ir.Statement, path: str, side: ir.Side) -> None:
        """What does not depend on the surroundings."""
        match statement:
            case ir.Turn() if side == "Server":
                raise InvalidIR(path, SIDES, "a turn belongs to the workload")
            case ir.Set(slot, _) | ir.Choose(slot, _, _):
                self.assignment(statement, slot, path, side)
            case ir.Hold():
                self.hold(statement, path)
            case ir.Run():
                self.run(statement, path)
            case ir.Grow(_, units) | ir.Shrink(_, units) | ir.Load(_, units):
                self.amount(units, f"{path}[1]")
            case ir.While(ir.Num(value), _) if value not in (0, 1):
                raise InvalidIR(f"{path}[0]", LOOPS, f"the guard is {value:g}, neither 0 nor 1")
            case ir.Request():
                self.request(statement, path)
        for body in inner_blocks(statement):
            for i, inner in enumerate(self.program.blocks[body]):
                if side == "Server" and self.program.sides[body][i] == "Workload":
                    raise InvalidIR(statement_path(body, i, inner), SIDES, "a statement of the workload inside one of the server")
            if isinstance(statement, ir.Loop | ir.While) and not self.takes_time(body):
                raise InvalidIR(path, LOOPS, "there is a way through its body on which no time passes")

    def assignment(self, statement: ir.Statement, slot: int, path: str, side: ir.Side) -> None:
        """The workload assigns sizes, the server everything else; nobody the serial number."""
        name, kind = self.program.attrs[slot], self.program.attr_types[slot]
        if slot == self.program.slots.serial:
            raise InvalidIR(path, SIDES, f"{name!r} is the session's number, which the run assigns")
        if side == "Server" and kind == "Size":
            raise InvalidIR(path, SIDES, f"{name!r} is a size of the workload, which the server cannot assign")
        if side == "Workload" and kind == "Value":
            raise InvalidIR(path, SIDES, f"{name!r} is a value of the server, which the workload cannot assign")
        if isinstance(statement, ir.Choose) and kind not in ("Size", "Value"):
            raise InvalidIR(path, SIDES, f"a choice gives an index, and {name!r} is a cost")
        if isinstance(statement, ir.Choose) and side == "Workload" and kind != "Size":
            raise InvalidIR(path, SIDES, f"the workload chooses into a size, and {name!r} is none")

    def amount(self, expr: ir.Expr, path: str) -> float | None:
        """A constant amount is a number and not negative (R1.3)."""
        value = constant(expr)
        if value is not None and not value >= 0:
            raise InvalidIR(path, AMOUNTS, f"{value:g} cannot be an amount")
        return value

    def hold(self, hold: ir.Hold, path: str) -> None:
        refs = [take.pool for take in hold.pools]
        for i, take in enumerate(hold.pools):
            here = f"{path}.pools[{i}]"
            if take.pool in refs[:i]:
                raise InvalidIR(f"{here}[0]", HOLDS, "the hold takes this pool twice")
            self.fits(take, self.amount(take.units, f"{here}[1]"), here)
        if hold.lease is not None and hold.lease.pool not in refs:
            raise InvalidIR(f"{path}.lease[0]", HOLDS, "the hold does not take the pool it leases, written the same way")
        if hold.prefix is not None:
            self.prefix(hold, hold.prefix, path)

    def fits(self, take: ir.Take, units: float | None, path: str) -> None:
        """Constant units and reserves fit some member (R4.2, R4.6)."""
        reserve = None if take.reserve is None else constant(take.reserve)
        need = max((value for value in (units, reserve) if value is not None), default=None)
        if need is None:
            return
        index = None if take.pool.index is None else constant(take.pool.index)
        choices = members(take.pool) if index is None else [take.pool.base + int(index)]
        if all(_rounded(need, self.program.pools[p].block) > self.program.pools[p].cap for p in choices):
            raise InvalidIR(path, HOLDS, f"{need:g} units never fit")

    def prefix(self, hold: ir.Hold, segments: tuple[ir.Segment, ...], path: str) -> None:
        """A chain of segments is cached in blocks, and not where blocks are spilled."""
        here = f"{path}.prefix"
        if not segments:
            raise InvalidIR(here, HOLDS, "a chain has a segment")
        for k, segment in enumerate(segments[:-1]):
            if segment.length == ir.Num(math.inf):
                raise InvalidIR(f"{here}[{k}]", HOLDS, "only the last segment is endless; none after it would be reached")
        if segments == (ir.Segment(ir.Attr(self.program.slots.serial), ir.Num(math.inf)),):
            raise InvalidIR(here, HOLDS, "this is the chain of a hold without one, the session's own")
        pools = self.program.pools
        if not any(all(pools[p].block is not None for p in members(take.pool)) for take in hold.pools):
            raise InvalidIR(here, HOLDS, "none of the hold's pools has blocks, in which a chain is cached")
        targets = {pool.spill.to for pool in pools if pool.spill is not None}
        if any(pools[p].spill is not None or p in targets for take in hold.pools for p in members(take.pool)):
            raise InvalidIR(here, HOLDS, "a pool of the hold spills or is spilled to, which keeps no chains")

    def run(self, run: ir.Run, path: str) -> None:
        stages = self.program.stages
        self.amount(run.work, f"{path}.work")
        engines = {isinstance(stages[s].kind, ir.Step) for ref in (run.stage, *run.also) for s in members(ref)}
        if engines == {True, False} or (run.mode == "Plain") == (True in engines):
            raise InvalidIR(f"{path}.mode", RUNS, "a run on an engine prefills or decodes, a run elsewhere is plain")
        if run.growing is not None and True not in engines:
            raise InvalidIR(f"{path}.growing", RUNS, "only a run on an engine grows a hold")
        if run.latency is not None:
            if True in engines:
                raise InvalidIR(f"{path}.latency", RUNS, "a latency is a wait before a transfer, not before an iteration")
            self.amount(run.latency, f"{path}.latency")
        for i, stage in enumerate(run.also):
            if stage in (run.stage, *run.also[:i]):
                raise InvalidIR(f"{path}.also[{i}]", RUNS, "the run names this stage twice")
        if run.share is not None and not run.also:
            raise InvalidIR(f"{path}.share", RUNS, "a run on one stage has no policy of its own")
        if run.also and run.share is None:
            raise InvalidIR(path, RUNS, "a run over several stages names how they are shared")
        if run.poster is not None and not (run.also and run.poster <= len(run.also)):
            raise InvalidIR(f"{path}.poster", RUNS, f"there is no stage {run.poster} among those of this copy")

    def request(self, request: ir.Request, path: str) -> None:
        if not all(isinstance(self.program.stages[s].kind, ir.Step) for s in members(request.stage)):
            raise InvalidIR(f"{path}.stage", RUNS, "a request goes to an engine")
        self.amount(request.input, f"{path}.input")
        output = self.amount(request.output, f"{path}.output")
        if output is not None and output < 1:
            raise InvalidIR(f"{path}.output", RUNS, "a request generates at least one token")

    # ----------------------------------------------------------------- time passes in loops

    def takes_time(self, block: int) -> bool:
        """Whether time passes, or the session ends, on every way through a block."""
        return any(self.statement_takes_time(statement) for statement in self.program.blocks[block])

    def statement_takes_time(self, statement: ir.Statement) -> bool:
        match statement:
            case ir.Run():
                waits = statement.latency is not None and not _nothing(statement.latency)
                return waits or not _nothing(statement.work)
            case ir.Request() | ir.End():
                return True
            case ir.Hold(_, body) | ir.Loop(body):
                return self.takes_time(body)
            case ir.Branch(_, then, orelse):
                return self.takes_time(then) and self.takes_time(orelse)
        return False

    # ----------------------------------------------------------------------- where it stands

    def block(self, block: int, scope: Scope) -> None:
        """The statements of a block and of the blocks inside it."""
        for i, statement in enumerate(self.program.blocks[block]):
            path = statement_path(block, i, statement)
            self.inside(statement, path, scope)
            inner = scope
            if isinstance(statement, ir.Hold):
                inner = self.held(statement, path, scope)
            elif isinstance(statement, ir.Fork):
                inner = replace(scope, leg=True)
            for body in inner_blocks(statement):
                self.block(body, inner)

    def inside(self, statement: ir.Statement, path: str, scope: Scope) -> None:
        """What depends on the holds and legs around a statement."""
        if scope.leg and isinstance(statement, ir.Turn | ir.End | ir.Fork | ir.Join):
            raise InvalidIR(path, LEGS, "a leg does not turn, end, fork or join; its session does")
        match statement:
            case ir.Fork() if scope.preempted:
                raise InvalidIR(path, LEGS, "a hold around it may be preempted, begin anew and fork a second leg")
            case ir.Release() if scope.pulling:
                pass  # what the request was loaded from was leased elsewhere, by another session's hold perhaps
            case ir.Grow(pool, _) | ir.Shrink(pool, _) | ir.Release(pool):
                if pool not in scope.held and pool not in self.leased:
                    raise InvalidIR(path, HOLDS, "no hold around it takes this pool, written the same way, and none leases it")
                self.same_member(pool, path)
            case ir.Load(pool, _):
                self.acts_on(pool, path, scope)
            case ir.Run() if statement.growing is not None:
                self.acts_on(statement.growing, f"{path}.growing", scope)

    def acts_on(self, pool: ir.Ref, path: str, scope: Scope) -> None:
        if pool not in scope.held:
            raise InvalidIR(path, HOLDS, "no hold around it takes this pool, written the same way")
        self.same_member(pool, path)

    def same_member(self, pool: ir.Ref, path: str) -> None:
        """An index read again inside a hold names the same member only if it reads what stands still."""
        if pool.index is not None and _moves(pool.index):
            raise InvalidIR(path, HOLDS, "its index reads the state or the clock, and may name another member than the hold")

    def held(self, hold: ir.Hold, path: str, scope: Scope) -> Scope:
        """The scope inside a hold, whose body leaves alone what its indices read."""
        preempted = scope.preempted or any(may_preempt(self.program, take.pool) for take in hold.pools)
        slots = self.program.slots
        changed = self.changed(hold.body)
        for i, take in enumerate(hold.pools):
            if take.pool.index is None:
                continue
            here = f"{path}.pools[{i}][0].index"
            read = {node.slot for node, _ in nodes(take.pool.index, "") if isinstance(node, ir.Attr)}
            if read & changed:
                raise InvalidIR(here, HOLDS, "the hold's body changes what this reads, so it may name another member there")
            if preempted and (_moves(take.pool.index) or read & {slots.cached, slots.computed}):
                raise InvalidIR(here, HOLDS, "the hold may be preempted and reads this again, when it may name another member")
        return replace(scope, held=(*scope.held, *(take.pool for take in hold.pools)), preempted=preempted)

    def changed(self, block: int) -> set[int]:
        """The attributes a block and the blocks inside it change; a leg changes its own copy."""
        slots: set[int] = set()
        for statement in self.program.blocks[block]:
            match statement:
                case ir.Turn():
                    slots |= set(range(len(self.program.attrs)))
                case ir.Set(slot, _) | ir.Choose(slot, _, _):
                    slots.add(slot)
                case ir.Hold():
                    slots |= {self.program.slots.cached, self.program.slots.computed}
            if not isinstance(statement, ir.Fork):
                for inner in inner_blocks(statement):
                    slots |= self.changed(inner)
        return slots


def _rounded(units: float, block: float | None) -> float:
    """Units in whole blocks (R1.4)."""
    return units if not block or block < 0 or math.isinf(units) else math.ceil(units / block) * block


def _nothing(expr: ir.Expr) -> bool:
    value = constant(expr)
    return value is not None and value <= 0


def _moves(index: ir.Expr) -> bool:
    """Whether an index reads anything but attributes and numbers."""
    return any(
        isinstance(node, ir.Ctx | ir.Reg | ir.Sample | ir.Agg)
        or (isinstance(node, ir.Call) and any(isinstance(argument, ir.PoolArg | ir.StageArg) for argument in node.args))
        for node, _ in nodes(index, "")
    )
