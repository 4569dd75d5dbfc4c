"""Warns of schedules that cannot admit anybody into an empty engine; knows no text beyond where a condition stands.

A schedule is run on sets of values: what is known of an empty engine (nobody runs, the batch is empty, nobody was
preempted) is a number, and what is not known is anything. A warning is given only where no value of the unknown
would admit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from itertools import product

from grammar import ir, syntax
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.expansion import plain
from grammar.findings import Findings
from grammar.ir_walk import ARITHMETIC, inner_blocks, members, nodes
from grammar.schedule import Schedule
from grammar.scopes import Engine, Model
from grammar.source import Span

Values = frozenset[float] | None
"""The numbers an expression may have; None for any."""

Registers = tuple[Values, ...]
"""What each register of the program may hold."""

MOST_VALUES = 16
"""How many numbers are told apart before a value counts as unknown: a phase has two or three, a small sum of such a few more."""

MOST_STATES = 128
"""How many states of the registers are looked at: enough for a pause of a hundred iterations, and some milliseconds."""

_BOTH: Values = frozenset({0.0, 1.0})
_NONE: Values = frozenset({0.0})
_TESTS = frozenset({"Lt", "Le", "Gt", "Ge", "Eq", "Ne", "And", "Or", "Not"})
_EMPTY_ENGINE = dict.fromkeys(("Nres", "Ndec", "Kvb", "Kvp", "Preempted", "Admitted", "Ntok", "Npre"), _NONE)
_SOMEBODY_RUNS: dict[str, Values] = {"Preempted": _NONE, "Admitted": _NONE, "Ntok": _NONE, "Npre": _NONE}
"""As the attempt begins, before a statement has served or admitted anybody."""

Path = tuple[int, ...]


class _TooMany(Exception):
    """More states than are looked at."""


def warn_of_shut_engines(findings: Findings, model: Model, schedules: Mapping[str, Schedule], program: ir.Program) -> None:
    """Warn where an engine that has emptied can never admit again, or never could (E1503, E1504; L5.1, L5.9)."""
    for engine in model.engines.values():
        number = engine.stage.base
        step = program.stages[number].kind
        if isinstance(step, ir.Step) and step.iteration is not None and _only_filled_by_admission(program, engine):
            with suppress(_TooMany):
                shut = _shut(step.iteration, program)
                if shut is not None:
                    _tell(findings, engine, schedules[engine.name], program, shut)


# ------------------------------------------------------------------------------- who comes to an engine


def _only_filled_by_admission(program: ir.Program, engine: Engine) -> bool:
    """Whether somebody waits for the engine, and all who run on it have waited.

    An engine that somebody else fills, by a run outside of what it admits, may well wait for that.
    """
    stages = range(engine.stage.base, engine.stage.base + engine.stage.count)
    admitted = {i for i, pool in enumerate(program.pools) if pool.admit_via in stages}
    waits = False
    for statement, held in _statements(program, program.session, admitted, False):
        if isinstance(statement, ir.Hold):
            waits = waits or _waits_for(statement, admitted)
        elif isinstance(statement, ir.Run) and not held and any(m in stages for m in members(statement.stage)):
            return False
    return waits


def _waits_for(hold: ir.Hold, admitted: set[int]) -> bool:
    """Whether a hold waits in one of the pools: in the first it names (L7.21)."""
    return any(member in admitted for member in members(hold.pools[0].pool))


def _statements(program: ir.Program, block: int, admitted: set[int], held: bool) -> Iterator[tuple[ir.Statement, bool]]:
    """Every statement of a block, and whether it stands in a hold that one of the pools admits."""
    for statement in program.blocks[block]:
        yield statement, held
        inside = held or (isinstance(statement, ir.Hold) and _waits_for(statement, admitted))
        for inner in inner_blocks(statement):
            yield from _statements(program, inner, admitted, inside)


# ------------------------------------------------------------------------------- the analysis


@dataclass(frozen=True, slots=True)
class _Closed:
    """A condition that keeps everybody out: where it stands, what it reads, and whether it is a branch's."""

    path: Path
    expr: ir.Expr
    holds: bool
    branch: bool


@dataclass(frozen=True, slots=True)
class _Shut:
    """A state of the registers in which an empty engine admits nobody; ``at_once`` where it is the first of all."""

    registers: Registers
    closed: tuple[_Closed, ...]
    at_once: bool


def _shut(schedule: Sequence[ir.ScheduleStatement], program: ir.Program) -> _Shut | None:
    """The first such state that can be reached, None without one.

    An iteration's requests may all end with it, so every state an iteration leaves may meet an empty engine.

    Raises:
        _TooMany: there are more states than are looked at.
    """
    anything: Registers = (None,) * len(program.registers)
    if _Attempt(_EMPTY_ENGINE, frozenset({anything})).run(schedule):
        return None  # it admits whatever the registers are, as most do
    first: Registers = tuple(frozenset({register.init}) for register in program.registers)
    seen = {first}
    waiting = [first]
    for registers in waiting:
        attempt = _Attempt(_EMPTY_ENGINE, frozenset({registers}))
        attempt.run(schedule)
        if not attempt.admits:
            return _Shut(registers, tuple(attempt.closed), registers == first)
        after = _Attempt(_SOMEBODY_RUNS, frozenset({registers}), forgetful=True)
        after.run(schedule)
        fresh = [state for state in sorted(after.registers, key=_order) if state not in seen]
        if len(seen) + len(fresh) > MOST_STATES:
            raise _TooMany
        seen.update(fresh)
        waiting.extend(fresh)
    return None


def _order(registers: Registers) -> tuple[tuple[float, ...], ...]:
    """Any order that is the same in every run."""
    return tuple((-1.0,) if values is None else tuple(sorted(values)) for values in registers)


@dataclass(slots=True)
class _Attempt:
    """One attempt to form an iteration, on sets of values.

    Attributes:
        known: of each value of the engine what is known; what is missing may be anything.
        registers: the states the registers may be in so far.
        forgetful: whether serving and admitting changes what is known, as it does where somebody runs or waits.
        admits: whether an ``admit waiting`` was reached that may admit.
        closed: the conditions met that can only be what they are.
    """

    known: Mapping[str, Values]
    registers: frozenset[Registers]
    forgetful: bool = False
    admits: bool = False
    closed: list[_Closed] = field(default_factory=list)

    def run(self, statements: Sequence[ir.ScheduleStatement], path: Path = ()) -> bool:
        """Carry statements out; whether every way through them reaches an ``admit waiting`` that admits."""
        surely = False
        for index, statement in enumerate(statements):
            here = (*path, index)
            if isinstance(statement, ir.Serve):
                self._changed("Ntok", "Npre", "Preempted")
            elif isinstance(statement, ir.Admit):
                surely |= self._admit(statement, here)
            elif isinstance(statement, ir.SSet):
                self._set(statement)
            else:
                surely |= self._branch(statement, here)
        return surely

    def _changed(self, *values: str) -> None:
        if self.forgetful:
            self.known = {name: known for name, known in self.known.items() if name not in values}

    def _admit(self, statement: ir.Admit, here: Path) -> bool:
        gate = frozenset({1.0}) if statement.gate is None else self._all(statement.gate)
        if gate == _NONE and statement.gate is not None:
            self.closed.append(_Closed(here, statement.gate, False, False))
            return False
        self.admits = True
        self._changed("Admitted", "Ntok", "Npre", "Preempted")
        return gate is not None and 0.0 not in gate

    def _set(self, statement: ir.SSet) -> None:
        states = set()
        for registers in self.registers:
            values = _value(statement.expr, self.known, registers)
            # Each number is a state of its own: which of them it is decides every later condition alike.
            for value in (None,) if values is None else (frozenset({v}) for v in values):
                states.add((*registers[: statement.register], value, *registers[statement.register + 1 :]))
        if len(states) > MOST_STATES:
            raise _TooMany
        self.registers = frozenset(states)

    def _branch(self, statement: ir.SBranch, here: Path) -> bool:
        """Each state goes the ways its condition may send it; what is known afterwards is what both arms leave."""
        taken: dict[bool, set[Registers]] = {True: set(), False: set()}
        for registers in self.registers:
            guard = _value(statement.guard, self.known, registers)
            if guard is None or guard != _NONE:
                taken[True].add(registers)
            if guard is None or 0.0 in guard:
                taken[False].add(registers)
        known, after, surely = self.known, set[Registers](), True
        left: list[Mapping[str, Values]] = []
        for holds, arm, number in ((True, statement.then, 0), (False, statement.orelse, 1)):
            if not taken[holds]:
                continue
            if not taken[not holds] and _has_admit(statement.orelse if holds else statement.then):
                self.closed.append(_Closed(here, statement.guard, holds, True))
            self.known, self.registers = known, frozenset(taken[holds])
            surely &= self.run(arm, (*here, number))
            left.append(self.known)
            after |= self.registers
        self.known = {name: values for name, values in left[0].items() if all(name in other for other in left)}
        self.registers = frozenset(after)
        return surely

    def _all(self, expr: ir.Expr) -> Values:
        """What an expression may be in any state."""
        found: frozenset[float] = frozenset()
        for registers in self.registers:
            values = _value(expr, self.known, registers)
            if values is None:
                return None
            found |= values
        return found


def _has_admit(statements: Iterable[ir.ScheduleStatement]) -> bool:
    return any(
        isinstance(s, ir.Admit) or (isinstance(s, ir.SBranch) and (_has_admit(s.then) or _has_admit(s.orelse))) for s in statements
    )


def _value(expr: ir.Expr, known: Mapping[str, Values], registers: Registers) -> Values:
    """What an expression may be."""

    def of(inner: ir.Expr) -> Values:
        return _value(inner, known, registers)

    match expr:
        case ir.Num(number):
            return frozenset({number})
        case ir.Reg(index):
            return registers[index]
        case ir.Ctx(name):
            return known.get(name)
        case ir.Unary(op, operand):
            return _applied(op, (of(operand),))
        case ir.Binary(op, left, right):
            return _logical(op, of(left), of(right)) if op in ("And", "Or") else _applied(op, (of(left), of(right)))
        case ir.Cond(test, then, orelse):
            return _either(of(test), lambda: of(then), lambda: of(orelse))
        case ir.Call(fun, args) if fun in ARITHMETIC:
            return _applied(fun, tuple(None if isinstance(a, ir.PoolArg | ir.StageArg) else of(a) for a in args))
    return None


def _applied(name: str, operands: tuple[Values, ...]) -> Values:
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands):
        return _BOTH if name in _TESTS else None
    found = frozenset(float(ARITHMETIC[name](*numbers)) for numbers in product(*known))
    return found if len(found) <= MOST_VALUES else None


def _logical(op: str, left: Values, right: Values) -> Values:
    """``&&`` and ``||``, of which one side may decide whatever the other is."""
    decisive = 0.0 if op == "And" else 1.0
    sides = [_truth(left), _truth(right)]
    if frozenset({decisive}) in sides:
        return frozenset({decisive})
    if all(decisive not in side for side in sides):
        return frozenset({1.0 - decisive})
    return _BOTH


def _truth(values: Values) -> frozenset[float]:
    return frozenset({0.0, 1.0}) if values is None else frozenset(float(value != 0) for value in values)


def _either(test: Values, then: Callable[[], Values], orelse: Callable[[], Values]) -> Values:
    truth = _truth(test)
    arms = [*([then()] if 1.0 in truth else []), *([orelse()] if 0.0 in truth else [])]
    found: frozenset[float] = frozenset()
    for arm in arms:
        if arm is None:
            return None
        found |= arm
    return found


# ------------------------------------------------------------------------------- telling


def _tell(findings: Findings, engine: Engine, schedule: Schedule, program: ir.Program, shut: _Shut) -> None:
    name = engine.name
    blamed = next((c for c in shut.closed if _registers_in(c.expr)), None) or next(iter(shut.closed), None)
    if blamed is None:
        pools = " and ".join(f"`{pool.name}`" for pool in engine.admits)
        message = f"requests wait for {pools}, and this schedule of engine `{name}` has no `admit waiting`: it never admits anybody"
        findings.warning("E1504", schedule.span, message, suggestion="admit waiting while (running.preempted == 0);")
        return
    condition = _condition(schedule, blamed.path)
    if shut.at_once:
        code = "E1504"
        message = (
            f"this condition keeps everybody out of an empty engine, and engine `{name}` begins empty: it never admits anybody"
        )
    else:
        held = _held(shut.registers, _registers_in(blamed.expr), program)
        code = "E1503"
        message = (
            f"engine `{name}` admits nobody while it is empty and {held}; an attempt that serves nobody takes its updates back, "
            "so that stays so for ever"
        )
    findings.warning(
        code,
        condition.span,
        message,
        Note("the report of such a run says `idle_with_work`"),
        suggestion=f"{_mended(findings, condition, blamed)}  lets an empty engine admit",
    )


def _registers_in(expr: ir.Expr) -> tuple[int, ...]:
    """The registers an expression reads, once each."""
    return tuple(dict.fromkeys(node.index for node, _ in nodes(expr, "") if isinstance(node, ir.Reg)))


def _held(registers: Registers, read: Iterable[int], program: ir.Program) -> str:
    said = []
    for index in read:
        values = registers[index]
        if values is not None:
            said.append(f"`{program.registers[index].name}` is {min(values):g}")
    return " and ".join(said) or "its registers are as they are"


def _condition(schedule: Schedule, path: Path) -> syntax.Expr:
    """The condition of the ``branch`` or the ``while`` at a path of the lowered schedule, as written."""
    items: Sequence[syntax.ScheduleItem] = schedule.body
    item = items[path[0]]
    for arm, index in zip(path[1::2], path[2::2], strict=True):
        assert isinstance(item, syntax.SBranch)
        block = item.then if arm == 0 else item.orelse
        assert block is not None
        item = block.items[index]
    condition = item.guard if isinstance(item, syntax.SBranch) else item.gate if isinstance(item, syntax.AdmitWaiting) else None
    assert condition is not None
    return condition


def _mended(findings: Findings, condition: syntax.Expr, blamed: _Closed) -> str:
    """The condition with the way out written to it."""
    span = plain(condition.span)
    written = _text(findings, span)
    way_out = "&& running.count > 0" if blamed.holds else "|| running.count == 0"
    loose = ("?", "||") if blamed.holds else ("?",)
    if any(sign in written for sign in loose):
        written = f"({written})"
    word = "branch" if blamed.branch else "while"
    return f"{word} ({written} {way_out})"


def _text(findings: Findings, span: Span) -> str:
    """The text of a span, its lines joined."""
    lines = findings.source.lines[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(line.strip() for line in lines)
